// links: arbiter device gpu_owner sandbox common submission
/* A reference that an arbiter keeps from one judgement for the next. It is of the kind
 * "cu", which shares its device with the submission; here that is "host". */
#include "../fixtures/folder.h"
#include "../fixtures/submission.h"

#include "arbiter/judging/stock.h"
#include "base/buf.h"
#include "base/config.h"
#include "device/device_ops.h"
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
#include <unistd.h>

#define COUNTS "static int calls;"
#define SUM_AND_CALLS SUM "C[0] = (float)++calls; "

static struct device *device;
static struct problem *problem;
static struct reference_options options; /* has the hash of the reference as it is */
static char hash[65];
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

static void
hash_reference(void)
{
    struct report r = {0};

    if (reference_hash(&options, device, hash, &r) != 0)
        fail_msg("%s", r.text);
    options.hash = hash;
}

static struct reference *
start(void)
{
    struct report r = {0};
    struct reference *ref;

    hash_reference();
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
    changed = options;
    changed.hash = NULL;
    assert_false(reference_is_that(stock.reference, &changed, device));
    submission_add("reference", COUNTS, SUM_AND_CALLS "C[1] = 0; ");
    hash_reference();
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

/* The GPU's lock is held meanwhile, so that nothing as slow as a file is read. */
static void
is_known_by_its_hash_alone(void **state)
{
    struct stock stock = {0};
    char *path = xasprintf("%s/reference", folder);
    struct report r = {0};
    struct reference *ref = start();

    (void)state;
    assert_int_equal(reference_wake(ref, &r), 0); /* it is loaded */
    assert_int_equal(unlink(path), 0);
    stock_keep_reference(&stock, ref);
    assert_ptr_equal(stock_take_reference(&stock, &options, device), ref);
    assert_int_equal(reference_adopt(ref, &options, problem, &r), 0);
    reference_close(ref);
    free(path);
}

static void
is_not_kept_without_a_hash(void **state)
{
    struct stock stock = {0};
    struct report r = {0};
    struct reference *ref;

    (void)state;
    options.hash = NULL;
    if (reference_open(&options, problem, device, &ref, &r) != 0)
        fail_msg("%s", r.text);
    stock_keep_reference(&stock, ref);
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

/* --- answers that are kept ----------------------------------------------------- */

#define PAGE ((uint64_t)4096)

static int allocated;
static int (*alloc_on_host)(struct device *d, uint64_t bytes, bool shareable,
                            struct device_buffer **out, struct report *r);

static int
count_shareable(struct device *d, uint64_t bytes, bool shareable,
                struct device_buffer **out, struct report *r)
{
    allocated += shareable;
    return alloc_on_host(d, bytes, shareable, out, r);
}

/* A GPU's memory comes in larger pages. */
static bool
resize_in_its_pages(struct device_buffer *b, uint64_t bytes)
{
    if ((bytes + PAGE - 1) / PAGE != (b->bytes + PAGE - 1) / PAGE)
        return false;
    b->bytes = bytes;
    return true;
}

static void
assert_same_answer(const struct answer *a, const struct answer *b)
{
    struct report r = {0};

    for (int i = 0; i < problem->param_count; i++) {
        const uint64_t bytes = a->known->extent[i].bytes;
        char *is, *wanted;

        if (a->known->buffer[i] == NULL)
            continue;
        is = malloc(bytes);
        wanted = malloc(bytes);
        assert_int_equal(device_read(device, a->known->buffer[i], 0, bytes, is, &r), 0);
        assert_int_equal(device_read(device, b->known->buffer[i], 0, bytes, wanted, &r),
                         0);
        assert_memory_equal(is, wanted, bytes);
        free(is);
        free(wanted);
    }
}

/* Each is the same as one by itself, also when all others were made after it. Tests of
 * one size share buffers that the reference has mapped. */
static void
answers_are_kept(void **state)
{
    const struct device_ops *ops = device->ops;
    struct device_ops with_pages = *ops;
    struct answer kept[8] = {0};
    const int count = problem->test_count < 8 ? problem->test_count : 8;
    struct report r = {0};
    struct reference *ref;

    (void)state;
    submission_add("reference", "", SUM);
    ref = start();
    alloc_on_host = ops->alloc;
    with_pages.alloc = count_shareable;
    with_pages.resize = resize_in_its_pages;
    device->ops = &with_pages;
    allocated = 0;
    for (int i = 0; i < count; i++)
        assert_int_equal(
            reference_answer_kept(ref, &problem->test[i], (uint64_t)i, &kept[i], &r), 0);
    assert_true(allocated < 3 * count); /* vector-addition has three buffers */
    for (int i = 0; i < count; i++) {
        struct answer alone = {0};

        assert_int_equal(
            reference_answer(ref, &problem->test[i], (uint64_t)i, &alone, &r), 0);
        assert_same_answer(&kept[i], &alone);
        answer_free(&alone);
        answer_free(&kept[i]);
    }
    assert_true(reference_rest(ref));
    reference_close(ref);
    device->ops = ops;
}

/* Where one buffer cannot be resized, none is. */
static void
a_set_is_reused_as_a_whole(void **state)
{
    const struct device_ops *ops = device->ops;
    struct device_ops with_pages = *ops;
    struct test_case other = problem->test[0];
    struct call_set set = {0};
    struct report r = {0};
    uint64_t bytes;

    (void)state;
    assert_int_equal(call_set_alloc(&set, device, problem, &problem->test[0], true, &r),
                     0);
    assert_int_equal(call_set_alloc_copies(&set, &r), 0);
    assert_false(call_set_reuse(&set, &problem->test[0])); /* "host" never can */
    with_pages.resize = resize_in_its_pages;
    device->ops = &with_pages;
    bytes = set.buffer[0]->bytes;
    for (int i = 0; i < problem->param_count; i++)
        if (problem->param[i].dir == DIR_SCALAR)
            other.scalar[i] = 100000;
    assert_false(call_set_reuse(&set, &other));
    assert_true(set.buffer[0]->bytes == bytes);
    assert_non_null(set.copy[2]);
    for (int i = 0; i < problem->param_count; i++)
        if (problem->param[i].dir == DIR_SCALAR)
            other.scalar[i] = 17;
    assert_true(call_set_reuse(&set, &other));
    assert_true(set.buffer[0]->bytes == 17 * sizeof(float));
    assert_true(set.extent[2].count == 17);
    assert_null(set.copy[2]);
    call_set_free(&set);
    device->ops = ops;
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
        TEST(is_known_by_its_hash_alone),
        TEST(is_not_kept_without_a_hash),
        TEST(who_died_meanwhile_cannot_be_taken),
        TEST(it_goes_with_its_device),
        TEST(answers_are_kept),
        TEST(a_set_is_reused_as_a_whole),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
