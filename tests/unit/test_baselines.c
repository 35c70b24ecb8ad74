// links: common
/* Baselines of problems: what a file gives, what is wrong with it, and those that are
 * there. */
#include "problem/baselines.h"

#include "base/buf.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZES "\"sizes\": \"N=25000000\""
#define REST "\"versions\": \"1\", \"date\": \"2026-11-22\", \"source\": \"s\""
#define GOOD "{\"name\": \"x\", \"board\": \"GPU\", \"time_ns\": 5, " SIZES ", " REST "}"
#define FILE_OF(rows) "{\"format\": 1, \"baselines\": [" rows "]}"

static void
keep_error(void *context, const char *where, const char *sentence)
{
    buf_printf(context, "%s: %s\n", where, sentence);
}

/* Reads vector-addition with this text for its baselines; NULL: without the file. Errors
 * are added to `errors`. */
static int
read_text(const char *text, struct baselines *out, struct buf *errors)
{
    char folder[] = "/tmp/warpjudge-baselines-XXXXXX", *path;
    struct report r = {0};
    struct problem *p = problem_load("problems", "vector-addition", &r), copy;
    int count;

    assert_non_null(p);
    assert_non_null(mkdtemp(folder));
    path = xasprintf("%s/" BASELINES_FILE, folder);
    if (text != NULL)
        assert_int_equal(file_write(path, text, strlen(text), &r), 0);
    copy = *p;
    copy.folder = folder;
    count = baselines_read(&copy, keep_error, errors, out);
    free(path);
    problem_free(p);
    assert_int_equal(file_remove_tree(folder, &r), 0);
    return count;
}

static void
a_file_gives_its_lines_in_order(void **state)
{
    struct buf errors = {0};
    struct baselines list;

    (void)state;
    assert_int_equal(read_text(NULL, &list, &errors), 0);
    assert_int_equal(list.count, 0);
    baselines_free(&list);
    assert_int_equal(read_text(FILE_OF(""), &list, &errors), 0);
    assert_int_equal(list.count, 0);
    baselines_free(&list);
    assert_int_equal(
        read_text(FILE_OF("{\"name\": \"slow\", \"about\": \"a \\u001b[1m\", \"board\": "
                          "\"emu\", \"time_ns\": 7.5, \"sizes\": \"N=1000000\", " REST
                          "}, " GOOD),
                  &list, &errors),
        0);
    assert_string_equal(buf_str(&errors), "");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.row[0].name, "x");
    assert_string_equal(list.row[0].about, "");
    assert_string_equal(list.row[0].board, "GPU");
    assert_float_equal(list.row[1].time_ns, 7.5, 0);
    assert_string_equal(list.row[1].about, "a [1m");
    assert_string_equal(list.row[1].date, "2026-11-22");
    baselines_free(&list);
    buf_free(&errors);
}

static void
errors_say_where(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"{\"format\": 2, \"baselines\": []}",
         "baselines.json: $: must be {\"format\": 1, \"baselines\": [...]}"},
        {"[]", "baselines.json: $: must be"},
        {"{\"format\": 1, \"baselines\": [], \"x\": 1}", "baselines.json: $: must be"},
        {"{\"format\": 1,\n\"baselines\": [}", "baselines.json:2: not valid JSON"},
        {FILE_OF("7"), "baselines.json: $.baselines[0]: must be an object with name,"},
        {FILE_OF(GOOD ", {\"nam\": 1}"),
         "baselines.json: $.baselines[1]: unknown key \"nam\": there are name, about,"},
        {FILE_OF("{\"name\": \"x\", \"name\": \"y\"}"),
         "$.baselines[0]: \"name\" is there twice"},
        {FILE_OF("{\"board\": \"GPU\", \"time_ns\": 5, " SIZES ", " REST "}"),
         "$.baselines[0]: name is missing"},
        {FILE_OF("{\"name\": \"\", \"board\": \"GPU\", \"time_ns\": 5, " SIZES ", " REST
                 "}"),
         "$.baselines[0].name: must be a text that is not empty"},
        {FILE_OF("{\"name\": \"x\", \"board\": 1, \"time_ns\": 5, " SIZES ", " REST "}"),
         "$.baselines[0].board: must be a text"},
        {FILE_OF("{\"name\": \"x\", \"board\": \"GPU\", \"time_ns\": 0, " SIZES ", " REST
                 "}"),
         "$.baselines[0]: time_ns must be a number of nanoseconds above 0"},
        {FILE_OF("{\"name\": \"x\", \"board\": \"GPU\", \"time_ns\": 5, \"sizes\": "
                 "\"N=7\", " REST "}"),
         "sizes are \"N=7\", but the benchmark has \"N=25000000\""},
        {FILE_OF("{\"name\": \"x\", \"board\": \"emu\", \"time_ns\": 5, " SIZES ", " REST
                 "}"),
         "but the benchmark has \"N=1000000\""},
        {FILE_OF("{\"name\": \"x\", \"board\": \"GPU\", \"time_ns\": 5, " SIZES
                 ", \"versions\": \"1\", \"source\": \"s\", \"date\": \"22.11.2026\"}"),
         "date is \"22.11.2026\": write it as 2026-11-22"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf errors = {0};
        struct baselines list;

        assert_true(read_text(cases[i].text, &list, &errors) > 0);
        assert_int_equal(list.count, 0);
        if (strstr(buf_str(&errors), cases[i].error) == NULL)
            fail_msg("%s\nis not in\n%s", cases[i].error, buf_str(&errors));
        buf_free(&errors);
    }
}

static void
those_that_are_there_are_sound(void **state)
{
    struct report r = {0};
    struct buf errors = {0};
    char **slugs = NULL;
    int count = 0;
    size_t lines = 0;

    (void)state;
    assert_int_equal(problem_list("problems", &slugs, &count, &r), 0);
    for (int i = 0; i < count; i++) {
        struct problem *p = problem_load("problems", slugs[i], &r);
        struct baselines list;

        assert_non_null(p);
        assert_int_equal(baselines_read(p, keep_error, &errors, &list), 0);
        lines += list.count;
        baselines_free(&list);
        problem_free(p);
        free(slugs[i]);
    }
    free(slugs);
    assert_string_equal(buf_str(&errors), "");
    assert_true(lines > 0);
    buf_free(&errors);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_its_lines_in_order),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(those_that_are_there_are_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
