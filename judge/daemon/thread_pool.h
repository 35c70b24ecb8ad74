/*
 * Work beside the event loop, for what would hold it too long: threads that take tasks
 * one after another, the oldest first. A task is a struct of its owner's that begins with
 * struct pool_task. While it waits or runs nobody else touches it.
 */
#ifndef DAEMON_THREAD_POOL_H
#define DAEMON_THREAD_POOL_H

#include "base/report.h"

#include <stdbool.h>

struct event_base;
struct thread_pool;

struct pool_task {
    struct pool_task *next;
    void (*run)(struct pool_task *task); /* is called in one of the threads */
    /* Is called from the event loop after that, and frees the task. dropped: the pool has
     * ended, and perhaps nothing was run. */
    void (*done)(struct pool_task *task, bool dropped);
};

/* `name` is what the log calls the handling of finished tasks. */
struct thread_pool *thread_pool_new(struct event_base *base, int threads,
                                    const char *name, struct report *r);
/* Waits for what runs now. All other tasks are dropped. */
void thread_pool_free(struct thread_pool *p);

void thread_pool_add(struct thread_pool *p, struct pool_task *task);

#endif
