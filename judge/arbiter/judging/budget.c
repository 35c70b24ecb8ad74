#include "arbiter/judging/budget.h"

#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/judgement.h"
#include "base/file.h"
#include "emulator/work.h"

#include <stdlib.h>

#define NS_PER_MS UINT64_C(1000000)

static bool
is_emulated(const struct judgement *j)
{
    return device_clock_modelled(j->device);
}

static uint64_t
all_ms(const struct judgement *j)
{
    return (uint64_t)j->problem->time_limit_ms *
           (is_emulated(j) ? BUDGET_CALLS_EMU : BUDGET_CALLS_GPU);
}

/* Lets the emulated GPU do work for `ms` from now on. */
static void
limit_work(struct judgement *j, uint64_t ms)
{
    struct work_count *w = runner_link_work(j->runner);

    if (w != NULL)
        atomic_store(&w->limit, atomic_load(&w->used) + ms * WORK_PER_MS);
}

void
budget_begin(struct judgement *j)
{
    j->budget = (struct budget){.loaded = runner_link_use(j->runner)};
    limit_work(j, all_ms(j));
}

uint64_t
budget_left_ms(struct judgement *j)
{
    const struct meter_use now = runner_link_use(j->runner);
    const struct meter_use use = meter_since(&now, &j->budget.loaded);
    const uint64_t spent_ns = is_emulated(j) ? meter_used_ns(&use) : j->budget.spent_ns;
    const uint64_t all_ns = all_ms(j) * NS_PER_MS;

    return spent_ns + NS_PER_MS < all_ns ? (all_ns - spent_ns) / NS_PER_MS : 1;
}

uint64_t
budget_call_begin(struct judgement *j)
{
    struct budget *b = &j->budget;
    const uint64_t left_ms = budget_left_ms(j);

    b->before = runner_link_use(j->runner);
    b->call_ms = (uint64_t)j->problem->time_limit_ms;
    b->last = left_ms < b->call_ms;
    if (b->last)
        b->call_ms = left_ms;
    limit_work(j, b->call_ms);
    b->neighbour_ns = gpu_lock_busy_ns(j->gpu_lock);
    return b->call_ms;
}

void
budget_call_release(struct judgement *j)
{
    j->budget.start_ns = now_ns();
}

/* The time in which a neighbour had the GPU is not the call's. */
void
budget_call_end(struct judgement *j)
{
    struct budget *b = &j->budget;
    const uint64_t ns = now_ns() - b->start_ns;
    const uint64_t neighbour_ns = gpu_lock_busy_ns(j->gpu_lock) - b->neighbour_ns;

    b->after = runner_link_use(j->runner);
    if (!is_emulated(j))
        b->spent_ns += ns > neighbour_ns ? ns - neighbour_ns : 0;
}

void
budget_add_arming(struct judgement *j, const struct meter_use *before)
{
    struct budget *b = &j->budget;
    struct meter_use use;

    b->before = *before;
    b->after = runner_link_use(j->runner);
    use = meter_since(&b->after, &b->before);
    if (!is_emulated(j) && j->runner_is_up) /* making a context is free */
        b->spent_ns += meter_used_ns(&use);
}

bool
budget_work_is_spent(struct judgement *j)
{
    struct work_count *w = runner_link_work(j->runner);

    return w != NULL && atomic_load(&w->limit) != 0 &&
           atomic_load(&w->used) > atomic_load(&w->limit);
}

static void
exceeded_on_gpu(struct judgement *j, const char *where, const char *why)
{
    const double s = (double)(j->budget.last ? all_ms(j) : j->budget.call_ms) / 1000;

    if (j->budget.last)
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "%s: the program's calls take more than %g s together%s%s", where, s,
                    why != NULL ? ": " : "", why != NULL ? why : "");
    else
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT, "%s did not end within %g s%s%s",
                    where, s, why != NULL ? ": " : "", why != NULL ? why : "");
}

void
budget_exceeded(struct judgement *j, const char *where, const char *why)
{
    const bool last = j->budget.last;
    const struct meter_use use =
        meter_since(&j->budget.after, last ? &j->budget.loaded : &j->budget.before);
    char text[200];

    if (!is_emulated(j)) {
        exceeded_on_gpu(j, where, why);
        return;
    }
    meter_text(&use, true, text, sizeof text);
    if (last)
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "%s: the program's calls have used up the emulator's budget of %g s "
                    "for all of them (not a GPU's): %s%s%s",
                    where, (double)all_ms(j) / 1000, text, why != NULL ? ". " : "",
                    why != NULL ? why : "");
    else
        outcome_set(&j->outcome, VERDICT_TIME_LIMIT,
                    "%s used up the emulator's budget of %g s for a call (not a GPU's): "
                    "%s%s%s",
                    where, (double)j->budget.call_ms / 1000, text,
                    why != NULL ? ". " : "", why != NULL ? why : "");
}
