/*
 * The host's users as which sandboxes run. Each sandbox that lives has a user and a group
 * of its own, out of a range of ids that no account uses.
 *
 * So limits that count for a user count for one sandbox. No sandbox may do anything to
 * another or to us.
 *
 * The range is, in this order:
 *
 *    - what WARPJUDGE_IDS says: UID:GID:COUNT, or "none" for our own user;
 *    - what /etc/subuid and /etc/subgid grant to our user;
 *    - for root, IDS_FIRST and the IDS_COUNT - 1 after it. These are in the part of the
 *      ids that systemd's list (Users, Groups, UIDs and GIDs on systemd Systems) calls
 *      unused.
 *
 * Without a range sandboxes run as our own user.
 *
 * Which ids are in use is known to all programs of ours by locks on bytes of one file,
 * whose offsets are ids. The kernel drops the locks of a program that is gone.
 */
#ifndef SANDBOX_IDS_H
#define SANDBOX_IDS_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

#define IDS_FIRST 1900000000u
#define IDS_COUNT 65536u

/* A range is refused if it has fewer ids. A judgement has some ten sandboxes at a time.
 */
#define IDS_COUNT_MIN 64u

/* The ids of one sandbox on the host; uid 0: it runs as our own user. */
struct ids {
    uint32_t uid, gid;
};

/* Decides for this process and for the programs that it starts, which learn of it by
 * WARPJUDGE_IDS. Returns 0 if sandboxes get ids, or 1 with a sentence that says why not.
 * It returns -1 with a sentence if WARPJUDGE_IDS is set and cannot be followed. */
int ids_begin(struct report *why);

/* Sandboxes of this process, and of those it starts, run as our own user from now on. */
void ids_stop(void);

/* As whom sandboxes run here, for people: "users 1900000000 to 1900065535", or "its own
 * user (uid 1000)". The caller frees. */
char *ids_text(void);

/* Do sandboxes of this process get ids? */
bool ids_active(void);

/* How many ids the range has; 0: sandboxes run as our own user. */
uint32_t ids_count(void);

/* Gives a sandbox ids that no other has, or uid 0 where there are none to be given. If
 * `shared`, all such sandboxes of this process have the same ids, so that they may write
 * each other's files. ids_release gives them back. */
int ids_claim(bool shared, struct ids *out, struct report *r);
void ids_release(const struct ids *ids);

#endif
