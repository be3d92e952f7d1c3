#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

_Static_assert((csound_capacity & (csound_capacity - 1)) == 0, "indices go round in it");

/// After so many periods a smaller one is believed.
static const uint32_t stretch = 256;

struct csound_stream *csound_stream_make(enum csound_direction direction) {
    struct csound_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->direction = direction;
    stream->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (stream->wake >= 0) return stream;
    free(stream);
    return NULL;
}

void csound_stream_free(struct csound_stream *stream) {
    close(stream->wake);
    free(stream);
}

static void wake(struct csound_stream *stream) {
    uint64_t one = 1;
    // Full, it is readable all the same.
    if (write(stream->wake, &one, sizeof one) < 0) return;
}

static void note_period(struct csound_stream *stream, uint32_t count) {
    if (count > stream->largest) stream->largest = count;
    if (count > stream->period) stream->period = count;
    if (++stream->periods < stretch) return;
    stream->period = stream->largest;
    stream->largest = stream->periods = 0;
}

static uint32_t level(const struct csound_stream *stream) {
    return atomic_load_explicit(&stream->written, memory_order_acquire) -
           atomic_load_explicit(&stream->taken, memory_order_acquire);
}

static void put(struct csound_stream *stream, const float *samples, uint32_t count) {
    uint32_t at = stream->written % csound_capacity;
    uint32_t first = csound_capacity - at < count ? csound_capacity - at : count;
    memcpy(stream->samples + at, samples, first * sizeof *samples);
    memcpy(stream->samples, samples + first, (count - first) * sizeof *samples);
    atomic_fetch_add_explicit(&stream->written, count, memory_order_release);
}

static void get(struct csound_stream *stream, float *samples, uint32_t count) {
    uint32_t at = stream->taken % csound_capacity;
    uint32_t first = csound_capacity - at < count ? csound_capacity - at : count;
    memcpy(samples, stream->samples + at, first * sizeof *samples);
    memcpy(samples + first, stream->samples, (count - first) * sizeof *samples);
    atomic_fetch_add_explicit(&stream->taken, count, memory_order_release);
}

void csound_stream_give(struct csound_stream *stream, const float *samples, uint32_t count) {
    note_period(stream, count);
    if (count <= csound_capacity - level(stream))
        put(stream, samples, count);
    else
        stream->faults += count;
    wake(stream);
}

void csound_stream_take(struct csound_stream *stream, float *samples, uint32_t count) {
    note_period(stream, count);
    uint32_t there = level(stream);
    uint32_t taken = there < count ? there : count;
    get(stream, samples, taken);
    memset(samples + taken, 0, (count - taken) * sizeof *samples);
    if (taken < count && stream->has_begun) stream->faults += 1;
    wake(stream);
}

void csound_stream_fail(struct csound_stream *stream) {
    stream->has_failed = true;
    wake(stream);
}

int csound_wake(const struct csound_stream *stream) { return stream->wake; }

void csound_awake(struct csound_stream *stream) {
    uint64_t count;
    if (read(stream->wake, &count, sizeof count) < 0) return;
}

unsigned csound_read(struct csound_stream *stream, float *samples, unsigned count) {
    uint32_t there = level(stream);
    if (there < count) count = there;
    get(stream, samples, count);
    return count;
}

unsigned csound_write(struct csound_stream *stream, const float *samples, unsigned count) {
    uint32_t room = csound_capacity - level(stream);
    if (room < count) count = room;
    put(stream, samples, count);
    stream->has_begun = true;
    return count;
}

unsigned csound_level(const struct csound_stream *stream) { return level(stream); }

unsigned csound_period(const struct csound_stream *stream) { return stream->period; }

unsigned csound_faults(const struct csound_stream *stream) { return stream->faults; }

int csound_has_failed(const struct csound_stream *stream) { return stream->has_failed; }
