// links: common
/* JSON as text: the same as cJSON's own, which others may have stored or compared. */
#include "base/buf.h"
#include "base/json_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
check_value(const cJSON *value, const char *want)
{
    struct buf text = {0};

    json_add(&text, value);
    assert_string_equal(buf_str(&text), want);
    buf_free(&text);
}

static void
numbers_are_as_cjson_has_them(void **state)
{
    static const struct {
        double number;
        const char *text;
    } NUMBERS[] = {
        {0, "0"},
        {-0.0, "-0"},
        {7, "7"},
        {-2147483649.0, "-2147483649"},
        {1700000000000.0, "1700000000000"},
        {999999999999999.0, "999999999999999"},
        {-999999999999999.0, "-999999999999999"},
        {1e15, "1e+15"},
        {9007199254740992.0, "9.00719925474099e+15"},
        {0.1, "0.1"},
        {-5043.25, "-5043.25"},
        {1.0 / 3, "0.33333333333333331"},
        {1e300, "1e+300"},
        {5e-324, "4.94065645841247e-324"},
        {INFINITY, "null"},
        {NAN, "null"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        cJSON *value = cJSON_CreateNumber(NUMBERS[i].number);

        char *theirs = cJSON_PrintUnformatted(value);

        assert_string_equal(theirs, NUMBERS[i].text);
        check_value(value, NUMBERS[i].text);
        cJSON_free(theirs);
        cJSON_Delete(value);
    }
}

static void
every_byte_of_a_text_comes_back(void **state)
{
    char all[256];
    struct buf text = {0};
    cJSON *value, *read;

    (void)state;
    for (int i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    all[255] = '\0';
    value = cJSON_CreateString(all);
    json_add(&text, value);
    read = cJSON_Parse(buf_str(&text));
    assert_non_null(read);
    assert_string_equal(read->valuestring, all);
    assert_non_null(strstr(buf_str(&text), "\\u0001"));
    assert_non_null(strstr(buf_str(&text), "\\b\\t\\n\\u000b\\f\\r\\u000e"));
    assert_non_null(strstr(buf_str(&text), "!\\\"#"));
    assert_non_null(strstr(buf_str(&text), "[\\\\]"));
    cJSON_Delete(read);
    cJSON_Delete(value);
    buf_free(&text);
}

static void
values_of_all_kinds_are_as_cjson_has_them(void **state)
{
    static const char *const TEXTS[] = {
        "{}",
        "[]",
        "[[],{},[{}]]",
        "{\"a\":1,\"b\":[true,false,null,\"x\\ny\",-1.5],\"c\":{\"d \\\"e\\\"\":\"\"}}",
        "\"\xc3\xa4 \xe2\x82\xac\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        cJSON *value = cJSON_Parse(TEXTS[i]);
        char *theirs = cJSON_PrintUnformatted(value);

        assert_string_equal(theirs, TEXTS[i]);
        check_value(value, TEXTS[i]);
        cJSON_free(theirs);
        cJSON_Delete(value);
    }
}

static void
a_piece_may_hold_anything(void **state)
{
    struct buf text = {0};

    (void)state;
    json_add_escaped(&text, "", 0);
    assert_string_equal(buf_str(&text), "");
    json_add_escaped(&text, "\0\xe2\x82\x1f\n", 5);
    assert_string_equal(buf_str(&text), "\\u0000\xe2\x82\\u001f\\n");
    buf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_as_cjson_has_them),
        cmocka_unit_test(every_byte_of_a_text_comes_back),
        cmocka_unit_test(values_of_all_kinds_are_as_cjson_has_them),
        cmocka_unit_test(a_piece_may_hold_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
