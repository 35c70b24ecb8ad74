/* Bulk copies to shared memory that are under way: async.h. */
#include "async.h"

#include "../worker.h"

#include <stdlib.h>
#include <string.h>

enum { FLIGHT_BYTES_MAX = 64 << 20 }; /* under way for one worker */

/* A copy of which the source has been read. Pointers are the host's. */
struct flight {
    const uint8_t *barrier; /* the mbarrier that tells of its end */
    uint8_t *to, *data;
    uint32_t bytes;
};

struct flights {
    struct flight *list; /* in the order in which they began */
    uint32_t count, max;
    uint64_t bytes;
};

static struct flight *
flights_add(struct worker *wk)
{
    struct flights *all = wk->flights;

    if (all == NULL)
        all = wk->flights = calloc(1, sizeof *all);
    if (all == NULL)
        return NULL;
    if (all->count == all->max) {
        uint32_t max = all->max != 0 ? 2 * all->max : 16;
        struct flight *list = realloc(all->list, max * sizeof *list);

        if (list == NULL)
            return NULL;
        all->list = list;
        all->max = max;
    }
    return &all->list[all->count];
}

/* Takes flight i out of the list, in which the others keep their order. */
static void
flights_remove(struct flights *all, uint32_t i)
{
    all->bytes -= all->list[i].bytes;
    free(all->list[i].data);
    all->count--;
    memmove(&all->list[i], &all->list[i + 1], (all->count - i) * sizeof *all->list);
}

uint8_t *
flight_begin(struct warp *w, const uint8_t *barrier, uint8_t *to, uint32_t bytes)
{
    struct worker *wk = w->worker;
    struct flight *f;

    if (wk->flights != NULL && wk->flights->bytes + bytes > FLIGHT_BYTES_MAX)
        return NULL;
    f = flights_add(wk);
    if (f == NULL)
        return NULL;
    *f = (struct flight){barrier, to, malloc(bytes), bytes};
    if (f->data == NULL)
        return NULL;
    wk->flights->count++;
    wk->flights->bytes += bytes;
    return f->data;
}

void
flights_land(struct worker *wk, const uint8_t *barrier)
{
    struct flights *all = wk->flights;

    for (uint32_t i = 0; all != NULL && i < all->count;) {
        const struct flight *f = &all->list[i];

        if (f->barrier != barrier) {
            i++;
            continue;
        }
        memcpy(f->to, f->data, f->bytes);
        flights_remove(all, i);
    }
}

static bool
is_within(const uint8_t *p, const uint8_t *memory, uint64_t bytes)
{
    return p >= memory && p < memory + bytes;
}

void
flights_drop(struct worker *wk, const uint8_t *memory, uint64_t bytes)
{
    struct flights *all = wk->flights;

    for (uint32_t i = all != NULL ? all->count : 0; i-- > 0;)
        if (is_within(all->list[i].barrier, memory, bytes) ||
            is_within(all->list[i].to, memory, bytes))
            flights_remove(all, i);
}

void
flights_free(struct worker *wk)
{
    struct flights *all = wk->flights;

    for (uint32_t i = 0; all != NULL && i < all->count; i++)
        free(all->list[i].data);
    if (all != NULL)
        free(all->list);
    free(all);
    wk->flights = NULL;
}
