// links: core
/* Expressions of a spec: values in both arithmetics, and the sentence for each mistake.
 */
#include "core/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct expr_name NAMES[] = {
    {"N", 0, true}, {"K", 1, true}, {"scale", 2, false}};
static const double VALUES[] = {1000003, -7, 0.5};

static void
whole_is(const char *text, int64_t want)
{
    struct arena *a = arena_new();
    struct report r = {0};
    const struct expr *e = expr_parse(a, text, EXPR_WHOLE, NAMES, 3, &r);
    int64_t got = 0;

    assert_string_equal(r.text, "");
    assert_non_null(e);
    assert_int_equal(expr_whole(e, VALUES, &got, &r), 0);
    assert_int_equal(got, want);
    arena_free(a);
}

static void
real_is(const char *text, double want)
{
    struct arena *a = arena_new();
    struct report r = {0};
    const struct expr *e = expr_parse(a, text, EXPR_REAL, NAMES, 3, &r);
    double got = 0;

    assert_string_equal(r.text, "");
    assert_non_null(e);
    assert_int_equal(expr_real(e, VALUES, &got, &r), 0);
    assert_true(got == want);
    arena_free(a);
}

/* Fails to parse or to evaluate, with exactly this sentence. */
static void
fails(const char *text, enum expr_kind kind, const char *sentence)
{
    struct arena *a = arena_new();
    struct report r = {0};
    const struct expr *e = expr_parse(a, text, kind, NAMES, 3, &r);
    int64_t whole = 77;
    double real = 77;

    if (e != NULL && kind == EXPR_WHOLE)
        assert_int_equal(expr_whole(e, VALUES, &whole, &r), -1);
    else if (e != NULL)
        assert_int_equal(expr_real(e, VALUES, &real, &r), -1);
    assert_string_equal(r.text, sentence);
    arena_free(a);
}

static void
test_whole(void **state)
{
    (void)state;
    whole_is("42", 42);
    whole_is("N", 1000003);
    whole_is(" ( N + 31 ) / 32 ", 31251);
    whole_is("2+3*4-5", 9);
    whole_is("2-3-4", -5);
    whole_is("100/7/2", 7);
    whole_is("-N + K", -1000010);
    whole_is("K / 2", -3); /* towards zero */
    whole_is("K % 2", -1);
    whole_is("- -3", 3);
    whole_is("+3", 3);
    whole_is("min(N, 5) + max(K, 2)", 7);
    whole_is("ceil_div(N, 256)", 3907);
    whole_is("ceil_div(8, 4)", 2);
    whole_is("ceil_div(K, 2)", -3);
    whole_is("ceil_div(-7, -2)", 4);
    whole_is("9007199254740992*1000", 9007199254740992000);
    whole_is("1e3", 1000);
}

static void
test_real(void **state)
{
    (void)state;
    real_is("K / 2", -3.5);
    real_is("scale * 3", 1.5);
    real_is("1/sqrt(16)", 0.25);
    real_is("ceil_div(7, 2)", 4);
    real_is("7 % 4", 3);
    real_is("2*N*N", 2.0 * 1000003 * 1000003);
    real_is(".5e1", 5);
    real_is("min(scale, 1) - max(scale, 1)", -0.5);
}

static void
test_syntax(void **state)
{
    (void)state;
    fails("", EXPR_WHOLE, "\"\" ends where a number, a name or \"(\" is expected");
    fails("N +", EXPR_WHOLE, "\"N +\" ends where a number, a name or \"(\" is expected");
    fails("(N", EXPR_WHOLE, "\"(N\" ends where \")\" is expected");
    fails("N N", EXPR_WHOLE, "\"N N\", column 3: an operator is expected");
    fails("2N", EXPR_WHOLE, "\"2N\", column 2: an operator is expected");
    fails("1.2.3", EXPR_REAL, "\"1.2.3\", column 4: an operator is expected");
    fails("0x10", EXPR_WHOLE, "\"0x10\", column 1: a decimal number is expected");
    fails(".", EXPR_REAL, "\".\", column 1: a number is expected");
    fails("N^2", EXPR_WHOLE, "\"N^2\", column 2: an operator is expected");
    fails("N)", EXPR_WHOLE, "\"N)\", column 2: an operator is expected");
    fails("M", EXPR_WHOLE, "unknown name \"M\": only scalar parameters can be used here");
    fails("Nx", EXPR_WHOLE,
          "unknown name \"Nx\": only scalar parameters can be used here");
    fails("min(N)", EXPR_WHOLE,
          "\"min(N)\", column 6: \",\" and a second argument is expected");
    fails("min N", EXPR_WHOLE, "\"min N\", column 5: \"(\" is expected");
    fails("min(1,2,3)", EXPR_WHOLE,
          "\"min(1,2,3)\", column 8: min takes 2 arguments and a \")\"");
    fails("2.5", EXPR_WHOLE, "\"2.5\", column 1: only whole numbers up to 2^53 here");
    fails("1e999", EXPR_REAL, "\"1e999\", column 1: the number is too large");
    fails("sqrt(N)", EXPR_WHOLE, "\"sqrt(N)\" uses sqrt, which makes no whole numbers");
    fails("scale", EXPR_WHOLE, "\"scale\" uses scale, which is not a whole number");
}

static void
test_arithmetic(void **state)
{
    (void)state;
    fails("1/0", EXPR_WHOLE, "division by zero");
    fails("1%(N-N)", EXPR_WHOLE, "division by zero");
    fails("ceil_div(1, 0)", EXPR_WHOLE, "division by zero");
    fails("1/0", EXPR_REAL, "division by zero");
    fails("N*N*N*N", EXPR_WHOLE, "the value does not fit 64 bits");
    fails("9007199254740992*1024+(0-1)+1-0*9007199254740992*9007199254740992", EXPR_WHOLE,
          "the value does not fit 64 bits");
    fails("1e300*1e300", EXPR_REAL, "the value is too large for a double");
    fails("sqrt(K)", EXPR_REAL, "the square root of a negative number");
}

/* Neither recursion may run away, however the text nests. */
static void
test_depth(void **state)
{
    char deep[300];
    struct arena *a = arena_new();
    struct report r = {0};

    (void)state;
    memset(deep, '(', 200);
    deep[200] = '\0';
    assert_null(expr_parse(a, deep, EXPR_WHOLE, NAMES, 3, &r));
    assert_non_null(strstr(r.text, "more than 64 parentheses"));
    r.text[0] = '\0';
    memset(deep, '-', 200);
    assert_null(expr_parse(a, deep, EXPR_WHOLE, NAMES, 3, &r));
    assert_non_null(strstr(r.text, "more than 64"));
    r.text[0] = '\0';
    for (int i = 0; i < 200; i += 2)
        memcpy(deep + i, "N+", 2);
    deep[199] = '\0';
    assert_null(expr_parse(a, deep, EXPR_WHOLE, NAMES, 3, &r));
    assert_non_null(strstr(r.text, "more than 64 operators"));
    r.text[0] = '\0';
    memset(deep, '1', 299);
    deep[299] = '\0';
    assert_null(expr_parse(a, deep, EXPR_WHOLE, NAMES, 3, &r));
    assert_string_equal(r.text, "the expression is longer than 256 characters");
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),  cmocka_unit_test(test_real),
        cmocka_unit_test(test_syntax), cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
