// links: cli gpu_process gpu_owner sandbox common
/* The command line's own parts: arguments, the user's file, the event stream, and what is
 * printed. The daemon is met in tests/e2e. */
#include "base/utf8.h"
#include "cli/args.h"
#include "cli/format.h"
#include "cli/result.h"
#include "cli/source.h"
#include "cli/stream.h"
#include "cli/table.h"
#include "cli/text.h"
#include "problem/names.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- arguments ---------------------------------------------------------- */

#define WORDS_MAX 12

/* Parses "submit -p x" (words are parted by single spaces). Words live in a static
 * buffer. */
static int
parse(const char *line, struct args *args, struct report *r)
{
    static char copy[256];
    char *argv[WORDS_MAX + 1] = {"warpjudge"}, *save = NULL;
    int argc = 1;

    *r = (struct report){0};
    assert_true(strlen(line) < sizeof copy);
    memcpy(copy, line, strlen(line) + 1);
    for (char *word = strtok_r(copy, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save)) {
        assert_true(argc < WORDS_MAX);
        argv[argc++] = word;
    }
    return args_parse(argc, argv, args, r);
}

static void
flags_may_stand_anywhere(void **state)
{
    static const char *const lines[] = {
        "submit -p softmax --json a.cu",        "submit a.cu --problem softmax --json",
        "--json submit --problem=softmax a.cu", "-psoftmax submit --json a.cu",
        "-p=softmax --json -- submit a.cu",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct report r;
        struct args args;

        assert_int_equal(parse(lines[i], &args, &r), 0);
        assert_int_equal(args.count, 2);
        assert_string_equal(args.positional[0], "submit");
        assert_string_equal(args.positional[1], "a.cu");
        assert_string_equal(args.flag[FLAG_PROBLEM], "softmax");
        assert_non_null(args.flag[FLAG_JSON]);
        assert_null(args.flag[FLAG_DEVICE]);
        args_free(&args);
    }
}

static void
nothing_after_two_dashes_is_a_flag(void **state)
{
    struct report r;
    struct args args;

    (void)state;
    assert_int_equal(parse("submit -- --json -p - --", &args, &r), 0);
    assert_int_equal(args.count, 5);
    assert_string_equal(args.positional[1], "--json");
    assert_string_equal(args.positional[4], "--");
    assert_null(args.flag[FLAG_JSON]);
    args_free(&args);
}

static void
wrong_flags_get_a_sentence(void **state)
{
    static const struct {
        const char *line, *sentence;
    } cases[] = {
        {"submit --jsn", "there is no flag --jsn: did you mean --json?"},
        {"submit --frobnicate=3",
         "there is no flag --frobnicate=3: `warpjudge VERB --help` lists a verb's"},
        {"submit -x", "there is no flag -x: `warpjudge VERB --help` lists a verb's"},
        {"submit --problem", "--problem needs a value"},
        {"submit --problem=", "--problem needs a value"},
        {"submit --user --json",
         "--user needs a value, and --json looks like another flag"},
        {"submit -p", "-p needs a value"},
        {"submit --json=yes", "--json takes no value"},
        {"submit -hx", "-h takes no value: write -hx as separate flags"},
        {"submit -p a --problem b", "two problems are named, a and b: name one"},
        {"rank -d emu -d cuda:0", "--device is given twice, with emu and with cuda:0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report r;
        struct args args;

        assert_int_equal(parse(cases[i].line, &args, &r), -1);
        assert_string_equal(r.text, cases[i].sentence);
        args_free(&args);
    }
}

static void
the_same_flag_twice_with_one_value_is_fine(void **state)
{
    struct report r;
    struct args args;

    (void)state;
    assert_int_equal(parse("submit -p a --problem=a --json --json f", &args, &r), 0);
    assert_string_equal(args.flag[FLAG_PROBLEM], "a");
    args_free(&args);
}

static void
numbers_are_whole_and_bounded(void **state)
{
    static const char *const bad[] = {"history -n 0",  "history -n 11",
                                      "history -n 5x", "history --limit=-3",
                                      "history -n x",  "history -n 99999999999999999999"};
    struct report r;
    struct args args;
    long n = 0;

    (void)state;
    assert_int_equal(parse("history -n 10", &args, &r), 0);
    assert_int_equal(args_number(&args, FLAG_LIMIT, 10, &n, &r), 0);
    assert_int_equal(n, 10);
    args_free(&args);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parse(bad[i], &args, &r), 0);
        assert_int_equal(args_number(&args, FLAG_LIMIT, 10, &n, &r), -1);
        assert_non_null(strstr(r.text, "--limit takes a whole number from 1 to 10"));
        assert_int_equal(n, 10);
        args_free(&args);
    }
}

static void
the_nearest_name_is_suggested(void **state)
{
    static const char *const names[] = {"submit", "rank", "run", "status",
                                        "vector-addition"};
    char longest[300];

    (void)state;
    assert_string_equal(nearest_name("submt", names, 5), "submit");
    assert_string_equal(nearest_name("statsu", names, 5), "status");
    assert_string_equal(nearest_name("run", names, 5), "run");
    assert_string_equal(nearest_name("vector", names, 5), "vector-addition");
    assert_string_equal(nearest_name("vectoraddtion", names, 5), "vector-addition");
    assert_null(nearest_name("vector", names, 4));
    assert_null(nearest_name("frobnicate", names, 5));
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(nearest_name(longest, names, 5));
}

/* --- the user's file ---------------------------------------------------- */

static void
the_file_names_its_problem(void **state)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"// warpjudge: vector-addition\n", "vector-addition"},
        {"#include <x>\n  //warpjudge:   softmax  \r\nint x;", "softmax"},
        {"/* warpjudge: softmax */", "softmax"},
        {"/*\n * warpjudge: int8-quantized-matmul\n */\n", "int8-quantized-matmul"},
        {"\xef\xbb\xbf// warpjudge: reduction\n", "reduction"},
        {"// warpjudge: reduction\n// warpjudge: reduction\n", "reduction"},
        {"int x; // warpjudge: softmax\n", NULL}, /* only whole-line comments */
        {"// see warpjudge: softmax\n", NULL},
        {"warpjudge: softmax\n", NULL},
        {"", NULL},
        {"/", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report r = {0};
        char *problem = NULL;

        assert_int_equal(source_find_problem("f.cu", cases[i].text, strlen(cases[i].text),
                                             &problem, &r),
                         0);
        if (cases[i].problem == NULL)
            assert_null(problem);
        else
            assert_string_equal(problem, cases[i].problem);
        free(problem);
    }
}

static void
only_the_first_fifty_lines_count(void **state)
{
    for (int above = 49; above <= 50; above++) {
        struct buf text = {0};
        struct report r = {0};
        char *problem = NULL;

        (void)state;
        for (int i = 0; i < above; i++)
            buf_puts(&text, "\n");
        buf_puts(&text, "// warpjudge: softmax");
        assert_int_equal(source_find_problem("f.cu", text.data, text.len, &problem, &r),
                         0);
        assert_int_equal(problem != NULL, above == 49);
        free(problem);
        buf_free(&text);
    }
}

static void
a_confused_comment_gets_a_sentence(void **state)
{
    static const char two[] = "// warpjudge: a\n\n// warpjudge: b\n";
    static const char none[] = "\n// warpjudge: \n";
    struct report r = {0};
    char *problem = NULL;

    (void)state;
    assert_int_equal(source_find_problem("f.cu", two, strlen(two), &problem, &r), -1);
    assert_string_equal(r.text, "f.cu names two problems, a in line 1 and b in line 3: "
                                "keep one");
    r = (struct report){0};
    assert_int_equal(source_find_problem("f.cu", none, strlen(none), &problem, &r), -1);
    assert_non_null(strstr(r.text, "f.cu:2: this `warpjudge:` comment names no problem"));
    assert_null(problem);
}

static void
text_must_be_utf8(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        const char *sentence; /* its beginning; NULL: fine */
    } cases[] = {
        {"int x;\n", 7, NULL},
        {"// \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", 15, NULL},
        {"a\nb \xe9t\xe9", 7, "f.cu:2:3: the byte 0xe9 (offset 4) is not UTF-8"},
        {"\xc0\x80", 2, "f.cu:1:1: the byte 0xc0"},         /* overlong */
        {"x\xed\xa0\x80", 4, "f.cu:1:2: the byte 0xed"},    /* a surrogate */
        {"\xf4\x90\x80\x80", 4, "f.cu:1:1: the byte 0xf4"}, /* over U+10FFFF */
        {"ab\xe2\x82", 4, "f.cu:1:3: the byte 0xe2"},       /* cut off */
        {"a\n\0b", 4, "f.cu:2:1: a NUL byte"},
        {"\xff\xfe/\0", 4, "f.cu is UTF-16: save it as UTF-8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report r = {0};
        int rc = source_check_text("f.cu", cases[i].text, cases[i].len, &r);

        assert_int_equal(rc, cases[i].sentence != NULL ? -1 : 0);
        if (cases[i].sentence != NULL)
            assert_memory_equal(r.text, cases[i].sentence, strlen(cases[i].sentence));
    }
}

static void
files_that_are_no_source_are_refused(void **state)
{
    static const struct {
        const char *path, *part;
    } cases[] = {
        {"tests/unit/no-such-file.cu", "cannot be opened"},
        {"tests", "is a folder"},
        {"/dev/null", "is not a regular file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report r = {0};
        struct source s;

        assert_int_equal(source_load(cases[i].path, &s, &r), -1);
        assert_non_null(strstr(r.text, cases[i].path));
        assert_non_null(strstr(r.text, cases[i].part));
        source_free(&s);
    }
}

/* --- the event stream --------------------------------------------------- */

struct heard {
    int count;
    char names[256];
};

static void
hear(void *ctx, const char *name, cJSON *event)
{
    struct heard *h = ctx;

    assert_true(cJSON_IsObject(event));
    assert_true(strlen(h->names) + strlen(name) + 2 < sizeof h->names);
    strcat(h->names, name);
    strcat(h->names, " ");
    h->count++;
}

static void
events_may_arrive_in_any_pieces(void **state)
{
    static const char text[] =
        "{\"event\":\"queued\",\"position\":2}\n\n"
        "{\"event\":\"compiling\"}\n"
        "{\"event\":\"done\",\"submission\":{\"message\":\"a\\nb\"}}\n"
        "{\"event\":\"half";

    (void)state;
    for (size_t piece = 1; piece <= sizeof text - 1; piece++) {
        struct stream s = {0};
        struct heard h = {0};
        struct report r = {0};

        for (size_t at = 0; at < sizeof text - 1; at += piece) {
            size_t left = sizeof text - 1 - at;

            assert_int_equal(
                stream_feed(&s, text + at, left < piece ? left : piece, hear, &h, &r), 0);
        }
        assert_int_equal(h.count, 3);
        assert_string_equal(h.names, "queued compiling done ");
        stream_free(&s);
    }
}

static void
what_is_no_event_is_an_error(void **state)
{
    static const char *const bad[] = {"hello\n",       "[1]\n",
                                      "{}\n",          "{\"event\":1}\n",
                                      "{\"event\":\n", "{\"event\":\"a\"} x\n"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct stream s = {0};
        struct heard h = {0};
        struct report r = {0};

        assert_int_equal(stream_feed(&s, bad[i], strlen(bad[i]), hear, &h, &r), -1);
        assert_int_equal(h.count, 0);
        assert_true(report_is_set(&r));
        stream_free(&s);
    }
}

static void
a_line_without_end_is_not_kept_for_ever(void **state)
{
    static char piece[1 << 20];
    struct stream s = {0};
    struct heard h = {0};
    struct report r = {0};
    size_t fed = 0;

    (void)state;
    memset(piece, 'x', sizeof piece);
    while (stream_feed(&s, piece, sizeof piece, hear, &h, &r) == 0) {
        fed += sizeof piece;
        assert_true(fed <= STREAM_LINE_BYTES_MAX);
    }
    assert_int_equal(fed, STREAM_LINE_BYTES_MAX);
    assert_non_null(strstr(r.text, "longer than"));
    stream_free(&s);
}

/* --- what is printed ---------------------------------------------------- */

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_may_stand_anywhere),
        cmocka_unit_test(nothing_after_two_dashes_is_a_flag),
        cmocka_unit_test(wrong_flags_get_a_sentence),
        cmocka_unit_test(the_same_flag_twice_with_one_value_is_fine),
        cmocka_unit_test(numbers_are_whole_and_bounded),
        cmocka_unit_test(the_nearest_name_is_suggested),
        cmocka_unit_test(the_file_names_its_problem),
        cmocka_unit_test(only_the_first_fifty_lines_count),
        cmocka_unit_test(a_confused_comment_gets_a_sentence),
        cmocka_unit_test(text_must_be_utf8),
        cmocka_unit_test(files_that_are_no_source_are_refused),
        cmocka_unit_test(events_may_arrive_in_any_pieces),
        cmocka_unit_test(what_is_no_event_is_an_error),
        cmocka_unit_test(a_line_without_end_is_not_kept_for_ever),
        cmocka_unit_test(times_have_three_digits),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(bars_have_the_right_length),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(tables_are_aligned),
        cmocka_unit_test(an_accepted_submission_reads_well),
        cmocka_unit_test(equal_times_are_called_equal),
        cmocka_unit_test(a_measured_time_says_how_sure_it_is),
        cmocka_unit_test(the_judge_says_what_is_for_review),
        cmocka_unit_test(a_wrong_submission_says_why),
        cmocka_unit_test(verdicts_are_exit_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
