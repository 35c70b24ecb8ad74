#include "sandbox/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

int
proc_read(int dir, const char *path, char *out, size_t size)
{
    const int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd < 0)
        return -1;
    do
        n = read(fd, out, size - 1);
    while (n < 0 && errno == EINTR);
    close(fd);
    if (n < 0)
        return -1;
    out[n] = '\0';
    return (int)n;
}

int
proc_stat(int dir, const char *path, char *state, pid_t *parent)
{
    char text[512];
    const char *at;

    if (proc_read(dir, path, text, sizeof text) < 0)
        return -1;
    /* The name, in parentheses, may hold anything. */
    at = strrchr(text, ')');
    if (at == NULL || strlen(at) < strlen(") S 1"))
        return -1;
    *state = at[2];
    *parent = (pid_t)strtol(at + 4, NULL, 10);
    return 0;
}

/* The child of this process; 0: it has none. */
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

        snprintf(path, sizeof path, "%ld/stat", pid);
        if (pid > 0 && proc_stat(dirfd(proc), path, &state, &its_parent) == 0 &&
            its_parent == parent)
            found = (pid_t)pid;
    }
    if (proc != NULL)
        closedir(proc);
    return found;
}

bool
sandbox_find_program(struct sandbox_process *p)
{
    if (p->program > 0)
        return p->program_pidfd >= 0;
    p->program = p->info < 0 ? p->pid : child_of(p->init);
    if (p->program <= 0)
        return false;
    p->program_pidfd = pidfd_open(p->program, 0);
    return p->program_pidfd >= 0;
}
