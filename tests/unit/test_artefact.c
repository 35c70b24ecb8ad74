// links: common folder
/* What one machine compiles for another to judge: it is taken only for the attempt and by
 * the machine that it was made for, and leaves nothing but its two files. */
#include "../fixtures/folder.h"
#include "base/file.h"
#include "record/artefact.h"
#include "record/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct artefact_origin ORIGIN = {.submission = 7,
                                              .attempt = 2,
                                              .source = HASH,
                                              .arch = "sm_90a",
                                              .toolkit = "13.0.48",
                                              .linked = HASH};

/* Packs what is in the folder "in". The caller frees. */
static char *
packed(void)
{
    char *in = folder_path("in");
    struct buf text = {0};
    struct report r = {0};

    folder_write("in/submission", "ELF\x7f and more");
    folder_write("in/assembly", "warpjudge-assembly 1\n");
    folder_write("in/secret", "no");
    assert_int_equal(artefact_pack(in, &ORIGIN, &text, &r), 0);
    free(in);
    return buf_take(&text);
}

static void
files_come_out_as_they_went_in(void **state)
{
    char *text = packed(), *out = folder_path("out"),
         *file = folder_path("out/submission"), *secret = folder_path("out/secret");
    struct buf bytes = {0};
    struct report r = {0};

    (void)state;
    assert_int_equal(file_mkdirs(out, &r), 0);
    assert_int_equal(artefact_check(text, strlen(text), &ORIGIN, &r), 0);
    assert_int_equal(artefact_unpack(text, strlen(text), &ORIGIN, out, &r), 0);
    assert_int_equal(file_read(file, 100, &bytes, &r), 0);
    assert_string_equal(buf_str(&bytes), "ELF\x7f and more");
    assert_int_equal(access(secret, F_OK), -1);
    /* A file that is there is never written over. */
    assert_int_equal(artefact_unpack(text, strlen(text), &ORIGIN, out, &r), -1);
    assert_non_null(strstr(r.text, "is there already"));
    buf_free(&bytes);
    free(secret);
    free(file);
    free(out);
    free(text);
}

static void
another_origin_is_refused(void **state)
{
    struct artefact_origin wrong[6] = {ORIGIN, ORIGIN, ORIGIN, ORIGIN, ORIGIN, ORIGIN};
    static const char *const WORDS[6] = {"submission", "attempt", "source",
                                         "arch",       "toolkit", "linked"};
    struct artefact_origin any = ORIGIN;
    char *text = packed();
    struct report r = {0};

    (void)state;
    wrong[0].submission = 8;
    wrong[1].attempt = 1;
    wrong[2].source[0] = 'f';
    wrong[3].arch = "sm_90";
    wrong[4].toolkit = "12.8.93";
    wrong[5].linked = "f";
    for (int i = 0; i < 6; i++) {
        r = (struct report){0};
        assert_int_equal(artefact_check(text, strlen(text), &wrong[i], &r), -1);
        assert_non_null(strstr(r.text, WORDS[i]));
    }
    any.toolkit = NULL;
    assert_int_equal(artefact_check(text, strlen(text), &any, &r), 0);
    free(text);
}

/* Checks and unpacks a text with these files, which must both fail or both not. */
static int
with_files(const char *files)
{
    char *text =
        xasprintf("{\"format\":%d,\"submission\":7,\"attempt\":2,\"source\":\"" HASH
                  "\",\"arch\":\"sm_90a\",\"toolkit\":\"13.0.48\",\"linked\":\"" HASH
                  "\",\"files\":%s}",
                  JOB_FORMAT, files);
    char *out = folder_path("hostile");
    struct report r = {0};
    int rc;

    file_remove_tree(out, &r);
    assert_int_equal(file_mkdirs(out, &r), 0);
    rc = artefact_unpack(text, strlen(text), &ORIGIN, out, &r);
    assert_int_equal(rc != 0, report_is_set(&r));
    free(out);
    free(text);
    return rc;
}

static void
hostile_files_are_refused(void **state)
{
    static const char *const WRONG[] = {
        "null",
        "[]",
        "[{\"name\":\"assembly\",\"base64\":\"\"}]",
        "[{\"name\":\"submission\"}]",
        "[{\"name\":\"submission\",\"base64\":\"?\"}]",
        "[{\"name\":\"submission\",\"base64\":\"\"},"
        "{\"name\":\"submission\",\"base64\":\"\"}]",
        "[{\"name\":\"submission\",\"base64\":\"\"},"
        "{\"name\":\"reference\",\"base64\":\"\"}]",
        "[{\"name\":\"submission\",\"base64\":\"\"},"
        "{\"name\":\"compile.json\",\"base64\":\"\"}]",
        "[{\"name\":\"../submission\",\"base64\":\"\"}]",
    };

    (void)state;
    assert_int_equal(with_files("[{\"name\":\"submission\",\"base64\":\"eA==\"}]"), 0);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        assert_int_equal(with_files(WRONG[i]), -1);
}

static void
what_has_many_values_is_refused(void **state)
{
    struct buf list = {0}, quoted = {0};
    char *files;

    (void)state;
    for (int i = 0; i < 200; i++)
        buf_puts(&list, i > 0 ? ",[0" : "[0");
    for (int i = 0; i < 200; i++)
        buf_puts(&list, "]");
    files =
        xasprintf("[{\"name\":\"submission\",\"base64\":\"\",\"x\":%s}]", buf_str(&list));
    assert_int_equal(with_files(files), -1);
    free(files);
    /* What stands in a string is one value. */
    buf_printf(&quoted, "\"\\\"%s\"", buf_str(&list));
    files = xasprintf("[{\"name\":\"submission\",\"base64\":\"\",\"x\":%s}]",
                      buf_str(&quoted));
    assert_int_equal(with_files(files), 0);
    free(files);
    buf_free(&quoted);
    buf_free(&list);
}

static void
what_is_too_large_is_refused(void **state)
{
    const size_t len = ARTEFACT_TEXT_MAX + 1;
    char *huge = xcalloc(1, len + 1), *in = folder_path("large"),
         *file = folder_path("large/submission"), *files, *one;
    struct buf text = {0};
    struct report r = {0};

    (void)state;
    memset(huge, 'A', len);
    assert_int_equal(artefact_check(huge, len, &ORIGIN, &r), -1);
    assert_non_null(strstr(r.text, "longer than"));
    /* Two files that are small enough each are not together. */
    one = xasprintf("%.*s", 6 << 20, huge);
    files = xasprintf("[{\"name\":\"submission\",\"base64\":\"%s\"},"
                      "{\"name\":\"assembly\",\"base64\":\"%s\"}]",
                      one, one);
    assert_int_equal(with_files(files), -1);
    r = (struct report){0};
    assert_int_equal(file_mkdirs(in, &r), 0);
    assert_int_equal(file_write(file, huge, ARTEFACT_BYTES_MAX + 1, &r), 0);
    assert_int_equal(artefact_pack(in, &ORIGIN, &text, &r), -1);
    assert_non_null(strstr(r.text, "cannot be sent"));
    buf_free(&text);
    free(files);
    free(one);
    free(file);
    free(in);
    free(huge);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_out_as_they_went_in),
        cmocka_unit_test(another_origin_is_refused),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(what_has_many_values_is_refused),
        cmocka_unit_test(what_is_too_large_is_refused),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
