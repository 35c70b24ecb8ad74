/*
 * Passwords, sessions and reset codes of accounts (accounts.h), which are rows of the
 * store's database.
 *
 * A password is stored as the text that argon2id makes of it, with its salt and costs.
 * Of a session and a reset code only the SHA-256 is stored: both are 256 random bits.
 * Setting a password ends the account's sessions, but for one that may be named, and its
 * reset code. An account has at most one reset code, and SESSIONS_MAX sessions.
 *
 * Functions return 0, or -1 with a report where the store fails. Times are milliseconds
 * since 1970.
 */
#ifndef RECORD_SESSIONS_H
#define RECORD_SESSIONS_H

#include "record/accounts.h"

#define SESSION_IDLE_MS (INT64_C(14) * 86400000) /* without a request it ends */
#define SESSION_LONGEST_MS (INT64_C(60) * 86400000)
#define SESSIONS_MAX 32

/* --- passwords ---------------------------------------------------------- */

/* The stored text of an account's password, which the caller frees; NULL where it has
 * none. */
int store_password(struct store *s, int64_t account, char **out, struct report *r);

/* Sets a password, or removes it where `text` is NULL. The session `keep` goes on; 0:
 * none does. */
int store_set_password(struct store *s, int64_t account, const char *text, int64_t keep,
                       struct report *r);

/* --- sessions ----------------------------------------------------------- */

struct session {
    int64_t id, account;
    char *label; /* what the browser says that it is */
    int64_t created_ms, used_ms, expires_ms;
};

struct sessions {
    struct session *row;
    size_t count;
};

void session_free(struct session *s);
void sessions_free(struct sessions *list);

struct new_session {
    int64_t account;
    const char *hash; /* of secret_hash() */
    const char *label;
    int64_t expires_ms;
};

/* Adds a session, and removes those of the account that are over, and the longest unused
 * where there were SESSIONS_MAX. */
int store_add_session(struct store *s, const struct new_session *n, struct report *r);

/* The session of this hash, if it is not over, and its account. */
int store_session(struct store *s, const char *hash, bool *found, struct session *session,
                  struct account *account, struct report *r);

/* Those of one account that are not over, the oldest first. */
int store_sessions(struct store *s, int64_t account, struct sessions *out,
                   struct report *r);

/* Ends a session of this account; 0: all of them. */
int store_end_session(struct store *s, int64_t account, int64_t id, bool *found,
                      struct report *r);

int store_session_used(struct store *s, int64_t id, int64_t now, struct report *r);

/* --- reset codes -------------------------------------------------------- */

/* Stores the account's reset code, in the place of one that it may have. */
int store_add_reset(struct store *s, int64_t account, const char *hash,
                    int64_t expires_ms, struct report *r);

/* The active account of this code, if it is not too old. */
int store_reset(struct store *s, const char *hash, bool *found, struct account *out,
                struct report *r);

/* Uses the code up and sets its account's password. *found is false where the code is no
 * good any more; then nothing changes. */
int store_use_reset(struct store *s, const char *hash, const char *text, bool *found,
                    struct report *r);

#endif
