/* The API's calls (docs/http-api.md), and the JSON of a submission. */
#ifndef DAEMON_API_H
#define DAEMON_API_H

#include "daemon/http.h"

void api_health(struct call *c);
void api_problems(struct call *c);
void api_problem(struct call *c); /* arg 0: slug */
void api_board(struct call *c);   /* arg 0: slug */
void api_submit(struct call *c);
void api_submissions(struct call *c);
void api_submission(struct call *c); /* arg 0: id */
void api_source(struct call *c);     /* arg 0: id */
void api_events(struct call *c);     /* arg 0: id */

/* A submission as the API shows it; NULL and a report if the store fails. details: with
 * its tests and samples. */
struct submission;
cJSON *submission_json(struct daemon *d, const struct submission *sub, bool details,
                       struct report *r);

/* The last event to everyone who watches a submission that has just become done. */
void api_tell_done(struct daemon *d, int64_t id);

/* bytes or flops of work in a time: GB/s or GFLOP/s (1 per ns is 1e9 per s); null where
 * the spec does not say how much work it is. */
cJSON *rate_json(double work, double time_ns);

#endif
