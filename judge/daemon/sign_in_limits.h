/*
 * Limits of attempts to sign in by a password. Each attempt counts when it begins, so
 * that a thousand at once are no way around; a right one is taken off again. After some
 * that were wrong there is a delay until the next, which doubles with each.
 *
 * There are three counts: of an address, of an account from one address, and of an
 * account from everywhere. The first and the last do not hold where the account has
 * signed in from the address before. So strangers elsewhere, and others of a class,
 * cannot shut its owner out. Nor do tokens, sessions and reset codes meet any limit here.
 * docs/security.md has the reasons.
 */
#ifndef DAEMON_SIGN_IN_LIMITS_H
#define DAEMON_SIGN_IN_LIMITS_H

#include <stdint.h>

struct sign_in_limits;
struct http_call;

/* How many may be wrong before the first delay, and the longest delay. */
#define SIGN_INS_PER_ADDRESS 40
#define SIGN_IN_ADDRESS_S 60
#define SIGN_INS_PER_PAIR 5 /* of one account from one address */
#define SIGN_IN_PAIR_S 900
#define SIGN_INS_PER_ACCOUNT 200
#define SIGN_IN_ACCOUNT_S 900

struct sign_in_limits *sign_in_limits_new(void);
void sign_in_limits_free(struct sign_in_limits *l);

/* Counts an attempt under this name. If it comes too early, it is not counted, and the
 * answer is in how many seconds it would not be. */
int64_t sign_in_limits_begin(struct http_call *c, const char *name);

/* Takes an attempt off again, of which nothing was learned. */
void sign_in_limits_undo(struct http_call *c, const char *name);

/* It was right: the address belongs to who has the account. */
void sign_in_limits_right(struct http_call *c, const char *name);

/* The same without an attempt, as by a reset code. */
void sign_in_limits_trust(struct http_call *c, const char *name);

#endif
