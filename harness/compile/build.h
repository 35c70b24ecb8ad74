/* A build folder, and tools that run in it in a sandbox. */
#ifndef COMPILE_BUILD_H
#define COMPILE_BUILD_H

#include "compile/compile.h"

/* Inside the sandbox the build folder is BUILD_INSIDE, writable. The judge's lib/ is
 * LIB_INSIDE, read-only. */
#define BUILD_INSIDE "/build"
#define LIB_INSIDE "/judge-lib"
#define HEADERS_INSIDE "/judge-headers" /* what INCLUDE_NAME links to, read-only */

/* Files in the build folder. The names of users' files have no leading dot. */
#define WRAPPER_NAME "warpjudge-wrapper.cu"
#define C_WRAPPER_NAME "warpjudge-wrapper.c"
#define C_MAIN_NAME "warpjudge-main.c" /* bounds.h */
#define OBJECT_NAME "object.o"
#define PROGRAM_NAME "program"
#define PTX_NAME "warpjudge-wrapper.ptx" /* as nvcc -keep names them */
#define FATBIN_NAME "warpjudge-wrapper.fatbin"
#define CUBIN_NAME "assembled.cubin"
#define SASS_NAME "disassembled"
#define INCLUDE_NAME ".cuda" /* links to the toolkit's headers */
#define INCLUDE_CCCL ".cuda/cccl"

/* A tool may use COMPILE_SECONDS_MAX (sandbox_wait_used). If the machine gives it less
 * within COMPILE_WALL_SECONDS_MAX, that is our failure. */
#define COMPILE_SECONDS_MAX 60
#define COMPILE_WALL_SECONDS_MAX 3600
#define COMPILE_MEMORY_GIB 8
#define COMPILE_FILE_MIB 256

struct build {
    const struct target *target;
    char *folder;    /* absolute; owned; build_close removes it */
    const char *lib; /* lib/ as tools see it */
    char *headers;   /* the folder of links that others use, too; owned; NULL: none */
};

/* Makes the folder with the wrapper, the source and the headers for t. Links to headers
 * are kept in `cache`. */
int build_open(const struct target *t, const char *cache, const char *folder,
               struct build *b, struct report *r);
void build_close(struct build *b);

/* Forgets a folder that stays, for build_open_again(). */
void build_free(struct build *b);

/* How a tool's run ended, as the author of the source sees it. A failure of ours is a
 * report instead. */
enum tool_end {
    TOOL_OK,
    TOOL_ERRORS, /* the tool refused the source; its output says why */
    TOOL_TIME,   /* it took too much CPU time, or slept too long */
    TOOL_MEMORY,
    TOOL_OUTPUT, /* it printed or wrote more than the limit */
    TOOL_CRASH,  /* the tool itself died */
};

/* Opens the folder that build_open made for the same target and did not close. */
void build_open_again(const struct target *t, const char *folder, struct build *b);

/* Writes a file into the folder, for tools to read. */
int build_write(const struct build *b, const char *name, const char *text, size_t len,
                struct report *r);

/* Reads a file that a tool has left in the folder. */
int build_read(const struct build *b, const char *name, struct buf *out,
               struct report *r);

/* Runs a tool in the folder; argv[0] is an absolute path. Returns -1 if we failed. */
int build_run(const struct build *b, const char *const *argv, struct buf *output,
              enum tool_end *end, struct report *r);

/* The same for a tool that prints something of each kernel, so that its output may be as
 * large as a file. */
int build_run_verbose(const struct build *b, const char *const *argv, struct buf *output,
                      enum tool_end *end, struct report *r);

/* Runs a program that was compiled with AddressSanitizer. That maps terabytes of
 * addresses, of which it uses few, and reads /proc. */
int build_run_sanitized(const struct build *b, const char *const *argv,
                        struct buf *output, enum tool_end *end, struct report *r);

#endif
