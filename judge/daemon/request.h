/*
 * Checks the body of POST /api/submissions. The functions are pure functions over bytes
 * that strangers send (tests/fuzz/fuzz_request.c). They decide what is valid by itself.
 * Whether problem and device exist is decided in api_submissions.c.
 */
#ifndef DAEMON_REQUEST_H
#define DAEMON_REQUEST_H

#include "base/config.h"
#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>

/* JSON escapes quotes and newlines, so that a source at its limit may be twice as long in
 * the body. */
#define BODY_BYTES_MAX (SOURCE_BYTES_MAX * 2 + 65536)
#define NAME_BYTES_MAX 100

struct submit_request {
    char *problem;
    char *device; /* NULL: the daemon's default */
    char *user;
    char *filename; /* made safe: of [A-Za-z0-9._+-], and ends in .cu */
    char *source;
    bool sample_tests_only;
};

/* Fills out, which the caller frees with submit_request_free(). On failure the report is
 * for the person who sent the request. */
int submit_request_parse(const char *body, size_t len, struct submit_request *out,
                         struct report *r);
void submit_request_free(struct submit_request *s);

/* The last part of a path, with only characters that are safe everywhere. The caller
 * frees. */
char *safe_filename(const char *name);

#endif
