// links: arbiter device gpu_owner sandbox common
/* When a GPU is asked for the bytes on its bus, and when a count from before will do. */
#include "arbiter/calling/bus_meter.h"
#include "device/device_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <time.h>

#define MS UINT64_C(1000000)

static _Atomic uint64_t clock_ns;
static atomic_int asked;
static _Atomic double count;

/* The time that the meter sees. */
int
clock_gettime(clockid_t id, struct timespec *out)
{
    (void)id;
    *out = (struct timespec){.tv_sec = (time_t)(clock_ns / (1000 * MS)),
                             .tv_nsec = (long)(clock_ns % (1000 * MS))};
    return 0;
}

static double
answer(struct device *d)
{
    (void)d;
    asked++;
    return count;
}

static const struct device_ops ops = {.bus_bytes = answer};
static struct device device = {.ops = &ops};
static struct bus_meter *meter;

static int
set_up(void **state)
{
    (void)state;
    clock_ns = 1000 * MS;
    asked = 0;
    count = 100;
    meter = bus_meter_open(&device);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    bus_meter_close(meter);
    return 0;
}

/* One call, at whose end the bus has had so many bytes. */
static void
call(double bytes)
{
    count = bytes;
    bus_meter_ask(meter);
    assert_float_equal(bus_meter_after(meter), bytes, 0);
}

static void
the_count_after_a_call_is_the_next_ones_before(void **state)
{
    (void)state;
    assert_float_equal(bus_meter_before(meter, true), 100, 0);
    assert_int_equal(asked, 1);
    call(200);
    count = 250; /* what is sent between calls is the next one's */
    clock_ns += 20 * MS - 1;
    assert_float_equal(bus_meter_before(meter, true), 200, 0);
    assert_int_equal(asked, 2);
}

/* Else the counters could have come round. */
static void
an_old_count_is_of_no_use(void **state)
{
    (void)state;
    call(200);
    count = 300;
    clock_ns += 20 * MS;
    assert_float_equal(bus_meter_before(meter, true), 300, 0);
    assert_int_equal(asked, 2);
}

static void
nor_is_one_from_before_our_own_copies(void **state)
{
    (void)state;
    call(200);
    count = 300;
    assert_float_equal(bus_meter_before(meter, false), 300, 0);
    assert_int_equal(asked, 2);
}

static void
what_was_not_known_is_asked_again(void **state)
{
    (void)state;
    call(-1);
    count = 300;
    assert_float_equal(bus_meter_before(meter, true), 300, 0);
    count = -1;
    assert_true(bus_meter_before(meter, false) < 0);
    assert_int_equal(asked, 3);
}

/* A judgement may end where nobody waits for the last answer. */
static void
an_answer_need_not_be_waited_for(void **state)
{
    (void)state;
    bus_meter_ask(meter);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_count_after_a_call_is_the_next_ones_before),
        TEST(an_old_count_is_of_no_use),
        TEST(nor_is_one_from_before_our_own_copies),
        TEST(what_was_not_known_is_asked_again),
        TEST(an_answer_need_not_be_waited_for),
    };

    bus_meter_close(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
