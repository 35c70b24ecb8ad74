#include "base/arena.h"

#include "base/buf.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)16384)

/* The newest chunk is first. Memory is taken from it alone. */
struct chunk {
    struct chunk *older;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

struct arena {
    struct chunk *newest;
};

struct arena *
arena_new(void)
{
    return xcalloc(1, sizeof(struct arena));
}

void
arena_free(struct arena *a)
{
    if (a == NULL)
        return;
    while (a->newest != NULL) {
        struct chunk *c = a->newest;

        a->newest = c->older;
        free(c);
    }
    free(a);
}

void *
arena_alloc(struct arena *a, size_t bytes)
{
    const size_t align = alignof(max_align_t);
    const size_t rounded = (bytes + align - 1) / align * align;
    struct chunk *c = a->newest;
    void *p;

    if (c == NULL || c->size - c->used < rounded) {
        size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;

        c = xcalloc(1, sizeof *c + size);
        c->size = size;
        c->older = a->newest;
        a->newest = c;
    }
    p = c->bytes + c->used;
    c->used += rounded;
    return p;
}

char *
arena_strdup(struct arena *a, const char *text)
{
    size_t len = strlen(text) + 1;

    return memcpy(arena_alloc(a, len), text, len);
}
