// links: arbiter device gpu_owner sandbox common
/* What of a call's bytes on the bus is free. */
#include "arbiter/measuring/bus_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
an_eighth_is_free_but_neither_little_nor_much(void **state)
{
    (void)state;
    assert_float_equal(bus_free_bytes(0, 8e6), 1e6, 0);
    assert_float_equal(bus_free_bytes(8e6, 64e6), 1e6, 0);
    assert_float_equal(bus_free_bytes(64e6, 8e6), 1e6, 0);
    assert_float_equal(bus_free_bytes(0, 0), 32e3, 0);
    assert_float_equal(bus_free_bytes(200e3, 200e3), 32e3, 0);
    assert_float_equal(bus_free_bytes(32e6, 32e6), 4e6, 0);
    assert_float_equal(bus_free_bytes(5e9, 5e9), 4e6, 0);
}

static void
little_is_free_beside_a_context(void **state)
{
    (void)state;
    assert_true(bus_is_narrow(32e3));
    assert_true(bus_is_narrow(499e3));
    assert_false(bus_is_narrow(500e3));
}

static void
a_long_call_may_have_many_launches(void **state)
{
    (void)state;
    assert_float_equal(bus_free_of_launches(48e6), 12e6, 0);
    assert_float_equal(bus_free_of_launches(10e3), 2500, 0);
    assert_float_equal(bus_free_of_launches(-100e3), 0, 0);
}

static void
what_is_not_known_stays_so(void **state)
{
    (void)state;
    assert_float_equal(bus_beyond_empty(15e3, 445e3), 430e3, 0);
    assert_float_equal(bus_beyond_empty(15e3, 14e3), 0, 0);
    assert_true(bus_beyond_empty(-1, 445e3) < 0);
    assert_true(bus_beyond_empty(15e3, -1) < 0);
}

static void
buffers_in_host_memory_and_two_gpus_are_not_watched(void **state)
{
    static struct problem p = {
        .param_count = 2,
        .param = {{.dir = DIR_IN, .space = SPACE_DEVICE}, {.dir = DIR_OUT}}};

    (void)state;
    assert_true(bus_is_watched(&p));
    p.gpus = 2;
    assert_false(bus_is_watched(&p));
    p.gpus = 1;
    p.param[1].space = SPACE_HOST_PINNED;
    assert_false(bus_is_watched(&p));
}

/* What is made or looked at on the host goes over the bus. */
static void
a_bus_is_silent_if_all_is_done_on_the_gpu(void **state)
{
    static const struct {
        enum compare_mode mode;
        enum param_dir dir;
        bool has_inputs_c, quiet;
    } rows[] = {{COMPARE_CLOSE, DIR_OUT, false, true},
                {COMPARE_EXACT, DIR_INOUT, false, true},
                {COMPARE_ULP, DIR_OUT, false, true},
                {COMPARE_CLOSE, DIR_OUT, true, false},
                {COMPARE_UNORDERED, DIR_OUT, false, false},
                {COMPARE_CHECKER, DIR_INOUT, false, false},
                {COMPARE_CHECKER, DIR_IN, false, true}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct problem p;

        p = (struct problem){.param_count = 1, .has_inputs_c = rows[i].has_inputs_c};
        p.param[0].dir = rows[i].dir;
        p.benchmark_tolerance.mode = rows[i].mode;
        assert_int_equal(bus_is_silent(&p), rows[i].quiet);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_eighth_is_free_but_neither_little_nor_much),
        cmocka_unit_test(little_is_free_beside_a_context),
        cmocka_unit_test(a_long_call_may_have_many_launches),
        cmocka_unit_test(what_is_not_known_stays_so),
        cmocka_unit_test(a_bus_is_silent_if_all_is_done_on_the_gpu),
        cmocka_unit_test(buffers_in_host_memory_and_two_gpus_are_not_watched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
