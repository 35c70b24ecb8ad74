// links: common
/* Digests of equal work: what they see through, and what they tell apart. */
#include "compile/equal.h"

#include "base/buf.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KERNEL(name, a, i)                                                               \
    "__global__ void " name "(const float *" a ", float *out, int n)\n"                  \
    "{\n    int " i " = blockIdx.x * blockDim.x + threadIdx.x;\n"                        \
    "    if (" i " < n)\n        out[" i "] = 2.0f * " a "[" i "] + 1e-3f;\n}\n"
#define SOLVE(name)                                                                      \
    "extern \"C\" void solve(const float *A, float *B, int N)\n"                         \
    "{\n    " name "<<<(N + SIZE - 1) / SIZE, SIZE>>>(A, B, N);\n}\n"

static const char source[] =
    "#define SIZE 256\n" KERNEL("scale", "a", "i") SOLVE("scale");

static struct digest
digest_of(const char *text)
{
    struct digest d;

    digest_source(text, strlen(text), &d);
    return d;
}

static void
check(const char *text, bool equal)
{
    const struct digest a = digest_of(source), b = digest_of(text);

    assert_true(a.size > 0);
    if ((strcmp(a.hex, b.hex) == 0) != equal)
        fail_msg("is %sequal:\n%s", equal ? "un" : "", text);
}

static void
test_seen_through(void **state)
{
    (void)state;
    check(source, true);
    /* other names, of the kernel, too */
    check("#define WIDTH 256\n" KERNEL(
              "k", "x", "at") "extern \"C\" void solve(const float *p, float *q, int m)\n"
                              "{ k<<<(m + WIDTH - 1) / WIDTH, WIDTH>>>(p, q, m); }\n",
          true);
    /* comments, white space, letters of numbers, and line ends of another system */
    check("// mine\r\n#include <cstdio>\r\n#define SIZE 2'56\r\n"
          "__global__ void scale(const float*a,float*out,int n){int i=blockIdx.x*\\\r\n"
          "blockDim.x+threadIdx.x;if(i<n)/* ; } */out[i]=2.0F*a[i]+1E-3f;}\r\n" SOLVE(
              "scale"),
          true);
    /* another order, and functions that are declared first */
    check("__global__ void scale(const float *, float *, int);\n" SOLVE("scale")
              KERNEL("scale", "a", "i") "#define SIZE 256\n",
          true);
    /* what nobody calls: a kernel, a macro, a type, a variable */
    check("#define OTHER 3\nstruct pair { int a, b; };\n__device__ int unused = 4;\n"
          "template <typename T> __global__ void spare(T *p) { *p = 3; }\n"
          "#define SIZE 256\n" KERNEL("scale", "a", "i") SOLVE("scale"),
          true);
    /* words that change nothing, namespaces, another form of extern "C" */
    check("#define SIZE 256\nnamespace {\nstatic " KERNEL(
              "scale", "a",
              "i") "}\nextern \"C\" {\n"
                   "void solve(const float *__restrict__ A, float *B, const int N)\n"
                   "{ scale<<<(N + SIZE - 1) / SIZE, SIZE>>>(A, B, N); }\n}\n",
          true);
}

static void
test_told_apart(void **state)
{
    (void)state;
    check("", false);
    check("#define SIZE 512\n" KERNEL("scale", "a", "i") SOLVE("scale"), false);
    /* one name for two things, and two for one */
    check("#define SIZE 256\n" KERNEL("scale", "a", "n") SOLVE("scale"), false);
    /* another dimension, another type, another function of CUDA's */
    check("#define SIZE 256\n"
          "__global__ void scale(const float *a, float *out, int n)\n"
          "{ int i = blockIdx.y * blockDim.x + threadIdx.x;\n"
          "  if (i < n) out[i] = 2.0f * a[i] + 1e-3f; }\n" SOLVE("scale"),
          false);
    check("#define SIZE 256\n"
          "__global__ void scale(const double *a, float *out, int n)\n"
          "{ int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) out[i] = 2.0f * a[i] + 1e-3f; }\n" SOLVE("scale"),
          false);
    assert_string_not_equal(digest_of("void solve(float *a) { *a = sinf(*a); }").hex,
                            digest_of("void solve(float *a) { *a = cosf(*a); }").hex);
    assert_string_not_equal(digest_of("void solve(char *a) { f(\"a b\"); }").hex,
                            digest_of("void solve(char *a) { f(\"ab\"); }").hex);
}

/* What the documents say is not seen through by the source. */
static void
test_limits(void **state)
{
    (void)state;
    check("#define SIZE 256\n#define INDEX blockIdx.x * blockDim.x + threadIdx.x\n"
          "__global__ void scale(const float *a, float *out, int n)\n"
          "{\n    int i = INDEX;\n    if (i < n)\n"
          "        out[i] = 2.0f * a[i] + 1e-3f;\n}\n" SOLVE("scale"),
          false);
    check("#define SIZE 0x100\n" KERNEL("scale", "a", "i") SOLVE("scale"), false);
    check("#if 1\n#endif\n#define SIZE 256\n" KERNEL("scale", "a", "i") SOLVE("scale"),
          false);
    check("#define SIZE 256\n" KERNEL(
              "scale", "a", "i") "extern \"C\" void solve("
                                 "const float *A, float *B, int N)\n{ puts(\"mine\");"
                                 " scale<<<(N + SIZE - 1) / SIZE, SIZE>>>(A, B, N); }\n",
          false);
}

/* A kernel that is not launched is no part of it: without a launch all are the starter.
 */
static void
test_not_launched(void **state)
{
    static const char solve[] = "extern \"C\" void solve(float *A, int N)\n{\n}\n";
    struct buf kernel = {0};
    struct digest starter = digest_of(solve), other;

    (void)state;
    buf_printf(&kernel, "%s%s", KERNEL("mine", "a", "i"), solve);
    other = digest_of(buf_str(&kernel));
    assert_string_equal(other.hex, starter.hex);
    assert_int_equal(other.size, starter.size);
    buf_free(&kernel);
}

/* Sources that end in the middle of something, or that hide solve(). */
static void
test_broken_sources(void **state)
{
    static const char *const TEXTS[] = {"",
                                        "\\",
                                        "\\\r",
                                        "\"",
                                        "\"\\",
                                        "'",
                                        "/*",
                                        "//",
                                        "R\"x(",
                                        "R\"",
                                        "#",
                                        "# ",
                                        "#define",
                                        "(((",
                                        "}}}}",
                                        "{",
                                        "extern \"C\" {",
                                        "namespace",
                                        "1e+",
                                        "0x",
                                        ".5'",
                                        "enum",
                                        "template <",
                                        "#if 1\nvoid solve() {\n#else\n"};

    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        const struct digest d = digest_of(TEXTS[i]);

        assert_true(d.size >= 0 && digest_is_valid(d.hex) == (d.size > 0));
    }
    assert_string_not_equal(digest_of("#define F solve\nvoid F() { a(1); }").hex,
                            digest_of("#define F solve\nvoid F() { a(2); }").hex);
    assert_string_not_equal(
        digest_of("const char *s = R\"(a)\";\nvoid solve() { s; }").hex,
        digest_of("const char *s = R\"(b)\";\nvoid solve() { s; }").hex);
}

/* --- PTX ---------------------------------------------------------------------------- */

#define PTX(banner, kernel, parameter, label, register, line, shift)                           \
    banner                                                                                     \
        ".visible .entry " kernel "(\n\t.param .u64 " parameter "\n)\n{\n"                     \
        "\t.reg .b32 \t%r<9>;\n\t.reg .b64 \t%rd<9>;\n" line                                   \
        "\tld.param.u64 \t%rd1, [" parameter "];\n"                                            \
        "\tmov.u32 \t" register ", %tid.x;\n"                                                  \
                                "\tsetp.ge.s32 \t%p1, " register ", 7;\n\t@%p1 bra "           \
                                                                 "\t" label ";\n" line         \
                                                                 "\tshl.b32 "                  \
                                                                 "\t%r8, " register ","        \
                                                                                    " " shift  \
                                                                                    ";"        \
                                                                                    "\n" label \
                                                                                    ":"        \
                                                                                    "\n"       \
                                                                                    "\t"       \
                                                                                    "re"       \
                                                                                    "t;"       \
                                                                                    "\n"       \
                                                                                    "}"        \
                                                                                    "\n"
#define BANNER ".version 9.0\n.target sm_80\n.address_size 64\n"

static struct digest
ptx_digest_of(const char *text)
{
    struct digest d;

    digest_ptx(text, strlen(text), &d);
    return d;
}

static void
test_ptx(void **state)
{
    static const char ptx[] = PTX(BANNER, "_Z1kPf", "_Z1kPf_param_0", "$L__BB0_2", "%r1",
                                  "\t.loc\t1 3 37\n", "2");
    const struct digest d = ptx_digest_of(ptx);
    struct digest other = ptx_digest_of(
        PTX("// Generated by another toolkit\n.version 8.4\n.target sm_80, debug\n",
            "_Z5otherPf", "_Z5otherPf_param_0", "$L__BB3_7", "%r4", "",
            "2") "\t.file 1 \"/a.cu\"\n\t.section .debug_str\n{\n$L__info:\n.b8 95\n}\n");

    (void)state;
    assert_int_equal(d.size, 6);
    assert_string_equal(d.hex, other.hex);
    other = ptx_digest_of(PTX(BANNER, "a", "b", "c", "%r1", "", "3"));
    assert_string_not_equal(d.hex, other.hex);
    other = ptx_digest_of(PTX(BANNER, "a", "b", "c", "%r8", "", "2"));
    assert_string_not_equal(d.hex, other.hex); /* one register for two */
    assert_string_equal(ptx_digest_of(PTX(BANNER, "a", "p", "l", "%r1", "", "2")
                                          PTX("", "b", "p", "l", "%r1", "", "3"))
                            .hex,
                        ptx_digest_of(PTX(BANNER, "x", "p", "l", "%r1", "", "3")
                                          PTX("", "y", "p", "l", "%r1", "", "2"))
                            .hex);
    other = ptx_digest_of(PTX(BANNER, "a", "p", "l", "%r1", "", "2")
                              PTX("", "b", "p", "l", "%r1", "", "2"));
    assert_string_not_equal(d.hex, other.hex); /* a kernel more */
    assert_int_equal(ptx_digest_of("").size, 0);
    assert_int_equal(ptx_digest_of(BANNER ".global .b8 a[1];\n").size, 0);
    assert_int_equal(ptx_digest_of(".entry k() { \"\\").size, 0);
}

static void
test_file(void **state)
{
    char *path = xasprintf("/tmp/warpjudge-equal-%d", (int)getpid());
    const struct digest d = digest_of(source), none = {0};
    struct digest read = {0};
    struct report r = {0};

    (void)state;
    assert_int_equal(digest_write(path, &d, &r), 0);
    assert_int_equal(digest_read(path, &read, &r), 0);
    assert_string_equal(read.hex, d.hex);
    assert_int_equal(read.size, d.size);
    assert_int_equal(digest_write(path, &none, &r), 0);
    assert_int_equal(digest_read(path, &read, &r), 0);
    assert_int_equal(read.size, 0);
    assert_int_equal(file_write(path, "0a 3\n", 5, &r), 0);
    assert_int_equal(digest_read(path, &read, &r), -1);
    assert_non_null(strstr(r.text, "is no digest"));
    unlink(path);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen_through),   cmocka_unit_test(test_told_apart),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_not_launched),
        cmocka_unit_test(test_broken_sources), cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
