/*
 * Accounts say who may use the judge, tokens speak for them, and invitations lead to
 * them. All are rows of the store's database (store.h).
 *
 * An account is a row of `users`. A name under which somebody submitted without an
 * account is `unclaimed`: it is on boards, but nobody is it. An invitation may claim it,
 * and an admin may assign its submissions to an account. Names of accounts are compared
 * without case; unclaimed ones of older databases may differ by case only.
 *
 * Of a token or an invitation only the SHA-256 is stored. Both are 256 random bits, so
 * that the hash needs no salt and cannot be turned back.
 *
 * Functions return 0, or -1 with a report where the store fails. Times are milliseconds
 * since 1970; 0 means never.
 */
#ifndef RECORD_ACCOUNTS_H
#define RECORD_ACCOUNTS_H

#include "base/report.h"
#include "record/secret_form.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/*       enumerator  name      its order is its power */
#define ROLES(X)                                                                         \
    X(GUEST, "guest") /* nobody that we know; never stored */                            \
    X(MEMBER, "member")                                                                  \
    X(STAFF, "staff") /* sees all sources */                                             \
    X(ADMIN, "admin") /* also manages accounts */

enum role {
#define X(name, text) ROLE_##name,
    ROLES(X)
#undef X
};

#define STATES(X)                                                                        \
    X(UNCLAIMED, "unclaimed")                                                            \
    X(ACTIVE, "active")                                                                  \
    X(CLOSED, "closed") /* its tokens do not work */

enum account_state {
#define X(name, text) ACCOUNT_##name,
    STATES(X)
#undef X
};

/* What a token may be used for. The bits are stored. */
#define SCOPES(X)                                                                        \
    X(READ, 1, "read")     /* what its account may see */                                \
    X(SUBMIT, 2, "submit") /* submissions, under its account's name */                   \
    X(BULK, 4, "bulk")     /* beyond the quota, for the staff's accounts */              \
    X(ADMIN, 8, "admin")   /* what its account's role allows beyond a member's rights */ \
    X(WORKER, 16, "worker") /* judging for the judge, and nothing else */

enum scope {
#define X(name, bit, text) SCOPE_##name = (bit),
    SCOPES(X)
#undef X
};
/* Of a login. The scope worker stands alone, so that no other token has it. */
#define SCOPES_ALL (SCOPE_READ | SCOPE_SUBMIT | SCOPE_BULK | SCOPE_ADMIN)

/* What the workers of a token of the scope worker may be. The bits are stored; a token of
 * other scopes has none. */
#define TOKEN_JUDGES 1U
#define TOKEN_COMPILES 2U
#define TOKEN_WORKS (TOKEN_JUDGES | TOKEN_COMPILES)

const char *role_name(enum role role);
/* -1 for a word that is no role of an account. "guest" is none. */
int role_parse(const char *word, enum role *out);
const char *account_state_name(enum account_state state);
int account_state_parse(const char *word, enum account_state *out);
/* The one scope of this name, or 0. */
unsigned scope_parse(const char *word, size_t len);
/* The name of one scope. */
const char *scope_name(enum scope scope);

/* --- secrets ------------------------------------------------------------ */

#define SECRET_HASH_BYTES 65 /* with the NUL */

/* Draws a token or an invitation: the prefix and 64 hexadecimal digits. */
void secret_new(const char *prefix, char out[SECRET_BYTES]);
void secret_hash(const char *secret, char out[SECRET_HASH_BYTES]);

/* --- accounts ----------------------------------------------------------- */

struct account {
    int64_t id;
    char *name;
    char *display_name; /* for people to read; empty where there is none */
    enum role role;
    enum account_state state;
    int64_t created_ms;
    int64_t deleted_ms; /* it was deleted, and is closed for good */
    /* Only store_accounts() sets these. */
    int64_t submissions;
    int64_t seen_ms; /* when it last asked by a token or a session, or has submitted */
};

struct accounts {
    struct account *row;
    size_t count;
};

void account_free(struct account *a);
void accounts_free(struct accounts *list);

/* The account of this name, compared without case. Where there is none, it is the
 * unclaimed name that is the same to the letter. Sets *out only where found. */
int store_account(struct store *s, const char *name, bool *found, struct account *out,
                  struct report *r);

/* The unclaimed name that is the same to the letter. */
int store_unclaimed(struct store *s, const char *name, bool *found, struct account *out,
                    struct report *r);

/* The account of this name, of user_name_check(). It is made, or claimed, as a member's
 * where there is none: who calls this knows that the name is who asks. */
int store_ensure_account(struct store *s, const char *name, struct account *out,
                         struct report *r);

/* Accounts and unclaimed names, by name: at most `most` of those behind the name `after`,
 * which has `part` in it, compared without case. Both may be empty. */
int store_accounts(struct store *s, const char *after, const char *part, int64_t most,
                   struct accounts *out, struct report *r);

/* Sets *last to the last name of such a list, which the caller frees, where others come
 * after it; else to NULL. */
int store_accounts_end(struct store *s, const char *after, const char *part, int64_t most,
                       char **last, struct report *r);

/* Is there an active account of at least this role? */
int store_has_account(struct store *s, enum role role, bool *out, struct report *r);

/* Has this user an accepted submission to the problem, of all its tests? */
int store_has_solved(struct store *s, const char *user, const char *problem, bool *out,
                     struct report *r);

/* How many of this user's last `most` submissions were made after since_ms, and when the
 * oldest of these was; 0 where there is none. What is graded in bulk counts neither here
 * nor below. */
int store_recent(struct store *s, const char *user, int64_t most, int64_t since_ms,
                 int64_t *count, int64_t *oldest_ms, struct report *r);

/* How long this user's judgements had a device, of those that ended after since_ms. All
 * are in ms. The newer ones alone reach `most` with the one that ended at *full_ms; it is
 * 0 where all together do not. */
int store_device_use(struct store *s, const char *user, int64_t most, int64_t since_ms,
                     int64_t *used_ms, int64_t *full_ms, struct report *r);

int store_set_role(struct store *s, int64_t id, enum role role, struct report *r);
/* name: of display_name_check(). */
int store_set_display_name(struct store *s, int64_t id, const char *name,
                           struct report *r);

/* state: active or closed. */
int store_set_state(struct store *s, int64_t id, enum account_state state,
                    struct report *r);

/* Makes all submissions of the unclaimed name `from` those of the account `to`. Where
 * both have an entry on a board, the better one stays. The name is gone then. */
int store_assign(struct store *s, int64_t from, int64_t to, struct report *r);

/* --- deleting ----------------------------------------------------------- */

/* A deleted account stays as a closed one named "deleted-N", so that its results stay on
 * their boards. Its tokens and invitations are gone. What it has sent is removed after
 * that, in steps, because there may be much of it: sources, file names, messages, what
 * tests printed, and costs by line. A source that others have sent, too, stays theirs. */

/* Is this the only active admin? */
int store_is_last_admin(struct store *s, int64_t id, bool *out, struct report *r);

/* Deletes the account. *name is its name from then on, which the caller frees. */
int store_delete_account(struct store *s, const struct account *a, char **name,
                         struct report *r);

/* A submission of a deleted account that is not done. It must be ended before
 * store_purge() is called. */
int store_deleted_pending(struct store *s, int64_t *id, bool *found, struct report *r);

/* Removes what a few submissions of deleted accounts hold. *more: that was not all. */
int store_purge(struct store *s, bool *more, struct report *r);

/* --- tokens ------------------------------------------------------------- */

struct token {
    int64_t id, account, parent; /* parent: the token that made it, or 0 */
    unsigned scopes;
    unsigned worker_roles; /* TOKEN_JUDGES, TOKEN_COMPILES */
    char *label;
    int64_t created_ms, expires_ms, used_ms, revoked_ms;
};

struct tokens {
    struct token *row;
    size_t count;
};

void token_free(struct token *t);
void tokens_free(struct tokens *list);

struct new_token {
    int64_t account, parent;
    const char *hash;  /* of secret_hash() */
    const char *label; /* for its owner; may be empty */
    unsigned scopes;
    unsigned worker_roles;
    int64_t expires_ms;
};

int store_add_token(struct store *s, const struct new_token *n, int64_t *id,
                    struct report *r);

/* The token of this hash, also one that has expired or was revoked, and its account. Sets
 * the two only where found. */
int store_token(struct store *s, const char *hash, bool *found, struct token *token,
                struct account *account, struct report *r);

/* The same of the token with this number. */
int store_token_of_id(struct store *s, int64_t id, bool *found, struct token *token,
                      struct account *account, struct report *r);

/* Those of one account that are not revoked, the oldest first. */
int store_tokens(struct store *s, int64_t account, struct tokens *out, struct report *r);

/* Revokes a token of this account, and those that were made with it. *found is false
 * where the account has no such token, or it was revoked before. */
int store_revoke_token(struct store *s, int64_t account, int64_t id, bool *found,
                       struct report *r);

int store_token_used(struct store *s, int64_t id, int64_t now, struct report *r);

/* --- joining ------------------------------------------------------------ */

struct new_invitation {
    const char *hash;
    const char *name; /* the only name that it is good for, or NULL */
    enum role role;
    int64_t expires_ms;
};

struct invitations {
    struct invitation {
        enum role role;
        int64_t created_ms, expires_ms, used_ms;
    } * row;
    size_t count;
};

/* Those that are good for this name only, used ones too. The caller frees the rows. */
int store_invitations(struct store *s, const char *name, struct invitations *out,
                      struct report *r);

int store_invite(struct store *s, const struct new_invitation *n, struct report *r);

/* Makes every unused invitation for this role useless. */
int store_withdraw_invitations(struct store *s, enum role role, struct report *r);

struct join {
    const char *name;       /* of user_name_check() */
    const char *invitation; /* a hash, also of a group's code (groups.h); NULL: whoever
                               wants may join, as a member */
    const char *token;      /* the hash of the account's first token */
    const char *label;      /* of the token */
    const char *password;   /* the stored text of one (hashing.h); NULL: it has none */
    bool admins_only;       /* only an invitation for an admin counts */
    bool only_asks;         /* tells the result, and changes nothing */
};

enum join_result {
    JOIN_DONE,
    JOIN_NOT_INVITED, /* an invitation is needed; the store does not say so */
    JOIN_UNKNOWN,     /* the invitation is not known, used, too old, or does not count */
    JOIN_OTHER_NAME,  /* the invitation is for another name */
    JOIN_TAKEN,       /* the name belongs to an account, or to older submissions */
    JOIN_CLOSED,      /* the account is closed */
    JOIN_FULL,        /* the group of a code has no place left */
};

/* Uses up the invitation, makes or claims the account, and gives it a token with all
 * scopes, in one transaction. An invitation for the name of an account that is there
 * gives that account one more token, and leaves its role: so an admin helps who has lost
 * theirs. Sets *out only where the result is JOIN_DONE; it is empty where j only asks. */
int store_join(struct store *s, const struct join *j, enum join_result *result,
               struct account *out, struct report *r);

#endif
