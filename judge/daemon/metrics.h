/*
 * What the daemon counts of itself since its start, for Prometheus (api_metrics.c). What
 * can be read off the queue, the connections and the process is not kept here.
 *
 * Labels have few values, however many people, problems and submissions there are.
 */
#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

#include "daemon/devices.h"
#include "daemon/errors.h"
#include "record/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct route;

#define HISTOGRAM_BUCKETS 14

/* How many values were at most as large as each bound, and the sum of all. */
struct histogram {
    const double *bound;                   /* HISTOGRAM_BUCKETS of them, ascending */
    uint64_t count[HISTOGRAM_BUCKETS + 1]; /* each bucket alone; the last has the rest */
    double sum;
};

void histogram_add(struct histogram *h, double value);

/*       enumerator  label */
#define PHASES(X)                                                                        \
    X(COMPILE, "compile")                                                                \
    X(TESTS, "tests")                                                                    \
    X(TIMING, "timing")

/*       enumerator  label                what was refused, or who was cut off */
#define REFUSALS(X)                                                                      \
    X(CONNECTIONS, "connections")               /* too many of all clients' */           \
    X(CLIENT_CONNECTIONS, "client_connections") /* too many of one client's */           \
    X(RECEIVED, "received")                     /* bytes of unfinished requests */       \
    X(CLIENT_RECEIVED, "client_received")                                                \
    X(SLOW_REQUEST, "slow_request") /* the request did not come whole in time */         \
    X(SLOW_ANSWER, "slow_answer")   /* the answer was not taken in time */               \
    X(STREAMS, "streams")                                                                \
    X(CLIENT_STREAMS, "client_streams")                                                  \
    X(UNSENT, "unsent") /* bytes of answers that nobody takes */                         \
    X(QUEUE, "queue")   /* places of all */                                              \
    X(QUEUE_SHARE, "queue_share")                                                        \
    X(QUOTA, "quota")                                                                    \
    X(ATTEMPTS, "attempts") /* to join or to sign in, and of invitations */

enum metric_phase {
#define X(name, text) PHASE_##name,
    PHASES(X)
#undef X
        PHASE_COUNT
};

enum refusal {
#define X(name, text) REFUSAL_##name,
    REFUSALS(X)
#undef X
        REFUSAL_COUNT
};

#define STATUS_CLASSES 6 /* by the hundreds of a status; 0: no answer was sent whole */

struct route_metrics {
    uint64_t requests[STATUS_CLASSES];
    struct histogram seconds; /* from the whole request to the last byte of the answer */
};

struct metrics {
    struct histogram wait; /* seconds from a submission to the beginning of its tests */
    struct histogram phase[PHASE_COUNT];    /* seconds of each */
    uint64_t verdicts[VERDICT_COUNT][2][2]; /* by verdict, emu or not, run or not */
    uint64_t failed_attempts;
    uint64_t refused[REFUSAL_COUNT];
    struct route_metrics *route; /* as routes[]; then one for what has no route */
    char *device[DEVICES_MAX];   /* all that were ever listed */
    int device_count;
};

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m); /* NULL is allowed */

/* Counts a request whose answer has ended. route NULL: there was none for it. */
void metrics_count_request(struct metrics *m, const struct route *route, int status,
                           double seconds);

/* Counts an error that is due to a cap; others do not count. */
void metrics_count_error(struct metrics *m, enum error_code code);

/* Remembers the devices that are listed now. */
void metrics_see_devices(struct metrics *m, const struct devices *devices);

#endif
