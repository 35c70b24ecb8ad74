#include "daemon/result_reading.h"

#include "base/file.h"
#include "base/inject.h"
#include "daemon/thread_pool.h"
#include "daemon/worker_request.h"

#include <stdlib.h>
#include <string.h>

struct result_reading {
    struct pool_task task; /* comes first, since it is what the threads know */
    char *folder;          /* NULL: it is a worker's text */
    struct buf text;
    char *artefact_path;           /* NULL: no artefact is asked for */
    struct artefact_origin origin; /* its texts follow, which it points to */
    char *arch, *toolkit, *linked;
    struct read_result read;
    void (*done)(void *arg, struct read_result *read);
    void *arg;
};

/* Checks and writes the artefact, where one is asked for. */
static int
reading_keep_artefact(struct result_reading *t, const struct worker_result *sent,
                      struct report *r)
{
    size_t len;

    if (sent->artefact == NULL)
        return report_fail(r, "its result has no artefact of what was compiled");
    len = strlen(sent->artefact);
    if (artefact_check(sent->artefact, len, &t->origin, r) != 0)
        return -1;
    inject_hold(INJECT_ARTEFACT_HELD);
    if (file_write(t->artefact_path, sent->artefact, len, r) != 0) {
        t->read.cannot_write = true;
        return -1;
    }
    inject_hold(INJECT_ARTEFACT_KEPT);
    memcpy(t->read.artefact_hash, sent->artefact_hash, sizeof t->read.artefact_hash);
    t->read.artefact_bytes = len;
    return 0;
}

/* Reads what a worker has sent. What it judged counts only where it compiled. */
static void
reading_run_text(struct result_reading *t)
{
    struct read_result *read = &t->read;
    struct worker_result sent;

    if (worker_result_split(buf_str(&t->text), t->text.len, &sent, &read->why) != 0) {
        read->is_bad = true;
        return;
    }
    if (sent.compiled != NULL) {
        read->has_compiled = compile_result_parse(sent.compiled, strlen(sent.compiled),
                                                  &read->compiled, &read->why) == 0;
        read->is_bad = !read->has_compiled;
    }
    if (sent.result != NULL && !read->is_bad &&
        (!read->has_compiled || read->compiled.ok)) {
        read->has_result = result_parse(sent.result, strlen(sent.result), &read->result,
                                        &read->why) == 0;
        read->is_bad = !read->has_result;
    }
    if (t->artefact_path != NULL)
        read->has_artefact = reading_keep_artefact(t, &sent, &read->artefact_why) == 0;
    worker_result_free(&sent);
}

static void
reading_run(struct pool_task *task)
{
    struct result_reading *t = (struct result_reading *)task;
    struct read_result *read = &t->read;

    inject_hold(INJECT_READING_HELD);
    if (t->folder == NULL) {
        reading_run_text(t);
        return;
    }
    read->has_result = result_read(t->folder, &read->result, &read->why) == 0;
    read->is_bad = !read->has_result;
}

static void
reading_done(struct pool_task *task, bool dropped)
{
    struct result_reading *t = (struct result_reading *)task;

    t->done(t->arg, dropped ? NULL : &t->read);
    compile_result_free(&t->read.compiled);
    result_free(&t->read.result);
    buf_free(&t->text);
    free(t->folder);
    free(t->artefact_path);
    free(t->arch);
    free(t->toolkit);
    free(t->linked);
    free(t);
}

/* Copies what the artefact must be of: device and worker may go meanwhile. */
static void
reading_ask_artefact(struct result_reading *t, const struct result_task *task)
{
    const struct artefact_origin *origin = task->origin;

    t->artefact_path = xstrdup(task->artefact_path);
    t->arch = xstrdup(origin->arch);
    t->toolkit = xstrdup(origin->toolkit);
    t->linked = xstrdup(origin->linked);
    t->origin = *origin;
    t->origin.arch = t->arch;
    t->origin.toolkit = t->toolkit;
    t->origin.linked = t->linked;
}

void
result_reading_add(struct thread_pool *pool, const struct result_task *task)
{
    struct result_reading *t = xcalloc(1, sizeof *t);

    *t = (struct result_reading){.task = {.run = reading_run, .done = reading_done},
                                 .folder =
                                     task->folder != NULL ? xstrdup(task->folder) : NULL,
                                 .done = task->done,
                                 .arg = task->arg};
    if (task->text != NULL) {
        t->text = *task->text;
        *task->text = (struct buf){0};
    }
    if (task->origin != NULL)
        reading_ask_artefact(t, task);
    thread_pool_add(pool, &t->task);
}
