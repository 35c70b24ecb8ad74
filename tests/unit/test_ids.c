// links: sandbox common
/* The host's ids of sandboxes: what grants them, which are refused, and that no two
 * sandboxes have the same. */
#include "sandbox/ids.h"
#include "sandbox/ids_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
test_parse(void **state)
{
    static const char *const bad[] = {
        "",       "none",   "1:2",    "1:2:",           "1:2:x", "1:2:3:4",
        "-1:2:3", " 1:2:3", "1:2:3 ", "4294967296:2:3", ":1:2"};
    struct ids_range range = {0};
    struct report r = {0};

    (void)state;
    assert_int_equal(ids_range_parse("100000:200000:65536", &range, &r), 0);
    assert_int_equal(range.uid, 100000);
    assert_int_equal(range.gid, 200000);
    assert_int_equal(range.count, 65536);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ids_range_parse(bad[i], &range, &r), -1);
    assert_int_equal(range.uid, 100000);
}

static void
test_grants(void **state)
{
    char name[] = "/tmp/test_ids.XXXXXX";
    const int fd = mkstemp(name);
    FILE *f = fdopen(fd, "w");
    uint32_t first = 0, count = 0;

    (void)state;
    assert_non_null(f);
    fputs("# a comment\nadam:1:2\nada:100000:65536\n1001:200000:1000\nbroken\nmax:x:3\n"
          "ada:1:1\n",
          f);
    fclose(f);
    assert_true(ids_file_grants(name, "ada", 7, &first, &count));
    assert_int_equal(first, 100000);
    assert_int_equal(count, 65536);
    assert_true(ids_file_grants(name, "grace", 1001, &first, &count));
    assert_int_equal(first, 200000);
    assert_int_equal(count, 1000);
    assert_false(ids_file_grants(name, "ad", 7, &first, &count));
    assert_false(ids_file_grants(name, "max", 7, &first, &count));
    assert_false(ids_file_grants(name, "", 7, &first, &count));
    assert_false(ids_file_grants("/no/such/file", "ada", 7, &first, &count));
    assert_int_equal(unlink(name), 0);
}

static void
check_refused(struct ids_range range, const char *words)
{
    struct report r = {0};

    assert_int_equal(ids_range_check(&range, &r), -1);
    if (strstr(r.text, words) == NULL)
        fail_msg("%s", r.text);
}

static void
test_refused_ranges(void **state)
{
    (void)state;
    check_refused((struct ids_range){IDS_FIRST, IDS_FIRST, 10}, "not enough");
    check_refused((struct ids_range){0, IDS_FIRST, 100}, "not for sandboxes");
    check_refused((struct ids_range){65500, IDS_FIRST, 100}, "the account nobody");
    check_refused((struct ids_range){IDS_FIRST, 65500, 100}, "the group nogroup");
    check_refused((struct ids_range){UINT32_MAX - 50, IDS_FIRST, 100}, "has no ids");
}

/* Another program claims as many as there are, and holds them until it ends. */
static void
test_no_two_have_the_same(void **state)
{
    enum { MANY = 70 };
    struct ids ids[MANY], again, shared, shared_again;
    struct report r = {0};
    int ready[2], end[2];
    char byte;
    pid_t other;

    (void)state;
    assert_int_equal(setenv("WARPJUDGE_IDS", "1700000000:1710000000:200", 1), 0);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    other = fork();
    if (other == 0) {
        close(end[1]);
        for (int i = 0; i < 100; i++)
            if (ids_claim(false, &again, &r) != 0)
                _exit(1);
        if (write(ready[1], "r", 1) != 1 || read(end[0], &byte, 1) != 0)
            _exit(2);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(ids_claim(false, &ids[i], &r), 0);
        assert_int_equal(ids[i].gid - ids[i].uid, 10000000);
        assert_in_range(ids[i].uid, 1700000000, 1700000199);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(ids[i].uid, ids[k].uid);
    }
    assert_int_equal(ids_claim(true, &shared, &r), 0);
    assert_int_equal(ids_claim(true, &shared_again, &r), 0);
    assert_int_equal(shared.uid, shared_again.uid);
    for (int i = MANY + 1; i < 100; i++)
        assert_int_equal(ids_claim(false, &again, &r), 0);
    assert_int_equal(ids_claim(false, &again, &r), -1);
    assert_non_null(strstr(r.text, "in use"));
    ids_release(&shared); /* stays, for the next of this process */
    assert_int_equal(ids_claim(false, &again, &r), -1);
    ids_release(&ids[3]);
    assert_int_equal(ids_claim(false, &again, &r), 0);
    assert_int_equal(again.uid, ids[3].uid);
    close(end[1]);
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_int_equal(ids_claim(false, &again, &r), 0); /* one of those of the other */
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_grants),
        cmocka_unit_test(test_refused_ranges),
        cmocka_unit_test(test_no_two_have_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
