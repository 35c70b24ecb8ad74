#include "daemon/result_reading.h"

#include "daemon/thread_pool.h"
#include "daemon/worker_request.h"

#include <stdlib.h>
#include <string.h>

struct result_reading {
    struct pool_task task; /* comes first, since it is what the threads know */
    char *folder;          /* NULL: it is a worker's text */
    struct buf text;
    struct read_result read;
    void (*done)(void *arg, struct read_result *read);
    void *arg;
};

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
    read->artefact = sent.artefact;
    memcpy(read->artefact_hash, sent.artefact_hash, sizeof read->artefact_hash);
    sent.artefact = NULL;
    worker_result_free(&sent);
}

static void
reading_run(struct pool_task *task)
{
    struct result_reading *t = (struct result_reading *)task;
    struct read_result *read = &t->read;

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
    free(t->read.artefact);
    buf_free(&t->text);
    free(t->folder);
    free(t);
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
    thread_pool_add(pool, &t->task);
}
