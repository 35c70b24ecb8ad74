/*
 * Control groups limit the memory and the processes of a whole sandbox, for root too.
 * They can also end a whole sandbox without a namespace.
 *
 * Groups can be made by root in most containers, and by an ordinary user whose group
 * systemd has delegated. Elsewhere there are only resource limits (limits.c), which hold
 * for each process by itself.
 *
 *   OWN GROUP/warpjudge-PID/      made by the daemon; PID is its own
 *       CHILD-N/                  one sandbox; made by the daemon's child with that pid
 *
 * Both versions of control groups work: version 2 (one tree, subtree_control gives
 * controllers to children) and version 1 (a tree for each controller).
 */
#ifndef SANDBOX_CGROUP_H
#define SANDBOX_CGROUP_H

#include "base/report.h"

#include <stddef.h>

/* Prepares this process and the programs that it will start for making groups. It finds
 * where groups can be made, removes what earlier daemons left, and makes warpjudge-PID.
 * The programs learn of it by an environment variable. Returns 0, or -1 with a sentence
 * that says why there are no groups, which is no failure. */
int cgroups_begin(struct report *why);

/* Removes the groups of programs that have ended, and kills what still lives in them.
 * Returns how many could not be removed because something in them does not die. */
int cgroups_sweep(void);

/* Removes warpjudge-PID. */
void cgroups_end(void);

/* What limits memory and processes here, for people: "control groups (v1)", "control
 * groups (v2)" or "resource limits". The string is static. */
const char *cgroups_name(void);

#endif
