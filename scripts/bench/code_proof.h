// How a guest proves the event's code: SPAKE2+ (RFC 9383) as the prover, in the suite
// P256-SHA256-HKDF-SHA256-HMAC-SHA256, bound to its TLS connection. What costs each real guest a
// tenth of a second, scrypt, is done once for all guests of a process.

#ifndef BENCH_CODE_PROOF_H
#define BENCH_CODE_PROOF_H

#include <ctype.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/obj_mac.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    number_size = 32,              // of a number modulo the order of P-256
    share_size = 65,               // of an uncompressed point: SEC 1, section 2.3.3
    confirm_size = 32,             // of HMAC-SHA256
    least_salt = 16, most_salt = 64,
    scrypt_half = 40,              // each of w0 and w1 has 64 bits to spare: RFC 9383, section 3.2
    code_limit = 64,               // characters of a code
};
// RFC 9383, section 3.2. 128 * N * r is 32 MiB, and OpenSSL wants some more.
static const uint64_t scrypt_n = 32768, scrypt_r = 8, scrypt_p = 1, scrypt_memory = 64 << 20;
static const char exporter_label[] = "EXPORTER-beamscribe-code";
// What stands before the exporter's bytes in the context, with the 00 at its end.
static const char context_head[] = "beamscribe code v1";
// RFC 9383, section 4.
static const char hex_m[] = "02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f";
static const char hex_n[] = "03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49";

// What all guests of an event have in common.
struct code {
    char text[code_limit + 1];     // the normal form
    unsigned char salt[most_salt]; // what w0 and w1 were made with
    size_t salt_size;              // 0 before the first challenge
    EC_GROUP *group;
    BN_CTX *scratch;
    EC_POINT *m, *n;
    BIGNUM *w0, *w1;
    EC_POINT *mask, *unmask;       // w0*M and -(w0*N)
};

// One guest's proof.
struct proof {
    BIGNUM *x;                     // NULL before its share, and again once it is proved
    unsigned char share[share_size];
    bool is_done;
};

// MARK: The code

// Spaces and dashes go, letters are upper-case, O is 0, and I and L are 1.
static inline bool normalize_code(char to[code_limit + 1], const char *from) {
    size_t length = 0;
    for (; *from; from++) {
        char c = (char)toupper((unsigned char)*from);
        if (c == ' ' || c == '-') continue;
        if (!isalnum((unsigned char)c) || length == code_limit) return false;
        to[length++] = c == 'O' ? '0' : c == 'I' || c == 'L' ? '1' : c;
    }
    to[length] = 0;
    return length > 0;
}

static inline bool open_code(struct code *code, const char *text) {
    code->group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    code->scratch = BN_CTX_new();
    code->w0 = BN_new();
    code->w1 = BN_new();
    if (!code->group || !code->scratch || !code->w0 || !code->w1) return false;
    code->m = EC_POINT_hex2point(code->group, hex_m, NULL, code->scratch);
    code->n = EC_POINT_hex2point(code->group, hex_n, NULL, code->scratch);
    code->mask = EC_POINT_new(code->group);
    code->unmask = EC_POINT_new(code->group);
    return code->m && code->n && code->mask && code->unmask && normalize_code(code->text, text);
}

// w0 and w1 are the halves of what scrypt gives, modulo the order.
static inline bool hash_code(struct code *code) {
    unsigned char halves[2 * scrypt_half];
    const BIGNUM *order = EC_GROUP_get0_order(code->group);
    return EVP_PBE_scrypt(code->text, strlen(code->text), code->salt, code->salt_size, scrypt_n,
                          scrypt_r, scrypt_p, scrypt_memory, halves, sizeof halves) == 1
        && BN_bin2bn(halves, scrypt_half, code->w0)
        && BN_bin2bn(halves + scrypt_half, scrypt_half, code->w1)
        && BN_nnmod(code->w0, code->w0, order, code->scratch)
        && BN_nnmod(code->w1, code->w1, order, code->scratch);
}

// Takes the challenge's salt, which is an event's, and so the same for all guests.
static inline bool take_salt(struct code *code, const unsigned char *salt, size_t size) {
    if (size < least_salt || size > most_salt) return false;
    if (size == code->salt_size && memcmp(salt, code->salt, size) == 0) return true;
    memcpy(code->salt, salt, size);
    code->salt_size = size;
    return hash_code(code)
        && EC_POINT_mul(code->group, code->mask, NULL, code->m, code->w0, code->scratch)
        && EC_POINT_mul(code->group, code->unmask, NULL, code->n, code->w0, code->scratch)
        && EC_POINT_invert(code->group, code->unmask, code->scratch);
}

// MARK: The proof

static inline bool encode_point(const struct code *code, const EC_POINT *point,
                                unsigned char to[share_size]) {
    return EC_POINT_point2oct(code->group, point, POINT_CONVERSION_UNCOMPRESSED, to, share_size,
                              code->scratch) == share_size;
}

static inline void forget_proof(struct proof *proof) {
    BN_clear_free(proof->x);
    proof->x = NULL;
}

// Makes the guest's share: x*P + w0*M.
static inline bool begin_proof(const struct code *code, struct proof *proof) {
    EC_POINT *share = EC_POINT_new(code->group);
    proof->x = BN_new();
    bool is_made = share && proof->x
        && BN_priv_rand_range(proof->x, EC_GROUP_get0_order(code->group))
        && EC_POINT_mul(code->group, share, proof->x, NULL, NULL, code->scratch)
        && EC_POINT_add(code->group, share, share, code->mask, code->scratch)
        && encode_point(code, share, proof->share);
    EC_POINT_free(share);
    return is_made;
}

static inline unsigned char *put_part(unsigned char *to, const void *part, size_t size) {
    for (int i = 0; i < 8; i++) *to++ = (unsigned char)(size >> 8 * i);
    memcpy(to, part, size);
    return to + size;
}

// Z = x*(Y - w0*N) and V = w1*(Y - w0*N). Fails where the host's share is no point of the curve in
// its uncompressed form, or is the mask alone, which would leave nothing secret.
static inline bool share_secrets(const struct code *code, const struct proof *proof,
                                 const unsigned char share[share_size],
                                 unsigned char z[share_size], unsigned char v[share_size]) {
    EC_POINT *host = EC_POINT_new(code->group), *product = EC_POINT_new(code->group);
    bool is_good = host && product && share[0] == POINT_CONVERSION_UNCOMPRESSED
        && EC_POINT_oct2point(code->group, host, share, share_size, code->scratch)
        && EC_POINT_add(code->group, host, host, code->unmask, code->scratch)
        && EC_POINT_mul(code->group, product, NULL, host, proof->x, code->scratch)
        && encode_point(code, product, z)
        && EC_POINT_mul(code->group, product, NULL, host, code->w1, code->scratch)
        && encode_point(code, product, v);
    EC_POINT_free(host);
    EC_POINT_free(product);
    return is_good;
}

// SHA-256 of the transcript TT: RFC 9383, section 3.3. The identities are empty.
static inline bool hash_transcript(const struct code *code, SSL *connection,
                                   const struct proof *proof,
                                   const unsigned char share[share_size],
                                   unsigned char hash[32]) {
    unsigned char context[sizeof context_head + 32], text[1024], *end = text;
    unsigned char m[share_size], n[share_size], z[share_size], v[share_size], w0[number_size];
    memcpy(context, context_head, sizeof context_head);
    if (SSL_export_keying_material(connection, context + sizeof context_head, 32, exporter_label,
                                   strlen(exporter_label), NULL, 0, 0) != 1
        || !encode_point(code, code->m, m) || !encode_point(code, code->n, n)
        || !share_secrets(code, proof, share, z, v)
        || BN_bn2binpad(code->w0, w0, sizeof w0) != sizeof w0)
        return false;
    end = put_part(end, context, sizeof context);
    end = put_part(put_part(end, "", 0), "", 0);
    end = put_part(put_part(end, m, sizeof m), n, sizeof n);
    end = put_part(put_part(end, proof->share, share_size), share, share_size);
    end = put_part(put_part(end, z, sizeof z), v, sizeof v);
    end = put_part(end, w0, sizeof w0);
    return EVP_Digest(text, (size_t)(end - text), hash, NULL, EVP_sha256(), NULL) == 1;
}

static inline bool authenticate(const unsigned char key[32], const void *data, size_t size,
                                unsigned char to[32]) {
    return HMAC(EVP_sha256(), key, 32, data, size, to, NULL) != NULL;
}

// K_confirmP and K_confirmV: RFC 9383, section 3.4, with HKDF (RFC 5869) without a salt.
static inline bool make_confirm_keys(const unsigned char hash[32], unsigned char prover[32],
                                     unsigned char verifier[32]) {
    static const unsigned char no_salt[32];
    static const char info[] = "ConfirmationKeys";
    enum { info_size = sizeof info - 1 };
    unsigned char extracted[32], block[32 + info_size + 1];
    memcpy(block, info, info_size);
    block[info_size] = 1;
    if (!authenticate(no_salt, hash, 32, extracted)
        || !authenticate(extracted, block, info_size + 1, prover))
        return false;
    memcpy(block, prover, 32);
    memcpy(block + 32, info, info_size);
    block[32 + info_size] = 2;
    return authenticate(extracted, block, sizeof block, verifier);
}

enum proof_result { proof_good, proof_bad_share, proof_wrong_code };

// Judges the host's share and confirmation, and makes the guest's.
static inline enum proof_result finish_proof(const struct code *code, SSL *connection,
                                             struct proof *proof,
                                             const unsigned char share[share_size],
                                             const unsigned char confirm[confirm_size],
                                             unsigned char answer[confirm_size]) {
    unsigned char hash[32], prover[32], verifier[32], expected[confirm_size];
    bool is_made = hash_transcript(code, connection, proof, share, hash)
        && make_confirm_keys(hash, prover, verifier)
        && authenticate(verifier, proof->share, share_size, expected)
        && authenticate(prover, share, share_size, answer);
    forget_proof(proof);
    if (!is_made) return proof_bad_share;
    proof->is_done = CRYPTO_memcmp(expected, confirm, confirm_size) == 0;
    return proof->is_done ? proof_good : proof_wrong_code;
}

#endif
