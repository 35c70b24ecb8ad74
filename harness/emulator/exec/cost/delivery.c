/* Chunks of blocks in the order of their numbers: delivery.h. */
#include "delivery.h"

#include <stdlib.h>
#include <string.h>

#ifndef __clang__
/* gcc's analyzer loses sight of a chunk that an array keeps. */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

struct delivery_chunk {
    uint32_t count;
    struct ended_block list[];
};

void
delivery_begin(struct delivery *d, struct schedule *schedule, uint64_t chunk)
{
    *d = (struct delivery){.schedule = schedule, .chunk = chunk};
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
}

void
delivery_end(struct delivery *d)
{
    for (unsigned i = 0; d->early != NULL && i < EARLY_CHUNKS; i++)
        free(d->early[i]);
    free(d->early);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
}

/* Keeps a chunk until those before it have come. */
static void
keep_chunk(struct delivery *d, uint64_t number, const struct ended_blocks *e)
{
    size_t bytes = e->count * sizeof e->list[0];
    struct delivery_chunk *chunk = malloc(sizeof *chunk + bytes);

    if (d->early == NULL)
        d->early = calloc(EARLY_CHUNKS, sizeof(struct delivery_chunk *));
    if (chunk == NULL || d->early == NULL) {
        free(chunk);
        d->no_memory = d->stopped = true;
        pthread_cond_broadcast(&d->changed);
        return;
    }
    chunk->count = e->count;
    memcpy(chunk->list, e->list, bytes);
    d->early[number % EARLY_CHUNKS] = chunk;
}

void
ended_deliver(struct ended_blocks *e, struct schedule *schedule)
{
    for (uint32_t i = 0; i < e->count; i++)
        schedule_add(schedule, &e->list[i]);
    e->count = 0;
}

static void
add_next(struct delivery *d, const struct ended_block *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        schedule_add(d->schedule, &list[i]);
    d->next++;
}

/* Adds the chunks that have waited for the last one. */
static void
add_early(struct delivery *d)
{
    struct delivery_chunk **early;

    while (d->early != NULL && *(early = &d->early[d->next % EARLY_CHUNKS]) != NULL) {
        add_next(d, (*early)->list, (*early)->count);
        free(*early);
        *early = NULL;
    }
}

void
delivery_chunk(struct delivery *d, uint64_t first_block, struct ended_blocks *e)
{
    uint64_t number = first_block / d->chunk;

    pthread_mutex_lock(&d->lock);
    while (number - d->next >= EARLY_CHUNKS && !d->stopped)
        pthread_cond_wait(&d->changed, &d->lock);
    if (number == d->next) {
        add_next(d, e->list, e->count);
        add_early(d);
        pthread_cond_broadcast(&d->changed);
    } else if (!d->stopped) {
        keep_chunk(d, number, e);
    }
    pthread_mutex_unlock(&d->lock);
    e->count = 0;
}

void
delivery_stop(struct delivery *d)
{
    pthread_mutex_lock(&d->lock);
    d->stopped = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->lock);
}
