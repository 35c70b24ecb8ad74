/* The memory of a kernel: its decoded code, and what was counted in its launches. */
#include "cost/costs.h"

#include <stddef.h>
#include <stdlib.h>

struct chunk {
    struct chunk *next;
    max_align_t data[];
};

void *
kernel_memory(struct kernel *k, size_t bytes)
{
    struct chunk *c = calloc(1, sizeof *c + bytes);

    if (c == NULL)
        return NULL;
    c->next = k->memory;
    k->memory = c;
    return c->data;
}

void
kernel_free(struct kernel *k)
{
    struct chunk *next;

    for (struct program *p = k->programs; p != NULL; p = p->next) {
        free(p->insns);
        free(p->origin);
        free(p->constants);
        free(p->specials);
    }
    for (struct chunk *c = k->memory; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    free(k->shares);
    free(k->slots);
    free(k->lines);
    free(k->line_table);
    costs_free(k);
    free(k);
}
