/*
 * Everything that check() sees is a copy in the checker's own host memory. Inputs and the
 * reference's outputs come from the set that the reference answered in. The submission's
 * outputs come from the arbiter's private copies. The checker's answer comes back in one
 * more buffer.
 */
#include "arbiter/judging/checker.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS_MAX (3 * PROBLEM_PARAMS_MAX + 1)

/* The same structure as in the text that stands before checker.c (compile/author.c). */
struct answer_block {
    int32_t benchmark, failed;
    uint64_t index;
    char output[64], text[CHECKER_TEXT_MAX];
};

struct checking {
    struct device *host;
    const struct call_set *set, *known;
    struct author_arg arg[BUFFERS_MAX + PROBLEM_PARAMS_MAX];
    int count;
};

static int
add_buffer(struct checking *c, uint64_t bytes, struct report *r)
{
    struct device_buffer *b;

    if (device_alloc(c->host, bytes, true, &b, r) != 0)
        return -1;
    c->arg[c->count++] = (struct author_arg){.buffer = b};
    return 0;
}

/* Adds a copy of `from`, a buffer of parameter `param` on `device`. */
static int
add_copy(struct checking *c, struct device *device, const struct device_buffer *from,
         int param, struct report *r)
{
    const uint64_t bytes = c->set->extent[param].bytes;
    void *staging = NULL;
    const void *view = device_view(from);
    int rc = 0;

    if (add_buffer(c, bytes, r) != 0)
        return -1;
    if (view == NULL) {
        view = staging = xcalloc(1, bytes);
        rc = device_read(device, from, 0, bytes, staging, r);
    }
    if (rc == 0)
        rc = device_write(c->host, c->arg[c->count - 1].buffer, 0, bytes, view, r);
    free(staging);
    return rc;
}

/* Adds what an inout parameter held before the call. */
static int
add_before(struct checking *c, int param, uint64_t seed, struct report *r)
{
    const struct call_set *known = c->known;
    void *bytes;
    int rc;

    if (known->start[param] != NULL)
        return add_copy(c, known->device, known->start[param], param, r);
    if (add_buffer(c, c->set->extent[param].bytes, r) != 0)
        return -1;
    bytes = xcalloc(1, c->set->extent[param].bytes);
    rc = problem_make(c->set->problem, c->set->test, param, seed, bytes, r);
    if (rc == 0)
        rc = device_write(c->host, c->arg[c->count - 1].buffer, 0,
                          c->set->extent[param].bytes, bytes, r);
    free(bytes);
    return rc;
}

static int
add_param(struct checking *c, int param, uint64_t seed, struct report *r)
{
    const struct call_set *set = c->set, *known = c->known;
    const struct param *p = &set->problem->param[param];

    if (p->dir == DIR_SCALAR) {
        c->arg[c->count++] = (struct author_arg){
            .value = problem_scalar_bits(set->problem, set->test, param)};
        return 0;
    }
    if (p->dir == DIR_IN)
        return add_copy(c, known->device, known->buffer[param], param, r);
    if (p->dir == DIR_INOUT && add_before(c, param, seed, r) != 0)
        return -1;
    if (add_copy(c, known->device, known->buffer[param], param, r) != 0)
        return -1;
    return add_copy(c, set->device, set->copy[param], param, r);
}

static int
take_answer(const struct checking *c, struct checker_finding *out, struct report *r)
{
    const struct problem *p = c->set->problem;
    struct answer_block answer;

    memcpy(&answer, device_view(c->arg[0].buffer), sizeof answer);
    *out = (struct checker_finding){.param = -1};
    if (answer.failed == 0)
        return 0;
    answer.output[sizeof answer.output - 1] = '\0';
    out->param = problem_param_index(p, answer.output);
    if (out->param < 0 || !param_is_output(&p->param[out->param]))
        return report_fail(r, "checker.c of %s names \"%s\", which is no output", p->slug,
                           answer.output);
    if (answer.index >= c->set->extent[out->param].count)
        return report_fail(r, "checker.c of %s names %s[%ju], which has %ju elements",
                           p->slug, answer.output, (uintmax_t)answer.index,
                           (uintmax_t)c->set->extent[out->param].count);
    out->index = answer.index;
    snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof answer.text - 1,
             answer.text[0] != '\0' ? answer.text : "is not right");
    return 0;
}

/* The checker crashed on these outputs. A submission must not be able to make the judge
 * fail, so they are wrong. `problem check` tells the author of the checker. */
static void
take_crash(const struct checking *c, struct checker_finding *out, struct report *r)
{
    const struct problem *p = c->set->problem;

    *out = (struct checker_finding){.crashed = true};
    while (!param_is_output(&p->param[out->param]) ||
           problem_tolerance(p, out->param, false).mode != COMPARE_CHECKER)
        out->param++;
    snprintf(out->text, sizeof out->text, "the problem's checker cannot judge it: %.300s",
             r->text);
    *r = (struct report){0};
}

int
checker_run(struct author *checker, const struct call_set *set,
            const struct call_set *known, uint64_t seed, bool benchmark,
            struct checker_finding *out, struct report *r)
{
    struct checking c = {.host = author_device(checker), .set = set, .known = known};
    const struct answer_block question = {.benchmark = benchmark};
    int rc = add_buffer(&c, sizeof question, r);

    if (rc == 0)
        rc = device_write(c.host, c.arg[0].buffer, 0, sizeof question, &question, r);
    for (int i = 0; i < set->problem->param_count && rc == 0; i++)
        rc = add_param(&c, i, seed, r);
    if (rc == 0)
        rc = author_call(checker, c.arg, c.count, r);
    if (rc == 0) {
        rc = take_answer(&c, out, r);
    } else if (rc > 0) {
        take_crash(&c, out, r);
        rc = 0;
    }
    for (int i = 0; i < c.count; i++)
        device_free(c.host, c.arg[i].buffer);
    return rc;
}
