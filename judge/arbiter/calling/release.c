#include "arbiter/calling/release.h"

#include "base/file.h"

/* How long the GPU is held after the release. A runner needs 8 us to hear of the release
 * and to launch a kernel, 25 us on a slow CPU. With a hold of 30 us one call in ten was
 * 20 us late, since the process's caches are cold after a long fill. Late empty calls
 * made the submission's time as much too short. With 60 us one call in forty is late. The
 * hold is not much longer, since the host may work meanwhile (bus_watch.h sees its data).
 */
#define HOLD_NS 60e3

/* When our copy is queued. It is after the hold, and so after what was launched within
 * the hold. It is before the GPU has switched to the runner's context, which takes 141
 * us. */
#define COPY_AT_NS (HOLD_NS + 60e3)

/* The time between two looks at the GPU's memory, each of which takes time itself. A
 * program can hardly allocate memory, use it and free it sooner. */
#define LOOK_MS 1

/* How long the release takes to reach the runner, and a launch to reach the GPU. */
#define WAY_NS 10e3

bool
release_is_late(double launch_ns)
{
    return launch_ns > HOLD_NS - WAY_NS;
}

bool
release_can_be_behind(const struct call_set *set)
{
    if (!device_copies_behind(set->device) || set->problem->gpus > 1)
        return false;
    for (int i = 0; i < set->problem->param_count; i++)
        if (set->copy[i] != NULL && set->problem->param[i].space == SPACE_HOST_PINNED)
            return false;
    return true;
}

/* How long DONE may come after the copy. It is on its way when the work has ended, 200 us
 * before the copy has, but a busy host may delay it. */
#define DONE_LATE_MS 1

static int
wait_for_device_clock(struct device *d, double until_ns, struct report *r)
{
    double ns = 0;

    while (ns < until_ns)
        if (device_clock_lap(d, &ns, r) != 0)
            return -1;
    return 0;
}

/* Queues the copy and waits for it. If it came too early, *event is RUNNER_LATE. */
static int
copy_behind(struct release *s, enum runner_event *event, struct runner_reply *reply,
            struct report *r)
{
    struct device *d = s->set->device;

    if (wait_for_device_clock(d, COPY_AT_NS, r) != 0 ||
        call_set_queue_outputs(s->set, r) != 0 || device_wait(d, &s->copy_ns, r) != 0 ||
        device_clock_lap(d, &s->ns, r) != 0)
        return -1;
    *event =
        runner_link_wait(s->runner, RUNNER_DONE, s->unchecked ? 0 : DONE_LATE_MS, reply);
    s->copied_behind = *event == RUNNER_ANSWERED && reply->status == 0;
    return 0;
}

/* Waits for DONE, and looks at the call's memory meanwhile if s->memory is set. */
static int
wait_watching(const struct release *s, uint64_t ms, enum runner_event *event,
              struct runner_reply *reply, struct report *r)
{
    const uint64_t until_ns = now_ns() + ms * 1000000;

    for (;;) {
        *event = runner_link_wait(s->runner, RUNNER_DONE,
                                  s->memory != NULL ? LOOK_MS : ms, reply);
        if (*event != RUNNER_LATE || now_ns() >= until_ns)
            return 0;
        if (s->memory != NULL && memory_watch_look(s->memory, s->set->device, r) != 0)
            return -1;
    }
}

/* Waits for DONE. A neighbour's work takes turns on the GPU with this call's. So a late
 * call gets as much time more as the neighbour had, with the GPU to itself. It gets no
 * more than its limit again, since this call may be what keeps the neighbour. */
static int
wait_done(const struct release *s, enum runner_event *event, struct runner_reply *reply,
          struct report *r)
{
    const uint64_t before_ns = gpu_lock_busy_ns(s->gpu_lock);
    const bool was_held = gpu_lock_is_held(s->gpu_lock);
    uint64_t taken_ms;
    int rc = wait_watching(s, s->limit_ms, event, reply, r);

    if (rc != 0 || *event != RUNNER_LATE || was_held)
        return rc;
    (void)gpu_lock_take_within(s->gpu_lock, s->limit_ms * 1000000);
    taken_ms = (gpu_lock_busy_ns(s->gpu_lock) - before_ns) / 1000000;
    if (taken_ms > s->limit_ms)
        taken_ms = s->limit_ms;
    if (taken_ms > 0)
        rc = wait_watching(s, taken_ms, event, reply, r);
    gpu_lock_give(s->gpu_lock);
    return rc;
}

int
release_hold(struct device *d, struct report *r)
{
    return device_hold(d, HOLD_NS, r);
}

int
release_run(struct release *s, enum runner_event *event, struct runner_reply *reply,
            struct report *r)
{
    struct device *d = s->set->device;
    const bool modelled = device_clock_modelled(d), clocked = s->timed && !modelled;
    const struct runner_limit limit =
        modelled ? runner_limit_used(s->runner, s->limit_ms) : (struct runner_limit){0};

    s->copied_behind = false;
    if (clocked && (device_clock_begin(d, r) != 0 || device_let_go(d, r) != 0))
        return -1;
    *event = call_set_release(s->runner);
    if (s->frozen)
        runner_link_thaw(s->runner);
    if (*event != RUNNER_ANSWERED)
        return 0;
    *event = RUNNER_LATE;
    if (clocked && s->behind && copy_behind(s, event, reply, r) != 0)
        return -1;
    if (modelled)
        *event = runner_link_await(s->runner, RUNNER_DONE, &limit, reply);
    else if (*event == RUNNER_LATE && wait_done(s, event, reply, r) != 0)
        return -1;
    if (*event != RUNNER_ANSWERED || reply->status != 0)
        return 0;
    if (!s->copied_behind && call_set_take_outputs(s->set, r) != 0)
        return -1;
    if (s->copied_behind || !s->timed)
        return 0;
    return device_clock_end(d, &s->ns, r);
}
