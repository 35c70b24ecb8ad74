/* The daemon's priority: it answers people while compilers and judgements use every CPU.
 */
#ifndef DAEMON_PRIORITY_H
#define DAEMON_PRIORITY_H

/* Puts this process so far above what it starts, where it may. Linux divides the CPUs
 * among sessions first, and only within one by priority (sched(7), "The autogroup
 * feature"). So the session is raised as well where it is the daemon's own, as a service
 * or a daemon that was started for a command has it. Children need sessions of their own.
 *
 * Returns the priority of before, which is the children's. */
int priority_raise(int by);

#endif
