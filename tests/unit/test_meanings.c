// links: daemon sandbox common
/* The meanings that the daemon keeps: when it looks at a problem's files again. */
#include "daemon/meanings.h"

#include "base/buf.h"
#include "base/file.h"
#include "problem/meaning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
write_reference(const char *dir, const char *text)
{
    char *path = xasprintf("%s/p/reference.c", dir);
    struct report r = {0};

    assert_int_equal(file_write(path, text, strlen(text), &r), 0);
    free(path);
}

static void
write_problem(const char *dir)
{
    char *path = xasprintf("%s/p", dir);
    struct report r = {0};

    assert_int_equal(file_mkdirs(path, &r), 0);
    free(path);
    path = xasprintf("%s/p/problem.json", dir);
    assert_int_equal(file_write(path, "{}", 2, &r), 0);
    free(path);
    write_reference(dir, "one");
}

static void
a_list_takes_what_was_looked_at_since(void **state)
{
    char dir[] = "/tmp/test_meanings.XXXXXX", first[MEANING_BYTES], then[MEANING_BYTES];
    struct meanings *m;
    uint64_t looked_ns;

    (void)state;
    assert_non_null(mkdtemp(dir));
    write_problem(dir);
    m = meanings_new(dir);
    snprintf(first, sizeof first, "%s", meanings_get_since(m, "p", "emu", 0));
    assert_int_equal(strlen(first), MEANING_BYTES - 1);
    looked_ns = now_ns();
    write_reference(dir, "another");
    assert_string_equal(meanings_get_since(m, "p", "emu", 0), first);
    snprintf(then, sizeof then, "%s", meanings_get_since(m, "p", "emu", looked_ns));
    assert_string_not_equal(then, first);
    /* Looked at for one board is looked at for the other. */
    write_reference(dir, "a third");
    assert_string_not_equal(meanings_get_since(m, "p", "GPU", looked_ns), "");
    assert_string_equal(meanings_get_since(m, "p", "emu", looked_ns), then);
    assert_string_not_equal(meanings_get(m, "p", "emu"), then);
    meanings_free(m);
    assert_int_equal(file_remove_tree(dir, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_takes_what_was_looked_at_since),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
