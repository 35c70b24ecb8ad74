/*
 * The user namespace in which bubblewrap makes a sandbox whose processes have a host user
 * of their own (user_namespaces(7)):
 *
 *     inside   on the host
 *     0        the sandbox's user and group: bubblewrap and the program
 *     1        our own
 *
 * Our own ids are in it so that bubblewrap, which has all capabilities there, can bind
 * what lies in folders that only we may enter. The program has no capabilities, and none
 * can become 1 without one.
 */
#ifndef SANDBOX_USERNS_H
#define SANDBOX_USERNS_H

#include "base/report.h"
#include "sandbox/ids.h"

#include <sys/types.h>

/* The process that will be bubblewrap makes the namespace, lets the other end of the
 * socket `sync` fill it, and becomes its user 0. What it then executes has all
 * capabilities in the namespace, and no capability survives if that one drops it. It
 * forgets PR_SET_PDEATHSIG. The call is async-signal-safe. Returns -1 with errno. */
int userns_enter(int sync);

/* Fills the namespace that `child` makes at the other end of `sync`. */
int userns_fill(pid_t child, int sync, const struct ids *ids, struct report *r);

/* Makes such a namespace, and ends it. Returns 0 if that works here. */
int userns_probe(const struct ids *ids, struct report *r);

#endif
