/* The functions that answer the API's calls (docs/http-api.md), and the JSON of a
 * submission. */
#ifndef DAEMON_API_H
#define DAEMON_API_H

#include "daemon/http.h"
#include "problem/problem.h"

void api_openapi(struct http_call *c);
void api_health(struct http_call *c);
void api_metrics(struct http_call *c);
void api_problems(struct http_call *c);
void api_problem(struct http_call *c);        /* arg 0: slug */
void api_board(struct http_call *c);          /* arg 0: slug */
void api_begin_board(struct http_call *c);    /* arg 0: slug */
void api_preview(struct http_call *c);        /* arg 0: slug */
void api_preview_events(struct http_call *c); /* arg 0: slug */
void api_hint(struct http_call *c);           /* arg 0: slug */
void api_hint_source(struct http_call *c);    /* arg 0: slug */
void api_user(struct http_call *c);           /* arg 0: name */
void api_standings(struct http_call *c);
void api_next(struct http_call *c);
void api_feed(struct http_call *c);
void api_calibrations(struct http_call *c);
void api_equal(struct http_call *c);
void api_submit(struct http_call *c);
void api_submissions(struct http_call *c);
void api_submission(struct http_call *c); /* arg 0: id */
void api_source(struct http_call *c);     /* arg 0: id */
void api_arrays(struct http_call *c);     /* arg 0: id */
void api_assemble(struct http_call *c);
void api_assembly(struct http_call *c); /* arg 0: id */
void api_events(struct http_call *c);   /* arg 0: id */
void api_all_events(struct http_call *c);
void api_cancel(struct http_call *c); /* arg 0: id */

void api_whoami(struct http_call *c);
void api_join(struct http_call *c);
void api_set_name(struct http_call *c);
void api_export(struct http_call *c);
void api_delete_own(struct http_call *c);
void api_sign_out(struct http_call *c);
void api_sign_in(struct http_call *c);
void api_sign_in_token(struct http_call *c);
void api_set_password(struct http_call *c);
void api_remove_password(struct http_call *c);
void api_reset(struct http_call *c); /* arg 0: name */
void api_use_reset(struct http_call *c);
void api_sessions(struct http_call *c);
void api_end_session(struct http_call *c); /* arg 0: id, or "all" */
void api_end_this_session(struct http_call *c);
void api_account_sessions(struct http_call *c);    /* arg 0: name */
void api_end_account_session(struct http_call *c); /* arg 0: name, arg 1: as above */
void api_tokens(struct http_call *c);
void api_new_token(struct http_call *c);
void api_revoke_token(struct http_call *c); /* arg 0: id */
void api_accounts(struct http_call *c);
void api_change_account(struct http_call *c); /* arg 0: name */
void api_delete_account(struct http_call *c); /* arg 0: name */
void api_account_quota(struct http_call *c);
void api_set_account_quota(struct http_call *c);
void api_assign(struct http_call *c); /* arg 0: name */
void api_join_group(struct http_call *c);
void api_groups(struct http_call *c);
void api_new_group(struct http_call *c);
void api_group(struct http_call *c); /* arg 0: name, as below */
void api_delete_group(struct http_call *c);
void api_group_codes(struct http_call *c);
void api_new_group_code(struct http_call *c);
void api_withdraw_group_codes(struct http_call *c);
void api_roster(struct http_call *c);
void api_enrol(struct http_call *c);
void api_change_place(struct http_call *c); /* arg 1: user, as below */
void api_leave_group(struct http_call *c);
void api_assignments(struct http_call *c);
void api_set_assignment(struct http_call *c);
void api_drop_assignment(struct http_call *c); /* arg 1: its name, as below */
void api_extend(struct http_call *c);
void api_invite_again(struct http_call *c);
void api_announcements(struct http_call *c);
void api_announce(struct http_call *c);
void api_drop_announcement(struct http_call *c); /* arg 0: id */
void api_queue(struct http_call *c);
void api_delete_submission(struct http_call *c); /* arg 0: id */
void api_grades(struct http_call *c);
void api_group_grades(struct http_call *c); /* arg 0: name */
void api_rejudge(struct http_call *c);
void api_rejudgement(struct http_call *c);
void api_cancel_rejudgement(struct http_call *c);
void api_begin_house(struct http_call *c);
void api_house(struct http_call *c);
void api_cancel_house(struct http_call *c);
void api_invite(struct http_call *c);

void api_workers(struct http_call *c);
void api_worker_register(struct http_call *c);
void api_worker_lease(struct http_call *c);
void api_worker_heartbeat(struct http_call *c);
void api_worker_result(struct http_call *c);
void api_worker_return(struct http_call *c);
void api_worker_leave(struct http_call *c);
void api_worker_problem(struct http_call *c);  /* arg 0: hash */
void api_worker_artefact(struct http_call *c); /* arg 0: hash */

/* The problem that a call names by its first segment, or NULL after having answered. */
const struct problem *api_asked_problem(struct http_call *c);

/* The name of the board that a call means: that of a device, of a device's board, or of a
 * board with entries whose device is not here. The caller frees it. NULL after having
 * answered; the field is where the name was (errors.h). */
char *api_board_named(struct http_call *c, const char *name, const char *field);

/* The board that device= names, or that of the default device. The caller frees it. NULL
 * after having answered. */
char *api_asked_board(struct http_call *c);

/* A submission as the API shows it; with `details` also its tests and samples. NULL and a
 * report if the store fails. */
struct submission;
cJSON *submission_json(struct daemon *d, const struct submission *sub, bool details,
                       struct report *r);

/* Adds to a submission, for the staff, who else has sent equal work (record/equal.h). */
int api_add_equal(struct daemon *d, cJSON *o, const struct submission *sub,
                  struct report *r);

/* What a result of this time changed on its board (record/moves.h). */
struct move;
cJSON *change_json(const struct move *m, double time_ns);

/* An account, and a list of tokens, as the API shows them. `this` is the token that asks.
 */
struct account;
struct tokens;
cJSON *account_json(const struct account *a);
cJSON *tokens_json(const struct tokens *list, int64_t this);
/* The same of sessions. */
struct sessions;
cJSON *sessions_json(const struct sessions *list, int64_t this);

/* Finds the submission that a call names by its first segment; or that only where who
 * asks may see its source. The caller frees it. False after having answered. */
bool asked_submission(struct http_call *c, struct submission *out);
bool asked_source(struct http_call *c, struct submission *out);

/* Finds the account that a path names. False after having answered. */
bool asked_account(struct http_call *c, const char *name, struct account *out);

/* Sends the last event to everyone who watches a submission that has just become done. */
void api_tell_done(struct daemon *d, int64_t id);

/* Work divided by time: GB/s for bytes, GFLOP/s for flops, because 1 per ns is 1e9 per s.
 * It is null where the spec states no work. */
cJSON *rate_json(double work, double time_ns);

/* Is there such a problem, or is none asked for? False after having answered, with the
 * code and the field that named it. */
bool api_check_problem(struct http_call *c, const char *slug, enum error_code code,
                       const char *field);

/* Finds whom user= names, and sets *said where it is there: *account is then the user's,
 * or 0 where nobody has the name. False after having answered. */
bool api_query_user(struct http_call *c, bool *said, int64_t *account);

#endif
