/*
 * The standings (record/standing.h), one for each kind of device. A standing is computed
 * when it is asked for. First the loop looks at the problems, a few at a time. Then a
 * thread reads all entries with a connection of its own, so that nobody waits but who
 * asks.
 *
 * What was computed is kept. It is computed anew where the store has changed since, or
 * after LOOKED_AT_MS, because a problem's files may have changed. It is not before it is
 * PAUSE_TIMES as old as it took, so that people who ask all the time take a twentieth of
 * a CPU at most.
 */
#ifndef DAEMON_STANDINGS_H
#define DAEMON_STANDINGS_H

#include "daemon/http.h"
#include "record/standing.h"

struct standings;

/* A standing, which stays as it is while somebody holds it. */
struct held_standing {
    int holders;
    struct standing standing;
    uint64_t version; /* no other standing of this process has it */
    int64_t as_of_ms;
};

struct standings *standings_new(struct daemon *d);
void standings_free(struct standings *s); /* after the server */

/* Answers a call by `answer` as soon as there is the standing of a board's name. It is
 * called with NULL, and has to say so, where there is none; the log says why. */
typedef void standing_answer_fn(struct http_call *c, struct held_standing *standing);
void standings_ask(struct standings *s, struct http_call *c, const char *board,
                   standing_answer_fn *answer);

void standing_hold(struct held_standing *h);
void standing_release(struct held_standing *h);

#endif
