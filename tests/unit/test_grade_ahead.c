// links: cli gpu_process gpu_owner sandbox common
/* The order in which `grade` sends the lines that it has read ahead. */
#include "cli/grade_ahead.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct grade_ahead ahead;
static long added;

static int
forget(void **state)
{
    (void)state;
    grade_ahead_free(&ahead);
    added = 0;
    return 0;
}

/* Adds a line of each problem, which has a name of one letter. */
static void
add(const char *problems)
{
    for (; *problems != '\0'; problems++) {
        const struct grade_line line = {.number = ++added,
                                        .id = xasprintf("%ld", added),
                                        .problem = xasprintf("%c", *problems),
                                        .source = xstrdup("source")};

        grade_ahead_add(&ahead, &line);
    }
}

/* The next ones are these, by their problems and numbers: "a1 b2". */
static void
expect(const char *lines)
{
    char *all = xstrdup(lines), *rest = all;

    for (char *want = strsep(&rest, " "); want != NULL; want = strsep(&rest, " ")) {
        struct grade_line line;
        char got[32];

        assert_true(grade_ahead_take(&ahead, &line));
        snprintf(got, sizeof got, "%s%ld", line.problem, line.number);
        assert_string_equal(got, want);
        grade_line_free(&line);
    }
    free(all);
}

static void
problem_by_problem(void **state)
{
    struct grade_line line;

    (void)state;
    assert_false(grade_ahead_take(&ahead, &line));
    add("abcabcab");
    expect("a1 a4 a7 b2 b5");
    add("ba"); /* what is read meanwhile counts, too */
    expect("b8 b9 c3 c6 a10");
    assert_false(grade_ahead_take(&ahead, &line));
    add("ca");
    expect("a12 c11");
    assert_int_equal(ahead.count, 0);
    assert_int_equal(ahead.bytes, 0);
}

/* Others wait for one row at most. */
static void
no_problem_holds_up_the_others(void **state)
{
    (void)state;
    add("ab");
    for (int i = 1; i < 2 * GRADE_IN_A_ROW; i++)
        add("a");
    for (int i = 0; i < GRADE_IN_A_ROW; i++) {
        struct grade_line line;

        assert_true(grade_ahead_take(&ahead, &line));
        assert_string_equal(line.problem, "a");
        grade_line_free(&line);
    }
    expect("b2");
    for (int i = 0; i < GRADE_IN_A_ROW; i++) {
        struct grade_line line;

        assert_true(grade_ahead_take(&ahead, &line));
        assert_string_equal(line.problem, "a");
        grade_line_free(&line);
    }
    assert_int_equal(ahead.count, 0);
}

/* The first one by age may be of the same problem: then it goes on with that. */
static void
a_row_that_is_over_may_go_on(void **state)
{
    (void)state;
    for (int i = 0; i <= GRADE_IN_A_ROW; i++)
        add("a");
    add("ba");
    for (int i = 0; i <= GRADE_IN_A_ROW; i++) {
        struct grade_line line;

        assert_true(grade_ahead_take(&ahead, &line));
        assert_int_equal(line.number, i + 1);
        grade_line_free(&line);
    }
    expect("a67 b66");
}

static void
so_much_is_read_ahead(void **state)
{
    const struct grade_line large = {.id = xstrdup("large"),
                                     .problem = xstrdup("a"),
                                     .source = xcalloc(1, GRADE_AHEAD_BYTES + 1)};

    (void)state;
    for (int i = 0; i < GRADE_AHEAD_MAX; i++) {
        assert_false(grade_ahead_is_full(&ahead));
        add("a");
    }
    assert_true(grade_ahead_is_full(&ahead));
    grade_ahead_free(&ahead);
    memset(large.source, ' ', GRADE_AHEAD_BYTES);
    grade_ahead_add(&ahead, &large);
    assert_true(grade_ahead_is_full(&ahead));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(problem_by_problem, forget),
        cmocka_unit_test_teardown(no_problem_holds_up_the_others, forget),
        cmocka_unit_test_teardown(a_row_that_is_over_may_go_on, forget),
        cmocka_unit_test_teardown(so_much_is_read_ahead, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
