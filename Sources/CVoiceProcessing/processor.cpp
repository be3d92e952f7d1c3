#include "CVoiceProcessing.h"

#if __has_include(<webrtc/modules/audio_processing/include/audio_processing.h>)

// What the library was built with.
#ifndef WEBRTC_POSIX
#define WEBRTC_POSIX
#endif
#include <webrtc/modules/audio_processing/include/audio_processing.h>

#include <memory>
#include <new>

namespace {

/// About what a period of the loudspeaker and one of the microphone take, in milliseconds. The library finds the rest itself.
const int usual_delay = 20;
const int rate = cvoice_frame * 100;

}  // namespace

struct cvoice_processor {
    std::unique_ptr<webrtc::AudioProcessing> processing;
    webrtc::StreamConfig stream{rate, 1};
};

struct cvoice_processor *cvoice_make(bool reduces_noise, bool controls_gain) {
    webrtc::Config config;
    config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
    config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
    auto *processor = new (std::nothrow) cvoice_processor;
    if (!processor) return nullptr;
    processor->processing.reset(webrtc::AudioProcessing::Create(config));
    if (!processor->processing) {
        delete processor;
        return nullptr;
    }
    auto &processing = *processor->processing;
    processing.high_pass_filter()->Enable(true);
    processing.echo_cancellation()->enable_drift_compensation(false);
    processing.echo_cancellation()->set_suppression_level(
        webrtc::EchoCancellation::kHighSuppression);
    processing.noise_suppression()->set_level(webrtc::NoiseSuppression::kModerate);
    processing.noise_suppression()->Enable(reduces_noise);
    processing.gain_control()->set_mode(webrtc::GainControl::kAdaptiveDigital);
    processing.gain_control()->Enable(controls_gain);
    return processor;
}

void cvoice_free(struct cvoice_processor *processor) { delete processor; }

void cvoice_cancel_echo(struct cvoice_processor *processor, bool is_on) {
    processor->processing->echo_cancellation()->Enable(is_on);
}

void cvoice_played(struct cvoice_processor *processor, const float *samples) {
    float room[cvoice_frame];
    const float *const input[] = {samples};
    float *const output[] = {room};
    processor->processing->ProcessReverseStream(input, processor->stream, processor->stream,
                                                output);
}

void cvoice_process(struct cvoice_processor *processor, float *samples) {
    const float *const input[] = {samples};
    float *const output[] = {samples};
    processor->processing->set_stream_delay_ms(usual_delay);
    processor->processing->ProcessStream(input, processor->stream, processor->stream, output);
}

#else

struct cvoice_processor *cvoice_make(bool, bool) { return nullptr; }
void cvoice_free(struct cvoice_processor *) {}
void cvoice_cancel_echo(struct cvoice_processor *, bool) {}
void cvoice_played(struct cvoice_processor *, const float *) {}
void cvoice_process(struct cvoice_processor *, float *) {}

#endif
