#include "arbiter/judging/seeds.h"

#include "base/file.h"
#include "base/hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
seeds_open(struct seeds *s, const char *given)
{
    if (given != NULL)
        snprintf(s->secret, sizeof s->secret, "%s", given);
    else
        hex_draw(s->secret, SEED_DIGITS / 2);
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
