// Many guests in one process, to load and measure a caption host from outside.
//
//     swarm MODE --port PORT [options]
//
//     latency   follows live lines until every guest has --until SEQ, or a line stamped --seconds
//               after the first; measures each line's way from the feeder to each guest
//     history   joins late and is done when every guest has --until SEQ; measures the time
//     lag       joins and reads nothing (or --read-rate bytes a second) for --seconds; then the
//               first --drain guests read on until they have --until SEQ
//     idle      joins and stays for --seconds
//
//     --host ADDRESS   numeric IPv4; default 127.0.0.1
//     --guests N       default 1
//     --tls            speaks TLS 1.3, and takes any host's key
//     --logs           says that it reads signed logs, and so gets what proves the lines; proves nothing
//     --code CODE      each guest proves that it knows the event's code; needs --tls, not for `lag`
//     --at-once N      joins on their way at once; default 100, with --tls 50
//     --spread S       opens the connections evenly over that long, not as fast as they are taken
//     --retry          a connection that ends before its guest is in is made again, with the pauses
//                      of real guests: none, then 1, 2, 4, 8, 10 s, each a fifth more or less
//     --sources N      the guests come from so many addresses, 127.1.0.1 and on; default 1
//     --samples FILE   writes each latency there: the line's stamp and the time it took, in ns, as
//                      two 64-bit integers of this machine
//     --deadline S     gives up after that long; default 120
//
// stderr says "ready" once every guest is in (connected and up to date; with `lag`: connected);
// stdout gets one JSON object at the end. Each guest's finals must come from 1, in order, without a
// gap, and a line that the feeder numbered must carry that number.
//
// Exit codes: 0 all well, 64 usage, 71 the system refused, 75 a connection was refused or lost,
// 76 the host broke the protocol (a gap, a repeated line, not a frame), 124 the deadline passed.
//
// It shares the machine with what it measures, so it is built to cost little: large reads into one
// buffer, no JSON parser, one clock reading a read.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <openssl/err.h>

#include "code_proof.h"
#include "measure.h"
#include "secure.h"

const char program[] = "swarm";

enum {
    frame_limit = 10485760,      // the wire's limit on a frame's payload
    read_size = 1 << 18,         // one read; fits a second-level cache with what it came from
    joins_at_once = 100,         // less than any listen queue
    secure_joins_at_once = 50,   // less than the TLS handshakes that a host has under way at once
};
static const uint64_t keep_alive_every = 3 * second;
static const uint64_t tick = second / 20;    // due keep-alives are sent together, this often

enum mode { mode_latency, mode_history, mode_lag, mode_idle };
// A guest that waits tries again when it is due.
enum state { state_new, state_waiting, state_connecting, state_securing, state_greeting,
             state_joined };

struct guest {
    int fd;
    SSL *secure;            // NULL without TLS
    enum state state;
    unsigned tries;         // connections made after the first
    uint64_t due;           // when the next one is
    uint64_t opened;        // when the first one was
    bool ready;             // counted as ready
    bool done;              // counted as done
    bool promised;          // fullHistory came
    uint64_t through;       // what it promised
    uint64_t seq;           // the last final
    struct proof proof;     // that it knows the code
    char *rest;             // a frame's beginning whose end has not come
    size_t rest_size, rest_room;
    char id[37];
};

// Where a key was in earlier frames, the latest first. A host writes its frames in a few ways (JSON
// leaves the order of keys open, and numbers differ in length), so the key is most likely at one
// of these again, and a few comparisons find it. Otherwise the whole frame is searched. Without
// this the guests' own cost, and so the time, would depend on the order a host happens to choose.
enum { hint_count = 8 };
struct hint { size_t at[hint_count]; };

static enum mode mode;
static struct guest *guests;
static size_t guest_count = 1, opened, connecting, ready_count, done_count, drain_count;
static size_t at_once, sources = 1, waiting, retries;
static bool retrying;
static SSL_CTX *secure;                          // NULL without TLS
static const char *code_text;                    // NULL without a code
static const char *reads_logs = "";              // what a handshake says of signed logs
static struct code code;
static const char *samples_file;
static struct sockaddr_in host = {.sin_family = AF_INET};
static uint64_t until_seq, hold_time, read_rate, spread, slowest;
static int queue;

static uint64_t start_time, ready_time, first_connect, end_time, deadline;
static uint64_t first_stamp;                     // of the first live line; 0 before it
static uint64_t bytes_received, finals, final_bytes, partials, keep_alives, live_end;
static struct samples latencies;

// MARK: The end

// Prints the JSON object and ends. `problem` is NULL when all went well.
static void finish(int code, const char *problem) {
    static const char *const names[] = {"latency", "history", "lag", "idle"};
    if (!end_time) end_time = monotonic();
    const double cpu = own_cpu();
    sort_samples(&latencies);
    write_samples(&latencies, samples_file);
    printf("{\"mode\":\"%s\",\"ok\":%s,\"guests\":%zu,\"ready\":%zu,\"done\":%zu,"
           "\"finals\":%ju,\"partials\":%ju,\"keepAlives\":%ju,"
           "\"bytes\":%ju,\"finalBytes\":%ju,\"swarmCPU\":%.3f,\"retries\":%zu,"
           "\"slowest\":%.6f,\"seconds\":%.6f",
           names[mode], code ? "false" : "true", guest_count, ready_count, done_count,
           (uintmax_t)finals, (uintmax_t)partials, (uintmax_t)keep_alives,
           (uintmax_t)bytes_received, (uintmax_t)final_bytes, cpu, retries, seconds(slowest),
           seconds(end_time - (first_connect ? first_connect : start_time)));
    if (mode == mode_latency) {
        print_samples(&latencies);
        printf(",\"liveSeconds\":%.3f", first_stamp ? seconds(live_end - first_stamp) : 0);
    }
    if (problem) printf(",\"problem\":\"%s\"", problem);
    printf("}\n");
    exit(code);
}

// `guest` is NULL where no single one is meant.
__attribute__((format(printf, 3, 4), noreturn))
static void fail(int code, const struct guest *guest, const char *format, ...) {
    char what[400], line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (guest)
        snprintf(line, sizeof line, "guest %td (last seq %ju): %s", guest - guests,
                 (uintmax_t)guest->seq, what);
    else
        snprintf(line, sizeof line, "%s", what);
    soften(line);
    fprintf(stderr, "swarm: %s\n", line);
    finish(code, line);
    abort();
}

// MARK: Sending

// Frames from guests are small and rare, so the kernel always has room for one whole. The payload
// stands at frame + 4.
static void send_frame(struct guest *guest, char *frame, int length) {
    uint32_t prefix = htobe32((uint32_t)length);
    memcpy(frame, &prefix, 4);
    size_t sent = 0, size = (size_t)length + 4;
    if (guest->secure) {
        ERR_clear_error();
        SSL_write_ex(guest->secure, frame, size, &sent);
    } else {
        ssize_t plainly = send(guest->fd, frame, size, MSG_NOSIGNAL);
        if (plainly > 0) sent = (size_t)plainly;
    }
    // Where the connection has ended, reading tells why.
    if (sent != size && guest->state == state_joined)
        fail(75, guest, "the host does not read what guests send");
}

static void send_handshake(struct guest *guest) {
    char frame[400];
    send_frame(guest, frame,
               sprintf(frame + 4, "{\"type\":\"handshake\",\"protocol\":1,\"deviceId\":\"%s\","
                       "\"displayName\":\"bench %td\",\"platform\":\"Linux\"%s}",
                       guest->id, guest - guests, reads_logs));
}

static void send_keep_alive(struct guest *guest) {
    char frame[400];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    send_frame(guest, frame,
               sprintf(frame + 4, "{\"type\":\"keep_alive\",\"timestamp\":%jd.%06ld,"
                       "\"deviceId\":\"%s\"}",
                       (intmax_t)now.tv_sec, now.tv_nsec / 1000, guest->id));
}

// Guests may come from as many addresses as a room's do: all of 127/8 is this machine.
static void choose_source(const struct guest *guest) {
    if (sources == 1) return;
    const uint32_t number = (uint32_t)((size_t)(guest - guests) % sources);
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(0x7f010000 + (number / 250 << 8) + number % 250 + 1);
    if (bind(guest->fd, (struct sockaddr *)&source, sizeof source) < 0)
        fail(71, guest, "binding: %s", strerror(errno));
}

static void open_connection(struct guest *guest) {
    const int on = 1;
    guest->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (guest->fd < 0) fail(71, guest, "socket: %s", strerror(errno));
    setsockopt(guest->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    choose_source(guest);
    if (secure) {
        guest->secure = SSL_new(secure);
        if (!guest->secure || SSL_set_fd(guest->secure, guest->fd) != 1)
            fail(71, guest, "out of memory");
        SSL_set_connect_state(guest->secure);
    }
    if (!guest->opened) guest->opened = monotonic();
    if (!first_connect) first_connect = guest->opened;
    if (connect(guest->fd, (struct sockaddr *)&host, sizeof host) < 0 && errno != EINPROGRESS)
        fail(75, guest, "connecting: %s", strerror(errno));
    struct epoll_event event = {EPOLLOUT, {.ptr = guest}};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, guest->fd, &event) < 0) fail(71, guest, "epoll");
    guest->state = state_connecting;
    connecting++;
}

static void open_first_connection(struct guest *guest) {
    if (!make_id(guest->id)) fail(71, NULL, "getrandom");
    open_connection(guest);
}

// A connection has ended without having been asked to: that fails the measurement, or is tried
// again where that was asked for and the guest was not in yet.
static void lose(struct guest *guest, const char *why) {
    static const double pauses[] = {0, 1, 2, 4, 8, 10};
    if (!retrying || guest->state == state_joined) fail(75, guest, "%s", why);
    SSL_free(guest->secure);
    close(guest->fd);
    guest->secure = NULL;
    forget_proof(&guest->proof);
    guest->proof.is_done = false;
    guest->rest_size = 0;
    double pause = pauses[guest->tries < 5 ? guest->tries : 5];
    guest->tries++;
    guest->due = monotonic() + (uint64_t)(pause * 1e9 * (0.8 + 0.4 * drand48()));
    guest->state = state_waiting;
    connecting--;
    waiting++;
    retries++;
}

static void open_due_connections(uint64_t now) {
    for (size_t i = 0; waiting > 0 && i < opened; i++) {
        if (guests[i].state != state_waiting || guests[i].due > now) continue;
        waiting--;
        open_connection(&guests[i]);
    }
}

static void listen_for(struct guest *guest, uint32_t events) {
    struct epoll_event event = {events, {.ptr = guest}};
    if (epoll_ctl(queue, EPOLL_CTL_MOD, guest->fd, &event) < 0) fail(71, guest, "epoll");
}

// MARK: What was reached

static void count_ready(struct guest *guest) {
    if (guest->ready) return;
    guest->ready = true;
    if (++ready_count < guest_count) return;
    ready_time = monotonic();
    fprintf(stderr, "ready\n");
}

static void count_done(struct guest *guest) {
    if (guest->done) return;
    guest->done = true;
    done_count++;
    uint64_t took = monotonic() - guest->opened;
    if (took > slowest) slowest = took;
}

static void leave_greeting(struct guest *guest) {
    if (guest->state == state_joined) return;
    guest->state = state_joined;
    connecting--;
}

// MARK: Frames

static const char *skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

// The value of `key` (given with its quotes) if it stands at `at`. These two are always inlined:
// with the key's size known, the comparison is one instruction or two.
__attribute__((always_inline))
static inline const char *value_at(const char *at, const char *end, const char *key, size_t size) {
    if ((size_t)(end - at) < size || memcmp(at, key, size) != 0) return NULL;
    at = skip_space(at + size, end);
    return at < end && *at == ':' ? skip_space(at + 1, end) : NULL;
}

// Puts `offset` first, in place of entry `gone`.
static void remember(struct hint *hint, size_t offset, int gone) {
    memmove(hint->at + 1, hint->at, (size_t)gone * sizeof *hint->at);
    hint->at[0] = offset;
}

// The value of `key` in the frame, or NULL. It needs no parser: inside a string a quote has a
// backslash before it, so `"seq"` and a colon can only be a key, wherever it stands.
__attribute__((always_inline))
static inline const char *find(const char *frame, const char *end, struct hint *hint,
                               const char *key, size_t size) {
    const size_t length = (size_t)(end - frame);
    const char *value;
    for (int i = 0; i < hint_count; i++) {
        const size_t offset = hint->at[i];
        if (offset >= length || !(value = value_at(frame + offset, end, key, size))) continue;
        if (i > 0) remember(hint, offset, i);
        return value;
    }
    for (const char *at = frame; (at = memmem(at, (size_t)(end - at), key, size)); at++) {
        if (!(value = value_at(at, end, key, size))) continue;
        remember(hint, (size_t)(at - frame), hint_count - 1);
        return value;
    }
    return NULL;
}
#define FIND(hint, key) find(frame, end, hint, "\"" key "\"", sizeof key + 1)

static bool starts_with(const char *at, const char *end, const char *word) {
    size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

static void take_final(struct guest *guest, const char *frame, const char *end, uint64_t seq,
                       uint64_t now) {
    static struct hint text_hint;
    if (seq != guest->seq + 1)
        fail(76, guest, "final %ju came where %ju was due", (uintmax_t)seq,
             (uintmax_t)guest->seq + 1);
    guest->seq = seq;
    finals++;
    final_bytes += (size_t)(end - frame) + 4;

    if (until_seq && seq >= until_seq) count_done(guest);
    // Where time is not taken from the text, looking into every 16th shows a shift or a swap too,
    // and leaves the reading of a long history to the kernel's cost.
    if (mode != mode_latency && seq % 16 != 0) return;

    uint64_t stamp = 0, line = 0;
    const char *text = FIND(&text_hint, "text");
    if (!text || text == end || *text++ != '"')
        fail(76, guest, "final %ju has no text", (uintmax_t)seq);
    if (text < end && *text == 'T') {
        text++;
        if (number(&text, end, &stamp) && starts_with(text, end, " n")) {
            text += 2;
            if (number(&text, end, &line) && line != seq)
                fail(76, guest, "final %ju holds line %ju", (uintmax_t)seq, (uintmax_t)line);
        }
    }

    if (mode == mode_latency && stamp >= ready_time && ready_time) {
        if (!first_stamp) first_stamp = stamp;
        if (stamp > live_end) live_end = stamp;
        if (!add_sample(&latencies, stamp, since(stamp, now))) fail(71, NULL, "out of memory");
        if (hold_time && stamp >= first_stamp + hold_time) count_done(guest);
    }
}

// The bytes of a JSON string that has nothing but ASCII in it. A writer may put a backslash before
// the slashes of base64. Returns the string's length, or `limit` where it is longer than that.
static size_t copy_string(const char *value, const char *end, char *to, size_t limit) {
    size_t size = 0;
    if (value && value < end && *value++ == '"')
        for (; value < end && *value != '"' && size < limit; value++)
            if (*value != '\\') to[size++] = *value;
    return size;
}

// The bytes of base64, which are as many as there should be. Returns whether they were.
static bool copy_base64(const char *value, const char *end, unsigned char *to, size_t wanted) {
    char text[100];
    unsigned char bytes[75];
    const size_t size = copy_string(value, end, text, sizeof text);
    if (size != (wanted + 2) / 3 * 4) return false;
    const size_t padding = (text[size - 1] == '=') + (text[size - 2] == '=');
    // OpenSSL counts the padding as bytes of 00.
    if (size / 4 * 3 - padding != wanted
        || EVP_DecodeBlock(bytes, (unsigned char *)text, (int)size) < 0)
        return false;
    memcpy(to, bytes, wanted);
    return true;
}

static void take_challenge(struct guest *guest, const char *frame, const char *end) {
    struct hint none = {{0}};
    char hex[2 * most_salt + 2], packet[400];
    unsigned char salt[most_salt + 1], share[4 * (share_size + 2) / 3 + 1];
    size_t size = 0;
    if (!code_text) fail(75, guest, "the event asks for a code");
    if (guest->proof.x || guest->proof.is_done) fail(76, guest, "a challenge out of order");
    hex[copy_string(FIND(&none, "salt"), end, hex, sizeof hex - 1)] = 0;
    if (OPENSSL_hexstr2buf_ex(salt, sizeof salt, &size, hex, 0) != 1
        || !take_salt(&code, salt, size))
        fail(76, guest, "a challenge without good salt");
    if (!begin_proof(&code, &guest->proof)) fail(71, guest, "no share could be made");
    EVP_EncodeBlock(share, guest->proof.share, share_size);
    send_frame(guest, packet,
               sprintf(packet + 4, "{\"type\":\"code_share\",\"share\":\"%s\"}", share));
}

static void take_share(struct guest *guest, const char *frame, const char *end) {
    struct hint none = {{0}};
    unsigned char share[share_size], confirm[confirm_size], answer[confirm_size];
    unsigned char text[4 * (confirm_size + 2) / 3 + 1];
    char packet[400];
    if (!guest->proof.x) fail(76, guest, "a share out of order");
    if (!copy_base64(FIND(&none, "share"), end, share, share_size)
        || !copy_base64(FIND(&none, "confirm"), end, confirm, confirm_size))
        fail(76, guest, "a code_share without share and confirm");
    switch (finish_proof(&code, guest->secure, &guest->proof, share, confirm, answer)) {
    case proof_bad_share: fail(76, guest, "a share that is none");
    case proof_wrong_code: fail(75, guest, "the code is wrong");
    case proof_good: break;
    }
    EVP_EncodeBlock(text, answer, confirm_size);
    send_frame(guest, packet,
               sprintf(packet + 4, "{\"type\":\"code_confirm\",\"confirm\":\"%s\"}", text));
}

// Everything that is not a final: rare, so nothing here is fast.
static void take_other(struct guest *guest, const char *frame, const char *end) {
    struct hint none = {{0}};
    const char *value = FIND(&none, "type");
    int shown = (int)(end - frame < 300 ? end - frame : 300);
    if (!value) fail(76, guest, "a frame without a type: %.*s", shown, frame);
    if (starts_with(value, end, "\"handshake_response\"")) {
        const char *status = FIND(&none, "status");
        if (!status || !starts_with(status, end, "\"accepted\""))
            fail(75, guest, "not accepted: %.*s", shown, frame);
        if (code_text && !guest->proof.is_done)
            fail(75, guest, "the host did not ask for the code");
        leave_greeting(guest);
    } else if (starts_with(value, end, "\"code_challenge\"")) {
        take_challenge(guest, frame, end);
    } else if (starts_with(value, end, "\"code_share\"")) {
        take_share(guest, frame, end);
    } else if (starts_with(value, end, "\"fullHistory\"")) {
        const char *through = FIND(&none, "through");
        if (!through || !number(&through, end, &guest->through))
            fail(76, guest, "a fullHistory without 'through': %.*s", shown, frame);
        guest->promised = true;
    } else if (starts_with(value, end, "\"keep_alive\"")) {
        keep_alives++;
    } else if (starts_with(value, end, "\"liveChunk\"")) {
        partials++;
    } else if (starts_with(value, end, "\"alert\"")) {
        const char *kind = FIND(&none, "kind");
        // What tells of the end comes before the connection closes, and explains it.
        if (kind && (starts_with(kind, end, "\"ended\"")
                     || starts_with(kind, end, "\"host_disconnected\"")))
            fail(75, guest, "the host went away: %.*s", shown, frame);
    }
}

static void take_frame(struct guest *guest, const char *frame, const char *end, uint64_t now) {
    static struct hint seq_hint, final_hint;
    uint64_t seq;
    const char *value = FIND(&seq_hint, "seq"), *is_final;
    if (value && (is_final = FIND(&final_hint, "isFinal")) && starts_with(is_final, end, "true")
        && number(&value, end, &seq))
        take_final(guest, frame, end, seq, now);
    else
        take_other(guest, frame, end);
    if (!guest->ready && guest->promised && guest->seq >= guest->through
        && guest->state == state_joined)
        count_ready(guest);
}

// As recv(2), but for errno, which is EAGAIN or says little: all of the records that a read from
// the socket brought, where they fit.
static ssize_t read_securely(SSL *connection, char *to, size_t limit) {
    size_t total = 0, size = 0;
    ERR_clear_error();
    while (total < limit) {
        int code = SSL_read_ex(connection, to + total, limit - total, &size);
        if (code == 1) {
            total += size;
            if (SSL_has_pending(connection)) continue;
        } else if (total == 0) {
            int error = SSL_get_error(connection, code);
            if (error == SSL_ERROR_ZERO_RETURN) return 0;
            errno = error == SSL_ERROR_WANT_READ ? EAGAIN : ECONNRESET;
            return -1;
        }
        break;
    }
    return (ssize_t)total;
}

// One read of up to `limit` bytes, and the frames it completes. A frame's torn end waits in the
// guest's own memory and is put in front of the next read.
//
// Returns whether it read all that it might, so that more may wait within OpenSSL.
static bool receive(struct guest *guest, size_t limit) {
    static char buffer[frame_limit + 4 + read_size];
    size_t kept = guest->rest_size;
    if (kept) memcpy(buffer, guest->rest, kept);
    if (limit > read_size) limit = read_size;
    ssize_t size = guest->secure ? read_securely(guest->secure, buffer + kept, limit)
                                 : recv(guest->fd, buffer + kept, limit, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (size <= 0) {
        lose(guest, size ? strerror(errno) : "the host closed the connection");
        return false;
    }
    uint64_t now = monotonic();
    bytes_received += (size_t)size;

    const char *at = buffer, *end = buffer + kept + size;
    while (end - at >= 4) {
        uint32_t length;
        memcpy(&length, at, 4);
        length = be32toh(length);
        if (length == 0 || length > frame_limit)
            fail(76, guest, "a frame of %ju bytes", (uintmax_t)length);
        if ((size_t)(end - at) < 4 + (size_t)length) break;
        if (at[4] != '{') fail(76, guest, "a frame that is not a JSON object");
        take_frame(guest, at + 4, at + 4 + length, now);
        at += 4 + length;
    }
    guest->rest_size = (size_t)(end - at);
    const bool is_full = (size_t)size == limit;
    if (guest->rest_size == 0) return is_full;
    if (guest->rest_size > guest->rest_room) {
        guest->rest_room = guest->rest_size;
        guest->rest = realloc(guest->rest, guest->rest_room);
        if (!guest->rest) fail(71, guest, "out of memory");
    }
    memcpy(guest->rest, at, guest->rest_size);
    return is_full;
}

// MARK: The loop

// Whether the guest only holds its connection open for now.
static bool holds_still(const struct guest *guest) {
    return mode == mode_lag && !(ready_time && monotonic() >= ready_time + hold_time
                                 && (size_t)(guest - guests) < drain_count);
}

static void greet(struct guest *guest) {
    send_handshake(guest);
    guest->state = state_greeting;
    if (mode == mode_lag) {
        // It does not look at the answer: being connected is all.
        leave_greeting(guest);
        listen_for(guest, EPOLLRDHUP);
        count_ready(guest);
    } else {
        listen_for(guest, EPOLLIN);
    }
}

static void shake_hands(struct guest *guest) {
    ERR_clear_error();
    int code = SSL_do_handshake(guest->secure);
    if (code == 1) {
        greet(guest);
        return;
    }
    switch (SSL_get_error(guest->secure, code)) {
    case SSL_ERROR_WANT_READ: listen_for(guest, EPOLLIN); return;
    case SSL_ERROR_WANT_WRITE: listen_for(guest, EPOLLOUT); return;
    default: lose(guest, "the TLS handshake failed");
    }
}

static void handle(struct guest *guest, uint32_t events) {
    if (guest->state == state_connecting) {
        const int error = connect_error(guest->fd);
        if (error) {
            lose(guest, strerror(error));
            return;
        }
        if (!(events & EPOLLOUT)) return;
        guest->state = state_securing;
        if (!guest->secure) {
            greet(guest);
            return;
        }
    }
    if (guest->state == state_securing) {
        shake_hands(guest);
        return;
    }
    if (mode == mode_lag && (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)))
        fail(75, guest, "the host closed the connection of a guest that lags");
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
    // The kernel tells again of what was not read, but not of what OpenSSL has and did not give.
    while (receive(guest, read_size) && guest->secure) continue;
}

// Once per tick: the keep-alives that are due, spread evenly over the guests and the interval.
static void send_due_keep_alives(uint64_t now) {
    static uint64_t turns;    // keep-alives so far; the guest's number is the remainder
    const uint64_t step = keep_alive_every / guest_count;
    for (; start_time + (turns + 1) * step <= now; turns++) {
        struct guest *guest = &guests[turns % guest_count];
        if (guest->state != state_joined) continue;
        send_keep_alive(guest);
        // A guest that reads slowly reads when it is its turn, what its rate allows for the time.
        size_t share = (size_t)(read_rate * keep_alive_every / second);
        if (share && holds_still(guest)) receive(guest, share);
    }
}

// Lagging guests have lagged long enough: some of them catch up, to show that nothing is lost.
static void start_draining(void) {
    static bool started;
    if (started) return;
    started = true;
    fprintf(stderr, "draining\n");
    for (size_t i = 0; i < drain_count; i++) listen_for(&guests[i], EPOLLIN);
}

static bool is_over(uint64_t now) {
    bool held = ready_time && now >= ready_time + hold_time;
    switch (mode) {
    case mode_latency:
    case mode_history: return done_count == guest_count;
    case mode_idle: return held;
    case mode_lag:
        if (held && drain_count) start_draining();
        return held && done_count >= drain_count;
    }
    return true;
}

static void run(void) {
    uint64_t next_tick = start_time + tick;
    for (;;) {
        uint64_t now = monotonic();
        while (opened < guest_count && connecting < at_once
               && now >= start_time + opened * spread / guest_count)
            open_first_connection(&guests[opened++]);
        if (now >= next_tick) {
            send_due_keep_alives(now);
            open_due_connections(now);
            next_tick = now + tick;
        }
        if (is_over(now)) return;
        if (now > deadline)
            fail(124, NULL, "deadline: %zu of %zu guests ready, %zu done", ready_count,
                 guest_count, done_count);
        struct epoll_event events[512];
        int timeout = (int)((next_tick - now) / 1000000 + 1);
        int count = epoll_wait(queue, events, 512, timeout);
        if (count < 0 && errno != EINTR) fail(71, NULL, "epoll: %s", strerror(errno));
        // A guest has one connection, and so one event a time: what handling it closes is over.
        for (int i = 0; i < count; i++) handle(events[i].data.ptr, events[i].events);
    }
}

// MARK: Command line

static void parse(int count, char **arguments) {
    static const char *const names[] = {"latency", "history", "lag", "idle"};
    double hold = 0, limit = 120;
    int known = -1;
    inet_pton(AF_INET, "127.0.0.1", &host.sin_addr);
    for (int i = 0; i < 4; i++)
        if (count > 1 && !strcmp(arguments[1], names[i])) known = i;
    if (known < 0) usage("unknown mode ", count > 1 ? arguments[1] : "");
    mode = (enum mode)known;
    for (int i = 2; i < count; i += 2) {
        const char *option = arguments[i];
        if (!strcmp(option, "--tls") || !strcmp(option, "--retry") || !strcmp(option, "--logs")) {
            if (option[2] == 'r') retrying = true;
            else if (option[2] == 'l') reads_logs = ",\"logs\":1";
            else if (!(secure = secure_context())) fail(71, NULL, "no TLS context");
            i--;    // it has no value
            continue;
        }
        if (i + 1 == count) usage("no value for ", option);
        const char *value = arguments[i + 1];
        if (!strcmp(option, "--host")) {
            if (inet_pton(AF_INET, value, &host.sin_addr) != 1) usage("not an address: ", value);
        } else if (!strcmp(option, "--port")) {
            host.sin_port = htons((uint16_t)number_of(value, option));
        } else if (!strcmp(option, "--guests")) {
            guest_count = (size_t)number_of(value, option);
        } else if (!strcmp(option, "--until")) {
            until_seq = (uint64_t)number_of(value, option);
        } else if (!strcmp(option, "--seconds")) {
            hold = number_of(value, option);
        } else if (!strcmp(option, "--read-rate")) {
            read_rate = (uint64_t)number_of(value, option);
        } else if (!strcmp(option, "--drain")) {
            drain_count = (size_t)number_of(value, option);
        } else if (!strcmp(option, "--at-once")) {
            at_once = (size_t)number_of(value, option);
        } else if (!strcmp(option, "--spread")) {
            spread = (uint64_t)(number_of(value, option) * 1e9);
        } else if (!strcmp(option, "--sources")) {
            sources = (size_t)number_of(value, option);
        } else if (!strcmp(option, "--code")) {
            code_text = value;
            if (!open_code(&code, value)) usage("a code has 1 to 64 letters and digits: ", option);
        } else if (!strcmp(option, "--samples")) {
            samples_file = value;
        } else if (!strcmp(option, "--deadline")) {
            limit = number_of(value, option);
        } else {
            usage("unknown option ", option);
        }
    }
    if (!host.sin_port) usage("--port is missing", "");
    if (guest_count < 1) usage("--guests must be at least 1", "");
    if (sources < 1 || sources > 62500) usage("--sources must be 1 to 62500", "");
    if (!at_once) at_once = secure ? secure_joins_at_once : joins_at_once;
    if (code_text && (!secure || mode == mode_lag))
        usage("--code needs --tls, and guests that read", "");
    if (drain_count > guest_count) drain_count = guest_count;
    if (mode == mode_history && !until_seq) usage("history needs --until", "");
    if (mode == mode_lag && drain_count && !until_seq) usage("--drain needs --until", "");
    if (mode == mode_latency && !until_seq && hold == 0)
        usage("latency needs --until or --seconds", "");
    hold_time = (uint64_t)(hold * 1e9);
    start_time = monotonic();
    deadline = start_time + (uint64_t)(limit * 1e9);
}

int main(int count, char **arguments) {
    parse(count, arguments);
    const rlim_t descriptors = allow_descriptors();
    if (descriptors < guest_count + 16)
        fail(71, NULL, "%zu guests need more descriptors than the %ju allowed", guest_count,
             (uintmax_t)descriptors);
    stand_back();
    // OpenSSL has no way to write without it.
    signal(SIGPIPE, SIG_IGN);
    guests = calloc(guest_count, sizeof *guests);
    queue = epoll_create1(EPOLL_CLOEXEC);
    if (!guests || queue < 0) fail(71, NULL, "out of memory or descriptors");
    run();
    end_time = monotonic();
    finish(0, NULL);
}
