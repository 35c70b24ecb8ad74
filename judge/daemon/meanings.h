/* The meanings of the problems as their files are now (problem/meaning.h). What was
 * computed is kept until a file changes, comes or goes. */
#ifndef DAEMON_MEANINGS_H
#define DAEMON_MEANINGS_H

#include "base/report.h"

struct daemon;
struct meanings;

struct meanings *meanings_new(const char *problems_dir);
void meanings_free(struct meanings *m);

/* The meaning of a problem on the device, or the board, of this name. It is good until
 * the next call for the same problem, and "" where the problem cannot be read. */
const char *meanings_get(struct meanings *m, const char *slug, const char *device);

/* Gives the results of before there were meanings the problems' meaning of today, where
 * they were timed with today's sizes (store_adopt()). Those of a problem that does not
 * load wait until the daemon starts with one that does. */
int meanings_adopt(struct daemon *d, struct report *r);

#endif
