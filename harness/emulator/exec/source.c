/* Where code stands in the user's source, for messages and for costs. */
#include "source.h"

#include "machine.h"

#include <stdio.h>
#include <string.h>

const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool
is_system_file(const char *path)
{
    return strstr(path, "/targets/") != NULL || strstr(path, "/usr/include/") != NULL ||
           strstr(path, "/include/cuda") != NULL || strstr(path, "/cccl/") != NULL ||
           strstr(path, ".cuda/") != NULL; /* where a sandbox shows the toolkit to nvcc */
}

/* Where a header of the toolkit was inlined, the line that inlined it counts. A function
 * of a header that is called has no such line; then the header's own line counts. */
const struct ptx_loc *
user_loc(const struct ptx_module *m, const struct ptx_loc *loc)
{
    const struct ptx_loc *found = NULL;

    for (int depth = 0; loc != NULL && depth < 64; loc = loc->inlined_at, depth++) {
        if (loc->file >= m->file_count || m->files[loc->file] == NULL || loc->line == 0)
            continue;
        found = loc;
        if (!is_system_file(m->files[loc->file]))
            break;
    }
    return found;
}

void
source_of(const struct module *mod, const struct ptx_insn *in, char *file, size_t size,
          int *line)
{
    const struct ptx_module *m = mod->ptx;
    const struct ptx_loc *loc = user_loc(m, in != NULL ? in->loc : NULL);

    snprintf(file, size, "%s", loc != NULL ? base_name(m->files[loc->file]) : "");
    *line = loc != NULL ? (int)loc->line : 0;
}

const struct ptx_insn *
origin_of(const struct warp *w, const struct insn *in)
{
    return origin_in(w->frame->program, in);
}

const struct ptx_insn *
origin_in(const struct program *p, const struct insn *in)
{
    size_t i = (size_t)(in - p->insns);

    for (; i < p->insn_count; i++)
        if (p->origin[i] != NULL)
            return p->origin[i];
    return NULL;
}
