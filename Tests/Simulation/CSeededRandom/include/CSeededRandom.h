// OpenSSL's random numbers from a seed: keys for a handshake, what signatures of ECDSA are made
// with, what a certificate is signed with.

#ifndef CSEEDEDRANDOM_H
#define CSEEDEDRANDOM_H

#include <stdbool.h>
#include <stdint.h>

/// Where the random numbers of a thread come from, and how many bytes of them were taken.
struct seeded_random {
    bool is_seeded;
    uint64_t state;
    uint64_t taken;
};

/// From now on OpenSSL's random numbers on this thread follow from the seed. Other threads go on with
/// OpenSSL's own.
///
/// Returns where they came from before, to be given back to seeded_random_restore().
struct seeded_random seeded_random_begin(uint64_t seed);

void seeded_random_restore(struct seeded_random before);

/// How many bytes this thread has taken since it was seeded.
uint64_t seeded_random_taken(void);

#endif
