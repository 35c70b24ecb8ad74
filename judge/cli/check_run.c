/* Runs one program in a child process, and waits for its end or the deadline. */
#include "cli/check.h"

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

#define SAID_BYTES_MAX ((size_t)64 << 10)
#define EXIT_NOT_RUN 127

/* Becomes the program. Between fork and exec of a program with threads, only system calls
 * are allowed. */
static void
check_run_become(const char *const *argv, int input, int output, int stream, pid_t parent)
{
    const int other = stream == STDERR_FILENO ? STDOUT_FILENO : STDERR_FILENO;
    int null = open("/dev/null", O_WRONLY);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && null >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
        dup2(null, other) >= 0 && dup2(output, stream) >= 0)
        execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(EXIT_NOT_RUN);
}

/* Reads until the program closes the pipe. False where the deadline came first. */
static bool
read_until(int fd, uint64_t deadline_ms, struct buf *out)
{
    const uint64_t end_ns = now_ns() + deadline_ms * 1000000u;
    char chunk[4096];

    for (;;) {
        const uint64_t now = now_ns();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (now >= end_ns)
            return false;
        if (poll(&p, 1, 1000) <= 0)
            continue;
        n = read(fd, chunk, sizeof chunk);
        if (n == 0)
            return true;
        if (n > 0 && out->len < SAID_BYTES_MAX)
            buf_add(out, chunk, (size_t)n);
    }
}

/* The last line that a program printed, which says what is wrong. */
static char *
check_run_last_line(const struct buf *said)
{
    const char *text = buf_str(said);
    size_t end = said->len, start;

    while (end > 0 && text[end - 1] == '\n')
        end--;
    start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    return xasprintf("%.*s", (int)(end - start), text + start);
}

static int
check_run_finish(pid_t pid, int output, uint64_t deadline_ms, int stream,
                 const char *program, char **said)
{
    struct buf text = {0};
    const bool ended = read_until(output, deadline_ms, &text);
    int status = 0;

    if (!ended)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!ended)
        *said = xasprintf("%s did not end in %llu s", program,
                          (unsigned long long)deadline_ms / 1000);
    else if (!WIFEXITED(status))
        *said = xasprintf("%s was ended by signal %d", program, WTERMSIG(status));
    else if (WEXITSTATUS(status) == EXIT_NOT_RUN)
        *said = xasprintf("%s cannot be run", program);
    else
        *said = stream == STDERR_FILENO ? check_run_last_line(&text)
                                        : xstrdup(buf_str(&text));
    buf_free(&text);
    return ended && WIFEXITED(status) && WEXITSTATUS(status) != EXIT_NOT_RUN
               ? WEXITSTATUS(status)
               : -1;
}

int
check_run(const char *const *argv, const char *input, uint64_t deadline_ms, int stream,
          char **said)
{
    const size_t len = strlen(input);
    const pid_t self = getpid();
    int in[2], out[2];
    pid_t pid;
    int status;

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        die(EXIT_JUDGE_FAILED, "no pipes are left: %s", strerror(errno));
    /* The input fits the pipe, so that the program need not read yet. */
    if (write(in[1], input, len) != (ssize_t)len)
        die(EXIT_JUDGE_FAILED, "a pipe is full");
    close(in[1]);
    pid = fork();
    if (pid == 0)
        check_run_become(argv, in[0], out[1], stream, self);
    close(in[0]);
    close(out[1]);
    if (pid < 0) {
        *said = xasprintf("%s cannot be started: %s", argv[0], strerror(errno));
        close(out[0]);
        return -1;
    }
    status = check_run_finish(pid, out[0], deadline_ms, stream, argv[0], said);
    close(out[0]);
    return status;
}
