/*
 * Sentences about costs. Each rule looks at exact counts, and the first rule that holds
 * gives the sentence. The rules stand in the order of how much a change would gain.
 */
#include "advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum cost_bound
advice_bound(const struct kernel_cost *k)
{
    enum cost_bound most = COST_LATENCY;

    for (int i = 0; i < COST_BOUND_COUNT; i++)
        if (k->bound_ns[i] > k->bound_ns[most])
            most = (enum cost_bound)i;
    return most;
}

const char *
advice_bound_name(enum cost_bound b)
{
    static const char *const names[] = {
#define X(id, words) #id,
        COST_BOUNDS(X)
#undef X
    };

    return names[b];
}

const char *
advice_bound_words(enum cost_bound b)
{
    static const char *const texts[] = {
#define X(id, words) words,
        COST_BOUNDS(X)
#undef X
    };

    return texts[b];
}

const char *
advice_topic_name(enum advice_topic topic)
{
    static const char *const names[] = {
#define X(id, name) name,
        ADVICE_TOPICS(X)
#undef X
    };

    return names[topic];
}

static double
per(uint64_t amount, uint64_t of)
{
    return of != 0 ? (double)amount / (double)of : 0;
}

__attribute__((format(printf, 3, 4))) static bool
say(struct advice *out, enum advice_topic topic, const char *format, ...)
{
    va_list ap;

    out->topic = topic;
    va_start(ap, format);
    vsnprintf(out->text, sizeof out->text, format, ap);
    va_end(ap);
    return true;
}

/* --- rules: true if they had something to say ---------------------------- */

static bool
on_atomics(const struct kernel_cost *k, const struct counters *c, struct advice *out)
{
    double chain = per(c->atomic_serial, c->atomic_requests);
    enum cost_bound bound = advice_bound(k);

    if (c->atomic_requests == 0)
        return false;
    if (chain >= 8)
        return say(out, ADVICE_ATOMICS,
                   "%.0f of the lanes of a warp update one address and take turns: add "
                   "up within the warp or block first, then update once",
                   chain);
    if (bound == COST_CONTENTION && per(c->atomic_sectors, c->atomic_requests) < 2)
        return say(out, ADVICE_ATOMICS,
                   "%llu atomics, one after the other on the same few addresses: let "
                   "fewer blocks do more work each before they update",
                   (unsigned long long)c->atomic_requests);
    if (bound == COST_CONTENTION)
        return say(out, ADVICE_ATOMICS,
                   "atomics of all warps meet on the same few addresses and take turns: "
                   "let each block gather in shared memory first");
    return bound == COST_ATOMICS &&
           say(out, ADVICE_ATOMICS,
               "atomics on global memory: gather in shared memory first");
}

static bool
on_global(const struct counters *c, struct advice *out)
{
    uint64_t bytes = c->global_load_bytes + c->global_store_bytes;
    double sectors = per(c->global_sectors, c->global_requests);
    double enough = per(bytes, c->global_requests) / 32;

    enough = enough < 1 ? 1 : enough;
    if (c->global_requests == 0 || c->atomic_requests != 0 || sectors < 2 * enough)
        return false;
    return say(out, ADVICE_COALESCING,
               "each request touches %.*f sectors of 32 bytes where %.*f would do: "
               "neighbouring threads access memory far apart",
               sectors < 10 ? 1 : 0, sectors, enough < 10 && enough > 1 ? 1 : 0, enough);
}

static bool
on_shared(const struct counters *c, struct advice *out)
{
    double ways = per(c->shared_wavefronts, c->shared_ideal);

    if (c->shared_requests == 0 || ways < 1.5)
        return false;
    return say(out, ADVICE_BANKS,
               "%.*f-way bank conflicts in shared memory: lanes of a warp access "
               "different words of one bank",
               ways < 10 ? 1 : 0, ways);
}

static bool
on_lanes(const struct counters *c, struct advice *out)
{
    double lanes = per(c->thread_instructions, c->warp_instructions);

    if (lanes > 24)
        return false;
    return say(out, ADVICE_DIVERGENCE, "only %.*f of 32 lanes are active on average%s",
               lanes < 10 ? 1 : 0, lanes,
               c->divergent_branches != 0 ? ": the branch here divides the warps" : "");
}

static bool
on_waiting(const struct kernel_cost *k, const struct counters *c, struct advice *out)
{
    double loads = per(c->path_loads, k->warps);

    if (advice_bound(k) != COST_LATENCY)
        return false;
    if (loads >= 1.5)
        return say(out, ADVICE_LATENCY,
                   "each warp waits for memory here %.0f times, one load after the "
                   "other, and too few warps are there to do something else meanwhile",
                   loads);
    if (loads >= 0.5)
        return say(out, ADVICE_LATENCY, "every warp waits for memory here once");
    return c->barriers != 0 &&
           say(out, ADVICE_LATENCY, "warps wait here for the rest of their block");
}

static bool
on_bytes(const struct kernel_cost *k, const struct counters *c, struct advice *out)
{
    enum cost_bound bound = advice_bound(k);
    double share = per(c->l1_missed_sectors, k->counters.l1_missed_sectors);

    if ((bound != COST_DRAM && bound != COST_L2) || share == 0)
        return false;
    return say(out, ADVICE_BANDWIDTH,
               "%.0f %% of the bytes that the kernel moves, none of them wasted",
               share * 100);
}

static bool
on_executions(const struct kernel_cost *k, const struct counters *c, struct advice *out)
{
    return say(out, ADVICE_ARITHMETIC, "%.0f %% of the kernel's instructions",
               per(c->issue_slots, k->counters.issue_slots) * 100);
}

void
advice_line(const struct kernel_cost *k, const struct line_cost *line, struct advice *out)
{
    const struct counters *c = &line->counters;

    (void)(on_atomics(k, c, out) || on_global(c, out) || on_shared(c, out) ||
           on_lanes(c, out) || on_waiting(k, c, out) || on_bytes(k, c, out) ||
           on_executions(k, c, out));
}

/* --- the whole kernel ---------------------------------------------------- */

/* What there is to learn about a bound. */
static enum advice_topic
topic_of(enum cost_bound bound)
{
    switch (bound) {
    case COST_LATENCY:
        return ADVICE_LATENCY;
    case COST_ATOMICS:
    case COST_CONTENTION:
        return ADVICE_ATOMICS;
    case COST_L1:
    case COST_L2:
    case COST_DRAM:
    case COST_HOST:
    case COST_PEER:
        return ADVICE_BANDWIDTH;
    default:
        return ADVICE_ARITHMETIC;
    }
}

/* What keeps blocks off an SM, where that leaves it less than a quarter of its warps. */
static bool
on_occupancy(const struct kernel_cost *k, struct advice *out)
{
    const double warps = k->blocks_per_sm * ceil(k->threads_per_block / 32.0);
    const char *what = NULL;

    if (k->limit_blocks[OCCUPANCY_SHARED] == k->blocks_per_sm)
        what = "shared memory leaves";
    if (k->limit_blocks[OCCUPANCY_REGISTERS] == k->blocks_per_sm)
        what = "registers leave";
    if (what == NULL || warps * 4 >= k->warps_of_sm)
        return false;
    return say(out, ADVICE_OCCUPANCY,
               "bound by latency: %s room for %.0f of %.0f warps on an SM", what, warps,
               (double)k->warps_of_sm);
}

void
advice_kernel(const struct kernel_cost *k, struct advice *out)
{
    uint64_t launches = k->counters.launches != 0 ? k->counters.launches : 1;
    enum cost_bound bound = advice_bound(k);

    if (k->launch_ns > k->ns - k->launch_ns)
        say(out, ADVICE_LAUNCHES,
            "most of it is the cost of a launch: the work itself is small");
    else if (bound == COST_LATENCY && k->blocks / launches < 64)
        say(out, ADVICE_LATENCY, "bound by latency: its %llu %s most of the GPU idle",
            (unsigned long long)(k->blocks / launches),
            k->blocks / launches == 1 ? "block leaves" : "blocks leave");
    else if (bound != COST_LATENCY || !on_occupancy(k, out))
        say(out, topic_of(bound), "bound by %s", advice_bound_words(bound));
}
