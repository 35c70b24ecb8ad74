/* The meanings of the problems as their files are now (problem/meaning.h). What was
 * computed is kept until a file changes, comes or goes. */
#ifndef DAEMON_MEANINGS_H
#define DAEMON_MEANINGS_H

#include "base/report.h"

#include <stdint.h>

struct daemon;
struct store;
struct meanings;

struct meanings *meanings_new(const char *problems_dir);

/* Takes over which boards were begun anew. */
int meanings_load(struct meanings *m, struct store *store, struct report *r);
void meanings_free(struct meanings *m);

/* The meaning of a problem on a board. It is good until the next call for the same
 * problem, and "" where the problem cannot be read. */
const char *meanings_get(struct meanings *m, const char *slug, const char *board);

/* The same as the files were at `since_ns` (CLOCK_MONOTONIC) or later. The rows of a list
 * take what was looked at lately, because they are many and of few problems. */
const char *meanings_get_since(struct meanings *m, const char *slug, const char *board,
                               uint64_t since_ns);

/* Begins a board anew: its meaning is another from now on, though the problem is the
 * same, and stays so in later runs of the daemon. */
int meanings_begin_board(struct daemon *d, const char *slug, const char *board,
                         struct report *r);

/* Gives the results of before there were meanings the problems' meaning of today, where
 * they were timed with today's sizes (store_adopt()). Those of a problem that does not
 * load wait until the daemon starts with one that does. */
int meanings_adopt(struct daemon *d, struct report *r);

#endif
