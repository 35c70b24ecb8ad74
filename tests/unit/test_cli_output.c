// links: cli gpu_process gpu_owner sandbox common
/* What the command line prints: numbers, bars, tables and results, as text without
 * colours. */
#include "base/utf8.h"
#include "cli/csv.h"
#include "cli/format.h"
#include "cli/result.h"
#include "cli/table.h"
#include "cli/text.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
times_have_three_digits(void **state)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},           {1, "1.00 ns"},
        {980, "980 ns"},       {999.4, "999 ns"},
        {999.6, "1.00 us"},    {52000, "52.0 us"},
        {9994, "9.99 us"},     {9996, "10.0 us"},
        {99960, "100 us"},     {999600, "1.00 ms"},
        {1234567, "1.23 ms"},  {1.5e9, "1.50 s"},
        {1.2345e12, "1234 s"}, {-1, "-"},
        {(double)NAN, "-"},
    };
    struct text32 out;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(format_time(&out, cases[i].ns, false), cases[i].text);
    assert_string_equal(format_time(&out, 52000, true), "52.0 \xc2\xb5s");
    assert_string_equal(format_time(&out, 1e300, true) + strlen(out.s) - 2, " s");
}

static void
numbers_read_well(void **state)
{
    struct text32 out;

    (void)state;
    assert_string_equal(format_rate(&out, 4.306), "4.31");
    assert_string_equal(format_rate(&out, 9.996), "10.0");
    assert_string_equal(format_rate(&out, 4310.4), "4310");
    assert_string_equal(format_rate(&out, (double)NAN), "");
    assert_string_equal(format_ordinal(&out, 1), "1st");
    assert_string_equal(format_ordinal(&out, 2), "2nd");
    assert_string_equal(format_ordinal(&out, 11), "11th");
    assert_string_equal(format_ordinal(&out, 113), "113th");
    assert_string_equal(format_ordinal(&out, 123), "123rd");
    assert_string_equal(format_percent(&out, 100), "100 %");
    assert_string_equal(format_percent(&out, 200.0 / 3), "66.7 %");
    assert_string_equal(format_percent(&out, 99.97), "100 %");
    assert_string_equal(format_percent(&out, (double)NAN), "");
    assert_string_equal(format_plural(&out, 1, "test"), "1 test");
    assert_string_equal(format_plural(&out, 3, "test"), "3 tests");
    assert_string_equal(format_date(&out, (double)NAN), "");
}

static void
text_is_broken_between_words(void **state)
{
    static const struct {
        const char *text;
        int indent, width;
        const char *lines;
    } cases[] = {
        {"", 2, 10, ""},
        {"  ", 2, 10, ""},
        {"one", 2, 10, "  one\n"},
        {"one two", 0, 7, "one two\n"},
        {"one two", 0, 6, "one\ntwo\n"},
        {" one  two three ", 2, 9, "  one two\n  three\n"},
        {"one twothreefour five", 2, 8, "  one\n  twothreefour\n  five\n"},
        {"\u00b5\u00b5 \u00b5 \u00b5", 0, 4, "\u00b5\u00b5 \u00b5\n\u00b5\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};

        text_wrap(&out, cases[i].text, cases[i].indent, cases[i].width);
        assert_string_equal(buf_str(&out), cases[i].lines);
        buf_free(&out);
    }
}

static void
bars_have_the_right_length(void **state)
{
    static const struct {
        double share;
        bool utf8;
        const char *text;
    } cases[] = {
        {1, false, "####"},
        {0.5, false, "##"},
        {0.001, false, "#"},
        {0, false, ""},
        {2, false, "####"},
        {(double)NAN, false, ""},
        {1, true, "\u2588\u2588\u2588\u2588"},
        {0.375, true, "\u2588\u258c"},
        {0.001, true, "\u258f"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};

        format_bar(&out, cases[i].share, 4, cases[i].utf8);
        assert_string_equal(buf_str(&out), cases[i].text);
        buf_free(&out);
    }
}

static void
control_characters_do_not_reach_the_terminal(void **state)
{
    struct buf out = {0};

    (void)state;
    utf8_clean(&out, "a\033[31mb\a\tc\n\xc2\x9b"
                     "d\xe2\x80\xae"
                     "e\xff"
                     "f\x7f \xc2\xb5");
    assert_string_equal(buf_str(&out), "a[31mb\tc\nde?f \xc2\xb5");
    buf_free(&out);
}

/* What is printed on a terminal without colours. */
static struct terminal
to_memory(char **text, size_t *len)
{
    FILE *file = open_memstream(text, len);

    assert_non_null(file);
    return (struct terminal){.file = file, .width = 80};
}

static void
tables_are_aligned(void **state)
{
    static const struct column columns[] = {
        {"rank", true}, {"user", false}, {"never", false}, {"time", true}};
    struct table *table = table_new(columns, 4);
    size_t len = 0;
    char *text = NULL;
    struct terminal t = to_memory(&text, &len);

    (void)state;
    table_row(table, STYLE_BOLD);
    table_cell(table, "%d", 1);
    table_cell(table, "ad\xc3\xa4\nx");
    table_cell(table, "%s", "");
    table_cell(table, "52.0 \xc2\xb5s");
    table_row(table, STYLE_PLAIN);
    table_cell(table, "10");
    table_cell(table, "bob");
    table_print(table, &t);
    fclose(t.file);
    assert_string_equal(text, "rank  user      time\n"
                              "   1  ad\xc3\xa4 x  52.0 \xc2\xb5s\n"
                              "  10  bob\n");
    table_free(table);
    free(text);
}

static void
text_is_cut_to_columns(void **state)
{
    static const struct {
        const char *text;
        int width;
        const char *utf8, *ascii;
    } cases[] = {
        {"", 0, "", ""},
        {"abc", 3, "abc", "abc"},
        {"abcd", 3, "ab\u2026", "a.."},
        {"abcd", 1, "\u2026", "a"},
        {"abcd", 0, "", ""},
        /* Each of these characters takes two columns, where the locale knows it. */
        {"\u4e2d\u6587\u4e2d", 6, "\u4e2d\u6587\u4e2d", "\u4e2d\u6587\u4e2d"},
        {"\u4e2d\u6587\u4e2d", 5, "\u4e2d\u6587\u2026", "\u4e2d.."},
        {"\u4e2d\u6587\u4e2d", 4, "\u4e2d\u2026", "\u4e2d.."},
        /* An accent that is a character of its own takes none. */
        {"e\u0301e\u0301e", 2, "e\u0301\u2026", ".."},
        {"a\xff"
         "bc",
         3, "a\xff\u2026", "a.."},
    };

    (void)state;
    assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf utf8 = {0}, ascii = {0};

        text_cut(&utf8, cases[i].text, cases[i].width, true);
        text_cut(&ascii, cases[i].text, cases[i].width, false);
        assert_string_equal(buf_str(&utf8), cases[i].utf8);
        assert_string_equal(buf_str(&ascii), cases[i].ascii);
        assert_true(text_width(buf_str(&utf8)) <= cases[i].width);
        buf_free(&utf8);
        buf_free(&ascii);
    }
    setlocale(LC_CTYPE, "C");
}

/* A table on a terminal of this width, or in a pipe where it is 0. */
static char *
table_on(int width)
{
    static const struct column columns[] = {
        {"id", true}, {"user", false}, {"time", true}, {"file", false}};
    struct table *table = table_new(columns, 4);
    size_t len = 0;
    char *text = NULL;
    struct terminal t = to_memory(&text, &len);

    t.cut = width > 0;
    t.width = width > 0 ? width : 80;
    table_may_cut(table, 1, 6);
    table_may_leave(table, 3, 1);
    table_row(table, STYLE_PLAIN);
    table_cell(table, "%d", 7);
    table_cell(table, "a name of some length");
    table_cell(table, "52.0 us");
    table_cell(table, "file.cu");
    table_print(table, &t);
    fclose(t.file);
    table_free(table);
    return text;
}

static void
tables_fit_into_terminals(void **state)
{
    static const struct {
        int width;
        const char *shown;
    } cases[] = {
        {0, "id  user                      time  file\n"
            " 7  a name of some length  52.0 us  file.cu\n"},
        {43, "id  user                      time  file\n"
             " 7  a name of some length  52.0 us  file.cu\n"},
        {42, "id  user                     time  file\n"
             " 7  a name of some len..  52.0 us  file.cu\n"},
        {28, "id  user       time  file\n"
             " 7  a na..  52.0 us  file.cu\n"},
        /* The name at its least does not do any more: a column is left out. */
        {27, "id  user               time\n"
             " 7  a name of so..  52.0 us\n"},
        {17, "id  user     time\n"
             " 7  a ..  52.0 us\n"},
        /* Nothing helps any more. */
        {10, "id  user  \n"
             " 7  a ..  \n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = table_on(cases[i].width);

        assert_string_equal(text, cases[i].shown);
        free(text);
    }
}

/* A spreadsheet computes no cell, and reads every text as it is. */
static void
csv_has_one_cell_for_each_key(void **state)
{
    static const char *const KEYS[] = {"a", "b", "c", NULL};
    cJSON *rows = cJSON_Parse("[{\"a\":1.5,\"b\":true,\"c\":\"x\"},{\"b\":null},"
                              "{\"a\":\"=1+1\",\"b\":\"p,q \\\"r\\\"\",\"c\":\"-\"},"
                              "{\"a\":-2,\"b\":\"@x\",\"c\":\"a\\u001b[1m=\"}]");
    size_t len = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &len);

    (void)state;
    assert_non_null(rows);
    assert_non_null(file);
    csv_print(file, KEYS, rows);
    fclose(file);
    assert_string_equal(text, "a,b,c\r\n1.5,true,\"x\"\r\n,,\r\n"
                              "\"'=1+1\",\"p,q \"\"r\"\"\",\"'-\"\r\n"
                              "-2,\"'@x\",\"a[1m=\"\r\n");
    free(text);
    cJSON_Delete(rows);
}

static char *
printed(const char *json)
{
    cJSON *submission = cJSON_Parse(json);
    size_t len = 0;
    char *text = NULL;
    struct terminal t = to_memory(&text, &len);

    assert_non_null(submission);
    result_print(&t, submission);
    fclose(t.file);
    cJSON_Delete(submission);
    return text;
}

static void
an_accepted_submission_reads_well(void **state)
{
    char *text = printed(
        "{\"id\":7,\"state\":\"done\",\"mode\":\"submit\",\"problem\":\"softmax\","
        "\"device\":\"emu\",\"board\":\"emu\",\"verdict\":\"accepted\",\"message\":\"\","
        "\"time_ns\":52000,\"modelled\":true,\"sizes\":\"N=16384\",\"bandwidth_gbs\":2.5,"
        "\"gflops\":null,\"rank\":2,\"entries\":5,\"ties\":0,\"percentile\":75,"
        "\"best\":false,\"best_time_ns\":51000,"
        "\"tests\":[{\"number\":1,\"verdict\":\"accepted\"}],\"compile_seconds\":1.06,"
        "\"attempt\":1}");

    (void)state;
    assert_string_equal(
        text, "accepted  softmax on emu\n"
              "\n"
              "  time   52.0 us at N=16384  modelled on emu, not measured\n"
              "  speed  2.50 GB/s\n"
              "  rank   2nd of 5, faster than 75 % of the others  (your faster entry, "
              "51.0 us, stays on the board)\n"
              "  tests  1 of 1 passed\n"
              "\n"
              "submission 7, compiled in 1.1 s\n");
    free(text);
}

static void
equal_times_are_called_equal(void **state)
{
    char *text = printed(
        "{\"id\":7,\"state\":\"done\",\"mode\":\"submit\",\"problem\":\"softmax\","
        "\"device\":\"emu\",\"board\":\"emu\",\"verdict\":\"accepted\",\"message\":\"\","
        "\"time_ns\":52000,\"rank\":1,\"entries\":2,\"ties\":1,\"percentile\":50,"
        "\"best\":false,\"best_time_ns\":52000}");

    (void)state;
    assert_non_null(strstr(text, "1st of 2, level with 1 other, percentile 50 %"
                                 "  (no faster than your earlier entry, which stays"));
    free(text);
}

/* What is printed of a submission with this change, from the label on to the line's end.
 * The caller frees. */
static char *
printed_change(const char *change)
{
    char *json = xasprintf(
        "{\"id\":7,\"state\":\"done\",\"mode\":\"submit\",\"problem\":\"softmax\","
        "\"device\":\"emu\",\"board\":\"emu\",\"verdict\":\"accepted\",\"message\":\"\","
        "\"time_ns\":52000,\"rank\":4,\"entries\":31,\"ties\":0,\"percentile\":90,"
        "\"best\":false,\"best_time_ns\":52000,\"change\":%s}",
        change);
    char *text = printed(json), *line = strstr(text, "  change "), *copy;

    assert_non_null(line);
    assert_null(strstr(text, "earlier entry"));
    copy = xasprintf("%.*s", (int)strcspn(line, "\n"), line);
    free(json);
    free(text);
    return copy;
}

static void
a_change_reads_well(void **state)
{
    static const struct {
        const char *change, *line;
    } CASES[] = {
        {"{\"improved\":true,\"best\":null,\"best_time_ns\":null,\"speedup\":null,"
         "\"sure\":false,\"rank_before\":null,\"rank\":4,\"entries\":31}",
         "  change your first accepted one on this board"},
        {"{\"improved\":true,\"best\":40,\"speedup\":1.312,\"sure\":true,"
         "\"rank_before\":7,\"rank\":4,\"entries\":31}",
         "  change 1.31x faster than your best (submission 40): from 7th to 4th of 31"},
        {"{\"improved\":true,\"best\":40,\"speedup\":1.02,\"sure\":false,"
         "\"rank_before\":4,\"rank\":4,\"entries\":31}",
         "  change 1.02x faster than your best (submission 40), too close to be sure: "
         "still 4th of 31"},
        {"{\"improved\":true,\"best\":40,\"speedup\":1.003,\"sure\":true,"
         "\"rank_before\":4,\"rank\":3,\"entries\":31}",
         "  change less than 1 % faster than your best (submission 40): from 4th to 3rd "
         "of 31"},
        {"{\"improved\":false,\"best\":40,\"speedup\":0.5,\"sure\":true,"
         "\"rank_before\":4,\"rank\":4,\"entries\":31}",
         "  change 2.00x slower than your best (submission 40), which stays on the "
         "board"},
        {"{\"improved\":false,\"best\":40,\"speedup\":1,\"sure\":false,"
         "\"rank_before\":4,\"rank\":4,\"entries\":31}",
         "  change as fast as your best (submission 40), which stays on the board"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char *line = printed_change(CASES[i].change);

        assert_string_equal(line, CASES[i].line);
        free(line);
    }
}

/* Measured: how sure the time is, how near the limit, and what to know before believing.
 */
static void
a_measured_time_says_how_sure_it_is(void **state)
{
    char *text = printed(
        "{\"id\":7,\"state\":\"done\",\"mode\":\"submit\",\"problem\":\"softmax\","
        "\"device\":\"cuda:0\",\"board\":\"NVIDIA H200\",\"verdict\":\"accepted\","
        "\"message\":\"\",\"time_ns\":52000,\"low_ns\":51000,\"high_ns\":53000,"
        "\"samples_ns\":[51000,52000,53000],\"modelled\":false,\"sizes\":\"N=16384\","
        "\"bandwidth_gbs\":2.5,\"gflops\":null,\"limit_share\":0.98,\"limit_by\":"
        "\"memory\",\"review\":true,\"remark\":\"the GPU was busy\",\"rank\":1,"
        "\"entries\":1,\"percentile\":100,\"best\":true,\"attempt\":2}");

    (void)state;
    assert_non_null(strstr(
        text,
        "  time   52.0 us at N=16384  (median of 3 calls; 95% sure: 51.0 us to "
        "53.0 us)\n"
        "  speed  2.50 GB/s; 98 % of the limit that memory sets\n"
        "  review close to what the hardware can do, or beyond: marked for a person to "
        "look at\n"
        "  note   the GPU was busy\n"));
    assert_non_null(strstr(text, "judged twice"));
    free(text);
}

/* Whatever the time's share of the limit is: how near is near, only the judge knows. */
static void
the_judge_says_what_is_for_review(void **state)
{
    static const struct {
        const char *share, *review;
        bool said;
    } answers[] = {{"0.5", "true", true}, {"1.2", "false", false}};

    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        char *json = xasprintf(
            "{\"id\":7,\"state\":\"done\",\"mode\":\"submit\",\"problem\":\"softmax\","
            "\"device\":\"cuda:0\",\"board\":\"NVIDIA H200\",\"verdict\":\"accepted\","
            "\"message\":\"\",\"time_ns\":52000,\"limit_share\":%s,\"limit_by\":"
            "\"memory\",\"review\":%s,\"rank\":1,\"entries\":1,\"percentile\":100,"
            "\"best\":true}",
            answers[i].share, answers[i].review);
        char *text = printed(json);

        assert_int_equal(strstr(text, "  review close to what the hardware can do, or "
                                      "beyond: marked") != NULL,
                         answers[i].said);
        assert_int_equal(strstr(text, "review") != NULL, answers[i].said);
        free(text);
        free(json);
    }
}

static void
a_wrong_submission_says_why(void **state)
{
    char *text = printed(
        "{\"id\":8,\"state\":\"done\",\"mode\":\"submit\",\"problem\":\"softmax\","
        "\"device\":\"cuda:0\",\"board\":\"NVIDIA H200\",\"verdict\":\"wrong_answer\","
        "\"message\":\"Test 2: C[3] is \\u001b[31m0\",\"time_ns\":null,\"rank\":null,"
        "\"tests\":[{\"number\":1,\"verdict\":\"accepted\"},"
        "{\"number\":2,\"verdict\":\"wrong_answer\"}],\"compile_cached\":true}");

    (void)state;
    assert_string_equal(text, "wrong answer  softmax on cuda:0 (NVIDIA H200)\n"
                              "\n"
                              "Test 2: C[3] is [31m0\n"
                              "\n"
                              "  tests  1 passed, then one failed\n"
                              "\n"
                              "submission 8, unchanged since it was compiled\n");
    free(text);
}

/* The submission's failure, as a part of an answer. */
static char *
printed_failure(const char *failure)
{
    char *json = xasprintf("{\"id\":8,\"state\":\"done\",\"mode\":\"run\","
                           "\"verdict\":\"wrong_answer\",\"failure\":%s}",
                           failure);
    char *text = printed(json);

    free(json);
    return text;
}

static void
a_wrong_element_has_its_surroundings(void **state)
{
    char *text = printed_failure(
        "{\"output\":\"C\",\"index\":[2,9,31],\"got\":0,\"want\":1,\"window\":{"
        "\"from\":[2,8,30],\"wrong\":[[false,false],[false,true],[true,true]],"
        "\"got\":[[1,-2.5],[3,\"NaN\"],[16777217,0.1]],"
        "\"want\":[[1,-2.5],[3,4],[16777216,1e30]]},"
        "\"map\":{\"rows\":64,\"columns\":32,\"wrong\":3,\"looked_at\":2048,"
        "\"share\":[[1]],\"box\":{\"rows\":[9,10],\"columns\":[30,31]}}}");

    (void)state;
    assert_non_null(strstr(text, "  around C[2][9][31] (! is wrong):\n"
                                 "                 [30]   [31]\n"
                                 "       [8]          1   -2.5\n"
                                 "       [9]          3   NaN!\n"
                                 "  expected          3      4\n"
                                 "      [10]  16777217!   0.1!\n"
                                 "  expected   16777216  1e+30\n"
                                 "\n"
                                 "  C[2]: 3 of 2,048 elements are wrong, all in rows 9 "
                                 "to 10 and columns 30 to 31\n"));
    free(text);
}

/* Wide values leave out columns, and never the first wrong element's. */
static void
surroundings_fit_into_80_columns(void **state)
{
    struct buf got = {0};
    char *failure, *text;

    (void)state;
    for (int i = 0; i < 9; i++)
        buf_printf(&got, "%s-1.2345%de-300", i > 0 ? "," : "", i + 1);
    for (int at = 0; at < 9; at++) {
        failure = xasprintf("{\"output\":\"C\",\"index\":[%d],\"window\":{\"from\":[100]"
                            ",\"got\":[[%s]],\"want\":[[%s]]}}",
                            100 + at, buf_str(&got), "0,0,0,0,0,0,0,0,0");
        text = printed_failure(failure);
        assert_non_null(strstr(text, "  around C[10"));
        free(failure);
        failure = xasprintf("-1.2345%de-300!", at + 1);
        assert_non_null(strstr(text, failure));
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
            assert_in_range(strcspn(line, "\n"), 0, 80);
        free(failure);
        free(text);
    }
    buf_free(&got);
}

/* Of a hidden test no values are told; of an only element there is nothing more. */
static void
surroundings_that_say_nothing_are_not_printed(void **state)
{
    static const char *const FAILURES[] = {
        "{\"output\":\"C\",\"index\":[0],\"window\":{\"from\":[0],\"got\":[[1]],"
        "\"want\":[[2]]},\"map\":{\"rows\":1,\"columns\":1,\"wrong\":1,"
        "\"looked_at\":1,\"share\":[[100]]}}",
        "{\"output\":\"C\",\"index\":[0],\"window\":{\"from\":[0],\"wrong\":"
        "[[true,true]]},\"map\":{\"rows\":1,\"columns\":2,\"wrong\":2,"
        "\"looked_at\":2,\"share\":[[100,100]],"
        "\"box\":{\"rows\":[0,0],\"columns\":[0,1]}}}",
        "{\"output\":\"C\",\"index\":[0],\"window\":[],\"map\":7}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof FAILURES / sizeof *FAILURES; i++) {
        char *text = printed_failure(FAILURES[i]);

        assert_null(strstr(text, "around"));
        assert_null(strstr(text, "C:"));
        free(text);
    }
}

static void
verdicts_are_exit_statuses(void **state)
{
    static const struct {
        const char *json;
        int status;
    } cases[] = {
        {"{\"verdict\":\"accepted\"}", 0},
        {"{\"verdict\":\"wrong_answer\"}", 1},
        {"{\"verdict\":\"disqualified\"}", 1},
        {"{\"verdict\":\"judge_error\"}", 4},
        {"{\"verdict\":null}", 4},
        {"{}", 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *submission = cJSON_Parse(cases[i].json);

        assert_int_equal(result_exit_status(submission), cases[i].status);
        cJSON_Delete(submission);
    }
}

static void
words_are_found_in_letters_of_any_size(void **state)
{
    (void)state;
    assert_true(text_mentions("Matrix Transpose", "TRANS"));
    assert_true(text_mentions("softmax", "max"));
    assert_true(text_mentions("softmax", ""));
    assert_false(text_mentions("softmax", "maxi"));
    assert_false(text_mentions("", "x"));
}

static void
long_texts_are_whole(void **state)
{
    /* Around the size up to which a text is made at once. */
    for (int len = 250; len < 260; len++) {
        char *text = xasprintf("%*d", len, 7);

        assert_int_equal(strlen(text), len);
        assert_int_equal(text[len - 1], '7');
        free(text);
    }
    (void)state;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_three_digits),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(text_is_broken_between_words),
        cmocka_unit_test(bars_have_the_right_length),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(tables_are_aligned),
        cmocka_unit_test(text_is_cut_to_columns),
        cmocka_unit_test(tables_fit_into_terminals),
        cmocka_unit_test(csv_has_one_cell_for_each_key),
        cmocka_unit_test(an_accepted_submission_reads_well),
        cmocka_unit_test(equal_times_are_called_equal),
        cmocka_unit_test(a_change_reads_well),
        cmocka_unit_test(a_measured_time_says_how_sure_it_is),
        cmocka_unit_test(the_judge_says_what_is_for_review),
        cmocka_unit_test(a_wrong_submission_says_why),
        cmocka_unit_test(a_wrong_element_has_its_surroundings),
        cmocka_unit_test(surroundings_fit_into_80_columns),
        cmocka_unit_test(surroundings_that_say_nothing_are_not_printed),
        cmocka_unit_test(verdicts_are_exit_statuses),
        cmocka_unit_test(words_are_found_in_letters_of_any_size),
        cmocka_unit_test(long_texts_are_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
