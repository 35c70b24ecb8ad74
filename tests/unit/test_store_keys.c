// links: common store_place
/* Keys under which submissions are sent again. */
#include "../fixtures/store_place.h"

#include "base/file.h"
#include "record/accounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct new_submission
submission_with(const struct submission_key *key)
{
    return (struct new_submission){.user = "ada",
                                   .problem = "vec",
                                   .device = "emu",
                                   .board = "emu",
                                   .filename = "v.cu",
                                   .source = "x",
                                   .key = key};
}

static int64_t
submit_with(struct store *s, const char *owner, uint64_t body)
{
    const struct submission_key key = {.owner = owner, .body = body};
    const struct new_submission n = submission_with(&key);
    struct report r = {0};
    int64_t id = 0;

    assert_int_equal(store_submit(s, &n, &id, &r), 0);
    return id;
}

/* What is found; 0: nothing. */
static int64_t
find(struct store *s, const char *owner, uint64_t body)
{
    struct report r = {0};
    uint64_t found = 0;
    int64_t id = -1;

    assert_int_equal(store_find_key(s, owner, &id, &found, &r), 0);
    if (id != 0)
        assert_true(found == body);
    return id;
}

static void
keys_outlive_the_store(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t first = submit_with(s, "a", UINT64_MAX),
                  second = submit_with(s, "b", 0);

    assert_int_equal(find(s, "none", 0), 0);
    store_close(s);
    s = store_place_open(f);
    assert_int_equal(find(s, "a", UINT64_MAX), first);
    assert_int_equal(find(s, "b", 0), second);
    store_close(s);
}

/* A transaction that fails keeps neither submissions nor keys. */
static void
keys_are_stored_with_their_submission(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const struct submission_key good = {.owner = "a", .body = 1}, bad = {.owner = NULL};
    const struct new_submission n[] = {submission_with(&good), submission_with(&bad)};
    struct submissions pending;
    struct report r = {0};
    int64_t id[2];

    assert_int_equal(store_submit_all(s, n, 2, id, &r), -1);
    assert_int_equal(find(s, "a", 1), 0);
    assert_int_equal(store_pending(s, &pending, &r), 0);
    assert_int_equal(pending.count, 0);
    submissions_free(&pending);
    store_close(s);
}

/* Those of more than a day ago do not count. New ones drop them, some at a time. */
static void
old_keys_go(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    char *sql, owner[24];
    int64_t fresh;

    for (int i = 0; i < 20; i++) {
        snprintf(owner, sizeof owner, "old %d", i);
        submit_with(s, owner, 1);
    }
    store_close(s);
    sql = xasprintf("UPDATE submission_keys SET created_ms = %lld",
                    (long long)(now_ms() - KEY_HOURS * INT64_C(3600000)));
    store_place_execute(f->path, sql);
    free(sql);
    s = store_place_open(f);
    assert_int_equal(find(s, "old 3", 1), 0);
    fresh = submit_with(s, "old 3", 2);
    assert_int_equal(find(s, "old 3", 2), fresh);
    for (int i = 0; i < 3; i++)
        submit_with(s, "new", 1);
    store_close(s);
    /* It fails where the key that was used again is gone, or an old one is there. */
    store_place_execute(f->path, "CREATE TABLE one (n INTEGER CHECK (n = 2)) STRICT;"
                                 "INSERT INTO one SELECT count(*) FROM submission_keys;"
                                 "DROP TABLE one");
}

/* Nothing of a key of a deleted account stays. */
static void
keys_of_deleted_accounts_go(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct account account;
    struct report r = {0};
    char *name = NULL;
    int64_t id;
    bool more = true;

    assert_int_equal(store_ensure_account(s, "ada", &account, &r), 0);
    id = submit_with(s, "a", 1);
    store_record_as(s, id, VERDICT_ACCEPTED, 100);
    assert_int_equal(find(s, "a", 1), id);
    assert_int_equal(store_delete_account(s, &account, &name, &r), 0);
    while (more)
        assert_int_equal(store_purge(s, &more, &r), 0);
    assert_int_equal(find(s, "a", 1), 0);
    free(name);
    account_free(&account);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_outlive_the_store, store_place_make,
                                        store_place_remove),
        cmocka_unit_test_setup_teardown(keys_are_stored_with_their_submission,
                                        store_place_make, store_place_remove),
        cmocka_unit_test_setup_teardown(old_keys_go, store_place_make,
                                        store_place_remove),
        cmocka_unit_test_setup_teardown(keys_of_deleted_accounts_go, store_place_make,
                                        store_place_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
