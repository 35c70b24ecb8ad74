/*
 * The host that calls run on, as far as it can spoil their times: how many CPUs it has,
 * and whether something else took them meanwhile. A judgement asks for that here only, so
 * that a test can stand in for the host (struct judgement, host).
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

    /* What a runner's reply says of its host, if each value is one that a runner of ours
     * can send; else the CPU is -1 and all else 0. It may be believed as long as nothing
     * of a submission is loaded there. */
    struct runner_host (*runner)(const struct runner_reply *reply);
};

/* The real one. */
extern const struct host_ops host_linux;

/* Are there CPUs enough for both sides of a call to wait without sleep? With fewer, the
 * side that waits awake would keep the other from its CPU. */
bool host_can_stay_awake(const struct host_ops *host);

#endif
