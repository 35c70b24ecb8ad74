#include "daemon/web/long_answer.h"

#include "base/inject.h"
#include "daemon/thread_pool.h"

#include <stdlib.h>

struct long_answer {
    struct pool_task task; /* comes first, since it is what the threads know */
    struct buf text;
    cJSON *answer;
    void (*done)(void *arg, cJSON *answer, bool dropped);
    void *arg;
};

static void
parsing_run(struct pool_task *task)
{
    struct long_answer *a = (struct long_answer *)task;

    inject_hold(INJECT_PARSING_HELD);
    a->answer = cJSON_ParseWithLength(a->text.data, a->text.len);
    buf_free(&a->text);
}

static void
parsing_done(struct pool_task *task, bool dropped)
{
    struct long_answer *a = (struct long_answer *)task;

    a->done(a->arg, a->answer, dropped);
    buf_free(&a->text);
    free(a);
}

void
long_answer_parse(struct thread_pool *pool, struct buf *text,
                  void (*done)(void *arg, cJSON *answer, bool dropped), void *arg)
{
    struct long_answer *a = xcalloc(1, sizeof *a);

    *a = (struct long_answer){.task = {.run = parsing_run, .done = parsing_done},
                              .text = *text,
                              .done = done,
                              .arg = arg};
    *text = (struct buf){0};
    thread_pool_add(pool, &a->task);
}

static void
deletion_run(struct pool_task *task)
{
    struct long_answer *a = (struct long_answer *)task;

    cJSON_Delete(a->answer);
    a->answer = NULL;
}

static void
deletion_done(struct pool_task *task, bool dropped)
{
    (void)dropped;
    deletion_run(task); /* where it was dropped before that */
    free(task);
}

void
long_answer_delete(struct thread_pool *pool, cJSON *answer)
{
    struct long_answer *a = xcalloc(1, sizeof *a);

    *a = (struct long_answer){.task = {.run = deletion_run, .done = deletion_done},
                              .answer = answer};
    thread_pool_add(pool, &a->task);
}
