// links: device gpu_owner sandbox core
/* The watch over requests to the emulated GPU, with a limit of a few milliseconds. */
#include "core/file.h"
#include "device/patience.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <time.h>

#define LIMIT_MS 300

static atomic_int interrupts, given_up;

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

static struct patience *
start(void)
{
    static const struct patience_acts acts = {interrupt, give_up};
    struct report r = {0};
    struct patience *p = patience_new(LIMIT_MS, &acts, &interrupts, &r);

    if (p == NULL)
        fail_msg("%s", r.text);
    atomic_store(&interrupts, 0);
    atomic_store(&given_up, 0);
    return p;
}

static void
sleep_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

    (void)nanosleep(&t, NULL);
}

static void
short_requests_are_left_alone(void **state)
{
    struct patience *p = start();

    (void)state;
    for (int i = 0; i < 3; i++) {
        patience_begin(p);
        sleep_ms(LIMIT_MS / 2);
        assert_false(patience_end(p));
    }
    sleep_ms(2 * LIMIT_MS); /* nothing is under way */
    patience_free(p);
    assert_int_equal(atomic_load(&interrupts), 0);
    assert_int_equal(atomic_load(&given_up), 0);
}

static void
long_requests_are_interrupted_then_given_up(void **state)
{
    struct patience *p = start();
    int seen;

    (void)state;
    patience_begin(p);
    sleep_ms(LIMIT_MS + 250);
    seen = atomic_load(&interrupts);
    assert_true(seen >= 1);
    assert_int_equal(atomic_load(&given_up), 0);
    assert_false(patience_end(p));
    patience_begin(p);
    sleep_ms(2 * LIMIT_MS + 500);
    assert_true(patience_end(p));
    assert_int_equal(atomic_load(&given_up), 1);
    patience_free(p);
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
