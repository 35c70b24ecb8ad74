/* A hash table with chains, which doubles where it is full. */
#include "cli/grade_known.h"

#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_MIN 1024

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. Ids are the user's own, so that
 * nobody gains by choosing some that collide. */
static uint64_t
known_hash(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash;
}

const struct known *
known_find(const struct known_set *set, const char *name)
{
    const struct known *k =
        set->buckets > 0 ? set->bucket[known_hash(name) % set->buckets] : NULL;

    while (k != NULL && strcmp(k->name, name) != 0)
        k = k->next;
    return k;
}

static void
known_grow(struct known_set *set)
{
    const size_t buckets = set->buckets > 0 ? set->buckets * 2 : BUCKETS_MIN;
    struct known **bucket = xcalloc(buckets, sizeof(struct known *));

    for (size_t i = 0; i < set->buckets; i++)
        for (struct known *k = set->bucket[i], *next; k != NULL; k = next) {
            struct known **at = &bucket[known_hash(k->name) % buckets];

            next = k->next;
            k->next = *at;
            *at = k;
        }
    free(set->bucket);
    set->bucket = bucket;
    set->buckets = buckets;
}

bool
known_add(struct known_set *set, const char *name, off_t at, size_t len)
{
    struct known *k, **bucket;

    if (known_find(set, name) != NULL)
        return false;
    if (set->count >= set->buckets)
        known_grow(set);
    bucket = &set->bucket[known_hash(name) % set->buckets];
    k = xcalloc(1, sizeof *k);
    *k = (struct known){.next = *bucket, .name = xstrdup(name), .at = at, .len = len};
    *bucket = k;
    set->count++;
    return true;
}

void
known_free(struct known_set *set)
{
    for (size_t i = 0; i < set->buckets; i++)
        for (struct known *k = set->bucket[i], *next; k != NULL; k = next) {
            next = k->next;
            free(k->name);
            free(k);
        }
    free(set->bucket);
    *set = (struct known_set){0};
}
