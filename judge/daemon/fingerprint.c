#include "daemon/fingerprint.h"

#include <string.h>

/* The golden ratio's fraction, which is odd, times 2^64. */
#define MULTIPLIER 0x9E3779B97F4A7C15u

static uint64_t
fingerprint_mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * MULTIPLIER;
    return state ^ state >> 29;
}

uint64_t
fingerprint(uint64_t before, const void *bytes, size_t len)
{
    const char *at = bytes;
    uint64_t state = fingerprint_mix(before, len), word;

    for (; len >= sizeof word; at += sizeof word, len -= sizeof word) {
        memcpy(&word, at, sizeof word);
        state = fingerprint_mix(state, word);
    }
    word = 0;
    memcpy(&word, at, len);
    state = fingerprint_mix(state, word);
    return fingerprint_mix(state, state >> 32);
}
