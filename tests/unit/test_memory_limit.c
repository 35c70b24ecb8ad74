// links: fake_gpu arbiter device gpu_owner sandbox common
/* Timed judgements of submissions that take memory, or beside whom somebody takes it:
 * what is free on the GPU is played (fixtures/fake_gpu.h), and a program says what it
 * has.
 */
#include "../fixtures/fake_gpu.h"

#include "arbiter/measuring/capacity.h"
#include "base/buf.h"
#include "device/device_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static bool
says(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

/* Judges a program that says what it takes, in both attempts. */
static void
expect_over_as(const struct play *as, const char *body, const char *says)
{
    submission_add("submission", TALKS, body);
    for (int attempt = 1; attempt <= 2; attempt++) {
        struct judgement j;

        play = *as;
        fake_gpu_judge(&j, attempt);
        assert_int_equal(j.result.verdict, VERDICT_MEMORY_LIMIT);
        assert_int_equal(j.result.may_retry, attempt == 1);
        if (strstr(j.result.message, says) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", j.result.message, says);
        judgement_close(&j);
    }
}

static void
expect_over(const char *body, const char *says)
{
    const struct play as = {.tells = true};

    expect_over_as(&as, body, says);
}

static void
memory_up_to_the_limit_is_everybodys(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.tells = true};
    submission_add("submission", TALKS,
                   "if (N != 200000 || calls++ == 0) take_a_while(C, N, 16);"
                   "else take(C, N, 16, 0);" SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_false(j.result.may_retry);
    assert_null(j.result.timing.remark);
    judgement_close(&j);
}

static void
memory_over_the_limit_in_a_test(void **state)
{
    (void)state;
    expect_over("if (N != 200000) { take_a_while(C, N, 18); }" SUM,
                "test 1 (N=4): the program had at least 18 GiB of device memory, buffers "
                "included; the problem allows 16 GiB");
}

static void
memory_over_the_limit_in_the_first_timed_call(void **state)
{
    (void)state;
    expect_over("if (N == 200000 && calls++ == 0) { take_a_while(C, N, 18); }" SUM,
                "warm-up 1 (N=200000): the program had at least 18 GiB");
}

/* A user reads that a timed call had too much, but not how much. */
static void
memory_of_a_timed_call_is_not_told_in_bytes(void **state)
{
    const struct play as = {.tells = true, .conceals = true};

    (void)state;
    expect_over_as(&as,
                   "if (N == 200000 && calls++ == 0) { take_a_while(C, N, 18); }" SUM,
                   "a timed call (N=200000): it had more memory, of the device or the "
                   "host, than it may have. Of timed calls no more is told");
}

/* And too late in its call to be seen while it runs; later calls are looked at once. */
static void
memory_that_is_kept_when_a_call_has_ended(void **state)
{
    (void)state;
    expect_over(SUM "if (N == 200000 && calls++ == 1) take(C, N, 20, 0);",
                "warm-up 2 (N=200000): the program had at least 20 GiB");
}

/* It is there still when the program is dead. */
static void
memory_that_somebody_else_takes(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.tells = true};
    submission_add("submission", TALKS, "take(C, N, 40, 1); " SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(play.others_gib, 40);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_false(j.result.may_retry);
    /* 256 MiB may be the reference's. */
    assert_true(says(j.result.timing.remark, "40704 MiB of the device's memory were not "
                                             "free again 2 s after the program"));
    judgement_close(&j);
}

/* Of a time that is accepted, and where there is nothing else to say. */
static void
memory_that_is_missing_displaces_no_other_remark(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", TALKS, "take(C, N, 40, 1); " SUM);
    play = (struct play){.tells = true, .bus_bytes = 20e6};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(says(j.result.timing.remark, "GPU's bus"));
    assert_false(says(j.result.timing.remark, "not free again"));
    judgement_close(&j);
    submission_add("submission", TALKS, "take(C, N, 40, 1); " SUM);
    submission_add("null", TALKS, "spend(C, N, 20000);");
    play = (struct play){.tells = true};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_true(j.result.timing.present);
    assert_null(j.result.timing.remark);
    judgement_close(&j);
    submission_add("null", "", "");
}

/* And gives back in time: not told from the program's, but not there again. */
static void
memory_that_somebody_else_takes_for_a_while(void **state)
{
    static const char *const body[] = {"if (N != 200000) take_a_while(C, N, 40); " SUM,
                                       SUM};

    (void)state;
    for (int attempt = 1; attempt <= 2; attempt++) {
        struct judgement j;

        play = (struct play){.tells = true};
        submission_add("submission", TALKS, body[attempt - 1]);
        fake_gpu_judge(&j, attempt);
        assert_int_equal(j.result.verdict,
                         attempt == 1 ? VERDICT_MEMORY_LIMIT : VERDICT_ACCEPTED);
        assert_int_equal(j.result.may_retry, attempt == 1);
        judgement_close(&j);
    }
}

/* Whoever of ours is short of memory, if the program had too much that is the reason. */
static void
a_driver_is_short_of_what_the_program_had(void **state)
{
    const struct play as = {.tells = true, .short_at = 4};

    (void)state;
    expect_over_as(&as, "if (N != 200000) { take_a_while(C, N, 18); }" SUM,
                   "test 1 (N=4): the program had at least 18 GiB");
    expect_over_as(&as, SUM "if (N == 200000 && calls++ == 1) take(C, N, 20, 0);",
                   "warm-up 2 (N=200000): the program had at least 20 GiB");
}

/* And if it had not, or if that was somebody else, we have failed. */
static void
a_driver_that_is_short_of_memory_is_our_failure(void **state)
{
    static const char *const body[] = {
        SUM, "if (N != 200000) take_a_while(C, N, 16); " SUM, "take(C, N, 40, 1); " SUM};

    (void)state;
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        struct judgement j;

        play = (struct play){
            .tells = true, .short_at = 4, .fails = "the driver is out of memory"};
        submission_add("submission", TALKS, body[i]);
        fake_gpu_judge(&j, 2);
        assert_int_equal(play.flushes, 4);
        judgement_close(&j);
    }
}

/* What a reference in C does when it is starved, after it was well for 4 timed calls. */
static void
starve_reference(const char *what)
{
    char *body = xasprintf("ends = 0; %s" SUM, what);

    submission_add("reference", STARVES, body);
    free(body);
}

static const struct play starving = {.tells = true, .starved_at = 4};

/* Nobody saw what the program took between two calls, but the reference says that it
 * lacked it, in either way, and has it when the program is gone. */
static void
a_reference_is_short_of_what_the_program_had(void **state)
{
    static const char *const ways[] = {
        "if (is_starved(C, N)) ends = 2;",
        "if (is_starved(C, N)) { puts(\"cudaErrorMemoryAllocation: out of memory\"); "
        "fflush(0); _exit(1); }"};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        starve_reference(ways[i]);
        expect_over_as(&starving, SUM, "cannot compute the next one's answer");
        assert_int_equal(play.flushes, 4);
    }
    submission_add("reference", "", SUM);
}

/* But not where it is short without the program, too, nor where it does not say what it
 * lacked: another error is its own, however rarely it makes one. */
static void
a_reference_that_fails_is_our_failure(void **state)
{
    static const struct {
        const char *what, *fails;
    } ways[] = {
        {"if (is_starved(C, N) || (calls++ == 0 && N == 200000)) ends = 2;",
         "failed with error 2 "},
        {"if (is_starved(C, N)) ends = 700;", "failed with error 700 "},
        {"if (is_starved(C, N)) { puts(\"no luck today\"); fflush(0); _exit(1); }",
         "was ended by exit status 1 (N=200000): no luck today"}};

    (void)state;
    submission_add("submission", "", SUM);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        starve_reference(ways[i].what);
        for (int attempt = 1; attempt <= 2; attempt++) {
            struct judgement j;

            play = starving;
            play.fails = ways[i].fails;
            fake_gpu_judge(&j, attempt);
            assert_int_equal(play.flushes, 4);
            judgement_close(&j);
        }
    }
    submission_add("reference", "", SUM);
}

/* A reference whose errors say nothing of memory, as of a kernel that was given none: as
 * it fails the GPU is looked at once more. Where its process has ended there may be
 * memory of its own on its way back. */
static void
who_has_the_memory_is_looked_for_when_a_reference_fails(void **state)
{
    struct play as = starving;
    struct judgement j;

    (void)state;
    as.between_gib = 20;
    starve_reference("if (is_starved(C, N)) ends = 700;");
    expect_over_as(&as, SUM, "between two calls: the program had at least 20 GiB");
    starve_reference("if (is_starved(C, N)) _exit(1);");
    play = as;
    play.fails = "was ended by exit status 1";
    fake_gpu_judge(&j, 2);
    assert_int_equal(play.looks_since_starved, 1);
    judgement_close(&j);
    submission_add("reference", "", SUM);
}

static void
a_wrong_answer_is_wrong_whatever_memory_it_has(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.tells = true};
    submission_add("submission", TALKS, "take_a_while(C, N, 40); " SUM "C[0]++;");
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_WRONG_ANSWER);
    assert_false(j.result.may_retry);
    judgement_close(&j);
}

static void
a_gpu_has_room_for_two_small_ones(void **state)
{
    const uint64_t buffers = 3 * ELEMENTS * sizeof(float);
    struct judgement j;

    (void)state;
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    j.device->info.memory_bytes = 8 * 3 * buffers;
    assert_true(capacity_beside(j.problem, j.device));
    j.device->info.memory_bytes--;
    assert_false(capacity_beside(j.problem, j.device));
    j.device->info.memory_bytes = 8 * 3 * buffers;
    j.problem->test_count = 2; /* of which each would fit */
    j.problem->test[0] = j.problem->test[1] = j.problem->benchmark_cuda;
    assert_false(capacity_beside(j.problem, j.device));
    judgement_close(&j);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(memory_up_to_the_limit_is_everybodys, fake_gpu_forget),
        cmocka_unit_test_setup(memory_over_the_limit_in_a_test, fake_gpu_forget),
        cmocka_unit_test_setup(memory_over_the_limit_in_the_first_timed_call,
                               fake_gpu_forget),
        cmocka_unit_test_setup(memory_of_a_timed_call_is_not_told_in_bytes,
                               fake_gpu_forget),
        cmocka_unit_test_setup(memory_that_is_kept_when_a_call_has_ended,
                               fake_gpu_forget),
        cmocka_unit_test_setup(memory_that_somebody_else_takes, fake_gpu_forget),
        cmocka_unit_test_setup(memory_that_is_missing_displaces_no_other_remark,
                               fake_gpu_forget),
        cmocka_unit_test_setup(memory_that_somebody_else_takes_for_a_while,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_driver_is_short_of_what_the_program_had,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_driver_that_is_short_of_memory_is_our_failure,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_reference_is_short_of_what_the_program_had,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_reference_that_fails_is_our_failure, fake_gpu_forget),
        cmocka_unit_test_setup(who_has_the_memory_is_looked_for_when_a_reference_fails,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_wrong_answer_is_wrong_whatever_memory_it_has,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_gpu_has_room_for_two_small_ones, fake_gpu_forget),
    };

    return cmocka_run_group_tests(tests, fake_gpu_set_up, fake_gpu_tear_down);
}
