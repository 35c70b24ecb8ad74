/*
 * Starts a sandbox.
 *
 *   we ── fork ──> bubblewrap (monitor) ── clone ──> process 1 ── fork ──> the program
 *        process group of its own,       the sandbox's first process:
 *        dies with our thread            dies with the monitor
 *
 * bubblewrap tells process 1's pid on a pipe and then waits. Meanwhile we open a pidfd
 * for process 1 and set the resource limits on it. The program inherits them, while
 * bubblewrap, which counts among our own user's processes, is not held to them.
 * bubblewrap goes on when we close our end of the block pipe.
 *
 * With ids of its own (ids.h) the process that becomes bubblewrap first makes a user
 * namespace, which we fill (userns.h). Otherwise bubblewrap makes one of our own user.
 *
 * The program gets /dev/null, the output pipe and the descriptors it was given, and
 * nothing else: bubblewrap's own pipes are closed before it runs.
 *
 * Insecure mode (--insecure-no-sandbox) forks the program itself. Its process group is
 * killed at the end, but a process that leaves the group survives, unless there are
 * control groups.
 */
#include "sandbox/bubblewrap.h"
#include "sandbox/cgroup_place.h"
#include "sandbox/limits.h"
#include "sandbox/seccomp_filter.h"
#include "sandbox/userns.h"

#include "base/buf.h"
#include "base/file.h"

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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FD_MOVES_MAX 32
#define FD_PARKING 300 /* above every number in a move's `to` */
#define EVERYBODY_RUNS (S_IROTH | S_IXOTH)

/* What the child needs after fork. It is prepared before the fork, because the caller may
 * have threads: between fork and exec only async-signal-safe calls are allowed. */
struct child {
    const char *path;
    char **argv, **env;
    struct sandbox_fd move[FD_MOVES_MAX];
    int move_count;
    int failure_fd; /* insecure: the child writes the errno of its failure to it */
    int group_fd[CGROUP_TREES];
    struct ids ids;
    int sync; /* our end of the socket for userns_enter, if there are ids */
    pid_t parent;
    const struct sandbox *s;
};

struct pipes {
    int output[2], status[2], block[2];
    int sync[2]; /* for the user namespace: our end, the child's */
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
        close_fd(&p->sync[i]);
    }
    close_fd(&p->null);
    close_fd(&p->filter);
}

static int
pipes_open(struct pipes *p, const struct sandbox *s, struct report *r)
{
    *p = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, -1, -1};
    p->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (p->null < 0 || pipe2(p->output, O_CLOEXEC) != 0 ||
        pipe2(p->status, O_CLOEXEC) != 0 || pipe2(p->block, O_CLOEXEC) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->sync) != 0) {
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

/* All sources are first moved to high numbers, so that no destination overwrites a
 * source. */
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

/* Moves the child into the sandbox's control group; all that it starts will be in it too.
 */
static int
sandbox_join_group(const struct child *c)
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

static int
die_with_parent(const struct child *c)
{
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == c->parent ? 0 : -1;
}

static noreturn void
sandbox_run_child(struct child *c)
{
    int failure;

    reset_signals();
    if (die_with_parent(c) != 0 || setpgid(0, 0) != 0 || sandbox_join_group(c) != 0)
        goto failed;
    if (c->ids.uid != 0 && (userns_enter(c->sync) != 0 || die_with_parent(c) != 0))
        goto failed;
    if (place_descriptors(c) != 0)
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

/* Puts into the report what bubblewrap printed before it gave up. */
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

/* Reads the first status message, `{ "child-pid": 123, ...}`, or an errno from
 * sandbox_run_child.
 */
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

/* Process 1 looks for what it must bind before it waits at the block pipe. If it found
 * something missing, it may be gone by now, and bubblewrap has said what was missing. */
static int
report_lost_init(int output, const char *what, struct report *r)
{
    if (errno != ESRCH)
        return report_errno(r, "%s", what);
    report_output(output, r);
    return -1;
}

/* Takes charge of process 1. bubblewrap waits at the block pipe meanwhile. */
static int
sandbox_adopt(const struct sandbox *s, struct sandbox_process *p, struct report *r)
{
    pid_t init = 0;

    if (read_init_pid(p->info, p->output, &init, r) != 0)
        return -1;
    p->init = init;
    p->init_pidfd = pidfd_open(init, 0);
    if (p->init_pidfd < 0)
        return report_lost_init(p->output, "the sandbox's first process has no pidfd", r);
    if (limits_apply(init, s) != 0)
        return report_lost_init(p->output, "the sandbox's resource limits cannot be set",
                                r);
    return 0;
}

static int
sandbox_adopt_insecure(const struct sandbox *s, struct sandbox_process *p,
                       struct report *r)
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

/* Checks that the program exists, because only here can a message name the host's path.
 */
static int
check_program(const struct sandbox *s, const struct ids *ids, struct report *r)
{
    const char *host = s->program;
    char *joined = NULL;
    struct stat st;
    int rc = 0;

    for (int i = s->insecure ? -1 : s->bind_count - 1; i >= 0; i--) {
        size_t len = strlen(s->bind[i].to);

        if (strncmp(s->program, s->bind[i].to, len) != 0 ||
            (s->program[len] != '/' && s->program[len] != '\0'))
            continue;
        host = joined = xasprintf("%s%s", s->bind[i].from, s->program + len);
        break;
    }
    if (access(host, X_OK) != 0 || stat(host, &st) != 0)
        rc = report_errno(r, "the program %s cannot be run", host);
    else if (ids->uid != 0 && (st.st_mode & EVERYBODY_RUNS) != EVERYBODY_RUNS)
        rc = report_fail(r,
                         "the program %s runs in a sandbox as a user of its own, and so "
                         "must be open to everybody: chmod 755",
                         host);
    free(joined);
    return rc;
}

static void
prepare_child(const struct sandbox *s, const struct pipes *pipes, struct child *c)
{
    c->s = s;
    c->parent = getpid();
    c->failure_fd = pipes->status[1];
    c->sync = pipes->sync[1];
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
sandbox_launch(struct child *c, struct pipes *pipes, struct sandbox_process *out,
               struct report *r)
{
    struct sandbox_process p = {.info = -1, .init_pidfd = -1};
    int rc;

    p.pid = fork();
    if (p.pid < 0)
        return report_errno(r, "no process for a sandbox");
    if (p.pid == 0)
        sandbox_run_child(c);
    setpgid(p.pid, p.pid); /* the child does the same; either may come first */
    close_fd(&pipes->output[1]);
    close_fd(&pipes->status[1]);
    close_fd(&pipes->block[0]);
    close_fd(&pipes->sync[1]);
    p.output = pipes->output[0];
    p.info = pipes->status[0];
    pipes->output[0] = pipes->status[0] = -1;
    rc = c->ids.uid != 0 ? userns_fill(p.pid, pipes->sync[0], &c->ids, r) : 0;
    if (rc == 0)
        rc = c->s->insecure ? sandbox_adopt_insecure(c->s, &p, r)
                            : sandbox_adopt(c->s, &p, r);
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

/* Launches the program in a control group, where one is asked for and can be made. */
static int
sandbox_launch_in_group(struct child *c, struct pipes *pipes, struct sandbox_process *out,
                        struct report *r)
{
    struct cgroup_place *group = xcalloc(1, sizeof *group);
    int rc = cgroup_make(c->s, group, r);

    if (rc == 0)
        rc = cgroup_entries(group, c->group_fd, r);
    if (rc == 0)
        rc = sandbox_launch(c, pipes, out, r);
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
    if (!s->insecure && ids_claim(s->shared_ids, &c.ids, r) != 0)
        return -1;
    if (check_program(s, &c.ids, r) != 0 || pipes_open(&pipes, s, r) != 0) {
        ids_release(&c.ids);
        return -1;
    }
    /* A sandbox's process 1 often outlives its monitor by a moment. In a container whose
     * init reaps nobody it would stay a zombie for ever, so sandbox_wait reaps it. */
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
        bwrap_args(s, bwrap, c.ids.uid == 0, &argv, &env);
        c.path = bwrap;
        c.argv = argv.v;
        c.env = env.v != NULL ? env.v : (char **)(uintptr_t)no_env;
    }
    prepare_child(s, &pipes, &c);
    rc = sandbox_launch_in_group(&c, &pipes, p, r);
    if (rc == 0)
        p->ids = c.ids;
out:
    if (rc != 0)
        ids_release(&c.ids);
    free(bwrap);
    argv_free(&argv);
    argv_free(&env);
    pipes_close(&pipes); /* from here bubblewrap goes on */
    return rc;
}
