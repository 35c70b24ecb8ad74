// links: common sandbox daemon
/* What POST /api/submissions takes, and what it says to what it does not take. */
#include "base/buf.h"
#include "base/utf8.h"
#include "daemon/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"problem\":\"reduction\",\"user\":\"ada\""

static void
assert_refused(const char *body, size_t len, const char *words)
{
    struct submit_request s;
    struct error_about about;
    struct report r = {0};

    assert_int_equal(submit_request_parse(body, len, &s, &about, &r), -1);
    if (strstr(r.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", r.text, words);
}

static void
takes_a_submission(void **state)
{
    const char body[] =
        HEAD ",\"device\":null,\"filename\":\"../x y.cu\",\"mode\":\"run\","
             "\"source\":\"a\\\\u0000 \\n\\\"\",\"own_case\":{\"seed\":7}}";
    struct submit_request s;
    struct error_about about;
    struct report r = {0};

    (void)state;
    assert_int_equal(submit_request_parse(body, strlen(body), &s, &about, &r), 0);
    assert_string_equal(s.problem, "reduction");
    assert_string_equal(s.user, "ada");
    assert_null(s.device);
    assert_string_equal(s.filename, "x_y.cu");
    assert_string_equal(s.source, "a\\u0000 \n\"");
    assert_true(s.sample_tests_only);
    assert_int_equal(cJSON_GetArraySize(s.own_case), 1);
    submit_request_free(&s);
}

static void
refuses_with_a_sentence(void **state)
{
    static const struct {
        const char *body, *words;
    } CASES[] = {
        {"", "not valid JSON"},
        {"{", "not valid JSON"},
        {"[]", "not a JSON object"},
        {"{}", "problem is missing"},
        {HEAD "}", "source is missing"},
        {HEAD ",\"source\":\"\"}", "the source is empty"},
        {HEAD ",\"source\":\" \\n\\t\"}", "the source is empty"},
        {HEAD ",\"source\":\"x\\u0000y\"}", "NUL byte"},
        {HEAD ",\"source\":\"x\\\\\\u0000y\"}", "NUL byte"},
        {HEAD ",\"source\":\"x\",\"mode\":\"rank\"}",
         "must be \"submit\", \"run\", \"profile\" or \"sanitize\""},
        {HEAD ",\"source\":7}", "\"source\" is not a string"},
        {HEAD ",\"source\":\"x\",\"mode\":\"run\",\"own_case\":7}",
         "\"own_case\" is not an object"},
        {HEAD ",\"source\":\"x\",\"own_case\":{}}", "goes with the mode \"run\""},
        {HEAD ",\"source\":\"x\",\"mode\":\"profile\",\"own_case\":{}}",
         "goes with the mode \"run\""},
        {HEAD ",\"source\":\"x\",\"speed\":1}", "\"speed\" is not a field"},
        {HEAD ",\"source\":\"x\",\"source\":\"y\"}", "is there twice"},
        {HEAD ",\"source\":\"\xff\"}", "not UTF-8"},
        {HEAD ",\"source\":\"x\"} trailing", "something follows"},
        {HEAD ",\"source\":\"x\"} {}", "something follows"},
        {"{\"problem\":\"r\",\"user\":\"h\\u043euse\",\"source\":\"x\"}", "look like"},
        {"{\"problem\":\"r\",\"user\":\"h_0use\",\"source\":\"x\"}", "is reserved"},
        {"{\"problem\":\"r\",\"user\":\"a\\nb\",\"source\":\"x\"}", "control character"},
        {"{\"problem\":\"r\",\"user\":\" \",\"source\":\"x\"}", "user is empty"},
        {"{\"problem\":\"r\",\"user\":\"a \",\"source\":\"x\"}", "with a space"},
        {"{\"problem\":\"r\",\"user\":\"House\",\"source\":\"x\"}", "is reserved"},
        {"{\"problem\":\"r\",\"user\":\"a\xc2\x9b\",\"source\":\"x\"}",
         "control character"},
        {"{\"problem\":\"r\",\"user\":\"a\xe2\x80\xae"
         "b\",\"source\":\"x\"}",
         "cannot be seen"},
        {"{\"problem\":\"r\",\"user\":\"\xe2\x80\x8b\",\"source\":\"x\"}",
         "cannot be seen"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_refused(CASES[i].body, strlen(CASES[i].body), CASES[i].words);
    assert_refused("{\"a\0\":1}", 8, "NUL byte");
}

static void
refuses_what_is_too_large(void **state)
{
    struct buf b = {0};

    (void)state;
    buf_puts(&b, HEAD ",\"source\":\"");
    while (b.len < SOURCE_BYTES_MAX + 100)
        buf_puts(&b, "0123456789abcdef");
    buf_puts(&b, "\"}");
    assert_refused(b.data, b.len, "over the limit");
    while (b.len <= BODY_BYTES_MAX)
        buf_puts(&b, "0123456789abcdef");
    assert_refused(b.data, b.len, "may have at most");
    buf_free(&b);
}

static void
makes_names_safe(void **state)
{
    static const struct {
        const char *name, *safe;
    } CASES[] = {
        {"a.cu", "a.cu"},
        {"/etc/passwd", "passwd.cu"},
        {"", "submission.cu"},
        {"../..", "_..cu"},
        {"-o.cu", "_o.cu"},
        {".cu", "_cu.cu"},
        {"a b\n\"c.cu", "a_b__c.cu"},
        {"x.CU", "x.CU.cu"},
        {"dir/", "submission.cu"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *safe = safe_filename(CASES[i].name);

        assert_string_equal(safe, CASES[i].safe);
        free(safe);
    }
}

static void
knows_utf8(void **state)
{
    static const char *const GOOD[] = {"",
                                       "abc",
                                       "\xc2\x80",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const BAD[] = {
        "\x80",         "\xc0\x80",         "\xc2",
        "\xe0\x9f\xbf", "\xed\xa0\x80",     "\xf0\x8f\xbf\xbf",
        "\xf5\x80",     "\xf4\x90\x80\x80", "\xe2\x82"};

    (void)state;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        assert_int_equal(utf8_prefix(GOOD[i], strlen(GOOD[i])), strlen(GOOD[i]));
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_int_equal(utf8_prefix(BAD[i], strlen(BAD[i])), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_submission),
        cmocka_unit_test(refuses_with_a_sentence),
        cmocka_unit_test(refuses_what_is_too_large),
        cmocka_unit_test(makes_names_safe),
        cmocka_unit_test(knows_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
