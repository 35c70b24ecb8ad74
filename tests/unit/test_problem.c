// links: common
/*
 * Specs: golden first errors (tests/golden/specs: NAME.json and, where it is wrong, the
 * sentence in NAME.err), everything that a good spec gives, and the six problems
 * themselves. GOLDEN_UPDATE=1 in the environment rewrites the .err files: read the
 * difference.
 */
#include "base/buf.h"
#include "base/file.h"
#include "problem/problem.h"
#include "problem/problem_check.h"
#include "problem/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glob.h>

#include <cmocka.h>

#define TEXT_MAX ((size_t)1 << 20)

/* --- golden errors ------------------------------------------------------------------ */

static void
keep_first(void *context, const char *where, const char *sentence)
{
    struct buf *out = context;

    if (out->len == 0)
        buf_printf(out, "%s: %s\n", where, sentence);
}

static void
check_golden(const char *json)
{
    struct buf text = {0}, got = {0}, want = {0};
    struct report r = {0};
    struct problem *p;
    char *err = xasprintf("%.*s.err", (int)(strlen(json) - strlen(".json")), json);
    int errors = 0;

    assert_int_equal(file_read(json, TEXT_MAX, &text, &r), 0);
    p = problem_parse("golden", NULL, buf_str(&text), text.len, keep_first, &got,
                      &errors);
    assert_int_equal(p == NULL, errors > 0);
    assert_int_equal(got.len == 0, errors == 0);
    if (getenv("GOLDEN_UPDATE") != NULL && errors > 0)
        assert_int_equal(file_write(err, got.data, got.len, &r), 0);
    if (access(err, F_OK) == 0)
        assert_int_equal(file_read(err, TEXT_MAX, &want, &r), 0);
    if (strcmp(buf_str(&got), buf_str(&want)) != 0)
        fail_msg("%s\n got: %swant: %s", json, buf_str(&got), buf_str(&want));
    problem_free(p);
    free(err);
    buf_free(&text);
    buf_free(&got);
    buf_free(&want);
}

static void
test_golden(void **state)
{
    glob_t found;

    (void)state;
    assert_int_equal(glob("tests/golden/specs/*.json", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 50);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_golden(found.gl_pathv[i]);
    globfree(&found);
}

/* --- a good spec -------------------------------------------------------------------- */

static const char SPEC[] =
    "{\"format\": 1, \"title\": \"T\", \"difficulty\": \"hard\", \"tags\": [\"a\", "
    "\"b\"],"
    " \"arch\": \"90a\", \"limits\": {\"time_ms\": 500, \"memory_mib\": 64},"
    " \"params\": ["
    "  {\"name\": \"A\", \"type\": \"float32\", \"dir\": \"in\", \"shape\": [\"M\", "
    "\"(K+1)/2\"],"
    "   \"values\": {\"uniform\": [\"-scale\", \"scale\"]}},"
    "  {\"name\": \"B\", \"type\": \"float32\", \"dir\": \"in\", \"shape\": [\"M*K\"],"
    "   \"values\": {\"negate\": \"A\"}},"
    "  {\"name\": \"state\", \"type\": \"int8\", \"dir\": \"inout\", \"shape\": [3],"
    "   \"values\": {\"integers\": [-128, 127]}, \"compare\": {\"mode\": \"exact\"}},"
    "  {\"name\": \"C\", \"type\": \"uint64\", \"dir\": \"out\", \"shape\": [\"M\"],"
    "   \"start\": \"zeros\"},"
    "  {\"name\": \"M\", \"type\": \"int32\", \"dir\": \"scalar\", \"min\": 1},"
    "  {\"name\": \"K\", \"type\": \"int64\", \"dir\": \"scalar\"},"
    "  {\"name\": \"scale\", \"type\": \"float32\", \"dir\": \"scalar\"}],"
    " \"compare\": {\"mode\": \"close\", \"atol\": 0.5, \"rtol\": 0,"
    "               \"benchmark\": {\"atol\": 2, \"rtol\": 1}},"
    " \"tests\": ["
    "  {\"M\": 2, \"K\": 5, \"scale\": 0.1, \"sample\": true, \"about\": \"first\"},"
    "  {\"M\": 7, \"K\": 9, \"scale\": 3, \"values\": {\"A\": {\"cycle\": [1, 2]}}}],"
    " \"benchmark\": {\"cuda\": {\"M\": 100, \"K\": 10, \"scale\": 1},"
    "                 \"emu\": {\"M\": 10, \"K\": 1, \"scale\": 1}},"
    " \"work\": {\"bytes\": \"4*M*K/3\", \"flops\": \"M\", \"unit\": \"fp32\"}}";

static void
never(void *context, const char *where, const char *sentence)
{
    (void)context;
    fail_msg("%s: %s", where, sentence);
}

static struct problem *
good(void)
{
    int errors = 0;
    struct problem *p =
        problem_parse("good", "/there/good", SPEC, strlen(SPEC), never, NULL, &errors);

    assert_non_null(p);
    return p;
}

static void
test_fields(void **state)
{
    struct problem *p = good();
    char *signature = problem_signature(p), *sizes = problem_sizes_text(p, &p->test[0]);

    (void)state;
    assert_string_equal(signature,
                        "void solve(const float* A, const float* B, int8_t* state, "
                        "uint64_t* C, int M, int64_t K, float scale)");
    assert_string_equal(sizes, "M=2, K=5, scale=0.1");
    assert_string_equal(p->arch, "90a");
    assert_int_equal(p->time_limit_ms, 500);
    assert_true(p->memory_limit == (size_t)64 << 20);
    assert_int_equal(p->tag_count, 2);
    assert_int_equal(p->test_count, 2);
    assert_true(p->test[0].sample_test && !p->test[1].sample_test);
    assert_string_equal(p->test[0].about, "first");
    assert_int_equal(p->param[3].start, START_ZEROS);
    assert_int_equal(p->param[2].start, START_POISON);
    assert_true(p->param[2].has_tolerance && !p->param[3].has_tolerance);
    assert_int_equal(p->param[2].tolerance.mode, COMPARE_EXACT);
    assert_true(p->tolerance.atol == 0.5 && p->benchmark_tolerance.atol == 2);
    assert_true(p->benchmark_tolerance.mode == COMPARE_CLOSE);
    assert_true(p->param[4].min == 1 && p->param[4].max == INFINITY);
    assert_int_equal(problem_param_index(p, "scale"), 6);
    assert_int_equal(problem_param_index(p, "nothing"), -1);
    free(signature);
    free(sizes);
    problem_free(p);
}

static void
test_at_sizes(void **state)
{
    struct problem *p = good();
    const struct test_case *t = &p->test[0];
    struct report r = {0};
    struct extent e;
    uint64_t bits;
    float narrow;

    (void)state;
    assert_int_equal(problem_extent(p, t, 0, &e, &r), 0);
    assert_int_equal(e.rank, 2);
    assert_int_equal(e.dim[0], 2);
    assert_int_equal(e.dim[1], 3);
    assert_int_equal(e.count, 6);
    assert_int_equal(e.bytes, 24);
    assert_int_equal(problem_extent(p, t, 3, &e, &r), 0);
    assert_int_equal(e.bytes, 16);
    bits = problem_scalar_bits(p, t, 6);
    memcpy(&narrow, &bits, sizeof narrow);
    assert_true(narrow == 0.1F && bits >> 32 == 0);
    assert_true(problem_scalar_bits(p, t, 4) == 2);
    assert_true(problem_work_bytes(p, &p->benchmark_cuda) == 4000.0 / 3);
    assert_true(problem_work_flops(p, &p->benchmark_cuda) == 100);
    problem_free(p);
}

/* "negate": the other's stream and bounds, with the sign turned, also where a test gives
 * the other its own values. */
static void
test_generators(void **state)
{
    struct problem *p = good();
    struct report r = {0};
    struct gen a, b;
    float x[3], y[3];

    (void)state;
    assert_int_equal(problem_gen(p, &p->test[0], 0, &a, &r), 0);
    assert_int_equal(problem_gen(p, &p->test[0], 1, &b, &r), 0);
    assert_int_equal(a.kind, GEN_UNIFORM);
    assert_true(a.a == -0.1 && a.b == 0.1);
    assert_int_equal(a.stream, b.stream);
    gen_fill(&a, 9, 0, 3, x);
    gen_fill(&b, 9, 0, 3, y);
    for (int i = 0; i < 3; i++)
        assert_true(x[i] == -y[i] && fabsf(x[i]) <= 0.1F);
    assert_int_equal(problem_gen(p, &p->test[1], 1, &b, &r), 0);
    gen_fill(&b, 9, 0, 3, y);
    assert_true(y[0] == -1 && y[1] == -2 && y[2] == -1);
    assert_int_equal(problem_gen(p, &p->test[1], 3, &b, &r), -1);
    assert_string_equal(r.text, "C is no input: it has no values");
    problem_free(p);
}

static void
test_negative_scalar_bits(void **state)
{
    struct problem *p = good();

    (void)state;
    p->test[0].exact[4] =
        (uint64_t)-3; /* int32: sign-extended, so that int and size_t read it */
    assert_true(problem_scalar_bits(p, &p->test[0], 4) == (uint64_t)-3);
    problem_free(p);
}

/* All 64 bits of a scalar as text, and what is none. */
static void
test_wide_scalars(void **state)
{
    static const struct {
        const char *type, *text;
        uint64_t bits;
        const char *error;
    } CASES[] = {
        {"uint64", "0xFEDCBA9876543210", 0xFEDCBA9876543210u, ""},
        {"uint64", "18446744073709551615", UINT64_MAX, ""},
        {"int64", "-9223372036854775808", (uint64_t)INT64_MIN, ""},
        {"uint64", "18446744073709551616", 0, "18446744073709551616"},
        {"uint64", "-1", 0, "-1"},
        {"uint64", "12 ", 0, "12 "},
        {"int64", "0x8000000000000000", 0, "0x8000000000000000"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct buf got = {0};
        int errors = 0;
        char *spec = xasprintf(
            "{\"format\": 1, \"title\": \"T\", \"difficulty\": \"easy\", \"params\": ["
            "{\"name\": \"x\", \"type\": \"uint8\", \"dir\": \"out\", \"shape\": [1]},"
            "{\"name\": \"seed\", \"type\": \"%s\", \"dir\": \"scalar\"}],"
            "\"compare\": {\"mode\": \"exact\"}, \"tests\": [{\"seed\": \"%s\"}],"
            "\"benchmark\": {\"cuda\": {\"seed\": 7}, \"emu\": {\"seed\": 1}}}",
            CASES[i].type, CASES[i].text);
        char *want = xasprintf("problem.json: $.tests[0].seed: \"%s\" is no whole number "
                               "that fits %s\n",
                               CASES[i].error, CASES[i].type);
        struct problem *p =
            problem_parse("wide", NULL, spec, strlen(spec), keep_first, &got, &errors);

        if (CASES[i].error[0] != '\0')
            assert_string_equal(buf_str(&got), want);
        else
            assert_true(problem_scalar_bits(p, &p->test[0], 1) == CASES[i].bits);
        problem_free(p);
        buf_free(&got);
        free(spec);
        free(want);
    }
}

static void
test_runs_on(void **state)
{
    static const struct {
        const char *needs, *device, *arch;
        bool runs;
    } CASES[] = {
        {NULL, "cuda:0", "sm_75", true},      {"80", "cuda:0", "sm_90a", true},
        {"90", "cuda:0", "sm_89", false},     {"90a", "cuda:0", "sm_90a", true},
        {"90a", "cuda:0", "sm_100a", false},  {"100f", "cuda:0", "sm_103a", true},
        {"100f", "cuda:0", "sm_120a", false}, {"100", "emu", "compute_80", true}};
    struct problem *p = good();
    struct report r;

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        r = (struct report){0};
        p->arch = CASES[i].needs;
        assert_int_equal(problem_runs_on(p, CASES[i].device, CASES[i].arch, 1, &r),
                         CASES[i].runs ? 0 : -1);
        if (i == 2)
            assert_string_equal(r.text, "good is not judged on cuda:0: it needs compute "
                                        "capability 9.0, the device has 8.9");
    }
    p->arch = NULL;
    p->gpus = 2;
    assert_int_equal(problem_runs_on(p, "emu", "compute_80", 1, NULL), 0);
    r = (struct report){0};
    assert_int_equal(problem_runs_on(p, "cuda:0", "sm_90a", 1, &r), -1);
    assert_string_equal(r.text, "good is not judged on cuda:0: it needs 2 GPUs of one "
                                "kind, and this machine has 1 of that kind");
    assert_int_equal(problem_runs_on(p, "cuda:0", "sm_90a", 2, NULL), 0);
    p->arch = "100";
    assert_int_equal(problem_runs_on(p, "cuda:0", "sm_90a", 2, &r), -1);
    p->arch = NULL;
    problem_free(p);
}

/* --- folders ------------------------------------------------------------------------ */

static void
count_errors(void *context, const char *where, const char *sentence)
{
    struct buf *all = context;

    buf_printf(all, "%s: %s\n", where, sentence);
}

/* Every problem of the judge is sound, and problem_load agrees. */
static void
test_own_problems(void **state)
{
    struct report r = {0};
    char **slugs;
    int count;

    (void)state;
    assert_int_equal(problem_list("problems", &slugs, &count, &r), 0);
    assert_true(count >= 6);
    for (int i = 0; i < count; i++) {
        struct buf all = {0};
        struct problem *p;

        if (problem_check("problems", slugs[i], count_errors, &all) != 0)
            fail_msg("%s: %s", slugs[i], buf_str(&all));
        p = problem_load("problems", slugs[i], &r);
        assert_string_equal(r.text, "");
        assert_non_null(p);
        assert_true(p->has_reference_c);
        problem_free(p);
        buf_free(&all);
        free(slugs[i]);
    }
    free(slugs);
}

/* A folder with several things wrong: problem_check tells them all, problem_load the
 * first. */
static void
test_all_errors(void **state)
{
    char dir[] = "/tmp/test_problem.XXXXXX";
    char *folder, *path;
    struct report r = {0};
    struct buf all = {0};

    (void)state;
    assert_non_null(mkdtemp(dir));
    folder = xasprintf("%s/broken", dir);
    path = xasprintf("%s/problem.json", folder);
    assert_int_equal(file_mkdirs(folder, &r), 0);
    assert_int_equal(file_write(path, "{\"format\": 1, \"titel\": 3}", 25, &r), 0);
    assert_int_equal(problem_check(dir, "broken", count_errors, &all), 6);
    assert_string_equal(
        buf_str(&all),
        "problem.json: $: unknown key \"titel\"; known here: format, title, "
        "difficulty, tags, teaches, after, params, compare, tests, benchmark, work, "
        "limits, arch, gpus, accepts, libraries, sources\n"
        "problem.json: $: the key \"title\" is missing\n"
        "problem.json: $: the key \"difficulty\" is missing\n"
        "problem.json: $: the key \"params\" is missing\n"
        "reference.c: neither reference.c nor reference.cu is there\n"
        "statement.md: is not there\n");
    assert_null(problem_load(dir, "broken", &r));
    assert_string_equal(r.text,
                        "broken/problem.json: $: unknown key \"titel\"; known here: "
                        "format, title, difficulty, tags, teaches, after, params, "
                        "compare, tests, benchmark, work, limits, arch, gpus, accepts, "
                        "libraries, sources");
    r.text[0] = '\0';
    assert_null(problem_load(dir, "missing", &r));
    assert_non_null(strstr(r.text, "missing/problem.json: there is no folder"));
    r.text[0] = '\0';
    assert_null(problem_load(dir, "../broken", &r));
    assert_non_null(strstr(r.text, "a problem's name is made of"));
    r.text[0] = '\0';
    assert_int_equal(file_remove_tree(dir, &r), 0);
    buf_free(&all);
    free(folder);
    free(path);
}

/* The author's guide shows a complete spec: it must be one. */
static void
test_guide_example(void **state)
{
    struct buf text = {0};
    struct report r = {0};
    const char *begin, *end;
    int errors = 0;

    (void)state;
    assert_int_equal(file_read("docs/problem-format.md", TEXT_MAX, &text, &r), 0);
    begin = strstr(buf_str(&text), "```json\n");
    assert_non_null(begin);
    begin += strlen("```json\n");
    end = strstr(begin, "```");
    assert_non_null(end);
    problem_free(
        problem_parse("guide", NULL, begin, (size_t)(end - begin), never, NULL, &errors));
    assert_int_equal(errors, 0);
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_at_sizes),
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_negative_scalar_bits),
        cmocka_unit_test(test_wide_scalars),
        cmocka_unit_test(test_runs_on),
        cmocka_unit_test(test_own_problems),
        cmocka_unit_test(test_all_errors),
        cmocka_unit_test(test_guide_example),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
