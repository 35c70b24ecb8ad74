/* Every suspect at every test until one has caught it, and at the benchmark. */
#include "arbiter/judging/outputs.h"
#include "arbiter/soundness/soundness.h"

#include <stdlib.h>

/* It must have an answer to whatever a submission leaves. Told once. */
static void
blame_checker(struct soundness *s, const struct suspect *suspect, const char *why)
{
    char *text = suspect_text(suspect, s->problem);

    if (!s->told_checker)
        findings_add(&s->findings, "checker.c", "with %s: %s", text, why);
    s->told_checker = true;
    free(text);
}

static int
judge_copies(struct soundness *s, struct suspect *suspect, const struct sound_call *call,
             struct report *r)
{
    const bool benchmark = call->number < 0;
    struct outputs_finding finding;

    if (outputs_compare(s->device, &call->set, &call->answer, benchmark, &finding, r) !=
        0)
        return -1;
    if (finding.checker_crashed)
        blame_checker(s, suspect, finding.text);
    *(benchmark ? &suspect->benchmark_tried : &suspect->tests_tried) += 1;
    *(benchmark ? &suspect->benchmark_failed : &suspect->tests_failed) +=
        finding.param >= 0;
    return 0;
}

/* The reference with rounded inputs; where no input can be rounded (they are small whole
 * numbers), its right outputs rounded. A reference that fails on such inputs does not
 * give the right answer. */
static int
try_fewer_bits(struct soundness *s, struct suspect *suspect, struct sound_call *call,
               struct report *r)
{
    struct answer rounded = {0};
    uint64_t changed = 0;
    int rc;

    if (s->rounder == NULL)
        return 0;
    rc = reference_answer_changed(s->rounder, call->test, call->seed,
                                  suspect_round_inputs, &changed, &rounded, r);
    if (rc != 0 && reference_failed(s->rounder)) {
        *r = (struct report){0};
        suspect->tests_tried++;
        suspect->tests_failed++;
        suspect->benchmark_tried++;
        suspect->benchmark_failed++;
        answer_free(&rounded);
        reference_close(s->rounder);
        s->rounder = NULL;
        return 0;
    }
    if (rc == 0 && changed > 0) {
        for (int i = 0; rc == 0 && i < s->problem->param_count; i++)
            if (param_is_output(&s->problem->param[i]))
                rc = device_copy(s->device, call->set.copy[i], rounded.known->buffer[i],
                                 r);
    } else if (rc == 0) {
        rc = suspect_round_outputs(&call->set, call->answer.known, &changed, r);
    }
    answer_free(&rounded);
    return rc == 0 && changed > 0 ? judge_copies(s, suspect, call, r) : rc;
}

int
soundness_suspects(struct soundness *s, struct sound_call *call, struct report *r)
{
    const bool benchmark = call->number < 0;

    for (int i = 0; i < s->suspect_count; i++) {
        struct suspect *suspect = &s->suspect[i];
        bool applies = true;
        int rc;

        if (!benchmark && suspect->tests_failed > 0)
            continue;
        if (suspect->kind == SUSPECT_FEWER_BITS) {
            rc = try_fewer_bits(s, suspect, call, r);
        } else {
            rc = suspect_make(suspect, &call->set, &call->set, &call->answer, benchmark,
                              &applies, r);
            if (rc == 0 && applies)
                rc = judge_copies(s, suspect, call, r);
        }
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* --- what passed -------------------------------------------------------------------- */

/* The exemption of a kind, or -1: there is none. */
static int
accept_of(const struct soundness *s, enum suspect_kind kind)
{
    switch (kind) {
    case SUSPECT_ZEROS:
        return ACCEPT_ZEROS;
    case SUSPECT_CONSTANT:
        return ACCEPT_CONSTANT;
    case SUSPECT_COPY:
        return ACCEPT_COPY;
    case SUSPECT_FEWER_BITS:
        return suspect_fewer_bits(s->problem);
    case SUSPECT_ELEMENT:
    case SUSPECT_NAN:
        break;
    }
    return -1;
}

static void
report_tests(struct soundness *s, const struct suspect *suspect, const char *text)
{
    const int accept = accept_of(s, suspect->kind);

    if (accept >= 0 && soundness_accepts_of(s, (enum accept)accept, suspect->output))
        return;
    if (suspect->tests_tried == 0)
        findings_add(&s->findings, "problem.json: $.tests",
                     "no test can tell a computation in fewer bits, all its numbers are "
                     "the same in fewer: draw others, or say why in $.accepts.%s",
                     accept_key((enum accept)accept));
    else if (accept >= 0)
        findings_add(&s->findings, "problem.json: $.tests",
                     "%s passes every test: add one that it fails, tighten its "
                     "tolerance, or say why in $.accepts.%s",
                     text, accept_key((enum accept)accept));
    else
        findings_add(&s->findings, "problem.json: $.tests", "%s passes every test", text);
}

static void
report_benchmark(struct soundness *s, const struct suspect *suspect, const char *text)
{
    const int general = accept_of(s, suspect->kind);
    enum accept accept;

    if (general < 0) {
        findings_add(&s->findings, "problem.json: $.benchmark.emu",
                     "%s passes the benchmark's check", text);
        return;
    }
    accept = (enum accept)(general + ACCEPT_BENCHMARK_ZEROS - ACCEPT_ZEROS);
    if (s->problem->accepts[general] != NULL ||
        (suspect->output >= 0 &&
         s->problem->accepts_of[general][suspect->output] != NULL) ||
        soundness_accepts_of(s, accept, suspect->output))
        return;
    findings_add(&s->findings, "problem.json: $.benchmark.emu",
                 "%s passes the benchmark's check: tighten the tolerance, draw other "
                 "values, or say why in $.accepts.%s",
                 text, accept_key(accept));
}

void
soundness_suspects_end(struct soundness *s)
{
    for (int i = 0; i < s->suspect_count; i++) {
        const struct suspect *suspect = &s->suspect[i];
        char *text = suspect_text(suspect, s->problem);

        /* One that could be made nowhere tells nothing; fewer bits must be told apart. */
        if (suspect->tests_failed == 0 &&
            (suspect->tests_tried > 0 || suspect->kind == SUSPECT_FEWER_BITS))
            report_tests(s, suspect, text);
        if (suspect->benchmark_failed == 0 && suspect->benchmark_tried > 0)
            report_benchmark(s, suspect, text);
        free(text);
    }
}
