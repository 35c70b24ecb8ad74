// links: common store_place
/* Passwords, sessions and reset codes in the store. Each test has a database of its own.
 */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/sessions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
worked(int rc, const struct report *r)
{
    if (rc != 0)
        fail_msg("%s", r->text);
}

static int64_t
account_of(struct store *s, const char *name)
{
    struct account a;
    struct report r = {0};
    int64_t id;

    worked(store_ensure_account(s, name, &a, &r), &r);
    id = a.id;
    account_free(&a);
    return id;
}

static void
add_session(struct store *s, int64_t account, const char *hash, int64_t expires_ms)
{
    const struct new_session n = {
        .account = account, .hash = hash, .label = "a browser", .expires_ms = expires_ms};
    struct report r = {0};

    worked(store_add_session(s, &n, &r), &r);
}

/* The number of the session of a hash, or 0. */
static int64_t
session_of(struct store *s, const char *hash)
{
    struct session session;
    struct account account;
    struct report r = {0};
    bool found = false;
    int64_t id;

    worked(store_session(s, hash, &found, &session, &account, &r), &r);
    if (!found)
        return 0;
    id = session.id;
    assert_int_equal(session.account, account.id);
    assert_string_equal(session.label, "a browser");
    session_free(&session);
    account_free(&account);
    return id;
}

static void
password_ends_other_sessions_and_the_code(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t ada = account_of(s, "ada"), ben = account_of(s, "ben");
    const int64_t later = now_ms() + 1000000;
    struct report r = {0};
    char *text = NULL;
    bool found = true;

    worked(store_password(s, ada, &text, &r), &r);
    assert_null(text);
    add_session(s, ada, "a1", later);
    add_session(s, ada, "a2", later);
    add_session(s, ben, "b1", later);
    worked(store_add_reset(s, ada, "code", later, &r), &r);
    worked(store_set_password(s, ada, "$argon2id$1", session_of(s, "a2"), &r), &r);
    assert_int_equal(session_of(s, "a1"), 0);
    assert_int_not_equal(session_of(s, "a2"), 0);
    assert_int_not_equal(session_of(s, "b1"), 0);
    worked(store_use_reset(s, "code", "$argon2id$2", &found, &r), &r);
    assert_false(found);
    worked(store_password(s, ada, &text, &r), &r);
    assert_string_equal(text, "$argon2id$1");
    free(text);
    worked(store_set_password(s, ada, NULL, 0, &r), &r);
    worked(store_password(s, ada, &text, &r), &r);
    assert_null(text);
    assert_int_equal(session_of(s, "a2"), 0);
    store_close(s);
}

static void
code_is_good_once(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t ada = account_of(s, "ada");
    const int64_t later = now_ms() + 1000000;
    struct account a;
    struct report r = {0};
    char *text = NULL;
    bool found = true;

    worked(store_add_reset(s, ada, "first", later, &r), &r);
    worked(store_add_reset(s, ada, "second", later, &r), &r);
    worked(store_reset(s, "first", &found, &a, &r), &r);
    assert_false(found);
    worked(store_reset(s, "second", &found, &a, &r), &r);
    assert_true(found);
    assert_string_equal(a.name, "ada");
    account_free(&a);
    add_session(s, ada, "a1", later);
    worked(store_use_reset(s, "second", "$new", &found, &r), &r);
    assert_true(found);
    assert_int_equal(session_of(s, "a1"), 0);
    worked(store_use_reset(s, "second", "$other", &found, &r), &r);
    assert_false(found);
    worked(store_add_reset(s, ada, "old", now_ms() - 1, &r), &r);
    worked(store_use_reset(s, "old", "$other", &found, &r), &r);
    assert_false(found);
    worked(store_add_reset(s, ada, "third", later, &r), &r);
    worked(store_set_state(s, ada, ACCOUNT_CLOSED, &r), &r);
    worked(store_use_reset(s, "third", "$other", &found, &r), &r);
    assert_false(found);
    worked(store_password(s, ada, &text, &r), &r);
    assert_string_equal(text, "$new");
    free(text);
    store_close(s);
}

static void
sessions_end_by_time_and_number(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t ada = account_of(s, "ada"), ben = account_of(s, "ben");
    const int64_t now = now_ms(), later = now + 1000000;
    struct sessions list;
    struct report r = {0};
    bool found = false;
    int64_t id;

    add_session(s, ada, "over", now - 1);
    assert_int_equal(session_of(s, "over"), 0);
    add_session(s, ada, "idle", later);
    id = session_of(s, "idle");
    worked(store_session_used(s, id, now - SESSION_IDLE_MS, &r), &r);
    assert_int_equal(session_of(s, "idle"), 0);
    worked(store_sessions(s, ada, &list, &r), &r);
    assert_int_equal(list.count, 0);
    sessions_free(&list);
    add_session(s, ben, "bens", later);
    for (int i = 0; i <= SESSIONS_MAX; i++) {
        char hash[16];

        snprintf(hash, sizeof hash, "s%d", i);
        add_session(s, ada, hash, later);
    }
    assert_int_equal(session_of(s, "s0"), 0);
    worked(store_sessions(s, ada, &list, &r), &r);
    assert_int_equal(list.count, SESSIONS_MAX);
    assert_int_equal(list.row[0].id, session_of(s, "s1"));
    sessions_free(&list);
    worked(store_end_session(s, ben, session_of(s, "s1"), &found, &r), &r);
    assert_false(found);
    worked(store_end_session(s, ada, session_of(s, "s1"), &found, &r), &r);
    assert_true(found);
    worked(store_end_session(s, ada, 0, &found, &r), &r);
    assert_int_equal(session_of(s, "s2"), 0);
    assert_int_not_equal(session_of(s, "bens"), 0);
    store_close(s);
}

static void
deleted_account_has_none(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t later = now_ms() + 1000000;
    struct account a;
    struct report r = {0};
    char *name = NULL, *text = NULL;
    bool found = true;

    worked(store_ensure_account(s, "ada", &a, &r), &r);
    worked(store_set_password(s, a.id, "$argon2id$1", 0, &r), &r);
    worked(store_add_reset(s, a.id, "code", later, &r), &r);
    add_session(s, a.id, "a1", later);
    worked(store_delete_account(s, &a, &name, &r), &r);
    assert_int_equal(session_of(s, "a1"), 0);
    worked(store_password(s, a.id, &text, &r), &r);
    assert_null(text);
    worked(store_use_reset(s, "code", "$new", &found, &r), &r);
    assert_false(found);
    free(name);
    account_free(&a);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
        T(password_ends_other_sessions_and_the_code),
        T(code_is_good_once),
        T(sessions_end_by_time_and_number),
        T(deleted_account_has_none),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
