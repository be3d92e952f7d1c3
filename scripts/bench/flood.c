// Connections that want nothing, as fast as they can be made: what a hostile or broken machine
// does to a host's port.
//
//     flood KIND --port PORT [--connections 5000] [--hold S] [--sources N] [--rate N]
//
//     silent   says nothing
//     half     says the first half of a TLS ClientHello
//     hello    says a whole ClientHello, and nothing when the host has answered
//
// Each connection is kept open until the host closes it. --hold (default 3) is how long it stays
// after the last one was opened. They come from --sources addresses of this machine, 127.2.0.1 and
// on, one after another (default 1: 127.0.0.1), --rate a second (default: as fast as they can). stderr says "begun" before the first; stdout gets one JSON object
// at the end. "began" is just before the first connect, and "ended" when the host last closed one
// of the connections, answered it or took it, until 1 s after the last was opened: nanoseconds of
// the monotonic clock.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure.h"
#include "secure.h"

const char program[] = "flood";

enum { connecting_limit = 256 };

struct connection {
    int fd;
    bool connected;
};

static struct sockaddr_in host = {.sin_family = AF_INET};
static struct connection *connections;
static size_t wanted = 5000, sources = 1, rate, opened, connecting, closed, answered;
static char hello[4096];
static size_t hello_size;    // how much of it is said
static int queue;
static uint64_t last_opened, last_heard;

// One honest ClientHello, which all connections say.
static void make_hello(void) {
    SSL_CTX *context = secure_context();
    SSL *connection = context ? SSL_new(context) : NULL;
    BIO *incoming = BIO_new(BIO_s_mem()), *outgoing = BIO_new(BIO_s_mem());
    if (!connection || !incoming || !outgoing) die(71, "TLS");
    SSL_set_bio(connection, incoming, outgoing);
    SSL_set_connect_state(connection);
    SSL_do_handshake(connection);
    int size = BIO_read(outgoing, hello, sizeof hello);
    if (size <= 0) die(71, "TLS");
    hello_size = (size_t)size;
    SSL_free(connection);
    SSL_CTX_free(context);
}

static void open_connection(struct connection *connection, size_t number) {
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd < 0) die(71, "socket");
    if (sources > 1) {
        const int later = 1;    // the port is chosen when it is known where to
        struct sockaddr_in own = {.sin_family = AF_INET};
        own.sin_addr.s_addr = htonl((uint32_t)(0x7f020001 + number % sources));
        setsockopt(connection->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &later, sizeof later);
        if (bind(connection->fd, (struct sockaddr *)&own, sizeof own) < 0) die(71, "bind");
    }
    if (connect(connection->fd, (struct sockaddr *)&host, sizeof host) < 0
        && errno != EINPROGRESS)
        die(75, "connect");
    struct epoll_event event = {EPOLLOUT, {.ptr = connection}};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, connection->fd, &event) < 0) die(71, "epoll");
    connecting++;
    last_opened = monotonic();
}

static void end(struct connection *connection) {
    close(connection->fd);
    if (!connection->connected) connecting--;
    closed++;
}

static void handle(struct connection *connection, uint32_t events) {
    char bytes[8192];
    if (monotonic() < last_opened + second) last_heard = monotonic();
    if (events & (EPOLLERR | EPOLLHUP)) {
        end(connection);
        return;
    }
    if (!connection->connected && (events & EPOLLOUT)) {
        connection->connected = true;
        connecting--;
        // It is new, so the kernel has room. A host that has gone already is seen below.
        if (hello_size) send(connection->fd, hello, hello_size, MSG_NOSIGNAL);
        struct epoll_event event = {EPOLLIN, {.ptr = connection}};
        if (epoll_ctl(queue, EPOLL_CTL_MOD, connection->fd, &event) < 0) die(71, "epoll");
        return;
    }
    ssize_t size = recv(connection->fd, bytes, sizeof bytes, 0);
    if (size > 0) answered++;
    else if (size == 0 || errno != EAGAIN) end(connection);
}

// Whether it is time for the next connection.
static bool is_due(uint64_t began) {
    if (opened >= wanted || connecting >= connecting_limit) return false;
    return !rate || opened * second / rate <= monotonic() - began;
}

static void run(uint64_t began, uint64_t hold) {
    while (opened < wanted || monotonic() < last_opened + hold) {
        for (; is_due(began); opened++) open_connection(&connections[opened], opened);
        struct epoll_event events[256];
        int count = epoll_wait(queue, events, 256, rate ? 1 : 50);
        if (count < 0 && errno != EINTR) die(71, "epoll");
        for (int i = 0; i < count; i++) handle(events[i].data.ptr, events[i].events);
    }
}

static void parse(int count, char **arguments, uint64_t *hold) {
    const char *kind = count > 1 ? arguments[1] : "";
    inet_pton(AF_INET, "127.0.0.1", &host.sin_addr);
    for (int i = 2; i < count; i += 2) {
        if (i + 1 == count) refuse();
        uint64_t value = strtoull(arguments[i + 1], NULL, 10);
        if (!strcmp(arguments[i], "--port")) host.sin_port = htons((uint16_t)value);
        else if (!strcmp(arguments[i], "--connections")) wanted = (size_t)value;
        else if (!strcmp(arguments[i], "--sources")) sources = (size_t)value;
        else if (!strcmp(arguments[i], "--rate")) rate = (size_t)value;
        else if (!strcmp(arguments[i], "--hold")) *hold = value * second;
        else refuse();
    }
    make_hello();
    if (!strcmp(kind, "silent")) hello_size = 0;
    else if (!strcmp(kind, "half")) hello_size /= 2;
    else if (strcmp(kind, "hello")) refuse();
    if (!host.sin_port || wanted < 1 || sources < 1) refuse();
}

int main(int count, char **arguments) {
    uint64_t hold = 3 * second;
    parse(count, arguments, &hold);
    allow_descriptors();
    stand_back();
    connections = calloc(wanted, sizeof *connections);
    queue = epoll_create1(EPOLL_CLOEXEC);
    if (!connections || queue < 0) die(71, "out of memory or descriptors");
    fprintf(stderr, "begun\n");
    const uint64_t began = monotonic();
    run(began, hold);
    printf("{\"began\":%ju,\"opening\":%.6f,\"ended\":%ju,\"opened\":%zu,\"closed\":%zu,"
           "\"answered\":%zu}\n",
           (uintmax_t)began, seconds(last_opened - began), (uintmax_t)last_heard, opened,
           closed, answered);
    return 0;
}
