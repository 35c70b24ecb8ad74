// links: arbiter device gpu_owner sandbox common
/* Which empty calls count where the host has other work. */
#include "arbiter/measuring/host_busy.h"
#include "runner/awake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static long preemptions;

/* In the C library's place. */
int
getrusage(__rusage_who_t who, struct rusage *out)
{
    assert_int_equal(who, RUSAGE_THREAD);
    *out = (struct rusage){.ru_nivcsw = preemptions, .ru_nvcsw = 1000};
    return 0;
}

static void
who_gives_its_cpu_away_has_not_lost_it(void **state)
{
    (void)state;
    preemptions = 3;
    assert_int_equal(awake_preemptions(), 3);
}

static void
a_call_that_lost_its_cpu_never_counts(void **state)
{
    struct host_busy b = {0};

    (void)state;
    for (int i = 0; i < 300; i++) {
        assert_false(host_busy_counts(&b, i % 2 == 0, true));
        assert_false(host_busy_always(&b));
        assert_true(host_busy_counts(&b, false, false));
    }
    assert_false(host_busy_counts(&b, false, true));
    assert_true(host_busy_always(&b));
}

static void
late_calls_count_where_all_are(void **state)
{
    struct host_busy b = {0};
    int counted = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        counted += host_busy_counts(&b, true, false);
    assert_int_equal(counted, 50);
    assert_false(host_busy_counts(&b, true, true));
    assert_false(host_busy_always(&b));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_gives_its_cpu_away_has_not_lost_it),
        cmocka_unit_test(a_call_that_lost_its_cpu_never_counts),
        cmocka_unit_test(late_calls_count_where_all_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
