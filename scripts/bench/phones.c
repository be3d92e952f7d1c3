// Many browsers in one process, to load and measure what a caption host serves by HTTP: the event
// stream of docs/WEB.md.
//
//     phones MODE --port PORT [options]
//
//     live      follows captions until every phone has --until SEQ; measures the way of each final,
//               and of each partial that comes, to each phone
//     history   comes late and is done when every phone has --until SEQ; measures the time
//     idle      comes and stays for --seconds once all are in
//
//     --host ADDRESS      numeric IPv4; default 127.0.0.1
//     --phones N          default 1
//     --after SEQ         has every final up to that, and says so as Last-Event-ID
//     --at-once N         phones on their way at once; default 100
//     --spread S          opens the connections evenly over that long, not as fast as they are
//                         taken
//     --retry             a connection that ends, or is answered with other than 200, before its
//                         phone is in is made again after a second, as the page does
//     --foreign           the server is another one: its stream needs no chunks and no `hello`, and a
//                         final's number is that of its line
//     --samples FILE      writes each final's latency there: the line's stamp and the time it took,
//                         in ns, as two 64-bit integers of this machine
//     --deadline S        gives up after that long; default 120
//
// stderr says "ready" once every phone is live (it has all finals that there were when it came);
// stdout gets one JSON object at the end. Its latencies are in ms. "p50", "p99" and "max" are from
// the feeder's stamp in the text, as swarm.c has them, "partialP50" and so on the same of partials;
// "sentP99" and "partialSentP99" from the packet's `sentTimestamp` by the wall clock. They count
// what was stamped once all were live, and so does "bytesLive" of "bytes".
//
// What each phone gets must be HTTP/1.1 in chunks, and events: `hello` first, ids one by one from
// the first wanted, each once and that of its packet, partials only of lines that are not done, no
// gap, no end.
//
// Exit codes: 0 all well, 64 usage, 71 the system refused, 75 a connection was refused or lost,
// 76 the host broke the protocol, 124 the deadline passed.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

const char program[] = "phones";

enum {
    read_size = 1 << 18,       // one read
    head_limit = 1 << 14,      // no answer's header is longer
    event_limit = 1 << 20,     // no event is longer
    phones_at_once = 100,      // less than any listen queue
};

enum mode { mode_live, mode_history, mode_idle };
enum state { state_new, state_waiting, state_connecting, state_asking, state_reading };
// Where in the chunks the next byte is: RFC 9112, section 7.1.
enum place { place_size, place_extension, place_size_end, place_data, place_data_end_1,
             place_data_end_2 };

struct phone {
    int fd;
    enum state state;
    enum place place;
    uint64_t left;           // of the chunk that is being read; while its size is: the size so far
    uint64_t due;            // when to try again
    uint64_t opened;         // when its first connection was
    bool ready, done;        // counted as such
    bool greeted;            // `hello` came
    uint64_t through;        // the newest final by then
    uint64_t seq;            // the last final
    char *rest;              // an event's, or the header's, beginning whose end has not come
    size_t rest_size, rest_room;
};

static enum mode mode;
static struct phone *phones;
static size_t phone_count = 1, opened, connecting, ready_count, done_count, waiting, retries;
static size_t at_once = phones_at_once;
static bool retrying, foreign;
static const char *samples_file;
static struct sockaddr_in host = {.sin_family = AF_INET};
static uint64_t until_seq, after_seq, hold_time, spread, slowest;
static int queue;

static uint64_t start_time, ready_time, first_connect, end_time, deadline;
static uint64_t bytes_received, bytes_ready, finals, partials, beats, alerts;
static struct samples final_samples, partial_samples, final_sent, partial_sent;

// MARK: The end

static void print_latencies(void) {
    sort_samples(&final_samples);
    sort_samples(&partial_samples);
    sort_samples(&final_sent);
    sort_samples(&partial_sent);
    print_samples(&final_samples);
    printf(",\"sentP50\":%.3f,\"sentP99\":%.3f,\"sentMax\":%.3f",
           percentile_ms(&final_sent, 0.50), percentile_ms(&final_sent, 0.99),
           percentile_ms(&final_sent, 1));
    printf(",\"partialCount\":%zu,\"partialP50\":%.3f,\"partialP99\":%.3f,\"partialMax\":%.3f,"
           "\"partialSentP99\":%.3f",
           partial_samples.count, percentile_ms(&partial_samples, 0.50),
           percentile_ms(&partial_samples, 0.99), percentile_ms(&partial_samples, 1),
           percentile_ms(&partial_sent, 0.99));
}

// Prints the JSON object and ends. `problem` is NULL when all went well.
static void finish(int code, const char *problem) {
    static const char *const names[] = {"live", "history", "idle"};
    if (!end_time) end_time = monotonic();
    const double cpu = own_cpu();
    const uint64_t begun = first_connect ? first_connect : start_time;
    write_samples(&final_samples, samples_file);
    printf("{\"mode\":\"%s\",\"ok\":%s,\"phones\":%zu,\"ready\":%zu,\"done\":%zu,"
           "\"finals\":%ju,\"finalsEach\":%.2f,\"partials\":%ju,\"beats\":%ju,\"alerts\":%ju,"
           "\"bytes\":%ju,\"bytesLive\":%ju,\"phonesCPU\":%.3f,\"retries\":%zu,\"slowest\":%.6f,"
           "\"readySeconds\":%.6f,\"seconds\":%.6f",
           names[mode], code ? "false" : "true", phone_count, ready_count, done_count,
           (uintmax_t)finals, (double)finals / (double)phone_count, (uintmax_t)partials,
           (uintmax_t)beats, (uintmax_t)alerts, (uintmax_t)bytes_received,
           (uintmax_t)(ready_time ? bytes_received - bytes_ready : 0), cpu, retries,
           seconds(slowest), ready_time ? seconds(ready_time - begun) : 0,
           seconds(end_time - begun));
    if (mode == mode_live) print_latencies();
    if (problem) printf(",\"problem\":\"%s\"", problem);
    printf("}\n");
    exit(code);
}

// `phone` is NULL where no single one is meant.
__attribute__((format(printf, 3, 4), noreturn))
static void fail(int code, const struct phone *phone, const char *format, ...) {
    char what[400], line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (phone)
        snprintf(line, sizeof line, "phone %td (last id %ju): %s", phone - phones,
                 (uintmax_t)phone->seq, what);
    else
        snprintf(line, sizeof line, "%s", what);
    soften(line);
    fprintf(stderr, "phones: %s\n", line);
    finish(code, line);
    abort();
}

// MARK: Connections

static void open_connection(struct phone *phone) {
    const int on = 1;
    phone->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (phone->fd < 0) fail(71, phone, "socket: %s", strerror(errno));
    setsockopt(phone->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!phone->opened) {
        phone->opened = monotonic();
        phone->seq = after_seq;
    }
    if (!first_connect) first_connect = phone->opened;
    if (connect(phone->fd, (struct sockaddr *)&host, sizeof host) < 0 && errno != EINPROGRESS)
        fail(75, phone, "connecting: %s", strerror(errno));
    struct epoll_event event = {EPOLLOUT, {.ptr = phone}};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, phone->fd, &event) < 0) fail(71, phone, "epoll");
    phone->state = state_connecting;
    phone->place = place_size;
    phone->left = 0;
    connecting++;
}

// A connection has ended: that fails the measurement, or is tried again where that was asked for
// and the phone was not in yet.
static void lose(struct phone *phone, const char *why) {
    if (!retrying || phone->state == state_reading) fail(75, phone, "%s", why);
    close(phone->fd);
    phone->rest_size = 0;
    phone->due = monotonic() + (uint64_t)(1e9 * (0.9 + 0.2 * drand48()));
    phone->state = state_waiting;
    connecting--;
    waiting++;
    retries++;
}

static void open_due_connections(uint64_t now) {
    for (size_t i = 0; waiting > 0 && i < opened; i++) {
        if (phones[i].state != state_waiting || phones[i].due > now) continue;
        waiting--;
        open_connection(&phones[i]);
    }
}

// What a phone's browser says.
static void ask(struct phone *phone) {
    char request[1024], last[60] = "";
    if (after_seq) sprintf(last, "Last-Event-ID: %ju\r\n", (uintmax_t)after_seq);
    int size = sprintf(
        request,
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: keep-alive\r\n"
        "User-Agent: Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like "
        "Gecko) Chrome/142.0.0.0 Mobile Safari/537.36\r\nAccept: text/event-stream\r\n"
        "Cache-Control: no-cache\r\nReferer: http://127.0.0.1:%d/\r\n"
        "Accept-Encoding: gzip, deflate\r\nAccept-Language: en-GB,en-US;q=0.9,en;q=0.8\r\n"
        "%s\r\n", ntohs(host.sin_port), ntohs(host.sin_port), last);
    phone->state = state_asking;
    // The socket is new, so that the kernel has room. Where it has ended, reading tells why.
    send(phone->fd, request, (size_t)size, MSG_NOSIGNAL);
    struct epoll_event event = {EPOLLIN, {.ptr = phone}};
    if (epoll_ctl(queue, EPOLL_CTL_MOD, phone->fd, &event) < 0) fail(71, phone, "epoll");
}

// MARK: What was reached

static void count_ready(struct phone *phone) {
    if (phone->ready || !phone->greeted || phone->seq < phone->through) return;
    phone->ready = true;
    if (++ready_count < phone_count) return;
    ready_time = monotonic();
    bytes_ready = bytes_received;
    fprintf(stderr, "ready\n");
}

static void count_done(struct phone *phone) {
    if (phone->done || !until_seq || phone->seq < until_seq) return;
    phone->done = true;
    done_count++;
    uint64_t took = monotonic() - phone->opened;
    if (took > slowest) slowest = took;
}

// MARK: Events

struct text { const char *at, *end; };

static bool begins_with(struct text text, const char *word) {
    size_t size = strlen(word);
    return (size_t)(text.end - text.at) >= size && memcmp(text.at, word, size) == 0;
}

// The value of `key`, given with quotes and colon; NULL where there is none. In a string a quote
// has a backslash before it, so that this is a key wherever it stands.
static const char *value_of(struct text json, const char *key) {
    size_t size = strlen(key);
    const char *at = memmem(json.at, (size_t)(json.end - json.at), key, size);
    return at ? at + size : NULL;
}

static uint64_t number_in(const struct phone *phone, struct text json, const char *key) {
    uint64_t found;
    const char *at = value_of(json, key);
    if (!at || !number(&at, json.end, &found))
        fail(76, phone, "no %s in %.*s", key, (int)(json.end - json.at), json.at);
    return found;
}

// What the feeder wrote into the text: when, and of which line. False where it is another's text.
static bool feeder_stamp(struct text json, uint64_t *stamp, uint64_t *line) {
    const char *at = value_of(json, "\"text\":\"");
    if (!at || at == json.end || *at++ != 'T' || !number(&at, json.end, stamp)) return false;
    if (!begins_with((struct text){at, json.end}, " n")) return false;
    at += 2;
    return number(&at, json.end, line);
}

static uint64_t line_number(const struct phone *phone, struct text json) {
    uint64_t stamp, line;
    if (!feeder_stamp(json, &stamp, &line))
        fail(76, phone, "no line of the feeder: %.*s", (int)(json.end - json.at), json.at);
    return line;
}

static uint64_t sent_time(struct text json) {
    const char *at = value_of(json, "\"sentTimestamp\":");
    uint64_t whole, part = 0, unit = second;
    if (!at || !number(&at, json.end, &whole)) return 0;
    if (at < json.end && *at == '.')
        for (at++; at < json.end && *at >= '0' && *at <= '9' && unit > 1; at++) {
            unit /= 10;
            part += (uint64_t)(*at - '0') * unit;
        }
    return whole * second + part;
}

static void measure(struct text json, uint64_t stamp, uint64_t now, struct samples *by_feeder,
                    struct samples *by_host) {
    if (mode != mode_live || !ready_time || stamp < ready_time) return;
    // Both clocks are read now, and what passed since `now` is little but not nothing.
    const uint64_t wall = clock_of(CLOCK_REALTIME) - since(now, monotonic());
    if (!add_sample(by_feeder, stamp, since(stamp, now))
        || !add_sample(by_host, stamp, since(sent_time(json), wall)))
        fail(71, NULL, "out of memory");
}

static void take_final(struct phone *phone, uint64_t id, struct text json, uint64_t now) {
    if (id != phone->seq + 1)
        fail(76, phone, "final %ju came where %ju was due", (uintmax_t)id,
             (uintmax_t)phone->seq + 1);
    phone->seq = id;
    finals++;
    count_ready(phone);
    count_done(phone);
    // Of a long history every 16th shows a shift or a swap, too.
    if (mode != mode_live && id % 16 != 0) return;
    uint64_t stamp, line;
    if (!foreign && number_in(phone, json, "\"seq\":") != id)
        fail(76, phone, "id %ju has another packet", (uintmax_t)id);
    if (!feeder_stamp(json, &stamp, &line)) return;
    if (line != id) fail(76, phone, "final %ju holds line %ju", (uintmax_t)id, (uintmax_t)line);
    measure(json, stamp, now, &final_samples, &final_sent);
}

static void take_partial(struct phone *phone, struct text json, uint64_t now) {
    uint64_t stamp, line;
    partials++;
    if (!feeder_stamp(json, &stamp, &line)) return;
    if (line <= phone->seq)
        fail(76, phone, "a partial of line %ju, which is done", (uintmax_t)line);
    measure(json, stamp, now, &partial_samples, &partial_sent);
}

static void take_named(struct phone *phone, struct text name, struct text json, uint64_t now) {
    if (begins_with(name, "partial")) {
        take_partial(phone, json, now);
    } else if (begins_with(name, "hello")) {
        phone->greeted = true;
        phone->through = number_in(phone, json, "\"lastSeq\":");
        count_ready(phone);
    } else if (begins_with(name, "beat")) {
        beats++;
    } else if (begins_with(name, "alert")) {
        alerts++;
        if (memmem(json.at, (size_t)(json.end - json.at), "\"ended\"", 7)
            || memmem(json.at, (size_t)(json.end - json.at), "\"host_disconnected\"", 19))
            fail(75, phone, "the host went away");
    } else {
        fail(76, phone, "event %.*s", (int)(name.end - name.at), name.at);
    }
}

// One event, without the empty line that ends it.
static void take_event(struct phone *phone, struct text event, uint64_t now) {
    struct text name = {0}, data = {0};
    uint64_t id = 0;
    for (const char *at = event.at; at < event.end;) {
        const char *end = memchr(at, '\n', (size_t)(event.end - at));
        if (!end) end = event.end;
        const struct text line = {at, end};
        if (begins_with(line, "data: ")) data = (struct text){at + 6, end};
        else if (begins_with(line, "event: ")) name = (struct text){at + 7, end};
        else if (begins_with(line, "id: ")) at += 4, number(&at, end, &id);
        else if (!begins_with(line, "retry: ") && !begins_with(line, ":"))
            fail(76, phone, "a line of an event: %.*s", (int)(end - at), at);
        at = end + 1;
    }
    if (!data.at) return;    // it only says when to retry
    if (!phone->greeted && !(name.at && begins_with(name, "hello")))
        fail(76, phone, "something came before `hello`");
    if (name.at) take_named(phone, name, data, now);
    else take_final(phone, foreign ? line_number(phone, data) : id, data, now);
}

// Takes the events that end in `text`. Returns where the first that does not begins.
static const char *take_events(struct phone *phone, struct text text, uint64_t now) {
    const char *end;
    while ((end = memmem(text.at, (size_t)(text.end - text.at), "\n\n", 2))) {
        take_event(phone, (struct text){text.at, end}, now);
        text.at = end + 2;
    }
    return text.at;
}

static void keep(struct phone *phone, struct text text) {
    const size_t size = (size_t)(text.end - text.at), whole = phone->rest_size + size;
    if (whole > phone->rest_room) {
        phone->rest_room = whole;
        phone->rest = realloc(phone->rest, whole);
        if (!phone->rest) fail(71, phone, "out of memory");
    }
    memcpy(phone->rest + phone->rest_size, text.at, size);
    phone->rest_size = whole;
}

// What a chunk holds, or a piece of it. Events know nothing of chunks.
static void take_data(struct phone *phone, struct text text, uint64_t now) {
    if (phone->rest_size == 0) {
        text.at = take_events(phone, text, now);
        if (text.at < text.end) keep(phone, text);
        return;
    }
    keep(phone, text);
    const char *end = phone->rest + phone->rest_size;
    const char *left = take_events(phone, (struct text){phone->rest, end}, now);
    phone->rest_size = (size_t)(end - left);
    if (phone->rest_size > event_limit) fail(76, phone, "an event without an end");
    memmove(phone->rest, left, phone->rest_size);
}

// MARK: Chunks

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void begin_data(struct phone *phone) {
    if (phone->left == 0) fail(75, phone, "the host ended the stream");
    phone->place = place_data;
}

static void take_chunks(struct phone *phone, struct text text, uint64_t now) {
    while (text.at < text.end) {
        if (phone->place == place_data) {
            const uint64_t there = (uint64_t)(text.end - text.at);
            const uint64_t size = there < phone->left ? there : phone->left;
            take_data(phone, (struct text){text.at, text.at + size}, now);
            text.at += size;
            phone->left -= size;
            if (phone->left == 0) phone->place = place_data_end_1;
            continue;
        }
        const char c = *text.at++;
        const int digit = hex_digit(c);
        switch (phone->place) {
        case place_size:
            if (digit >= 0) phone->left = phone->left << 4 | (uint64_t)digit;
            else if (c == ';') phone->place = place_extension;
            else if (c == '\r') phone->place = place_size_end;
            else fail(76, phone, "a chunk's size with byte %d", c);
            if (phone->left > UINT32_MAX) fail(76, phone, "a chunk of too many bytes");
            break;
        case place_extension:
            if (c == '\r') phone->place = place_size_end;
            break;
        case place_size_end:
            if (c != '\n') fail(76, phone, "no line's end behind a chunk's size");
            begin_data(phone);
            break;
        case place_data_end_1:
            if (c != '\r') fail(76, phone, "a chunk that is longer than it says");
            phone->place = place_data_end_2;
            break;
        case place_data_end_2:
            if (c != '\n') fail(76, phone, "a chunk that is longer than it says");
            phone->place = place_size;
            break;
        case place_data: break;    // above
        }
    }
}

static void take_body(struct phone *phone, struct text text, uint64_t now) {
    if (foreign) take_data(phone, text, now);
    else take_chunks(phone, text, now);
}

// MARK: The answer's header

static bool has_field(struct text head, const char *line) {
    const size_t size = strlen(line);
    for (const char *at = head.at; (at = memmem(at, (size_t)(head.end - at), "\r\n", 2));) {
        at += 2;
        if ((size_t)(head.end - at) >= size && strncasecmp(at, line, size) == 0) return true;
    }
    return false;
}

// Returns where the body begins, or NULL where the header has not ended.
static const char *take_head(struct phone *phone, struct text text) {
    const char *end = memmem(text.at, (size_t)(text.end - text.at), "\r\n\r\n", 4);
    if (!end) {
        if (text.end - text.at > head_limit) fail(76, phone, "a header without an end");
        return NULL;
    }
    const struct text head = {text.at, end};
    if (!begins_with(head, "HTTP/1.1 200 ")) {
        char why[80];
        snprintf(why, sizeof why, "answered with %.40s", text.at);
        lose(phone, why);
        return NULL;
    }
    if ((!foreign && !has_field(head, "transfer-encoding: chunked"))
        || !has_field(head, "content-type: text/event-stream"))
        fail(76, phone, "not a stream of events in chunks: %.*s", (int)(end - text.at), text.at);
    phone->state = state_reading;
    connecting--;
    if (foreign) {
        phone->greeted = true;
        count_ready(phone);
    }
    return end + 4;
}

static void take_answer(struct phone *phone, struct text text, uint64_t now) {
    keep(phone, text);
    const struct text all = {phone->rest, phone->rest + phone->rest_size};
    const char *body = take_head(phone, all);
    if (!body) return;
    // The rest's memory is where the body's events will be kept: they are copied out first.
    const size_t size = (size_t)(all.end - body);
    char *copy = malloc(size + 1);
    if (!copy) fail(71, phone, "out of memory");
    memcpy(copy, body, size);
    phone->rest_size = 0;
    take_body(phone, (struct text){copy, copy + size}, now);
    free(copy);
}

// MARK: The loop

static void receive(struct phone *phone) {
    static char buffer[read_size];
    ssize_t size = recv(phone->fd, buffer, sizeof buffer, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
        lose(phone, size ? strerror(errno) : "the host closed the connection");
        return;
    }
    const uint64_t now = monotonic();
    bytes_received += (uint64_t)size;
    const struct text text = {buffer, buffer + size};
    if (phone->state == state_reading) take_body(phone, text, now);
    else take_answer(phone, text, now);
}

static void handle(struct phone *phone, uint32_t events) {
    if (phone->state == state_connecting) {
        const int error = connect_error(phone->fd);
        if (error) lose(phone, strerror(error));
        else if (events & EPOLLOUT) ask(phone);
        return;
    }
    receive(phone);
}

static bool is_over(uint64_t now) {
    if (mode == mode_idle) return ready_time && now >= ready_time + hold_time;
    return done_count == phone_count;
}

static void run(void) {
    const uint64_t tick = second / 20;
    uint64_t next_tick = start_time + tick;
    for (;;) {
        uint64_t now = monotonic();
        while (opened < phone_count && connecting < at_once
               && now >= start_time + opened * spread / phone_count)
            open_connection(&phones[opened++]);
        if (now >= next_tick) {
            open_due_connections(now);
            next_tick = now + tick;
        }
        if (is_over(now)) return;
        if (now > deadline)
            fail(124, NULL, "deadline: %zu of %zu phones ready, %zu done", ready_count,
                 phone_count, done_count);
        struct epoll_event events[512];
        int timeout = (int)((next_tick - now) / 1000000 + 1);
        int count = epoll_wait(queue, events, 512, timeout);
        if (count < 0 && errno != EINTR) fail(71, NULL, "epoll: %s", strerror(errno));
        // A phone has one connection, and so one event a time: what handling it closes is over.
        for (int i = 0; i < count; i++) handle(events[i].data.ptr, events[i].events);
    }
}

// MARK: Command line

static void parse(int count, char **arguments) {
    static const char *const names[] = {"live", "history", "idle"};
    double hold = 0, limit = 120;
    int known = -1;
    inet_pton(AF_INET, "127.0.0.1", &host.sin_addr);
    for (int i = 0; i < 3; i++)
        if (count > 1 && !strcmp(arguments[1], names[i])) known = i;
    if (known < 0) usage("unknown mode ", count > 1 ? arguments[1] : "");
    mode = (enum mode)known;
    for (int i = 2; i < count; i += 2) {
        const char *option = arguments[i];
        if (!strcmp(option, "--retry")) {
            retrying = true;
            i--;    // it has no value
            continue;
        }
        if (!strcmp(option, "--foreign")) {
            foreign = true;
            i--;
            continue;
        }
        if (i + 1 == count) usage("no value for ", option);
        const char *value = arguments[i + 1];
        if (!strcmp(option, "--host")) {
            if (inet_pton(AF_INET, value, &host.sin_addr) != 1) usage("not an address: ", value);
        } else if (!strcmp(option, "--samples")) {
            samples_file = value;
        } else if (!strcmp(option, "--port")) {
            host.sin_port = htons((uint16_t)number_of(value, option));
        } else if (!strcmp(option, "--phones")) {
            phone_count = (size_t)number_of(value, option);
        } else if (!strcmp(option, "--until")) {
            until_seq = (uint64_t)number_of(value, option);
        } else if (!strcmp(option, "--after")) {
            after_seq = (uint64_t)number_of(value, option);
        } else if (!strcmp(option, "--seconds")) {
            hold = number_of(value, option);
        } else if (!strcmp(option, "--at-once")) {
            at_once = (size_t)number_of(value, option);
        } else if (!strcmp(option, "--spread")) {
            spread = (uint64_t)(number_of(value, option) * 1e9);
        } else if (!strcmp(option, "--deadline")) {
            limit = number_of(value, option);
        } else {
            usage("unknown option ", option);
        }
    }
    if (!host.sin_port) usage("--port is missing", "");
    if (phone_count < 1 || at_once < 1) usage("--phones and --at-once are at least 1", "");
    if (mode != mode_idle && until_seq <= after_seq) usage("--until is needed, beyond --after", "");
    hold_time = (uint64_t)(hold * 1e9);
    start_time = monotonic();
    deadline = start_time + (uint64_t)(limit * 1e9);
}

int main(int count, char **arguments) {
    parse(count, arguments);
    const rlim_t descriptors = allow_descriptors();
    if (descriptors < phone_count + 16)
        fail(71, NULL, "%zu phones need more descriptors than the %ju allowed", phone_count,
             (uintmax_t)descriptors);
    stand_back();
    phones = calloc(phone_count, sizeof *phones);
    queue = epoll_create1(EPOLL_CLOEXEC);
    if (!phones || queue < 0) fail(71, NULL, "out of memory or descriptors");
    run();
    end_time = monotonic();
    finish(0, NULL);
}
