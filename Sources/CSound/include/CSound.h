// Sound devices: what of PipeWire and ALSA is macros, or runs on their real-time threads, which are no place for Swift.
//
// A stream is a ring of samples between such a thread and a loop: mono, 48 kHz, float. The thread copies, and wakes
// the loop by an eventfd(2); it waits for nobody and reserves no memory.

#ifndef CSOUND_H
#define CSOUND_H

#include <stddef.h>
#include <stdint.h>

enum {
    /// Samples a second of every stream.
    csound_rate = 48000,
    /// Samples that a stream holds at most: 341 ms.
    csound_capacity = 16384,
};

enum csound_direction {
    csound_microphone,
    csound_speaker,
};

struct csound_stream;

/// The eventfd(2) that is readable after the device has given or taken samples, or the stream has failed, until
/// ``csound_awake``.
int csound_wake(const struct csound_stream *stream);

/// The loop is awake: only what comes from now on wakes it again.
void csound_awake(struct csound_stream *stream);

/// Takes `count` samples at most of what a microphone has given, and returns how many there were.
unsigned csound_read(struct csound_stream *stream, float *samples, unsigned count);

/// Gives a loudspeaker `count` samples at most, and returns how many there was room for.
unsigned csound_write(struct csound_stream *stream, const float *samples, unsigned count);

/// How many samples wait in a stream.
unsigned csound_level(const struct csound_stream *stream);

/// How many samples the device lately gave or took at once; 0 before it has.
unsigned csound_period(const struct csound_stream *stream);

/// How many samples of a microphone nobody took in time, or how often a loudspeaker found too few.
unsigned csound_faults(const struct csound_stream *stream);

/// Whether the device is gone, for a stream that does not find another one by itself.
int csound_has_failed(const struct csound_stream *stream);

// MARK: PipeWire

struct csound_pipewire;

/// What a server tells, within ``csound_pipewire_iterate``. Nothing of the server may be closed there.
struct csound_pipewire_events {
    /// There is a device. Its name is what it is chosen by, its description what people call it.
    void (*device)(void *owner, uint32_t id, enum csound_direction direction, const char *name,
                   const char *description);
    /// Two nodes are linked by the object `id`.
    void (*link)(void *owner, uint32_t id, uint32_t output, uint32_t input);
    /// An object is gone: a device, a link, or another one.
    void (*gone)(void *owner, uint32_t id);
    /// The device that is used where none is named, as JSON: {"name": ...}; NULL for none.
    void (*usual)(void *owner, enum csound_direction direction, const char *json);
    /// All that there was has been told.
    void (*told)(void *owner);
    /// The server is gone, with all that was opened there.
    void (*lost)(void *owner);
};

/// Connects with the user's server. The calling thread is the one that it belongs to.
///
/// Returns NULL, and errno, where there is none.
struct csound_pipewire *csound_pipewire_connect(const struct csound_pipewire_events *events,
                                                void *owner);

/// The descriptor that is readable when there is something to be done by ``csound_pipewire_iterate``.
int csound_pipewire_descriptor(const struct csound_pipewire *server);

void csound_pipewire_iterate(struct csound_pipewire *server);

/// Ends the connection, after its streams are closed.
void csound_pipewire_disconnect(struct csound_pipewire *server);

/// Opens a stream to a device, or to the usual one for NULL. `period` is how many samples it is to take at once.
///
/// Returns NULL, and errno, where that cannot be had.
struct csound_stream *csound_pipewire_open(struct csound_pipewire *server,
                                           enum csound_direction direction, const char *device,
                                           unsigned period);

/// A stream's node, which links name; UINT32_MAX before it has one.
uint32_t csound_pipewire_node(const struct csound_stream *stream);

void csound_pipewire_close(struct csound_stream *stream);

// MARK: ALSA

/// Opens a device with a thread of its own. Returns NULL, and an error of ALSA's in `error`, where that cannot be had.
struct csound_stream *csound_alsa_open(enum csound_direction direction, const char *device,
                                       unsigned period, int *error);

void csound_alsa_close(struct csound_stream *stream);

/// What an error of ALSA's means.
const char *csound_alsa_words(int error);

/// Tells the names of the devices that there are, and what people call them.
void csound_alsa_list(enum csound_direction direction, void *owner,
                      void (*device)(void *owner, const char *name, const char *description));

#endif
