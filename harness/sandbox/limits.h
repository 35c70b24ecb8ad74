/* The resource limits of a sandboxed program. */
#ifndef SANDBOX_LIMITS_H
#define SANDBOX_LIMITS_H

#include "sandbox/sandbox.h"

/* Sets the limits of s on process pid (0: this one). The call is async-signal-safe. It
 * returns 0, or -1 with errno. */
int limits_apply(pid_t pid, const struct sandbox *s);

#endif
