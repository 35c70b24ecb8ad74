// links: daemon sandbox common
/* Which compilers count as being at work, where several want one reference. */
#include "daemon/attempt.h"
#include "daemon/compiler_slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MANY 6

/* What the queue would have in its hands: the compiler of each is running. */
static void
begin(struct attempt a[MANY])
{
    static char problem[] = "softmax", device[] = "cuda:0";

    for (int i = 0; i < MANY; i++)
        a[i] = (struct attempt){.next_begun = i + 1 < MANY ? &a[i + 1] : NULL,
                                .compiler = (struct child *)&a[i],
                                .problem = problem,
                                .device = device,
                                .phase = COMPILING};
}

static void
who_waits_for_a_reference_does_not_count(void **state)
{
    struct attempt a[MANY];

    (void)state;
    assert_int_equal(compiler_slots_used(NULL, 2), 0);
    begin(a);
    assert_int_equal(compiler_slots_used(a, 2), MANY);
    a[MANY - 1].submission_made = true;
    assert_int_equal(compiler_slots_used(a, 2), MANY - 1);
    for (int i = 0; i < MANY; i++)
        a[i].submission_made = true;
    assert_int_equal(compiler_slots_used(a, 2), 1); /* somebody makes it */
    for (int i = 0; i < MANY; i++)
        a[i].reference_ready = true;
    assert_int_equal(compiler_slots_used(a, 2), MANY); /* ptxas is at work */
}

/* The first one counts, whether it is this one that makes the reference or another. */
static void
the_maker_may_be_any(void **state)
{
    struct attempt a[MANY];

    (void)state;
    begin(a);
    a[0].submission_made = true;
    assert_int_equal(compiler_slots_used(a, 2), MANY);
    a[1].submission_made = true;
    assert_int_equal(compiler_slots_used(a, 2), MANY - 1);
    a[0].compiler = NULL; /* it was cancelled */
    assert_int_equal(compiler_slots_used(a, 2), MANY - 1);
    a[0].compiler = (struct child *)&a[0];
    a[0].reference_ready = true; /* and the others are about to be told */
    assert_int_equal(compiler_slots_used(a, 2), MANY);
}

/* Another problem has another reference, and so has the same one on another device. */
static void
references_are_told_apart(void **state)
{
    char problem[] = "reduction", device[] = "emu";
    struct attempt a[MANY];

    (void)state;
    begin(a);
    for (int i = 0; i < MANY; i++)
        a[i].submission_made = true;
    a[1].problem = a[3].problem = problem;
    assert_int_equal(compiler_slots_used(a, 2), 2);
    a[3].device = a[4].device = device;
    assert_int_equal(compiler_slots_used(a, 2), 4);
}

/* On emu ptxas is still to come, for all that wait at once. */
static void
not_too_many_wait_on_emu(void **state)
{
    char device[] = "emu";
    struct attempt a[MANY];

    (void)state;
    begin(a);
    for (int i = 0; i < MANY; i++) {
        a[i].device = device;
        a[i].submission_made = true;
    }
    assert_int_equal(compiler_slots_used(a, MANY), 1);
    assert_int_equal(compiler_slots_used(a, MANY - 1), 1);
    assert_int_equal(compiler_slots_used(a, 2), MANY - 2);
    a[1].submission_made = false;
    assert_int_equal(compiler_slots_used(a, 2), MANY - 2); /* one waits less, one works */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_for_a_reference_does_not_count),
        cmocka_unit_test(the_maker_may_be_any),
        cmocka_unit_test(references_are_told_apart),
        cmocka_unit_test(not_too_many_wait_on_emu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
