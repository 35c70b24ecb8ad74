// links: compiler compile sandbox common
/* What users read of the output of nvcc, ptxas and ld, and what a submission's file is
 * called. No tool runs here. */
#include "base/buf.h"
#include "compile/messages.h"
#include "compile/wrapper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct function function = {
    .signature = "void solve(const float* A, int8_t* B, int N, double x)",
};

static char *
message_for(const char *output, bool link)
{
    const struct target t = {
        .function = &function, .kind = PROGRAM_GPU, .file_name = "a.cu"};
    struct buf b = {0};
    char *message;

    buf_puts(&b, output);
    message = (link ? message_link : message_compile)(&t, TOOL_ERRORS, &b);
    buf_free(&b);
    return message;
}

static void
test_errors_are_capped(void **state)
{
    struct buf many = {0};
    char *message;
    int shown = 0;

    (void)state;
    for (int i = 1; i <= 50; i++)
        buf_printf(&many, "a.cu(%d): error: bad\n  x\n  ^\n\n", i);
    message = message_for(buf_str(&many), false);
    for (const char *at = message; (at = strstr(at, "error: bad")) != NULL; at++)
        shown++;
    assert_int_equal(shown, 20);
    assert_non_null(strstr(message, "(and 30 more errors)"));
    free(message);
    buf_free(&many);
}

static void
test_words(void **state)
{
    static const struct {
        bool link;
        const char *output, *message;
    } cases[] = {
        {false, "/usr/local/cuda/include/x.h(3): error: bad\n", "x.h(3): error: bad"},
        {false, "a.cu(3): warning #1-D: odd\n  x\na.cu(4): error: bad\n  y\n",
         "a.cu(4): error: bad\n  y"},
        {false,
         "a.cu(3): error: bad\n  __attribute__((global)) void k() { x; }\n"
         "                                     ^\n\n",
         "a.cu(3): error: bad\n  __global__ void k() { x; }\n"
         "                        ^"},
        {false, "ptxas /tmp/t.ptx, line 12; error   : Unknown symbol 'x'\n",
         "ptxas: error   : Unknown symbol 'x'"},
        {false, "gibberish from /tmp/tmpxft_1/wrap.ii: oh\n",
         "a.cu: compiling failed:\ngibberish from wrap.ii: oh"},
        {true, "ld: x.o: in function `f':\nx: undefined reference to `cublasCreate_v2'\n",
         "a.cu: used but not defined: 'cublasCreate_v2'; only the CUDA runtime and the C "
         "and "
         "C++ libraries are linked"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *message = message_for(cases[i].output, cases[i].link);

        assert_string_equal(message, cases[i].message);
        free(message);
    }
}

static void
test_safe_names(void **state)
{
    static const char *const cases[][2] = {
        {"vec.cu", "vec.cu"},    {"my \"best\".cu", "my _best_.cu"},
        {"-o.cu", "_-o.cu"},     {".hidden", "_.hidden"},
        {"solve.h", "_solve.h"}, {"a\nb.cu", "a_b.cu"},
        {"", "submission.cu"},   {"\xc3\xa9t\xc3\xa9.cu", "\xc3\xa9t\xc3\xa9.cu"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = compile_safe_name(cases[i][0]);

        assert_string_equal(name, cases[i][1]);
        free(name);
    }
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_capped),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_safe_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
