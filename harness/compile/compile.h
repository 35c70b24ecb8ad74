/*
 * One source of CUDA C++ or C to a shared object for a runner to load: nvcc (or gcc) of a
 * wrapper that includes the source, in a sandbox, then a link with runner/guest.c. The
 * result is cached by the content of everything that goes in.
 */
#ifndef COMPILE_H
#define COMPILE_H

#include "compile/library.h"
#include "core/buf.h"
#include "core/config.h"
#include "core/dtype.h"
#include "core/report.h"

#include <stdbool.h>

enum program_kind {
    PROGRAM_EMU, /* nvcc to PTX, our runtime */
    PROGRAM_GPU, /* nvcc to the GPU's own code, NVIDIA's runtime */
    PROGRAM_C,   /* gcc, no runtime: a reference in C */
};

/* Whose function the program has. */
enum program_role { ROLE_SOLVE, ROLE_INPUTS, ROLE_CHECKER };

enum function_param_dir { FUNCTION_SCALAR, FUNCTION_IN, FUNCTION_OUT, FUNCTION_INOUT };

/* One parameter of solve(). */
struct function_param {
    const char *name;
    enum dtype type;
    enum function_param_dir dir; /* all but FUNCTION_SCALAR are pointers */
    double min, max;             /* scalars: the stated bounds; -inf/inf if none */
};

/* The function that a source must define. */
struct function {
    const char *signature; /* "void solve(const float* A, ..., int N)", for messages */
    int param_count;
    const struct function_param *param;
    int variant_count; /* what inputs.c may be asked for */
    const char *const *variant;
};

/* What is to be made. Borrows all it points to. */
struct target {
    const struct config *config;
    const struct function *function;
    unsigned libraries; /* LIBRARY_BIT()s: what the source may use */
    enum program_kind kind;
    enum program_role role; /* not ROLE_SOLVE: PROGRAM_C */
    const char *arch; /* "compute_80" or "sm_90a"; the spec's least is in it already */
    const char
        *file_name; /* the source's name as messages show it and the sandbox has it */
    const struct buf *source;
    bool insecure; /* no sandbox */
};

/* What came out of a target: a program, or words for the author of the source. */
struct compiled {
    char *message; /* NULL: there is a program; the caller frees */
    bool cached;   /* the compiler was skipped */
};

/* Makes the program `to` of t, in the folder `folder`, which is made and removed, with
 * the cache in the folder `cache`. What is wrong with the source is in out; -1 and a
 * report mean that we failed. A report with 0 is a warning: the cache could not be
 * written. */
int compile_target(const struct target *t, const char *cache, const char *folder,
                   const char *to, struct compiled *out, struct report *r);

/* A user's file name with what cannot stand in an #include replaced. The caller frees. */
char *compile_safe_name(const char *name);

#endif
