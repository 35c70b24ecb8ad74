/* The table of a machine's textures and surfaces. */
#include "fetch.h"

#include <stdlib.h>

enum {
    TEXTURES_MAX = 1 << 20,
    SIDE_MAX = 1 << 17,
    LINEAR_MAX = 1 << 30,
    LEVELS_MAX = 18,
};

/* A handle is 1 + index + generation << 20, so that the handle of a destroyed object is
 * never used again. */
struct texture_slot {
    bool used;
    uint32_t generation;
    struct texture texture;
};

struct texture_table {
    struct texture_slot *slot;
    uint32_t count, max, free_hint;
};

static bool
makes_sense(const struct texture_info *t)
{
    uint32_t side = t->kind == TEXTURE_LINEAR ? LINEAR_MAX : SIDE_MAX;

    if (t->kind > TEXTURE_ARRAY || t->dims < 1 || t->dims > 3 || t->format > TEXEL_FLOAT)
        return false;
    if (t->width == 0 || t->height == 0 || t->depth == 0 || t->layers == 0 ||
        t->width > side || t->height > SIDE_MAX || t->depth > SIDE_MAX / 8 ||
        t->layers > SIDE_MAX / 8 || t->levels == 0 || t->levels > LEVELS_MAX)
        return false;
    if ((t->dims < 2 && t->height != 1) || (t->dims < 3 && t->depth != 1) ||
        (t->depth != 1 && t->layers != 1) || (t->cube && t->layers % 6 != 0) ||
        (t->cube && (t->dims != 2 || t->width != t->height)))
        return false;
    if ((t->channels != 1 && t->channels != 2 && t->channels != 4) ||
        (t->bits != 8 && t->bits != 16 && t->bits != 32) ||
        (t->format == TEXEL_FLOAT && t->bits == 8))
        return false;
    if (t->kind != TEXTURE_ARRAY && (t->levels != 1 || t->layers != 1 || t->depth != 1))
        return false;
    if (t->kind == TEXTURE_LINEAR && t->dims != 1)
        return false;
    if (t->kind == TEXTURE_PITCH &&
        (t->pitch < (uint64_t)t->width * texel_bytes(t) || t->pitch > UINT32_MAX))
        return false;
    return t->mode[0] <= TEXTURE_BORDER && t->mode[1] <= TEXTURE_BORDER &&
           t->mode[2] <= TEXTURE_BORDER;
}

uint64_t
texture_bytes(const struct texture_info *t)
{
    if (!makes_sense(t))
        return 0;
    if (t->kind == TEXTURE_PITCH) /* the last row may end early */
        return t->pitch * (t->height - 1) + (uint64_t)t->width * texel_bytes(t);
    return texture_level(t, t->levels).offset;
}

static uint32_t
free_slot(struct texture_table *table)
{
    struct texture_slot *grown;
    uint32_t max;

    for (uint32_t i = table->free_hint; i < table->count; i++)
        if (!table->slot[i].used)
            return i;
    if (table->count < table->max)
        return table->count;
    max = table->max != 0 ? 2 * table->max : 16;
    grown = max <= TEXTURES_MAX ? realloc(table->slot, max * sizeof *grown) : NULL;
    if (grown == NULL)
        return UINT32_MAX;
    table->slot = grown;
    table->max = max;
    return table->count;
}

uint64_t
texture_new(struct machine *m, const struct texture_info *info)
{
    uint64_t bytes = texture_bytes(info);
    uint32_t i;

    if (bytes == 0 || memory_host(m, info->address, bytes) == NULL)
        return 0;
    if (m->textures == NULL)
        m->textures = calloc(1, sizeof *m->textures);
    i = m->textures != NULL ? free_slot(m->textures) : UINT32_MAX;
    if (i == UINT32_MAX)
        return 0;
    if (i == m->textures->count) {
        m->textures->count++;
        m->textures->slot[i] = (struct texture_slot){0};
    }
    m->textures->free_hint = i + 1;
    m->textures->slot[i].used = true;
    m->textures->slot[i].texture = (struct texture){*info, bytes};
    return (uint64_t)m->textures->slot[i].generation * TEXTURES_MAX + i + 1;
}

static struct texture_slot *
slot_of(const struct machine *m, uint64_t handle)
{
    uint64_t i = (handle - 1) % TEXTURES_MAX, generation = (handle - 1) / TEXTURES_MAX;

    if (handle == 0 || m->textures == NULL || i >= m->textures->count ||
        !m->textures->slot[i].used || m->textures->slot[i].generation != generation)
        return NULL;
    return &m->textures->slot[i];
}

int
texture_free(struct machine *m, uint64_t handle)
{
    struct texture_slot *s = slot_of(m, handle);

    if (s == NULL)
        return -1;
    s->used = false;
    s->generation++;
    if ((uint32_t)(s - m->textures->slot) < m->textures->free_hint)
        m->textures->free_hint = (uint32_t)(s - m->textures->slot);
    return 0;
}

const struct texture *
texture_find(const struct machine *m, uint64_t handle, bool surface)
{
    const struct texture_slot *s = slot_of(m, handle);

    return s != NULL && (s->texture.info.surface != 0) == surface ? &s->texture : NULL;
}

void
textures_free(struct machine *m)
{
    if (m->textures != NULL)
        free(m->textures->slot);
    free(m->textures);
    m->textures = NULL;
}
