// links: cli gpu_process gpu_owner sandbox common
/* The command line's own parts: arguments, the user's file and the event stream. What it
 * prints is in test_cli_output.c. The daemon is met in tests/e2e. */
#include "base/utf8.h"
#include "cli/args.h"
#include "cli/source.h"
#include "cli/stream.h"
#include "problem/names.h"

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

static void
a_file_is_named_after_its_problem(void **state)
{
    static const char *const NAMES[][2] = {
        {"softmax.cu", "softmax"}, {"2d-fft.cu", "2d-fft"}, {"a b.cu", NULL},
        {"Softmax.cu", NULL},      {".cu", NULL},           {"softmax", NULL},
        {"../x.cu", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char *slug = source_slug_of_name(NAMES[i][0]);

        if (NAMES[i][1] == NULL)
            assert_null(slug);
        else
            assert_string_equal(slug, NAMES[i][1]);
        free(slug);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_named_after_its_problem),
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
