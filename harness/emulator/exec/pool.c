/*
 * The threads that execute a launch beside the one that asked for it. They wait between
 * launches. Thread i is the machine's worker i; the caller is worker 0.
 */
#include "pool.h"

#include "machine.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
    pthread_t *threads;
    int count;
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    uint64_t generation; /* launches so far */
    int working;         /* threads that have not finished the launch */
    bool quit;
};

struct pool_thread {
    struct pool *pool;
    struct worker *worker;
};

static void *
pool_main(void *arg)
{
    struct pool_thread start = *(struct pool_thread *)arg;
    struct pool *p = start.pool;
    uint64_t seen = 0;

    free(arg);
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (p->generation == seen) {
            pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        seen = p->generation;
        pthread_mutex_unlock(&p->lock);
        worker_run_parallel(start.worker);
        pthread_mutex_lock(&p->lock);
        if (--p->working == 0)
            pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct pool *
pool_new(struct machine *m)
{
    struct pool *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->threads = calloc((size_t)m->thread_count, sizeof *p->threads);
    if (p->threads == NULL) {
        free(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    for (int i = 1; i < m->thread_count; i++) {
        struct pool_thread *s = malloc(sizeof *s);

        if (s == NULL)
            break;
        *s = (struct pool_thread){p, &m->workers[i]};
        if (pthread_create(&p->threads[p->count], NULL, pool_main, s) != 0) {
            free(s);
            break;
        }
        p->count++;
    }
    return p;
}

int
pool_threads(const struct pool *p)
{
    return p->count;
}

void
pool_start(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->working = p->count;
    p->generation++;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void
pool_wait(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->working > 0)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void
pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->count; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->idle);
    pthread_mutex_destroy(&p->lock);
    free(p->threads);
    free(p);
}
