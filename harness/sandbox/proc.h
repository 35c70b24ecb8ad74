/* What /proc tells of processes and threads (proc(5)). */
#ifndef SANDBOX_PROC_H
#define SANDBOX_PROC_H

#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads a small file of /proc, NUL-terminated; path is relative to the folder dir.
 * Returns how many bytes it has, or -1 if it is gone. */
int proc_read(int dir, const char *path, char *out, size_t size);

/* Reads the state and the parent of a process or thread from its file "stat". Returns -1
 * if it is gone. */
int proc_stat(int dir, const char *path, char *state, pid_t *parent);

/* Sets p->program and p->program_pidfd. bubblewrap does not tell the program's pid, so we
 * look once for the child of process 1. The pidfd that we keep cannot come to name
 * another process. Returns false if the program is not there yet, or has ended. */
bool sandbox_find_program(struct sandbox_process *p);

#endif
