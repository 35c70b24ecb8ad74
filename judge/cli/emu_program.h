/*
 * What `warpjudge emu` must know of a program before it runs it: is it one that will find
 * our CUDA runtime library, and how.
 */
#ifndef CLI_EMU_PROGRAM_H
#define CLI_EMU_PROGRAM_H

#include "core/report.h"

#include <stdbool.h>

struct emu_program {
    char *path; /* as execv takes it */
    /* Its own search path comes before LD_LIBRARY_PATH (DT_RPATH; DT_RUNPATH does not).
     */
    bool has_rpath;
    char needs[64]; /* a library of NVIDIA's that works with a real GPU only, or "" */
};

/* Finds name as a shell does and looks into it. -1 with a report: it is not there
 * (*missing), or NVIDIA's own runtime would answer it. A program that is no ELF file (a
 * script) is taken as it is. */
int emu_program_open(const char *name, struct emu_program *p, bool *missing,
                     struct report *r);
void emu_program_close(struct emu_program *p);

#endif
