/*
 * Limits of attempts to join, in an hour, for each address and each name; and of
 * invitations, for the account that makes them. The hour begins with the first attempt,
 * and attempt_table.h says what an address is.
 *
 * A good invitation is taken at any time, so that nobody can shut its person out by using
 * up a limit. It cannot be guessed (record/accounts.h). What is counted is attempts that
 * are refused, and accounts without an invitation. Such an account counts before its
 * password is hashed, whatever becomes of it.
 */
#ifndef DAEMON_JOIN_LIMITS_H
#define DAEMON_JOIN_LIMITS_H

#include <stdint.h>

struct join_limits;
struct http_call;

#define JOINS_PER_ADDRESS 60
#define JOINS_PER_NAME 20
#define INVITATIONS_PER_ACCOUNT 500

struct join_limits *join_limits_new(void);
void join_limits_free(struct join_limits *l);

/* Count an attempt that was refused, and an account without an invitation. */
void join_limits_count_refused(struct http_call *c, const char *name);
void join_limits_count_open(struct http_call *c);

/* In how many seconds this address may make an account without an invitation; 0: now. */
int64_t join_limits_address_s(struct http_call *c);
/* The same of this name. */
int64_t join_limits_name_s(struct http_call *c, const char *name);

/* Counts an invitation of who asks. If that were one too many, it is not counted, and the
 * answer is in how many seconds it would not be. The operator may make any number. */
int64_t join_limits_take_invitation(struct http_call *c);

#endif
