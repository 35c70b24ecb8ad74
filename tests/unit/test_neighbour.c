// links: fake_gpu arbiter device gpu_owner sandbox common
/* A timed judgement beside an arbiter that prepares the next one, or beside the one
 * before that is not gone yet: processes that take turns on the GPU. */
#include "../fixtures/fake_gpu.h"

#include "arbiter/measuring/bus_watch.h"
#include "arbiter/measuring/timed_benchmark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* It is inside without a pause, wherever it may be: in the warm-up. After that each call
 * has a flush. */
static void
what_a_neighbour_does_counts_nowhere(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.step_ms = 10, .real_plan = true};
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(j.result.timing.sample_count >= SAMPLES_MIN);
    assert_true(play.disturbed > 0 && neighbour->steps > 3);
    assert_true(play.flushes - 1 - play.last_disturbed >= j.result.timing.sample_count);
    assert_true(j.timing->empty.uncounted_ns > 0);
    judgement_close(&j);
    play = (struct play){0};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.timing->empty.uncounted_ns, 0); /* alone */
    judgement_close(&j);
}

/* What a context sends over the bus would seem to be the submission's. */
static void
no_call_that_may_send_little_counts_beside_a_context(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", "", SUM);
    play = (struct play){.context_ms = 20, .context_bytes = 400e3, .real_plan = true};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(bus_is_narrow(j.timing->bus_free));
    assert_true(play.beside_contexts > 0); /* in the warm-up */
    assert_null(j.result.timing.remark);
    judgement_close(&j);
}

/* But not for ever. A call that is beyond its limit is so by far, and one that is granted
 * more has a second and a half to spare, for a machine that is busy. */
static void
the_time_limit_stands_still_while_a_neighbour_works(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", "int usleep(unsigned);",
                   "if (N != 200000) for (int i = 0; i < 60; i++) usleep(500000);" SUM);
    play = (struct play){.time_limit_ms = 3000};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_TIME_LIMIT);
    judgement_close(&j);
    submission_add("submission", "int usleep(unsigned);",
                   "static int calls; if (N != 200000 && calls++ == 0) "
                   "for (int i = 0; i < 9; i++) usleep(500000);" SUM);
    play = (struct play){.time_limit_ms = 3000, .step_ms = 2000};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
    submission_add("submission", "", "for (;;);");
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_TIME_LIMIT);
    judgement_close(&j);
}

/* Whose step may be so long because the call keeps it. */
static void
a_neighbours_long_step_extends_no_limit_beyond_twice(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", "int usleep(unsigned);",
                   "if (N != 200000) usleep(2500000);" SUM);
    play = (struct play){.time_limit_ms = 300, .step_ms = 3000};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_TIME_LIMIT);
    judgement_close(&j);
}

/* So that what that one still has is not missing. */
static void
a_program_is_loaded_when_who_judged_before_is_gone(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.leave_ms = 1500, .tells = true};
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(play.beside, 0);
    judgement_close(&j);
}

/* Nothing is judged beside a process that a submission may have left. */
static void
who_follows_one_that_ends_badly_has_failed(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){
        .leave_ms = 300, .leaves_badly = true, .fails = "has ended badly", .tells = true};
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_false(j.loaded);
    judgement_close(&j);
}

/* It may have taken all memory, which is nothing that this one is blamed for. */
static void
who_follows_waits_for_memory(void **state)
{
    struct judgement j;
    int gpu;

    (void)state;
    play = (struct play){.leave_ms = 300, .refused = 1};
    submission_add("submission", "", SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(play.refused, 2);
    assert_true(device_refused(j.device, &gpu) == 0);
    judgement_close(&j);
}

/* The reference may have ended for want of that memory. This one ends in its first answer
 * for a timed call, if it has made others before. */
static void
who_follows_starts_the_reference_again(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("reference", "void abort(void); static int tests;",
                   "if (N == 200000 && tests > 0) abort(); tests += N != 200000;" SUM);
    submission_add("submission", "", SUM);
    play = (struct play){.leave_ms = 300};
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
    play = (struct play){.fails = "the reference"};
    fake_gpu_judge(&j, 1); /* alone it is the judge's failure */
    judgement_close(&j);
    submission_add("reference", "", SUM);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_a_neighbour_does_counts_nowhere, fake_gpu_forget),
        cmocka_unit_test_setup(no_call_that_may_send_little_counts_beside_a_context,
                               fake_gpu_forget),
        cmocka_unit_test_setup(the_time_limit_stands_still_while_a_neighbour_works,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_neighbours_long_step_extends_no_limit_beyond_twice,
                               fake_gpu_forget),
        cmocka_unit_test_setup(a_program_is_loaded_when_who_judged_before_is_gone,
                               fake_gpu_forget),
        cmocka_unit_test_setup(who_follows_one_that_ends_badly_has_failed,
                               fake_gpu_forget),
        cmocka_unit_test_setup(who_follows_waits_for_memory, fake_gpu_forget),
        cmocka_unit_test_setup(who_follows_starts_the_reference_again, fake_gpu_forget),
    };

    return cmocka_run_group_tests(tests, fake_gpu_set_up, fake_gpu_tear_down);
}
