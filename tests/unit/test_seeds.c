// links: arbiter device gpu_owner sandbox common
/* The seeds of a judgement: drawn for each, or the operator's; one for each purpose. */
#include "arbiter/judging/seeds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char *const GIVEN =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void
each_judgement_draws_its_own(void **state)
{
    struct seeds a, b;

    (void)state;
    seeds_open(&a, NULL);
    seeds_open(&b, NULL);
    assert_true(job_seed_is_valid(a.secret) && job_seed_is_valid(b.secret));
    assert_string_not_equal(a.secret, b.secret);
    assert_true(seeds_make(&a, SEED_TIMED, 0) != seeds_make(&b, SEED_TIMED, 0));
}

static void
the_same_secret_draws_the_same(void **state)
{
    struct seeds a, b;

    (void)state;
    seeds_open(&a, GIVEN);
    seeds_open(&b, GIVEN);
    assert_string_equal(a.secret, GIVEN);
    for (int use = SEED_TEST; use <= SEED_POISON; use++)
        for (int n = 0; n < 20; n++)
            assert_true(seeds_make(&a, use, n) == seeds_make(&b, use, n));
}

static void
no_two_seeds_of_a_judgement_are_the_same(void **state)
{
    uint64_t all[(SEED_POISON + 1) * 200];
    struct seeds s;
    int count = 0;

    (void)state;
    seeds_open(&s, GIVEN);
    for (int use = SEED_TEST; use <= SEED_POISON; use++)
        for (int n = 0; n < 200; n++)
            all[count++] = seeds_make(&s, use, n);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            assert_true(all[i] != all[k]);
}

static void
only_hexadecimal_digits_are_a_seed(void **state)
{
    char text[SEED_DIGITS + 2];

    (void)state;
    assert_true(job_seed_is_valid(GIVEN));
    assert_false(job_seed_is_valid(""));
    assert_false(job_seed_is_valid(GIVEN + 1));
    memcpy(text, GIVEN, SEED_DIGITS + 1);
    text[7] = 'A';
    assert_false(job_seed_is_valid(text));
    memset(text, '0', SEED_DIGITS + 1);
    text[SEED_DIGITS + 1] = '\0';
    assert_false(job_seed_is_valid(text));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_judgement_draws_its_own),
        cmocka_unit_test(the_same_secret_draws_the_same),
        cmocka_unit_test(no_two_seeds_of_a_judgement_are_the_same),
        cmocka_unit_test(only_hexadecimal_digits_are_a_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
