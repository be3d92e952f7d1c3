#include "stream.h"

// Its extensions need the first of them.
#include <pipewire/pipewire.h>

#include <errno.h>
#include <pipewire/extensions/metadata.h>
#include <spa/param/audio/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct csound_pipewire {
    const struct csound_pipewire_events *events;
    void *owner;
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_metadata *metadata;
    struct spa_hook core_hook, registry_hook, metadata_hook;
    int asked;
};

struct port {
    struct pw_stream *stream;
    struct spa_hook hook;
};

// MARK: What there is

static int told_default(void *data, uint32_t subject, const char *key, const char *type,
                        const char *value) {
    struct csound_pipewire *server = data;
    (void)type;
    if (subject != PW_ID_CORE || !key) return 0;
    if (!strcmp(key, "default.audio.source"))
        server->events->usual(server->owner, csound_microphone, value);
    if (!strcmp(key, "default.audio.sink"))
        server->events->usual(server->owner, csound_speaker, value);
    return 0;
}

static const struct pw_metadata_events metadata_events = {
    PW_VERSION_METADATA_EVENTS,
    .property = told_default,
};

static const char *value(const struct spa_dict *properties, const char *key) {
    return properties ? spa_dict_lookup(properties, key) : NULL;
}

static void found_node(struct csound_pipewire *server, uint32_t id,
                       const struct spa_dict *properties) {
    const char *class = value(properties, PW_KEY_MEDIA_CLASS);
    const char *name = value(properties, PW_KEY_NODE_NAME);
    if (!class || !name) return;
    const char *description = value(properties, PW_KEY_NODE_DESCRIPTION);
    if (!description) description = value(properties, PW_KEY_NODE_NICK);
    if (!description) description = name;
    int is_both = !strcmp(class, "Audio/Duplex");
    if (is_both || !strncmp(class, "Audio/Source", 12))
        server->events->device(server->owner, id, csound_microphone, name, description);
    if (is_both || !strcmp(class, "Audio/Sink"))
        server->events->device(server->owner, id, csound_speaker, name, description);
}

static void found(void *data, uint32_t id, uint32_t permissions, const char *type,
                  uint32_t version, const struct spa_dict *properties) {
    struct csound_pipewire *server = data;
    (void)permissions, (void)version;
    if (!strcmp(type, PW_TYPE_INTERFACE_Node)) {
        found_node(server, id, properties);
    } else if (!strcmp(type, PW_TYPE_INTERFACE_Link)) {
        const char *output = value(properties, PW_KEY_LINK_OUTPUT_NODE);
        const char *input = value(properties, PW_KEY_LINK_INPUT_NODE);
        if (output && input)
            server->events->link(server->owner, id, (uint32_t)strtoul(output, NULL, 10),
                                 (uint32_t)strtoul(input, NULL, 10));
    } else if (!strcmp(type, PW_TYPE_INTERFACE_Metadata) && !server->metadata) {
        const char *name = value(properties, PW_KEY_METADATA_NAME);
        if (!name || strcmp(name, "default")) return;
        server->metadata =
            pw_registry_bind(server->registry, id, type, PW_VERSION_METADATA, 0);
        if (!server->metadata) return;
        pw_metadata_add_listener(server->metadata, &server->metadata_hook, &metadata_events,
                                 server);
        // What it holds comes after what was asked for by now.
        server->asked = pw_core_sync(server->core, PW_ID_CORE, 0);
    }
}

static void gone(void *data, uint32_t id) {
    struct csound_pipewire *server = data;
    server->events->gone(server->owner, id);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS,
    .global = found,
    .global_remove = gone,
};

static void done(void *data, uint32_t id, int sequence) {
    struct csound_pipewire *server = data;
    if (id == PW_ID_CORE && sequence == server->asked) server->events->told(server->owner);
}

static void failed(void *data, uint32_t id, int sequence, int result, const char *message) {
    struct csound_pipewire *server = data;
    (void)sequence, (void)message;
    if (id == PW_ID_CORE && result == -EPIPE) server->events->lost(server->owner);
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS,
    .done = done,
    .error = failed,
};

// MARK: The connection

/// Its threads run in real time where its configuration has them do so.
static struct pw_context *make_context(struct pw_loop *loop) {
    struct pw_context *context = pw_context_new(
        loop, pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", NULL), 0);
    return context ? context : pw_context_new(loop, NULL, 0);
}

struct csound_pipewire *csound_pipewire_connect(const struct csound_pipewire_events *events,
                                                void *owner) {
    pw_init(NULL, NULL);
    // What it says of itself is for the one who looks after it, by PIPEWIRE_DEBUG.
    if (!getenv("PIPEWIRE_DEBUG")) pw_log_set_level(SPA_LOG_LEVEL_NONE);
    struct csound_pipewire *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->events = events;
    server->owner = owner;
    server->loop = pw_loop_new(NULL);
    if (server->loop) {
        pw_loop_enter(server->loop);
        server->context = make_context(server->loop);
    }
    if (server->context)
        server->core = pw_context_connect(
            server->context, pw_properties_new(PW_KEY_APP_NAME, "beamscribe", NULL), 0);
    if (server->core) server->registry = pw_core_get_registry(server->core, PW_VERSION_REGISTRY, 0);
    if (!server->registry) {
        int error = errno;
        csound_pipewire_disconnect(server);
        errno = error;
        return NULL;
    }
    pw_core_add_listener(server->core, &server->core_hook, &core_events, server);
    pw_registry_add_listener(server->registry, &server->registry_hook, &registry_events, server);
    server->asked = pw_core_sync(server->core, PW_ID_CORE, 0);
    return server;
}

int csound_pipewire_descriptor(const struct csound_pipewire *server) {
    return pw_loop_get_fd(server->loop);
}

void csound_pipewire_iterate(struct csound_pipewire *server) { pw_loop_iterate(server->loop, 0); }

void csound_pipewire_disconnect(struct csound_pipewire *server) {
    if (server->metadata) {
        spa_hook_remove(&server->metadata_hook);
        pw_proxy_destroy((struct pw_proxy *)server->metadata);
    }
    if (server->registry) {
        spa_hook_remove(&server->registry_hook);
        spa_hook_remove(&server->core_hook);
        pw_proxy_destroy((struct pw_proxy *)server->registry);
    }
    if (server->core) pw_core_disconnect(server->core);
    if (server->context) pw_context_destroy(server->context);
    if (server->loop) {
        pw_loop_leave(server->loop);
        pw_loop_destroy(server->loop);
    }
    free(server);
}

// MARK: Streams

// In real time: copied, and the loop is woken.

static void captured(void *data) {
    struct csound_stream *stream = data;
    struct port *port = stream->device;
    struct pw_buffer *buffer;
    while ((buffer = pw_stream_dequeue_buffer(port->stream))) {
        struct spa_data *room = &buffer->buffer->datas[0];
        uint32_t offset = SPA_MIN(room->chunk->offset, room->maxsize);
        uint32_t size = SPA_MIN(room->chunk->size, room->maxsize - offset);
        if (room->data)
            csound_stream_give(stream, SPA_PTROFF(room->data, offset, float), size / sizeof(float));
        pw_stream_queue_buffer(port->stream, buffer);
    }
}

static void wanted(void *data) {
    struct csound_stream *stream = data;
    struct port *port = stream->device;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(port->stream);
    if (!buffer) return;
    struct spa_data *room = &buffer->buffer->datas[0];
    uint32_t count = room->maxsize / sizeof(float);
    if (buffer->requested && buffer->requested < count) count = (uint32_t)buffer->requested;
    if (count > csound_capacity) count = csound_capacity;
    if (room->data) csound_stream_take(stream, room->data, count);
    room->chunk->offset = 0;
    room->chunk->stride = sizeof(float);
    room->chunk->size = count * sizeof(float);
    pw_stream_queue_buffer(port->stream, buffer);
}

static const struct pw_stream_events microphone_events = {
    PW_VERSION_STREAM_EVENTS,
    .process = captured,
};
static const struct pw_stream_events speaker_events = {
    PW_VERSION_STREAM_EVENTS,
    .process = wanted,
};

static struct pw_properties *properties(enum csound_direction direction, const char *device,
                                        unsigned period) {
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_ROLE, "Communication", PW_KEY_MEDIA_CATEGORY,
        direction == csound_microphone ? "Capture" : "Playback", PW_KEY_NODE_NAME, "beamscribe",
        PW_KEY_NODE_DESCRIPTION, "beamscribe", PW_KEY_APP_NAME, "beamscribe", NULL);
    if (!properties) return NULL;
    pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%u/%d", period, csound_rate);
    if (device) pw_properties_set(properties, PW_KEY_TARGET_OBJECT, device);
    return properties;
}

static int connect_port(struct port *port, enum csound_direction direction) {
    uint8_t bytes[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    struct spa_audio_info_raw format = SPA_AUDIO_INFO_RAW_INIT(
            .format = SPA_AUDIO_FORMAT_F32, .rate = csound_rate, .channels = 1,
            .position = {SPA_AUDIO_CHANNEL_MONO});
    const struct spa_pod *parameters[] = {
        spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format),
    };
    return pw_stream_connect(
        port->stream, direction == csound_microphone ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT,
        PW_ID_ANY,
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS,
        parameters, 1);
}

struct csound_stream *csound_pipewire_open(struct csound_pipewire *server,
                                           enum csound_direction direction, const char *device,
                                           unsigned period) {
    struct csound_stream *stream = csound_stream_make(direction);
    struct port *port = calloc(1, sizeof *port);
    if (stream && port) {
        stream->device = port;
        port->stream =
            pw_stream_new(server->core, "beamscribe", properties(direction, device, period));
    }
    if (port && port->stream) {
        pw_stream_add_listener(
            port->stream, &port->hook,
            direction == csound_microphone ? &microphone_events : &speaker_events, stream);
        int result = connect_port(port, direction);
        if (result >= 0) return stream;
        pw_stream_destroy(port->stream);
        errno = -result;
    }
    int error = errno;
    free(port);
    if (stream) csound_stream_free(stream);
    errno = error;
    return NULL;
}

uint32_t csound_pipewire_node(const struct csound_stream *stream) {
    const struct port *port = stream->device;
    return pw_stream_get_node_id(port->stream);
}

void csound_pipewire_close(struct csound_stream *stream) {
    struct port *port = stream->device;
    pw_stream_destroy(port->stream);
    free(port);
    csound_stream_free(stream);
}
