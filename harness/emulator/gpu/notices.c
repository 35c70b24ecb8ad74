/* Keeps a client's notices: what a GPU would let pass. All launches count, each place
 * once. */
#include "client.h"

#include <stdlib.h>
#include <string.h>

static bool
is_same_place(const struct fault *a, const struct fault *b)
{
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line &&
           strcmp(a->kernel, b->kernel) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->other_file, b->other_file) == 0;
}

static bool
is_known(const struct client *c, const struct fault *f)
{
    for (uint32_t i = 0; i < c->notice_count; i++)
        if (is_same_place(&c->notice[i], f))
            return true;
    return false;
}

void
client_notice(struct client *c, const struct fault *list, uint32_t count)
{
    for (uint32_t i = 0; i < count && c->notice_count < CLIENT_NOTICES_MAX; i++) {
        struct fault *grown;

        if (is_known(c, &list[i]))
            continue;
        grown = realloc(c->notice, (c->notice_count + 1) * sizeof *grown);
        if (grown == NULL)
            return; /* the first one is also kept as the client's fault */
        c->notice = grown;
        c->notice[c->notice_count++] = list[i];
    }
}
