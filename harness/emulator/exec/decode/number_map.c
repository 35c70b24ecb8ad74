/* A map from 64-bit keys to numbers, with open addressing. It finds the lane vector that
 * a constant or a special value already has, however many of them a kernel has. */
#include "decoder.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* Fibonacci hashing: the upper bits of a product are well mixed. */
static uint32_t
slot_of(const struct number_map *map, uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (map->slots - 1);

    while (map->slot[i].value != 0 && map->slot[i].key != key)
        i = (i + 1) & (map->slots - 1);
    return i;
}

static int
enlarge(struct number_map *map)
{
    struct number_map larger = {.slots = map->slots != 0 ? map->slots * 2 : FIRST_SLOTS,
                                .used = map->used};

    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (larger.slot == NULL)
        return -1;
    for (uint32_t i = 0; i < map->slots; i++)
        if (map->slot[i].value != 0)
            larger.slot[slot_of(&larger, map->slot[i].key)] = map->slot[i];
    free(map->slot);
    *map = larger;
    return 0;
}

uint32_t *
number_map_at(struct number_map *map, uint64_t key)
{
    uint32_t i;

    if (map->used >= map->slots / 2 && enlarge(map) != 0)
        return NULL;
    i = slot_of(map, key);
    if (map->slot[i].value == 0) {
        map->slot[i].key = key;
        map->used++; /* the caller fills it, or decoding fails */
    }
    return &map->slot[i].value;
}
