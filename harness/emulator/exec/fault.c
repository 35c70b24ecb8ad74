/*
 * What people are told. A fault is written once, where it happens, as a whole sentence:
 *   kernel add, block (3,0,0), thread (17,0,0): reads 4 bytes at 0x8100000013a4, 4 bytes
 * past the end of a buffer of 4000 bytes (vec.cu:7)
 */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
fault_text(struct fault *f, enum fault_kind kind, const char *format, ...)
{
    va_list ap;

    *f = (struct fault){.kind = kind};
    va_start(ap, format);
    vsnprintf(f->text, sizeof f->text, format, ap);
    va_end(ap);
}

const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* A header of the toolkit is not where a learner looks: then the line that inlined it, or
 * if there is none (a call) the header's after all. */
static bool
is_system_file(const char *path)
{
    return strstr(path, "/targets/") != NULL || strstr(path, "/usr/include/") != NULL ||
           strstr(path, "/include/cuda") != NULL || strstr(path, "/cccl/") != NULL ||
           strstr(path, ".cuda/") != NULL; /* where the judge shows them to nvcc */
}

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

static void
set_place(struct warp *w, const struct insn *in, unsigned lane, struct fault *f)
{
    const struct block *b = w->block;
    const uint32_t *dim = b->worker->run->launch->block;
    uint32_t thread = w->index * LANES + lane;

    snprintf(f->kernel, sizeof f->kernel, "%s", b->worker->run->kernel->name);
    memcpy(f->block, b->id, sizeof f->block);
    f->thread[0] = thread % dim[0];
    f->thread[1] = thread / dim[0] % dim[1];
    f->thread[2] = thread / dim[0] / dim[1];
    source_of(b->worker->run->kernel->module, origin_of(w, in), f->file, sizeof f->file,
              &f->line);
}

/* Puts "kernel K, block (..), thread (..): " before and " (file:line)" after the text. */
void
fault_complete(struct fault *f)
{
    char what[sizeof f->text], where[300] = "";

    memcpy(what, f->text, sizeof what);
    if (f->line > 0)
        snprintf(where, sizeof where, " (%s:%d)", f->file, f->line);
    snprintf(f->text, sizeof f->text,
             "kernel %.120s, block (%u,%u,%u), thread (%u,%u,%u): %.360s%.100s",
             f->kernel, f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1],
             f->thread[2], what, where);
}

static void
describe(struct warp *w, const struct insn *in, unsigned lane, enum fault_kind kind,
         struct fault *f, const char *format, va_list ap)
{
    *f = (struct fault){.kind = kind};
    vsnprintf(f->text, sizeof f->text, format, ap);
    set_place(w, in, lane, f);
    fault_complete(f);
}

const struct insn *
fault_at(struct warp *w, const struct insn *in, unsigned lane, enum fault_kind kind,
         const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    describe(w, in, lane, kind, &w->worker->fault, format, ap);
    va_end(ap);
    w->worker->fault_block = w->block->number;
    w->stop = STOP_FAULT;
    return NULL;
}

static const char *
space_name(enum ptx_space space)
{
    static const char *const names[] = {"global", "register", "global", "constant",
                                        "shared", "local",    "param"};

    return names[space];
}

void
fault_fill_access(struct fault *f, enum ptx_space space, uint64_t address, uint32_t bytes,
                  bool is_write)
{
    f->address = address;
    f->access_bytes = bytes;
    f->is_write = is_write;
    snprintf(f->space, sizeof f->space, "%s", space_name(space));
}

/* ", 4 bytes past the end of a buffer of 4000 bytes" */
static void
explain_global(struct machine *m, bool peers, uint64_t address, uint32_t bytes, char *out,
               size_t size)
{
    struct allocation *a = memory_nearest(m, address);
    uint64_t start, freed_bytes, end, past;
    char name[64];

    if (a != NULL && address - a->start < a->bytes &&
        !is_within_reach(m->current, peers, a)) {
        snprintf(out, size,
                 ", in a buffer of device %d; this is device %d, which was not given "
                 "access by cudaDeviceEnablePeerAccess",
                 a->device, m->current);
        return;
    }
    if (address < 4096) {
        snprintf(out, size, ", a null pointer");
        return;
    }
    if (memory_was_freed(m, address, &start, &freed_bytes)) {
        snprintf(out, size, ", inside a buffer of %llu bytes that was freed",
                 (unsigned long long)freed_bytes);
        return;
    }
    if (a != NULL && a->internal && address - a->start < a->bytes + 4096 &&
        variable_name(m, a, name, sizeof name)) {
        past = address + bytes - (a->start + a->bytes);
        snprintf(out, size, ", %llu bytes past the end of the variable %s of %llu bytes",
                 (unsigned long long)past, name, (unsigned long long)a->bytes);
        return;
    }
    if (a == NULL || a->internal) {
        snprintf(out, size, ", which no buffer holds");
        return;
    }
    end = a->start + a->bytes;
    past = address - end + bytes;
    if (address >= a->start && address < end)
        snprintf(out, size,
                 ", of which only the first %llu are inside a buffer of %llu bytes",
                 (unsigned long long)(end - address), (unsigned long long)a->bytes);
    else if (address >= end && address - end < 1 << 30)
        snprintf(out, size, ", %llu bytes past the end of a buffer of %llu bytes",
                 (unsigned long long)past, (unsigned long long)a->bytes);
    else if (address < a->start && a->start - address < 1 << 30)
        snprintf(out, size, ", %llu bytes before a buffer of %llu bytes",
                 (unsigned long long)(a->start - address), (unsigned long long)a->bytes);
    else if (address < GLOBAL_BASE)
        snprintf(out, size, ", which is not a device address");
    else
        snprintf(out, size, ", which no buffer holds");
}

const struct insn *
fault_access(struct warp *w, const struct insn *in, unsigned lane, enum ptx_space space,
             uint64_t address, uint32_t bytes, bool is_write)
{
    char why[160] = "";
    const char *verb = is_write ? "writes" : "reads";
    uint32_t size = w->block->shared_bytes;

    switch (space) {
    case PTX_SPACE_SHARED:
        fault_at(
            w, in, lane, FAULT_ILLEGAL_ADDRESS,
            "%s %u bytes of shared memory at offset %lld, outside the block's %u bytes",
            verb, bytes, (long long)(int64_t)address, size);
        break;
    case PTX_SPACE_LOCAL:
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                 "%s %u bytes outside the thread's local memory (an array on the stack)",
                 verb, bytes);
        break;
    case PTX_SPACE_PARAM:
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                 "%s %u bytes outside the kernel's parameters", verb, bytes);
        break;
    default:
        explain_global(w->worker->machine, w->worker->run->launch->peers, address, bytes,
                       why, sizeof why);
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS, "%s %u bytes at %#llx%s", verb,
                 bytes, (unsigned long long)address, why);
        break;
    }
    fault_fill_access(&w->worker->fault, space, address, bytes, is_write);
    return NULL;
}

const struct insn *
fault_misaligned(struct warp *w, const struct insn *in, unsigned lane,
                 enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write)
{
    fault_at(w, in, lane, FAULT_MISALIGNED,
             "%s %u bytes of %s memory at %#llx, which is not a multiple of %u",
             is_write ? "writes" : "reads", bytes, space_name(space),
             (unsigned long long)address, bytes);
    fault_fill_access(&w->worker->fault, space, address, bytes, is_write);
    return NULL;
}

/* --- notices --------------------------------------------------------------------- */

void
notice_add(struct warp *w, const struct insn *in, unsigned lane, const struct fault *f)
{
    struct worker *wk = w->worker;
    struct fault *n = &wk->notices[wk->notice_count];

    if (wk->notice_count == NOTICES_MAX)
        return;
    *n = *f;
    set_place(w, in, lane, n);
    for (struct fault *k = wk->notices; k < n; k++)
        if (k->kind == n->kind && k->line == n->line && k->other_line == n->other_line &&
            strcmp(k->file, n->file) == 0 && strcmp(k->other_file, n->other_file) == 0)
            return;
    fault_complete(n);
    wk->notice_count++;
}

/* CUB's and Thrust's algorithms read a little further in their own shared memory than
 * they have written, and drop what they read. */
static bool
is_library_read(const struct warp *w, const struct insn *in)
{
    const struct kernel *k = w->worker->run->kernel;
    const struct ptx_module *m = k->module->ptx;
    const struct ptx_insn *origin = origin_of(w, in);
    const struct ptx_loc *loc = origin != NULL ? origin->loc : NULL;
    const char *file =
        loc != NULL && loc->file < m->file_count ? m->files[loc->file] : "";

    return strncmp(k->name, "cub::", 5) == 0 || strncmp(k->name, "thrust::", 8) == 0 ||
           (file != NULL && is_system_file(file) &&
            (strstr(file, "/cub/") != NULL || strstr(file, "/thrust/") != NULL));
}

void
notice_uninitialized(struct warp *w, const struct insn *in, unsigned lane,
                     enum ptx_space space, uint64_t address, uint32_t bytes)
{
    struct fault f = {.kind = FAULT_UNINITIALIZED, .access_bytes = bytes};
    struct allocation *a;
    char name[100];

    if (w->worker->notice_count == NOTICES_MAX ||
        (space == PTX_SPACE_SHARED && is_library_read(w, in)))
        return;
    fault_fill_access(&f, space, address, bytes, false);
    a = space == PTX_SPACE_GLOBAL ? memory_lookup(w->worker->machine, address) : NULL;
    if (a != NULL)
        snprintf(f.text, sizeof f.text,
                 "reads %u bytes at offset %llu of a buffer of %llu bytes that were "
                 "never written",
                 bytes, (unsigned long long)(address - a->start),
                 (unsigned long long)a->bytes);
    else if (space == PTX_SPACE_SHARED &&
             shared_name(w->worker->run->kernel, address, name, sizeof name))
        snprintf(f.text, sizeof f.text,
                 "reads %u bytes of shared memory (%s) that were never written", bytes,
                 name);
    else
        snprintf(f.text, sizeof f.text,
                 "reads %u bytes of %s memory at offset %llu that were never written",
                 bytes, space_name(space), (unsigned long long)address);
    notice_add(w, in, lane, &f);
}

void
notice_out_of_array(struct warp *w, const struct insn *in, unsigned lane,
                    uint64_t address, uint32_t bytes, bool is_write)
{
    const struct access *ac = in->access;
    struct fault f = {.kind = FAULT_OUT_OF_ARRAY, .access_bytes = bytes};
    char name[64], there[100], what[120] = "";

    if (w->worker->notice_count == NOTICES_MAX || is_library_read(w, in))
        return;
    plain_name(ac->array->name, name, sizeof name);
    if (shared_name(w->worker->run->kernel, address, there, sizeof there))
        snprintf(what, sizeof what, ": %s lies there", there);
    fault_fill_access(&f, PTX_SPACE_SHARED, address, bytes, is_write);
    snprintf(f.text, sizeof f.text,
             "%s %u bytes of shared memory %s %s (byte %lld of %u)%s",
             is_write ? "writes" : "reads", bytes,
             address < ac->array_at ? "before" : "past the end of", name,
             (long long)(address - ac->array_at),
             (unsigned)(ac->array_end - ac->array_at), what);
    notice_add(w, in, lane, &f);
}
