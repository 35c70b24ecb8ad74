// links: arbiter device gpu_owner sandbox common
/* Used time put together from its parts, and what people are told of it. */
#include "arbiter/calling/meter.h"
#include "emulator/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

static void
used_time_is_the_sum_of_its_parts(void **state)
{
    static const struct {
        struct meter_use use;
        uint64_t used_ns;
    } cases[] = {
        {{0}, 0},
        {{.work_ns = 8 * S, .cpu_ns = S, .slept_ns = 2 * S}, 11 * S},
        /* The emulated GPU's own CPU time is on no bill... */
        {{.work_ns = 8 * S, .gpu_cpu_ns = 40 * S}, 8 * S},
        /* ... unless its work takes far more of it than it counts as. */
        {{.work_ns = 2 * S, .slept_ns = S, .gpu_cpu_ns = 200 * S}, 20 * S},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(meter_used_ns(&cases[i].use), cases[i].used_ns);
}

static void
a_difference_is_never_below_zero(void **state)
{
    const struct meter_use before = {.work_ns = 5 * S, .cpu_ns = 2 * S};
    const struct meter_use now = {.work_ns = 1 * S, .cpu_ns = 3 * S, .slept_ns = S};
    const struct meter_use use = meter_since(&now, &before);

    (void)state;
    assert_int_equal(use.work_ns, 0);
    assert_int_equal(use.cpu_ns, S);
    assert_int_equal(use.slept_ns, S);
}

static void
work_becomes_time_without_overflow(void **state)
{
    static const uint64_t counts[] = {0, 1, WORK_PER_MS, 400000000, UINT64_MAX / 2};
    static const uint64_t want[] = {0, 25, 1000000, 10 * S,
                                    UINT64_MAX / 2 / WORK_PER_MS * 1000000};
    struct work_count work = {0};
    struct meter m;

    (void)state;
    meter_begin(&m, NULL, &(const struct device_runner){.work = &work});
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct meter_use use;

        atomic_store(&work.used, counts[i]);
        use = meter_use(&m);
        assert_true(use.work_ns >= want[i] && use.work_ns <= want[i] + 1000000);
        assert_int_equal(use.cpu_ns, 0);
    }
    meter_end(&m);
}

static void
people_are_told_the_parts(void **state)
{
    const struct meter_use use = {
        .work_ns = 8100000000, .cpu_ns = 1200000000, .slept_ns = 700000000};
    const struct meter_use dear = {.work_ns = S, .gpu_cpu_ns = 101 * S};
    char text[200];

    (void)state;
    meter_text(&use, true, text, sizeof text);
    assert_string_equal(text,
                        "8.1 s of emulated work, 1.2 s of host CPU time, 0.7 s asleep");
    meter_text(&use, false, text, sizeof text);
    assert_string_equal(text, "1.2 s of host CPU time, 0.7 s asleep");
    meter_text(&dear, true, text, sizeof text);
    assert_string_equal(text, "1.0 s of emulated work, 0.0 s of host CPU time, 0.0 s "
                              "asleep, and 101 s of the emulated GPU's CPU time");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(used_time_is_the_sum_of_its_parts),
        cmocka_unit_test(a_difference_is_never_below_zero),
        cmocka_unit_test(work_becomes_time_without_overflow),
        cmocka_unit_test(people_are_told_the_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
