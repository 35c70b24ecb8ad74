#include "arbiter/functional_tests.h"

#include "arbiter/judging/arrays.h"
#include "arbiter/judging/blame.h"
#include "arbiter/judging/differences.h"
#include "arbiter/judging/explain.h"
#include "arbiter/judging/findings.h"
#include "arbiter/judging/progress.h"
#include "arbiter/judging/trial.h"
#include "arbiter/measuring/timing.h"

#include <math.h>
#include <stdlib.h>

/* Bytes that a user is shown of what a submission prints in one test. */
#define SHOWN_OUTPUT_MAX 2048

/* Adds one line of `warpjudge run`: "A = [1, 2, 3]". */
static int
add_values(struct buf *out, struct device *d, const char *label, const struct param *p,
           const struct extent *e, const struct device_buffer *b, struct report *r)
{
    uint64_t values[EXPLAIN_VALUES_MAX]; /* large enough for every type */
    uint64_t count = e->count < EXPLAIN_VALUES_MAX ? e->count : EXPLAIN_VALUES_MAX;

    if (device_read(d, b, 0, count * dtype_size(p->type), values, r) != 0)
        return -1;
    buf_printf(out, "%s%s = ", label, p->name);
    explain_values(out, p->type, e, values, count);
    buf_puts(out, "\n");
    return 0;
}

/* Adds what the submission printed during one test, because printf is a learner's
 * debugger. */
static void
add_output(struct buf *out, struct judgement *j, size_t printed_before)
{
    const struct buf *said = runner_link_output(j->runner);

    if (said->len > printed_before) {
        buf_puts(out, "printed:\n");
        explain_untrusted(out, said->data + printed_before, said->len - printed_before,
                          SHOWN_OUTPUT_MAX);
    }
}

/* Makes the text of a sample test for people: inputs, outputs, expected outputs, and what
 * the submission printed. The caller frees *detail. */
static int
describe_sample(struct judgement *j, const struct trial *t, size_t printed_before,
                char **detail, struct report *r)
{
    const struct problem *problem = j->problem;
    const struct call_set *set = t->set;
    const struct answer *a = t->answer;
    const bool has_outputs = j->outcome.verdict == VERDICT_ACCEPTED ||
                             j->outcome.verdict == VERDICT_WRONG_ANSWER;
    struct buf out = {0};
    int rc = 0;

    for (int i = 0; i < problem->param_count && rc == 0; i++) {
        const struct param *p = &problem->param[i];

        if (p->dir == DIR_IN)
            rc = add_values(&out, j->device, "", p, &set->extent[i], a->known->buffer[i],
                            r);
    }
    for (int i = 0; i < problem->param_count && rc == 0; i++) {
        const struct param *p = &problem->param[i];

        if (!param_is_output(p))
            continue;
        if (has_outputs)
            rc = add_values(&out, j->device, "", p, &set->extent[i], set->copy[i], r);
        if (rc == 0)
            rc = add_values(&out, j->device, "expected ", p, &set->extent[i],
                            a->known->buffer[i], r);
    }
    if (rc == 0 && j->own != NULL && j->outcome.verdict == VERDICT_WRONG_ANSWER)
        rc = differences_describe(j->device, set, a, &out, r);
    add_output(&out, j, printed_before);
    if (rc == 0)
        *detail = buf_take(&out);
    buf_free(&out);
    return rc;
}

/* Does this test of the spec's decide the verdict? */
static bool
test_decides(const struct judgement *j, int index)
{
    return judgement_runs(j, index) && !j->problem->test[index].beyond;
}

/* Is the user told the values of this test if it fails, and what was printed in it?
 * `submit` tells none after a hidden test, whose values the submission may have kept to
 * print them now. */
static bool
test_may_be_told(const struct judgement *j, int index)
{
    if (j->job.sample_tests_only)
        return true;
    if (!test_decides(j, index))
        return false;
    for (int i = 0; i <= index; i++)
        if (test_decides(j, i) && !j->problem->test[i].sample_test)
            return false;
    return true;
}

/* Is the user told these values of the test, which has just ended? `run` tells them of
 * each test, `submit` of one that failed. */
static bool
test_is_told(const struct judgement *j, int index)
{
    return test_may_be_told(j, index) &&
           (j->job.sample_tests_only || j->outcome.verdict != VERDICT_ACCEPTED);
}

/* What is told of an output of this test that is wrong? A test beyond the source's cases
 * decides nothing, and its failure is a remark. */
static enum trial_tells
test_tells(const struct judgement *j, int index)
{
    if (!test_decides(j, index))
        return TRIAL_TELLS_ELEMENT;
    return test_may_be_told(j, index) ? TRIAL_TELLS_VALUES : TRIAL_TELLS_PLACES;
}

/* Allocates the buffers of a test, or takes those of the test before, where they are as
 * large. To map memory of a GPU takes its driver longer than most tests. *attach: the
 * runner is to map them. */
static int
open_set(struct judgement *j, int index, struct call_set *set, bool *attach,
         struct report *r)
{
    const struct test_case *t = &j->problem->test[index];

    *attach = set->problem == NULL || !call_set_reuse(set, t);
    if (*attach) {
        call_set_free(set);
        if (call_set_alloc(set, j->device, j->problem, t, true, r) != 0)
            return -1;
        set->slot = timing_slots(j->timing);
    }
    return call_set_alloc_copies(set, r);
}

/* *set is that of the test before, or zeros. The caller frees it. */
static int
run_test(struct judgement *j, int index, struct call_set *set, struct test_result *out,
         struct report *r)
{
    bool attach = true;
    const int opened = open_set(j, index, set, &attach, r);
    char *sizes = problem_sizes_text(j->problem, &j->problem->test[index]);
    char *where = j->own != NULL ? xasprintf("your case (%s)", sizes)
                                 : xasprintf("test %d (%s)", index + 1, sizes);
    const struct trial trial = {.set = set,
                                .answer = &j->answer[index],
                                .where = where,
                                .attach = attach,
                                .tells = test_tells(j, index),
                                .watched = true};
    struct trial_result result;
    const size_t printed_before = runner_link_output(j->runner)->len;
    int rc = opened == 0 ? trial_run(j, &trial, &result, r) : -1;

    if (rc == 0) {
        findings_name_test(&j->outcome, index + 1, sizes);
        *out = (struct test_result){
            .number = index + 1, .verdict = j->outcome.verdict, .sizes = sizes};
        sizes = NULL;
        if (test_is_told(j, index))
            rc = describe_sample(j, &trial, printed_before, &out->detail, r);
        if (rc == 0 && j->own != NULL && j->own->arrays)
            rc = arrays_take(j, &trial, r);
    }
    answer_free(&j->answer[index]);
    free(where);
    free(sizes);
    return rc;
}

/* Runs the tests that decide the verdict, until one fails. */
static int
run_tests(struct judgement *j, int of, struct call_set *set, struct report *r)
{
    for (int i = 0; i < j->problem->test_count; i++) {
        if (!test_decides(j, i))
            continue;
        if (run_test(j, i, set, &j->result.test[j->result.test_count], r) != 0)
            return -1;
        j->result.test_count++;
        progress("test", j->result.test_count, of);
        if (j->outcome.verdict != VERDICT_ACCEPTED)
            break;
    }
    return 0;
}

int
functional_tests_run(struct judgement *j, struct report *r)
{
    struct call_set set = {0};
    int of = 0, rc;

    for (int i = 0; i < j->problem->test_count; i++)
        of += test_decides(j, i);
    if (of == 0)
        return report_fail(r, "the problem %s has no sample tests to run",
                           j->problem->slug);
    j->result.test = xcalloc((size_t)j->problem->test_count, sizeof *j->result.test);
    rc = run_tests(j, of, &set, r);
    call_set_free(&set);
    return rc;
}

/* --- beyond the largest case of the problem's source ------------------------ */

/* "right up to N=250000; " and "; the statement allows N up to 100000000", of the first
 * scalar that is larger in the test than in all that decided the verdict. Both are empty
 * if there is none. */
static void
describe_edge(const struct judgement *j, const struct test_case *beyond,
              struct buf *right_up_to, struct buf *allowed)
{
    const struct problem *p = j->problem;
    const struct test_case *timed =
        device_clock_modelled(j->device) ? &p->benchmark_emu : &p->benchmark_cuda;

    for (int k = 0; k < p->param_count; k++) {
        double largest = timed->scalar[k];

        if (p->param[k].dir != DIR_SCALAR)
            continue;
        for (int i = 0; i < p->test_count; i++)
            if (!p->test[i].beyond && p->test[i].scalar[k] > largest)
                largest = p->test[i].scalar[k];
        if (beyond->scalar[k] <= largest)
            continue;
        buf_printf(right_up_to, "right up to %s=%.15g; ", p->param[k].name, largest);
        if (isfinite(p->param[k].max))
            buf_printf(allowed, "; the statement allows %s up to %.15g", p->param[k].name,
                       p->param[k].max);
        return;
    }
}

/* A failure beyond becomes a remark, and the submission stays accepted. */
static void
remark_on_failure(struct judgement *j, int index)
{
    struct buf edge = {0}, allowed = {0};

    describe_edge(j, &j->problem->test[index], &edge, &allowed);
    timing_fields_remark(
        &j->result.timing,
        xasprintf("%swrong beyond the cases of the problem's source: %s%s",
                  buf_str(&edge), j->outcome.message, buf_str(&allowed)));
    outcome_free(&j->outcome);
    j->outcome = (struct outcome){.verdict = VERDICT_ACCEPTED};
    buf_free(&edge);
    buf_free(&allowed);
}

int
functional_tests_run_beyond(struct judgement *j, struct report *r)
{
    for (int i = 0; i < j->problem->test_count; i++) {
        struct call_set set = {0};
        int rc;

        if (!judgement_runs(j, i) || !j->problem->test[i].beyond)
            continue;
        rc = run_test(j, i, &set, &j->result.test[j->result.test_count], r);
        call_set_free(&set);
        if (rc != 0 && blame_submission(j, r) != 0)
            return -1;
        if (j->outcome.verdict == VERDICT_ACCEPTED) {
            j->result.test_count++;
            continue;
        }
        /* The process may be gone: nothing comes after this. */
        free(j->result.test[j->result.test_count].sizes);
        j->result.test[j->result.test_count] = (struct test_result){0};
        remark_on_failure(j, i);
        break;
    }
    return 0;
}
