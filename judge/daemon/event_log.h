/*
 * The last events of all submissions, in the order in which they happened. Readers of
 * streams that were cut go on from here (events.h).
 *
 * Each event has a number, one more than that of the one before. The log keeps the last
 * ones, as many as it was made for. It is in memory, and ends with the daemon.
 */
#ifndef DAEMON_EVENT_LOG_H
#define DAEMON_EVENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
    EVENT_STATE,  /* a submission has come to another state */
    EVENT_PLACE,  /* its place in the queue is another, in the same state */
    EVENT_COURSE, /* what is seen of its judgement: for who may see its source */
    EVENT_DONE,   /* it has a verdict */
};

struct logged_event {
    enum event_kind kind;
    int64_t submission;
    const char *user, *problem;
    bool graded;      /* in bulk */
    const char *text; /* as a stream has it, without the line of its id */
};

struct event_log;

struct event_log *event_log_new(size_t most);
void event_log_free(struct event_log *log);

/* Copies an event to the end of the log, and returns its number. The first one is 1. */
uint64_t event_log_add(struct event_log *log, const struct logged_event *event);

/* The number of the last event that was ever added; 0: none was. */
uint64_t event_log_last(const struct event_log *log);

/* The number of the oldest event that is kept; event_log_last() + 1: none is kept. */
uint64_t event_log_first(const struct event_log *log);

/* An event that is kept. It is good until the next event is added. */
const struct logged_event *event_log_get(const struct event_log *log, uint64_t number);

/* Keeps none of the events. Their numbers are not used again. */
void event_log_forget(struct event_log *log);

/* An event was to be added and could not be made. It has a number, and is forgotten with
 * all before it, so that whoever has got these has not got everything. */
void event_log_add_lost(struct event_log *log);

#endif
