/*
 * The program is run as `env` or `strace` run one. It has our standard streams, our
 * terminal and our environment. What the terminal sends, such as Ctrl-C, goes to the
 * whole foreground group, and so to the program itself. A signal that is sent to us alone
 * is passed on. We go on until the program has ended.
 */
#include "cli/cli.h"
#include "cli/emu.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libcudart.so.13"
#define EXIT_NOT_RUN 126 /* as env(1) has it */
#define EXIT_ITSELF 125

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* Puts `value` in front of what a colon-separated variable holds already. */
static void
environment_prepend(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    char *both =
        old != NULL && old[0] != '\0' ? xasprintf("%s:%s", value, old) : xstrdup(value);

    setenv(variable, both, 1);
    free(both);
}

/* Becomes the program, after fork. It never returns. Where it fails, errno is written
 * into the pipe. */
static void
become_program(const struct emu_program *p, const char *const *argv,
               const struct config *config, const struct emu_gpu *g,
               const sigset_t *signals, int pipe)
{
    char *folder = xasprintf("%s/warpjudge", config->lib);
    char *library = xasprintf("%s/" LIBRARY, folder);
    int error;

    environment_prepend("LD_LIBRARY_PATH", folder);
    if (p->has_rpath)
        environment_prepend("LD_PRELOAD", library);
    setenv("WARPJUDGE_GPU_SOCKET", g->address, 1);
    unsetenv("WARPJUDGE_GPU_FD");
    sigprocmask(SIG_SETMASK, signals, NULL);
    execv(p->path, (char *const *)argv);
    error = errno;
    if (write(pipe, &error, sizeof error) != (ssize_t)sizeof error)
        _exit(EXIT_ITSELF);
    _exit(EXIT_NOT_RUN);
}

/* Starts the program. -1 and errno where it does not run; errno may come from the
 * child. */
static pid_t
emu_child_start(const struct emu_program *p, const char *const *argv,
                const struct config *config, const struct emu_gpu *g,
                const sigset_t *signals)
{
    int ends[2], error = 0;
    ssize_t n;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid = fork();
    if (pid == 0)
        become_program(p, argv, config, g, signals, ends[1]);
    close(ends[1]);
    do
        n = pid > 0 ? read(ends[0], &error, sizeof error) : 0;
    while (n < 0 && errno == EINTR);
    close(ends[0]);
    if (pid > 0 && n > 0) {
        waitpid(pid, NULL, 0);
        errno = error;
        return -1;
    }
    return pid;
}

static void
pass_on(int signals, pid_t pid)
{
    struct signalfd_siginfo info;

    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_code !=
            SI_KERNEL) /* else the terminal has sent it to the program, too */
            kill(pid, (int)info.ssi_signo);
}

/* Waits until the program has ended and the GPU has all that it sent. Returns 0 then. */
static int
emu_child_watch(pid_t pid, int signals, struct emu_gpu *g, struct report *r)
{
    struct pollfd ready[3] = {
        {.fd = pidfd_open(pid, 0), .events = POLLIN},
        {.fd = g->listener, .events = POLLIN},
        {.fd = signals, .events = POLLIN},
    };
    int rc = 0;

    if (ready[0].fd < 0)
        return report_errno(r, "the program cannot be waited for");
    while (rc == 0 && ready[0].revents == 0) {
        if (poll(ready, 3, -1) < 0 && errno != EINTR)
            rc = report_errno(r, "the program cannot be waited for");
        if (ready[2].revents != 0)
            pass_on(signals, pid);
        if (rc == 0)
            rc = emu_gpu_accept(g, r);
    }
    close(ready[0].fd);
    return rc;
}

int
emu_child_run(const struct emu_program *p, const char *const *argv,
              const struct config *config, struct emu_gpu *g, int *status,
              struct report *r)
{
    const struct timespec none = {0};
    sigset_t ours, before;
    int signals, rc = EXIT_ITSELF;
    pid_t pid;

    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&ours, passed_on[i]);
    sigprocmask(SIG_BLOCK, &ours, &before);
    signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    pid = signals >= 0 ? emu_child_start(p, argv, config, g, &before) : -1;
    if (pid < 0) {
        rc = signals >= 0 ? EXIT_NOT_RUN : EXIT_ITSELF;
        report_errno(r, "%s cannot be run", p->path);
    } else if (emu_child_watch(pid, signals, g, r) != 0) {
        kill(pid, SIGTERM);
    } else {
        rc = waitpid(pid, status, 0) == pid ? 0 : EXIT_ITSELF;
    }
    if (signals >= 0)
        close(signals);
    /* Signals that came meanwhile were for the program. From here on Ctrl-C ends us. */
    while (sigtimedwait(&ours, NULL, &none) > 0)
        continue;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

void
emu_child_die_like(int number)
{
    const struct rlimit no_core = {0};
    sigset_t one;

    setrlimit(RLIMIT_CORE, &no_core); /* the program's core file is the one of interest */
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}
