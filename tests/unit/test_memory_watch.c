// links: arbiter device gpu_owner sandbox common
/* The limit of device memory on a GPU: the arithmetic. Whole judgements with a played
 * GPU are in test_timing.c. */
#include "arbiter/calling/memory_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define GIB ((uint64_t)1 << 30)
#define LIMIT (16 * GIB)
#define GPU_BYTES (100 * GIB)

typedef struct device_memory memory[DEVICE_GPUS_MAX];

static const uint64_t none[DEVICE_GPUS_MAX];

/* One call of a process that had `had` free: what is seen of it, and how it is taken. */
static uint64_t
seen(uint64_t had, uint64_t least, uint64_t buffers)
{
    const memory empty = {{had, 0}}, during = {{least, 0}};
    const uint64_t of_call[DEVICE_GPUS_MAX] = {buffers};
    struct memory_watch w = {0};
    uint64_t bytes;

    memory_watch_begin(&w, empty);
    memory_watch_see(&w, during);
    memory_watch_see(&w, empty); /* all of it is given back before the end */
    memory_watch_end_call(&w, of_call, LIMIT, "test 1");
    bytes = w.over.bytes;
    assert_int_equal(w.over.where != NULL, bytes > 0);
    memory_watch_free(&w);
    return bytes;
}

static void
more_than_the_limit_is_seen(void **state)
{
    (void)state;
    assert_int_equal(seen(99 * GIB, 99 * GIB, 0), 0);
    assert_int_equal(seen(99 * GIB, 81 * GIB, 0), 18 * GIB);
    assert_int_equal(seen(99 * GIB, 81 * GIB, 4 * GIB), 22 * GIB);
    assert_int_equal(seen(99 * GIB, 82 * GIB - 1, 0), 17 * GIB + 1);
    assert_int_equal(seen(99 * GIB, 0, 0), 99 * GIB);
}

static void
the_limit_and_some_more_is_not(void **state)
{
    (void)state;
    assert_int_equal(seen(99 * GIB, 83 * GIB, 0), 0);
    assert_int_equal(seen(99 * GIB, 82 * GIB, 0), 0);
    assert_int_equal(seen(99 * GIB, 86 * GIB, 4 * GIB), 0);
    /* Others gave some back. */
    assert_int_equal(seen(98 * GIB, 99 * GIB, 17 * GIB), 0);
    /* The problem's own buffers are never over. */
    assert_int_equal(seen(99 * GIB, 99 * GIB, 20 * GIB), 0);
}

static void
buffers_of_ours_are_nobodys_use(void **state)
{
    const memory empty = {{90 * GIB, 9 * GIB}}, during = {{60 * GIB, 39 * GIB}};
    struct memory_watch w = {0};

    (void)state;
    memory_watch_begin(&w, empty);
    memory_watch_see(&w, during);
    memory_watch_end_call(&w, none, LIMIT, "test 1");
    assert_null(w.over.where);
}

/* The worst call is told, and what its process keeps is seen in later ones. */
static void
the_worst_call_is_told(void **state)
{
    const memory empty = {{99 * GIB, 0}};
    const uint64_t least[] = {80, 70, 75, 90};
    struct memory_watch w = {0};

    (void)state;
    memory_watch_begin(&w, empty);
    for (int i = 0; i < 4; i++) {
        const memory during = {{least[i] * GIB, 0}};
        const char where[] = {(char)('0' + i), '\0'};

        memory_watch_see(&w, during);
        memory_watch_end_call(&w, none, LIMIT, where);
    }
    assert_string_equal(w.over.where, "1");
    assert_int_equal(w.over.bytes, 29 * GIB);
    memory_watch_begin(&w, empty); /* the next process */
    assert_null(w.over.where);
}

/* What is not free when the process is dead was somebody else's. */
static void
what_others_have_is_not_its_own(void **state)
{
    const memory empty = {{99 * GIB, 0}}, during = {{69 * GIB, 0}};
    const memory all = {{GPU_BYTES, 0}}, ours = {{50 * GIB, 50 * GIB}},
                 another = {{84 * GIB, 0}}, others = {{69 * GIB, 0}}, nothing = {{0, 0}};
    struct memory_watch w = {0};

    (void)state;
    memory_watch_begin(&w, empty);
    memory_watch_see(&w, during);
    memory_watch_end_call(&w, none, LIMIT, "test 1");
    assert_int_equal(memory_watch_certain(&w, all), 30 * GIB);
    assert_int_equal(memory_watch_certain(&w, ours), 30 * GIB);
    assert_int_equal(memory_watch_certain(&w, another), 15 * GIB);
    assert_int_equal(memory_watch_certain(&w, others), 0);
    assert_int_equal(memory_watch_certain(&w, nothing), 0);
    memory_watch_free(&w);
}

/* The limit is each GPU's. */
static void
gpus_are_looked_at_each(void **state)
{
    const memory empty = {{GPU_BYTES, 0}, {GPU_BYTES, 0}},
                 during = {{88 * GIB, 0}, {79 * GIB, 0}},
                 after = {{50 * GIB, 0}, {GPU_BYTES, 0}};
    const uint64_t buffers[DEVICE_GPUS_MAX] = {4 * GIB, GIB};
    struct memory_watch w = {0};

    (void)state;
    memory_watch_begin(&w, empty);
    memory_watch_see(&w, during);
    memory_watch_end_call(&w, buffers, LIMIT, "test 1");
    assert_int_equal(w.over.gpu, 1);
    assert_int_equal(w.over.bytes, 22 * GIB);
    assert_int_equal(memory_watch_certain(&w, after), 22 * GIB);
    memory_watch_free(&w);
}

static void
devices_that_do_not_tell_see_nothing(void **state)
{
    const memory unknown = {{0, 5 * GIB}}, empty = {{GPU_BYTES, 0}}, nothing = {{0, 0}};
    struct memory_watch w = {0};

    (void)state;
    memory_watch_begin(&w, unknown);
    assert_false(memory_watch_works(&w));
    memory_watch_see(&w, nothing);
    memory_watch_end_call(&w, none, 0, "test 1");
    assert_null(w.over.where);
    /* But a GPU of which nothing is left does tell. */
    memory_watch_begin(&w, empty);
    assert_true(memory_watch_works(&w));
    memory_watch_see(&w, nothing);
    memory_watch_end_call(&w, none, LIMIT, "test 1");
    assert_int_equal(w.over.bytes, GPU_BYTES);
    memory_watch_free(&w);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_the_limit_is_seen),
        cmocka_unit_test(the_limit_and_some_more_is_not),
        cmocka_unit_test(buffers_of_ours_are_nobodys_use),
        cmocka_unit_test(the_worst_call_is_told),
        cmocka_unit_test(what_others_have_is_not_its_own),
        cmocka_unit_test(gpus_are_looked_at_each),
        cmocka_unit_test(devices_that_do_not_tell_see_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
