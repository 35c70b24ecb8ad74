// links: daemon sandbox common
/* The fair order of the queue. */
#include "daemon/plan.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/attempt.h"
#include "daemon/line.h"
#include "daemon/people.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COST_MS 1000

struct fixture {
    struct people *people;
    struct attempt *first, **end;
    int64_t id;
};

static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);

    f->people = people_new();
    f->end = &f->first;
    *state = f;
    return 0;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    while (f->first != NULL) {
        struct attempt *a = f->first;

        f->first = a->next;
        people_leave(f->people, a->person);
        free(a);
    }
    people_free(f->people);
    free(f);
    return 0;
}

static struct attempt *
add_to_judge(struct fixture *f, const char *user, bool run, enum idle_kind idle)
{
    struct attempt *a = xcalloc(1, sizeof *a);

    a->id = ++f->id;
    a->number = 1;
    a->idle = idle;
    a->sample_tests_only = run;
    a->cost_ms = COST_MS;
    a->person = people_enter(f->people, user);
    *f->end = a;
    f->end = &a->next;
    return a;
}

static struct attempt *
add(struct fixture *f, const char *user, bool run)
{
    return add_to_judge(f, user, run, IDLE_NOT);
}

/* The ids in their order, such as "1 3 2 ". */
static void
assert_order(struct fixture *f, const char *want)
{
    struct buf got = {0};
    size_t count = 0;

    for (const struct attempt *a = f->first; a != NULL; a = a->next, count++) {
        buf_printf(&got, "%lld ", (long long)a->id);
        if (a->next == NULL)
            assert_ptr_equal(f->end, &a->next);
    }
    assert_string_equal(buf_str(&got), want);
    buf_free(&got);
}

/* Twelve submissions of one person do not make another wait. */
static void
persons_take_turns(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 4; i++)
        add(f, "ada", false);
    add(f, "ben", false);
    add(f, "ben", false);
    plan_sort(&f->first, &f->end);
    assert_order(f, "1 5 2 6 3 4 ");
    f->first->phase = RUNNING; /* what has begun stays in front */
    plan_sort(&f->first, &f->end);
    assert_order(f, "1 5 2 6 3 4 ");
    add(f, "eve", false);
    plan_sort(&f->first, &f->end);
    assert_order(f, "1 5 7 2 6 3 4 ");
}

static void
least_use_goes_first(void **state)
{
    struct fixture *f = *state;

    person_has_used(add(f, "ada", false)->person, 10 * COST_MS, now_ns());
    for (int i = 0; i < 3; i++)
        add(f, "ben", false);
    plan_sort(&f->first, &f->end);
    assert_order(f, "2 3 4 1 ");
    /* One that is judged again does not wait anew. */
    f->first->next->next->next->number = 2;
    plan_sort(&f->first, &f->end);
    assert_order(f, "1 2 3 4 ");
}

static void
run_goes_before_submit(void **state)
{
    struct fixture *f = *state;

    add(f, "ada", false);
    add(f, "ben", false);
    add(f, "ada", true);
    add(f, "ben", true);
    plan_sort(&f->first, &f->end);
    assert_order(f, "3 4 1 2 ");
}

/* Newcomers stand behind what their person has sent before, and not behind all. */
static void
newcomers_find_their_places(void **state)
{
    static const char *const USERS[] = {"ada", "ben", "eve", "ada", "ada", "ben"};
    struct fixture *f = *state;

    add(f, "ada", false);
    add(f, "ben", false);
    add(f, "eve", false);
    plan_sort(&f->first, &f->end);
    for (size_t i = 0; i < sizeof USERS / sizeof *USERS; i++)
        add(f, USERS[i], false);
    plan_sort(&f->first, &f->end);
    assert_order(f, "1 2 3 4 5 6 7 9 8 ");
}

/* What is judged again by an admin's wish goes behind all that people submit, also where
 * it is compiled and that is not. What has begun stays in front. */
static void
what_is_judged_again_waits(void **state)
{
    struct fixture *f = *state;
    struct attempt *again = add_to_judge(f, "", false, IDLE_REJUDGED), *new;
    struct line *line = NULL;

    person_has_used(add(f, "ada", false)->person, 10 * COST_MS, now_ns());
    add_to_judge(f, "", false, IDLE_HOUSE);
    new = add(f, "ben", false);
    plan_sort(&f->first, &f->end);
    assert_order(f, "4 2 1 3 ");

    again->phase = READY;
    new->phase = COMPILING;
    line_find(&line, "emu", 1);
    for (const struct attempt *a = f->first; a != NULL; a = a->next)
        line_take_in(line, a);
    assert_true(line_has_in_front(line, new));
    assert_false(line_has_place(line));
    again->phase = RUNNING;
    line_clear(line);
    assert_true(line_has_place(line));
    for (const struct attempt *a = f->first; a != NULL; a = a->next)
        line_take_in(line, a);
    assert_true(line_has_in_front(line, again));
    lines_free(line);
    plan_sort(&f->first, &f->end);
    assert_order(f, "1 4 2 3 ");
}

static void
use_is_forgotten_after_an_hour(void **state)
{
    const uint64_t minute_ns = 60000000000u, begin = 1000 * minute_ns;
    struct fixture *f = *state;
    struct person *p = people_enter(f->people, "ada");

    person_has_used(p, 100, begin);
    person_has_used(p, 20, begin + 30 * minute_ns);
    assert_float_equal(person_use_ms(p, begin + 59 * minute_ns), 120, 0);
    assert_float_equal(person_use_ms(p, begin + 60 * minute_ns), 20, 0);
    assert_float_equal(person_use_ms(p, begin + 90 * minute_ns), 0, 0);
    assert_int_equal(people_places(f->people, "ada", false), 1);
    people_leave(f->people, p);
    assert_int_equal(people_places(f->people, "ada", false), 0);
}

/* It waits behind everybody, and takes turns among itself. Its own person's submissions
 * do not wait for it. */
static void
what_is_graded_waits_behind_people(void **state)
{
    struct fixture *f = *state;

    add(f, "ada", false)->profile = PROFILE_GRADE;
    f->first->sample_tests_only = true;
    for (int i = 0; i < 2; i++)
        add(f, "ada", true)->profile = PROFILE_GRADE_SAMPLES;
    add(f, "ben", true)->profile = PROFILE_GRADE;
    add_to_judge(f, "", false, IDLE_HOUSE);
    add(f, "ada", false);
    add(f, "ben", false);
    add(f, "ada", true);
    plan_sort(&f->first, &f->end);
    assert_order(f, "8 7 6 4 1 2 3 5 ");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(persons_take_turns),
        T(least_use_goes_first),
        T(run_goes_before_submit),
        T(newcomers_find_their_places),
        T(what_is_judged_again_waits),
        T(use_is_forgotten_after_an_hour),
        T(what_is_graded_waits_behind_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
