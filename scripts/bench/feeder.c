// Writes numbered, stamped lines to stdout, for a host's stdin:
//
//     T8123456789012 n42 the quick brown fox ...
//
// T is the monotonic clock in nanoseconds just before the line was written: a program on the same
// machine that reads its own monotonic clock when the line arrives knows how long that took,
// whatever is in between. n is the line's number, which is the `seq` it should come back with.
//
//     feeder --lines N [--rate PER_SECOND] [--bytes 80] [--first 1] [--copy FILE]
//            [--jsonl] [--partials N]
//
// Without --rate the lines go as fast as they are taken, many a write. --bytes counts without the
// newline. --copy writes the same lines to a file, to compare with what comes out elsewhere.
//
// --jsonl writes them as objects, as docs/JSONL.md has them. --partials says each line that often
// while it grows, before it is done: as many objects more, stamped like finals, spread evenly over
// the time of a line.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

static void write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            perror("feeder: write");
            exit(74);
        }
        bytes += written;
        size -= (size_t)written;
    }
}

// One line of `size` bytes. The words start at another place each time, and the
// line does not end in a space, which a host may well cut off.
static char *put_line(char *to, uint64_t number, size_t size) {
    static const char words[] =
        "so what we saw in the second trial was that people read the captions a little later than "
        "they were spoken and went back whenever a name or a number had gone by too fast ";
    const char *start = to;
    *to++ = 'T';
    to = put_number(to, monotonic());
    *to++ = ' ';
    *to++ = 'n';
    to = put_number(to, number);
    *to++ = ' ';
    size_t at = number * 37 % (sizeof words - 1);
    if (words[at] == ' ') at++;    // one space in a row, never two
    while ((size_t)(to - start) < size) {
        size_t wanted = size - (size_t)(to - start), left = sizeof words - 1 - at;
        size_t part = wanted < left ? wanted : left;
        memcpy(to, words + at, part);
        to += part;
        at = 0;
    }
    if (to[-1] == ' ') to[-1] = '.';
    return to;
}

// What is written of a line at once: as text, or as an object. `part` of `parts` is the whole.
static char *put_part(char *to, uint64_t number, uint64_t size, uint64_t part, uint64_t parts,
                      bool as_object) {
    const uint64_t said = size * part / parts;
    if (!as_object) {
        to = put_line(to, number, size);
        *to++ = '\n';
        return to;
    }
    to = put(to, "{\"text\":\"");
    to = put_line(to, number, said < 40 ? 40 : said);
    to = put(to, part < parts ? "\",\"final\":false,\"line\":\"" : "\",\"line\":\"");
    to = put_number(to, number);
    return put(to, "\"}\n");
}

static uint64_t whole_number_of(const char *text, const char *option) {
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (errno || *end || end == text) {
        fprintf(stderr, "feeder: %s takes a number, not '%s'\n", option, text);
        exit(64);
    }
    return number;
}

int main(int count, char **arguments) {
    uint64_t lines = 0, rate = 0, bytes = 80, first = 1, partials = 0;
    bool as_objects = false;
    int copy = -1;
    for (int i = 1; i < count; i++) {
        const char *option = arguments[i];
        if (!strcmp(option, "--jsonl")) {
            as_objects = true;
            continue;
        }
        const char *value = i + 1 < count ? arguments[++i] : "";
        if (!strcmp(option, "--lines")) lines = whole_number_of(value, option);
        else if (!strcmp(option, "--rate")) rate = whole_number_of(value, option);
        else if (!strcmp(option, "--bytes")) bytes = whole_number_of(value, option);
        else if (!strcmp(option, "--first")) first = whole_number_of(value, option);
        else if (!strcmp(option, "--partials")) partials = whole_number_of(value, option);
        else if (!strcmp(option, "--copy")) {
            copy = open(value, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
            if (copy < 0) {
                perror(value);
                return 73;
            }
        } else {
            fprintf(stderr, "feeder: unknown option %s (the top of feeder.c lists them)\n", option);
            return 64;
        }
    }
    // The stamp and the number must fit, and a line must fit the buffer.
    if (bytes < 48 || bytes > 4096) {
        fprintf(stderr, "feeder: --bytes takes 48...4096\n");
        return 64;
    }

    static char buffer[1 << 16];
    // A paced line goes at once; the others when the next one might not fit.
    const size_t full = rate ? 1 : sizeof buffer - 4300;
    char *to = buffer;
    const uint64_t start = monotonic();
    const uint64_t parts = partials + 1, last = lines * parts;
    as_objects |= partials > 0;
    for (uint64_t i = 0; i < last; i++) {
        if (rate) {
            // Absolute times: a late line does not make the next ones late.
            uint64_t due = start + i * second / (rate * parts);
            struct timespec at = {(time_t)(due / second), (long)(due % second)};
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) continue;
        }
        to = put_part(to, first + i / parts, bytes, i % parts + 1, parts, as_objects);
        if ((size_t)(to - buffer) < full && i + 1 < last) continue;
        write_all(STDOUT_FILENO, buffer, (size_t)(to - buffer));
        if (copy >= 0) write_all(copy, buffer, (size_t)(to - buffer));
        to = buffer;
    }
    return 0;
}
