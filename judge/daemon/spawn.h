/*
 * The start of a program in a process of its own. Its cost does not depend on how large
 * the daemon is. fork() copies the daemon's page tables, and each page that the daemon
 * writes to afterwards. Here the new process borrows the daemon's memory instead. The
 * calling thread waits until it is given back, as after vfork(2), but the new process has
 * a stack of its own.
 *
 * So what runs before the program begins shares each variable with the daemon. It calls
 * the kernel and nothing else, allocates nothing, and takes no lock.
 */
#ifndef DAEMON_SPAWN_H
#define DAEMON_SPAWN_H

#include <sys/types.h>

struct spawn {
    const char *const *argv; /* argv[0] is the program's path */
    int in, out, err;        /* become its descriptors 0, 1 and 2 */
    int priority;            /* as getpriority(2) has it */
    int cpus; /* to how many of the CPUs that the daemon may use it keeps; 0: to all */
};

/* Starts the program in a session of its own. It is killed when the daemon ends. Returns
 * its number, or -1 with errno where there can be no more processes. A program that
 * cannot be executed is a process that says so on `err` and ends with status 127. */
pid_t spawn_program(const struct spawn *s);

#endif
