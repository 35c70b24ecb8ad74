/* A process for each device of a worker and for each of its compilers. */
#include "cli/worker.h"

#include "base/cpus.h"
#include "base/file.h"
#include "cli/cli.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX (WORKER_DEVICES_MAX + WORKER_COMPILERS_MAX)

struct worker_processes {
    pid_t pid[PROCESSES_MAX]; /* first those that judge; 0: it has ended */
    int count, judging;       /* how many of them judge */
    bool told;                /* they were told to end */
};

/* What stands in the place of a device in each process that compiles. */
static const struct worker_device COMPILER = {.name = (char *)(uintptr_t) "compiler",
                                              .board = (char *)(uintptr_t) "",
                                              .title = (char *)(uintptr_t) "",
                                              .arch = (char *)(uintptr_t) "",
                                              .compiles = true};

/* The device of a process, or what stands in the place of one. */
static const struct worker_device *
processes_device(const struct worker_setup *setup, int at)
{
    return at < setup->device_count ? setup->device[at] : &COMPILER;
}

/* Compilers beside GPUs leave some CPUs to these, as those of a daemon do. */
static void
worker_leave_cpus(const struct worker_setup *setup)
{
    const int cpus = cpus_allowed();
    int gpus = 0;

    for (int i = 0; i < setup->device_count; i++)
        gpus += strncmp(setup->device[i]->name, "cuda:", 5) == 0;
    if (cpus_beside_gpus(cpus, gpus) < cpus)
        cpus_keep_to_last(cpus_beside_gpus(cpus, gpus));
}

/* Starts a process that works for the device. It ends gently when we do. */
static pid_t
worker_fork(const struct worker_setup *setup, const struct worker_device *device)
{
    const pid_t self = getpid();
    struct report r = {0};
    pid_t pid = fork();
    int status;

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != self)
        _exit(0);
    if (device->compiles)
        worker_leave_cpus(setup);
    status = worker_work(setup, device, &r);
    if (report_is_set(&r))
        fprintf(stderr, "warpjudge worker: %s: %s\n", device->name, r.text);
    _exit(status);
}

static void
processes_end(struct worker_processes *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->pid[i] != 0)
            kill(p->pid[i], SIGTERM);
    p->told = true;
}

/* Takes the process out of the list. False for one that is not in it, such as one that a
 * sandbox has left to us. */
static bool
processes_forget(struct worker_processes *p, pid_t ended)
{
    for (int i = 0; i < p->count; i++)
        if (p->pid[i] == ended) {
            p->pid[i] = 0;
            return true;
        }
    return false;
}

/* Is one of the first `count` there? */
static bool
processes_any(const struct worker_processes *p, int count)
{
    for (int i = 0; i < count; i++)
        if (p->pid[i] != 0)
            return true;
    return false;
}

/* Are all to end by themselves? A worker whose token is not for all that it does ends.
 * Compilers beside devices do not outlive the last process that judges, however that
 * ended: a cluster's job would hold its GPU for others' submissions. */
static bool
processes_are_over(const struct worker_setup *setup, const struct worker_processes *p)
{
    return atomic_load(&setup->sharing.memory->refused) ||
           (p->judging > 0 && !processes_any(p, p->judging));
}

/* Passes signals on until all processes have ended. The worst exit status is ours. */
static int
processes_await(const struct worker_setup *setup, struct worker_processes *p)
{
    int worst = 0;

    while (processes_any(p, p->count)) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG);

        if (ended > 0 && processes_forget(p, ended)) {
            status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_JUDGE_FAILED;
            worst = status > worst ? status : worst;
        } else if (ended > 0) {
            continue;
        } else if (worker_is_to_stop(setup)) {
            struct signalfd_siginfo info;

            if (read(setup->signals, &info, sizeof info) == (ssize_t)sizeof info)
                processes_end(p);
        } else if (!p->told && processes_are_over(setup, p)) {
            processes_end(p);
        } else {
            struct pollfd ready = {.fd = setup->signals, .events = POLLIN};

            poll(&ready, 1, 500);
        }
    }
    return worst;
}

int
worker_run_all(const struct worker_setup *setup, struct report *r)
{
    struct worker_processes p = {.count = setup->device_count + setup->compilers,
                                 .judging = setup->device_count};

    if (p.count == 1)
        return worker_work(setup, processes_device(setup, 0), r);
    for (int i = 0; i < p.count; i++) {
        p.pid[i] = worker_fork(setup, processes_device(setup, i));
        if (p.pid[i] < 0) {
            report_errno(r, "no process can be started");
            p.pid[i] = 0;
            processes_end(&p);
            return EXIT_JUDGE_FAILED;
        }
    }
    return processes_await(setup, &p);
}
