// links: fake_gpu arbiter device gpu_owner sandbox common
/*
 * Timed judgements as on a GPU, through real processes: what the policy decides
 * (test_timing_policy.c) comes to pass, and what is in no interval is in none. The GPU,
 * the host's CPUs and the clock of intervals are played (fixtures/fake_gpu.h).
 */
#include "../fixtures/fake_gpu.h"
#include "../fixtures/folder.h"

#include "arbiter/measuring/calibration.h"
#include "arbiter/measuring/timed_benchmark.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static bool
says(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

/* The number that an object has under a key. */
static double
json_number(const cJSON *o, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(o, key);

    assert_true(cJSON_IsNumber(item) && item->valuedouble >= 0);
    return item->valuedouble;
}

static void
a_time_has_an_interval_and_enough_samples(void **state)
{
    struct judgement j;
    const struct timing *t = &j.result.timing;

    (void)state;
    submission_add("submission", TALKS, SUM "spend(C, N, 1000 * (1 + calls++ % 3));");
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(t->present && !t->modelled);
    assert_true(t->sample_count >= SAMPLES_MIN);
    assert_true(t->empty_ns > 0);
    assert_float_equal(t->median_ns, 2e6, 1);
    assert_true(t->low_ns <= t->median_ns && t->median_ns <= t->high_ns);
    assert_float_equal(t->roofline_ns, 0, 0);
    assert_null(t->conditions);
    assert_null(t->remark);
    judgement_close(&j);
}

/* Whatever a program does with what it read of a timed call, no message has it. The test
 * has 4 elements, the timed calls 200000. */
static void
messages_tell_nothing_of_a_timed_call(void **state)
{
    static const struct {
        const char *body;
        enum verdict verdict;
        const char *staff; /* what the staff reads of it */
    } rows[] = {
        {SUM "if (N > 4) C[777] = 4242;", VERDICT_WRONG_ANSWER, "C[777] is 4242 where"},
        {SUM "if (N > 4) for (int i = 0; i < 4242; i++) A[i] = -7;", VERDICT_WRONG_ANSWER,
         "4242 of 200000 elements differ"},
        {SUM "if (N > 4) _exit(42);", VERDICT_RUNTIME_ERROR, "status 42"},
        {SUM "if (N > 4) raise(11);", VERDICT_RUNTIME_ERROR, "SIGSEGV"},
        {SUM "if (N > 4 && calls++ == 1) _exit(42);", VERDICT_RUNTIME_ERROR, "warm-up 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judgement j;

        submission_add("submission", TALKS "void _exit(int); int raise(int);",
                       rows[i].body);
        play = (struct play){0};
        fake_gpu_judge(&j, 1);
        assert_int_equal(j.result.verdict, rows[i].verdict);
        assert_true(says(j.result.message, rows[i].staff));
        judgement_close(&j);
        play = (struct play){.conceals = true};
        fake_gpu_judge(&j, 1);
        assert_int_equal(j.result.verdict, rows[i].verdict);
        assert_true(says(j.result.message, "a timed call (N=200000): it"));
        assert_true(says(j.result.message, "the largest of them has N=4."));
        assert_false(says(j.result.message, rows[i].staff));
        assert_null(strpbrk(strchr(j.result.message, ')'), "12356789"));
        judgement_close(&j);
    }
}

/* The process that the empty calls are timed in has nothing of it, until they have been
 * and the GPU was calibrated. */
static void
nothing_is_loaded_while_the_empty_calls_are_timed(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){
        .has_rates = true, .copy_bytes_per_ns = 1e9, .after_bytes_per_ns = 1e9};
    submission_add(
        "submission",
        "long write(int, const void *, unsigned long);\n"
        "__attribute__((constructor)) static void first(void) { write(1, \"!\", 1); }",
        SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(play.rates_calls, 2);
    assert_false(play.loaded);
    assert_true(play.spoke);
    assert_false(play.lives);
    judgement_close(&j);
}

/* A program that is right only where no call has the buffers of the one before, or of the
 * seventh before, and each has those of the eighth; and where no call has an earlier
 * one's inputs, or finds what an earlier one found in its outputs. */
static void
each_call_has_its_own_buffers_inputs_and_poison(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.poisons = true};
    submission_add(
        "submission",
        "static const float *had[8]; static unsigned long in[1000], out[1000];"
        "static int calls;",
        "const unsigned long *a = (void *)A, *c = (void *)C; int same = 0; "
        "for (int i = 0; i < 8; i++) same += had[i] == A; "
        "if (N == 200000 && calls < 1000) { "
        "if (same != (calls >= 8) || (same && had[calls % 8] != A)) return; "
        "for (int i = 0; i < calls; i++) if (in[i] == *a || out[i] == *c) return; "
        "had[calls % 8] = A; in[calls] = *a; out[calls++] = *c; }" SUM);
    fake_gpu_judge(&j, 1);
    assert_string_equal(j.result.message, "");
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
}

/* An empty solve() that takes as long as a GPU's turns from context to context, and a
 * program that does without; also where its calls count whole. */
static void
sooner_than_an_empty_kernel_is_disqualified(void **state)
{
    (void)state;
    submission_add("null", TALKS, "spend(C, N, 20000);");
    submission_add("submission", "", SUM);
    for (int whole = 0; whole <= 1; whole++) {
        struct judgement j;

        play = (struct play){.bus_bytes = whole ? 20e6 : 0};
        fake_gpu_judge(&j, 1);
        assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
        assert_non_null(strstr(j.result.message, "sooner than a solve()"));
        assert_true(j.result.may_retry);
        assert_int_equal(j.result.timing.median_ns > 0, whole);
        assert_int_equal(j.result.timing.high_ns > 0, whole);
        judgement_close(&j);
    }
    submission_add("null", "", "");
}

/* 12 bytes an element, at 10 bytes a us: 240 ms. */
static void
faster_than_the_hardware_is_disqualified(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){
        .has_rates = true, .copy_bytes_per_ns = 0.01, .after_bytes_per_ns = 0.01};
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_non_null(strstr(j.result.message, "at the very least"));
    assert_true(j.result.may_retry);
    assert_true(j.result.timing.roofline_ns > 230e6 &&
                j.result.timing.roofline_ns < 250e6);
    assert_string_equal(j.result.timing.roofline_by, "memory");
    assert_non_null(strstr(j.result.timing.conditions, "\"gpu\":\"GPU-played\""));
    judgement_close(&j);
}

/* What the steps of the calls took is a part of what all calls took. That of the calls
 * themselves has the program's two milliseconds each. */
static void
the_steps_of_the_calls_are_told(void **state)
{
    static const char *const step[] = {"reference", "arm",   "fill",
                                       "run",       "check", "state"};
    struct judgement j;
    cJSON *o, *steps;
    double sum = 0;
    int calls;

    (void)state;
    play = (struct play){
        .has_rates = true, .copy_bytes_per_ns = 1e3, .after_bytes_per_ns = 1e3};
    submission_add("submission", "#include <unistd.h>\n" TALKS, SUM "usleep(2000);");
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    calls = j.result.timing.warmup + j.result.timing.sample_count;
    o = cJSON_Parse(j.result.timing.conditions);
    steps = cJSON_GetObjectItem(o, "steps");
    assert_int_equal(cJSON_GetArraySize(steps), sizeof step / sizeof *step);
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        sum += json_number(steps, step[i]);
    assert_true(json_number(steps, "run") >= 2e-3 * calls);
    assert_true(sum <= json_number(cJSON_GetObjectItem(o, "seconds"), "timed"));
    cJSON_Delete(o);
    judgement_close(&j);
}

/* The same limit, but the pins carry more: who is below it may be honest, and is looked
 * at. Who is a thousand times slower than the limit need not be. */
static void
near_the_limit_is_for_review(void **state)
{
    (void)state;
    submission_add("submission", TALKS, SUM "spend(C, N, 3000);");
    for (int far = 0; far <= 1; far++) {
        const double rate = far ? 1e3 : 0.01;
        struct judgement j;

        play = (struct play){.has_rates = true,
                             .copy_bytes_per_ns = rate,
                             .after_bytes_per_ns = rate,
                             .peak_bytes_per_ns = 1e6};
        fake_gpu_forget_calibrations();
        fake_gpu_judge(&j, 1);
        assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
        assert_int_equal(j.result.timing.review, !far);
        judgement_close(&j);
    }
}

static void
calibration_that_fails_fails_nothing(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.has_rates = true, .rates_fail = true};
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_null(j.result.timing.conditions);
    assert_float_equal(j.result.timing.roofline_ns, 0, 0);
    judgement_close(&j);
}

/* Known as a GPU of 1000 bytes a ns, which has 900 after the timed calls. */
static void
a_slower_gpu_is_judged_again_then_remarked(void **state)
{
    const struct calibration usual = {1000, 1, 1e9};
    struct calibration_history h = {0};
    struct judgement j;
    char *path = xasprintf("%s/calibration", folder);
    struct report r = {0};

    (void)state;
    for (int i = 0; i < CALIBRATION_TRUSTED; i++)
        calibration_add(&h, &usual);
    if (file_mkdirs(path, &r) != 0)
        fail_msg("%s", r.text);
    free(path);
    path = xasprintf("%s/calibration/GPU-played.json", folder);
    if (calibration_save(path, &h, &r) != 0)
        fail_msg("%s", r.text);
    submission_add("submission", "", SUM);
    for (int attempt = 1; attempt <= 2; attempt++) {
        play = (struct play){.has_rates = true,
                             .copy_bytes_per_ns = 1000,
                             .after_bytes_per_ns = 900,
                             .bus_bytes = 20e6};
        fake_gpu_judge(&j, attempt);
        assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
        assert_int_equal(j.result.may_retry, attempt == 1);
        assert_non_null(strstr(j.result.timing.remark, "GPU's bus"));
        if (attempt == 2) /* both are said */
            assert_non_null(strstr(j.result.timing.remark, "10.0% below"));
        judgement_close(&j);
    }
    calibration_load(path, &h, &r);
    assert_int_equal(h.count, CALIBRATION_TRUSTED + 4);
    free(path);
}

/* A test beyond the source's cases, of 1 element, is made in the runner that made the
 * timed calls. Whatever goes wrong in it is a remark, and the time stands. */
static void
a_test_beyond_decides_nothing(void **state)
{
    static const struct {
        const char *body, *remark;
    } rows[] = {
        {SUM, NULL},
        {SUM "if (N == 1) C[0] += 1;", "wrong beyond the cases"},
        {SUM "if (N == 1) _exit(3);", "status 3"},
    };
    struct judgement j;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        submission_add("submission", TALKS "void _exit(int);", rows[i].body);
        play = (struct play){.has_beyond = true};
        fake_gpu_judge(&j, 1);
        assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
        assert_false(j.result.may_retry);
        assert_true(j.result.timing.present);
        assert_int_equal(j.result.test_count, rows[i].remark == NULL ? 2 : 1);
        if (rows[i].remark == NULL)
            assert_null(j.result.timing.remark);
        else
            assert_true(says(j.result.timing.remark, rows[i].remark));
        judgement_close(&j);
    }
    /* The remark of a GPU that was not as usual stands beside it. */
    submission_add("submission", TALKS, SUM "if (N == 1) C[0] += 1;");
    play = (struct play){.has_beyond = true, .bus_bytes = 20e6};
    fake_gpu_judge(&j, 1);
    assert_true(says(j.result.timing.remark, "wrong beyond the cases"));
    assert_true(says(j.result.timing.remark, "GPU's bus"));
    judgement_close(&j);
}

/* One flush a timed call, and up to three where it is slow. */
static void
a_slow_flush_is_repeated_then_discarded_then_disqualifies(void **state)
{
    const int first = 5;
    struct judgement j;

    (void)state;
    submission_add("submission", "", SUM);
    play = (struct play){.slow_from = first, .slow_count = 2};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED); /* the third try was fast */
    judgement_close(&j);
    play = (struct play){.slow_from = first, .slow_count = 3};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED); /* one call discarded */
    judgement_close(&j);
    play = (struct play){.slow_from = first, .slow_count = 6};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_non_null(strstr(j.result.message, "something else ran on the GPU"));
    assert_true(j.result.may_retry);
    judgement_close(&j);
    play = (struct play){.slow_from = first, .slow_count = 6};
    fake_gpu_judge(&j, 2);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_false(j.result.may_retry);
    judgement_close(&j);
}

/* Where our own thread had lost its CPU meanwhile the calls do not count, and are
 * evidence of nothing. Nor does an empty call, where neither side sleeps: with few CPUs a
 * thread loses its own by its sleep, too. */
static void
a_busy_host_is_nobodys_fault(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", "", SUM);
    play = (struct play){.slow_from = 5,
                         .slow_count = 100000,
                         .preempts = true,
                         .fails = "this machine is too busy"};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.outcome.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
    play = (struct play){
        .many_cpus = true, .preempts_empty = true, .fails = "empty calls lost theirs"};
    fake_gpu_judge(&j, 1);
    judgement_close(&j);
}

/* The conditions, which say of which kind the samples are, are there where the GPU has
 * rates. */
static const struct play copying = {.has_rates = true,
                                    .copy_bytes_per_ns = 1e9,
                                    .after_bytes_per_ns = 1e9,
                                    .behind = true};

static void
assert_copied(const struct judgement *j, const char *how)
{
    char *text = xasprintf("\"copied\":\"%s\"", how);

    assert_string_equal(j->result.message, "");
    assert_int_equal(j->result.verdict, VERDICT_ACCEPTED);
    assert_true(j->result.timing.sample_count >= SAMPLES_MIN);
    assert_non_null(strstr(j->result.timing.conditions, text));
    free(text);
}

/* All of a call's work is done before the copy that waits behind it: neither the empty
 * call nor this one waits for the host, so their difference is next to nothing. */
static void
outputs_are_copied_behind_the_work(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_copied(&j, "behind");
    assert_true(play.holds >= play.queued && play.queued >= SAMPLES_MIN);
    assert_int_equal(play.released, play.holds);
    assert_true(j.result.timing.empty_ns > BEHIND_MS * 1e6);
    assert_true(j.result.timing.median_ns < BEHIND_MS * 1e6);
    judgement_close(&j);
}

/* A launch that the GPU waited for is in no empty call. What the cache makes the copy
 * shorter by is added. */
static void
late_launches_do_not_count_and_a_shorter_copy_does(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", "", SUM);
    play = copying;
    play.late_every = 4;
    play.empty_copy_ns = 900e6;
    play.copy_ns = 100e6;
    fake_gpu_judge(&j, 1);
    assert_copied(&j, "behind");
    assert_in_range(j.timing->empty.late, 2, 4);
    assert_int_equal(j.timing->empty.count, 10);
    assert_true(j.result.timing.median_ns > 700e6);
    judgement_close(&j);
}

/* The work is on 2.4 MB, of which an eighth may go over the bus beside what an empty call
 * sends, and some kB for the launches of a call this long. Who sends more has nothing
 * subtracted, and what goes before the clock added. */
static void
calls_over_the_bus_count_whole(void **state)
{
    const struct {
        double bytes;
        bool whole;
        const char *said;
    } calls[] = {{-1, false, "\"bus_bytes\":[null,"},
                 {EMPTY_BUS + 300e3, false, "\"bus_bytes\":[300000,"},
                 {EMPTY_BUS + 20e6, true, "\"bus_bytes\":[20000000,"}};

    (void)state;
    submission_add("submission", "", SUM);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const bool whole = calls[i].whole;
        struct judgement j;
        const struct timing *t = &j.result.timing;

        play = copying;
        play.flush_ms = 6;
        play.bus_bytes = calls[i].bytes;
        fake_gpu_judge(&j, 1);
        assert_copied(&j, "behind");
        assert_true(says(t->conditions, "\"bus_free\":300000,"));
        assert_true(says(t->conditions, calls[i].said));
        assert_int_equal(t->median_ns > (BEHIND_MS + (double)play.flush_ms) * 1e6, whole);
        assert_int_equal(t->median_ns > BEHIND_MS * 1e6, whole);
        assert_int_equal(
            says(t->remark, "more than 300 kB, and 250 bytes a us, over the GPU's bus"),
            whole);
        assert_false(whole && t->review);
        judgement_close(&j);
    }
}

static void
a_meter_that_stops_is_our_failure(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", "", SUM);
    play = (struct play){.bus_stops = 9, .fails = "no longer does"};
    fake_gpu_judge(&j, 1);
    judgement_close(&j);
}

/* The empty call that is subtracted is of the first kind all the same: nobody gains by
 * choosing the second. A GPU that does not let copies wait would have an empty call of
 * next to nothing: that one is copied after DONE. */
static void
what_is_not_done_by_then_is_copied_after_it(void **state)
{
    const struct {
        int late;
        const char *null, *submission, *copied;
        double null_ns, median_ns; /* more than these */
    } cases[] = {
        {LATE, "", "be_late(C, N); spend(C, N, 40000); " SUM, "after", BEHIND_MS * 1e6,
         3 * BEHIND_MS * 1e6},
        {LATE_EMPTY, "be_late(C, N); spend(C, N, 10000);", "spend(C, N, 60000); " SUM,
         "after", 10e6, 40e6},
        /* Quick until the warm-up is over, then slow. */
        {LATE_SAMPLES, "",
         "be_late(C, N); spend(C, N, mail(C, N)[4] ? 20000 : 1000); " SUM, "after",
         BEHIND_MS * 1e6, 10e6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct judgement j;

        play = copying;
        play.late = cases[i].late;
        submission_add("null", TALKS, cases[i].null);
        submission_add("submission", TALKS, cases[i].submission);
        fake_gpu_judge(&j, 1);
        assert_copied(&j, cases[i].copied);
        assert_true(j.result.timing.empty_ns > cases[i].null_ns);
        assert_true(j.result.timing.median_ns > cases[i].median_ns);
        if (cases[i].late == LATE_SAMPLES)
            assert_true(play.queued > play.queued_samples && play.queued_samples > 2);
        judgement_close(&j);
    }
    submission_add("null", "", "");
}

/* A few may be missed, and count as they are copied then. */
static void
a_call_that_its_copy_missed_counts_to_the_next(void **state)
{
    struct judgement j;
    const struct timing *t = &j.result.timing;
    int longer = 0;

    (void)state;
    play = copying;
    play.late = LATE_SAMPLE;
    submission_add("submission", TALKS,
                   "be_late(C, N); spend(C, N, mail(C, N)[4] ? 20000 : 1000); " SUM);
    fake_gpu_judge(&j, 1);
    assert_copied(&j, "behind");
    for (int i = 0; i < t->sample_count; i++)
        longer += t->sample_ns[i] > 20e6;
    assert_int_equal(longer, 1);
    assert_true(t->sample_ns[3] > 20e6);
    judgement_close(&j);
}

/* Nobody is wrong for a copy that the end of a time slice has cut in two. */
static void
a_torn_copy_is_not_a_wrong_answer_and_a_wrong_answer_is(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    play.torn = 5;
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_copied(&j, "behind");
    assert_true(play.queued_samples > play.torn);
    judgement_close(&j);
    play = copying;
    submission_add("submission", "", SUM "if (N == 200000) C[N / 2] += 1;");
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_WRONG_ANSWER);
    judgement_close(&j);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_time_has_an_interval_and_enough_samples,
                               fake_gpu_forget),
        cmocka_unit_test_setup(messages_tell_nothing_of_a_timed_call, fake_gpu_forget),
        cmocka_unit_test_setup(nothing_is_loaded_while_the_empty_calls_are_timed,
                               fake_gpu_forget),
        cmocka_unit_test_setup(each_call_has_its_own_buffers_inputs_and_poison,
                               fake_gpu_forget),
        cmocka_unit_test_setup(sooner_than_an_empty_kernel_is_disqualified,
                               fake_gpu_forget),
        cmocka_unit_test_setup(faster_than_the_hardware_is_disqualified, fake_gpu_forget),
        cmocka_unit_test_setup(the_steps_of_the_calls_are_told, fake_gpu_forget),
        cmocka_unit_test_setup(near_the_limit_is_for_review, fake_gpu_forget),
        cmocka_unit_test_setup(calibration_that_fails_fails_nothing, fake_gpu_forget),
        cmocka_unit_test_setup(a_slower_gpu_is_judged_again_then_remarked,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_test_beyond_decides_nothing, fake_gpu_forget),
        cmocka_unit_test_setup(a_slow_flush_is_repeated_then_discarded_then_disqualifies,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_busy_host_is_nobodys_fault, fake_gpu_forget),
        cmocka_unit_test_setup(outputs_are_copied_behind_the_work, fake_gpu_forget),
        cmocka_unit_test_setup(late_launches_do_not_count_and_a_shorter_copy_does,
                               fake_gpu_forget),
        cmocka_unit_test_setup(calls_over_the_bus_count_whole, fake_gpu_forget),
        cmocka_unit_test_setup(a_meter_that_stops_is_our_failure, fake_gpu_forget),
        cmocka_unit_test_setup(what_is_not_done_by_then_is_copied_after_it,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_call_that_its_copy_missed_counts_to_the_next,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_torn_copy_is_not_a_wrong_answer_and_a_wrong_answer_is,
                               fake_gpu_forget),
    };

    return cmocka_run_group_tests(tests, fake_gpu_set_up, fake_gpu_tear_down);
}
