/*
 * Stops and continues the one program of a sandbox. SIGSTOP stops it, which no program
 * can catch or ignore. We then read each thread's state in /proc (proc(5)), where T means
 * stopped, because kill() returns before the program stands still.
 *
 * bubblewrap does not tell the program's pid, so we look once for the child of process 1.
 * We keep a pidfd, which cannot come to name another process.
 */
#include "core/buf.h"
#include "core/file.h"
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>

#define STAND_MS 1000
#define LOOK_NS 20000

/* Reads the state and the parent of a process or thread. Returns -1 if it is gone. */
static int
read_stat(const char *path, char *state, pid_t *parent)
{
    FILE *f = fopen(path, "re");
    char line[512];
    const char *at = NULL;

    if (f == NULL)
        return -1;
    /* The name stands in parentheses and may itself hold any character. */
    if (fgets(line, sizeof line, f) != NULL)
        at = strrchr(line, ')');
    fclose(f);
    if (at == NULL || strlen(at) < strlen(") S 1"))
        return -1;
    *state = at[2];
    *parent = (pid_t)strtol(at + 4, NULL, 10);
    return 0;
}

/* The pid of a child of this process, or 0 if it has none. */
static pid_t
child_of(pid_t parent)
{
    DIR *proc = opendir("/proc");
    const struct dirent *e;
    pid_t found = 0;

    while (proc != NULL && found == 0 && (e = readdir(proc)) != NULL) {
        const long pid = strtol(e->d_name, NULL, 10);
        char path[64], state;
        pid_t its_parent = 0;

        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        if (pid > 0 && read_stat(path, &state, &its_parent) == 0 && its_parent == parent)
            found = (pid_t)pid;
    }
    if (proc != NULL)
        closedir(proc);
    return found;
}

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
        if (read_stat(stat, &state, &parent) == 0)
            all = strchr("TtZX", state) != NULL;
    }
    if (tasks != NULL)
        closedir(tasks);
    return all;
}

static int
find_program(struct sandbox_process *p, struct report *r)
{
    if (p->program > 0)
        return 0;
    p->program = p->info < 0 ? p->pid : child_of(p->init);
    if (p->program <= 0)
        return 1; /* it has ended, which our caller will notice by itself */
    p->program_pidfd = pidfd_open(p->program, 0);
    return p->program_pidfd >= 0 || errno == ESRCH
               ? 0
               : report_errno(r, "the sandbox's program cannot be watched");
}

int
sandbox_freeze(struct sandbox_process *p, struct report *r)
{
    const struct timespec step = {.tv_nsec = LOOK_NS};
    const uint64_t deadline_ns = now_ns() + STAND_MS * UINT64_C(1000000);
    int rc = find_program(p, r);

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (p->program_pidfd < 0 ||
        pidfd_send_signal(p->program_pidfd, SIGSTOP, NULL, 0) != 0)
        return 0; /* the program is gone */
    while (!process_stands(p->program)) {
        if (now_ns() > deadline_ns)
            return 1;
        (void)nanosleep(&step, NULL);
    }
    return 0;
}

void
sandbox_thaw(struct sandbox_process *p)
{
    if (p->program > 0 && p->program_pidfd >= 0)
        pidfd_send_signal(p->program_pidfd, SIGCONT, NULL, 0);
}
