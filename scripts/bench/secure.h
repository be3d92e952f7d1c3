// TLS as guests speak it: version 1.3, whatever key the host shows. What the host's key is worth is
// for real guests to decide; its price is the same.

#ifndef BENCH_SECURE_H
#define BENCH_SECURE_H

#include <openssl/ssl.h>

// The client's context for all connections of a program, or NULL.
static inline SSL_CTX *secure_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1) return NULL;
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // One read takes what has come, not a record's head and then its body: guests are to cost
    // little, for they share the machine with what they measure.
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, 1 << 16);
    return context;
}

#endif
