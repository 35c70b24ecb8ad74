// links: arbiter device gpu_owner sandbox common submission
/* A reference that an arbiter keeps from one judgement for the next. It is of the kind
 * "cu", which shares its device with the submission; here that is "host". */
#include "../fixtures/folder.h"
#include "../fixtures/submission.h"

#include "arbiter/judging/stock.h"
#include "base/buf.h"
#include "base/config.h"
#include "problem/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNTS "static int calls;"
#define SUM_AND_CALLS SUM "C[0] = (float)++calls; "

static struct device *device;
static struct problem *problem;
static struct reference_options options;
static struct config config;
static char *runner;
static const struct job job = {.device = (char *)(uintptr_t) "host"};

static int
set_up(void **state)
{
    struct report r = {0};

    if (submission_set_up(state) != 0)
        return -1;
    if (config_load(&config, &r) != 0)
        fail_msg("%s", r.text);
    runner = config_libexec(&config, "warpjudge-runner");
    options = (struct reference_options){
        .folder = folder, .kind = "cu", .runner_program = runner};
    device = device_open("host", &options.device_options, &r);
    problem = problem_load("problems", "vector-addition", &r);
    if (device == NULL || problem == NULL)
        fail_msg("%s", r.text);
    return 0;
}

static int
tear_down(void **state)
{
    problem_free(problem);
    device_close(device);
    config_free(&config);
    free(runner);
    return folder_remove(state);
}

/* Each test begins with this reference, which counts its calls. */
static int
write_reference(void **state)
{
    (void)state;
    submission_add("reference", COUNTS, SUM_AND_CALLS);
    return 0;
}

static struct reference *
start(void)
{
    struct report r = {0};
    struct reference *ref;

    if (reference_open(&options, problem, device, &ref, &r) != 0)
        fail_msg("%s", r.text);
    return ref;
}

/* The first element of its next answer. */
static float
answered(struct reference *ref)
{
    struct report r = {0};
    struct answer a = {0};
    float first;

    if (reference_answer(ref, &problem->test[0], 7, &a, &r) != 0 ||
        device_read(device, a.known->buffer[2], 0, sizeof first, &first, &r) != 0)
        fail_msg("%s", r.text);
    answer_free(&a);
    return first;
}

static void
keeps_its_process(void **state)
{
    struct stock stock = {0};
    struct reference *ref = start();
    struct problem *again;
    struct report r = {0};
    pid_t pid;

    (void)state;
    assert_float_equal(answered(ref), 1, 0);
    stock_keep_reference(&stock, ref);
    pid = stock_pid(&stock);
    assert_true(pid > 0);
    again = problem_load("problems", "vector-addition", &r); /* the job's own */
    assert_ptr_equal(stock_take_reference(&stock, &options, device), ref);
    assert_int_equal(stock_pid(&stock), 0);
    assert_int_equal(reference_adopt(ref, &options, again, &r), 0);
    assert_float_equal(answered(ref), 2, 0);
    assert_int_equal(reference_pid(ref), pid);
    assert_true(reference_rest(ref));
    reference_close(ref);
    assert_int_equal(kill(pid, 0), -1);
    problem_free(again);
}

static void
another_program_is_another_reference(void **state)
{
    struct stock stock = {0};
    struct device *other = device_open("host", &options.device_options, NULL);
    struct reference_options changed = options;
    struct report r = {0};
    pid_t pid;

    (void)state;
    stock_keep_reference(&stock, start());
    pid = stock_pid(&stock);
    assert_true(reference_is_that(stock.reference, &options, device));
    assert_false(reference_is_that(stock.reference, &options, other));
    changed.device_options.insecure = true;
    assert_false(reference_is_that(stock.reference, &changed, device));
    changed = options;
    changed.kind = "c";
    assert_false(reference_is_that(stock.reference, &changed, device));
    submission_add("reference", COUNTS, SUM_AND_CALLS "C[1] = 0; ");
    assert_null(stock_take_reference(&stock, &options, device));
    assert_int_equal(kill(pid, 0), -1); /* it is closed */
    assert_int_equal(stock_pid(&stock), 0);
    assert_null(stock_take_reference(&stock, &options, device));
    assert_null(stock_take_reference(NULL, &options, device));
    assert_false(report_is_set(&r));
    device_close(other);
}

/* One that did not answer once may be in any state. */
static void
whoever_has_failed_is_not_kept(void **state)
{
    struct stock stock = {0};
    struct report r = {0};
    struct answer a = {0};
    struct reference *ref;

    (void)state;
    submission_add("reference", "void abort(void); static int calls;",
                   "if (calls++ == 0) abort();" SUM);
    ref = start();
    assert_int_equal(reference_answer(ref, &problem->test[0], 7, &a, &r), -1);
    assert_true(reference_failed(ref));
    answer_free(&a);
    stock_keep_reference(&stock, ref);
    assert_int_equal(stock_pid(&stock), 0);
}

/* A reference in C has no context, which is what is worth keeping. */
static void
one_on_the_host_is_not_kept(void **state)
{
    struct stock stock = {0};

    (void)state;
    options.kind = "c";
    stock_keep_reference(&stock, start());
    options.kind = "cu";
    assert_int_equal(stock_pid(&stock), 0);
}

static void
who_died_meanwhile_cannot_be_taken(void **state)
{
    struct stock stock = {0};
    const struct timespec step = {.tv_nsec = 10000000};
    struct reference *ref;
    struct report r = {0};

    (void)state;
    stock_keep_reference(&stock, start());
    /* The sandbox's first process takes the others with it, a moment later. */
    assert_int_equal(kill(-stock_pid(&stock), SIGKILL), 0);
    ref = stock_take_reference(&stock, &options, device);
    assert_non_null(ref);
    while (reference_adopt(ref, &options, problem, &r) == 0)
        (void)nanosleep(&step, NULL);
    assert_true(report_is_set(&r));
    reference_close(ref);
}

/* Whatever device is closed takes the reference with it. */
static void
it_goes_with_its_device(void **state)
{
    struct stock stock = {0};
    struct report r = {0};
    pid_t pid;

    (void)state;
    stock_keep_reference(&stock, start());
    pid = stock_pid(&stock);
    stock_keep(&stock, &job, device_open("host", &options.device_options, &r));
    assert_int_equal(stock_pid(&stock), 0); /* "host" is not kept */
    assert_int_equal(kill(pid, 0), -1);
    stock.last = true;
    stock_keep_reference(&stock, start());
    assert_int_equal(stock_pid(&stock), 0);
    stock_keep_reference(NULL, start());
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, write_reference)
    const struct CMUnitTest tests[] = {
        TEST(keeps_its_process),
        TEST(another_program_is_another_reference),
        TEST(whoever_has_failed_is_not_kept),
        TEST(one_on_the_host_is_not_kept),
        TEST(who_died_meanwhile_cannot_be_taken),
        TEST(it_goes_with_its_device),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
