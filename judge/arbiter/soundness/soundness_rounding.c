/*
 * Proves that a problem does not hang on rounding. The reference in C is compiled twice
 * more, to arithmetic that an honest submission may have. Its answers must be taken for
 * right at every test, and at the benchmark on emu.
 */
#include "arbiter/judging/explain.h"
#include "arbiter/judging/outputs.h"
#include "arbiter/soundness/soundness.h"

#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *program;
    struct rounding rounding;
} programs[ROUNDINGS] = {
    {"reference-contracted",
     {NULL, "with fused multiply-adds and sums in another order", -1}},
    {"reference-float",
     {NULL, "with float for double, fused multiply-adds and sums in another order",
      ACCEPT_FLOAT}},
};

int
soundness_rounding_open(struct soundness *s, const char *folder, struct report *r)
{
    for (int i = 0; i < ROUNDINGS; i++) {
        char *path = xasprintf("%s/%s", folder, programs[i].program);
        const bool is_there = access(path, F_OK) == 0;

        free(path);
        s->rounding[i] = programs[i].rounding;
        if (is_there && soundness_open_reference(s, folder, programs[i].program,
                                                 &s->rounding[i].reference, r) != 0)
            return -1;
    }
    return 0;
}

void
soundness_rounding_close(struct soundness *s)
{
    for (int i = 0; i < ROUNDINGS; i++) {
        reference_close(s->rounding[i].reference);
        s->rounding[i].reference = NULL;
    }
}

/* "test 3 (N=31)", which the caller frees. */
static char *
place_of(const struct soundness *s, const struct sound_call *call)
{
    char *sizes = problem_sizes_text(s->problem, call->test);
    char *place = call->number < 0 ? xasprintf("the benchmark (%s)", sizes)
                                   : xasprintf("test %d (%s)", call->number + 1, sizes);

    free(sizes);
    return place;
}

/* What is wrong with the copies, which the caller frees. */
static char *
refusal_of(const struct soundness *s, const struct sound_call *call,
           const struct outputs_finding *finding)
{
    const int i = finding->param;
    const size_t at = finding->result.first * dtype_size(s->problem->param[i].type);
    char *place = place_of(s, call), *text;
    const struct mismatch m = {
        .where = place,
        .param = &s->problem->param[i],
        .extent = &call->set.extent[i],
        .result = &finding->result,
        .got = (const char *)device_view(call->set.copy[i]) + at,
        .want = (const char *)device_view(call->answer.known->buffer[i]) + at};

    text = finding->text[0] == '\0'
               ? explain_mismatch(&m)
               : xasprintf("%s: %s: %s", place, s->problem->param[i].name, finding->text);
    free(place);
    return text;
}

/* Adds the finding, unless the spec has an exemption. Nothing more is asked of this
 * arithmetic. */
static void
blame_rounding(struct soundness *s, const struct sound_call *call,
               struct rounding *rounding, const char *refusal)
{
    const char *where =
        call->number < 0 ? "problem.json: $.benchmark.emu" : "problem.json: $.tests";

    reference_close(rounding->reference);
    rounding->reference = NULL;
    if (rounding->accept < 0)
        findings_add(&s->findings, where,
                     "reference.c %s is refused: %s: keep the inputs away from where "
                     "rounding decides, or accept both answers",
                     rounding->how, refusal);
    else if (!soundness_accepts(s, (enum accept)rounding->accept))
        findings_add(&s->findings, where,
                     "reference.c %s is refused: %s: keep the inputs away from where "
                     "rounding decides, accept both answers, or say why in $.accepts.%s",
                     rounding->how, refusal, accept_key((enum accept)rounding->accept));
}

static int
try_rounding(struct soundness *s, struct sound_call *call, struct rounding *rounding,
             struct report *r)
{
    struct answer answer = {0};
    struct outputs_finding finding;
    char *refusal;
    int rc = reference_answer(rounding->reference, call->test, call->seed, &answer, r);

    if (rc != 0 && reference_failed(rounding->reference)) {
        answer_free(&answer);
        blame_rounding(s, call, rounding, r->text);
        *r = (struct report){0};
        return 0;
    }
    for (int i = 0; rc == 0 && i < s->problem->param_count; i++)
        if (call->set.copy[i] != NULL)
            rc = device_copy(s->device, call->set.copy[i], answer.known->buffer[i], r);
    if (rc == 0)
        rc = outputs_compare(s->device, &call->set, &call->answer, call->number < 0,
                             &finding, r);
    answer_free(&answer);
    if (rc != 0 || finding.param < 0)
        return rc;
    refusal = refusal_of(s, call, &finding);
    blame_rounding(s, call, rounding, refusal);
    free(refusal);
    return 0;
}

int
soundness_rounding(struct soundness *s, struct sound_call *call, struct report *r)
{
    for (int i = 0; i < ROUNDINGS; i++)
        if (s->rounding[i].reference != NULL &&
            try_rounding(s, call, &s->rounding[i], r) != 0)
            return -1;
    return 0;
}
