#include <opus/opus.h>

// opus_encoder_ctl(3) takes what it is asked with as further arguments, which Swift cannot pass.

static inline int beamscribe_opus_set(OpusEncoder *encoder, int request, opus_int32 value) {
    return opus_encoder_ctl(encoder, request, value);
}

static inline int beamscribe_opus_reset_encoder(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_RESET_STATE);
}

static inline int beamscribe_opus_reset_decoder(OpusDecoder *decoder) {
    return opus_decoder_ctl(decoder, OPUS_RESET_STATE);
}
