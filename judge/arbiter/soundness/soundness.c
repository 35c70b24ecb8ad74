#include "arbiter/soundness/soundness.h"

#include "arbiter/judging/outputs.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define STATEMENT_BYTES_MAX ((size_t)1 << 20)

bool
soundness_accepts(struct soundness *s, enum accept a)
{
    if (s->problem->accepts[a] == NULL)
        return false;
    s->accept_used[a] = true;
    return true;
}

bool
soundness_accepts_of(struct soundness *s, enum accept a, int output)
{
    if (output < 0 || s->problem->accepts_of[a][output] == NULL)
        return soundness_accepts(s, a);
    s->accept_of_used[a][output] = true;
    return true;
}

/* --- one call ----------------------------------------------------------------------- */

static const char *
reference_name(const struct soundness *s)
{
    return s->problem->has_reference_c ? "reference.c" : "reference.cu";
}

static void
blame_reference(struct soundness *s, struct report *r)
{
    const bool inputs = strncmp(r->text, "inputs.c", strlen("inputs.c")) == 0;

    findings_add(&s->findings, inputs ? "inputs.c" : reference_name(s), "%s", r->text);
    *r = (struct report){0};
}

/* Adds a finding if two answers to the same call differ in a bit. Inputs are made from
 * the seed alone. Outputs began with other random bits, so the reference must write them
 * all. */
static int
compare_answers(struct soundness *s, const struct sound_call *call,
                const struct answer *again, struct report *r)
{
    const int output = soundness_different(s->problem, &call->answer, again);
    char *sizes, *why;

    if (output < 0)
        return 0;
    if (soundness_why_different(s, call, &why, r) != 0)
        return -1;
    sizes = problem_sizes_text(s->problem, call->test);
    findings_add(&s->findings, reference_name(s),
                 "test %d (%s): %s comes out differently the second time: %s",
                 call->number + 1, sizes, s->problem->param[output].name, why);
    s->told_different = true;
    free(sizes);
    free(why);
    return 0;
}

/* Adds a finding if the reference has changed an input. The call's buffers were filled as
 * the reference's were, so an input that differs now was changed. */
static void
find_changed_inputs(struct soundness *s, const struct sound_call *call)
{
    const struct call_set *known = call->answer.known;

    for (int i = 0; !s->told_changed && i < s->problem->param_count; i++) {
        if (s->problem->param[i].dir != DIR_IN ||
            memcmp(device_view(known->buffer[i]), device_view(call->set.buffer[i]),
                   known->extent[i].bytes) == 0)
            continue;
        findings_add(&s->findings, reference_name(s),
                     "changes %s, which is an input: submissions may not",
                     s->problem->param[i].name);
        s->told_changed = true;
    }
}

static int
answer_twice(struct soundness *s, struct sound_call *call, struct report *r)
{
    struct answer again = {0};
    int rc = reference_answer(s->reference, call->test, call->seed, &call->answer, r);

    /* The benchmark takes longest, and shows nothing here that the tests do not. */
    if (rc == 0 && call->number >= 0) {
        rc = reference_answer(s->reference, call->test, call->seed, &again, r);
        if (rc == 0)
            rc = compare_answers(s, call, &again, r);
        answer_free(&again);
    }
    return rc;
}

/* Turns a failure of inputs.c or checker.c into a finding, and says whether it was one.
 * The report of such a failure begins with the program's name. */
static bool
blame_author(struct soundness *s, struct report *r)
{
    static const char *const names[] = {"inputs.c", "checker.c"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t len = strlen(names[i]);

        if (strncmp(r->text, names[i], len) != 0 ||
            strncmp(r->text + len, " of ", 4) != 0)
            continue;
        findings_add(&s->findings, names[i], "%s", r->text);
        *r = (struct report){0};
        return true;
    }
    return false;
}

/* Returns 1, with a finding, if the reference's own outputs are not taken for right by
 * the rule or the checker that judges them. */
static int
check_right(struct soundness *s, struct sound_call *call, struct report *r)
{
    const struct call_set *known = call->answer.known;
    struct outputs_finding finding;
    char *sizes, *test;

    for (int i = 0; i < s->problem->param_count; i++)
        if (call->set.copy[i] != NULL &&
            device_copy(s->device, call->set.copy[i], known->buffer[i], r) != 0)
            return -1;
    if (outputs_compare(s->device, &call->set, &call->answer, call->number < 0, &finding,
                        r) != 0)
        return -1;
    if (finding.param < 0)
        return 0;
    sizes = problem_sizes_text(s->problem, call->test);
    test = call->number < 0 ? xstrdup("the benchmark")
                            : xasprintf("test %d", call->number + 1);
    findings_add(&s->findings, s->problem->has_checker_c ? "checker.c" : "problem.json",
                 "%s (%s): the reference's own %s is not taken for right: %s", test,
                 sizes, s->problem->param[finding.param].name, finding.text);
    free(test);
    free(sizes);
    return 1;
}

/* Makes all checks of one call. Returns 1, with a finding, if something of the author's
 * failed that all further checks need. */
static int
run_call(struct soundness *s, struct sound_call *call, struct report *r)
{
    int rc = answer_twice(s, call, r);
    bool leaves = rc == 0 && s->told_different;

    if (rc != 0 && reference_failed(s->reference)) {
        blame_reference(s, r);
        leaves = reference_ended(s->reference) || reference_broke_fence(s->reference);
        rc = 1;
    }
    if (leaves && s->problem->has_reference_c && soundness_keep_call(s, call, r) != 0)
        rc = -1;
    else if (leaves)
        rc = 1; /* nothing can be compared with an answer that changes */
    if (rc == 0 &&
        (call_set_alloc(&call->set, s->device, s->problem, call->test, false, r) != 0 ||
         call_set_alloc_copies(&call->set, r) != 0 ||
         reference_fill(s->reference, &call->set, call->seed, r) != 0))
        rc = -1;
    if (rc == 0)
        find_changed_inputs(s, call);
    if (rc == 0 && call->test->sample_test)
        soundness_example(s, call);
    if (rc == 0)
        rc = check_right(s, call, r);
    if (rc == 0)
        rc = soundness_rounding(s, call, r);
    if (rc == 0)
        rc = soundness_mutants(s, call, r);
    if (rc < 0 && blame_author(s, r))
        rc = 1;
    call_set_free(&call->set);
    answer_free(&call->answer);
    return rc;
}

static int
run_calls(struct soundness *s, struct report *r)
{
    const int tests = s->problem->test_count;
    int rc = 0;

    for (int i = 0; rc == 0 && i <= tests; i++) {
        struct sound_call call = {.number = i < tests ? i : -1,
                                  .seed = (uint64_t)(i + 1)};

        call.test = i < tests ? &s->problem->test[i] : &s->problem->benchmark_emu;
        rc = run_call(s, &call, r);
    }
    if (rc == 0) {
        soundness_mutants_end(s);
        soundness_example_end(s);
    }
    return rc < 0 ? -1 : 0;
}

/* --- all checks --------------------------------------------------------------------- */

int
soundness_open_reference(struct soundness *s, const char *folder, const char *program,
                         struct reference **out, struct report *r)
{
    const struct reference_options options = {
        .folder = folder,
        .program = program,
        .kind = s->problem->has_reference_c ? "c" : "cu",
        .runner_program = s->runner_program,
        .fenced = true,
        .device_options = {.gpu_program = s->gpu_program,
                           .insecure = s->job.insecure,
                           .memory_limit = s->problem->memory_limit,
                           .gpus = s->problem->gpus}};

    return reference_open(&options, s->problem, s->device, out, r);
}

static int
open_soundness(struct soundness *s, const char *folder, struct report *r)
{
    struct device_options options = {0};

    if (config_load(&s->config, r) != 0 || job_read(folder, &s->job, r) != 0)
        return -1;
    s->gpu_program = config_libexec(&s->config, "warpjudge-gpu");
    s->runner_program = config_libexec(&s->config, "warpjudge-runner");
    s->problem = problem_load(s->job.problems_dir, s->job.problem, r);
    if (s->problem == NULL)
        return -1;
    options.gpu_program = s->gpu_program;
    options.insecure = s->job.insecure;
    options.memory_limit = s->problem->memory_limit;
    options.gpus = s->problem->gpus;
    s->device = device_open("emu", &options, r);
    if (s->device == NULL ||
        soundness_open_reference(s, folder, NULL, &s->reference, r) != 0 ||
        soundness_rounding_open(s, folder, r) != 0)
        return -1;
    s->mutant = mutants_of(s->problem, &s->mutant_count);
    return mutant_fewer_bits(s->problem) >= 0
               ? soundness_open_reference(s, folder, NULL, &s->rounder, r)
               : 0;
}

static int
read_statement(struct soundness *s, struct report *r)
{
    char *path = xasprintf("%s/statement.md", s->problem->folder);
    struct buf text = {0};
    int rc = file_read(path, STATEMENT_BYTES_MAX, &text, r);

    if (rc == 0)
        soundness_example_begin(s, buf_str(&text));
    buf_free(&text);
    free(path);
    return rc;
}

/* Why an exemption that was not needed is refused. The caller frees it. */
static char *
why_unused(const struct problem *p, enum accept a)
{
    const int general = (int)a - (ACCEPT_BENCHMARK_ZEROS - ACCEPT_ZEROS);

    if (a >= ACCEPT_BENCHMARK_ZEROS && a <= ACCEPT_BENCHMARK_FP32 &&
        p->accepts[general] != NULL)
        return xasprintf("$.accepts.%s is for the benchmark, too",
                         accept_key((enum accept)general));
    return xstrdup("the rule holds");
}

static void
report_unused_accepts(struct soundness *s)
{
    for (int a = 0; a < ACCEPT_COUNT; a++) {
        char *where = xasprintf("problem.json: $.accepts.%s", accept_key((enum accept)a));
        char *why = why_unused(s->problem, (enum accept)a);

        if (s->problem->accepts[a] != NULL && !s->accept_used[a])
            findings_add(&s->findings, where, "is not needed: %s", why);
        for (int i = 0; i < s->problem->param_count; i++)
            if (s->problem->accepts_of[a][i] != NULL && !s->accept_of_used[a][i])
                findings_add(&s->findings, where, "is not needed for %s: %s",
                             s->problem->param[i].name, why);
        free(where);
        free(why);
    }
}

static void
close_soundness(struct soundness *s)
{
    soundness_rounding_close(s);
    reference_close(s->rounder);
    reference_close(s->reference);
    device_close(s->device);
    problem_free(s->problem);
    soundness_example_free(s);
    findings_free(&s->findings);
    job_free(&s->job);
    config_free(&s->config);
    free(s->mutant);
    free(s->gpu_program);
    free(s->runner_program);
}

int
soundness_run(const char *folder, struct report *r)
{
    struct soundness s = {.folder = folder};
    int rc = open_soundness(&s, folder, r), found;

    if (rc == 0)
        rc = read_statement(&s, r);
    if (rc == 0) {
        soundness_sizes(&s);
        rc = soundness_work(&s, r);
    }
    found = s.findings.count;
    /* The calls take long. They wait for the spec, from which their sizes follow. */
    s.findings.uncalled = found > 0;
    if (rc == 0 && found == 0)
        rc = run_calls(&s, r);
    /* After a finding, not every exemption had its chance to be needed. */
    if (rc == 0 && s.findings.count == found)
        report_unused_accepts(&s);
    if (rc == 0)
        rc = findings_write(folder, &s.findings, r);
    close_soundness(&s);
    return rc;
}
