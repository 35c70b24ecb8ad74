/*
 * What ptxas made of a program's kernels, as a file beside the program. Its lines are
 *
 *     warpjudge-assembly 1
 *     image SHA256            of the fat binary container that the program embeds
 *     NAME REGISTERS STACK SHARED
 *
 * with a line for each kernel. NAME is mangled. A thread has REGISTERS of 32 bits and
 * STACK bytes for arrays and spilled registers. A block has SHARED bytes of static shared
 * memory. The emulated GPU reads the file (emulator/gpu/assembly.h).
 */
#ifndef COMPILE_ASSEMBLY_H
#define COMPILE_ASSEMBLY_H

#include "base/buf.h"

/* What ptxas said of a kernel. */
struct assembly_kernel {
    const char *name; /* mangled; it ends at name_len */
    size_t name_len;
    unsigned long registers;                        /* of 32 bits, of a thread */
    unsigned long stack, spill_stores, spill_loads; /* bytes of a thread */
    unsigned long shared;                           /* static bytes of a block */
};

/* Calls `kernel` for each kernel of which "ptxas -v" has printed this. */
void assembly_read_said(const char *said,
                        void (*kernel)(void *arg, const struct assembly_kernel *k),
                        void *arg);

/* Writes the file's text from what "ptxas -v" printed, and the container's bytes. */
void assembly_text(const char *said, const struct buf *image, struct buf *out);

#endif
