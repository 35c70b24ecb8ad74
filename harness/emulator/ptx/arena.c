/* Memory of one module: chunks that are freed together. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t data[];
};

struct ptx_arena {
    struct chunk *chunks;
};

enum { CHUNK_BYTES = 64 << 10 };

struct ptx_arena *
arena_new(void)
{
    return calloc(1, sizeof(struct ptx_arena));
}

void
arena_free(struct ptx_arena *a)
{
    struct chunk *next;

    if (a == NULL)
        return;
    for (struct chunk *c = a->chunks; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

void *
arena_alloc(struct ptx_arena *a, size_t bytes)
{
    struct chunk *c = a->chunks;
    size_t size = CHUNK_BYTES;

    if (bytes > (size_t)1 << 40)
        return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (c == NULL || c->size - c->used < bytes) {
        if (size < bytes)
            size = bytes;
        c = calloc(1, sizeof *c + size);
        if (c == NULL)
            return NULL;
        c->size = size;
        c->next = a->chunks;
        a->chunks = c;
    }
    c->used += bytes;
    return (char *)c->data + c->used - bytes;
}
