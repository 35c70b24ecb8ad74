#include "arbiter/judging/seeds.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
seeds_open(struct seeds *s, const char *given)
{
    unsigned char drawn[SEED_DIGITS / 2];

    if (given != NULL) {
        snprintf(s->secret, sizeof s->secret, "%s", given);
        return;
    }
    random_bytes(drawn, sizeof drawn);
    for (size_t i = 0; i < sizeof drawn; i++)
        snprintf(s->secret + 2 * i, 3, "%02x", drawn[i]);
}

uint64_t
seeds_make(const struct seeds *s, enum seed_use use, int number)
{
    char text[sizeof s->secret + 32], hash[65], first[17];

    snprintf(text, sizeof text, "%s %d %d", s->secret, (int)use, number);
    hash_hex(text, strlen(text), hash);
    snprintf(first, sizeof first, "%.16s", hash);
    return strtoull(first, NULL, 16);
}
