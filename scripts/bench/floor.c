// The least that a caption broadcaster can do: the floor that `beamscribe host` is
// measured against.
//
// Lines on stdin become final `liveChunk` frames in one append-only log; each guest is a cursor
// into it, and send(2) goes straight out of the log. There is no keep-alive, no check of what
// guests say, no partial, no limit, no disk: whatever a real host does beyond this shows as a
// ratio over 1.
//
//     floor [--port N] [--until-eof] [--jsonl] [--web]
//
// Port 0, the default, is any free one. With --jsonl stdin has objects as feeder.c writes them, and
// the newest text of an open line goes to whoever has all finals. With --web it listens at another
// port, too, for browsers: whoever asks there for anything gets the captions as server-sent events,
// in chunks as HTTP/1.1 has them, out of a second log.
//
// It listens on 127.0.0.1 and says so on stderr in the words of the real host.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

const char program[] = "floor";

enum {
    input_size = 1 << 16,             // what a pipe holds: one read takes all that waits
    frame_overhead = 256,             // a final's keys and numbers, generously
    guest_frame_limit = 10485760,     // the wire's own limit
    // What may wait unsent in the kernel for a guest. Without a limit each of many late joiners has
    // megabytes there, which have left the caches when they are read: twice the time for all.
    unsent = 128 << 10,
};
// Address space only: pages come as the log grows into them, and it never moves.
static const size_t log_reserve = (size_t)16 << 30;

struct guest {
    size_t cursor;              // what of the log the kernel has taken
    uint32_t received;          // bytes of the first frame so far
    unsigned char length[4];    // its length prefix
    bool phone;                 // it reads server-sent events
    unsigned char asked;        // how much of an empty line has come, which ends what it asks
    bool accepted;              // its first frame was answered: the log is owed
    bool blocked;               // the kernel's buffer is full; EPOLLOUT will say when it is not
};

static struct guest *guests;    // by descriptor
static int highest;             // the highest descriptor a guest has had
static char *log_bytes;
static size_t log_end;
static char *web_bytes;         // the same as events in chunks; NULL without --web
static size_t web_end;
static uint64_t last_seq;
static int queue;
static char session[37];

// A line as a JSON string's content. Captions hardly ever need an escape: copy byte by byte.
static char *put_text(char *to, const char *from, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)from[i];
        if (byte < 0x20) {
            to += sprintf(to, "\\u%04x", byte);
        } else {
            if (byte == '"' || byte == '\\') *to++ = '\\';
            *to++ = (char)byte;
        }
    }
    return to;
}

static void put_length(char *frame, const char *end) {
    uint32_t length = htobe32((uint32_t)(end - frame - 4));
    memcpy(frame, &length, 4);
}

// A packet as a chunk (RFC 9112, section 7.1) with one event. Its size stands before it, in as many
// digits each time. What the event's name says is left out, as the host does.
static char *put_event(char *chunk, uint64_t seq, const char *packet, size_t size) {
    char *to = chunk + 6, digits[8];
    const size_t told = seq ? sizeof "{\"type\":\"liveChunk\",\"isFinal\":true," - 1
                            : sizeof "{\"type\":\"liveChunk\",\"isFinal\":false," - 1;
    if (seq) {
        to = put(to, "id: ");
        to = put_number(to, seq);
        *to++ = '\n';
    } else {
        to = put(to, "event: partial\n");
    }
    to = put(to, "data: {");
    memcpy(to, packet + told, size - told);
    to = put(to + size - told, "\n\n");
    sprintf(digits, "%04x\r\n", (unsigned)(to - chunk - 6));
    memcpy(chunk, digits, 6);
    return put(to, "\r\n");
}

// `time` is written once for all lines of one read: they came at the same moment.
static void append(const char *line, size_t size, const char *time) {
    if (log_end + frame_overhead + 6 * size > log_reserve) {
        errno = ENOMEM;
        die(71, "the log is full");
    }
    char *frame = log_bytes + log_end, *to = frame + 4;
    last_seq++;
    to = put(to, "{\"type\":\"liveChunk\",\"isFinal\":true,\"seq\":");
    to = put_number(to, last_seq);
    to = put(to, ",\"line\":\"l-");
    to = put_number(to, last_seq);
    to = put(to, "\",\"text\":\"");
    to = put_text(to, line, size);
    to = put(to, "\",\"sentTimestamp\":");
    to = put(to, time);
    *to++ = '}';
    put_length(frame, to);
    log_end = (size_t)(to - log_bytes);
    if (!web_bytes) return;
    to = put_event(web_bytes + web_end, last_seq, frame + 4, (size_t)(to - frame - 4));
    web_end = (size_t)(to - web_bytes);
}

static void leave(int fd) {
    close(fd);
    guests[fd] = (struct guest){0};
}

// One send takes as much as the kernel has room for. Less than all of it means "full", and the
// kernel then raises EPOLLOUT when there is room (the sockets are edge-triggered).
static void push(int fd) {
    struct guest *guest = &guests[fd];
    const size_t end = guest->phone ? web_end : log_end, owed = end - guest->cursor;
    const char *bytes = guest->phone ? web_bytes : log_bytes;
    if (!guest->accepted || guest->blocked || owed == 0) return;
    ssize_t sent = send(fd, bytes + guest->cursor, owed, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
        leave(fd);
        return;
    }
    if (sent > 0) guest->cursor += (size_t)sent;
    guest->blocked = guest->cursor < end;
}

// The newest text of the line that is open, for whoever has all finals. It is kept for nobody.
static void give_partial(const char *line, size_t size, const char *time) {
    static char frame[4 + frame_overhead + 6 * input_size], event[sizeof frame + 64];
    char *to = put(frame + 4, "{\"type\":\"liveChunk\",\"isFinal\":false,\"line\":\"l-");
    to = put_number(to, last_seq + 1);
    to = put(to, "\",\"text\":\"");
    to = put_text(to, line, size);
    to = put(to, "\",\"sentTimestamp\":");
    to = put(to, time);
    *to++ = '}';
    put_length(frame, to);
    const size_t framed = (size_t)(to - frame);
    size_t chunked = 0;
    if (web_bytes) chunked = (size_t)(put_event(event, 0, frame + 4, framed - 4) - event);
    for (int fd = 0; fd <= highest; fd++) {
        const struct guest *guest = &guests[fd];
        push(fd);
        if (!guest->accepted || guest->blocked) continue;
        // Its buffer is as good as empty. Where half of it should not fit, the reader goes.
        const size_t whole = guest->phone ? chunked : framed;
        ssize_t sent = send(fd, guest->phone ? event : frame, whole, MSG_NOSIGNAL);
        if (sent > 0 && (size_t)sent < whole) leave(fd);
    }
}

// A line of stdin: text, or an object as the feeder writes it, whose text needs no escapes.
static void take_line(const char *line, size_t size, const char *time, bool has_objects) {
    static const char head[] = "{\"text\":\"", open[] = "\",\"final\":false";
    if (!has_objects) {
        append(line, size, time);
        return;
    }
    const char *text = line + sizeof head - 1, *end;
    if (size < sizeof head || memcmp(line, head, sizeof head - 1) != 0) return;
    end = memchr(text, '"', size - sizeof head + 1);
    if (!end) return;
    const size_t left = size - (size_t)(end - line);
    if (left >= sizeof open - 1 && memcmp(end, open, sizeof open - 1) == 0)
        give_partial(text, (size_t)(end - text), time);
    else
        append(text, (size_t)(end - text), time);
}

// The first two frames. The socket is new, so its buffer takes them whole.
static void greet(int fd) {
    char frames[1024];
    char *first = frames, *end, *next;
    end = first + 4;
    end += sprintf(end, "{\"type\":\"handshake_response\",\"status\":\"accepted\",\"protocol\":1,"
                   "\"session\":\"%s\",\"eventName\":\"floor\",\"deviceName\":\"floor\","
                   "\"firstSeq\":1,\"lastSeq\":%ju,\"keepAliveInterval\":2.0}",
                   session, (uintmax_t)last_seq);
    put_length(first, end);
    next = end;
    end += 4;
    end += sprintf(end, "{\"type\":\"fullHistory\",\"session\":\"%s\",\"from\":1,"
                   "\"through\":%ju,\"count\":%ju}",
                   session, (uintmax_t)last_seq, (uintmax_t)last_seq);
    put_length(next, end);
    if (send(fd, frames, (size_t)(end - frames), MSG_NOSIGNAL) != end - frames) {
        leave(fd);
        return;
    }
    guests[fd].accepted = true;
}

// What a browser is told first, once it has asked. The socket is new, too.
static void answer(int fd) {
    char hello[400], text[600];
    int size = sprintf(hello, "retry: 1000\n\nevent: hello\ndata: {\"session\":\"%s\",\"runs\":[0],"
                       "\"firstSeq\":1,\"lastSeq\":%ju}\n\n", session, (uintmax_t)last_seq);
    int all = sprintf(text, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n%04x\r\n%s\r\n", (unsigned)size, hello);
    if (send(fd, text, (size_t)all, MSG_NOSIGNAL) == all) guests[fd].accepted = true;
    else leave(fd);
}

// Whether the empty line that ends a request has come with these bytes.
static bool request_is_whole(struct guest *guest, const char *bytes, size_t size) {
    static const char empty_line[] = "\r\n\r\n";
    for (size_t i = 0; i < size && guest->asked < 4; i++) {
        if (bytes[i] == empty_line[guest->asked]) guest->asked++;
        else guest->asked = bytes[i] == '\r';
    }
    return guest->asked == 4;
}

// Counts the guest's bytes until its first frame is whole. What it holds does not matter here.
static bool first_frame_is_whole(struct guest *guest, const char *bytes, size_t size) {
    for (size_t i = 0; i < size && guest->received + i < 4; i++)
        guest->length[guest->received + i] = (unsigned char)bytes[i];
    guest->received += (uint32_t)size;
    if (guest->received < 4) return false;
    uint32_t length;
    memcpy(&length, guest->length, 4);
    length = be32toh(length);
    return length <= guest_frame_limit && guest->received >= 4 + length;
}

static void receive(int fd) {
    char bytes[4096];
    ssize_t size;
    do {
        size = recv(fd, bytes, sizeof bytes, 0);
        if (size == 0 || (size < 0 && errno != EAGAIN)) {
            leave(fd);
            return;
        }
        if (size <= 0 || guests[fd].accepted) continue;
        if (guests[fd].phone) {
            if (!request_is_whole(&guests[fd], bytes, (size_t)size)) continue;
            answer(fd);
        } else {
            if (!first_frame_is_whole(&guests[fd], bytes, (size_t)size)) continue;
            greet(fd);
        }
        if (!guests[fd].accepted) return;
    } while (size == sizeof bytes);    // a shorter one emptied the socket
}

static void accept_guests(int listener, bool phones) {
    const int on = 1, waiting = unsent;
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct epoll_event event = {EPOLLIN | EPOLLOUT | EPOLLET, {.fd = fd}};
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &waiting, sizeof waiting);
        guests[fd] = (struct guest){.phone = phones};
        if (fd > highest) highest = fd;
        if (epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event) < 0) die(71, "epoll");
    }
    if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) die(71, "accept");
}

// Takes what is waiting on stdin into the log. Returns false at its end.
static bool read_input(bool has_objects) {
    static char input[input_size];
    static size_t kept;    // the start of a line whose end has not come
    ssize_t size = read(STDIN_FILENO, input + kept, sizeof input - kept);
    if (size < 0) {
        if (errno == EINTR || errno == EAGAIN) return true;
        die(71, "stdin");
    }
    struct timespec now;
    char time[40], *line = input, *end = input + kept + size, *newline;
    clock_gettime(CLOCK_REALTIME, &now);
    sprintf(time, "%jd.%06ld", (intmax_t)now.tv_sec, now.tv_nsec / 1000);
    while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
        take_line(line, (size_t)(newline - line), time, has_objects);
        line = newline + 1;
    }
    kept = (size_t)(end - line);
    // A last line without a newline, or one as long as the buffer, counts as a line.
    if (kept > 0 && (size == 0 || kept == sizeof input)) {
        take_line(line, kept, time, has_objects);
        kept = 0;
    }
    memmove(input, line, kept);
    return size > 0;
}

static int listen_on(uint16_t port, const char *says) {
    const int on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) die(71, "socket");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0
        || listen(listener, SOMAXCONN) < 0
        || getsockname(listener, (struct sockaddr *)&address, &size) < 0)
        die(71, "listen");
    fprintf(stderr, "%s127.0.0.1:%d\n", says, ntohs(address.sin_port));
    return listener;
}

static char *reserve_log(void) {
    char *bytes = mmap(NULL, log_reserve, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED) die(71, "memory");
    return bytes;
}

static bool everybody_has_everything(void) {
    for (int fd = 0; fd <= highest; fd++)
        if (guests[fd].accepted
            && guests[fd].cursor < (guests[fd].phone ? web_end : log_end)) return false;
    return true;
}

int main(int count, char **arguments) {
    long port = 0;
    bool until_eof = false, has_objects = false, web = false;
    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--until-eof")) {
            until_eof = true;
        } else if (!strcmp(arguments[i], "--jsonl")) {
            has_objects = true;
        } else if (!strcmp(arguments[i], "--web")) {
            web = true;
        } else if (!strcmp(arguments[i], "--port") && i + 1 < count) {
            port = strtol(arguments[++i], NULL, 10);
        } else {
            fprintf(stderr, "usage: floor [--port N] [--until-eof] [--jsonl] [--web]\n");
            return 64;
        }
    }

    guests = calloc(allow_descriptors(), sizeof *guests);
    log_bytes = reserve_log();
    if (web) web_bytes = reserve_log();
    if (!guests) die(71, "memory");

    if (!make_id(session)) die(71, "getrandom");
    int listener = listen_on((uint16_t)port, "beamscribe join --host ");
    int web_listener = web ? listen_on(0, "Phones: http://") : -1;
    queue = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event on_listener = {EPOLLIN, {.fd = listener}};
    struct epoll_event on_web_listener = {EPOLLIN, {.fd = web_listener}};
    struct epoll_event on_input = {EPOLLIN, {.fd = STDIN_FILENO}};
    if (queue < 0 || epoll_ctl(queue, EPOLL_CTL_ADD, listener, &on_listener) < 0) die(71, "epoll");
    if (web && epoll_ctl(queue, EPOLL_CTL_ADD, web_listener, &on_web_listener) < 0)
        die(71, "epoll");
    // A plain file cannot be waited for; it can always be read.
    bool reading = true;
    bool input_is_file = epoll_ctl(queue, EPOLL_CTL_ADD, STDIN_FILENO, &on_input) < 0;
    if (input_is_file && errno != EPERM) die(71, "epoll");

    while (!(until_eof && !reading && everybody_has_everything())) {
        struct epoll_event events[256];
        bool readable = reading && input_is_file;
        int ready = epoll_wait(queue, events, 256, readable ? 0 : -1);
        if (ready < 0 && errno != EINTR) die(71, "epoll");
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd == listener || fd == web_listener) {
                accept_guests(fd, fd == web_listener);
            } else if (fd == STDIN_FILENO) {
                readable = true;
            } else {
                if (events[i].events & EPOLLOUT) guests[fd].blocked = false;
                if (events[i].events & ~(uint32_t)EPOLLOUT) receive(fd);
                push(fd);
            }
        }
        if (!readable) continue;
        reading = read_input(has_objects);
        if (!reading && !input_is_file) epoll_ctl(queue, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
        for (int fd = 0; fd <= highest; fd++) push(fd);
    }
    return 0;
}
