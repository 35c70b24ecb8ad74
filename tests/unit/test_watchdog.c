// links: device gpu_owner sandbox common
/* The watch over requests to the emulated GPU, on a clock that the test plays: it goes on
 * only when the test lets it, however long the thread that looks at it waits for a CPU.
 */
#include "device/watchdog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <time.h>

#define MS UINT64_C(1000000)
#define LIMIT_MS 300

static atomic_int interrupts, given_up, looks;
static _Atomic uint64_t clock_ns;

static void
interrupt(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void
give_up(void *arg)
{
    (void)arg;
    atomic_fetch_add(&given_up, 1);
}

static uint64_t
played_clock(void *arg)
{
    (void)arg;
    atomic_fetch_add(&looks, 1);
    return atomic_load(&clock_ns);
}

static struct watchdog *
start(void)
{
    static const struct watchdog_acts acts = {interrupt, give_up, played_clock};
    struct report r = {0};
    struct watchdog *p = watchdog_new(LIMIT_MS, &acts, &interrupts, &r);

    if (p == NULL)
        fail_msg("%s", r.text);
    atomic_store(&interrupts, 0);
    atomic_store(&given_up, 0);
    atomic_store(&clock_ns, 7 * MS);
    return p;
}

/* The clock stands at `at` while the thread looks at it: the second look of two has seen
 * it for certain. */
static void
stand_at(uint64_t at_ms)
{
    const struct timespec step = {.tv_nsec = 1000000};
    int seen;

    atomic_store(&clock_ns, at_ms * MS);
    seen = atomic_load(&looks);
    while (atomic_load(&looks) < seen + 2)
        (void)nanosleep(&step, NULL);
}

static void
short_requests_are_left_alone(void **state)
{
    struct watchdog *p = start();

    (void)state;
    for (int i = 1; i <= 3; i++) {
        watchdog_begin(p);
        stand_at(7 + (uint64_t)i * LIMIT_MS);
        assert_false(watchdog_end(p));
    }
    atomic_store(&clock_ns, 100 * LIMIT_MS * MS); /* nothing is under way */
    watchdog_begin(p);
    stand_at(100 * LIMIT_MS);
    assert_false(watchdog_end(p));
    watchdog_free(p);
    assert_int_equal(atomic_load(&interrupts), 0);
    assert_int_equal(atomic_load(&given_up), 0);
}

static void
long_requests_are_interrupted_then_given_up(void **state)
{
    struct watchdog *p = start();

    (void)state;
    watchdog_begin(p);
    stand_at(7 + LIMIT_MS + 1);
    stand_at(7 + 2 * LIMIT_MS);
    assert_true(atomic_load(&interrupts) >= 1);
    assert_int_equal(atomic_load(&given_up), 0);
    assert_false(watchdog_end(p));
    /* However late the first look is, it interrupts. */
    atomic_store(&interrupts, 0);
    watchdog_begin(p);
    stand_at(7 + 9 * LIMIT_MS);
    assert_true(atomic_load(&interrupts) >= 1);
    stand_at(7 + 10 * LIMIT_MS);
    assert_int_equal(atomic_load(&given_up), 0);
    stand_at(7 + 10 * LIMIT_MS + 1);
    while (atomic_load(&given_up) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_true(watchdog_end(p));
    assert_int_equal(atomic_load(&given_up), 1);
    watchdog_free(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_requests_are_left_alone),
        cmocka_unit_test(long_requests_are_interrupted_then_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
