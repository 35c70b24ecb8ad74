/*
 * What is told of where submissions stand: their states, in the API's answers and in the
 * streams of events.
 *
 * The states of an attempt are, in this order:
 *
 *     queued      it waits for a CPU to compile on
 *     compiling
 *     waiting     it is compiled, and waits for its device
 *     running     it is judged
 *     done        it has a verdict
 *
 * States may be left out, and what is told never goes back. An attempt may fall back to
 * an earlier phase, as after an arbiter that failed to prepare: its state stays. After a
 * failure of ours the attempt's number rises by one, and the states begin anew.
 *
 * Nothing is told of what is judged in idle time (idle.h): a submission that is judged
 * again stays `done`.
 */
#ifndef DAEMON_TOLD_H
#define DAEMON_TOLD_H

#include "base/report.h"

#include <stdint.h>

struct attempt;
struct buf;
struct daemon;
struct identity;
struct queue_state;
struct submission;

enum told { TOLD_QUEUED, TOLD_COMPILING, TOLD_WAITING, TOLD_RUNNING };

/* Where an attempt stands that is not recorded. */
void told_state(const struct attempt *a, struct queue_state *out);

/* Tells each submission of the list whose state is another than the one that was told,
 * and the places of those that are watched. It is called after each step of the queue. */
void told_step(struct attempt *first);

/* Tells the watchers of a submission of its course: the event's name, and the members of
 * its JSON. */
void told_course(struct attempt *a, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells that a submission has a verdict. Its row in the store says so already. */
void told_done(struct attempt *a);

/* Appends the event of a submission as it stands, with the line of its id: of one that
 * is not done, and of one that is. */
void told_add_state(struct buf *b, const struct attempt *a);
void told_add_done(struct buf *b, const struct submission *sub);

#endif
