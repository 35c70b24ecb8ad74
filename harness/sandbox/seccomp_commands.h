/* The part of the filter for calls whose argument is a command. Private to
 * seccomp_filter.c. */
#ifndef SANDBOX_SECCOMP_COMMANDS_H
#define SANDBOX_SECCOMP_COMMANDS_H

#include "sandbox/sandbox.h"

#include <seccomp.h>

/* Adds rules for fcntl, flock, ioctl and prctl. Returns libseccomp's error, or 0. */
int seccomp_commands(scmp_filter_ctx filter, const struct sandbox *s);

#endif
