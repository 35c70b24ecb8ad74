// links: common
/* Expressions of a spec: values in both arithmetics, and the sentence for each mistake.
 */
#include "problem/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct expr_name NAMES[] = {
    {"N", 0, true, false}, {"K", 1, true, false}, {"scale", 2, false, false}};
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
/* --- elements of an input ----------------------------------------------------------- */

static double
tenth(void *context, uint64_t k)
{
    (void)context;
    return (double)k / 10;
}

static double
hundreds(void *context, uint64_t k)
{
    (void)context;
    return 100 * (double)k;
}

/* Buffer 3 has the elements 0, 1, 4, 9. */
static int
squares(void *context, int index, uint64_t at, double *out, struct report *r)
{
    (void)context;
    assert_int_equal(index, 3);
    if (at > 3)
        return report_fail(r, "beyond");
    *out = (double)(at * at);
    return 0;
}

static const struct expr_name ELEMENT_NAMES[] = {{"N", 0, true, false},
                                                 {"K", 1, true, false},
                                                 {"scale", 2, false, false},
                                                 {"sq", 3, false, true}};
static const struct expr_scope SCOPE = {
    .values = VALUES, .random = tenth, .normal = hundreds, .element = squares};

static int
element(const char *text, double *out, struct report *r)
{
    struct arena *a = arena_new();
    const struct expr *e = expr_parse(a, text, EXPR_ELEMENT, ELEMENT_NAMES, 4, r);
    int rc = e != NULL ? expr_element(e, &SCOPE, out, r) : -1;

    arena_free(a);
    return rc;
}

static void
element_is(const char *text, double want)
{
    struct report r = {0};
    double got = 77;

    assert_int_equal(element(text, &got, &r), 0);
    if (!(got == want || (got != got && want != want)))
        fail_msg("%s is %.17g, not %.17g", text, got, want);
}

static void
element_fails(const char *text, const char *sentence)
{
    struct report r = {0};
    double got;

    assert_int_equal(element(text, &got, &r), -1);
    assert_string_equal(r.text, sentence);
}

static void
test_element(void **state)
{
    (void)state;
    element_is("1 + 2 < 4", 1);
    element_is("2 > 3 || 3 >= 3 && 1 != 1", 0);
    element_is("(2 > 3 || 3 >= 3) && 1 == 1", 1);
    element_is("!(K == -7)", 0);
    element_is("!0 + !0", 2);
    element_is("2 <= 1", 0);
    element_is("if(scale < 1, 10, 20) + 1", 11);
    element_is("if(0, sq[9], sq[2])", 4); /* only what is chosen is read */
    element_is("0 && sq[9]", 0);
    element_is("1 || sq[9]", 1);
    element_is("sq[1 + 2] - sq[2]", 5);
    element_is("floor(-2.5)", -3);
    element_is("ceil(-2.5)", -2);
    element_is("round(2.5) + round(3.5)", 6);
    element_is("abs(K)", 7);
    element_is("pow(2, 10)", 1024);
    element_is("exp(0) + log(1)", 1);
    element_is("cos(0) + sin(0)", 1);
    element_is("f16(2049)", 2048);
    element_is("bf16(257)", 256);
    element_is("f32(0.1) == 0.1", 0);
    element_is("random(3)", 0.3);
    element_is("normal(sq[2])", 400);
    element_is("1 / 0", INFINITY);
    element_is("-inf", -INFINITY);
    element_is("nan", NAN);
    element_is("ceil_div(7, 2) + min(1, 2) + 9 % 4", 6);
    element_fails("sq[4]", "beyond");
    element_fails("sq[0 - 1]", "the index -1 is no whole number from 0 on");
    element_fails("sq[0.5]", "the index 0.5 is no whole number from 0 on");
    element_fails("random(nan)", "the index nan is no whole number from 0 on");
    element_fails("sq + 1", "\"sq + 1\", column 4: \"[\" and the index of an element is "
                            "expected");
    element_fails("sq[1", "\"sq[1\" ends where \"]\" is expected");
    element_fails("1 < 2 < 3", "\"1 < 2 < 3\", column 7: an operator is expected");
    element_fails("if(1, 2)", "\"if(1, 2)\", column 8: \",\" and a third argument is "
                              "expected");
    fails("floor(N)", EXPR_WHOLE,
          "\"floor(N)\" uses floor, which is for a \"formula\" only");
    fails("N < 2", EXPR_REAL, "\"N < 2\", column 3: an operator is expected");
}

/* Many at once are one by one. `i` is name 4. */
static void
test_batch(void **state)
{
    static const char *const TEXTS[] = {
        "i",
        "3",
        "N + i * scale - K / (i + 1)",
        "i % 7 + (0 - i) % 7 + i % 2.5",
        "if(i % 3 == 0, sq[i % 4], if(i > 100, random(i), -i))",
        "i < 4 && sq[i] > 1",
        "i >= 4 || sq[i] > 1",
        "normal(floor(i / 50)) + random(3)",
        "if(i < 4, sq[i], 0)",
        "if(i >= 4, 0, sq[i])",
        "min(i, 9) + max(i, 5) - abs(3 - i)",
        "sqrt(i) + pow(i, 2) + f16(i / 3) + bf16(i / 3) + ceil_div(i, 3)",
        "1 / i",
        "!(i > 7) != (i <= 7)",
        "if(nan == nan, 1, -inf)",
        "sin(i) + cos(i)"};
    struct expr_name names[5];
    double values[5] = {VALUES[0], VALUES[1], VALUES[2]}, i_column[EXPR_BATCH];
    const double *columns[5] = {[4] = i_column};
    struct expr_scope scope = SCOPE;

    (void)state;
    scope.values = values;
    memcpy(names, ELEMENT_NAMES, sizeof ELEMENT_NAMES);
    names[4] = (struct expr_name){"i", 4, false, false};
    for (int i = 0; i < EXPR_BATCH; i++)
        i_column[i] = i;
    for (size_t t = 0; t < sizeof TEXTS / sizeof TEXTS[0]; t++) {
        struct arena *a = arena_new();
        struct report r = {0};
        const struct expr *e = expr_parse(a, TEXTS[t], EXPR_ELEMENT, names, 5, &r);
        double many[EXPR_BATCH], one;
        unsigned failed = 0;

        assert_non_null(e);
        assert_int_equal(expr_uses(e, 4), strchr(TEXTS[t], 'i') != NULL && t != 14);
        assert_int_equal(
            expr_batch(e, &scope, columns, 5, EXPR_BATCH - 1, many, &failed, &r), 0);
        for (int i = 0; i < EXPR_BATCH - 1; i++) {
            values[4] = i;
            assert_int_equal(expr_element(e, &scope, &one, &r), 0);
            if (memcmp(&one, &many[i], sizeof one) != 0)
                fail_msg("%s at %d: %.17g, not %.17g", TEXTS[t], i, many[i], one);
        }
        arena_free(a);
    }
}

/* The element that fails is named, through what decides, too. */
static void
test_batch_failure(void **state)
{
    static const struct expr_name NAME[] = {{"i", 4, false, false},
                                            {"sq", 3, false, true}};
    double i_column[EXPR_BATCH], out[EXPR_BATCH];
    const double *columns[5] = {[4] = i_column};
    struct arena *a = arena_new();
    struct report r = {0};
    unsigned failed = 0;
    const struct expr *e = expr_parse(a, "if(i % 2 == 1, if(i > 4, sq[i - 4], 0), 1)",
                                      EXPR_ELEMENT, NAME, 2, &r);

    (void)state;
    for (int i = 0; i < EXPR_BATCH; i++)
        i_column[i] = i;
    assert_int_equal(expr_batch(e, &SCOPE, columns, 5, 200, out, &failed, &r), -1);
    assert_int_equal(failed, 9); /* sq[5]; sq[1] and sq[3] are there */
    assert_string_equal(r.text, "beyond");
    arena_free(a);
}

static void
count_buffer(void *context, int index)
{
    assert_int_equal(index, 3);
    ++*(int *)context;
}

static void
test_visit_buffers(void **state)
{
    struct arena *a = arena_new();
    struct report r = {0};
    int count = 0;

    (void)state;
    expr_visit_buffers(
        expr_parse(a, "if(sq[0], 1 + sq[sq[1]], 2)", EXPR_ELEMENT, ELEMENT_NAMES, 4, &r),
        count_buffer, &count);
    assert_int_equal(count, 3);
    arena_free(a);
}

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
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_real),
        cmocka_unit_test(test_syntax),  cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_element), cmocka_unit_test(test_visit_buffers),
        cmocka_unit_test(test_batch),   cmocka_unit_test(test_batch_failure),
        cmocka_unit_test(test_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
