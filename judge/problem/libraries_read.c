/* Reads "libraries" of a problem.json. */
#include "problem/spec.h"

static void
add_library(struct spec *s, const struct at *at, const char *name, unsigned *set)
{
    enum library l;

    if (library_parse(name, &l) != 0) {
        spec_error(s, at,
                   "must be one of cub, thrust, curand_kernel, curand, cublas, cufft, "
                   "cusparse, cusolver, not \"%.40s\"",
                   name);
        return;
    }
    if (*set & LIBRARY_BIT(l))
        spec_error(s, at, "\"%s\" is there twice", name);
    *set |= LIBRARY_BIT(l);
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
