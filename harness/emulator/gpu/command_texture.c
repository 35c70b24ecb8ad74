/* Requests about texture and surface objects. The rules for all requests are in
 * command.c. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

/* Makes space for one more. Returns false if there are too many or no host memory is
 * left. */
static bool
texture_reserve(struct client *c)
{
    uint32_t cap = c->texture_cap != 0 ? 2 * c->texture_cap : 16;
    uint64_t *grown;

    if (c->texture_count < c->texture_cap)
        return true;
    if (cap > CLIENT_TEXTURES_MAX)
        return false;
    grown = realloc(c->texture, cap * sizeof *grown);
    if (grown == NULL)
        return false;
    c->texture = grown;
    c->texture_cap = cap;
    return true;
}

int
command_texture(struct server *s, struct client *c, const unsigned char *text,
                struct gpu_reply *reply)
{
    struct texture_info info;
    uint64_t handle;

    if (c->request.inline_bytes != sizeof info)
        return GPU_INVALID_VALUE;
    memcpy(&info, text, sizeof info);
    if (!texture_reserve(c))
        return GPU_OUT_OF_MEMORY;
    handle = texture_new(s->machine, &info);
    if (handle == 0)
        return GPU_INVALID_VALUE;
    c->texture[c->texture_count++] = handle;
    reply->value[0] = handle;
    return GPU_SUCCESS;
}

int
command_untexture(struct server *s, struct client *c, const unsigned char *text,
                  struct gpu_reply *reply)
{
    uint64_t handle = c->request.memory.address;

    (void)text;
    (void)reply;
    for (uint32_t i = 0; i < c->texture_count; i++) {
        if (c->texture[i] == handle) {
            c->texture[i] = c->texture[--c->texture_count];
            texture_free(s->machine, handle);
            return GPU_SUCCESS;
        }
    }
    return GPU_INVALID_VALUE;
}
