// What the programs of this folder have in common: clocks, samples of latency, numbers, and how a
// program behaves beside what it measures. It takes _GNU_SOURCE.

#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

// By what name a program speaks of itself. Whoever uses `die`, `usage`, `refuse` or `number_of`
// defines it.
extern const char program[];

// MARK: Clocks, in nanoseconds

static const uint64_t second = 1000000000;

static inline uint64_t clock_of(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
}

static inline uint64_t monotonic(void) {
    return clock_of(CLOCK_MONOTONIC);
}

// The time from `then` to `now`, none where `then` is the later one.
static inline uint64_t since(uint64_t then, uint64_t now) {
    return now > then ? now - then : 0;
}

static inline double seconds(uint64_t nanoseconds) {
    return (double)nanoseconds / 1e9;
}

// The processor time that this process has used so far, in seconds.
static inline double own_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// MARK: Samples of latency

// When a line was stamped and how long it took: what is written to a file of samples.
struct sample { uint64_t stamp, latency; };
struct samples { struct sample *all; size_t count, room; };

// Returns false where there is no memory for it, and then no sample is left.
static inline bool add_sample(struct samples *samples, uint64_t stamp, uint64_t latency) {
    if (samples->count == samples->room) {
        samples->room = samples->room ? 2 * samples->room : 1 << 16;
        samples->all = realloc(samples->all, samples->room * sizeof *samples->all);
        if (!samples->all) {
            samples->count = 0;
            return false;
        }
    }
    samples->all[samples->count++] = (struct sample){stamp, latency};
    return true;
}

static inline int compare_samples(const void *left, const void *right) {
    uint64_t a = ((const struct sample *)left)->latency;
    uint64_t b = ((const struct sample *)right)->latency;
    return (a > b) - (a < b);
}

// Puts the quickest first.
static inline void sort_samples(struct samples *samples) {
    qsort(samples->all, samples->count, sizeof *samples->all, compare_samples);
}

// The sample that has a `share` of all samples below it, which are sorted.
static inline double percentile_ms(const struct samples *samples, double share) {
    if (samples->count == 0) return 0;
    size_t rank = (size_t)(share * (double)samples->count);
    if (rank >= samples->count) rank = samples->count - 1;
    return (double)samples->all[rank].latency / 1e6;
}

// Prints the sorted samples' figures as members of a JSON object that has some already.
static inline void print_samples(const struct samples *samples) {
    printf(",\"count\":%zu,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f", samples->count,
           percentile_ms(samples, 0.50), percentile_ms(samples, 0.99), percentile_ms(samples, 1));
}

// Writes the samples as they are in order, where a file is wanted at all.
static inline void write_samples(const struct samples *samples, const char *path) {
    if (!path) return;
    FILE *file = fopen(path, "w");
    if (!file
        || fwrite(samples->all, sizeof *samples->all, samples->count, file) != samples->count
        || fclose(file) != 0)
        perror(path);
}

// MARK: Text

static inline char *put(char *to, const char *text) {
    return stpcpy(to, text);
}

static inline char *put_number(char *to, uint64_t number) {
    char digits[20];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10); while (number /= 10);
    while (count) *to++ = digits[--count];
    return to;
}

// Reads the digits that `*at` points to, and leaves it behind them. Returns whether there were any.
static inline bool number(const char **at, const char *end, uint64_t *value) {
    const char *start = *at;
    uint64_t result = 0;
    while (*at < end && **at >= '0' && **at <= '9')
        result = result * 10 + (uint64_t)(*(*at)++ - '0');
    *value = result;
    return *at > start;
}

// Makes a line fit for a JSON string: what a host wrote must not end it.
static inline void soften(char *line) {
    for (char *c = line; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20) *c = '\'';
}

// Makes a random UUID. Returns false, with errno, where the system gives nothing random.
static inline bool make_id(char id[37]) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    for (int i = 0; i < 16; i++)
        id += sprintf(id, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
    return true;
}

// MARK: Ends and options

// Ends the program with errno's reason.
__attribute__((noreturn)) static inline void die(int code, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", program, what, strerror(errno));
    exit(code);
}

// Ends the program for what is wrong with its command line.
__attribute__((noreturn))
static inline void usage(const char *problem, const char *subject) {
    fprintf(stderr, "%s: %s%s (the top of %s.c lists the modes and options)\n", program, problem,
            subject, program);
    exit(64);
}

// The same, without a word about what is wrong.
__attribute__((noreturn)) static inline void refuse(void) {
    fprintf(stderr, "%s: the top of %s.c says how it is used\n", program, program);
    exit(64);
}

// The number that is an option's value.
static inline double number_of(const char *text, const char *option) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0) || value > 1e15) usage("takes a number: ", option);
    return value;
}

// MARK: Process and sockets

// Allows the process as many descriptors as it may have. Returns how many that are.
static inline rlim_t allow_descriptors(void) {
    struct rlimit descriptors;
    getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
    return descriptors.rlim_cur;
}

// Real guests, phones and floods are on other machines. A batch process does not push the server
// off its core the moment something arrives, which would cut every fan-out into pieces.
static inline void stand_back(void) {
    struct sched_param none = {0};
    sched_setscheduler(0, SCHED_BATCH, &none);
}

// Why a socket that was connecting could not, as errno has it; 0 where it could.
static inline int connect_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

#endif
