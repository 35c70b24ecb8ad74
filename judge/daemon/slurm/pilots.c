#include "daemon/slurm/pilots.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

void
pilots_unsee(struct pilots *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->row[i].seen = false;
}

const struct pilot *
pilots_find(const struct pilots *p, int64_t id)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->row[i].id == id)
            return &p->row[i];
    return NULL;
}

void
pilots_see(struct pilots *p, const struct squeue_job *job, int group)
{
    const struct pilot *known = pilots_find(p, job->id);
    struct pilot *pilot;

    if (known == NULL) {
        if (p->count == p->cap) {
            p->cap = p->cap > 0 ? 2 * p->cap : 16;
            p->row = xrealloc(p->row, p->cap * sizeof *p->row);
        }
        p->row[p->count] = (struct pilot){.id = job->id};
        known = &p->row[p->count++];
    }
    pilot = &p->row[known - p->row];
    pilot->group = group;
    pilot->pending = squeue_is_pending(job);
    pilot->ending = strcmp(job->state, "COMPLETING") == 0;
    pilot->seen = true;
    pilot->token = job->token;
    memcpy(pilot->node, job->node, sizeof pilot->node);
    memcpy(pilot->reason, job->reason, sizeof pilot->reason);
}

bool
pilots_take_gone(struct pilots *p, struct pilot *out)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->row[i].seen)
            continue;
        *out = p->row[i];
        p->row[i] = p->row[--p->count];
        return true;
    }
    return false;
}

int
pilots_of(const struct pilots *p, int group, bool pending)
{
    int count = 0;

    for (size_t i = 0; i < p->count; i++)
        count += p->row[i].group == group && p->row[i].pending == pending &&
                 !p->row[i].cancelled && !p->row[i].ending;
    return count;
}

bool
pilots_have_token(const struct pilots *p, int64_t token)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->row[i].token == token)
            return true;
    return false;
}

void
pilots_free(struct pilots *p)
{
    free(p->row);
    *p = (struct pilots){0};
}
