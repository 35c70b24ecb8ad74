/*
 * Stops and continues the one program of a sandbox. SIGSTOP stops it, which no program
 * can catch or ignore. We then read each thread's state in /proc (proc(5)), where T means
 * stopped, because kill() returns before the program stands still.
 */
#include "base/buf.h"
#include "base/file.h"
#include "sandbox/proc.h"
#include "sandbox/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>

#define STAND_NS UINT64_C(1000000000) /* of its CPU time, or blocked: usage.h */
#define STAND_WALL_NS (60 * STAND_NS) /* whatever the machine does meanwhile */
#define LOOK_NS 20000

/* Does every thread of the process stand still, or is none left? */
static bool
process_stands(pid_t pid)
{
    char path[64];
    const struct dirent *e;
    bool all = true;
    DIR *tasks;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    while (tasks != NULL && all && (e = readdir(tasks)) != NULL) {
        char stat[128], state;
        pid_t parent;

        if (e->d_name[0] == '.')
            continue;
        snprintf(stat, sizeof stat, "%s/%.20s/stat", path, e->d_name);
        if (proc_stat(AT_FDCWD, stat, &state, &parent) == 0)
            all = strchr("TtZX", state) != NULL;
    }
    if (tasks != NULL)
        closedir(tasks);
    return all;
}

int
sandbox_freeze(struct sandbox_process *p, struct report *r)
{
    const struct timespec step = {.tv_nsec = LOOK_NS};
    const uint64_t start_ns = now_ns();
    struct usage u = {.process = {p}};
    uint64_t next_ns = 0, cpu_ns;
    int rc = 0;

    if (!sandbox_find_program(p))
        return p->program > 0 && !sandbox_ended(p)
                   ? report_fail(r, "the sandbox's program cannot be watched")
                   : 0; /* it has ended: whoever talks to it will see */
    cpu_ns = usage_cpu_ns(&u, 0);
    if (pidfd_send_signal(p->program_pidfd, SIGSTOP, NULL, 0) != 0)
        return 0; /* gone */
    while (rc == 0 && !process_stands(p->program)) {
        const uint64_t now = now_ns();

        if (now >= next_ns) {
            usage_look(&u);
            next_ns = usage_next_ns(now);
        }
        if (usage_cpu_ns(&u, 0) - cpu_ns + u.account.slept_ns + u.account.blocked_ns >
            STAND_NS)
            rc = 1;
        else if (now - start_ns > STAND_WALL_NS)
            rc =
                report_fail(r, "a program could not be stopped: the machine is too busy");
        (void)nanosleep(&step, NULL);
    }
    usage_account_pause(&u.account);
    return rc;
}

void
sandbox_thaw(struct sandbox_process *p)
{
    if (p->program > 0 && p->program_pidfd >= 0)
        pidfd_send_signal(p->program_pidfd, SIGCONT, NULL, 0);
}
