// links: arbiter device gpu_owner sandbox common folder
/* Seeds of the timed runs on emu: the same for the same source, told to nobody. */
#include "../fixtures/folder.h"

#include "arbiter/measuring/seeds.h"
#include "base/buf.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *cache, *source;

static uint64_t
seed(const char *problem, const char *text, int call)
{
    struct report r = {0};
    struct seeds s;

    folder_write("submission.cu", text);
    if (seeds_open(&s, cache, problem, source, &r) != 0)
        fail_msg("%s", r.text);
    return seeds_call(&s, call);
}

static int
set_up(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    cache = folder_path("cache");
    source = folder_path("submission.cu");
    return 0;
}

static int
tear_down(void **state)
{
    free(cache);
    free(source);
    return folder_remove(state);
}

static void
same_source_same_seeds(void **state)
{
    uint64_t first = seed("reduction", "text", 0);

    (void)state;
    assert_true(first == seed("reduction", "text", 0));
    assert_true(first != seed("reduction", "text", 1));
    assert_true(first != seed("reduction", "text ", 0));
    assert_true(first != seed("softmax", "text", 0));
}

static void
the_secret_matters_and_is_private(void **state)
{
    uint64_t first = seed("reduction", "text", 0);
    char *secret = xasprintf("%s/timing-secret", cache);
    struct stat st;

    (void)state;
    assert_int_equal(stat(secret, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(st.st_size, 32);
    assert_int_equal(unlink(secret), 0);
    assert_true(first != seed("reduction", "text", 0));
    free(secret);
}

static void
a_damaged_secret_is_named(void **state)
{
    struct report r = {0};
    struct seeds s;

    (void)state;
    folder_write("submission.cu", "text");
    folder_write("cache/timing-secret", "short");
    assert_int_equal(seeds_open(&s, cache, "reduction", source, &r), -1);
    assert_non_null(strstr(r.text, "timing-secret is damaged: remove it"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_source_same_seeds),
        cmocka_unit_test(the_secret_matters_and_is_private),
        cmocka_unit_test(a_damaged_secret_is_named),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
