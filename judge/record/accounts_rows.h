/* Private to accounts*.c: rows of `users` that a statement gives. */
#ifndef RECORD_ACCOUNTS_ROWS_H
#define RECORD_ACCOUNTS_ROWS_H

#include "record/accounts.h"
#include "record/store_statements.h"

/* The account in the first columns of a row of SELECT_ACCOUNTS, without the count of its
 * submissions. */
struct account account_read(sqlite3_stmt *st);

/* The role in a column. */
enum role column_role(sqlite3_stmt *st, int column);

/* Runs a statement that gives at most one account. Sets *out only where *found. */
int account_ask(struct store *s, sqlite3_stmt *st, bool *found, struct account *out,
                struct report *r);

/* Runs a statement that changes at most one row. *found: it did. */
int account_change(struct store *s, sqlite3_stmt *st, bool *found, struct report *r);

/* Runs a statement that notes a use, which changes nobody's rights. */
int account_note_use(struct store *s, sqlite3_stmt *st, struct report *r);

/* What store_set_password() does, within a transaction (sessions.h). */
int store_set_password_steps(struct store *s, int64_t account, const char *text,
                             int64_t keep, struct report *r);

#endif
