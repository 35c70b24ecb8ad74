// links: common store_place
/* Checkpoints of the write-ahead log that no commit makes. */
#include "../fixtures/store_place.h"

#include "record/store_checkpoint.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define LONG_LOG 1500 /* pages: SQLite itself makes a checkpoint from 1,000 on */
#define SOURCE_BYTES 65536

static void
note_length(void *arg, int length)
{
    *(int *)arg = length;
}

static int64_t
file_bytes(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* Stores sources that are all different, until the log has so many pages. */
static void
lengthen_log(struct store *s, const int *length, int pages)
{
    static int number;
    char *source = malloc(SOURCE_BYTES);
    struct new_submission n = {.user = "ada",
                               .problem = "vec",
                               .device = "emu",
                               .board = "emu",
                               .filename = "v.cu",
                               .source = source};
    struct report r = {0};
    int64_t id;

    assert_non_null(source);
    do {
        memset(source, 'x', SOURCE_BYTES);
        snprintf(source, SOURCE_BYTES, "int x%d;", number++);
        source[strlen(source)] = ' ';
        source[SOURCE_BYTES - 1] = '\0';
        assert_int_equal(store_submit(s, &n, &id, &r), 0);
    } while (*length < pages);
    free(source);
}

static void
commits_leave_the_log_to_the_checkpoint(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct store_checkpoint *c;
    struct log_pages pages;
    struct report r = {0};
    int length = 0;
    int64_t before;

    store_leave_checkpoints(s, note_length, &length);
    c = store_checkpoint_new(f->path, &r);
    assert_non_null(c);
    before = file_bytes(f->path);
    lengthen_log(s, &length, LONG_LOG);
    assert_int_equal(file_bytes(f->path), before);
    assert_int_equal(store_checkpoint_run(c, &pages, &r), 0);
    assert_int_equal(pages.length, length);
    assert_int_equal(pages.copied, length);
    assert_true(file_bytes(f->path) > before);
    lengthen_log(s, &length, 1);
    assert_in_range(length, 1, LONG_LOG / 2);
    store_checkpoint_free(c);
    store_checkpoint_free(NULL);

    /* The store makes its own again. */
    store_leave_checkpoints(s, NULL, NULL);
    before = file_bytes(f->path);
    length = 0;
    for (int i = 0; i < LONG_LOG * 4096 / SOURCE_BYTES; i++)
        lengthen_log(s, &length, 0);
    assert_true(file_bytes(f->path) > before);
    store_close(s);
}

/* A reader keeps the log from being copied beyond what it reads, as commits during the
 * thread's checkpoint do. */
static void
the_rest_is_copied_by_the_store(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct store_checkpoint *c;
    struct log_pages pages;
    struct report r = {0};
    sqlite3 *reader;
    int length = 0, first;

    store_leave_checkpoints(s, note_length, &length);
    c = store_checkpoint_new(f->path, &r);
    assert_non_null(c);
    lengthen_log(s, &length, LONG_LOG);
    first = length;
    assert_int_equal(sqlite3_open(f->path, &reader), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM submissions", NULL, NULL, NULL),
        SQLITE_OK);
    lengthen_log(s, &length, first + 100);
    assert_int_equal(store_checkpoint_run(c, &pages, &r), 0);
    assert_int_equal(pages.length, length);
    assert_int_equal(pages.copied, first);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    assert_int_equal(store_checkpoint_rest(s, &pages, &r), 0);
    assert_int_equal(pages.copied, length);
    lengthen_log(s, &length, 1);
    assert_in_range(length, 1, LONG_LOG / 2);
    store_checkpoint_free(c);
    store_close(s);
}

static void
a_file_that_is_no_database_has_none(void **state)
{
    const struct store_place *f = *state;
    struct report r = {0};
    char *path = NULL;

    assert_true(asprintf(&path, "%s/none.db", f->folder) > 0);
    assert_null(store_checkpoint_new(path, &r));
    assert_non_null(strstr(r.text, "cannot be opened for checkpoints"));
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commits_leave_the_log_to_the_checkpoint,
                                        store_place_make, store_place_remove),
        cmocka_unit_test_setup_teardown(the_rest_is_copied_by_the_store, store_place_make,
                                        store_place_remove),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_database_has_none,
                                        store_place_make, store_place_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
