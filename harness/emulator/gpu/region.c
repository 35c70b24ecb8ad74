#include "client.h"

uint64_t
region_bytes(const struct region *r)
{
    return r->width * r->height;
}

uint64_t
region_sector_bytes(const struct region *r)
{
    uint64_t whole = (r->width + 31) & ~(uint64_t)31, span;

    if (region_bytes(r) == 0 || r->height == 1 || r->pitch == r->width)
        return region_bytes(r);
    span = (r->height - 1) * r->pitch + r->width;
    return whole < r->pitch ? whole * r->height : span;
}

bool
region_valid(struct server *s, const struct region *r)
{
    uint64_t start, bytes, extent, product;

    if (__builtin_mul_overflow(r->width, r->height, &product))
        return false;
    if (product == 0)
        return true;
    if (r->height > 1 && r->pitch < r->width)
        return false;
    if (r->height == 1)
        extent = r->width;
    else if (__builtin_mul_overflow(r->height - 1, r->pitch, &extent) ||
             __builtin_add_overflow(extent, r->width, &extent))
        return false;
    if (memory_find(s->machine, r->address, &start, &bytes) != 0)
        return false;
    return extent <= bytes - (r->address - start);
}

void *
region_next(struct server *s, const struct region *r, uint64_t *bytes)
{
    uint64_t row = r->done / r->width, column = r->done % r->width;

    if (r->height > 1 && r->pitch == r->width) /* the rows are one piece */
        *bytes = region_bytes(r) - r->done;
    else
        *bytes = r->width - column;
    return memory_host(
        s->machine, r->address + (r->height > 1 ? row * r->pitch : 0) + column, *bytes);
}

void
region_mark(struct server *s, const struct region *r)
{
    if (region_bytes(r) == 0)
        return;
    if (r->height == 1 || r->pitch == r->width) {
        memory_mark(s->machine, r->address, region_bytes(r), true);
        return;
    }
    for (uint64_t row = 0; row < r->height; row++)
        memory_mark(s->machine, r->address + row * r->pitch, r->width, true);
}
