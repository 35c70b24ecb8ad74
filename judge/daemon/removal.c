#include "daemon/removal.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/log.h"
#include "daemon/thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct removed {
    char *folder, *label;
};

struct removal {
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;
    struct removed waiting[REMOVAL_WAITING]; /* a ring: the oldest is at `first` */
    int first, count;
    bool ends;
};

static void
removed_run(const struct removed *it)
{
    struct report r = {0};

    if (file_remove_tree(it->folder, &r) != 0)
        log_line("%s: %s", it->label, r.text);
    free(it->folder);
    free(it->label);
}

/* It ends when it is told so and nothing waits any more. */
static void *
removal_run(void *arg)
{
    struct removal *v = arg;

    pthread_mutex_lock(&v->lock);
    for (;;) {
        struct removed it;

        while (!v->ends && v->count == 0)
            pthread_cond_wait(&v->work, &v->lock);
        if (v->count == 0)
            break;
        it = v->waiting[v->first];
        v->first = (v->first + 1) % REMOVAL_WAITING;
        v->count--;
        pthread_mutex_unlock(&v->lock);
        removed_run(&it);
        pthread_mutex_lock(&v->lock);
    }
    pthread_mutex_unlock(&v->lock);
    return NULL;
}

struct removal *
removal_new(struct report *r)
{
    struct removal *v = xcalloc(1, sizeof *v);

    pthread_mutex_init(&v->lock, NULL);
    pthread_cond_init(&v->work, NULL);
    v->started = thread_start(&v->thread, removal_run, v, r) == 0;
    if (v->started)
        return v;
    removal_free(v);
    return NULL;
}

void
removal_free(struct removal *v)
{
    if (v == NULL)
        return;
    pthread_mutex_lock(&v->lock);
    v->ends = true;
    pthread_cond_signal(&v->work);
    pthread_mutex_unlock(&v->lock);
    if (v->started)
        pthread_join(v->thread, NULL);
    pthread_cond_destroy(&v->work);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

void
removal_add(struct removal *v, char *folder, const char *label)
{
    struct removed it = {folder, xstrdup(label)};
    bool taken = false;

    if (v != NULL) {
        pthread_mutex_lock(&v->lock);
        taken = v->count < REMOVAL_WAITING;
        if (taken)
            v->waiting[(v->first + v->count++) % REMOVAL_WAITING] = it;
        pthread_cond_signal(&v->work);
        pthread_mutex_unlock(&v->lock);
    }
    if (!taken)
        removed_run(&it);
}
