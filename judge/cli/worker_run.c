/* Runs one program of the judge's, reads its lines, and has a function called beside it.
 */
#include "cli/worker.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_BYTES_MAX ((size_t)64 << 10)
#define EXIT_NOT_RUN 127
#define NS_PER_MS 1000000u

/* Becomes the program, in a session of its own. It ends when we do. */
static void
worker_run_become(const char *const *argv, int input, int output, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    if (getppid() == parent && dup2(input, STDIN_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0)
        execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(EXIT_NOT_RUN);
}

/* Starts the program. *out is the end of the pipe that its lines come from. */
static pid_t
worker_run_start(const struct worker_program *p, int *out, struct report *r)
{
    const size_t len = strlen(p->input);
    const pid_t self = getpid();
    int in[2], lines[2];
    pid_t pid;

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(lines, O_CLOEXEC) != 0)
        die(4, "no pipes are left: %s", strerror(errno));
    /* The input fits the pipe, so that the program need not read yet. */
    if (write(in[1], p->input, len) != (ssize_t)len)
        die(4, "a pipe is full");
    close(in[1]);
    pid = fork();
    if (pid == 0)
        worker_run_become(p->argv, in[0], lines[1], self);
    close(in[0]);
    close(lines[1]);
    *out = lines[0];
    if (pid < 0) {
        close(lines[0]);
        report_errno(r, "%s cannot be started", p->argv[0]);
    }
    return pid;
}

static void
worker_run_take_lines(const struct worker_program *p, struct buf *text)
{
    char *at = text->data, *end;

    while (at != NULL && (end = strchr(at, '\n')) != NULL) {
        *end = '\0';
        if (p->line != NULL)
            p->line(p->arg, at);
        at = end + 1;
    }
    if (at != NULL && at != text->data) {
        char *rest = xstrdup(at);

        buf_clear(text);
        buf_puts(text, rest);
        free(rest);
    }
    if (text->len > LINE_BYTES_MAX)
        buf_clear(text);
}

/* Reads lines until the program closes its output. False where it is to be ended. */
static bool
worker_run_watch(const struct worker_program *p, int fd, struct report *r)
{
    const uint64_t end_ns = now_ns() + p->limit_ms * NS_PER_MS;
    uint64_t pulse_ns = now_ns() + p->pulse_ms * NS_PER_MS;
    struct buf text = {0};
    char chunk[4096];
    bool goes_on = true;
    ssize_t n = 1;

    while (goes_on && n != 0) {
        const uint64_t now = now_ns();
        struct pollfd ready = {.fd = fd, .events = POLLIN};

        if (now >= end_ns) {
            report_fail(r, "%s did not end in %llu s", p->argv[0],
                        (unsigned long long)p->limit_ms / 1000);
            break;
        }
        if (now >= pulse_ns) {
            goes_on = p->pulse(p->arg) == 0;
            pulse_ns = now_ns() + p->pulse_ms * NS_PER_MS;
        } else if (poll(&ready, 1, (int)((pulse_ns - now) / NS_PER_MS) + 1) > 0) {
            n = read(fd, chunk, sizeof chunk);
            if (n > 0)
                buf_add(&text, chunk, (size_t)n);
            worker_run_take_lines(p, &text);
        }
    }
    buf_free(&text);
    if (!goes_on)
        report_fail(r, "%s was ended, because its result is not wanted any more",
                    p->argv[0]);
    return n == 0;
}

int
worker_run(const struct worker_program *p, struct report *r)
{
    int fd = -1, status = 0;
    pid_t pid = worker_run_start(p, &fd, r);

    if (pid < 0)
        return -1;
    if (!worker_run_watch(p, fd, r))
        kill(-pid, SIGKILL);
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL); /* what it may have left in its group */
    if (report_is_set(r))
        return -1;
    if (!WIFEXITED(status))
        return report_fail(r, "%s was ended by signal %d", p->argv[0], WTERMSIG(status));
    if (WEXITSTATUS(status) == EXIT_NOT_RUN)
        return report_fail(r, "%s cannot be run", p->argv[0]);
    if (WEXITSTATUS(status) != 0)
        return report_fail(r, "%s exited with status %d", p->argv[0],
                           WEXITSTATUS(status));
    return 0;
}
