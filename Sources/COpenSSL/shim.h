#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// What OpenSSL gives as macros, which Swift does not see.

/// Tickets would outlive the event, and renegotiation and compression have only ever done harm.
static inline void copenssl_refuse_old_ways(SSL_CTX *context) {
    SSL_CTX_set_options(
        context,
        SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
            | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// A connection at rest holds no buffers, and a write may come from another place when repeated.
static inline void copenssl_spare_memory(SSL_CTX *context) {
    SSL_CTX_set_mode(
        context,
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
            | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline int copenssl_only_version_1_3(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
}

/// Leaves the key-exchange groups to OpenSSL, but for those of finite fields before 3.5: whoever
/// offers ffdhe8192 there costs the host two hundred times what X25519 costs, and nobody needs it.
static inline int copenssl_choose_groups(SSL_CTX *context) {
    if (OpenSSL_version_num() >= 0x30500000L)
        return 1;
    return (int)SSL_CTX_set1_groups_list(context, "X25519:P-256:X448:P-521:P-384");
}

static inline void copenssl_limit_certificates(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}

/// Forgets the thread's old errors, as must be done before what SSL_get_error(3) is asked about. To
/// look for them costs a fifth of clearing where there are none, and that is nearly always.
static inline void copenssl_forget_errors(void) {
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

/// Takes "http/1.1" of what a browser offers (ALPN, RFC 7301), and nobody who has come for something
/// else: no attack that makes one service read what was meant for another gets in.
static int copenssl_choose_http_1_1(
    SSL *connection, const unsigned char **chosen, unsigned char *length,
    const unsigned char *offered, unsigned int offered_length, void *argument) {
    static const unsigned char ours[] = "\x08http/1.1";
    (void)connection;
    (void)argument;
    int outcome = SSL_select_next_proto(
        (unsigned char **)chosen, length, ours, sizeof ours - 1, offered, offered_length);
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void copenssl_speak_http_1_1(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, copenssl_choose_http_1_1, NULL);
}

static inline int copenssl_add_to_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// The names that a certificate is for, to be freed; NULL where it has none.
static inline GENERAL_NAMES *copenssl_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int copenssl_name_count(const GENERAL_NAMES *names) {
    return names ? sk_GENERAL_NAME_num(names) : 0;
}

/// A name of the DNS, which no zero byte ends; NULL where it is of another kind.
static inline const unsigned char *copenssl_dns_name(
    const GENERAL_NAMES *names, int index, int *length) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    if (name->type != GEN_DNS)
        return NULL;
    *length = ASN1_STRING_length(name->d.dNSName);
    return ASN1_STRING_get0_data(name->d.dNSName);
}

static inline EVP_PKEY *copenssl_make_p256_key(void) {
    return EVP_EC_gen("P-256");
}

/// HKDF (RFC 5869) with SHA-256 and no salt; 1 where it worked.
static inline int copenssl_hkdf_sha256(
    const unsigned char *key, size_t key_length, const unsigned char *info, size_t info_length,
    unsigned char *output, size_t length) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    int is_done = context && EVP_PKEY_derive_init(context) > 0
        && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) > 0
        && EVP_PKEY_CTX_set1_hkdf_key(context, key, (int)key_length) > 0
        && EVP_PKEY_CTX_add1_hkdf_info(context, info, (int)info_length) > 0
        && EVP_PKEY_derive(context, output, &length) > 0;
    EVP_PKEY_CTX_free(context);
    return is_done;
}
