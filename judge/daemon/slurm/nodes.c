/* Nodes on which pilots cannot begin. Such a node fails a job at once and is free again,
 * so that it would get one pilot after another. */
#include "daemon/slurm/state.h"

#include "base/file.h"

#include <string.h>

#define LEFT_OUT_NS (600 * (uint64_t)1000000000)

void
nodes_leave_out(struct slurm *s, const char *node)
{
    int place = 0;

    if (node[0] == '\0')
        return;
    /* In its own place, or in that of the one that is left out for the shortest time. */
    for (int i = 0; i < SLURM_BAD_NODES; i++) {
        if (strcmp(s->bad[i].node, node) == 0) {
            place = i;
            break;
        }
        if (s->bad[i].until_ns < s->bad[place].until_ns)
            place = i;
    }
    memset(s->bad[place].node, 0, sizeof s->bad[place].node);
    memcpy(s->bad[place].node, node, strlen(node));
    s->bad[place].until_ns = now_ns() + LEFT_OUT_NS;
}

void
nodes_left_out(const struct slurm *s, struct buf *out)
{
    const uint64_t now = now_ns();

    for (int i = 0; i < SLURM_BAD_NODES; i++)
        if (s->bad[i].until_ns > now)
            buf_printf(out, "%s%s", out->len > 0 ? "," : "", s->bad[i].node);
}
