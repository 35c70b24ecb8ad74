// links: common
/* Values that are made on the host: what each description promises of its elements, that
 * a seed gives the same again and another seed something else. */
#include "base/buf.h"
#include "base/file.h"
#include "numbers/gen_fn.h"
#include "problem/problem.h"
#include "problem/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N 1000
#define ROWS 10 /* of x, which has 100 columns */

static void
never(void *context, const char *where, const char *sentence)
{
    (void)context;
    fail_msg("%s: %s", where, sentence);
}

/* A problem whose inputs are x, of N elements in 10 rows, and k, int32 of 10 elements. */
static struct problem *
problem_of(const char *type, const char *x, const char *k)
{
    char *text = xasprintf(
        "{\"format\": 1, \"title\": \"T\", \"difficulty\": \"easy\", \"params\": ["
        "{\"name\": \"x\", \"type\": \"%s\", \"dir\": \"in\", \"shape\": [10, \"n/10\"], "
        "\"values\": %s},"
        "{\"name\": \"k\", \"type\": \"int32\", \"dir\": \"inout\", \"shape\": [10], "
        "\"values\": %s},"
        "{\"name\": \"n\", \"type\": \"int32\", \"dir\": \"scalar\"}],"
        "\"compare\": {\"mode\": \"exact\"}, \"tests\": [{\"n\": 1000, \"sample\": "
        "true}],"
        "\"benchmark\": {\"cuda\": {\"n\": 1000}, \"emu\": {\"n\": 1000}}}",
        type, x, k);
    int errors = 0;
    struct problem *p =
        problem_parse("values", NULL, text, strlen(text), never, NULL, &errors);

    assert_non_null(p);
    free(text);
    return p;
}

static void
make(const struct problem *p, int param, uint64_t seed, void *dst)
{
    struct report r = {0};

    if (problem_make(p, &p->test[0], param, seed, dst, &r) != 0)
        fail_msg("%s", r.text);
}

/* x of float64 as `values` describes it, made with seed 7. */
static void
make_x(const char *values, double x[N])
{
    struct problem *p = problem_of("float64", values, "{\"ramp\": [0, 1]}");
    double again[N], other[N];
    int different = 0;

    make(p, 0, 7, x);
    make(p, 0, 7, again);
    make(p, 0, 8, other);
    for (int i = 0; i < N; i++) {
        assert_memory_equal(&x[i], &again[i], sizeof x[i]);
        different += x[i] != other[i];
    }
    if (problem_value_source(p, &p->test[0], 0) == VALUE_SOURCE_GEN) {
        struct report r = {0};
        struct gen g;

        /* What a device fills, in any pieces. */
        assert_int_equal(problem_gen(p, &p->test[0], 0, &g, &r), 0);
        for (int at = 0, step = 1; at < N; at += step, step = step * 2 + 1)
            gen_fill(&g, 7, (uint64_t)at, (uint64_t)(step < N - at ? step : N - at),
                     again + at);
        assert_memory_equal(x, again, sizeof again);
    }
    /* A formula need not draw anything. */
    assert_true(different > 0 || strstr(values, "formula") != NULL);
    problem_free(p);
}

/* Is each of lo .. lo + count - 1 there once? */
static void
assert_permutation(const double *x, int count, double lo)
{
    char *seen = calloc((size_t)count, 1);
    int in_place = 0;

    assert_non_null(seen);
    for (int i = 0; i < count; i++) {
        assert_true(x[i] >= lo && x[i] < lo + count && x[i] == floor(x[i]));
        assert_int_equal(seen[(int)(x[i] - lo)]++, 0);
        in_place += x[i] == lo + i;
    }
    assert_true(in_place < 10); /* the expected number is 1 */
    free(seen);
}

static void
test_distinct(void **state)
{
    double x[N];

    (void)state;
    make_x("\"permutation\"", x);
    assert_permutation(x, N, 0);
    make_x("{\"distinct\": [-5, \"n - 6\"]}", x);
    assert_permutation(x, N, -5);
    make_x("\"permutation_rows\"", x);
    for (int row = 0; row < ROWS; row++)
        assert_permutation(x + row * N / ROWS, N / ROWS, 0);
    assert_true(memcmp(x, x + N / ROWS, N / ROWS * sizeof x[0]) != 0);
    make_x("{\"distinct_rows\": [0, 1000000]}", x);
    for (int i = 0; i < N; i++)
        for (int j = i / 100 * 100; j < i; j++)
            assert_true(x[i] != x[j]);
}

/* Any range: in range, and a bijection. */
static void
test_orders(void **state)
{
    (void)state;
    for (uint64_t range = 1; range < 300; range++) {
        char seen[300] = {0};
        struct gen_order o;

        gen_order_open(&o, 11, 0, range, range);
        for (uint64_t i = 0; i < range; i++) {
            uint64_t at = gen_order_at(&o, i);

            assert_true(at < range);
            assert_int_equal(seen[at]++, 0);
        }
    }
}

/* Ascending, within the bounds, and in no part of them too many or too few: 1000 draws in
 * ten parts are 100 +- 9.5 each. */
static void
assert_sorted(const double *x, int count, double lo, double hi)
{
    int part[10] = {0};

    for (int i = 0; i < count; i++) {
        assert_true(x[i] >= lo && x[i] < hi);
        assert_true(i == 0 || x[i] >= x[i - 1]);
        part[(int)((x[i] - lo) / (hi - lo) * 10)]++;
    }
    for (int k = 0; k < 10; k++)
        assert_in_range(part[k], count / 20, count / 5);
}

static void
test_sorted(void **state)
{
    double x[N];
    int repeats = 0;

    (void)state;
    make_x("{\"sorted\": {\"uniform\": [-1, 3]}}", x);
    assert_sorted(x, N, -1, 3);
    make_x("{\"sorted\": {\"integers\": [0, 99]}}", x);
    assert_sorted(x, N, 0, 100);
    for (int i = 1; i < N; i++)
        repeats += x[i] == x[i - 1];
    assert_in_range(repeats, 890, 910);
    assert_true(x[0] == 0 && x[N - 1] == 99); /* e^-10 against each */
    make_x("{\"sorted_rows\": {\"uniform\": [0, 1]}}", x);
    for (int row = 0; row < ROWS; row++)
        for (int i = 1; i < 100; i++)
            assert_true(x[100 * row + i] >= x[100 * row + i - 1]);
    assert_true(x[100] < x[99]);
}

/* Beyond a million elements: still ascending, within the bounds, everywhere as dense. */
static void
test_many_sorted(void **state)
{
    enum { MANY = 1 << 21 };
    struct gen g = {
        .kind = GEN_SORTED, .dtype = DTYPE_F32, .columns = MANY, .a = -1, .b = 3};
    float *x = malloc(MANY * sizeof *x);
    int32_t k[1000];

    (void)state;
    assert_non_null(x);
    gen_fill(&g, 5, 0, MANY, x);
    for (int i = 0; i < MANY; i++) {
        assert_true(x[i] >= -1 && x[i] <= 3 && (i == 0 || x[i] >= x[i - 1]));
        assert_true(fabs(x[i] - (-1 + 4.0 * i / MANY)) < 1e-5);
    }
    free(x);
    g = (struct gen){.kind = GEN_SORTED,
                     .dtype = DTYPE_I32,
                     .integer = 1,
                     .columns = 100,
                     .a = -3,
                     .b = 3};
    gen_fill(&g, 5, 0, 1000, k);
    for (int i = 0; i < 1000; i++) {
        assert_in_range(k[i] + 3, 0, 6);
        assert_true(i % 100 == 0 || k[i] >= k[i - 1]);
        assert_true(i % 100 != 0 || k[i] == -3);
        assert_true(i % 100 != 99 || k[i] == 3);
    }
}

static void
test_scatter(void **state)
{
    double x[N];
    int nonzero = 0, second_half = 0;

    (void)state;
    make_x("{\"scatter\": {\"count\": \"n / 5\", \"values\": {\"integers\": [0, 1]}}}",
           x);
    for (int i = 0; i < N; i++) {
        nonzero += x[i] != 0;
        second_half += i >= N / 2 && x[i] != 0;
    }
    assert_int_equal(nonzero, 200);
    assert_in_range(second_half, 60, 140);
}

static void
test_offsets(void **state)
{
    struct problem *p = problem_of("float64", "\"permutation\"", "{\"offsets\": \"n\"}");
    int32_t k[10];

    (void)state;
    make(p, 1, 3, k);
    assert_int_equal(k[0], 0);
    assert_int_equal(k[9], N);
    for (int i = 1; i < 10; i++)
        assert_true(k[i] >= k[i - 1]);
    problem_free(p);
}

/* Rows, columns and row offsets name the same 1000 cells of a 9 by 200 matrix, ascending.
 */
static void
test_sparse(void **state)
{
    static const char COLUMNS[] = "{\"sparse\": {\"part\": \"columns\", \"rows\": 9, "
                                  "\"columns\": 200, \"count\": \"n\"}}";
    static const char AS_ROWS[] = "{\"sparse\": {\"part\": \"rows\", \"rows\": 9, "
                                  "\"columns\": 200, \"count\": \"n\"}}";
    static const char OFFSETS[] = "{\"sparse\": {\"part\": \"row_offsets\", \"rows\": 9, "
                                  "\"columns\": 200, \"count\": \"n\"}}";
    struct problem *p = problem_of("int32", COLUMNS, OFFSETS);
    struct problem *q = problem_of("int32", AS_ROWS, OFFSETS);
    int32_t column[N], row[N], offset[10];

    (void)state;
    make(p, 0, 5, column);
    make(q, 0, 5, row);
    make(p, 1, 5, offset);
    assert_int_equal(offset[0], 0);
    assert_int_equal(offset[9], N);
    for (int r = 0; r < 9; r++) {
        for (int i = offset[r]; i < offset[r + 1]; i++) {
            assert_int_equal(row[i], r);
            assert_in_range(column[i], 0, 199);
            assert_true(i == offset[r] || column[i] > column[i - 1]);
        }
        assert_in_range(offset[r + 1] - offset[r], 70, 150);
    }
    problem_free(p);
    problem_free(q);
}

static void
test_formula(void **state)
{
    double x[N];
    int ones = 0;

    (void)state;
    make_x("{\"formula\": \"1000 * i0 + i1 + 0 * i + k[i0]\"}", x);
    for (int i = 0; i < N; i++)
        assert_true(x[i] == 1000 * (i / 100) + i % 100 + i / 100);
    make_x(
        "{\"formula\": {\"is\": \"i0 + value / 2\", \"value\": {\"uniform\": [0, 1]}}}",
        x);
    for (int i = 0; i < N; i++)
        assert_true(x[i] >= i / 100 && x[i] < i / 100 + 0.5);
    make_x("{\"formula\": \"random() - random(i)\"}", x);
    for (int i = 0; i < N; i++)
        assert_true(x[i] == 0);
    make_x("{\"formula\": \"i1 == floor(100 * random(i0))\"}", x); /* one hot a row */
    for (int i = 0; i < N; i++)
        ones += x[i] == 1;
    assert_int_equal(ones, ROWS);
    make_x("{\"formula\": {\"is\": \"if(i1 > 5, nan, -value)\","
           "\"value\": {\"sorted_rows\": {\"uniform\": [0, 1]}}}}",
           x);
    for (int row = 0; row < ROWS; row++) {
        assert_true(isnan(x[100 * row + 6]));
        for (int i = 1; i < 6; i++)
            assert_true(x[100 * row + i] <= x[100 * row + i - 1]);
    }
}

/* Enough elements for several threads: the same as by fewer, failures told of the first.
 */
static void
test_threads(void **state)
{
    static const char SPEC[] =
        "{\"format\": 1, \"title\": \"T\", \"difficulty\": \"easy\", \"params\": ["
        "{\"name\": \"x\", \"type\": \"int32\", \"dir\": \"in\", \"shape\": [\"n\", 3], "
        "\"values\": {\"formula\": {\"is\": \"3 * i0 + i1 + %s * k[i1] + value\", "
        "\"value\": {\"integers\": [0, 9]}}}},"
        "{\"name\": \"k\", \"type\": \"int32\", \"dir\": \"in\", \"shape\": [3], "
        "\"values\": {\"formula\": \"100 * i\"}},"
        "{\"name\": \"y\", \"type\": \"int32\", \"dir\": \"out\", \"shape\": [1]},"
        "{\"name\": \"n\", \"type\": \"int32\", \"dir\": \"scalar\"}],"
        "\"compare\": {\"mode\": \"exact\"}, \"tests\": [{\"n\": 200001}],"
        "\"benchmark\": {\"cuda\": {\"n\": 1}, \"emu\": {\"n\": 1}}}";
    enum { COUNT = 3 * 200001 };
    int32_t *x = malloc(COUNT * sizeof *x), *drawn = malloc(COUNT * sizeof *drawn);
    const struct gen g = {.kind = GEN_INTEGER, .dtype = DTYPE_I32, .a = 0, .b = 9};

    (void)state;
    assert_true(x != NULL && drawn != NULL);
    gen_fill(&g, 4, 0, COUNT, drawn);
    for (int wrong = 0; wrong < 2; wrong++) {
        char *text = xasprintf(SPEC, wrong ? "(i >= 299998) * 0.001" : "1");
        struct report r = {0};
        int errors = 0;
        struct problem *p =
            problem_parse("threads", NULL, text, strlen(text), never, NULL, &errors);

        assert_non_null(p);
        assert_int_equal(problem_make(p, &p->test[0], 0, 4, x, &r), wrong ? -1 : 0);
        for (int i = 0; i < COUNT && !wrong; i++)
            assert_int_equal(x[i], i + i % 3 * 100 + drawn[i]);
        if (wrong && strstr(r.text, "element 299998: ") == NULL)
            fail_msg("%s", r.text);
        problem_free(p);
        free(text);
    }
    free(x);
    free(drawn);
}

/* More numbers than a generator holds. */
static void
test_long_lists(void **state)
{
    struct buf list = {0};
    double x[N];
    struct problem *p;

    (void)state;
    buf_puts(&list, "{\"list\": [");
    for (int i = 0; i < N; i++)
        buf_printf(&list, "%s%d%s", i % 100 == 0 ? "[" : "", i,
                   i == N - 1      ? "]"
                   : i % 100 == 99 ? "], "
                                   : ", ");
    buf_puts(&list, "]}");
    p = problem_of("float64", buf_str(&list), "{\"ramp\": [0, 1]}");
    make(p, 0, 1, x);
    for (int i = 0; i < N; i++)
        assert_true(x[i] == i);
    problem_free(p);
    buf_free(&list);
}

/* A generator: drawn anywhere, so host and device agree; made here it is the same. */
static void
test_choice(void **state)
{
    struct problem *p =
        problem_of("int8",
                   "{\"choice\": {\"of\": [-3, 5, 7], \"weights\": [1, 0, "
                   "3]}}",
                   "{\"ramp\": [0, 1]}");
    struct report r = {0};
    int8_t x[N], y[N];
    struct gen g;
    int low = 0;

    (void)state;
    assert_int_equal(problem_value_source(p, &p->test[0], 0), VALUE_SOURCE_GEN);
    assert_int_equal(problem_gen(p, &p->test[0], 0, &g, &r), 0);
    gen_fill(&g, 9, 0, N, x);
    make(p, 0, 9, y);
    assert_memory_equal(x, y, sizeof x);
    for (int i = 0; i < N; i++) {
        assert_true(x[i] == -3 || x[i] == 7);
        low += x[i] == -3;
    }
    assert_in_range(low, 195, 305);
    problem_free(p);
}

static void
fails(const char *type, const char *x, const char *k, const char *sentence)
{
    struct problem *p = problem_of(type, x, k);
    struct report r = {0};
    double room[N];

    assert_int_equal(problem_make(p, &p->test[0], 0, 1, room, &r), -1);
    assert_string_equal(r.text, sentence);
    problem_free(p);
}

/* Every formula that the guide shows is one, and its values fit. */
static void
test_guide_formulas(void **state)
{
    static const char SPEC[] =
        "{\"format\": 1, \"title\": \"T\", \"difficulty\": \"easy\", \"params\": ["
        "{\"name\": \"x\", \"type\": \"float32\", \"dir\": \"in\", \"shape\": [\"N\", "
        "\"C\"], \"values\": %.*s},"
        "{\"name\": \"seq_lens\", \"type\": \"int32\", \"dir\": \"in\", \"shape\": "
        "[\"N * C\"], \"values\": {\"integers\": [1, 8]}},"
        "{\"name\": \"q_lens\", \"type\": \"int32\", \"dir\": \"in\", \"shape\": "
        "[\"N * C\"], \"values\": {\"integers\": [1, \"Tk\"]}},"
        "{\"name\": \"y\", \"type\": \"int32\", \"dir\": \"out\", \"shape\": [1]},"
        "{\"name\": \"N\", \"type\": \"int32\", \"dir\": \"scalar\"},"
        "{\"name\": \"C\", \"type\": \"int32\", \"dir\": \"scalar\"},"
        "{\"name\": \"Tk\", \"type\": \"int32\", \"dir\": \"scalar\"},"
        "{\"name\": \"page_size\", \"type\": \"int32\", \"dir\": \"scalar\"},"
        "{\"name\": \"num_pages\", \"type\": \"int32\", \"dir\": \"scalar\"}],"
        "\"compare\": {\"mode\": \"exact\"}, \"tests\": [%s], "
        "\"benchmark\": {\"cuda\": %s, \"emu\": %s}}";
    static const char SIZES[] = "{\"N\": 6, \"C\": 8, \"Tk\": 9, \"page_size\": 2, "
                                "\"num_pages\": 50}";
    struct buf guide = {0};
    struct report r = {0};
    int seen = 0;

    (void)state;
    assert_int_equal(file_read("docs/problem-format.md", 1 << 20, &guide, &r), 0);
    for (const char *line = buf_str(&guide); line != NULL; line = strchr(line, '\n')) {
        float x[48];
        struct problem *p;
        int errors = 0;
        char *text;

        line += *line == '\n';
        if (strncmp(line, "{\"formula\"", strlen("{\"formula\"")) != 0)
            continue;
        text = xasprintf(SPEC, (int)strcspn(line, "\n"), line, SIZES, SIZES, SIZES);
        p = problem_parse("guide", NULL, text, strlen(text), never, NULL, &errors);
        assert_non_null(p);
        make(p, 0, 3, x);
        problem_free(p);
        free(text);
        seen++;
    }
    assert_true(seen >= 7);
    buf_free(&guide);
}

/* What only shows when the values are made. */
static void
test_failures(void **state)
{
    (void)state;
    fails("int8", "{\"formula\": \"i\"}", "{\"ramp\": [0, 1]}",
          "the values of x: element 128: 128 does not fit int8");
    fails("int8", "{\"formula\": \"i0 / 2\"}", "{\"ramp\": [0, 1]}",
          "the values of x: element 100: 0.5 does not fit int8");
    fails("uint8", "{\"formula\": \"nan\"}", "{\"ramp\": [0, 1]}",
          "the values of x: element 0: nan does not fit uint8");
    fails("float16", "{\"formula\": \"1000 * i\"}", "{\"ramp\": [0, 1]}",
          "the values of x: element 66: 66000 does not fit float16");
    fails("float32", "{\"formula\": \"k[i]\"}", "{\"ramp\": [0, 1]}",
          "the values of x: element 10: k[10] is read, but it has 10 elements");
    fails("float32", "{\"formula\": \"k[0]\"}", "{\"formula\": \"i * 1e9\"}",
          "the values of x: element 0: element 3: 3000000000 does not fit int32");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distinct),   cmocka_unit_test(test_orders),
        cmocka_unit_test(test_sorted),     cmocka_unit_test(test_many_sorted),
        cmocka_unit_test(test_scatter),    cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_sparse),     cmocka_unit_test(test_formula),
        cmocka_unit_test(test_long_lists), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_choice),     cmocka_unit_test(test_guide_formulas),
        cmocka_unit_test(test_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
