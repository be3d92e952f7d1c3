// The ring between a device's thread and the loop's: one writes, the other reads.

#ifndef CSOUND_STREAM_H
#define CSOUND_STREAM_H

#include "CSound.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct csound_stream {
    float samples[csound_capacity];
    /// Both go on for ever; their difference is the level.
    _Atomic uint32_t written, taken;
    _Atomic uint32_t period, faults;
    _Atomic bool has_failed;
    /// Whether a loudspeaker was given anything yet: before that, silence is no fault.
    _Atomic bool has_begun;
    enum csound_direction direction;
    int wake;
    /// The largest and the number of periods in this stretch, for the device's thread alone.
    uint32_t largest, periods;
    /// What is behind it: of PipeWire or of ALSA.
    void *device;
};

/// Makes a stream, or returns NULL with errno.
struct csound_stream *csound_stream_make(enum csound_direction direction);

void csound_stream_free(struct csound_stream *stream);

// MARK: On the device's thread

/// A microphone gives samples: all are taken, or they are a fault.
void csound_stream_give(struct csound_stream *stream, const float *samples, uint32_t count);

/// A loudspeaker takes samples, or silence where there are too few.
void csound_stream_take(struct csound_stream *stream, float *samples, uint32_t count);

void csound_stream_fail(struct csound_stream *stream);

#endif
