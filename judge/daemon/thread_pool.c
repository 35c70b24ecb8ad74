/* Runs tasks in threads, and tells the event loop through an eventfd when one is done. */
#include "daemon/thread_pool.h"

#include "base/buf.h"
#include "daemon/loop_watch.h"
#include "daemon/thread.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define THREADS_MAX 4

/* Tasks, the oldest first. */
struct task_list {
    struct pool_task *first, **end;
};

struct thread_pool {
    const char *name;
    pthread_t thread[THREADS_MAX];
    int threads;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;
    struct task_list waiting, finished;
    bool ends;

    int told; /* an eventfd: something is finished */
    struct event *event;
};

static void
task_append(struct task_list *list, struct pool_task *task)
{
    task->next = NULL;
    *(list->first != NULL ? list->end : &list->first) = task;
    list->end = &task->next;
}

static struct pool_task *
task_take(struct task_list *list)
{
    struct pool_task *task = list->first;

    if (task != NULL)
        list->first = task->next;
    return task;
}

static void *
pool_run(void *arg)
{
    struct thread_pool *p = arg;
    struct pool_task *task;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->ends && p->waiting.first == NULL)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->ends)
            break;
        task = task_take(&p->waiting);
        pthread_mutex_unlock(&p->lock);
        task->run(task);
        pthread_mutex_lock(&p->lock);
        task_append(&p->finished, task);
        (void)eventfd_write(p->told, 1); /* it fails only where it is told already */
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void
pool_on_finished(evutil_socket_t fd, short what, void *arg)
{
    struct thread_pool *p = arg;
    LOOP_HANDLER(p->name);
    struct pool_task *task;
    eventfd_t count;

    (void)fd;
    (void)what;
    (void)eventfd_read(p->told, &count);
    pthread_mutex_lock(&p->lock);
    task = task_take(&p->finished);
    /* Each is a handler of its own, so that others come between them. */
    if (p->finished.first != NULL)
        (void)eventfd_write(p->told, 1);
    pthread_mutex_unlock(&p->lock);
    if (task != NULL)
        task->done(task, false);
}

struct thread_pool *
thread_pool_new(struct event_base *base, int threads, const char *name, struct report *r)
{
    struct thread_pool *p = xcalloc(1, sizeof *p);

    p->name = name;
    p->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->event = event_new(base, p->told, EV_READ | EV_PERSIST, pool_on_finished, p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    if (p->event == NULL || p->told < 0 || event_add(p->event, NULL) != 0) {
        report_fail(r, "the event loop cannot be told of %s", name);
        thread_pool_free(p);
        return NULL;
    }
    for (; p->threads < threads && p->threads < THREADS_MAX; p->threads++)
        if (thread_start(&p->thread[p->threads], pool_run, p, r) != 0) {
            thread_pool_free(p);
            return NULL;
        }
    return p;
}

void
thread_pool_free(struct thread_pool *p)
{
    struct pool_task *task;

    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->threads; i++)
        pthread_join(p->thread[i], NULL);
    while ((task = task_take(&p->finished)) != NULL ||
           (task = task_take(&p->waiting)) != NULL)
        task->done(task, true);
    if (p->event != NULL)
        event_free(p->event);
    if (p->told >= 0)
        close(p->told);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void
thread_pool_add(struct thread_pool *p, struct pool_task *task)
{
    pthread_mutex_lock(&p->lock);
    task_append(&p->waiting, task);
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}
