// links: arbiter device gpu_owner sandbox common
/* What is looked at when a submission has run: the arithmetic of memory. The rest is
 * tests/e2e/test_injection.py. */
#include "arbiter/judging/leftovers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

static uint64_t
missing(uint64_t free_before, uint64_t own_before, uint64_t free_now, uint64_t own_now)
{
    const struct device_memory before = {free_before, own_before},
                               now = {free_now, own_now};

    return leftovers_missing(&before, &now);
}

static void
what_is_given_back_is_not_missing(void **state)
{
    (void)state;
    assert_int_equal(missing(100 * GIB, GIB, 100 * GIB, GIB), 0);
    /* The null runner has gone meanwhile. */
    assert_int_equal(missing(100 * GIB, GIB, 101 * GIB, GIB), 0);
    /* Our own buffers, more of them or fewer. */
    assert_int_equal(missing(100 * GIB, GIB, 90 * GIB, 11 * GIB), 0);
    assert_int_equal(missing(90 * GIB, 11 * GIB, 100 * GIB, GIB), 0);
    /* The reference's context has grown. */
    assert_int_equal(missing(100 * GIB, GIB, 100 * GIB - 200 * MIB, GIB), 0);
}

static void
what_is_kept_is_missing(void **state)
{
    (void)state;
    assert_int_equal(missing(100 * GIB, GIB, 98 * GIB, GIB), 2 * GIB - 256 * MIB);
    /* Freeing ours does not make up for it. */
    assert_int_equal(missing(100 * GIB, 2 * GIB, 100 * GIB, GIB), GIB - 256 * MIB);
    /* All of it. */
    assert_int_equal(missing(100 * GIB, 0, 0, 0), 100 * GIB - 256 * MIB);
}

static void
devices_that_do_not_tell_miss_nothing(void **state)
{
    (void)state;
    assert_int_equal(missing(0, 5 * GIB, 0, 0), 0);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_back_is_not_missing),
        cmocka_unit_test(what_is_kept_is_missing),
        cmocka_unit_test(devices_that_do_not_tell_miss_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
