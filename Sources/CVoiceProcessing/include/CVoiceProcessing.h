// The echo canceller, noise suppression and gain control of the WebRTC project, for Swift: C++ behind a few functions.

#ifndef CVOICEPROCESSING_H
#define CVOICEPROCESSING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /// Samples of 48 kHz that are taken at once: 10 ms.
    cvoice_frame = 480,
};

struct cvoice_processor;

/// Makes one, or returns NULL where this was built without the library, or there is no memory.
struct cvoice_processor *cvoice_make(bool reduces_noise, bool controls_gain);

void cvoice_free(struct cvoice_processor *processor);

/// Whether what the loudspeaker says is taken out of what the microphone hears.
void cvoice_cancel_echo(struct cvoice_processor *processor, bool is_on);

/// The loudspeaker is to say this frame next.
void cvoice_played(struct cvoice_processor *processor, const float *samples);

/// The microphone has heard this frame, which is made what is to be sent.
void cvoice_process(struct cvoice_processor *processor, float *samples);

#ifdef __cplusplus
}
#endif

#endif
