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
        {false,
         "In file included from warpjudge-wrapper.c:6:\n"
         "reference.c:3:6: error: conflicting types for 'solve'\n"
         "    3 | void solve(int *A, float N)\n      |      ^~~~~\n"
         "warpjudge-wrapper.c:5:6: note: previous declaration of 'solve'\n"
         "    5 | void solve(int *A, int N);\n      |      ^~~~~\n",
         "reference.c:3:6: error: conflicting types for 'solve'\n"
         "    3 | void solve(int *A, float N)\n      |      ^~~~~\n"
         "problem.json: note: previous declaration of 'solve'\n"
         "    5 | void solve(int *A, int N);\n      |      ^~~~~"},
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

static char *
message_of_ptxas(const char *output, enum tool_end end)
{
    static const char ptx[] = ".version 9.0\n"
                              ".visible .entry _Z1kPf(\n"
                              "\t.param .u64 p\n"
                              ")\n{\n"
                              "\t.loc\t1 7 0\n"
                              "\tmov.u32 %r1, 0;\n"
                              "\t.loc\t2 90 5, function_name $L1, inlined_at 1 11 5\n"
                              "\tfoo;\n"
                              "\t.loc\t2 91 5\n"
                              "\tfoo;\n}\n"
                              "\t.file\t1 \"/build/a.cu\"\n"
                              "\t.file\t2 \"/usr/include/x.h\"\n";
    const struct target t = {
        .function = &function, .kind = PROGRAM_EMU, .file_name = "a.cu"};
    struct buf b = {0};
    char *message;

    buf_puts(&b, output);
    message = message_assemble(&t, end, &b, ptx);
    buf_free(&b);
    return message;
}

static void
test_words_of_ptxas(void **state)
{
    static const struct {
        enum tool_end end;
        const char *output, *message;
    } cases[] = {
        {TOOL_ERRORS,
         "ptxas info    : 0 bytes gmem\n"
         "ptxas w.ptx, line 7; error   : bad\nptxas w.ptx, line 7; error   : bad\n"
         "ptxas fatal   : Ptx assembly aborted due to errors\n",
         "a.cu(7): error: ptxas: bad"},
        {TOOL_ERRORS,
         "ptxas w.ptx, line 9; error   : foo\nptxas w.ptx, line 11; error   : foo\n",
         "a.cu(11): error: ptxas: foo\nx.h(91): error: ptxas: foo"},
        {TOOL_ERRORS, "ptxas w.ptx, line 2; error   : odd\n", "a.cu: error: ptxas: odd"},
        {TOOL_ERRORS, "ptxas w.ptx, line 99; error   : odd\n",
         "x.h(91): error: ptxas: odd"},
        {TOOL_ERRORS,
         "ptxas error   : File uses too much global constant data (0x4000000 bytes, "
         "0x10000 max)\n",
         "a.cu: error: the __constant__ variables take 67108864 bytes; a GPU has 65536 "
         "for "
         "them"},
        {TOOL_ERRORS,
         "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 "
         "bytes, 0xc000 max)\n",
         "a.cu(7): error: the kernel's __shared__ variables take 80000 bytes; at most "
         "49152 are possible without dynamic shared memory"},
        {TOOL_CRASH, "Killed\n", "a.cu: ptxas crashed:\nKilled"},
        {TOOL_MEMORY, "", "assembling (ptxas) took more than 8 GiB of memory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *message = message_of_ptxas(cases[i].output, cases[i].end);

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

/* An author's file in C whose end is open, and one that lacks its function. */
static void
test_authors_files(void **state)
{
    static const struct {
        enum program_role role;
        bool link;
        const char *output, *message;
    } cases[] = {
        {ROLE_SOLVE, false,
         "warpjudge-wrapper.c: In function 'solve':\n"
         "warpjudge-wrapper.c:16:1: error: expected declaration at end of input\n"
         "   16 | }\n      | ^\n",
         "a.c: the file is read to its end, but what the judge adds behind it, its call "
         "of solve, does not compile (expected declaration at end of input). Is a "
         "bracket or a declaration left open at the file's end, or does a macro or a "
         "#pragma change keywords or solve?"},
        {ROLE_CHECKER, false,
         "a.c:2:1: error: bad\nwarpjudge-wrapper.c:16:1: error: a consequence\n",
         "a.c:2:1: error: bad"},
        {ROLE_SOLVE, true, "w.o: undefined reference to `solve'\n",
         "a.c: solve is declared, but not defined. Expected: void solve(const float* A, "
         "int8_t* B, int N, double x)"},
        {ROLE_CHECKER, true, "w.o: undefined reference to `check'\n",
         "a.c: there is no function check in this file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct target t = {.function = &function,
                                 .kind = PROGRAM_C,
                                 .role = cases[i].role,
                                 .file_name = "a.c"};
        struct buf output = {0};
        char *message;

        buf_puts(&output, cases[i].output);
        message =
            (cases[i].link ? message_link : message_compile)(&t, TOOL_ERRORS, &output);
        assert_string_equal(message, cases[i].message);
        free(message);
        buf_free(&output);
    }
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_capped), cmocka_unit_test(test_words),
        cmocka_unit_test(test_authors_files),     cmocka_unit_test(test_words_of_ptxas),
        cmocka_unit_test(test_safe_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
