// links: daemon sandbox common
/* Which workers that only compile rest, since they give back what they get. */
#include "daemon/compiler_rests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)
#define BEGIN (1000 * SECOND)

static const struct compiler ADA = {.token = 7, .node = "ada"};

/* For how many seconds it rests. */
static int
rest_s(const struct compiler_rests *all, const struct compiler *c, uint64_t now)
{
    const struct compiler_rest rest = compiler_rests_find(all, c, now);

    return rest.until_ns > now ? (int)((rest.until_ns - now) / SECOND) : 0;
}

static void
give_back(struct compiler_rests *all, const struct compiler *c, int times, int workers,
          uint64_t now)
{
    for (int i = 0; i < times; i++)
        compiler_rests_gave_back(all, c, workers, now);
}

static void
who_gives_back_again_and_again_rests(void **state)
{
    static const struct compiler BEN = {.token = 7, .node = "ben"},
                                 OTHER_ADA = {.token = 8, .node = "ada"};
    struct compiler_rests *all = compiler_rests_new();
    uint64_t now = BEGIN;
    int expected = 60;

    (void)state;
    assert_int_equal(rest_s(all, &ADA, now), 0);
    give_back(all, &ADA, 3, 1, now);
    assert_int_equal(rest_s(all, &ADA, now), 0);
    give_back(all, &ADA, 1, 1, now);
    assert_int_equal(compiler_rests_find(all, &ADA, now).given_back, 4);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(rest_s(all, &ADA, now), expected);
        assert_int_equal(rest_s(all, &BEN, now), 0);
        assert_int_equal(rest_s(all, &OTHER_ADA, now), 0);
        /* What it gives back while it rests makes no rest longer. */
        give_back(all, &ADA, 5, 1, now + 1);
        assert_int_equal(rest_s(all, &ADA, now), expected);
        now += (uint64_t)expected * SECOND;
        assert_int_equal(rest_s(all, &ADA, now), 0);
        give_back(all, &ADA, 1, 1, now);
        expected = 2 * expected < 3600 ? 2 * expected : 3600;
    }
    assert_int_equal(expected, 3600);
    /* It is a new beginning once it has compiled something. */
    compiler_rests_compiled(all, &ADA);
    assert_int_equal(rest_s(all, &ADA, now), 0);
    give_back(all, &ADA, 3, 1, now);
    assert_int_equal(rest_s(all, &ADA, now), 0);
    give_back(all, &ADA, 1, 1, now);
    assert_int_equal(rest_s(all, &ADA, now), 60);
    compiler_rests_free(all);
}

/* A node that is told to stop gives back what each of its workers has. */
static void
a_node_may_give_back_what_all_its_workers_have(void **state)
{
    struct compiler_rests *all = compiler_rests_new();

    (void)state;
    for (int left = 16; left > 0; left--)
        give_back(all, &ADA, 1, left, BEGIN);
    assert_int_equal(rest_s(all, &ADA, BEGIN), 0);
    give_back(all, &ADA, 2, 1, BEGIN);
    assert_int_equal(rest_s(all, &ADA, BEGIN), 0);
    give_back(all, &ADA, 1, 1, BEGIN);
    assert_int_equal(rest_s(all, &ADA, BEGIN), 60);
    compiler_rests_free(all);
}

/* Nor does it help to have a new name each time. */
static void
a_token_whose_nodes_only_give_back_gets_no_new_ones(void **state)
{
    struct compiler_rests *all = compiler_rests_new();
    struct compiler c = {.token = 7};
    char name[24];

    (void)state;
    c.node = name;
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        assert_int_equal(rest_s(all, &c, BEGIN + 9 * SECOND), 0);
        give_back(all, &c, 1, 1, BEGIN + (uint64_t)i * SECOND);
    }
    snprintf(name, sizeof name, "another");
    assert_int_equal(rest_s(all, &c, BEGIN + 9 * SECOND), 54);
    assert_true(compiler_rests_find(all, &c, BEGIN).of_token);
    assert_int_equal(compiler_rests_find(all, &c, BEGIN).given_back, 4);
    /* Who has compiled something is trusted, and so is another token. */
    c.proven = true;
    assert_int_equal(rest_s(all, &c, BEGIN + 9 * SECOND), 0);
    c.proven = false;
    c.token = 8;
    assert_int_equal(rest_s(all, &c, BEGIN + 9 * SECOND), 0);
    c.token = 7;
    assert_int_equal(rest_s(all, &c, BEGIN + 63 * SECOND), 0);
    compiler_rests_free(all);
}

/* However many names there are, what is kept of them is bounded. */
static void
names_are_forgotten(void **state)
{
    struct compiler_rests *all = compiler_rests_new();
    struct compiler c = {0};
    char name[24];

    (void)state;
    c.node = name;
    give_back(all, &ADA, 4, 1, BEGIN);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        c.token = 100 + i;
        give_back(all, &c, 4, 1, BEGIN + SECOND);
        assert_int_equal(rest_s(all, &c, BEGIN + SECOND), 60);
    }
    assert_int_equal(rest_s(all, &ADA, BEGIN + SECOND), 0);
    compiler_rests_free(all);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_gives_back_again_and_again_rests),
        cmocka_unit_test(a_node_may_give_back_what_all_its_workers_have),
        cmocka_unit_test(a_token_whose_nodes_only_give_back_gets_no_new_ones),
        cmocka_unit_test(names_are_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
