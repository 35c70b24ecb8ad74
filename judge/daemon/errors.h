/*
 * Errors as the API answers them: problem details (RFC 9457) in version 1, and
 * {"error": SENTENCE} on the paths from before. Each has a code, by which a program knows
 * it whatever the sentence says. A code that was once here keeps its meaning.
 */
#ifndef DAEMON_ERRORS_H
#define DAEMON_ERRORS_H

#include "base/report.h"

#include <stdint.h>

struct http_call;

/*  enumerator, code, status. The first of a status is for what has no code of its own. */
#define ERROR_CODES(X)                                                                   \
    X(BAD_REQUEST, "bad_request", 400)                                                   \
    X(INVALID_ADDRESS, "invalid_address", 400)                                           \
    X(UNKNOWN_PARAMETER, "unknown_parameter", 400)                                       \
    X(INVALID_PARAMETER, "invalid_parameter", 400)                                       \
    X(INVALID_BODY, "invalid_body", 400)                                                 \
    X(UNKNOWN_MEMBER, "unknown_member", 400)                                             \
    X(MISSING_MEMBER, "missing_member", 400)                                             \
    X(INVALID_MEMBER, "invalid_member", 400)                                             \
    X(NO_SUCH_DEVICE, "no_such_device", 400)                                             \
    X(UNFIT_DEVICE, "unfit_device", 400) /* the problem is not judged on it */           \
    X(UNCLAIMED_NAME, "unclaimed_name", 400)                                             \
    X(INVALID_HEADER, "invalid_header", 400)                                             \
    X(NO_TOKEN, "no_token", 400)                                                         \
    X(NO_SESSION, "no_session", 400)                                                     \
    X(UNAUTHENTICATED, "unauthenticated", 401)                                           \
    X(FORBIDDEN, "forbidden", 403)                                                       \
    X(FOREIGN_HOST, "foreign_host", 403)                                                 \
    X(FOREIGN_ORIGIN, "foreign_origin", 403)                                             \
    X(NO_ACCOUNTS, "no_accounts", 403)                                                   \
    X(INVITATION, "invitation", 403) /* it is missing, or not good for this */           \
    X(NAME_TAKEN, "name_taken", 403)                                                     \
    X(WRONG_PASSWORD, "wrong_password", 403)                                             \
    X(PLAIN_HTTP, "plain_http", 403) /* a password came over plain HTTP */               \
    X(RESET_CODE, "reset_code", 403) /* it is not good */                                \
    X(GROUP_CODE, "group_code", 403) /* it is not good */                                \
    X(NOT_FOUND, "not_found", 404)                                                       \
    X(NO_SUCH_CALL, "no_such_call", 404)                                                 \
    X(NO_SUCH_PROBLEM, "no_such_problem", 404)                                           \
    X(NO_LADDER, "no_ladder", 404)                                                       \
    X(NO_SUCH_STEP, "no_such_step", 404)                                                 \
    X(NO_DISASSEMBLER, "no_disassembler", 404)                                           \
    X(NO_SUCH_SUBMISSION, "no_such_submission", 404)                                     \
    X(NO_ARCHIVE, "no_archive", 404) /* no problem has this hash any more */             \
    X(NO_ARTEFACT, "no_artefact", 404)                                                   \
    X(NO_ARRAYS, "no_arrays", 404) /* it has none, or none any more */                   \
    X(NO_SUCH_ENTRY, "no_such_entry", 404)                                               \
    X(NO_SUCH_REJUDGEMENT, "no_such_rejudgement", 404)                                   \
    X(NO_HOUSE_RUN, "no_house_run", 404)                                                 \
    X(NO_SUCH_ACCOUNT, "no_such_account", 404)                                           \
    X(NO_SUCH_GROUP, "no_such_group", 404)                                               \
    X(NO_SUCH_PLACE, "no_such_place", 404) /* nobody of this name is in the group */     \
    X(NO_SUCH_ASSIGNMENT, "no_such_assignment", 404)                                     \
    X(NO_SUCH_ANNOUNCEMENT, "no_such_announcement", 404)                                 \
    X(NO_SUCH_TOKEN, "no_such_token", 404)                                               \
    X(NO_SUCH_SESSION, "no_such_session", 404)                                           \
    X(METHOD_NOT_ALLOWED, "method_not_allowed", 405)                                     \
    X(TIMEOUT, "timeout", 408)                                                           \
    X(CONFLICT, "conflict", 409)                                                         \
    X(JUDGED_ALREADY, "judged_already", 409)                                             \
    X(NO_LEASE, "no_lease", 409)   /* the attempt is not this worker's any more */       \
    X(NO_WORKER, "no_worker", 409) /* it must register first */                          \
    X(TOO_LARGE, "too_large", 413)                                                       \
    X(MEDIA_TYPE, "unsupported_media_type", 415)                                         \
    X(KEY_REUSED, "idempotency_key_reused", 422)                                         \
    X(TOO_MANY, "too_many_requests", 429)                                                \
    X(QUOTA, "quota", 429)                                                               \
    X(QUEUE_SHARE, "queue_share", 429) /* one's own places in the queue are taken */     \
    X(JUDGE_FAILED, "judge_failed", 500)                                                 \
    X(UNAVAILABLE, "unavailable", 503)                                                   \
    X(QUEUE_FULL, "queue_full", 503)                                                     \
    X(STOPPING, "stopping", 503)

enum error_code {
#define X(name, text, status) ERROR_##name,
    ERROR_CODES(X)
#undef X
};

/* The words of a status, as in "Not Found". */
const char *status_words(int status);

#define ERROR_FIELD_MAX 100

/* What an error is about: its code, and the field that is wrong. That is "?limit" for a
 * parameter of the query, "/user" for a member of the body (a JSON pointer, RFC 6901), or
 * empty. */
struct error_about {
    enum error_code code;
    char field[ERROR_FIELD_MAX];
};

/* What is wrong with a member of the body. A name that is too long to be shown, or NULL,
 * leaves the field empty. */
void error_about_member(struct error_about *about, enum error_code code,
                        const char *member);

/* Answer a call. The status is the code's; reply_error() takes the first code of a
 * status. The field may be NULL. */
void reply_problem(struct http_call *c, enum error_code code, const char *field,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void reply_error(struct http_call *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the header that says when to try again, to the error that follows. */
void reply_retry_after(struct http_call *c, int64_t seconds);

/* reply_error() with RETRY_AFTER_S in it. */
void reply_later(struct http_call *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Answers 500 with the report's sentence, which is also logged. */
void reply_failure(struct http_call *c, const struct report *r);

/* Answers with what identity_find() or rights_check() refused. */
void reply_refused(struct http_call *c, int status, const struct report *r);

#endif
