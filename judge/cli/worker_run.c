/* Runs programs of the judge's, reads their lines, and has a function called beside them.
 */
#include "cli/worker_run.h"

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

/* --- start -------------------------------------------------------------- */

/* Becomes the program, in a session of its own. It ends when we do. */
static void
worker_child_become(const char *const *argv, int input, int output, pid_t parent)
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

int
worker_child_start(struct worker_child *c, const char *const *argv, struct report *r)
{
    const pid_t self = getpid();
    int in[2], lines[2];
    pid_t pid;

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(lines, O_CLOEXEC) != 0)
        die(4, "no pipes are left: %s", strerror(errno));
    pid = fork();
    if (pid == 0)
        worker_child_become(argv, in[0], lines[1], self);
    close(in[0]);
    close(lines[1]);
    if (pid < 0) {
        report_errno(r, "%s cannot be started", argv[0]);
        close(in[1]);
        close(lines[0]);
        return -1;
    }
    *c = (struct worker_child){
        .pid = pid, .program = xstrdup(argv[0]), .in = in[1], .out = lines[0]};
    return 0;
}

/* --- while it runs ------------------------------------------------------ */

void
worker_child_say(struct worker_child *c, const char *text)
{
    const size_t len = strlen(text);

    /* EPIPE means that it has ended. The worker blocks SIGPIPE. */
    if (c->in >= 0 && write(c->in, text, len) != (ssize_t)len && errno != EPIPE)
        die(4, "%s cannot be told what to do: %s", c->program, strerror(errno));
}

void
worker_child_close_input(struct worker_child *c)
{
    if (c->in >= 0)
        close(c->in);
    c->in = -1;
}

static void
worker_child_take_lines(struct worker_child *c, void (*line)(void *arg, const char *line),
                        void *arg)
{
    char *at = c->text.data, *end;

    while (at != NULL && (end = strchr(at, '\n')) != NULL) {
        *end = '\0';
        line(arg, at);
        at = end + 1;
    }
    if (at != NULL && at != c->text.data) {
        char *rest = xstrdup(at);

        buf_clear(&c->text);
        buf_puts(&c->text, rest);
        free(rest);
    }
    if (c->text.len > LINE_BYTES_MAX)
        buf_clear(&c->text);
}

bool
worker_child_read(struct worker_child *c, int wait_ms,
                  void (*line)(void *arg, const char *line), void *arg)
{
    struct pollfd ready = {.fd = c->out, .events = POLLIN};
    char chunk[4096];
    ssize_t n;

    if (poll(&ready, 1, wait_ms) <= 0)
        return true;
    n = read(c->out, chunk, sizeof chunk);
    if (n > 0)
        buf_add(&c->text, chunk, (size_t)n);
    worker_child_take_lines(c, line, arg);
    return n != 0;
}

bool
worker_child_watch(struct worker_child *c, const struct worker_program *p,
                   const bool *enough, struct report *r)
{
    const uint64_t end_ns = now_ns() + p->limit_ms * NS_PER_MS;
    uint64_t pulse_ns = now_ns() + p->pulse_ms * NS_PER_MS;
    bool more = true;

    while (more && (enough == NULL || !*enough)) {
        const uint64_t now = now_ns();

        if (now >= end_ns) {
            report_fail(r, "%s did not end in %llu s", c->program,
                        (unsigned long long)p->limit_ms / 1000);
            return false;
        }
        if (now < pulse_ns) {
            more = worker_child_read(c, (int)((pulse_ns - now) / NS_PER_MS) + 1, p->line,
                                     p->arg);
        } else if (p->pulse(p->arg) != 0) {
            report_fail(r, "%s was ended, because its result is not wanted any more",
                        c->program);
            return false;
        } else {
            pulse_ns = now_ns() + p->pulse_ms * NS_PER_MS;
        }
    }
    return true;
}

/* --- end ---------------------------------------------------------------- */

/* Reports an end that is no exit with 0. */
static int
worker_child_explain(const struct worker_child *c, const siginfo_t *end, struct report *r)
{
    if (report_is_set(r))
        return -1;
    if (end->si_code != CLD_EXITED)
        return report_fail(r, "%s was ended by signal %d", c->program, end->si_status);
    if (end->si_status == EXIT_NOT_RUN)
        return report_fail(r, "%s cannot be run", c->program);
    if (end->si_status != 0)
        return report_fail(r, "%s exited with status %d", c->program, end->si_status);
    return 0;
}

int
worker_child_end(struct worker_child *c, bool kills, struct report *r)
{
    siginfo_t end = {0};
    int rc;

    if (kills)
        kill(-c->pid, SIGKILL);
    worker_child_close_input(c);
    close(c->out);
    /* The group is killed while the zombie still holds its number. */
    while (waitid(P_PID, (id_t)c->pid, &end, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    rc = worker_child_explain(c, &end, r);
    buf_free(&c->text);
    free(c->program);
    *c = (struct worker_child){0};
    return rc;
}

int
worker_run(const struct worker_program *p, struct report *r)
{
    struct worker_child c;

    if (worker_child_start(&c, p->argv, r) != 0)
        return -1;
    worker_child_say(&c, p->input);
    worker_child_close_input(&c);
    return worker_child_end(&c, !worker_child_watch(&c, p, NULL, r), r);
}
