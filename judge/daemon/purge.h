/* Ends what is left of deleted accounts, a little at a time beside everything else. Their
 * submissions that are not done are cancelled; then the texts of all are removed. The
 * next daemon goes on where one has ended. */
#ifndef DAEMON_PURGE_H
#define DAEMON_PURGE_H

struct daemon;
struct purge;

/* Begins with what is left from before. */
struct purge *purge_new(struct daemon *d);
void purge_free(struct purge *p);

/* An account was deleted. */
void purge_wake(struct purge *p);

#endif
