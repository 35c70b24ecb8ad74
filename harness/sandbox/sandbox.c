/*
 * Theory of operation
 *
 *   we ── fork ──> bubblewrap (monitor) ── clone ──> process 1 ── fork ──> the program
 *        process group of its own,       the sandbox's first process:
 *        dies with our thread            dies with the monitor
 *
 * bubblewrap tells process 1's pid on a pipe and then waits: meanwhile we open a pidfd
 * for it and set the resource limits on it, so that the program inherits them and
 * bubblewrap itself, in our user's process count, is not held to them. Closing our end of
 * the block pipe lets it go on.
 *
 * When process 1 of a pid namespace dies, the kernel kills everything else in that
 * namespace and lets process 1's pidfd become readable only once all of it is gone
 * (pid_namespaces(7)). So "kill process 1, poll its pidfd" both ends and verifies: no
 * double fork, no setsid escapes it.
 *
 * Who may do what: the program gets /dev/null, the output pipe and the descriptors it was
 * given, nothing else; bubblewrap's own pipes are closed before it runs.
 *
 * Insecure mode (--insecure-no-sandbox) forks the program itself: its process group is
 * killed, but a process that leaves the group survives, unless there are control groups.
 */
#include "sandbox/cgroup_internal.h"
#include "sandbox/internal.h"

#include "core/buf.h"
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FD_MOVES_MAX 32
#define FD_PARKING 300         /* above everything in a move's `to` */
#define DEATH_TIMEOUT_MS 30000 /* for a killed process that hangs in a driver */
#define SIGNALED_BASE                                                                    \
    128 /* bubblewrap's exit status of a program that a signal ended                     \
         */

/* Everything the child needs after fork, prepared before: between fork and exec only
 * async-signal-safe calls are allowed, the caller may have threads. */
struct child {
    const char *path;
    char **argv, **env;
    struct sandbox_fd move[FD_MOVES_MAX];
    int move_count;
    int failure_fd; /* insecure: errno of what went wrong goes here */
    int group_fd[CGROUP_TREES];
    pid_t parent;
    const struct sandbox *s;
};

struct pipes {
    int output[2], status[2], block[2];
    int null, filter;
};

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void
pipes_close(struct pipes *p)
{
    for (int i = 0; i < 2; i++) {
        close_fd(&p->output[i]);
        close_fd(&p->status[i]);
        close_fd(&p->block[i]);
    }
    close_fd(&p->null);
    close_fd(&p->filter);
}

static int
pipes_open(struct pipes *p, const struct sandbox *s, struct report *r)
{
    *p = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, -1, -1};
    p->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (p->null < 0 || pipe2(p->output, O_CLOEXEC) != 0 ||
        pipe2(p->status, O_CLOEXEC) != 0 || pipe2(p->block, O_CLOEXEC) != 0) {
        report_errno(r, "no pipes for a sandbox");
        pipes_close(p);
        return -1;
    }
    if (!s->insecure && (p->filter = seccomp_filter_fd(s, r)) < 0) {
        pipes_close(p);
        return -1;
    }
    return 0;
}

static void
add_move(struct child *c, int from, int to)
{
    c->move[c->move_count++] = (struct sandbox_fd){from, to};
}

/* All sources go to high numbers first, so that no destination overwrites a source. */
static int
place_descriptors(struct child *c)
{
    int parked[FD_MOVES_MAX];

    for (int i = 0; i < c->move_count; i++) {
        parked[i] = fcntl(c->move[i].from, F_DUPFD_CLOEXEC, FD_PARKING);
        if (parked[i] < 0)
            return -1;
    }
    c->failure_fd = fcntl(c->failure_fd, F_DUPFD_CLOEXEC, FD_PARKING);
    if (c->failure_fd < 0 || close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        return -1;
    for (int i = 0; i < c->move_count; i++)
        if (dup2(parked[i], c->move[i].to) < 0)
            return -1;
    return 0;
}

/* From here on all that it starts is in the sandbox's control group. */
static int
join_group(const struct child *c)
{
    for (int i = 0; i < CGROUP_TREES; i++)
        if (c->group_fd[i] >= 0 && write(c->group_fd[i], "0", 1) != 1)
            return -1;
    return 0;
}

static void
reset_signals(void)
{
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static noreturn void
run_child(struct child *c)
{
    int failure;

    reset_signals();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != c->parent ||
        setpgid(0, 0) != 0 || join_group(c) != 0 || place_descriptors(c) != 0)
        goto failed;
    if (c->s->insecure && (limits_apply(0, c->s) != 0 ||
                           chdir(c->s->chdir != NULL ? c->s->chdir : "/") != 0))
        goto failed;
    execve(c->path, c->argv, c->env);
failed:
    failure = errno;
    if (write(c->failure_fd, &failure, sizeof failure) != sizeof failure)
        _exit(126);
    _exit(127);
}

/* What bubblewrap printed before it gave up, for the report. */
static void
report_output(int output, struct report *r)
{
    char text[1024];
    ssize_t len = read(output, text, sizeof text - 1);

    while (len > 0 && text[len - 1] == '\n')
        len--;
    text[len > 0 ? len : 0] = '\0';
    report_fail(r, "bubblewrap cannot make a sandbox here: %s",
                len > 0 ? text : "it ended without a message");
}

/* The first status message, `{ "child-pid": 123, ...}`, or an errno of run_child's. */
static int
read_init_pid(int status, int output, pid_t *init, struct report *r)
{
    static const char key[] = "\"child-pid\":";
    char text[1024];
    size_t len = 0;
    const char *at;
    int failure;

    while (len < sizeof text - 1 && memchr(text, '\n', len) == NULL) {
        ssize_t n = read(status, text + len, sizeof text - 1 - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    text[len] = '\0';
    if (len == sizeof failure) {
        memcpy(&failure, text, sizeof failure);
        errno = failure;
        return report_errno(r, "bubblewrap cannot be started");
    }
    at = strstr(text, key);
    if (at == NULL) {
        report_output(output, r);
        return -1;
    }
    *init = (pid_t)strtol(at + sizeof key - 1, NULL, 10);
    if (*init <= 1)
        return report_fail(r, "bubblewrap's status is not understood: %s", text);
    return 0;
}

/* bubblewrap waits at the block pipe while this runs. */
static int
adopt(const struct sandbox *s, struct sandbox_process *p, struct report *r)
{
    pid_t init = 0;

    if (read_init_pid(p->info, p->output, &init, r) != 0)
        return -1;
    p->init = init;
    p->init_pidfd = pidfd_open(init, 0);
    if (p->init_pidfd < 0)
        return report_errno(r, "the sandbox's first process is gone");
    if (limits_apply(init, s) != 0)
        return report_errno(r, "the sandbox's resource limits cannot be set");
    return 0;
}

static int
adopt_insecure(const struct sandbox *s, struct sandbox_process *p, struct report *r)
{
    int failure;

    if (read(p->info, &failure, sizeof failure) == sizeof failure) {
        errno = failure;
        return report_errno(r, "%s cannot be started", s->program);
    }
    close_fd(&p->info);
    p->init_pidfd = pidfd_open(p->pid, 0);
    if (p->init_pidfd < 0)
        return report_errno(r, "%s: no pidfd", s->program);
    return 0;
}

/* A program that is not there is found here, where the message can name the host's path.
 */
static int
check_program(const struct sandbox *s, struct report *r)
{
    const char *host = s->program;
    char *joined = NULL;
    int rc = 0;

    for (int i = s->insecure ? -1 : s->bind_count - 1; i >= 0; i--) {
        size_t len = strlen(s->bind[i].to);

        if (strncmp(s->program, s->bind[i].to, len) != 0 ||
            (s->program[len] != '/' && s->program[len] != '\0'))
            continue;
        host = joined = xasprintf("%s%s", s->bind[i].from, s->program + len);
        break;
    }
    if (access(host, X_OK) != 0)
        rc = report_errno(r, "the program %s cannot be run", host);
    free(joined);
    return rc;
}

static void
prepare_child(const struct sandbox *s, const struct pipes *pipes, struct child *c)
{
    c->s = s;
    c->parent = getpid();
    c->failure_fd = pipes->status[1];
    add_move(c, pipes->null, 0);
    add_move(c, pipes->output[1], 1);
    add_move(c, pipes->output[1], 2);
    if (!s->insecure) {
        add_move(c, pipes->status[1], BWRAP_STATUS_FD);
        add_move(c, pipes->block[0], BWRAP_BLOCK_FD);
        add_move(c, pipes->filter, BWRAP_SECCOMP_FD);
    }
    for (int i = 0; i < s->fd_count; i++)
        add_move(c, s->fd[i].from, s->fd[i].to);
}

static int
launch(struct child *c, struct pipes *pipes, struct sandbox_process *out,
       struct report *r)
{
    struct sandbox_process p = {.info = -1, .init_pidfd = -1};
    int rc;

    p.pid = fork();
    if (p.pid < 0)
        return report_errno(r, "no process for a sandbox");
    if (p.pid == 0)
        run_child(c);
    setpgid(p.pid, p.pid); /* the child does it too; whoever is first */
    close_fd(&pipes->output[1]);
    close_fd(&pipes->status[1]);
    close_fd(&pipes->block[0]);
    p.output = pipes->output[0];
    p.info = pipes->status[0];
    pipes->output[0] = pipes->status[0] = -1;
    rc = c->s->insecure ? adopt_insecure(c->s, &p, r) : adopt(c->s, &p, r);
    if (rc != 0) {
        kill(-p.pid, SIGKILL);
        waitpid(p.pid, NULL, 0);
        close_fd(&p.output);
        close_fd(&p.info);
        close_fd(&p.init_pidfd);
        return -1;
    }
    fcntl(p.output, F_SETFL, O_NONBLOCK);
    *out = p;
    return 0;
}

/* In a group of its own, where one is asked for and can be made. */
static int
launch_in_group(struct child *c, struct pipes *pipes, struct sandbox_process *out,
                struct report *r)
{
    struct cgroup_place *group = xcalloc(1, sizeof *group);
    int rc = cgroup_make(c->s, group, r);

    if (rc == 0)
        rc = cgroup_entries(group, c->group_fd, r);
    if (rc == 0)
        rc = launch(c, pipes, out, r);
    for (int i = 0; i < CGROUP_TREES; i++)
        close_fd(&c->group_fd[i]);
    if (rc == 0 && group->version != 0) {
        out->group = group;
        return 0;
    }
    (void)cgroup_remove(group);
    free(group);
    return rc;
}

int
sandbox_start(const struct sandbox *s, struct sandbox_process *p, struct report *r)
{
    static const char *const no_env[] = {NULL};
    struct child c = {.group_fd = {-1, -1}};
    struct argv argv = {0}, env = {0};
    struct pipes pipes;
    char *bwrap = NULL;
    int rc = -1;

    if (s->fd_count > FD_MOVES_MAX - 6)
        return report_fail(r, "too many descriptors for a sandbox");
    if (check_program(s, r) != 0 || pipes_open(&pipes, s, r) != 0)
        return -1;
    /* A sandbox's process 1 often outlives its monitor by a moment. In a container whose
     * init reaps nobody it would stay a zombie for ever: we reap it (bury). */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        report_errno(r, "orphans cannot be adopted");
        goto out;
    }
    if (s->insecure) {
        c.path = s->program;
        c.argv = (char **)(uintptr_t)s->argv;
        c.env = (char **)(uintptr_t)(s->env != NULL ? s->env : no_env);
    } else {
        bwrap = bwrap_path();
        if (bwrap == NULL) {
            report_fail(r, "bubblewrap (the program bwrap) is not installed: "
                           "apt-get install bubblewrap");
            goto out;
        }
        bwrap_args(s, bwrap, &argv, &env);
        c.path = bwrap;
        c.argv = argv.v;
        c.env = env.v != NULL ? env.v : (char **)(uintptr_t)no_env;
    }
    prepare_child(s, &pipes, &c);
    rc = launch_in_group(&c, &pipes, p, r);
out:
    free(bwrap);
    argv_free(&argv);
    argv_free(&env);
    pipes_close(&pipes); /* lets bubblewrap go on */
    return rc;
}

bool
sandbox_ended(const struct sandbox_process *p)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == p->pid;
}

void
sandbox_kill(struct sandbox_process *p)
{
    /* Process 1 first, so that the monitor lives to reap it. */
    if (p->init_pidfd >= 0)
        pidfd_send_signal(p->init_pidfd, SIGKILL, NULL, 0);
    if (p->info < 0)
        kill(-p->pid, SIGKILL);
}

struct output {
    struct buf *to;
    size_t keep, limit, total;
    bool eof;
};

/* Takes what is there; true if it is more than the limit. */
static bool
drain(const struct sandbox_process *p, struct output *o)
{
    char chunk[16384];

    while (!o->eof) {
        ssize_t n = read(p->output, chunk, sizeof chunk);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; /* EAGAIN: nothing more now */
        if (n == 0) {
            o->eof = true;
            break;
        }
        o->total += (size_t)n;
        if (o->to != NULL && o->to->len < o->keep) {
            size_t room = o->keep - o->to->len;

            buf_add(o->to, chunk, (size_t)n < room ? (size_t)n : room);
        }
        if (o->limit != 0 && o->total > o->limit)
            return true;
    }
    return false;
}

/* Until it ends by itself (SANDBOX_EXITED: the caller finds out how), or must be killed.
 */
static enum sandbox_end
follow(const struct sandbox_process *p, uint64_t deadline_ms, struct output *o)
{
    uint64_t end_ns = deadline_ms != 0 ? now_ns() + deadline_ms * 1000000u : UINT64_MAX;
    int monitor = pidfd_open(p->pid, 0);
    enum sandbox_end end = SANDBOX_FAILED;

    if (monitor < 0)
        return end;
    for (;;) {
        struct pollfd fds[2] = {{monitor, POLLIN, 0},
                                {o->eof ? -1 : p->output, POLLIN, 0}};
        uint64_t now = now_ns();
        int timeout_ms = -1;

        if (now >= end_ns) {
            end = SANDBOX_TIMED_OUT;
            break;
        }
        if (deadline_ms != 0) {
            uint64_t left_ms = (end_ns - now + 999999) / 1000000u;

            timeout_ms = left_ms > 1000000 ? 1000000 : (int)left_ms;
        }
        if (poll(fds, 2, timeout_ms) < 0 && errno != EINTR)
            break;
        if (drain(p, o)) {
            end = SANDBOX_OUTPUT_LIMIT;
            break;
        }
        if (fds[0].revents != 0) {
            end = SANDBOX_EXITED;
            break;
        }
    }
    close(monitor);
    return end;
}

/* Kills what is left and waits until the kernel says that all of it is gone. */
static bool
bury(struct sandbox_process *p, int *wait_status)
{
    struct pollfd fd = {p->init_pidfd, POLLIN, 0};
    int rc;

    sandbox_kill(p);
    do
        rc = poll(&fd, 1, DEATH_TIMEOUT_MS);
    while (rc < 0 && errno == EINTR);
    if (rc != 1)
        kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, wait_status, 0) < 0)
        if (errno != EINTR)
            return false;
    /* Process 1 became our child if it outlived the monitor. ECHILD: the monitor had it.
     */
    if (rc == 1 && p->info >= 0)
        waitid(P_PIDFD, (id_t)p->init_pidfd, &(siginfo_t){0}, WEXITED | WNOHANG);
    while (p->info < 0 && waitpid(-p->pid, NULL, 0) > 0)
        continue; /* insecure: its orphans, killed with its group */
    return rc == 1;
}

/* Its control group says why it ended, and is removed: whoever is still in it is killed
 * first, which without namespaces is the only way to be sure. */
static void
leave_group(struct sandbox_process *p)
{
    if (p->group == NULL)
        return;
    p->out_of_memory = cgroup_out_of_memory(p->group);
    if (!cgroup_remove(p->group))
        p->survived = true;
    free(p->group);
    p->group = NULL;
}

/* bubblewrap says `{ "exit-code": 3 }` only about a program that ran. */
static enum sandbox_end
read_exit(const struct sandbox_process *p, int wait_status, int *code)
{
    static const char key[] = "\"exit-code\":";
    char text[256] = "";
    ssize_t len = read(p->info, text, sizeof text - 1);
    const char *at;
    long status;

    text[len > 0 ? len : 0] = '\0';
    at = strstr(text, key);
    if (at != NULL)
        status = strtol(at + sizeof key - 1, NULL, 10);
    else if (WIFSIGNALED(wait_status))
        status = SIGNALED_BASE + WTERMSIG(wait_status);
    else if (WEXITSTATUS(wait_status) > SIGNALED_BASE)
        status = WEXITSTATUS(wait_status); /* process 1 was killed, by us */
    else
        return SANDBOX_FAILED;
    if (status > SIGNALED_BASE && status < SIGNALED_BASE + NSIG) {
        *code = (int)status - SIGNALED_BASE;
        return SANDBOX_SIGNALED;
    }
    *code = (int)status;
    return SANDBOX_EXITED;
}

enum sandbox_end
sandbox_wait(struct sandbox_process *p, uint64_t deadline_ms, struct buf *out,
             size_t keep_bytes, size_t limit_bytes, int *code)
{
    struct output o = {out, keep_bytes, limit_bytes, 0, false};
    int wait_status = 0;
    enum sandbox_end end = follow(p, deadline_ms, &o);

    *code = 0;
    p->survived = !bury(p, &wait_status);
    leave_group(p);
    if (p->survived)
        end = SANDBOX_FAILED;
    if (end == SANDBOX_EXITED && drain(p, &o))
        end = SANDBOX_OUTPUT_LIMIT;
    if (end == SANDBOX_EXITED && p->info >= 0) {
        end = read_exit(p, wait_status, code);
    } else if (end == SANDBOX_EXITED && WIFSIGNALED(wait_status)) {
        end = SANDBOX_SIGNALED;
        *code = WTERMSIG(wait_status);
    } else if (end == SANDBOX_EXITED) {
        *code = WEXITSTATUS(wait_status);
    }
    close_fd(&p->output);
    close_fd(&p->info);
    close_fd(&p->init_pidfd);
    if (p->program > 0)
        close_fd(&p->program_pidfd);
    return end;
}

static bool
file_starts_with(const char *path, char wanted)
{
    char c = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    if (read(fd, &c, 1) != 1)
        c = '\0';
    close(fd);
    return c == wanted;
}

int
sandbox_probe(struct report *r)
{
    static const char *const argv[] = {"/usr/bin/true", NULL};
    static const struct sandbox probe = {.program = "/usr/bin/true", .argv = argv};
    struct sandbox_process p = {0};
    struct report why = {0};
    struct buf out = {0};
    int code = 0, rc = 0;
    const char *hint = "";

    if (sandbox_start(&probe, &p, &why) == 0) {
        if (sandbox_wait(&p, 10000, &out, 1024, 0, &code) != SANDBOX_EXITED || code != 0)
            report_fail(&why, "a sandboxed /usr/bin/true failed: %s", buf_str(&out));
    }
    buf_free(&out);
    if (!report_is_set(&why))
        return rc;
    if (file_starts_with("/proc/sys/kernel/unprivileged_userns_clone", '0'))
        hint = "; user namespaces are off: sysctl kernel.unprivileged_userns_clone=1";
    else if (file_starts_with("/proc/sys/user/max_user_namespaces", '0'))
        hint = "; user namespaces are off: sysctl user.max_user_namespaces=10000";
    else if (file_starts_with("/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
                              '1'))
        hint = "; AppArmor keeps user namespaces from bwrap: "
               "sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    return report_fail(r, "%s%s", why.text, hint);
}
