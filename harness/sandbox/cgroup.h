/*
 * Control groups: a limit of memory and of processes that holds for all of a sandbox
 * together, for root too, and a way to end all of it that needs no namespace. Only where
 * groups may be made: as root in most containers, as an ordinary user in a group of one's
 * own that systemd has delegated. Elsewhere resource limits are all there is (limits.c),
 * which hold for each process by itself.
 *
 *   OWN GROUP/warpjudge-PID/      made by the daemon, PID its own
 *       CHILD-N/                  one a sandbox, made by the daemon's child of that pid
 *
 * Version 2 (one tree, controllers given down by subtree_control) and version 1 (a tree
 * for each controller) are both served.
 */
#ifndef SANDBOX_CGROUP_H
#define SANDBOX_CGROUP_H

#include "core/report.h"

#include <stddef.h>

/* Finds out what can be done here, makes warpjudge-PID, sweeps what daemons that are gone
 * have left, and tells the programs that this one will start, through its environment. 0,
 * or -1 with a sentence that says why there are no groups, which is no failure. */
int cgroups_begin(struct report *why);

/* Groups of programs that have ended: what lives in them is killed, they are removed. How
 * many could not be, because something in them does not die. */
int cgroups_sweep(void);

/* Removes warpjudge-PID. */
void cgroups_end(void);

/* What holds memory and processes here, for people: "control groups (v1)" or "resource
 * limits". */
const char *cgroups_name(void);

#endif
