// What a hostile or broken machine does to the port that a host has for browsers.
//
//     abuse KIND --port PORT [--connections 5000] [--seconds 8]
//
//     idle       --connections that say nothing, opened again when they are closed
//     slow       512 that send a header a byte a second
//     huge       64 that send a header of 1 MB, one after another
//     pipeline   16 that ask 10,000 times without reading an answer
//     paths      64 that ask for what must not be had: paths that lead out, that are no paths, that
//                are very long; each answer is read, and must not be 200 but for the page itself
//
// For --seconds all that ends begins anew. stderr says "begun" before the first connect; stdout
// gets one JSON object at the end: "began" and "ended" are nanoseconds of the monotonic clock,
// "requests" are those that were sent whole, "answered" the answers' beginnings that came.
//
// Exit codes: 0 done, 64 usage, 71 the system refused, 76 a path was answered that must not be.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure.h"

const char program[] = "abuse";

enum { connecting_limit = 256, huge_size = 1000000, pipelined = 10000, long_path = 12000 };

enum kind { kind_idle, kind_slow, kind_huge, kind_pipeline, kind_paths };
static const char *const names[] = {"idle", "slow", "huge", "pipeline", "paths"};

struct connection {
    int fd;
    bool connected;
    size_t sent;        // of what it says
    unsigned turn;      // which of the paths is next
    const char *said;   // what it says
    size_t said_size;
};

static enum kind kind;
static struct sockaddr_in host = {.sin_family = AF_INET};
static struct connection *connections;
static size_t wanted, connecting, opened, closed, requests, answered;
static int queue;
static char *text;
static size_t text_size;
static uint64_t began;

// What must not be had, and what may be: the page, which is the same for everybody.
static struct { const char *path; size_t size; bool is_page; } paths[] = {
#define PATH(text, page) {text, sizeof text - 1, page}
    PATH("/../../etc/passwd", false), PATH("/%2e%2e/%2e%2e/etc/passwd", false),
    PATH("/..%2f..%2f..%2fetc/passwd", false), PATH("/page.css/../../../etc/passwd", false),
    PATH("//", true), PATH("//etc/passwd", false), PATH("/%00", false),
    PATH("/page.css%00.html", false), PATH("/\0etc", false), PATH("/%ff%fe%c0%ae", false),
    PATH("/%", false), PATH("/?%&=&&;#", true), PATH("etc/passwd", false), PATH("*", false),
    PATH("http://example.org/etc/passwd", false), PATH("/transcript.txt/../x", false),
    PATH("/\\..\\..\\windows", false), PATH("/.", false), PATH("/..", false),
    {NULL, long_path, false},
};
enum { path_count = sizeof paths / sizeof *paths };
static char *requests_for[path_count];
static size_t sizes_for[path_count];

static void *memory(size_t size) {
    void *found = calloc(1, size);
    if (!found) die(71, "memory");
    return found;
}

// MARK: What is said

static void make_paths(void) {
    static const char tail[] = " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    for (int i = 0; i < path_count; i++) {
        char *to = requests_for[i] = memory(4 + paths[i].size + sizeof tail);
        to = stpcpy(to, "GET ");
        if (paths[i].path) memcpy(to, paths[i].path, paths[i].size);
        else memset(memset(to, 'a', paths[i].size), '/', 1);
        stpcpy(to + paths[i].size, tail);
        sizes_for[i] = 4 + paths[i].size + sizeof tail - 1;
    }
}

static void make_text(void) {
    static const char get[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    static const size_t get_size = sizeof get - 1;
    switch (kind) {
    case kind_idle: break;
    case kind_slow:
    case kind_huge:
        // A field that never ends, and one more byte a second of it.
        text_size = kind == kind_slow ? 400 : huge_size;
        text = memory(text_size + get_size + 8);
        memset(stpcpy(stpcpy(text, get), "X-A: "), 'a', text_size - get_size - 5);
        break;
    case kind_pipeline:
        text = memory(pipelined * (get_size + 2) + 1);
        for (int i = 0; i < pipelined; i++) {
            memcpy(text + text_size, get, get_size);
            memcpy(text + text_size + get_size, "\r\n", 2);
            text_size += get_size + 2;
        }
        break;
    case kind_paths: make_paths(); break;
    }
}

// MARK: Connections

static void open_connection(struct connection *connection) {
    *connection = (struct connection){.turn = connection->turn};
    connection->said = text;
    connection->said_size = text_size;
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd < 0) die(71, "socket");
    int result = connect(connection->fd, (struct sockaddr *)&host, sizeof host);
    // Whoever opens so many runs out of ports of this machine: the others go on.
    if (result < 0 && errno != EINPROGRESS && errno != EADDRNOTAVAIL) die(71, "connect");
    struct epoll_event event = {EPOLLOUT, {.ptr = connection}};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, connection->fd, &event) < 0) die(71, "epoll");
    connecting++;
    opened++;
}

static void end(struct connection *connection) {
    // A reset leaves no port behind that waits.
    const struct linger none = {1, 0};
    setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(connection->fd);
    if (!connection->connected) connecting--;
    connection->fd = -1;
    closed++;
}

static void choose_path(struct connection *connection) {
    const unsigned path = connection->turn % path_count;
    connection->said = requests_for[path];
    connection->said_size = sizes_for[path];
    connection->sent = 0;
}

// Sends on, `most` bytes at most. Returns false where the connection has ended.
static bool say(struct connection *connection, size_t most) {
    size_t left = connection->said_size - connection->sent;
    if (left > most) left = most;
    if (left == 0) return true;
    ssize_t sent = send(connection->fd, connection->said + connection->sent, left, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    connection->sent += (size_t)sent;
    if (connection->sent == connection->said_size) requests++;
    return true;
}

static void wait_for(struct connection *connection, uint32_t events) {
    struct epoll_event event = {events, {.ptr = connection}};
    if (epoll_ctl(queue, EPOLL_CTL_MOD, connection->fd, &event) < 0) die(71, "epoll");
}

// An answer to a path, which must say no.
static void check(const struct connection *connection, const char *bytes, size_t size) {
    static const char good[] = "HTTP/1.1 200";
    const unsigned path = connection->turn % path_count;
    if (size < sizeof good - 1 || memcmp(bytes, good, sizeof good - 1) != 0) return;
    if (paths[path].is_page) return;
    fprintf(stderr, "abuse: path %u (%s) was answered with 200\n", path,
            paths[path].path ? paths[path].path : "a long one");
    exit(76);
}

static void receive(struct connection *connection) {
    char bytes[16384];
    ssize_t size = recv(connection->fd, bytes, sizeof bytes, 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
        end(connection);
        return;
    }
    answered++;
    if (kind != kind_paths) return;
    check(connection, bytes, (size_t)size);
    // On a new connection each: what is left of this answer must not be taken for the next.
    connection->turn++;
    end(connection);
}

static uint32_t interest(const struct connection *connection) {
    switch (kind) {
    case kind_pipeline: return connection->sent < connection->said_size ? EPOLLOUT : EPOLLRDHUP;
    case kind_huge: return connection->sent < connection->said_size ? EPOLLOUT | EPOLLIN : EPOLLIN;
    default: return EPOLLIN;
    }
}

static void handle(struct connection *connection, uint32_t events) {
    if (events & (EPOLLERR | EPOLLHUP)) {
        end(connection);
        return;
    }
    if (!connection->connected && (events & EPOLLOUT)) {
        connection->connected = true;
        connecting--;
        if (kind == kind_paths) choose_path(connection);
    }
    if (events & (EPOLLIN | EPOLLRDHUP)) {
        receive(connection);
        return;
    }
    const bool at_length = kind == kind_slow || kind == kind_idle;
    if (!at_length && !say(connection, SIZE_MAX)) {
        end(connection);
        return;
    }
    wait_for(connection, interest(connection));
}

static void say_a_byte_each(void) {
    for (size_t i = 0; i < wanted; i++)
        if (connections[i].fd >= 0 && connections[i].connected && !say(&connections[i], 1))
            end(&connections[i]);
}

static void open_the_closed(void) {
    static size_t next;
    for (size_t i = 0; i < wanted && connecting < connecting_limit; i++) {
        struct connection *connection = &connections[next++ % wanted];
        if (connection->fd < 0) open_connection(connection);
    }
}

static void run(uint64_t hold) {
    uint64_t next_byte = began + second;
    for (uint64_t now = began; now < began + hold; now = monotonic()) {
        open_the_closed();
        if (kind == kind_slow && now >= next_byte) {
            say_a_byte_each();
            next_byte += second;
        }
        struct epoll_event events[256];
        int count = epoll_wait(queue, events, 256, 20);
        if (count < 0 && errno != EINTR) die(71, "epoll");
        for (int i = 0; i < count; i++) handle(events[i].data.ptr, events[i].events);
    }
}

static void parse(int count, char **arguments, uint64_t *hold) {
    static const size_t how_many[] = {5000, 512, 64, 16, 64};
    int known = -1;
    for (int i = 0; i < 5; i++)
        if (count > 1 && !strcmp(arguments[1], names[i])) known = i;
    if (known < 0) refuse();
    kind = (enum kind)known;
    wanted = how_many[kind];
    inet_pton(AF_INET, "127.0.0.1", &host.sin_addr);
    for (int i = 2; i < count; i += 2) {
        if (i + 1 == count) refuse();
        uint64_t value = strtoull(arguments[i + 1], NULL, 10);
        if (!strcmp(arguments[i], "--port")) host.sin_port = htons((uint16_t)value);
        else if (strcmp(arguments[i], "--connections") == 0 && kind == kind_idle) wanted = value;
        else if (!strcmp(arguments[i], "--seconds")) *hold = value * second;
        else if (strcmp(arguments[i], "--connections")) refuse();
    }
    if (!host.sin_port || wanted < 1) refuse();
}

int main(int count, char **arguments) {
    uint64_t hold = 8 * second;
    parse(count, arguments, &hold);
    allow_descriptors();
    stand_back();
    make_text();
    connections = memory(wanted * sizeof *connections);
    for (size_t i = 0; i < wanted; i++)
        connections[i] = (struct connection){.fd = -1, .turn = (unsigned)i};
    queue = epoll_create1(EPOLL_CLOEXEC);
    if (queue < 0) die(71, "epoll");
    fprintf(stderr, "begun\n");
    began = monotonic();
    run(hold);
    printf("{\"began\":%ju,\"ended\":%ju,\"opened\":%zu,\"closed\":%zu,\"requests\":%zu,"
           "\"answered\":%zu}\n",
           (uintmax_t)began, (uintmax_t)monotonic(), opened, closed, requests, answered);
    return 0;
}
