/* The seccomp filter of a sandbox: which system calls its program may use. */
#ifndef SANDBOX_SECCOMP_FILTER_H
#define SANDBOX_SECCOMP_FILTER_H

#include "sandbox/sandbox.h"

/* Makes a libseccomp filter (scmp_filter_ctx), which the caller releases. It returns NULL
 * with a report on failure. Only one_process, no_memory_files and gpu of s matter.
 * refusal is 0, or libseccomp's action for refused calls instead of an error. */
void *seccomp_filter(const struct sandbox *s, uint32_t refusal, struct report *r);

/* A descriptor from which the compiled filter can be read, or -1 with a report. The
 * caller closes it. */
int seccomp_filter_fd(const struct sandbox *s, struct report *r);

#endif
