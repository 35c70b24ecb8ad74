// links: daemon common sandbox folder
/* Folders of judgements that a thread removes.
 */
#include "../fixtures/folder.h"
#include "daemon/removal.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FOLDERS (2 * REMOVAL_WAITING)

static char *
job_make(int number)
{
    char name[64];

    snprintf(name, sizeof name, "jobs/%d/build/file", number);
    folder_write(name, "text");
    snprintf(name, sizeof name, "jobs/%d", number);
    return folder_path(name);
}

static void
assert_gone(int number)
{
    char name[64];
    char *path;

    snprintf(name, sizeof name, "jobs/%d", number);
    path = folder_path(name);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
}

/* More than may wait come at once; those beyond are removed by who brings them. */
static void
test_all_are_gone_at_the_end(void **state)
{
    struct report r = {0};
    struct removal *v = removal_new(&r);
    char *job[FOLDERS];

    (void)state;
    assert_non_null(v);
    for (int i = 0; i < FOLDERS; i++)
        job[i] = job_make(i);
    for (int i = 0; i < FOLDERS; i++)
        removal_add(v, job[i], "a job");
    removal_free(v);
    for (int i = 0; i < FOLDERS; i++)
        assert_gone(i);
}

static void
test_without_a_thread(void **state)
{
    (void)state;
    removal_add(NULL, job_make(0), "a job");
    assert_gone(0);
    removal_add(NULL, folder_path("jobs/never-was"), "a job");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_are_gone_at_the_end, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(test_without_a_thread, folder_make,
                                        folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
