// links: common
/* Cases of a user's own: what is taken, and the sentence and field of what is not. And
 * base64, by which their values travel. */
#include "base/base64.h"
#include "problem/own_case.h"
#include "problem/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
never(void *context, const char *where, const char *sentence)
{
    (void)context;
    fail_msg("%s: %s", where, sentence);
}

/* x has n float32 values in 2 columns, k is an index below n, h is float16. */
static struct problem *
problem_of_indices(void)
{
    static const char TEXT[] =
        "{\"format\": 1, \"title\": \"T\", \"difficulty\": \"easy\", \"params\": ["
        "{\"name\": \"x\", \"type\": \"float32\", \"dir\": \"in\", \"shape\": [\"n/2\", "
        "2], \"values\": {\"uniform\": [0, 1]}},"
        "{\"name\": \"k\", \"type\": \"int32\", \"dir\": \"inout\", \"shape\": [3], "
        "\"values\": {\"integers\": [0, \"n-1\"]}},"
        "{\"name\": \"h\", \"type\": \"float16\", \"dir\": \"in\", \"shape\": [5000], "
        "\"values\": {\"uniform\": [0, 1]}},"
        "{\"name\": \"n\", \"type\": \"int32\", \"dir\": \"scalar\", \"min\": 1, "
        "\"max\": 100000000},"
        "{\"name\": \"m\", \"type\": \"int64\", \"dir\": \"scalar\"},"
        "{\"name\": \"a\", \"type\": \"float32\", \"dir\": \"scalar\"}],"
        "\"compare\": {\"mode\": \"exact\"}, \"tests\": ["
        "{\"n\": 8, \"m\": 1, \"a\": 1},"
        "{\"n\": 4, \"m\": 7, \"a\": 0.5, \"sample\": true}],"
        "\"benchmark\": {\"cuda\": {\"n\": 1000, \"m\": 1, \"a\": 1}, "
        "\"emu\": {\"n\": 1000, \"m\": 1, \"a\": 1}}}";
    int errors = 0;
    struct problem *p =
        problem_parse("indices", NULL, TEXT, strlen(TEXT), never, NULL, &errors);

    assert_non_null(p);
    return p;
}

static int
read_case(const struct problem *p, const char *text, struct own_case *out, char *field,
          struct report *r)
{
    cJSON *object = cJSON_Parse(text);
    int rc;

    assert_non_null(object);
    rc = own_case_read(object, p, "emu", out, field, r);
    cJSON_Delete(object);
    return rc;
}

static void
takes_sizes_values_and_a_seed(void **state)
{
    struct problem *p = problem_of_indices();
    char field[OWN_CASE_FIELD_MAX];
    struct report r = {0};
    struct own_case c;
    struct extent e;
    uint16_t h[5000];
    int32_t k[3];

    (void)state;
    assert_int_equal(
        read_case(p,
                  "{\"sizes\": {\"n\": \"6\", \"m\": \"-9223372036854775808\"}, "
                  "\"values\": {\"h\": \"ramp\", \"k\": {\"type\": \"int32\", "
                  "\"shape\": [3], \"data\": \"BQAAAAAAAAABAAAA\"}}, \"seed\": 7, "
                  "\"arrays\": true}",
                  &c, field, &r),
        0);
    assert_true(c.test.scalar[3] == 6 && c.test.exact[3] == 6);
    assert_true(c.test.exact[4] == (uint64_t)INT64_MIN);
    assert_true(c.test.scalar[5] == 0.5); /* of the sample test, which is not the first */
    assert_true(c.seed == 7 && c.arrays && c.test.sample_test);
    assert_int_equal(c.values[0], OWN_RANDOM);
    assert_int_equal(problem_extent(p, &c.test, 1, &e, &r), 0);
    own_case_make(&c, p, 1, &e, k);
    assert_true(k[0] == 5 && k[1] == 0 && k[2] == 1);
    assert_int_equal(problem_extent(p, &c.test, 2, &e, &r), 0);
    own_case_make(&c, p, 2, &e, h);
    assert_true(gen_load(DTYPE_F16, h, 2047) == 2047 &&
                gen_load(DTYPE_F16, h, 2048) == 0);
    own_case_free(&c);
    assert_int_equal(read_case(p, "{}", &c, field, &r), 0);
    assert_true(c.test.scalar[3] == 4 && c.seed == 0 && !c.arrays);
    own_case_free(&c);
    problem_free(p);
}

static void
refuses_with_sentence_and_field(void **state)
{
    static const struct {
        const char *text, *field, *words;
    } CASES[] = {
        {"{\"size\": {}}", "", "\"size\" is not a field of a case"},
        {"{\"seed\": 1, \"seed\": 2}", "", "or is there twice"},
        {"{\"sizes\": 3}", "/sizes", "not an object"},
        {"{\"sizes\": {\"N\": 3}}", "/sizes", "no size \"N\": it has n, m, a"},
        {"{\"sizes\": {\"x\": 3}}", "/sizes", "no size \"x\""},
        {"{\"sizes\": {\"n\": true}}", "/sizes/n", "not a number"},
        {"{\"sizes\": {\"n\": 2.5}}", "/sizes/n", "a whole number that fits int32"},
        {"{\"sizes\": {\"n\": \"12x\"}}", "/sizes/n", "a whole number"},
        {"{\"sizes\": {\"n\": \"\"}}", "/sizes/n", "a whole number"},
        {"{\"sizes\": {\"n\": \"4294967296\"}}", "/sizes/n", "fits int32"},
        {"{\"sizes\": {\"n\": 0}}", "/sizes/n", "below the least n"},
        {"{\"sizes\": {\"n\": 100000001}}", "/sizes/n", "above the largest n"},
        {"{\"sizes\": {\"m\": \"9223372036854775808\"}}", "/sizes/m", "fits int64"},
        {"{\"sizes\": {\"a\": \"1e40\"}}", "/sizes/a", "fits float32"},
        {"{\"sizes\": {\"a\": \"nan\"}}", "/sizes/a", "a finite number"},
        {"{\"sizes\": {\"n\": 1}}", "/sizes", "at least one element"},
        {"{\"sizes\": {\"n\": 90000000}}", "/sizes", "the buffers take 344 MiB"},
        {"{\"values\": []}", "/values", "not an object"},
        {"{\"values\": {\"n\": \"ones\"}}", "/values", "no input \"n\": it has x, k, h"},
        {"{\"values\": {\"x\": \"twos\"}}", "/values/x", "\"twos\" are no values for x"},
        {"{\"values\": {\"x\": 1}}", "/values/x", "not an object of type"},
        {"{\"values\": {\"k\": \"ramp\"}, \"sizes\": {\"n\": 2}}", "/values/k",
         "element 2 of k is 2, and indices promises values from 0 to 1"},
        {"{\"values\": {\"k\": {\"type\": \"float32\", \"shape\": [3], \"data\": \"\"}}}",
         "/values/k", "are float32, and k is int32"},
        {"{\"values\": {\"k\": {\"type\": \"int32\", \"shape\": [4], \"data\": \"\"}}}",
         "/values/k", "have the shape 4, and k is 3 here"},
        {"{\"values\": {\"x\": {\"type\": \"float32\", \"shape\": [4], \"data\": "
         "\"\"}}}",
         "/values/x", "have the shape 4, and x is 2 x 2 here"},
        {"{\"values\": {\"k\": {\"type\": \"int32\", \"shape\": [1,1,1,1,1,1,3], "
         "\"data\": \"\"}}}",
         "/values/k", "the shape of k has 7 dimensions, and k has 1"},
        {"{\"values\": {\"k\": {\"type\": \"int32\", \"shape\": [3], \"data\": \"A\"}}}",
         "/values/k", "not base64"},
        {"{\"values\": {\"k\": {\"type\": \"int32\", \"shape\": [3], \"data\": "
         "\"AAAA\"}}}",
         "/values/k", "are 3 bytes, and 12 are needed"},
        {"{\"values\": {\"k\": {\"type\": \"int32\", \"shape\": [3], \"data\": "
         "\"BAAAAAAAAAABAAAA\"}}}",
         "/values/k", "element 0 of k is 4"},
        {"{\"seed\": -1}", "/seed", "from 0 to 2^53"},
        {"{\"seed\": 0.5}", "/seed", "from 0 to 2^53"},
        {"{\"arrays\": 1}", "/arrays", "not true or false"},
        {"{\"arrays\": true, \"sizes\": {\"n\": 2000000}}", "/arrays",
         "take 7.6 MiB, and at most 4 MiB"},
    };
    struct problem *p = problem_of_indices();

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char field[OWN_CASE_FIELD_MAX] = "?";
        struct report r = {0};
        struct own_case c;

        assert_int_equal(read_case(p, CASES[i].text, &c, field, &r), -1);
        if (strstr(r.text, CASES[i].words) == NULL || strcmp(field, CASES[i].field) != 0)
            fail_msg("%s: \"%s\" of %s", CASES[i].text, r.text, field);
    }
    problem_free(p);
}

static void
base64_is_strict(void **state)
{
    static const char *const WRONG[] = {
        "A", "AA", "AA=", "A===", "AB==", "AAB=", "AA==AAAA", "AA-_", "AAAA\n"};
    static const char *const TEXTS[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="};

    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct buf bytes = {0}, text = {0};

        assert_true(base64_read(&bytes, TEXTS[i]));
        assert_int_equal(bytes.len, i);
        assert_memory_equal(buf_str(&bytes), "foob", i);
        base64_add(&text, buf_str(&bytes), bytes.len);
        assert_string_equal(buf_str(&text), TEXTS[i]);
        buf_free(&bytes);
        buf_free(&text);
    }
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct buf bytes = {0};

        assert_false(base64_read(&bytes, WRONG[i]));
        assert_int_equal(bytes.len, 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_sizes_values_and_a_seed),
        cmocka_unit_test(refuses_with_sentence_and_field),
        cmocka_unit_test(base64_is_strict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
