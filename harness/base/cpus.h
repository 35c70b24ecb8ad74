/*
 * Which of a machine's CPUs compilers use beside GPUs. Beside a timed call they take CPU
 * time and caches from the processes that the clock waits for. A lower priority would not
 * do: the kernel shares CPUs among sessions and control groups first, and only within one
 * by priority. Some CPUs are therefore left free for each GPU.
 */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

/* How many CPUs this process may use; at least 1. */
int cpus_allowed(void);

/* How many of so many CPUs are not left free for so many GPUs. At least half of them are
 * not. The result is at least 1. */
int cpus_beside_gpus(int cpus, int gpus);

/* Keeps this process, and what it starts from then on, to the last `count` of the CPUs
 * that it may use. Where the kernel refuses that, the process uses all of them, which is
 * no failure. */
void cpus_keep_to_last(int count);

#endif
