/*
 * The text of a fault. It is written once, where the fault happens, as a whole sentence:
 *
 *   kernel add, block (3,0,0), thread (17,0,0): reads 4 bytes at 0x8100000013a4,
 *   4 bytes past the end of a buffer of 4000 bytes (vec.cu:7)
 */
#include "fault.h"

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

const char *
fault_space_name(enum ptx_space space)
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
    snprintf(f->space, sizeof f->space, "%s", fault_space_name(space));
}
