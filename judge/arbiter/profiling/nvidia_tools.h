/*
 * Runs NVIDIA's tools, Nsight Compute and compute-sanitizer, in a sandbox of their own.
 *
 * The submission runs in that sandbox, too, below the tool. It sees one call with public
 * inputs (call_files.h). It has no socket to the arbiter, no network but its own
 * loopback, and nothing of the host's disk that it could write. So what the tools say is
 * as true as the submission wants it to be. It is told to people, and decides nothing.
 */
#ifndef ARBITER_PROFILING_NVIDIA_TOOLS_H
#define ARBITER_PROFILING_NVIDIA_TOOLS_H

#include "arbiter/judging/judgement.h"
#include "base/buf.h"

struct nvidia_tool {
    char *program; /* its path on the host and in the sandbox */
    char *folder;  /* all that it consists of */
};

/* Each finds a tool beside the CUDA Toolkit. They return false if it is not there. */
bool nvidia_tools_find_ncu(const char *cuda_root, struct nvidia_tool *out);
bool nvidia_tools_find_sanitizer(const char *cuda_root, struct nvidia_tool *out);
void nvidia_tool_free(struct nvidia_tool *t);

/* The paths in the sandbox. */
#define TOOLS_RUNNER "/runner"
#define TOOLS_CALL "/call"
#define TOOLS_MADE "/tmp/profile.ncu-rep"   /* where the tool leaves its report */
#define TOOLS_REPORT "/report/made.ncu-rep" /* where another run finds it */

struct tool_run {
    const struct nvidia_tool *tool;
    const char *const *argv; /* argv[0] is not used */
    const char *call;        /* the folder at TOOLS_CALL; NULL: none, and no GPU either */
    const char *report;      /* a file of ours. With a call it gets what the tool left at
                                TOOLS_MADE, else it is at TOOLS_REPORT. NULL: there is none */
    uint64_t limit_ms;       /* of the wall clock */
    size_t keep_bytes;       /* of what it prints */
};

/* Runs the tool. *output gets what it and the submission have printed. Returns 0 if it
 * ended by itself, whatever its exit status is, which goes to *code. Returns 1 with a
 * sentence in `why` if it was ended, and -1 if we failed. */
int nvidia_tool_run(struct judgement *j, const struct tool_run *run, struct buf *output,
                    int *code, struct report *why, struct report *r);

#endif
