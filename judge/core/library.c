#include "core/library.h"

#include "core/spec.h"

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

static void
add_library(struct spec *s, const struct at *at, const char *name, unsigned *set)
{
    for (int l = 0; l < LIBRARY_COUNT; l++) {
        if (strcmp(name, table[l].key) != 0)
            continue;
        if (*set & LIBRARY_BIT(l))
            spec_error(s, at, "\"%s\" is there twice", name);
        *set |= LIBRARY_BIT(l);
        return;
    }
    spec_error(s, at,
               "must be one of cub, thrust, curand_kernel, curand, cublas, cufft, "
               "cusparse, cusolver, not \"%.40s\"",
               name);
}

void
libraries_read(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "libraries"};
    const cJSON *list = spec_member(s, NULL, root, "libraries", false);
    unsigned set = 0;
    int i = 0;

    s->problem->libraries = LIBRARIES_DEFAULT;
    if (list == NULL || spec_array(s, &at, list, 0, LIBRARY_COUNT) != 0)
        return;
    for (const cJSON *item = list->child; item != NULL; item = item->next, i++) {
        struct at here = {.up = &at, .index = i};
        const char *name;

        if (spec_string(s, &here, item, &name) == 0)
            add_library(s, &here, name, &set);
    }
    s->problem->libraries = libraries_with_needed(set);
}
