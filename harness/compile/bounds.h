/*
 * Finds out where a C program leaves its buffers. gcc compiles the source once more, with
 * AddressSanitizer and a main() that calls solve() with given values. The program runs in
 * a sandbox as the tools do. A runner could not load it, because AddressSanitizer must be
 * there before anything else.
 */
#ifndef COMPILE_BOUNDS_H
#define COMPILE_BOUNDS_H

#include "compile/compile.h"

/* Where the program goes wrong, as in line 14 "reads 4 bytes out of bounds of factor
 * (AddressSanitizer: heap-buffer-overflow)". */
struct bounds {
    int line;   /* of t->file_name; 0: nothing was found */
    char *what; /* NULL if nothing was found; the caller frees it */
};

/* t is a PROGRAM_C of ROLE_SOLVE. The folder `values` has a file for each parameter,
 * named by its number from 0: the bytes of a buffer before the call, or the 8 bytes of a
 * scalar. They are moved away. `folder` is made and removed. Where gcc has no
 * AddressSanitizer, or the program ends otherwise, nothing is found. -1: we failed. */
int bounds_find(const struct target *t, const char *folder, const char *values,
                struct bounds *out, struct report *r);

#endif
