#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The exit status; -1: a signal ended it. */
static int
program_wait(pid_t pid)
{
    int status = 0;
    pid_t got;

    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    return got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
program_output(const char *const *argv, struct buf *out)
{
    posix_spawn_file_actions_t actions;
    char chunk[4096];
    ssize_t n;
    pid_t pid;
    int pipes[2], rc;

    if (pipe2(pipes, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 2);
    rc = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    if (rc == 0) {
        while ((n = read(pipes[0], chunk, sizeof chunk)) > 0)
            buf_add(out, chunk, (size_t)n);
        rc = program_wait(pid);
    } else {
        rc = -1;
    }
    close(pipes[0]);
    return rc;
}
