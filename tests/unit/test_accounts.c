// links: common folder
/* Accounts, tokens and invitations in the store. Each test has a database of its own. */
#include "../fixtures/folder.h"

#include "base/file.h"
#include "record/accounts.h"
#include "record/ranking.h"
#include "record/sessions.h"
#include "record/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct store *s;
    struct report r;
};

static int
set_up(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);
    char *path;
    int rc;

    if (folder_make(state) != 0)
        return -1;
    *state = f;
    path = folder_path("leaderboard.db");
    rc = store_open(path, &f->s, &f->r);
    free(path);
    return rc;
}

static int
tear_down(void **state)
{
    struct fixture *f = *state;

    store_close(f->s);
    free(f);
    return folder_remove(state);
}

/* Asserts that the store did not fail. */
static void
worked(struct fixture *f, int rc)
{
    if (rc != 0)
        fail_msg("%s", f->r.text);
}

static int64_t
submit(struct fixture *f, const char *user, const char *problem, double time_ns)
{
    const struct new_submission n = {.user = user,
                                     .problem = problem,
                                     .device = "emu",
                                     .board = "emu",
                                     .filename = "a.cu",
                                     .source = "x"};
    double samples[] = {time_ns};
    struct result res = {.verdict = VERDICT_ACCEPTED,
                         .timing = {.present = true,
                                    .median_ns = time_ns,
                                    .low_ns = time_ns,
                                    .high_ns = time_ns,
                                    .sample_count = 1,
                                    .sample_ns = samples}};
    const struct finished_submission finished = {.result = &res};
    int64_t id = 0;

    worked(f, store_submit(f->s, &n, &id, &f->r));
    worked(f, store_record(f->s, id, &finished, &f->r));
    return id;
}

/* Joins under this name with the invitation's hash, or NULL. The token's hash is
 * `token`. */
static enum join_result
join(struct fixture *f, const char *name, const char *invitation, const char *token,
     struct account *out)
{
    const struct join j = {
        .name = name, .invitation = invitation, .token = token, .label = "here"};
    enum join_result result = JOIN_UNKNOWN;

    worked(f, store_join(f->s, &j, &result, out, &f->r));
    return result;
}

/* Joins, expects that it works, and returns the account's number. */
static int64_t
join_as(struct fixture *f, const char *name, const char *invitation, const char *token)
{
    struct account a = {0};
    int64_t id;

    assert_int_equal(join(f, name, invitation, token, &a), JOIN_DONE);
    id = a.id;
    account_free(&a);
    return id;
}

static void
invite(struct fixture *f, const char *hash, const char *name, enum role role,
       int64_t expires_ms)
{
    const struct new_invitation n = {
        .hash = hash, .name = name, .role = role, .expires_ms = expires_ms};

    worked(f, store_invite(f->s, &n, &f->r));
}

static struct account
account_of(struct fixture *f, const char *name)
{
    struct account a = {0};
    bool found = false;

    worked(f, store_account(f->s, name, &found, &a, &f->r));
    assert_true(found);
    return a;
}

static void
secrets_are_drawn_and_recognised(void **state)
{
    char one[SECRET_BYTES], two[SECRET_BYTES], hash[SECRET_HASH_BYTES];

    (void)state;
    secret_new(TOKEN_PREFIX, one);
    secret_new(TOKEN_PREFIX, two);
    assert_int_equal(strlen(one), 68);
    assert_string_not_equal(one, two);
    assert_true(secret_is_valid(TOKEN_PREFIX, one));
    assert_false(secret_is_valid(INVITATION_PREFIX, one));
    one[67] = 'g';
    assert_false(secret_is_valid(TOKEN_PREFIX, one));
    assert_false(secret_is_valid(TOKEN_PREFIX, "wjt_"));
    secret_hash("abc", hash);
    assert_string_equal(
        hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void
words_read_back(void **state)
{
    enum role role = ROLE_GUEST;
    enum account_state account = ACCOUNT_UNCLAIMED;

    (void)state;
    assert_int_equal(role_parse("staff", &role), 0);
    assert_int_equal(role, ROLE_STAFF);
    assert_int_equal(role_parse("guest", &role), -1);
    assert_int_equal(role_parse("Admin", &role), -1);
    assert_int_equal(account_state_parse("closed", &account), 0);
    assert_int_equal(account, ACCOUNT_CLOSED);
    assert_int_equal(account_state_parse("", &account), -1);
    assert_int_equal(scope_parse("submit,read", 6), SCOPE_SUBMIT);
    assert_int_equal(scope_parse("sub", 3), 0);
    assert_string_equal(scope_name(SCOPE_BULK), "bulk");
}

static void
names_are_compared_without_case(void **state)
{
    struct fixture *f = *state;
    struct account a;
    bool found = true, any = false;

    worked(f, store_has_account(f->s, ROLE_MEMBER, &any, &f->r));
    assert_false(any);
    join_as(f, "Ada", NULL, "t1");
    worked(f, store_has_account(f->s, ROLE_MEMBER, &any, &f->r));
    assert_true(any);
    worked(f, store_has_account(f->s, ROLE_ADMIN, &any, &f->r));
    assert_false(any);
    assert_int_equal(join(f, "aDA", NULL, "t2", &a), JOIN_TAKEN);
    a = account_of(f, "ADA");
    assert_string_equal(a.name, "Ada");
    assert_int_equal(a.role, ROLE_MEMBER);
    assert_int_equal(a.state, ACCOUNT_ACTIVE);
    account_free(&a);
    worked(f, store_account(f->s, "Ad", &found, &a, &f->r));
    assert_false(found);
}

static void
invitation_is_good_once(void **state)
{
    struct fixture *f = *state;
    struct account a = {0};

    invite(f, "i1", NULL, ROLE_STAFF, 0);
    assert_int_equal(join(f, "ben", "nope", "t0", &a), JOIN_UNKNOWN);
    join_as(f, "ada", "i1", "t1");
    assert_int_equal(join(f, "ben", "i1", "t2", &a), JOIN_UNKNOWN);
    a = account_of(f, "ada");
    assert_int_equal(a.role, ROLE_STAFF);
    account_free(&a);
    invite(f, "i2", NULL, ROLE_MEMBER, now_ms() - 1);
    assert_int_equal(join(f, "ben", "i2", "t2", &a), JOIN_UNKNOWN);
    /* One that fails is not used up. */
    invite(f, "i3", NULL, ROLE_MEMBER, now_ms() + 1000000);
    assert_int_equal(join(f, "ADA", "i3", "t2", &a), JOIN_TAKEN);
    join_as(f, "ben", "i3", "t2");
    invite(f, "i4", NULL, ROLE_ADMIN, 0);
    worked(f, store_withdraw_invitations(f->s, ROLE_ADMIN, &f->r));
    assert_int_equal(join(f, "eve", "i4", "t3", &a), JOIN_UNKNOWN);
}

/* An invitation for a name is good for that name only. For an account that is there it
 * gives a token, and changes nothing else. */
static void
invitation_for_a_name(void **state)
{
    struct fixture *f = *state;
    struct account a = {0};
    struct tokens tokens;
    int64_t ada;

    invite(f, "i1", "Ada", ROLE_ADMIN, 0);
    assert_int_equal(join(f, "ben", "i1", "t1", &a), JOIN_OTHER_NAME);
    ada = join_as(f, "ada", "i1", "t1");
    invite(f, "i2", "ada", ROLE_MEMBER, 0);
    assert_int_equal(join_as(f, "ADA", "i2", "t2"), ada);
    a = account_of(f, "ada");
    assert_int_equal(a.role, ROLE_ADMIN);
    account_free(&a);
    worked(f, store_tokens(f->s, ada, &tokens, &f->r));
    assert_int_equal(tokens.count, 2);
    assert_int_equal(tokens.row[1].scopes, SCOPES_ALL);
    assert_string_equal(tokens.row[1].label, "here");
    tokens_free(&tokens);
    worked(f, store_set_state(f->s, ada, ACCOUNT_CLOSED, &f->r));
    invite(f, "i3", "ada", ROLE_MEMBER, 0);
    assert_int_equal(join(f, "ada", "i3", "t3", &a), JOIN_CLOSED);
}

/* A name of older submissions is nobody's to take, but for whom an admin invited to it.
 */
static void
unclaimed_name_needs_an_invitation(void **state)
{
    struct fixture *f = *state;
    const int64_t id = submit(f, "Ada", "p", 100);
    struct account a = {0};
    struct submission sub;
    bool found;

    assert_int_equal(join(f, "ada", NULL, "t1", &a), JOIN_TAKEN);
    invite(f, "i1", NULL, ROLE_STAFF, 0);
    assert_int_equal(join(f, "Ada", "i1", "t1", &a), JOIN_TAKEN);
    invite(f, "i2", "ada", ROLE_MEMBER, 0);
    assert_int_equal(join(f, "ada", "i2", "t1", &a), JOIN_DONE);
    worked(f, store_get(f->s, id, &found, &sub, &f->r));
    assert_string_equal(sub.user, a.name);
    submission_free(&sub);
    account_free(&a);
}

static void
first_admin_takes_an_older_name(void **state)
{
    struct fixture *f = *state;
    struct join j = {.name = "ada",
                     .invitation = "i1",
                     .token = "t1",
                     .label = "",
                     .admins_only = true};
    enum join_result result = JOIN_UNKNOWN;
    struct account a = {0};

    submit(f, "ada", "p", 100);
    invite(f, "i1", NULL, ROLE_ADMIN, 0);
    invite(f, "i2", NULL, ROLE_MEMBER, 0);
    worked(f, store_join(f->s, &j, &result, &a, &f->r));
    assert_int_equal(result, JOIN_DONE);
    assert_int_equal(a.role, ROLE_ADMIN);
    account_free(&a);
    j.invitation = "i2";
    j.name = "ben";
    j.token = "t2";
    worked(f, store_join(f->s, &j, &result, &a, &f->r));
    assert_int_equal(result, JOIN_UNKNOWN);
}

static void
join_that_only_asks_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct join j = {.name = "ada",
                     .invitation = "i1",
                     .token = "t1",
                     .label = "",
                     .password = "text",
                     .only_asks = true};
    enum join_result result = JOIN_UNKNOWN;
    struct account a = {0};
    char *stored = NULL;

    invite(f, "i1", NULL, ROLE_MEMBER, 0);
    worked(f, store_join(f->s, &j, &result, &a, &f->r));
    assert_int_equal(result, JOIN_DONE);
    assert_null(a.name);
    j.only_asks = false;
    worked(f, store_join(f->s, &j, &result, &a, &f->r));
    assert_int_equal(result, JOIN_DONE);
    worked(f, store_password(f->s, a.id, &stored, &f->r));
    assert_string_equal(stored, "text");
    free(stored);
    account_free(&a);
    j.only_asks = true;
    worked(f, store_join(f->s, &j, &result, &a, &f->r));
    assert_int_equal(result, JOIN_UNKNOWN);
}

static void
token_ends_with_those_that_it_made(void **state)
{
    struct fixture *f = *state;
    const int64_t ada = join_as(f, "ada", NULL, "t1");
    const int64_t ben = join_as(f, "ben", NULL, "t2");
    struct new_token n = {.account = ada,
                          .hash = "t3",
                          .label = "ci",
                          .scopes = 3,
                          .worker_roles = TOKEN_COMPILES};
    struct tokens tokens;
    struct token token;
    struct account a;
    int64_t child = 0, grandchild = 0;
    bool found = false;

    worked(f, store_tokens(f->s, ada, &tokens, &f->r));
    assert_int_equal(tokens.count, 1);
    n.parent = tokens.row[0].id;
    tokens_free(&tokens);
    n.expires_ms = 77;
    worked(f, store_add_token(f->s, &n, &child, &f->r));
    n.hash = "t4";
    n.parent = child;
    worked(f, store_add_token(f->s, &n, &grandchild, &f->r));
    worked(f, store_token_used(f->s, child, 55, &f->r));
    worked(f, store_token(f->s, "t3", &found, &token, &a, &f->r));
    assert_true(found && token.id == child && token.scopes == 3 && token.used_ms == 55);
    assert_true(token.expires_ms == 77 && token.revoked_ms == 0 && a.id == ada);
    assert_true(token.worker_roles == TOKEN_COMPILES && token.parent != 0);
    token_free(&token);
    account_free(&a);
    worked(f, store_revoke_token(f->s, ben, child, &found, &f->r));
    assert_false(found);
    worked(f, store_revoke_token(f->s, ada, child, &found, &f->r));
    assert_true(found);
    worked(f, store_revoke_token(f->s, ada, child, &found, &f->r));
    assert_false(found);
    worked(f, store_token(f->s, "t4", &found, &token, &a, &f->r));
    assert_true(found && token.revoked_ms > 0);
    token_free(&token);
    account_free(&a);
    worked(f, store_tokens(f->s, ada, &tokens, &f->r));
    assert_int_equal(tokens.count, 1);
    tokens_free(&tokens);
    worked(f, store_token(f->s, "t5", &found, &token, &a, &f->r));
    assert_false(found);
}

/* Where both names have an entry on a board, the better one stays, and of equal times the
 * older one. */
static void
assigned_name_is_gone(void **state)
{
    static const struct {
        const char *problem;
        double from_ns, to_ns; /* 0: no entry */
        bool from_stays;
    } CASES[] = {{"a", 50, 100, true},
                 {"b", 100, 50, false},
                 {"c", 100, 0, true},
                 {"d", 0, 100, false},
                 {"e", 100, 100, true}};
    struct fixture *f = *state;
    const int64_t ada = join_as(f, "ada", NULL, "t1");
    int64_t from[5] = {0}, to[5] = {0};
    struct account old;
    bool found = true;

    for (size_t i = 0; i < 5; i++) {
        if (CASES[i].from_ns > 0)
            from[i] = submit(f, "old-ada", CASES[i].problem, CASES[i].from_ns);
        if (CASES[i].to_ns > 0)
            to[i] = submit(f, "ada", CASES[i].problem, CASES[i].to_ns);
    }
    old = account_of(f, "old-ada");
    assert_int_equal(old.state, ACCOUNT_UNCLAIMED);
    worked(f, store_assign(f->s, old.id, ada, &f->r));
    account_free(&old);
    worked(f, store_account(f->s, "old-ada", &found, &old, &f->r));
    assert_false(found);
    for (size_t i = 0; i < 5; i++) {
        struct ranking *g = store_ranking(
            f->s, &(struct board){CASES[i].problem, "emu", MEANING_UNKNOWN});
        struct entries b;

        worked(f, store_entries(f->s, g, 0, 10, &b, &f->r));
        ranking_release(g);
        assert_int_equal(b.count, 1);
        assert_string_equal(b.entry[0].user, "ada");
        assert_int_equal(b.entry[0].submission, CASES[i].from_stays ? from[i] : to[i]);
        entries_free(&b);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(secrets_are_drawn_and_recognised),
        T(words_read_back),
        T(names_are_compared_without_case),
        T(invitation_is_good_once),
        T(invitation_for_a_name),
        T(unclaimed_name_needs_an_invitation),
        T(first_admin_takes_an_older_name),
        T(join_that_only_asks_changes_nothing),
        T(token_ends_with_those_that_it_made),
        T(assigned_name_is_gone),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
