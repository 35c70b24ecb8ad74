/* What the queue wants of the pilots. */
#include "daemon/slurm/state.h"

#include "base/file.h"
#include "daemon/attempt.h"
#include "daemon/daemon.h"
#include "daemon/lease_choice.h"
#include "daemon/line.h"
#include "daemon/workers.h"

#include <string.h>

/* Does the attempt wait for a pilot? */
static bool
demand_waits(const struct attempt *a)
{
    if (a->phase == QUEUED && a->lease == NULL && a->idle == IDLE_NOT &&
        !line_has_in_front(a->line, a))
        return true;
    /* What another worker compiles, or has compiled, is a pilot's next. */
    return a->phase < RUNNING && lease_is_ahead(a) && !lease_is_judged(a);
}

/* Has the board of this group another group, whose pilots have one GPU? */
static bool
demand_has_singles(const struct slurm_settings *s, const struct slurm_group *g)
{
    for (int i = 0; i < s->count; i++)
        if (s->group[i].gpus == 1 && strcmp(s->group[i].board, g->board) == 0)
            return true;
    return false;
}

/* Does an attempt of the group's board wait for this group? Problems for two GPUs wait
 * for pilots that have two. What needs one waits for these only where no others are. */
static bool
demand_fits(const struct slurm_settings *s, const struct slurm_group *g, bool for_two)
{
    return for_two ? g->gpus > 1 : g->gpus == 1 || !demand_has_singles(s, g);
}

/* Thousands may wait, so that boards are compared by their addresses. */
void
slurm_count_waiting(struct slurm *s)
{
    const struct daemon *d = s->daemon;
    const struct worker_board *board[SLURM_GROUPS_MAX];

    memset(s->waiting, 0, sizeof s->waiting);
    for (int i = 0; i < s->settings->count; i++)
        board[i] = workers_board(d->workers, s->settings->group[i].board);
    for (const struct attempt *a = queue_first(d->queue); a != NULL; a = a->next) {
        if (!demand_waits(a))
            continue;
        for (int i = 0; i < s->settings->count; i++)
            if (a->line->workers == board[i])
                s->waiting[i] +=
                    demand_fits(s->settings, &s->settings->group[i], a->needs_two);
    }
}

struct slurm_plan
slurm_plan_of(const struct slurm *s, int group)
{
    const struct slurm_facts facts = {
        .waiting = s->waiting[group],
        .pending = pilots_of(&s->pilots, group, true),
        .running = pilots_of(&s->pilots, group, false),
        .limit = s->settings->group[group].pilots,
        .held = now_ns() < s->group[group].held_until_ns,
        .stopping = s->daemon->draining,
    };

    return slurm_plan_make(&facts);
}
