/*
 * Compiles one source of CUDA C++ or C to a shared object that a runner loads. nvcc (or
 * gcc) compiles a wrapper that includes the source, in a sandbox. Then the object is
 * linked with runner/guest.c. The cache keeps the result by the content of everything
 * that went in.
 */
#ifndef COMPILE_H
#define COMPILE_H

#include "base/buf.h"
#include "base/config.h"
#include "base/report.h"
#include "compile/library.h"
#include "numbers/dtype.h"

#include <stdbool.h>

enum program_kind {
    PROGRAM_EMU, /* nvcc makes PTX; linked with our runtime */
    PROGRAM_GPU, /* nvcc makes the GPU's own code; linked with NVIDIA's runtime */
    PROGRAM_C,   /* gcc, without a runtime: a reference in C */
};

/* The role says which function the program must have. */
enum program_role { ROLE_SOLVE, ROLE_INPUTS, ROLE_CHECKER };

/* How a program computes. All but the first exist so that `warpjudge problem check` can
 * prove that no problem hangs on rounding. */
enum arithmetic {
    ARITHMETIC_USUAL,        /* gcc rounds each operation of the text, nvcc fuses some */
    ARITHMETIC_CONTRACTED,   /* gcc: fused multiply-adds, and sums in another order */
    ARITHMETIC_FLOAT,        /* gcc: the same, and float stands for double */
    ARITHMETIC_UNCONTRACTED, /* nvcc: no fused multiply-adds */
};

enum function_param_dir { FUNCTION_SCALAR, FUNCTION_IN, FUNCTION_OUT, FUNCTION_INOUT };

/* One parameter of solve(). */
struct function_param {
    const char *name;
    enum dtype type;
    enum function_param_dir dir; /* all but FUNCTION_SCALAR are pointers */
    double min, max; /* scalars: the bounds in the spec; -inf and inf if there are none */
};

/* The function that a source must define. */
struct function {
    const char *signature; /* "void solve(const float* A, ..., int N)", for messages */
    int param_count;
    const struct function_param *param;
    int variant_count; /* how many variants inputs.c may be asked for */
    const char *const *variant;
};

/* One source and what to make of it. It borrows all that it points to. */
struct target {
    const struct config *config;
    const struct function *function;
    unsigned libraries; /* LIBRARY_BIT()s of the libraries that the source may use */
    enum program_kind kind;
    enum program_role role;     /* any role but ROLE_SOLVE needs PROGRAM_C */
    enum arithmetic arithmetic; /* any but the usual needs ROLE_SOLVE */
    const char *arch;      /* "compute_80" or "sm_90a"; at least what the spec demands */
    const char *file_name; /* the source's name in messages and in the sandbox */
    const char *assembly;  /* PROGRAM_EMU: where the file of assembly.h goes; NULL: ptxas
                              does not run */
    const char *digest;    /* where the file goes that has the digest of the PTX
                              (equal.h), as digest_read() reads it; NULL: nowhere */
    const struct buf *source;
    bool insecure; /* no sandbox */
    bool common;   /* several processes may want this program at the same time: one of
                      them makes it, and the others wait for that. Where the source is
                      wrong, they get the message of that one */
};

/* What compile_target made: a program, or a message for the author of the source. */
struct compiled {
    char *message;    /* NULL: there is a program; the caller frees it */
    bool cached;      /* the program came from the cache */
    bool unassembled; /* compile_assemble() must follow */
};

/* Makes the program of t at the path `to`. folder is made and removed; cache is the
 * folder of the cache. If the source is wrong, out has a message. A report with -1
 * means that we failed; a report with 0 is a warning that the cache cannot be written. */
int compile_target(const struct target *t, const char *cache, const char *folder,
                   const char *to, struct compiled *out, struct report *r);

/* Fails with a sentence where t needs nvcc, and there is none. */
int compile_check_toolkit(const struct target *t, struct report *r);

/* Runs ptxas on the PTX that compile_target left in the folder, where `out` says that it
 * must follow, and removes the folder. The program can be used meanwhile. If ptxas
 * refuses the PTX, out gets a message; otherwise t->assembly is there. The report is as
 * that of compile_target. */
int compile_assemble(const struct target *t, const char *cache, const char *folder,
                     struct compiled *out, struct report *r);

/* Which code of a program a listing shows: what nvcc makes, or the machine's. */
enum listing_form { LISTING_PTX, LISTING_SASS };

#define ASSEMBLY_ARCH                                                                    \
    90 /* ptxas assembles at least for it on emu, which models an H200 */
#define DISASSEMBLER "nvdisasm" /* in the toolkit's bin folder; LISTING_SASS needs it */

/* What a source was compiled to, as the tools print it. */
struct listing {
    char *message;   /* NULL: it compiles; the caller frees it */
    struct buf said; /* by "ptxas -v" (assembly.h) */
    struct buf code; /* PTX, or the disassembler's text */
};

/* Compiles t, which is no PROGRAM_C, and does not link it. Uses the folder and the cache
 * as compile_target() does. t->digest must be set, so that nvcc keeps its PTX; no file
 * goes there. The caller calls listing_free(), also after a failure. The report is as
 * that of compile_target(). */
int compile_listing(const struct target *t, enum listing_form form, const char *cache,
                    const char *folder, struct listing *out, struct report *r);
void listing_free(struct listing *l);

/* A user's file name in which characters that cannot stand in an #include are replaced.
 * The caller frees it. */
char *compile_safe_name(const char *name);

#endif
