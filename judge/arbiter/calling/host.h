/*
 * What a judgement asks about the host, which can spoil the times of calls: how many CPUs
 * there are, and whether something else took them during a call. A judgement asks only
 * here, so that a test can stand in for the host (struct judgement, host).
 */
#ifndef ARBITER_CALLING_HOST_H
#define ARBITER_CALLING_HOST_H

#include "runner/protocol.h"

#include <stdbool.h>

struct host_ops {
    /* The number of CPUs that this process may run on. */
    int (*cpus)(void);

    /* How often this thread has lost its CPU. Only differences mean anything. */
    long (*preemptions)(void);

    /* What a runner's reply says of its host. If a value is none that a runner of ours
     * can send, the CPU is -1 and all else 0. The reply may be believed as long as no
     * submission is loaded in that runner. */
    struct runner_host (*runner)(const struct runner_reply *reply);
};

/* The real host. */
extern const struct host_ops host_linux;

/* Are there CPUs enough for arbiter and runner to wait for each other without sleep? With
 * fewer, the one that waits would keep the other from its CPU. */
bool host_can_stay_awake(const struct host_ops *host);

#endif
