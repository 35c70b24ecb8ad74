/*
 * The parts of compile/ and how they meet:
 *
 *   compile.c    one source: cache, else build, link, cache
 *   wrapper.c    the text around the user's file: signature check and warpjudge_entry
 *   author.c     the same around inputs.c and checker.c
 *   build.c      a build folder and one sandboxed tool run in it
 *   tools.c      command lines of nvcc, gcc and the linker
 *   libraries.c  which of the toolkit's headers and libraries there are
 *   messages.c   what the tools printed, as a user reads it
 *   cache.c      linked programs by the content of everything that went in
 */
#ifndef COMPILE_INTERNAL_H
#define COMPILE_INTERNAL_H

#include "compile/compile.h"
#include <stdbool.h>
#include <stdint.h>

#define WRAPPER_NAME "warpjudge-wrapper.cu"
#define C_WRAPPER_NAME "warpjudge-wrapper.c"
#define OBJECT_NAME "object.o"
#define PROGRAM_NAME "program"
#define INCLUDE_CCCL ".cuda/cccl"
#define INCLUDE_NAME ".cuda" /* the toolkit's headers; no file of a user's has a dot */
#define WRAPPER_MARK "warpjudge: " /* begins the texts of the wrapper's own checks */

/* --- wrapper.c ------------------------------------------------------------------------
 */

/* For a reference in C. The caller frees. */
char *compile_c_wrapper(const struct function *f, const char *file_name);

/* What a user gets for #include "solve.h". The caller frees. */
char *compile_solve_header(const struct function *f);

/* For inputs.c and checker.c. The caller frees. */
char *compile_inputs_wrapper(const struct function *f, const char *file_name);
char *compile_checker_wrapper(const struct function *f, const char *file_name);

/* Whole program text that includes the source, for t's kind. The caller frees. */
char *target_wrapper(const struct target *t);

/* --- build.c --------------------------------------------------------------------------
 */

/* A folder in which tools run. Inside the sandbox it is BUILD_INSIDE, writable, and the
 * judge's lib/ is LIB_INSIDE, read-only. */
#define BUILD_INSIDE "/build"
#define LIB_INSIDE "/judge-lib"

struct build {
    const struct target *target;
    char *folder;    /* absolute; removed by build_close */
    const char *lib; /* lib/ as tools see it */
};

int build_open(const struct target *t, const char *folder, struct build *b,
               struct report *r);
void build_close(struct build *b);

/* How a tool's run ended, from the author's point of view. Our failures are a report. */
enum tool_end {
    TOOL_OK,
    TOOL_ERRORS, /* it refused the source: see its output */
    TOOL_TIME,   /* CPU time, or time in which all of it slept */
    TOOL_MEMORY,
    TOOL_OUTPUT, /* it printed, or wrote, more than the limit */
    TOOL_CRASH,  /* the tool itself died */
};

#define COMPILE_SECONDS_MAX 60        /* that a tool may use (sandbox_wait_used) */
#define COMPILE_WALL_SECONDS_MAX 1800 /* in which it must come to that */
#define COMPILE_MEMORY_GIB 8
#define COMPILE_FILE_MIB 256

/* argv[0] is an absolute path. -1: we failed. */
int build_run(const struct build *b, const char *const *argv, struct buf *output,
              enum tool_end *end, struct report *r);

/* --- libraries.c ---------------------------------------------------------------------
 */

/* FOLDER/INCLUDE_NAME: links to the headers that t may include. */
int libraries_link_headers(const struct target *t, const char *folder, struct report *r);

/* The linker's words for a library, NULL-terminated; none where it is headers only. */
const char *const *libraries_to_link(enum library l);

/* Why the header is not there, if it is a library's: a sentence without a place, the
 * caller frees; else NULL. */
char *libraries_explain(const struct target *t, const char *header, size_t len);

/* --- tools.c --------------------------------------------------------------------------
 */

/* WRAPPER -> OBJECT_NAME, and with lib/guest.o -> PROGRAM_NAME, in b's folder. */
int tool_compile(const struct build *b, struct buf *output, enum tool_end *end,
                 struct report *r);
int tool_link(const struct build *b, struct buf *output, enum tool_end *end,
              struct report *r);

/* Everything about the tools and their options that goes into the cache's key. */
int tool_identity(const struct target *t, struct buf *key, struct report *r);

/* --- messages.c -----------------------------------------------------------------------
 */

/* The sentence or the list of errors that a user reads; the caller frees. */
char *message_compile(const struct target *t, enum tool_end end,
                      const struct buf *output);
char *message_link(const struct target *t, enum tool_end end, const struct buf *output);

/* --- cache.c --------------------------------------------------------------------------
 */

#define CACHE_KEY_LEN 65 /* SHA-256 in hexadecimal, and the NUL */

/* Key of t's program. */
int cache_key(const struct target *t, char key[CACHE_KEY_LEN], struct report *r);

/* Puts the cached program at `to` and checks it there: true if it is there and whole.
 * What is damaged is removed. */
bool cache_get(const char *cache, const char *key, const char *to);

/* Keeps the program at `from`; evicts the least recently used beyond the cache's size. */
int cache_put(const char *cache, const char *key, const char *from, struct report *r);

#endif
