/*
 * What `warpjudge emu` must know of a program before it runs it: whether the program will
 * find our CUDA runtime library, and how.
 */
#ifndef CLI_EMU_PROGRAM_H
#define CLI_EMU_PROGRAM_H

#include "base/report.h"

#include <stdbool.h>

struct emu_program {
    char *path; /* as execv() takes it */
    /* It has a DT_RPATH, which the dynamic linker searches before LD_LIBRARY_PATH. */
    bool has_rpath;
    char needs[64]; /* a library of NVIDIA's that needs a real GPU, or "" */
};

/* Finds the program `name` as a shell does, and looks into it. It fails where the program
 * is not there (*missing is true), and where NVIDIA's own runtime would serve it. A file
 * that is no ELF file, such as a script, is taken as it is. */
int emu_program_open(const char *name, struct emu_program *p, bool *missing,
                     struct report *r);
void emu_program_close(struct emu_program *p);

#endif
