// links: arbiter device gpu_owner sandbox common
/* The hardware's limit, by figures worked out by hand. */
#include "arbiter/measuring/roofline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

static const struct device_rates GPU_RATES = {
    .copy_bytes_per_ns = 4000,
    .read_bytes_per_ns = 4500,
    .fp32_per_ns = 60000,
    .cached_bytes = 50e6,
    .units = {.fp32 = 256, .fp64 = 256, .int32 = 128, .tensor = 4096},
};

static void
assert_near(double got, double want)
{
    assert_true(fabs(got - want) <= 1e-9 * fabs(want));
}

/* 300 MB, of which 50 MB of the 100 MB of outputs may stay in the cache. */
static void
memory_sets_the_limit_of_an_addition(void **state)
{
    const struct work work = {.bytes = 300e6,
                              .flops = 25e6,
                              .output_bytes = 100e6,
                              .buffer_bytes = 300e6,
                              .unit = "fp32"};
    const struct limit limit = limit_of(&GPU_RATES, &work);

    (void)state;
    assert_near(limit.ns, 300e6 / 4500);
    assert_near(limit.floor_ns, 250e6 / 4500);
    assert_string_equal(limit.by, "memory");
}

static void
the_floor_takes_what_the_pins_carry(void **state)
{
    const struct work work = {.bytes = 900e6, .output_bytes = 0, .buffer_bytes = 900e6};
    struct device_rates gpu = GPU_RATES;

    (void)state;
    gpu.peak_bytes_per_ns = 5000;
    assert_near(limit_of(&gpu, &work).ns, 900e6 / 4500);
    assert_near(limit_of(&gpu, &work).floor_ns, 900e6 / 5000);
}

static void
two_gpus_halve_the_limit(void **state)
{
    struct work work = {.bytes = 900e6,
                        .output_bytes = 200e6,
                        .buffer_bytes = 600e6,
                        .unit = "fp32",
                        .gpus = 2};
    struct limit limit = limit_of(&GPU_RATES, &work);

    (void)state;
    assert_near(limit.ns, 900e6 / 9000);
    assert_near(limit.floor_ns, 500e6 / 9000); /* 50 MB stay in each GPU's cache */
    work = (struct work){.flops = 600e9, .unit = "fp32", .gpus = 2};
    limit = limit_of(&GPU_RATES, &work);
    assert_near(limit.ns, 600e9 / 120000);
    work.gpus = 1;
    assert_near(limit_of(&GPU_RATES, &work).floor_ns, 2 * limit.floor_ns);
}

/* Two passes over 400 MB, and 100 MB written: a program could keep the input on the chip.
 */
static void
the_floor_counts_each_buffer_once(void **state)
{
    const struct work work = {
        .bytes = 900e6, .output_bytes = 100e6, .buffer_bytes = 500e6, .unit = "fp32"};
    const struct limit limit = limit_of(&GPU_RATES, &work);

    (void)state;
    assert_near(limit.ns, 900e6 / 4500);
    assert_near(limit.floor_ns, 450e6 / 4500);
}

static void
the_unit_of_the_type_sets_the_limit_of_a_product(void **state)
{
    struct work work = {.bytes = 1e6,
                        .flops = 6e12,
                        .output_bytes = 1e5,
                        .buffer_bytes = 1e6,
                        .unit = "fp32"};
    struct limit limit = limit_of(&GPU_RATES, &work);

    (void)state;
    assert_near(limit.ns, 1e8);
    assert_near(limit.floor_ns, 1e8 / 16 / 2); /* fp16's 4096 a clock, and half of it */
    assert_string_equal(limit.by, "fp32");
    work.unit = "int8"; /* 8192 a clock where fp32 does 256 */
    limit = limit_of(&GPU_RATES, &work);
    assert_near(limit.ns, 1e8 / 32);
    assert_near(limit.floor_ns, 1e8 / 32 / 2);
    assert_string_equal(limit.by, "int8");
}

static void
what_is_not_known_limits_nothing(void **state)
{
    static const struct device_rates nothing;
    const struct work small = {
        .bytes = 8, .flops = 100, .output_bytes = 8, .buffer_bytes = 8, .unit = "int128"};
    struct limit limit = limit_of(&nothing, &small);

    (void)state;
    assert_near(limit.ns, 0);
    assert_int_equal(limit_judge(&limit, 0, 0), LIMIT_FAR);
    limit = limit_of(&GPU_RATES, &small); /* all of it may stay in the cache */
    assert_near(limit.floor_ns, 0);
    assert_int_equal(limit_judge(&limit, 0, 0), LIMIT_NEAR);
}

static void
only_a_whole_interval_below_is_impossible(void **state)
{
    const struct limit limit = {1100, 1000, "memory"};

    (void)state;
    assert_int_equal(limit_judge(&limit, 1156, 1160), LIMIT_FAR);
    assert_int_equal(limit_judge(&limit, 1154, 1160), LIMIT_NEAR);
    assert_int_equal(limit_judge(&limit, 990, 1001), LIMIT_NEAR);
    assert_int_equal(limit_judge(&limit, 990, 999), LIMIT_BEATEN);
    assert_int_equal(limit_judge(&limit, 0, 0), LIMIT_BEATEN);
}

static void
every_unit_of_the_format_has_a_rate(void **state)
{
    static const char *const UNITS[] = {"fp64", "fp32", "tf32",  "fp16", "bf16",
                                        "fp8",  "fp4",  "int32", "int8", "int4"};

    (void)state;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
        assert_true(rates_flops_per_ns(&GPU_RATES, UNITS[i]) > 0);
    assert_near(unit_rates_of(9, 0).tensor, 4096);
    assert_near(unit_rates_of(1, 0).fp32, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_sets_the_limit_of_an_addition),
        cmocka_unit_test(the_floor_counts_each_buffer_once),
        cmocka_unit_test(the_floor_takes_what_the_pins_carry),
        cmocka_unit_test(two_gpus_halve_the_limit),
        cmocka_unit_test(the_unit_of_the_type_sets_the_limit_of_a_product),
        cmocka_unit_test(what_is_not_known_limits_nothing),
        cmocka_unit_test(only_a_whole_interval_below_is_impossible),
        cmocka_unit_test(every_unit_of_the_format_has_a_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
