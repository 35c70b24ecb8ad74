// links: common folder
/* A problem as it is sent to a worker: the same files give the same text, and a text from
 * another machine makes nothing but plain files in the folder that is made. */
#include "../fixtures/folder.h"
#include "base/file.h"
#include "problem/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void
a_problem_comes_out_as_it_went_in(void **state)
{
    char *in = folder_path("in"), *out = folder_path("out"),
         *file = folder_path("out/sum/reference.c");
    struct buf text = {0}, again = {0}, bytes = {0};
    struct report r = {0};

    (void)state;
    folder_write("in/sum/problem.json", "{\"title\": \"\xc3\xa4\"}");
    folder_write("in/sum/reference.c", "int\tx;\n");
    folder_write("in/sum/.hidden", "no");
    folder_write("in/sum/a folder/file", "no");
    assert_int_equal(archive_pack(in, "sum", &text, &r), 0);
    assert_int_equal(archive_pack(in, "sum", &again, &r), 0);
    assert_string_equal(buf_str(&text), buf_str(&again));
    assert_null(strstr(buf_str(&text), "hidden"));
    assert_int_equal(file_mkdirs(out, &r), 0);
    assert_int_equal(archive_unpack(buf_str(&text), text.len, out, "sum", &r), 0);
    assert_int_equal(file_read(file, 100, &bytes, &r), 0);
    assert_string_equal(buf_str(&bytes), "int\tx;\n");
    /* A second time the folder is there. */
    assert_int_equal(archive_unpack(buf_str(&text), text.len, out, "sum", &r), -1);
    buf_free(&text);
    buf_free(&again);
    buf_free(&bytes);
    free(in);
    free(out);
    free(file);
}

static void
a_link_is_not_followed(void **state)
{
    char *in = folder_path("in"), *link = folder_path("in/sum/secret.c");
    struct buf text = {0};
    struct report r = {0};

    (void)state;
    folder_write("in/sum/problem.json", "{}");
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(archive_pack(in, "sum", &text, &r), -1);
    assert_non_null(strstr(r.text, "symbolic link"));
    assert_int_equal(unlink(link), 0);
    buf_free(&text);
    free(in);
    free(link);
}

#define FILES(name)                                                                      \
    "{\"problem\":\"sum\",\"files\":[{\"name\":\"" name "\",\"base64\":\"\"}]}"

static void
hostile_texts_make_nothing(void **state)
{
    static const char *const TEXTS[] = {
        "",
        "[]",
        "{}",
        "{\"problem\":\"other\",\"files\":[]}",
        "{\"problem\":\"sum\",\"files\":{}}",
        "{\"problem\":\"sum\",\"files\":[7]}",
        "{\"problem\":\"sum\",\"files\":[{\"name\":\"a\"}]}",
        "{\"problem\":\"sum\",\"files\":[{\"name\":\"a\",\"base64\":\"?\"}]}",
        "{\"problem\":\"sum\",\"files\":[{\"name\":\"a\",\"base64\":\"\"},"
        "{\"name\":\"a\",\"base64\":\"\"}]}",
        FILES(".."),
        FILES("../a"),
        FILES("/etc/a"),
        FILES("a/b"),
        FILES(".profile"),
        FILES("-rf"),
        FILES(""),
    };

    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        char *name = NULL, *out;
        struct report r = {0};

        assert_int_not_equal(asprintf(&name, "hostile-%zu", i), -1);
        out = folder_path(name);
        assert_int_equal(file_mkdirs(out, &r), 0);
        if (archive_unpack(TEXTS[i], strlen(TEXTS[i]), out, "sum", &r) == 0)
            fail_msg("text %zu was taken", i);
        assert_true(report_is_set(&r));
        free(name);
        free(out);
    }
    assert_int_not_equal(access("/etc/a", F_OK), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_comes_out_as_it_went_in),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(hostile_texts_make_nothing),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
