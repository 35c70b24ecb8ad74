// links: common
/* Worked examples of statements: what counts as one, and how its numbers are read. */
#include "problem/example.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct example_value *
value_of(const struct examples *e, int example, const char *name)
{
    for (int i = 0; i < e->example[example].count; i++)
        if (strcmp(e->example[example].value[i].name, name) == 0)
            return &e->example[example].value[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void
values_are_read(void **state)
{
    static const char text[] = "# Title\n"
                               "    N = 9\n"
                               "\n"
                               "## Examples\n"
                               "\n"
                               "    N = 3, scale = -0.50\n"
                               "    A = [1, 2.5,\n"
                               "         3e2]\n"
                               "    M = [[1, 2], [3, 4], [5, 6]]\n"
                               "Words, B = 4\n"
                               "\tT = [[[1], [2]]]\n"
                               "    sum = A + B, so 2 * 3 = 6\n"
                               "```\n"
                               "special = [nan, -inf, infinity]; last = 7\n"
                               "```\n"
                               "### Deeper\n"
                               "    x = 1\n"
                               "## Constraints\n"
                               "    N = 100\n";
    const struct example_value *v;
    struct examples e;

    (void)state;
    examples_read(text, &e);
    assert_int_equal(e.count, 1);
    assert_int_equal(e.example[0].line, 4);
    assert_int_equal(e.example[0].count, 8);
    v = value_of(&e, 0, "N");
    assert_int_equal(v->rank, 0);
    assert_int_equal(v->line, 6);
    assert_true(v->number[0].value == 3 && v->number[0].half_unit == 0);
    v = value_of(&e, 0, "scale");
    assert_true(v->number[0].value == -0.5 && v->number[0].half_unit == 0.005);
    v = value_of(&e, 0, "A");
    assert_int_equal(v->rank, 1);
    assert_int_equal(v->count, 3);
    assert_true(v->number[0].half_unit == 0 && v->number[1].half_unit == 0.05);
    assert_true(v->number[2].value == 300 && v->number[2].half_unit == 50);
    v = value_of(&e, 0, "M");
    assert_int_equal(v->line, 9);
    assert_int_equal(v->rank, 2);
    assert_int_equal(v->last, 2);
    assert_int_equal(v->count, 6);
    assert_true(v->number[5].value == 6);
    assert_int_equal(value_of(&e, 0, "T")->rank, 3);
    v = value_of(&e, 0, "special");
    assert_true(isnan(v->number[0].value) && v->number[1].value == -INFINITY &&
                v->number[2].value == INFINITY);
    assert_true(value_of(&e, 0, "last")->number[0].value == 7);
    assert_true(value_of(&e, 0, "x")->number[0].value == 1);
    examples_free(&e);
}

static void
what_is_no_value_says_why(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"A = 1 2 3", "nothing may follow a value, but there is \"2 3\""},
        {"A = [1, 2", "commas between them are expected, but there is the end"},
        {"A = [1, x]", "commas between them are expected, but there is \"x]\""},
        {"A = []", "commas between them are expected, but there is \"]\""},
        {"A = [[1, 2], [3]]", "its rows are not equally long"},
        {"A = [[1, 2], 3]", "its rows are not equally long"},
        {"A = [1, [2]]", "but there is \"[2]]\""},
        {"A = [[[[[[[[[1]]]]]]]]]", "at most 8 deep"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200] = "## Example\n    ";
        struct examples e;

        strcat(text, cases[i].text);
        examples_read(text, &e);
        assert_int_equal(e.example[0].count, 1);
        if (e.example[0].value[0].wrong == NULL)
            fail_msg("%s is taken", cases[i].text);
        if (strstr(e.example[0].value[0].wrong, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].text, e.example[0].value[0].wrong);
        examples_free(&e);
    }
}

static void
no_example_is_none(void **state)
{
    static const char *const texts[] = {"",
                                        "# Example of a title\n",
                                        "    N = 3\n",
                                        "## Notes\n    N = 3\n",
                                        "## Example\nN = 3\n   A = [1]\n",
                                        "## Example\n    N == 3\n    2 = 3\n    = 3"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct examples e;

        examples_read(texts[i], &e);
        for (int k = 0; k < e.count; k++)
            assert_int_equal(e.example[k].count, 0);
        examples_free(&e);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(what_is_no_value_says_why),
        cmocka_unit_test(no_example_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
