// links: arbiter device gpu_owner sandbox common
/* When the arbiter's own fill counts as slowed by a resident kernel. */
#include "arbiter/calling/fill_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
a_context_switch_is_not_slow_a_time_slice_is(void **state)
{
    (void)state;
    assert_false(fill_is_slow(200e3, 200e3));
    assert_false(fill_is_slow(200e3, 200e3 + 2 * 142e3));
    assert_true(fill_is_slow(200e3, 200e3 + 1e6));
    assert_false(fill_is_slow(10e6, 12.4e6));
    assert_true(fill_is_slow(10e6, 12.6e6));
}

static void
without_a_baseline_nothing_is_slow(void **state)
{
    (void)state;
    assert_false(fill_is_slow(0, 1e12));
}

static void
the_first_is_discarded_the_second_disqualifies(void **state)
{
    struct fill_watch w = {0};

    (void)state;
    assert_int_equal(fill_watch_call(&w, 0), FILL_FINE);
    assert_int_equal(fill_watch_call(&w, FILL_TRIES), FILL_DISCARD);
    assert_int_equal(fill_watch_call(&w, 0), FILL_FINE);
    assert_int_equal(fill_watch_call(&w, FILL_TRIES), FILL_DISQUALIFY);
}

/* A call whose fill was slow once does not count, so that nobody can make all so. */
static void
slow_now_and_then_is_discarded_slow_always_disqualifies(void **state)
{
    struct fill_watch w = {0};
    int discarded = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fill_watch_call(&w, 0), FILL_FINE);
        if (i % 4 == 0)
            assert_int_equal(fill_watch_call(&w, 1), FILL_DISCARD);
    }
    while (fill_watch_call(&w, 1) == FILL_DISCARD)
        assert_true(++discarded < 50);
    assert_true(discarded > 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_switch_is_not_slow_a_time_slice_is),
        cmocka_unit_test(without_a_baseline_nothing_is_slow),
        cmocka_unit_test(the_first_is_discarded_the_second_disqualifies),
        cmocka_unit_test(slow_now_and_then_is_discarded_slow_always_disqualifies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
