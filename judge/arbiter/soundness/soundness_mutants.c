/* Tries every mutant at each test until one test has caught it, and at the benchmark. */
#include "arbiter/judging/outputs.h"
#include "arbiter/soundness/soundness.h"

#include <stdlib.h>

/* Adds a finding, once, that the checker crashed. A checker must have an answer to
 * whatever a submission leaves. */
static void
blame_checker(struct soundness *s, const struct mutant *mutant, const char *why)
{
    char *text = mutant_text(mutant, s->problem);

    if (!s->told_checker)
        findings_add(&s->findings, "checker.c", "with %s: %s", text, why);
    s->told_checker = true;
    free(text);
}

static int
judge_copies(struct soundness *s, struct mutant *mutant, const struct sound_call *call,
             struct report *r)
{
    const bool benchmark = call->number < 0;
    struct outputs_finding finding;

    if (outputs_compare(s->device, &call->set, &call->answer, benchmark, &finding, r) !=
        0)
        return -1;
    if (finding.checker_crashed)
        blame_checker(s, mutant, finding.text);
    *(benchmark ? &mutant->benchmark_tried : &mutant->tests_tried) += 1;
    *(benchmark ? &mutant->benchmark_failed : &mutant->tests_failed) +=
        finding.param >= 0;
    return 0;
}

/* Tries the answer that the reference gives for rounded inputs. If rounding changes no
 * input (small integers, for instance), the right outputs are rounded instead. A
 * reference that fails on rounded inputs gives no right answer, so the mutant counts as
 * caught. */
static int
try_fewer_bits(struct soundness *s, struct mutant *mutant, struct sound_call *call,
               struct report *r)
{
    struct answer rounded = {0};
    uint64_t changed = 0;
    int rc;

    if (s->rounder == NULL)
        return 0;
    rc = reference_answer_changed(s->rounder, call->test, call->seed, mutant_round_inputs,
                                  &changed, &rounded, r);
    if (rc != 0 && reference_failed(s->rounder)) {
        *r = (struct report){0};
        mutant->tests_tried++;
        mutant->tests_failed++;
        mutant->benchmark_tried++;
        mutant->benchmark_failed++;
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
        rc = mutant_round_outputs(&call->set, call->answer.known, &changed, r);
    }
    answer_free(&rounded);
    return rc == 0 && changed > 0 ? judge_copies(s, mutant, call, r) : rc;
}

int
soundness_mutants(struct soundness *s, struct sound_call *call, struct report *r)
{
    const bool benchmark = call->number < 0;

    for (int i = 0; i < s->mutant_count; i++) {
        struct mutant *mutant = &s->mutant[i];
        bool applies = true;
        int rc;

        if (!benchmark && mutant->tests_failed > 0)
            continue;
        if (mutant->kind == MUTANT_FEWER_BITS) {
            rc = try_fewer_bits(s, mutant, call, r);
        } else {
            rc = mutant_make(mutant, &call->set, &call->set, &call->answer, benchmark,
                             &applies, r);
            if (rc == 0 && applies)
                rc = judge_copies(s, mutant, call, r);
        }
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* --- what passed -------------------------------------------------------------------- */

/* The exemption for a kind of mutant, or -1 if there is none. */
static int
accept_of(const struct soundness *s, enum mutant_kind kind)
{
    switch (kind) {
    case MUTANT_ZEROS:
        return ACCEPT_ZEROS;
    case MUTANT_CONSTANT:
        return ACCEPT_CONSTANT;
    case MUTANT_COPY:
        return ACCEPT_COPY;
    case MUTANT_FEWER_BITS:
        return mutant_fewer_bits(s->problem);
    case MUTANT_ELEMENT:
    case MUTANT_NAN:
        break;
    }
    return -1;
}

static bool
mutant_passed_tests(const struct mutant *m)
{
    /* A mutant that could be made nowhere tells nothing, except for FEWER_BITS: some test
     * must tell fewer bits apart. */
    return m->tests_failed == 0 && (m->tests_tried > 0 || m->kind == MUTANT_FEWER_BITS);
}

static bool
mutant_passed_benchmark(const struct mutant *m)
{
    return m->benchmark_failed == 0 && m->benchmark_tried > 0;
}

static void
report_tests(struct soundness *s, const struct mutant *mutant, const char *text)
{
    const int accept = accept_of(s, mutant->kind);
    const char *benchmark = "";

    if (accept >= 0 && soundness_accepts_of(s, (enum accept)accept, mutant->output))
        return;
    /* The exemption for the tests is one for the benchmark, too. */
    if (accept >= 0 && mutant_passed_benchmark(mutant))
        benchmark = " and the benchmark's check";
    if (mutant->tests_tried == 0)
        findings_add(&s->findings, "problem.json: $.tests",
                     "no test can tell a computation in fewer bits, all its numbers are "
                     "the same in fewer: draw others, or say why in $.accepts.%s",
                     accept_key((enum accept)accept));
    else if (accept >= 0)
        findings_add(&s->findings, "problem.json: $.tests",
                     "%s passes every test%s: add one that it fails, tighten its "
                     "tolerance, or say why in $.accepts.%s",
                     text, benchmark, accept_key((enum accept)accept));
    else
        findings_add(&s->findings, "problem.json: $.tests", "%s passes every test", text);
}

static void
report_benchmark(struct soundness *s, const struct mutant *mutant, const char *text)
{
    const int general = accept_of(s, mutant->kind);
    enum accept accept;

    if (general < 0) {
        findings_add(&s->findings, "problem.json: $.benchmark.emu",
                     "%s passes the benchmark's check", text);
        return;
    }
    accept = (enum accept)(general + ACCEPT_BENCHMARK_ZEROS - ACCEPT_ZEROS);
    if (mutant_passed_tests(mutant))
        return; /* report_tests() has told it */
    if (s->problem->accepts[general] != NULL ||
        (mutant->output >= 0 &&
         s->problem->accepts_of[general][mutant->output] != NULL) ||
        soundness_accepts_of(s, accept, mutant->output))
        return;
    findings_add(&s->findings, "problem.json: $.benchmark.emu",
                 "%s passes the benchmark's check: tighten the tolerance, draw other "
                 "values, or say why in $.accepts.%s",
                 text, accept_key(accept));
}

void
soundness_mutants_end(struct soundness *s)
{
    for (int i = 0; i < s->mutant_count; i++) {
        const struct mutant *mutant = &s->mutant[i];
        char *text = mutant_text(mutant, s->problem);

        if (mutant_passed_tests(mutant))
            report_tests(s, mutant, text);
        if (mutant_passed_benchmark(mutant))
            report_benchmark(s, mutant, text);
        free(text);
    }
}
