// links: exec ptx emulated
/* The model's formula and its schedule of blocks, on counts that are made up here. */
#include "emulator/exec/cost/model.h"
#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
test_figures(void **state)
{
    const struct device_model *d;
    unsigned count = 0;

    (void)state;
    for (; (d = device_at(count)) != NULL; count++) {
        assert_non_null(d->name);
        assert_ptr_equal(device_by_key(d->key), d);
#define X(figure, unit)                                                                  \
    if (!(d->figure > 0))                                                                \
        fail_msg("%s has no " #figure, d->key);
        DEVICE_FIGURES(X)
#undef X
    }
    assert_true(count >= 3);
    assert_string_equal(device_at(0)->key, "h200");
    assert_null(device_by_key("voodoo2"));
}

/* The time of a launch of equal blocks. */
static struct model_time
modelled(const struct device_model *d, struct launch_shape *s, const struct counters *c,
         const struct block_cost *each)
{
    struct schedule *schedule = schedule_new();
    struct ended_block blocks = {*each, s->blocks};
    struct model_time t;

    assert_non_null(schedule);
    assert_int_equal(schedule_begin(schedule, d, s->blocks, 8), 0);
    schedule_add(schedule, &blocks);
    schedule_end(schedule);
    s->schedule = schedule;
    model_launch(d, s, c, &t);
    schedule_free(schedule);
    return t;
}

/* Launches with one bound alone take what the formula's term says; here in numbers that
 * doubles hold exactly. */
static void
test_bounds(void **state)
{
    struct device_model d = *device_at(0);
    struct launch_shape s = {
        .blocks = 128, .threads_per_block = 256, .touched_bytes = 1 << 30};
    struct counters c = {.global_sectors = 1 << 20, .l1_missed_sectors = 1 << 20};
    struct block_cost each = {.unit = {0}};
    struct model_time t;

    (void)state;
    d.dram_bytes_per_ns = 1024;
    d.sms = 128;
    d.clock_ghz = 2;
    d.schedulers_per_sm = 4;
    t = modelled(&d, &s, &c, &each);
    assert_true(t.bound_ns[COST_DRAM] == 32768);
    assert_int_equal(t.bound, COST_DRAM);
    s.touched_bytes = 1 << 20; /* fits in L2: each byte comes once */
    t = modelled(&d, &s, &c, &each);
    assert_true(t.bound_ns[COST_DRAM] == 1024);
    c = (struct counters){.atomic_hottest = 10};
    each.unit[SM_ISSUE] = 8192;
    t = modelled(&d, &s, &c, &each);
    assert_true(t.bound_ns[COST_ISSUE] == 1024);
    assert_true(t.bound_ns[COST_CONTENTION] == 10 * d.atomic_line_ns);
    s.blocks = 129; /* one SM has two, the others wait for it */
    t = modelled(&d, &s, &c, &each);
    assert_true(t.bound_ns[COST_ISSUE] == 2048);
    s.blocks = 64; /* idle SMs don't help the others */
    t = modelled(&d, &s, &c, &each);
    assert_true(t.bound_ns[COST_ISSUE] == 1024);
    each.clock.issue = 8192; /* all by one warp of each block: one scheduler */
    t = modelled(&d, &s, &c, &each);
    assert_true(t.bound_ns[COST_ISSUE] == 4096);
    s.blocks = 0;
    c = (struct counters){0};
    t = modelled(&d, &s, &c, &each);
    assert_true(t.ns == d.launch_ns);
}

/* Blocks go to the place that is free first, so one long block at the beginning is beside
 * the short ones, and one at the end behind them. */
static void
test_tails(void **state)
{
    struct device_model d = *device_at(0);
    struct ended_block most = {.count = 999}, one = {.count = 1};
    struct launch_shape s = {.blocks = 1000, .threads_per_block = 32};
    struct counters c = {0};
    struct schedule *schedule = schedule_new();
    struct model_time t;

    (void)state;
    assert_non_null(schedule);
    d.sms = 10;
    d.clock_ghz = 1;
    d.block_start_ns = 0;
    for (unsigned i = 0; i < ASSUMPTIONS; i++) {
        most.cost.clock.path[i].cycles = 100;
        one.cost.clock.path[i].cycles = 20000;
    }
    s.schedule = schedule;
    assert_int_equal(schedule_begin(schedule, &d, 1000, 1), 0);
    schedule_add(schedule, &one);
    schedule_add(schedule, &most);
    schedule_end(schedule);
    model_launch(&d, &s, &c, &t);
    assert_true(t.bound_ns[COST_LATENCY] == 20000); /* the others: 11100 in nine places */
    assert_int_equal(schedule_begin(schedule, &d, 1000, 1), 0);
    schedule_add(schedule, &most);
    schedule_add(schedule, &one);
    schedule_end(schedule);
    model_launch(&d, &s, &c, &t);
    assert_true(t.bound_ns[COST_LATENCY] == 20000 + 99 * 100);
    schedule_free(schedule);
}

/* Gives one block to the place that is free first, by looking at all of them. A
 * place is busy for the block's cycles, and 1 more. */
static void
place_plainly(uint64_t *free_at, uint64_t *cycles, uint32_t count, uint64_t duration)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < count; i++)
        first = free_at[i] < free_at[first] ? i : first;
    free_at[first] += duration + 1;
    cycles[first] += duration;
}

/* Equal blocks are placed together where they take turns. Each still goes to the place
 * that is free first. */
static void
test_places(void **state)
{
    enum { MAX = 12, ROWS = 200 };
    struct device_model d = *device_at(0);
    struct schedule *schedule = schedule_new();
    uint32_t seed = 1;

    (void)state;
    assert_non_null(schedule);
    d.block_start_ns = 0;
    for (uint32_t round = 0; round < 60; round++) {
        uint64_t free_at[MAX] = {0}, cycles[MAX] = {0};
        const struct schedule_place *places;
        uint32_t count, expected = 1 + round % MAX;

        d.sms = expected;
        assert_int_equal(schedule_begin(schedule, &d, UINT64_C(1) << 40, 1), 0);
        for (int row = 0; row < ROWS; row++) {
            struct ended_block blocks = {.count = 0};

            seed = seed * 1664525 + 1013904223;
            blocks.count = 1 + (seed >> 16) % (row % 2 != 0 ? 3 : 5 * MAX);
            blocks.cost.clock.path[IF_DRAM].cycles = (seed >> 24) % 4 * (round % 5) * 10;
            schedule_add(schedule, &blocks);
            for (uint64_t i = 0; i < blocks.count; i++)
                place_plainly(free_at, cycles, expected,
                              blocks.cost.clock.path[IF_DRAM].cycles);
        }
        schedule_end(schedule);
        places = schedule_places(schedule, &count);
        assert_int_equal(count, expected);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(places[i].clock.path[IF_DRAM].cycles, cycles[i]);
    }
    schedule_free(schedule);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
