#include "daemon/spawn.h"

#include "base/cpus.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

/* The dynamic linker may look names up on it, and saves all registers for that. */
#define STACK_BYTES (64u << 10)

/* Stands before each function that the new process calls. AddressSanitizer marks the
 * stack below a frame, and the marks would stay in the daemon's when a frame never ends.
 */
#define ON_BORROWED_STACK __attribute__((no_sanitize_address))

/* What the new process is given. Nothing in it changes meanwhile. */
struct newborn {
    const struct spawn *spawn;
    pid_t parent;
};

/* Takes the daemon's handlers away from this process, and lets signals come again. A
 * handler that ran here would write into the daemon's memory and into its pipes. */
ON_BORROWED_STACK static void
signals_reset(void)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        (void)sigaction(sig, &by_default, NULL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Says on stderr why the program was not executed. */
ON_BORROWED_STACK static void
tell_failure(const char *program, int error)
{
    static const char CANNOT[] = " cannot be started: ";
    const char *why = strerrordesc_np(error);
    struct iovec parts[4];
    size_t count = 0;

    if (why == NULL)
        why = "unknown error";
    parts[count++] = (struct iovec){(void *)(uintptr_t)program, strlen(program)};
    parts[count++] = (struct iovec){(void *)(uintptr_t)CANNOT, sizeof CANNOT - 1};
    parts[count++] = (struct iovec){(void *)(uintptr_t)why, strlen(why)};
    parts[count++] = (struct iovec){(void *)(uintptr_t) "\n", 1};
    (void)!writev(2, parts, (int)count);
}

/* Becomes the program, in the new process. It gives up the daemon's priority and session
 * last: the daemon waits, and on a busy machine it would wait behind compilers. */
ON_BORROWED_STACK static int
newborn_become(void *arg)
{
    const struct newborn *newborn = arg;
    const struct spawn *s = newborn->spawn;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != newborn->parent)
        _exit(126);
    /* A better priority is the daemon's alone. */
    (void)setrlimit(RLIMIT_NICE, &(struct rlimit){0});
    if (s->cpus > 0)
        cpus_keep_to_last(s->cpus);
    if (dup2(s->in, 0) < 0 || dup2(s->out, 1) < 0 || dup2(s->err, 2) < 0)
        _exit(126);
    signals_reset();
    setsid(); /* a group of its own, and a share of the CPUs beside the daemon's */
    (void)setpriority(PRIO_PROCESS, 0, s->priority);
    execv(s->argv[0], (char *const *)(uintptr_t)s->argv);
    tell_failure(s->argv[0], errno);
    _exit(127);
}

pid_t
spawn_program(const struct spawn *s)
{
    struct newborn newborn = {s, getpid()};
    alignas(16) char stack[STACK_BYTES];
    sigset_t all, old;
    pid_t pid;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    pid = clone(newborn_become, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
                &newborn);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid;
}
