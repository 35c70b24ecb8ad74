#include "arbiter/calling/call_set.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
param_is_buffer(const struct param *p)
{
    return p->dir != DIR_SCALAR;
}

bool
param_is_output(const struct param *p)
{
    return p->dir == DIR_OUT || p->dir == DIR_INOUT;
}

bool
param_is_input(const struct param *p)
{
    return p->dir == DIR_IN || p->dir == DIR_INOUT;
}

/* --- memory ---------------------------------------------------------------- */

/* Allocates one parameter's buffer in the memory that the spec says. */
static int
alloc_one(struct call_set *s, int param, bool shareable, struct device_buffer **out,
          struct report *r)
{
    const uint64_t bytes = s->extent[param].bytes;

    if (s->problem->param[param].space == SPACE_HOST_PINNED)
        return device_alloc_host(s->device, bytes, shareable, out, r);
    return device_alloc_on(s->device, s->problem->param[param].gpu, bytes, shareable, out,
                           r);
}

int
call_set_alloc(struct call_set *s, struct device *d, const struct problem *p,
               const struct test_case *t, bool shareable, struct report *r)
{
    *s = (struct call_set){.device = d, .problem = p, .test = t};
    for (int i = 0; i < p->param_count; i++) {
        if (!param_is_buffer(&p->param[i]))
            continue;
        if (problem_extent(p, t, i, &s->extent[i], r) != 0 ||
            alloc_one(s, i, shareable, &s->buffer[i], r) != 0) {
            report_prefix(r, "the buffer %s", p->param[i].name);
            call_set_free(s);
            return -1;
        }
        device_name_buffer(s->buffer[i], p->param[i].name,
                           (uint32_t)dtype_size(p->param[i].type));
    }
    return 0;
}

/* Resizes the buffers before parameter `end`. */
static bool
resize(struct call_set *s, const struct extent *extent, int end)
{
    for (int i = 0; i < end; i++)
        if (s->buffer[i] != NULL && !device_resize(s->buffer[i], extent[i].bytes)) {
            (void)resize(s, s->extent, i);
            return false;
        }
    return true;
}

bool
call_set_reuse(struct call_set *s, const struct test_case *t)
{
    const int count = s->problem->param_count;
    struct extent extent[PROBLEM_PARAMS_MAX] = {0};
    struct report ignored = {0}; /* whoever allocates it says what is wrong */

    for (int i = 0; i < count; i++)
        if (s->buffer[i] != NULL &&
            problem_extent(s->problem, t, i, &extent[i], &ignored) != 0)
            return false;
    if (!resize(s, extent, count))
        return false;
    for (int i = 0; i < count; i++) {
        device_free(s->device, s->copy[i]);
        device_free(s->device, s->start[i]);
        s->copy[i] = s->start[i] = NULL;
    }
    memcpy(s->extent, extent, sizeof extent);
    s->test = t;
    return true;
}

int
call_set_copy(struct call_set *to, const struct call_set *from, struct report *r)
{
    for (int i = 0; i < from->problem->param_count; i++) {
        if (from->buffer[i] != NULL &&
            device_copy(to->device, to->buffer[i], from->buffer[i], r) != 0)
            return -1;
        if (from->start[i] == NULL)
            continue;
        if ((to->start[i] == NULL && alloc_one(to, i, false, &to->start[i], r) != 0) ||
            device_copy(to->device, to->start[i], from->start[i], r) != 0)
            return -1;
    }
    return 0;
}

uint64_t
call_set_bytes(const struct problem *p, const struct test_case *t, bool copies)
{
    uint64_t bytes = 0;

    for (int i = 0; i < p->param_count; i++) {
        struct report ignored = {0}; /* whoever allocates it says what is wrong */
        struct extent e;

        if (!param_is_buffer(&p->param[i]))
            continue;
        if (problem_extent(p, t, i, &e, &ignored) != 0)
            return UINT64_MAX;
        bytes += e.bytes * (copies && param_is_output(&p->param[i]) ? 2 : 1);
    }
    return bytes;
}

int
call_set_alloc_copies(struct call_set *s, struct report *r)
{
    for (int i = 0; i < s->problem->param_count; i++) {
        if (param_is_output(&s->problem->param[i]) &&
            alloc_one(s, i, false, &s->copy[i], r) != 0)
            return -1;
    }
    return 0;
}

void
call_set_free(struct call_set *s)
{
    for (int i = 0; s->problem != NULL && i < s->problem->param_count; i++) {
        device_free(s->device, s->buffer[i]);
        device_free(s->device, s->copy[i]);
        device_free(s->device, s->start[i]);
    }
    *s = (struct call_set){0};
}

static int
count_buffers(const struct call_set *s)
{
    int buffers = 0;

    for (int i = 0; i < s->problem->param_count; i++)
        buffers += s->buffer[i] != NULL;
    return buffers;
}

void
call_set_group(struct call_set *sets, int count)
{
    for (int i = 0; i < count; i++) {
        sets[i].group = sets;
        sets[i].group_size = count;
        sets[i].slot = i * count_buffers(sets);
    }
}

int
call_set_slots_end(const struct call_set *s)
{
    const struct call_set *last = s->group != NULL ? &s->group[s->group_size - 1] : s;

    return last->slot + count_buffers(last);
}

/* --- contents -------------------------------------------------------------- */

int
call_set_keep_start(struct call_set *s, int param, const void *bytes, struct report *r)
{
    const uint64_t size = s->extent[param].bytes;

    if (s->start[param] == NULL && alloc_one(s, param, false, &s->start[param], r) != 0)
        return -1;
    return device_write(s->device, s->start[param], 0, size, bytes, r);
}

static int
fill_from_host(struct call_set *s, int param, uint64_t seed, struct report *r)
{
    void *bytes = malloc(s->extent[param].bytes);
    int rc;

    if (bytes == NULL)
        return report_fail(r, "no memory to make the values of %s",
                           s->problem->param[param].name);
    rc = problem_make(s->problem, s->test, param, seed, bytes, r);
    if (rc == 0)
        rc = device_write(s->device, s->buffer[param], 0, s->extent[param].bytes, bytes,
                          r);
    if (rc == 0 && s->problem->param[param].dir == DIR_INOUT)
        rc = call_set_keep_start(s, param, bytes, r);
    free(bytes);
    return rc;
}

static int
fill_one(struct call_set *s, int param, uint64_t seed, struct report *r)
{
    struct gen g;

    if (problem_value_source(s->problem, s->test, param) != VALUE_SOURCE_GEN)
        return fill_from_host(s, param, seed, r);
    if (problem_gen(s->problem, s->test, param, &g, r) != 0)
        return -1;
    return device_fill(s->device, s->buffer[param], &g, seed, s->extent[param].count, r);
}

int
call_set_fill(struct call_set *s, uint64_t seed, struct report *r)
{
    for (int i = 0; i < s->problem->param_count; i++) {
        if (param_is_input(&s->problem->param[i]) && fill_one(s, i, seed, r) != 0)
            return -1;
    }
    return 0;
}

int
call_set_refill(struct call_set *s, int param, const struct call_set *known,
                uint64_t seed, struct report *r)
{
    if (known->start[param] != NULL)
        return device_copy(s->device, s->buffer[param], known->start[param], r);
    return fill_one(s, param, seed, r);
}

uint64_t
call_set_poison_seed(uint64_t poison_seed, int param)
{
    return poison_seed + (uint64_t)param;
}

int
call_set_start_outputs(struct call_set *s, uint64_t poison_seed, struct report *r)
{
    for (int i = 0; i < s->problem->param_count; i++) {
        const struct param *p = &s->problem->param[i];
        int rc = 0;

        if (p->dir == DIR_OUT && p->start == START_ZEROS)
            rc = device_zero(s->device, s->buffer[i], r);
        else if (p->dir == DIR_OUT)
            rc = device_poison(s->device, s->buffer[i],
                               call_set_poison_seed(poison_seed, i), r);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Must the outputs of two GPUs be copied at the same time? Both GPUs then switch to our
 * work at the same time, as they do for the empty solve(). If they were copied one after
 * the other, a GPU that the submission left alone would take less than is subtracted. */
static bool
copies_together(const struct call_set *s)
{
    return s->problem->gpus > 1 && device_copies_behind(s->device);
}

int
call_set_take_outputs(struct call_set *s, struct report *r)
{
    const bool together = copies_together(s);

    for (int i = 0; i < s->problem->param_count; i++) {
        const bool queued = together && s->problem->param[i].space != SPACE_HOST_PINNED;

        if (s->copy[i] != NULL && (queued ? device_copy_queue : device_copy)(
                                      s->device, s->copy[i], s->buffer[i], r) != 0)
            return -1;
    }
    return together ? device_wait(s->device, NULL, r) : 0;
}

int
call_set_queue_outputs(struct call_set *s, struct report *r)
{
    for (int i = 0; i < s->problem->param_count; i++) {
        if (s->copy[i] != NULL &&
            device_copy_queue(s->device, s->copy[i], s->buffer[i], r) != 0)
            return -1;
    }
    return 0;
}

/* --- requests -------------------------------------------------------------- */

static int
send_attach(struct call_set *s, struct runner_link *l, int param, struct report *r)
{
    struct device_share share;
    struct runner_request request = {.op = RUNNER_ATTACH};

    if (device_share(s->device, s->buffer[param], &share, r) != 0)
        return -1;
    request.memory = (uint32_t)share.memory;
    request.bytes = share.bytes;
    request.address = share.address;
    request.device = (uint32_t)share.gpu;
    runner_link_send(l, &request, share.fd);
    if (share.fd >= 0)
        close(share.fd);
    return 0;
}

static void
send_call(const struct call_set *s, struct runner_link *l)
{
    struct runner_request request = {.op = RUNNER_CALL,
                                     .arg_count = (uint32_t)s->problem->param_count};
    int slot = s->slot;

    for (int i = 0; i < s->problem->param_count; i++) {
        if (s->buffer[i] != NULL)
            request.arg[i] = (struct runner_arg){.slot = slot++};
        else
            request.arg[i] = (struct runner_arg){
                .slot = -1, .value = problem_scalar_bits(s->problem, s->test, i)};
    }
    runner_link_send(l, &request, -1);
}

/* Awaits `count` READYs. False: one did not come, or says that something went wrong. */
static bool
await_ready(struct runner_link *l, int count, const struct runner_limit *limit,
            enum runner_event *event, struct runner_reply *reply)
{
    while (count-- > 0) {
        *event = runner_link_await(l, RUNNER_READY, limit, reply);
        if (*event != RUNNER_ANSWERED || reply->status != 0)
            return false;
    }
    return true;
}

/* Asks the runner to map the buffers of one set. Returns how many requests were sent, or
 * -1. */
static int
attach_one(struct call_set *s, struct runner_link *l, struct report *r)
{
    int sent = 0;

    for (int i = 0; i < s->problem->param_count; i++) {
        if (s->buffer[i] == NULL)
            continue;
        if (send_attach(s, l, i, r) != 0)
            return -1;
        sent++;
    }
    return sent;
}

int
call_set_arm(struct call_set *s, struct runner_link *l, bool attach, uint64_t limit_ms,
             enum runner_event *event, struct runner_reply *reply, struct report *r)
{
    const struct runner_limit limit = runner_limit_used(l, limit_ms);
    struct call_set *group = s->group != NULL ? s->group : s;
    const struct runner_request detach = {.op = RUNNER_DETACH,
                                          .bytes = (uint64_t)group[0].slot};
    const int sets = s->group != NULL ? s->group_size : 1;
    int expected = 0; /* replies */

    /* All requests of one set are sent at once, since each has its own READY and one
     * round trip is enough. Those of a large group would not fit into the socket
     * together. */
    if (attach) {
        runner_link_send(l, &detach, -1);
        expected = 1;
    }
    for (int i = 0; attach && i < sets; i++) {
        const int sent = attach_one(&group[i], l, r);

        if (sent < 0)
            return -1;
        expected += sent;
        if (i < sets - 1) {
            if (!await_ready(l, expected, &limit, event, reply))
                return 0;
            expected = 0;
        }
    }
    send_call(s, l);
    (void)await_ready(l, expected + 1, &limit, event, reply);
    return 0;
}

enum runner_event
call_set_release(struct runner_link *l)
{
    const struct runner_request release = {.op = RUNNER_RELEASE};

    if (runner_link_spoke(l))
        return RUNNER_LIED;
    runner_link_send(l, &release, -1);
    return RUNNER_ANSWERED;
}
