#include "CVoiceCipher.h"

#include <openssl/evp.h>
#include <srtp2/cipher.h>
#include <srtp2/srtp.h>
#include <stdlib.h>

/// What libsrtp keeps of a key: it is expanded once.
struct state {
    EVP_CIPHER_CTX *context;
    int tag_length;
    /// Of libsrtp's two directions the one of the packet at hand, as OpenSSL has it.
    int is_encryption;
};

static const srtp_cipher_type_t cipher;

static srtp_err_status_t release(srtp_cipher_t *made) {
    struct state *state = made->state;
    // It forgets the key, too.
    if (state) EVP_CIPHER_CTX_free(state->context);
    free(state);
    free(made);
    return srtp_err_status_ok;
}

static srtp_err_status_t allocate(srtp_cipher_t **made, int key_length, int tag_length) {
    if (key_length != SRTP_AES_GCM_128_KEY_LEN_WSALT) return srtp_err_status_bad_param;
    if (tag_length != 16 && tag_length != 8) return srtp_err_status_bad_param;
    srtp_cipher_t *new = calloc(1, sizeof *new);
    if (!new) return srtp_err_status_alloc_fail;
    struct state *state = new->state = calloc(1, sizeof *state);
    if (state) state->context = EVP_CIPHER_CTX_new();
    if (!state || !state->context) {
        release(new);
        return srtp_err_status_alloc_fail;
    }
    state->tag_length = tag_length;
    new->type = &cipher;
    new->algorithm = SRTP_AES_GCM_128;
    new->key_len = key_length;
    *made = new;
    return srtp_err_status_ok;
}

static srtp_err_status_t set_key(void *data, const uint8_t *key) {
    struct state *state = data;
    // A nonce has 12 bytes where nothing else is said.
    if (!EVP_CipherInit_ex(state->context, EVP_aes_128_gcm(), NULL, key, NULL, 1))
        return srtp_err_status_init_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t set_nonce(void *data, uint8_t *nonce, srtp_cipher_direction_t direction) {
    struct state *state = data;
    if (direction == srtp_direction_any) return srtp_err_status_bad_param;
    state->is_encryption = direction == srtp_direction_encrypt;
    if (!EVP_CipherInit_ex(state->context, NULL, NULL, NULL, nonce, state->is_encryption))
        return srtp_err_status_init_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t set_header(void *data, const uint8_t *bytes, uint32_t count) {
    struct state *state = data;
    int length;
    if (!EVP_CipherUpdate(state->context, NULL, &length, bytes, (int)count))
        return srtp_err_status_algo_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t encrypt(void *data, uint8_t *bytes, unsigned *count) {
    struct state *state = data;
    int length;
    if (!state->is_encryption) return srtp_err_status_bad_param;
    if (!EVP_CipherUpdate(state->context, bytes, &length, bytes, (int)*count))
        return srtp_err_status_algo_fail;
    *count = (unsigned)length;
    // Nothing comes of it but the tag, which is asked for.
    if (!EVP_CipherFinal_ex(state->context, bytes + length, &length)) return srtp_err_status_algo_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t get_tag(void *data, uint8_t *tag, uint32_t *count) {
    struct state *state = data;
    if (!EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_GET_TAG, state->tag_length, tag))
        return srtp_err_status_algo_fail;
    *count = (uint32_t)state->tag_length;
    return srtp_err_status_ok;
}

/// The tag stands behind what is encrypted.
static srtp_err_status_t decrypt(void *data, uint8_t *bytes, unsigned *count) {
    struct state *state = data;
    int length, rest = (int)*count - state->tag_length;
    if (state->is_encryption || rest < 0) return srtp_err_status_bad_param;
    if (!EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_SET_TAG, state->tag_length, bytes + rest) ||
        !EVP_CipherUpdate(state->context, bytes, &length, bytes, rest))
        return srtp_err_status_algo_fail;
    *count = (unsigned)length;
    if (!EVP_CipherFinal_ex(state->context, bytes + length, &length)) return srtp_err_status_auth_fail;
    return srtp_err_status_ok;
}

/// Behind it a salt, which it does not use.
static const uint8_t test_key[SRTP_AES_GCM_128_KEY_LEN_WSALT] = {
    0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
static uint8_t test_nonce[] = {
    0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
static const uint8_t test_header[] = {
    0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef,
    0xab, 0xad, 0xda, 0xd2};
static const uint8_t test_plain[] = {
    0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26, 0x9a,
    0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31, 0x8a, 0x72,
    0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49, 0xa6, 0xb5, 0x25,
    0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
static const uint8_t test_encrypted[] = {
    0x42, 0x83, 0x1e, 0xc2, 0x21, 0x77, 0x74, 0x24, 0x4b, 0x72, 0x21, 0xb7, 0x84, 0xd0, 0xd4, 0x9c,
    0xe3, 0xaa, 0x21, 0x2f, 0x2c, 0x02, 0xa4, 0xe0, 0x35, 0xc1, 0x7e, 0x23, 0x29, 0xac, 0xa1, 0x2e,
    0x21, 0xd5, 0x14, 0xb2, 0x54, 0x66, 0x93, 0x1c, 0x7d, 0x8f, 0x6a, 0x5a, 0xac, 0x84, 0xaa, 0x05,
    0x1b, 0xa3, 0x0b, 0x39, 0x6a, 0x0a, 0xac, 0x97, 0x3d, 0x58, 0xe0, 0x91, 0x5b, 0xc9, 0x4f, 0xbc,
    0x32, 0x21, 0xa5, 0xdb, 0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};

/// Test case 4 of McGrew's and Viega's "The Galois/Counter Mode of Operation"; libsrtp asks for those that it has, too.
static const srtp_cipher_test_case_t test = {
    .key_length_octets = sizeof test_key,
    .key = test_key,
    .idx = test_nonce,
    .plaintext_length_octets = sizeof test_plain,
    .plaintext = test_plain,
    .ciphertext_length_octets = sizeof test_encrypted,
    .ciphertext = test_encrypted,
    .aad_length_octets = sizeof test_header,
    .aad = test_header,
    .tag_length_octets = 16,
};

static const srtp_cipher_type_t cipher = {
    .alloc = allocate,
    .dealloc = release,
    .init = set_key,
    .set_aad = set_header,
    .encrypt = encrypt,
    .decrypt = decrypt,
    .set_iv = set_nonce,
    .get_tag = get_tag,
    .description = "AES-128 GCM by OpenSSL",
    .test_data = &test,
    .id = SRTP_AES_GCM_128,
};

int cvoice_use_openssl(void) {
    return srtp_replace_cipher_type(&cipher, SRTP_AES_GCM_128) == srtp_err_status_ok;
}
