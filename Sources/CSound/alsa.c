#include "stream.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct port {
    snd_pcm_t *pcm;
    pthread_t thread;
    float *room;
    snd_pcm_uframes_t period;
    /// How often in a row there was no sound, for whatever reason.
    int silences;
    _Atomic bool is_over;
};

/// So often a thread without sound looks whether it is to end, in milliseconds.
static const int patience = 20;
/// A device that is silent so often in a row is gone: after 2 s at most.
static const int most_silences = 100;

static void ignore(const char *file, int line, const char *function, int error, const char *format,
                   ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

// MARK: On the device's thread

/// Whether what came of a call leaves something to go on with: samples, or nothing yet, or an error that passes.
static bool goes_on(struct csound_stream *stream, struct port *port, long result) {
    if (result > 0) {
        port->silences = 0;
        return true;
    }
    bool passes = result == 0 || result == -EAGAIN || snd_pcm_recover(port->pcm, (int)result, 1) == 0;
    if (passes && ++port->silences < most_silences) {
        if (result < 0 && stream->direction == csound_microphone) snd_pcm_start(port->pcm);
        return true;
    }
    csound_stream_fail(stream);
    return false;
}

static bool step(struct csound_stream *stream, struct port *port) {
    int ready = snd_pcm_wait(port->pcm, patience);
    if (ready <= 0) return goes_on(stream, port, ready);
    if (stream->direction == csound_microphone) {
        snd_pcm_sframes_t count = snd_pcm_readi(port->pcm, port->room, port->period);
        if (count > 0) csound_stream_give(stream, port->room, (uint32_t)count);
        return goes_on(stream, port, count);
    }
    csound_stream_take(stream, port->room, (uint32_t)port->period);
    const float *rest = port->room;
    snd_pcm_uframes_t left = port->period;
    while (left > 0 && !port->is_over) {
        snd_pcm_sframes_t count = snd_pcm_writei(port->pcm, rest, left);
        if (!goes_on(stream, port, count)) return false;
        if (count > 0) {
            rest += count;
            left -= (snd_pcm_uframes_t)count;
        } else {
            snd_pcm_wait(port->pcm, patience);
        }
    }
    return true;
}

static void *run(void *data) {
    struct csound_stream *stream = data;
    struct port *port = stream->device;
    struct sched_param priority = {.sched_priority = 11};
    // Where the system refuses, it takes its turn.
    pthread_setschedparam(pthread_self(), SCHED_RR, &priority);
    if (stream->direction == csound_microphone) snd_pcm_start(port->pcm);
    while (!port->is_over && step(stream, port)) {
    }
    return NULL;
}

// MARK: Opening and closing

static int set_hardware(snd_pcm_t *pcm, unsigned wanted, snd_pcm_uframes_t *period) {
    snd_pcm_hw_params_t *parameters;
    snd_pcm_hw_params_alloca(&parameters);
    snd_pcm_uframes_t buffer = wanted * 4;
    *period = wanted;
    int error = snd_pcm_hw_params_any(pcm, parameters);
    if (error >= 0)
        error = snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED);
    if (error >= 0) error = snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_FLOAT);
    if (error >= 0) error = snd_pcm_hw_params_set_channels(pcm, parameters, 1);
    if (error >= 0) error = snd_pcm_hw_params_set_rate(pcm, parameters, csound_rate, 0);
    if (error >= 0) error = snd_pcm_hw_params_set_period_size_near(pcm, parameters, period, NULL);
    if (error >= 0) error = snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &buffer);
    if (error >= 0) error = snd_pcm_hw_params(pcm, parameters);
    if (error >= 0 && *period > csound_capacity / 2) error = -EINVAL;
    return error;
}

/// A loudspeaker begins with its second period, and asks for each that it has room for.
static int set_software(snd_pcm_t *pcm, snd_pcm_uframes_t period) {
    snd_pcm_sw_params_t *parameters;
    snd_pcm_sw_params_alloca(&parameters);
    int error = snd_pcm_sw_params_current(pcm, parameters);
    if (error >= 0) error = snd_pcm_sw_params_set_start_threshold(pcm, parameters, 2 * period);
    if (error >= 0) error = snd_pcm_sw_params_set_avail_min(pcm, parameters, period);
    if (error >= 0) error = snd_pcm_sw_params(pcm, parameters);
    return error;
}

static void release(struct csound_stream *stream, struct port *port) {
    if (port) {
        if (port->pcm) snd_pcm_close(port->pcm);
        free(port->room);
        free(port);
    }
    if (stream) csound_stream_free(stream);
}

struct csound_stream *csound_alsa_open(enum csound_direction direction, const char *device,
                                       unsigned period, int *error) {
    snd_lib_error_set_handler(ignore);
    struct csound_stream *stream = csound_stream_make(direction);
    struct port *port = calloc(1, sizeof *port);
    *error = stream && port ? 0 : -ENOMEM;
    if (*error >= 0)
        *error = snd_pcm_open(&port->pcm, device,
                              direction == csound_microphone ? SND_PCM_STREAM_CAPTURE
                                                             : SND_PCM_STREAM_PLAYBACK,
                              SND_PCM_NONBLOCK);
    if (*error >= 0) *error = set_hardware(port->pcm, period, &port->period);
    if (*error >= 0) *error = set_software(port->pcm, port->period);
    if (*error >= 0) {
        port->room = calloc(port->period, sizeof *port->room);
        stream->device = port;
        *error = port->room ? -pthread_create(&port->thread, NULL, run, stream) : -ENOMEM;
    }
    if (*error >= 0) return stream;
    release(stream, port);
    return NULL;
}

void csound_alsa_close(struct csound_stream *stream) {
    struct port *port = stream->device;
    port->is_over = true;
    pthread_join(port->thread, NULL);
    snd_pcm_drop(port->pcm);
    release(stream, port);
}

const char *csound_alsa_words(int error) { return snd_strerror(error); }

void csound_alsa_list(enum csound_direction direction, void *owner,
                      void (*device)(void *owner, const char *name, const char *description)) {
    snd_lib_error_set_handler(ignore);
    void **hints;
    if (snd_device_name_hint(-1, "pcm", &hints) < 0) return;
    for (void **hint = hints; *hint; hint++) {
        char *name = snd_device_name_get_hint(*hint, "NAME");
        char *description = snd_device_name_get_hint(*hint, "DESC");
        // NULL stands for both directions.
        char *only = snd_device_name_get_hint(*hint, "IOID");
        const char *wanted = direction == csound_microphone ? "Input" : "Output";
        if (name && strcmp(name, "null") && (!only || !strcmp(only, wanted)))
            device(owner, name, description ? description : name);
        free(name);
        free(description);
        free(only);
    }
    snd_device_name_free_hint(hints);
}
