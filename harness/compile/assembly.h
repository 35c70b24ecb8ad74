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

/* Writes the file's text from what "ptxas -v" printed, and the container's bytes. */
void assembly_text(const char *said, const struct buf *image, struct buf *out);

#endif
