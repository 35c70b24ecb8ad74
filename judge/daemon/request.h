/*
 * Checks the bodies of requests, that of POST /api/submissions first. The functions are
 * pure functions over bytes that strangers send (tests/fuzz/fuzz_request.c). They decide
 * what is valid by itself. Whether problem and device exist is decided in
 * api_submit.c.
 */
#ifndef DAEMON_REQUEST_H
#define DAEMON_REQUEST_H

#include "base/config.h"
#include "base/report.h"
#include "daemon/errors.h"
#include "record/job.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* JSON escapes quotes and newlines, so that a source at its limit may be twice as long in
 * the body. */
#define BODY_BYTES_MAX (SOURCE_BYTES_MAX * 2 + 65536)
#define NAME_BYTES_MAX 100

/* A member that a body may have. Its value is a text that belongs to the parsed object,
 * or a whole number of at most 2^53; one of the two pointers is NULL. What is absent or
 * null leaves the value as it is. Where both pointers are NULL the value is an object,
 * which the caller takes out of the parsed one. */
struct request_field {
    const char *name;
    const char **text;
    int64_t *number;
};

/* Parses a body that is one JSON object with these members and no others. One that is too
 * long is not read. `what` names the object in messages, as in "a submission". The caller
 * deletes the object. NULL, with a report for the person who sent it, and *about. */
cJSON *request_object(const char *body, size_t len, const struct request_field *fields,
                      size_t count, const char *what, struct error_about *about,
                      struct report *r);

/* Reads a whole number from a path or a query. */
bool request_number(const char *text, int64_t least, int64_t most, int64_t *out);

struct submit_request {
    char *problem;
    char *device;   /* NULL: the daemon's default */
    char *user;     /* NULL: whoever sends it */
    char *filename; /* made safe: of [A-Za-z0-9._+-], and ends in .cu */
    char *source;
    bool sample_tests_only;
    enum profile profile;
    cJSON *own_case; /* an object (problem/own_case.h), not checked yet; NULL: none */
    char *seed;      /* of the inputs, only of what is graded; NULL: one is drawn */
};

/* Fills out, which the caller frees with submit_request_free(). On failure the report is
 * for the person who sent the request, and *about for the program. */
int submit_request_parse(const char *body, size_t len, struct submit_request *out,
                         struct error_about *about, struct report *r);
void submit_request_free(struct submit_request *s);

/* What a request calls such a submission, as "submit" or "grade". */
const char *request_mode_name(bool sample_tests_only, enum profile profile);

/* The last part of a path, with only characters that are safe everywhere. The caller
 * frees. */
char *safe_filename(const char *name);

#endif
