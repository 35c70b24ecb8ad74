// links: common
/* Prototypes of solve() as authors write them. */
#include "problem/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
parse(const char *text, struct signature *s)
{
    struct report r = {0};

    if (signature_parse(text, s, &r) != 0)
        fail_msg("%s: %s", text, r.text);
}

static void
parameters_are_read(void **state)
{
    struct signature s;

    (void)state;
    parse("extern \"C\" void solve(const float* A, float const *__restrict__ B,\n"
          "    __half C[M][2 * N], double *const out, const int N, int M) {",
          &s);
    assert_int_equal(s.count, 6);
    assert_string_equal(s.param[0].name, "A");
    assert_true(s.param[0].pointer && s.param[0].is_const && s.param[0].rank == 0);
    assert_true(s.param[1].pointer && s.param[1].is_const);
    assert_int_equal(s.param[1].type, DTYPE_F32);
    assert_true(s.param[2].pointer && !s.param[2].is_const);
    assert_int_equal(s.param[2].type, DTYPE_F16);
    assert_int_equal(s.param[2].rank, 2);
    assert_string_equal(s.param[2].extent[1], "2 * N");
    assert_true(s.param[3].pointer && !s.param[3].is_const);
    assert_true(!s.param[4].pointer && s.param[4].type == DTYPE_I32);
    assert_string_equal(s.param[5].name, "M");
    signature_free(&s);
}

static void
types_have_many_names(void **state)
{
    static const struct {
        const char *text;
        enum dtype type;
    } cases[] = {
        {"void solve(unsigned N)", DTYPE_U32},
        {"void solve(size_t N);", DTYPE_U64},
        {"solve(std::size_t N)", DTYPE_U64},
        {"void solve(long long N)", DTYPE_I64},
        {"void solve(unsigned long N)", DTYPE_U64},
        {"void solve(uint8_t *x)", DTYPE_U8},
        {"void solve(unsigned char *x)", DTYPE_U8},
        {"void solve(half *x)", DTYPE_F16},
        {"void solve(__nv_bfloat16 *x)", DTYPE_BF16},
        {"void solve(int x[])", DTYPE_I32},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct signature s;

        parse(cases[i].text, &s);
        assert_int_equal(s.count, 1);
        assert_int_equal(s.param[0].type, cases[i].type);
        assert_int_equal(s.param[0].pointer, strpbrk(cases[i].text, "*[") != NULL);
        signature_free(&s);
    }
}

static void
what_is_none_says_why(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"solve", "a signature looks like"},
        {"void solve()", "parameter 1 has no type or no name"},
        {"void solve(float)", "parameter 1 has no type or no name"},
        {"void solve(float *A", "behind A a comma or ) is missing"},
        {"void solve(float *A / 2)", "behind A a comma or ) is expected, not \"/ 2)\""},
        {"void sort(float *A)", "the function must be called solve"},
        {"void resolve(float *A)", "the function must be called solve"},
        {"int solve(float *A)", "write void solve(...), not \"int\""},
        {"extern \"C\" double *solve(float *A)",
         "write void solve(...), not \"extern \"C\" double *\""},
        {"void *solve(float *A)", "write void solve(...), not \"void *\""},
        {"voidsolve(float *A)", "the function must be called solve"},
        {"(float *A)", "the function must be called solve"},
        {"void solve(float *A, int N) then", "behind the signature stands \"then\""},
        {"void solve(flaot *A)",
         "A: there is no element type \"flaot\"; known are float, double, __half, "
         "__nv_bfloat16, uint8_t, int8_t, int16_t, uint16_t, int, unsigned int, int64_t, "
         "uint64_t"},
        {"void solve(float **A)", "a pointer to a pointer"},
        {"void solve(float A[N)", "A: a bracket is left open"},
        {"void solve(__half x)", "x: a scalar cannot be of a 16-bit float type"},
        {"void solve(a b c d e f g h i j)", "too many words"},
        {"void solve(int x[1][1][1][1][1][1][1])", "x: more than 6 extents"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report r = {0};
        struct signature s;

        if (signature_parse(cases[i].text, &s, &r) == 0)
            fail_msg("%s is taken", cases[i].text);
        if (strstr(r.text, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].text, r.text);
        signature_free(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_read),
        cmocka_unit_test(types_have_many_names),
        cmocka_unit_test(what_is_none_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
