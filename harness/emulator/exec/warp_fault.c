/* Faults and notices of a running warp: they say which thread, where, and why. */
#include "warp_fault.h"

#include "machine.h"
#include "ops/access.h"
#include "padding.h"
#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    source_of(b->worker->run->kernel->module, source_user_origin(w, in), f->file,
              sizeof f->file, &f->line);
}

/* Says of CUB's and Thrust's code where in it a fault or notice is. The place of the
 * fault is the line of the user's that calls it. */
static void
add_library(const struct warp *w, const struct insn *in, struct fault *f)
{
    const struct kernel *k = w->worker->run->kernel;
    size_t length = strlen(f->text);
    char place[120];

    source_library(k->module, origin_of(w, in), place, sizeof place);
    if (place[0] == '\0')
        return;
    length +=
        (size_t)snprintf(f->text + length, sizeof f->text - length, ", in %s", place);
    if (source_is_library_kernel(k) && length < sizeof f->text)
        snprintf(f->text + length, sizeof f->text - length,
                 ": check the pointers and lengths that are given to %s",
                 source_launched_by(k));
}

static void
describe(struct warp *w, const struct insn *in, unsigned lane, enum fault_kind kind,
         struct fault *f, const char *format, va_list ap)
{
    *f = (struct fault){.kind = kind};
    vsnprintf(f->text, sizeof f->text, format, ap);
    add_library(w, in, f);
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

/* Ends a kernel for an access outside all that it may use. */
static void
fault_global(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
             uint32_t bytes, const char *verb)
{
    struct machine *m = w->worker->machine;
    const struct allocation *a = memory_nearest(m, address);
    char why[160] = "", elements[100];

    memory_explain(m, w->worker->run->launch->peers, address, bytes, why, sizeof why);
    if (a != NULL &&
        (address - a->start >= a->bytes || bytes > a->bytes - (address - a->start)) &&
        memory_elements(a, address, bytes, elements, sizeof elements))
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                 "%s %s; %s has %llu elements (%u bytes at %#llx%s)", verb, elements,
                 a->name, (unsigned long long)(a->bytes / a->element_bytes), bytes,
                 (unsigned long long)address, why);
    else
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS, "%s %u bytes at %#llx%s", verb,
                 bytes, (unsigned long long)address, why);
}

/* Does the module have an extern __shared__ array? */
static bool
has_dynamic_shared(const struct kernel *k)
{
    for (const struct ptx_var *v = k->module->ptx->vars; v != NULL; v = v->next)
        if (v->space == PTX_SPACE_SHARED && (v->bytes == 0 || v->is_extern))
            return true;
    return false;
}

const struct insn *
fault_access(struct warp *w, const struct insn *in, unsigned lane, enum ptx_space space,
             uint64_t address, uint32_t bytes, bool is_write)
{
    const char *verb = is_write ? "writes" : "reads";
    const struct run *r = w->worker->run;
    uint32_t size = w->block->shared_bytes;
    bool forgotten =
        size == 0 && r->launch->dynamic_shared == 0 && has_dynamic_shared(r->kernel);

    switch (space) {
    case PTX_SPACE_SHARED:
        fault_at(
            w, in, lane, FAULT_ILLEGAL_ADDRESS,
            "%s %u bytes of shared memory at offset %lld, outside the block's %u bytes%s",
            verb, bytes, (long long)(int64_t)address, size,
            forgotten ? ": the launch gives no bytes to the extern __shared__ array (the "
                        "third number in <<<blocks, threads, bytes>>>)"
                      : "");
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
    case PTX_SPACE_CONST:
        fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                 "reads %u bytes at %#llx by ld.const, but no __constant__ variable lies "
                 "there: ld.const reaches constant memory only",
                 bytes, (unsigned long long)address);
        break;
    default:
        fault_global(w, in, lane, address, bytes, verb);
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
             "%s %u bytes of %s memory at %#llx, which is not a multiple of %u%s",
             is_write ? "writes" : "reads", bytes, fault_space_name(space),
             (unsigned long long)address, bytes,
             bytes == 16  ? ", as a float4 needs"
             : bytes == 8 ? ", as a double or float2 needs"
                          : "");
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
    add_library(w, in, n);
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

    return source_is_library_kernel(k) ||
           (file != NULL && is_system_file(file) &&
            (strstr(file, "/cub/") != NULL || strstr(file, "/thrust/") != NULL));
}

bool
is_padding(struct warp *w, enum ptx_space space, uint64_t address, uint32_t bytes)
{
    const struct block *b = w->block;
    const struct allocation *a;

    if (space == PTX_SPACE_GLOBAL) {
        a = memory_lookup(w->worker->machine, address);
        return a != NULL && a->shadow != NULL &&
               padding_fits(a->shadow, a->bytes, address - a->start, bytes);
    }
    /* Another block's shared memory has higher addresses (cluster.h). */
    return space == PTX_SPACE_SHARED && b->shared_shadow != NULL &&
           address < b->shared_bytes && bytes <= b->shared_bytes - address &&
           padding_fits(b->shared_shadow, b->shared_bytes, address, bytes);
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
    if (a != NULL && memory_elements(a, address, bytes, name, sizeof name))
        snprintf(f.text, sizeof f.text,
                 "reads %s; %s has %llu elements (%u bytes at offset %llu of a buffer of "
                 "%llu bytes that were never written)",
                 name, a->name, (unsigned long long)(a->bytes / a->element_bytes), bytes,
                 (unsigned long long)(address - a->start), (unsigned long long)a->bytes);
    else if (a != NULL)
        snprintf(f.text, sizeof f.text,
                 "reads %u bytes at offset %llu of a buffer of %llu bytes that were "
                 "never written",
                 bytes, (unsigned long long)(address - a->start),
                 (unsigned long long)a->bytes);
    else if (space == PTX_SPACE_SHARED &&
             shared_name(w->worker->run->kernel, address, name, sizeof name))
        snprintf(
            f.text, sizeof f.text,
            "reads %u bytes of shared memory (%s) that were never written: a block's "
            "shared memory holds anything until a thread writes it",
            bytes, name);
    else
        snprintf(f.text, sizeof f.text,
                 "reads %u bytes of %s memory at offset %llu that were never written",
                 bytes, fault_space_name(space), (unsigned long long)address);
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
