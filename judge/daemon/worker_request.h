/*
 * Checks the bodies of what workers send (docs/http-api.md, "Workers"). The functions are
 * pure functions over bytes of other machines (tests/fuzz/fuzz_worker.c). Whether the
 * worker is known, and the attempt its own, is decided in api_workers.c.
 */
#ifndef DAEMON_WORKER_REQUEST_H
#define DAEMON_WORKER_REQUEST_H

#include "base/report.h"
#include "daemon/errors.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKER_ID_BYTES 33 /* 128 random bits as hexadecimal digits, with the NUL */
#define FENCE_BYTES WORKER_ID_BYTES /* drawn in the same way */
#define WORKER_TEXT_MAX 400         /* bytes of a text that `status` shows */

/* A result comes in parts, because a request's body is bounded. */
#define RESULT_PARTS_MAX 256
#define RESULT_TEXT_MAX ((size_t)40 << 20)

/* What a worker does of an attempt. */
enum worker_role {
    WORKER_JUDGES,  /* it compiles what it judges, where nobody else has */
    WORKER_COMPILES /* it has no device, and its artefacts go to others */
};

const char *worker_role_name(enum worker_role role);

/* What a worker says of itself. The texts belong to `object`. */
struct worker_hello {
    cJSON *object;
    enum worker_role role;
    const char *linked; /* compile_linked_with(); "": it takes no artefacts */
    /* What the devices of one worker program have in common, as an id has it; "" where it
     * has one device. */
    const char *siblings;
    const char *node;   /* the name of its machine */
    const char *device; /* its name there: "cuda:0", "emu", or "compiler" */
    const char *board;  /* "NVIDIA H200", "emu"; "" of one that compiles */
    const char *title, *arch;
    const char *toolkit, *driver; /* "" where there is none */
    const char *lacks;            /* what it says it lacks, for people; "" for nothing */
    int64_t memory_bytes;
    bool insecure; /* it judges without a sandbox */
};

/* On failure the report is for the worker's log, and *about for its program. */
int worker_hello_parse(const char *body, size_t len, struct worker_hello *out,
                       struct error_about *about, struct report *r);
void worker_hello_free(struct worker_hello *h);

/* Everything else that a worker sends. What is absent is "", 0 or false. */
struct worker_message {
    cJSON *object;
    const char *worker, *fence;
    int64_t submission, attempt;
    const char *event;  /* of a heartbeat: "judging", "test", "timing" or "" */
    int64_t done, of;   /* of a test or of timing */
    const char *reason; /* why it gives the attempt back */
    int64_t part, parts;
    const char *text; /* of a part of a result */
    int64_t wait_s;   /* for how long it waits for work */
};

int worker_message_parse(const char *body, size_t len, struct worker_message *out,
                         struct error_about *about, struct report *r);
void worker_message_free(struct worker_message *m);

/* A whole result in its pieces, which worker_result_free() frees. Each is NULL where it
 * was not sent. */
struct worker_result {
    char *compiled;         /* the text of compile.json (record/job.h) */
    char *result;           /* that of result.json */
    char *artefact;         /* the text of record/artefact.h */
    char artefact_hash[65]; /* its SHA-256, which is what the worker has said */
};

int worker_result_split(const char *text, size_t len, struct worker_result *out,
                        struct report *r);
void worker_result_free(struct worker_result *w);

#endif
