// AES-128-GCM for libsrtp by OpenSSL.

#ifndef CVOICECIPHER_H
#define CVOICECIPHER_H

/// Has libsrtp encrypt by OpenSSL from now on, instead of by the library that it was built with. Debian's was built with
/// NSS, which expands the key anew for each packet.
///
/// It is to be called once libsrtp is ready, before there is a session.
///
/// - Returns: 0 where it does not pass libsrtp's own tests, and all is as before.
int cvoice_use_openssl(void);

#endif
