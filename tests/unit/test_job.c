// links: common folder
/* A job's folder: what one program writes the next one reads, and nothing else. */
#include "../fixtures/folder.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char seed[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

static void
a_result_reads_back_as_clean_text(void **state)
{
    static char message[] = "C[3] \xc2\xb5 \xff\033[31m\n", sizes[] = "N=4";
    static char detail[] = "a\xe2\x80\xaeZ\xe2\x82";
    static char roofline_by[] = "fp32", remark[] = "shared";
    double samples[] = {3, 1, 2};
    struct test_result test = {1, VERDICT_WRONG_ANSWER, sizes, detail};
    const struct result written = {.verdict = VERDICT_WRONG_ANSWER,
                                   .message = message,
                                   .may_retry = true,
                                   .test_count = 1,
                                   .test = &test,
                                   .seed = seed,
                                   .timing = {.present = true,
                                              .sample_count = 3,
                                              .sample_ns = samples,
                                              .median_ns = 2,
                                              .low_ns = 1.5,
                                              .high_ns = 3,
                                              .roofline_ns = 1,
                                              .roofline_by = roofline_by,
                                              .review = true,
                                              .remark = remark}};
    struct result read;
    struct report r = {0};

    (void)state;
    assert_int_equal(result_write(folder, &written, &r), 0);
    if (result_read(folder, &read, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(read.verdict, VERDICT_WRONG_ANSWER);
    assert_true(read.may_retry && read.timing.present);
    assert_string_equal(read.message, "C[3] \xc2\xb5 ?[31m\n");
    assert_string_equal(read.test[0].detail, "aZ??");
    assert_float_equal(read.timing.sample_ns[2], 2, 0);
    assert_float_equal(read.timing.low_ns, 1.5, 0);
    assert_float_equal(read.timing.high_ns, 3, 0);
    assert_float_equal(read.timing.roofline_ns, 1, 0);
    assert_string_equal(read.timing.roofline_by, "fp32");
    assert_true(read.timing.review);
    assert_string_equal(read.timing.remark, "shared");
    assert_null(read.timing.conditions);
    assert_string_equal(read.seed, seed);
    result_free(&read);
}

/* A timing whose every field is other than 0. */
static void
fill_timing(struct timing *t)
{
    for (int i = 0; i < TIMING_FIELD_COUNT; i++) {
        const struct timing_field *f = &timing_fields[i];
        void *member = timing_field_member(t, f);

        if (f->kind == TIMING_FLAG)
            *(bool *)member = true;
        else if (f->kind == TIMING_COUNT)
            *(int *)member = i + 1;
        else if (f->kind <= TIMING_WORK)
            *(double *)member = i + 0.5;
        else
            *(char **)member = xasprintf("{\"text\":%d}", i);
    }
    t->present = true;
    t->sample_count = 1;
    t->sample_ns = xcalloc(1, sizeof *t->sample_ns);
}

static void
every_timing_field_reads_back(void **state)
{
    static char empty[] = "";
    struct result written = {.message = empty, .board = empty}, read;
    struct report r = {0};

    (void)state;
    fill_timing(&written.timing);
    assert_int_equal(result_write(folder, &written, &r), 0);
    if (result_read(folder, &read, &r) != 0)
        fail_msg("%s", r.text);
    for (int i = 0; i < TIMING_FIELD_COUNT; i++) {
        const struct timing_field *f = &timing_fields[i];

        if (f->kind == TIMING_FLAG)
            assert_true(timing_field_flag(&read.timing, f));
        else if (f->kind == TIMING_COUNT)
            assert_int_equal(timing_field_count(&read.timing, f), i + 1);
        else if (f->kind <= TIMING_WORK)
            assert_true(timing_field_number(&read.timing, f) - i == 0.5);
        else
            assert_string_equal(timing_field_text(&read.timing, f),
                                timing_field_text(&written.timing, f));
    }
    timing_fields_free(&written.timing);
    result_free(&read);
}

/* A document that lists the verdicts must name each of the first `count`. */
static void
check_verdicts_of(const char *path, int count)
{
    struct buf text = {0};
    struct report r = {0};

    if (file_read(path, 1 << 20, &text, &r) != 0)
        fail_msg("%s", r.text);
    for (int v = 0; v < count; v++) {
        char *name = xasprintf("`%s`", verdict_name((enum verdict)v));

        if (strstr(buf_str(&text), name) == NULL)
            fail_msg("%s does not list the verdict %s", path, name);
        free(name);
    }
    buf_free(&text);
}

static void
every_verdict_has_its_texts(void **state)
{
    (void)state;
    for (int v = 0; v < VERDICT_COUNT; v++) {
        const char *name = verdict_name((enum verdict)v);
        enum verdict parsed = VERDICT_COUNT;

        assert_int_equal(verdict_parse(name, &parsed), 0);
        assert_int_equal(parsed, v);
        assert_true(verdict_text((enum verdict)v)[0] != '\0');
    }
    check_verdicts_of("docs/http-api.md", VERDICT_COUNT);
    /* Nobody can expect a judge_error of a submission, or that it is cancelled. */
    check_verdicts_of("docs/problem-format.md", VERDICT_JUDGE_ERROR);
}

static void
a_damaged_result_is_refused(void **state)
{
    static const char *const TEXTS[] = {
        "",
        "{",
        "[]",
        "{\"format\": 1}",
        "{\"format\": 2}",
        "{\"format\": 2, \"verdict\": \"splendid\"}",
        "{\"format\": 2, \"verdict\": \"accepted\", \"message\": \"\", \"may_retry\": "
        "false,"
        " \"board\": \"emu\", \"tests\": [{}]}",
        "{\"format\": 2, \"verdict\": \"accepted\", \"message\": \"\", \"may_retry\": "
        "false,"
        " \"board\": \"emu\", \"tests\": [], \"timing\": {\"samples_ns\": [\"x\"]}}",
    };
    char *path = folder_path("result.json");
    struct result read;

    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct report r = {0};

        assert_int_equal(file_write(path, TEXTS[i], strlen(TEXTS[i]), &r), 0);
        assert_int_equal(result_read(folder, &read, &r), -1);
        assert_non_null(strstr(r.text, "result.json"));
    }
    free(path);
}

/* As a machine that loses its power leaves a file: the beginning, and nothing or zeros
 * where the rest should be. */
static void
a_torn_result_is_refused(void **state)
{
    static char sizes[] = "N=4", empty[] = "";
    double samples[] = {3, 1, 2};
    struct test_result test[2] = {{1, VERDICT_ACCEPTED, sizes, NULL},
                                  {2, VERDICT_ACCEPTED, sizes, NULL}};
    const struct result written = {
        .verdict = VERDICT_ACCEPTED,
        .message = empty,
        .test_count = 2,
        .test = test,
        .timing = {.present = true, .sample_count = 3, .sample_ns = samples}};
    char *path = folder_path("result.json");
    struct report r = {0};
    struct buf whole = {0};
    struct result read;

    (void)state;
    assert_int_equal(result_write(folder, &written, &r), 0);
    assert_int_equal(file_read(path, 100000, &whole, &r), 0);
    while (whole.len > 0 && whole.data[whole.len - 1] != '}')
        whole.len--;
    assert_true(whole.len > 100);
    for (size_t len = whole.len; len-- > 0;) {
        for (int zeros = 0; zeros < 2; zeros++) {
            char *text = xcalloc(whole.len, 1);

            memcpy(text, whole.data, len);
            assert_int_equal(file_write(path, text, zeros ? whole.len : len, &r), 0);
            r = (struct report){0};
            assert_int_equal(result_read(folder, &read, &r), -1);
            free(text);
        }
    }
    buf_free(&whole);
    free(path);
}

static void
what_is_accepted_says_why(void **state)
{
    double samples[] = {3};
    struct test_result test[2] = {{1, VERDICT_ACCEPTED, NULL, NULL},
                                  {2, VERDICT_ACCEPTED, NULL, NULL}};
    struct result res = {
        .verdict = VERDICT_ACCEPTED,
        .test_count = 2,
        .test = test,
        .timing = {.present = true, .sample_count = 1, .sample_ns = samples}};
    struct report r = {0};

    (void)state;
    assert_int_equal(result_check(&res, false, &r), 0);
    res.timing.sample_count = 0;
    assert_int_equal(result_check(&res, false, &r), -1);
    assert_int_equal(result_check(&res, true, &r), 0);
    res.timing = (struct timing){0};
    assert_int_equal(result_check(&res, false, &r), -1);
    assert_int_equal(result_check(&res, true, &r), 0);
    test[1].verdict = VERDICT_TIME_LIMIT;
    assert_int_equal(result_check(&res, true, &r), -1);
    res.test_count = 0;
    assert_int_equal(result_check(&res, true, &r), -1);
    res.verdict = VERDICT_DISQUALIFIED;
    assert_int_equal(result_check(&res, false, &r), 0);
}

static void
a_file_is_replaced_whole_or_not_at_all(void **state)
{
    char *path = folder_path("f");
    char *nowhere = folder_path("no/f");
    struct buf text = {0};
    struct report r = {0};

    (void)state;
    assert_int_equal(file_write(path, "longer", 6, &r), 0);
    assert_int_equal(file_write(path, "new", 3, &r), 0);
    assert_int_equal(file_read(path, 10, &text, &r), 0);
    assert_string_equal(buf_str(&text), "new");
    assert_int_equal(file_write(nowhere, "x", 1, &r), -1);
    assert_non_null(strstr(r.text, nowhere));
    buf_free(&text);
    free(path);
    path = folder_path("f.tmp");
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
    free(nowhere);
}

/* The operator's seed arrives as it is; a text that is no seed is refused. */
static void
a_job_has_the_operators_seed(void **state)
{
    static char text[] = "x", wrong[] = "00112233";
    struct job job = {.attempt = 1,
                      .problem = text,
                      .problems_dir = text,
                      .device = text,
                      .arch = text,
                      .filename = text,
                      .cache_dir = text,
                      .profile = PROFILE_COSTS,
                      .tells_values = true,
                      .uncontracted = true,
                      .own_case = "{\"seed\":7}",
                      .seed = seed};
    struct job read;
    struct report r = {0};

    (void)state;
    assert_int_equal(job_write(folder, &job, &r), 0);
    assert_int_equal(job_read(folder, &read, &r), 0);
    assert_string_equal(read.seed, seed);
    assert_true(read.tells_values);
    assert_true(read.uncontracted);
    assert_string_equal(read.own_case, "{\"seed\":7}");
    assert_int_equal(read.profile, PROFILE_COSTS);
    job_free(&read);
    job.seed = NULL;
    assert_int_equal(job_write(folder, &job, &r), 0);
    assert_int_equal(job_read(folder, &read, &r), 0);
    assert_null(read.seed);
    job_free(&read);
    job.seed = wrong;
    assert_int_equal(job_write(folder, &job, &r), 0);
    assert_int_equal(job_read(folder, &read, &r), -1);
    assert_non_null(strstr(r.text, "seed is not 64 hexadecimal digits"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_job_has_the_operators_seed, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_result_reads_back_as_clean_text, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(every_timing_field_reads_back, folder_make,
                                        folder_remove),
        cmocka_unit_test(every_verdict_has_its_texts),
        cmocka_unit_test_setup_teardown(a_damaged_result_is_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_torn_result_is_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(what_is_accepted_says_why, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_file_is_replaced_whole_or_not_at_all,
                                        folder_make, folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
