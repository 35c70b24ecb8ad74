/*
 * Reading of what comes of an attempt, in a thread: a result of megabytes takes tens of
 * milliseconds to parse and to clean.
 */
#ifndef DAEMON_RESULT_READING_H
#define DAEMON_RESULT_READING_H

#include "base/buf.h"
#include "base/report.h"
#include "record/artefact.h"
#include "record/job.h"

#include <stdbool.h>

struct thread_pool;

#define READING_THREADS 2

/* What was read. A member may be taken over, if zeros are left there. */
struct read_result {
    bool is_bad;       /* it cannot be read: `why` */
    bool has_compiled; /* of a worker: what it says of the compiler is there */
    struct compile_result compiled;
    bool has_result;
    struct result result;
    struct report why;
    bool has_artefact; /* it is checked and written; otherwise `artefact_why` */
    bool cannot_write; /* it is checked, and this machine has failed to write it */
    size_t artefact_bytes;
    char artefact_hash[ARTEFACT_HASH_BYTES];
    struct report artefact_why;
};

/* Has result.json of a job folder read; or the text that a worker has sent
 * (worker_result_split()), which is moved from. `done` is called from the event loop;
 * with NULL where the pool has ended before. */
struct result_task {
    const char *folder; /* NULL: it is a worker's text */
    struct buf *text;
    /* What its artefact must say of itself (record/artefact.h), and the file that it is
     * written to. Both are copied; NULL: none is asked for. */
    const struct artefact_origin *origin;
    const char *artefact_path;
    void (*done)(void *arg, struct read_result *read);
    void *arg;
};

void result_reading_add(struct thread_pool *pool, const struct result_task *task);

#endif
