#include "compile/library.h"

#include <string.h>

static const struct {
    const char *key, *title;
} table[LIBRARY_COUNT] = {
#define X(name, key, title) [LIBRARY_##name] = {key, title},
    LIBRARIES(X)
#undef X
};

const char *
library_key(enum library l)
{
    return table[l].key;
}

const char *
library_title(enum library l)
{
    return table[l].title;
}

bool
library_is_linked(enum library l)
{
    return l >= LIBRARY_CURAND;
}

bool
libraries_any_linked(unsigned set)
{
    return set >= LIBRARY_BIT(LIBRARY_CURAND);
}

unsigned
libraries_with_needed(unsigned set)
{
    if (set & LIBRARY_BIT(LIBRARY_THRUST))
        set |= LIBRARY_BIT(LIBRARY_CUB);
    if (set & LIBRARY_BIT(LIBRARY_CURAND))
        set |= LIBRARY_BIT(LIBRARY_CURAND_KERNEL);
    if (set & LIBRARY_BIT(LIBRARY_CUSOLVER))
        set |= LIBRARY_BIT(LIBRARY_CUBLAS) | LIBRARY_BIT(LIBRARY_CUSPARSE);
    return set;
}

int
library_parse(const char *key, enum library *out)
{
    for (int l = 0; l < LIBRARY_COUNT; l++) {
        if (strcmp(key, table[l].key) == 0) {
            *out = (enum library)l;
            return 0;
        }
    }
    return -1;
}
