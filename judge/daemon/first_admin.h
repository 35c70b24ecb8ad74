/*
 * The first admin. Where there are accounts and none of an active admin's, the daemon
 * makes an invitation for one when it starts. It prints the link, and writes it to
 * HOME/first-admin, which its owner alone may read. The link is good once. The next start
 * makes another and withdraws this one, with all unused invitations for admins.
 */
#ifndef DAEMON_FIRST_ADMIN_H
#define DAEMON_FIRST_ADMIN_H

#include "base/report.h"

struct daemon;

/* port: of TCP, 0 where there is none. */
int first_admin_begin(struct daemon *d, int port, struct report *r);

/* Removes the file if there is an admin by now. */
void first_admin_step(struct daemon *d);

#endif
