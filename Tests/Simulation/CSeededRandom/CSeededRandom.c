// OpenSSL 3 has marked RAND_set_rand_method(3) as old, and asks it all the same. What is there in its
// place is a provider (provider-rand(7)), which is chosen for a whole process, once and before the
// first number is drawn.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "CSeededRandom.h"

#include <openssl/rand.h>
#include <pthread.h>
#include <stddef.h>

static _Thread_local struct seeded_random current;

/// SplitMix64: for the same event twice, and for no secret.
static uint64_t next_number(void) {
    uint64_t mixed = current.state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

static int give(unsigned char *bytes, int count) {
    if (!current.is_seeded)
        return RAND_OpenSSL()->bytes(bytes, count);
    uint64_t number = 0;
    for (int index = 0; index < count; index++) {
        if (index % 8 == 0)
            number = next_number();
        bytes[index] = (unsigned char)(number >> index % 8 * 8);
    }
    current.taken += (uint64_t)count;
    return 1;
}

static int status(void) {
    return current.is_seeded ? 1 : RAND_OpenSSL()->status();
}

static void install(void) {
    static const RAND_METHOD method = {NULL, give, NULL, NULL, give, status};
    RAND_set_rand_method(&method);
}

struct seeded_random seeded_random_begin(uint64_t seed) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    struct seeded_random before = current;
    current = (struct seeded_random){.is_seeded = true, .state = seed};
    return before;
}

void seeded_random_restore(struct seeded_random before) {
    current = before;
}

uint64_t seeded_random_taken(void) {
    return current.taken;
}
