/* Where code stands in the user's source, for messages and for costs. */
#include "source.h"

#include "machine.h"

#include <stdio.h>
#include <string.h>

enum { INLINED_MAX = 64 }; /* calls within each other that are looked at */

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

    for (int depth = 0; loc != NULL && depth < INLINED_MAX;
         loc = loc->inlined_at, depth++) {
        if (loc->file >= m->file_count || m->files[loc->file] == NULL || loc->line == 0)
            continue;
        found = loc;
        if (!is_system_file(m->files[loc->file]))
            break;
    }
    return found;
}

static bool
ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);

    return length >= part && strcmp(text + length - part, end) == 0;
}

bool
source_is_from(const struct module *mod, const struct ptx_insn *in, const char *header)
{
    const struct ptx_module *m = mod->ptx;
    const struct ptx_loc *loc = in != NULL ? in->loc : NULL;

    for (int depth = 0; loc != NULL && depth < INLINED_MAX;
         loc = loc->inlined_at, depth++)
        if (loc->file < m->file_count && m->files[loc->file] != NULL &&
            ends_with(m->files[loc->file], header))
            return true;
    return false;
}

/* That header has barriers of large tiles as well, but those use no bar and no memory
 * outside the block. */
bool
source_is_grid_sync(const struct module *mod, const struct ptx_insn *in)
{
    return source_is_from(mod, in, "/cooperative_groups/details/sync.h");
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

/* The part of a path from "cub/" or "thrust/" on; NULL: it is no header of theirs. */
static const char *
library_path(const char *path)
{
    const char *cub = strstr(path, "/cub/"), *thrust = strstr(path, "/thrust/");

    if (!is_system_file(path) || (cub == NULL && thrust == NULL))
        return NULL;
    return (cub != NULL ? cub : thrust) + 1;
}

void
source_library(const struct module *mod, const struct ptx_insn *in, char *out,
               size_t size)
{
    const struct ptx_module *m = mod->ptx;
    const struct ptx_loc *loc = in != NULL ? in->loc : NULL;

    snprintf(out, size, "%s", "");
    for (int depth = 0; loc != NULL && depth < INLINED_MAX;
         loc = loc->inlined_at, depth++) {
        const char *path = loc->file < m->file_count ? m->files[loc->file] : NULL;

        if (path == NULL || !is_system_file(path))
            return;
        path = library_path(path);
        if (path != NULL) {
            snprintf(out, size, "%s:%u", path, loc->line);
            return;
        }
    }
}

bool
source_is_library_kernel(const struct kernel *k)
{
    return strncmp(k->name, "cub::", 5) == 0 || strncmp(k->name, "thrust::", 8) == 0;
}

const char *
source_launched_by(const struct kernel *k)
{
    /* CUB has a namespace for each of its device algorithms, and Thrust calls these. */
    static const struct {
        const char *space, *functions;
    } algorithms[] = {
        {"::adjacent_difference::",
         "cub::DeviceAdjacentDifference or thrust::adjacent_difference"},
        {"::for_each::", "cub::DeviceFor, thrust::for_each or thrust::fill"},
        {"::histogram::", "cub::DeviceHistogram"},
        {"::merge::", "cub::DeviceMerge or thrust::merge"},
        {"::merge_sort::", "cub::DeviceMergeSort or thrust::sort with a comparison"},
        {"::radix_sort::", "cub::DeviceRadixSort or thrust::sort"},
        {"::reduce::", "cub::DeviceReduce, thrust::reduce or thrust::count"},
        {"::rle::", "cub::DeviceRunLengthEncode"},
        {"::scan::", "cub::DeviceScan or thrust::inclusive_scan and the like"},
        {"::scan_by_key::", "cub::DeviceScan or Thrust's scans by key"},
        {"::segmented_sort::", "cub::DeviceSegmentedSort"},
        {"::select::", "cub::DeviceSelect or thrust::copy_if and the like"},
        {"::three_way_partition::", "cub::DevicePartition"},
        {"::transform::", "cub::DeviceTransform or thrust::transform"},
        {"::unique_by_key::", "cub::DeviceSelect or thrust::unique_by_key"},
    };

    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (strstr(k->name, algorithms[i].space) != NULL)
            return algorithms[i].functions;
    return "CUB or Thrust";
}

const struct ptx_insn *
source_user_origin(const struct warp *w, const struct insn *in)
{
    const struct ptx_module *m = w->worker->run->kernel->module->ptx;
    const struct ptx_insn *origin = origin_of(w, in), *called = origin;
    const struct frame *f = w->frame;

    while (f != NULL) {
        const struct ptx_loc *loc = user_loc(m, called != NULL ? called->loc : NULL);

        if (loc != NULL && !is_system_file(m->files[loc->file]))
            return called;
        if (f->parent != NULL)
            called = origin_in(f->parent->program, f->call_site);
        f = f->parent;
    }
    return origin;
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
