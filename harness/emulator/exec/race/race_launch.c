/* How the race detector begins and ends: for a machine, a launch, a block. */
#include "race.h"

#include <stdlib.h>

struct race *
race_new(void)
{
    struct race *r = calloc(1, sizeof *r);

    if (r == NULL)
        return NULL;
    r->sites = calloc(RACE_SITES, sizeof *r->sites);
    r->syncs = calloc(RACE_SYNC_MAX, sizeof *r->syncs);
    if (r->sites == NULL || r->syncs == NULL) {
        race_free(r);
        return NULL;
    }
    return r;
}

void
race_free(struct race *r)
{
    if (r == NULL)
        return;
    if (r->syncs != NULL)
        race_syncs_reset(r);
    free(r->sites);
    free(r->syncs);
    free(r);
}

/* The counter runs on from launch to launch, so that all earlier accesses are old. It
 * comes near its end after four thousand million synchronisations. Then no race is
 * reported until the machine is made anew. */
void
race_launch_begin(struct race *r, const struct run *run)
{
    r->run = run;
    r->exact = run->kernel->meets_in_part;
    r->blind = r->now > UINT32_MAX - (1u << 30);
    r->launch_floor = ++r->now;
    r->told_count = 0;
    r->work = 0;
    race_syncs_reset(r);
}

void
race_be_exact(struct race *r)
{
    r->exact = r->run->kernel->meets_in_part = true;
}

bool
race_saw_all(const struct race *r)
{
    return r != NULL && !r->blind && r->work <= RACE_WORK_MAX;
}

struct race_block *
race_block_new(struct race *r)
{
    struct race_block *rb = calloc(1, sizeof *rb);

    if (rb == NULL)
        return NULL;
    rb->race = r;
    return rb;
}

void
race_block_begin(struct block *b)
{
    struct race_block *rb = b->race;

    race_clock_reset(rb);
    race_copies_reset(rb);
    rb->start = rb->floor = ++rb->race->now;
}

void
race_block_free(struct race_block *rb)
{
    if (rb == NULL)
        return;
    race_clock_reset(rb);
    free(rb->copied);
    race_forget(&rb->shared);
    free(rb);
}
