/* Starts child processes, reads what they print, ends them in time and reaps them. */
#include "daemon/child.h"

#include "base/buf.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/priority.h"
#include "daemon/spawn.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How much is read from the pipes of a child that has ended. More is left unread. */
#define DRAIN_BYTES_MAX (4u << 20)

#define BURY_TRIES 100 /* looks at whether a killed orphan is gone; the loop waits */
#define BURY_STEP_NS 1000000L
#define SWEEP_ROUNDS 100
#define PRIORITY_ABOVE_CHILDREN 5

struct pipe_in {
    struct child *child;
    int fd;
    struct event *event;
    struct buf pending; /* the beginning of a line that has not ended */
    void (*line)(struct child *child, const char *line);
};

struct child {
    struct child *next;
    struct children *all;
    pid_t pid; /* the leader of its group; 0: reaped, so that the number may be reused */
    char *name;
    int stdin_fd; /* -1: there is none, or it is closed */
    struct pipe_in out, err;
    struct event *watchdog;
    char *last_words;
    bool timed_out, babbled;
    void (*on_line)(void *arg, const char *line);
    void (*on_ended)(void *arg, const struct child_end *end);
    void *arg;
};

struct children {
    struct event_base *base;
    int priority; /* of children, as getpriority(2) has it */
    struct event *sigchld;
    struct child *first;
};

/* --- reading what they print -------------------------------------------- */

static void
stdout_line(struct child *child, const char *line)
{
    child->on_line(child->arg, line);
}

static void
stderr_line(struct child *child, const char *line)
{
    if (line[0] == '\0')
        return;
    log_line("%s: %s", child->name, line);
    free(child->last_words);
    child->last_words = xstrdup(line);
}

static void
take_lines(struct pipe_in *in)
{
    char *start = in->pending.data, *newline;
    size_t left = in->pending.len;

    while (left > 0 && (newline = memchr(start, '\n', left)) != NULL) {
        *newline = '\0';
        in->line(in->child, start);
        left -= (size_t)(newline + 1 - start);
        start = newline + 1;
    }
    if (left > 0)
        memmove(in->pending.data, start, left);
    in->pending.len = left;
    if (left > CHILD_LINE_MAX) {
        in->child->babbled = true;
        child_kill(in->child);
        in->pending.len = 0;
    }
}

/* Reads what is there. Returns how many bytes it read, 0 at the end, and -1 where there
 * is nothing now. */
static ssize_t
child_read_some(struct pipe_in *in)
{
    char chunk[16384];
    ssize_t n = read(in->fd, chunk, sizeof chunk);

    if (n > 0) {
        buf_add(&in->pending, chunk, (size_t)n);
        take_lines(in);
    }
    return n;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct pipe_in *in = arg;
    LOOP_HANDLER("a line of a child's");

    (void)fd;
    (void)what;
    if (child_read_some(in) == 0)
        event_del(in->event); /* the pipe is closed; SIGCHLD tells of the child's end */
}

static void
child_drain(struct pipe_in *in)
{
    size_t total = 0;
    ssize_t n;

    while (total < DRAIN_BYTES_MAX && (n = child_read_some(in)) > 0)
        total += (size_t)n;
    if (in->pending.len > 0) { /* the last line had no newline */
        in->pending.data[in->pending.len] = '\0';
        in->line(in->child, in->pending.data);
        in->pending.len = 0;
    }
}

/* --- ends --------------------------------------------------------------- */

static void
pipe_close(struct pipe_in *in)
{
    if (in->event != NULL)
        event_free(in->event);
    if (in->fd >= 0)
        close(in->fd);
    buf_free(&in->pending);
}

static void
child_free(struct child *child)
{
    child_close_stdin(child);
    pipe_close(&child->out);
    pipe_close(&child->err);
    if (child->watchdog != NULL)
        event_free(child->watchdog);
    free(child->last_words);
    free(child->name);
    free(child);
}

/* Has the child ended? Then its group is killed and it is reaped. The group is killed
 * while the zombie still holds its number, so that the number cannot belong to a
 * stranger. */
static bool
child_reap(struct child *child, struct child_end *end, int options)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | options) != 0 ||
        info.si_pid == 0)
        return false;
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    *end = (struct child_end){
        .signaled = info.si_code != CLD_EXITED,
        .code = info.si_status,
        .timed_out = child->timed_out,
        .babbled = child->babbled,
    };
    return true;
}

static void
on_sigchld(evutil_socket_t fd, short what, void *arg)
{
    struct children *all = arg;
    struct child_end end;
    LOOP_HANDLER("the end of a child");

    (void)fd;
    (void)what;
    /* `ended` may start children, which go in front of the list, but it frees none. */
    for (struct child **at = &all->first; *at != NULL;) {
        struct child *child = *at;

        if (!child_reap(child, &end, WNOHANG)) {
            at = &child->next;
            continue;
        }
        *at = child->next;
        child_drain(&child->err);
        child_drain(&child->out);
        end.last_words = child->last_words != NULL ? child->last_words : "";
        child->on_ended(child->arg, &end);
        child_free(child);
    }
}

static bool
children_know(const struct children *c, long pid)
{
    for (const struct child *child = c->first; child != NULL; child = child->next)
        if (child->pid == pid)
            return true;
    return false;
}

/* Kills and reaps an orphan. Is it gone? */
static bool
orphan_bury(pid_t pid)
{
    const struct timespec step = {.tv_nsec = BURY_STEP_NS};

    kill(pid, SIGKILL);
    for (int i = 0; i < BURY_TRIES; i++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return true;
        (void)nanosleep(&step, NULL);
    }
    return false;
}

/* Kills the orphans among our children, as the kernel lists them now. Returns how many
 * were found; *left is how many of these do not die. */
static int
children_sweep_once(const struct children *c, int *left)
{
    char *path = xasprintf("/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;
    int found = 0;

    *left = 0;
    if (f != NULL && getline(&line, &cap, f) > 0) {
        for (char *at = line, *end;; at = end) {
            const long pid = strtol(at, &end, 10);

            if (end == at)
                break;
            if (children_know(c, pid))
                continue;
            found++;
            *left += !orphan_bury((pid_t)pid);
        }
    }
    free(line);
    if (f != NULL)
        fclose(f);
    free(path);
    return found;
}

int
children_sweep(struct children *c)
{
    int left = 0;

    /* When an orphan dies, its own children become orphans of ours. */
    for (int i = 0; i < SWEEP_ROUNDS && children_sweep_once(c, &left) > 0 && left == 0;
         i++)
        continue;
    return left;
}

static void
on_watchdog(evutil_socket_t fd, short what, void *arg)
{
    struct child *child = arg;

    (void)fd;
    (void)what;
    child->timed_out = true;
    log_line("%s: killed, it ran for too long", child->name);
    child_kill(child);
}

void
child_set_limit(struct child *child, uint64_t limit_ms)
{
    struct timeval tv = {.tv_sec = (time_t)(limit_ms / 1000),
                         .tv_usec = (suseconds_t)(limit_ms % 1000 * 1000)};

    if (child->watchdog == NULL)
        child->watchdog = evtimer_new(child->all->base, on_watchdog, child);
    if (child->watchdog == NULL || evtimer_add(child->watchdog, &tv) != 0)
        die(4, "out of memory");
}

void
child_hand_over(struct child *child, const struct child_spec *spec)
{
    free(child->name);
    child->name = xstrdup(spec->name);
    free(child->last_words);
    child->last_words = NULL;
    child->on_line = spec->line;
    child->on_ended = spec->ended;
    child->arg = spec->arg;
    if (spec->limit_ms > 0)
        child_set_limit(child, spec->limit_ms);
    else if (child->watchdog != NULL)
        event_del(child->watchdog);
}

void
child_stop(struct child *child, uint64_t grace_ms)
{
    child_close_stdin(child);
    child_set_limit(child, grace_ms);
}

void
child_kill(struct child *child)
{
    if (child->pid <= 0)
        return;
    kill(-child->pid, SIGKILL);
}

void
child_close_stdin(struct child *child)
{
    if (child->stdin_fd >= 0)
        close(child->stdin_fd);
    child->stdin_fd = -1;
}

void
child_say(struct child *child, const char *text)
{
    size_t len = strlen(text);

    /* An empty pipe takes PIPE_BUF bytes at once. EPIPE means that the child has ended,
     * of which SIGCHLD tells. */
    if (child->stdin_fd >= 0 && write(child->stdin_fd, text, len) != (ssize_t)len &&
        errno != EPIPE)
        log_line("%s: cannot be told to go on: %s", child->name, strerror(errno));
}

char *
child_end_text(const struct child_end *end)
{
    const char *colon = end->last_words[0] != '\0' ? ": " : "";

    if (end->timed_out)
        return xasprintf("ran for too long and was stopped%s%s", colon, end->last_words);
    if (end->babbled)
        return xasprintf("printed a line without end and was stopped");
    if (end->signaled)
        return xasprintf("was killed by signal %d (%s)%s%s", end->code,
                         strsignal(end->code), colon, end->last_words);
    if (end->code == 0)
        return xasprintf("ended without leaving a result%s%s", colon, end->last_words);
    return xasprintf("ended with status %d%s%s", end->code, colon, end->last_words);
}

/* --- start -------------------------------------------------------------- */

/* Three pairs of descriptors, all closed on exec. [0] is read and [1] is written. */
struct pipes {
    int in[2], out[2], err[2];
};

static void
close_pipes(struct pipes *p)
{
    int *fd = (int *)p;

    for (size_t i = 0; i < sizeof *p / sizeof *fd; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

static int
open_pipes(struct pipes *p, bool wants_stdin, struct report *r)
{
    bool ok;

    memset(p, -1, sizeof *p);
    if (wants_stdin)
        ok = pipe2(p->in, O_CLOEXEC) == 0;
    else
        ok = (p->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
    if (ok && pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->err, O_CLOEXEC) == 0 &&
        fcntl(p->out[0], F_SETFL, O_NONBLOCK) == 0 &&
        fcntl(p->err[0], F_SETFL, O_NONBLOCK) == 0)
        return 0;
    report_errno(r, "no pipe can be made");
    close_pipes(p);
    return -1;
}

static void
pipe_watch(struct pipe_in *in, struct child *child, int fd,
           void (*line)(struct child *, const char *))
{
    *in = (struct pipe_in){.child = child, .fd = fd, .line = line};
    in->event = event_new(child->all->base, fd, EV_READ | EV_PERSIST, on_readable, in);
    if (in->event == NULL || event_add(in->event, NULL) != 0)
        die(4, "out of memory");
}

int
child_start(struct children *c, const struct child_spec *spec, struct child **out,
            struct report *r)
{
    struct pipes p;
    struct child *child;
    pid_t pid;

    if (open_pipes(&p, spec->wants_stdin, r) != 0)
        return -1;
    pid = spawn_program(&(struct spawn){.argv = spec->argv,
                                        .in = p.in[0],
                                        .out = p.out[1],
                                        .err = p.err[1],
                                        .priority = c->priority,
                                        .cpus = spec->cpus});
    if (pid < 0) {
        report_errno(r, "no process can be started");
        close_pipes(&p);
        return -1;
    }
    child = xcalloc(1, sizeof *child);
    child->all = c;
    child->pid = pid;
    child->name = xstrdup(spec->name);
    child->on_line = spec->line;
    child->on_ended = spec->ended;
    child->arg = spec->arg;
    child->next = c->first;
    c->first = child;
    child->stdin_fd = p.in[1];
    pipe_watch(&child->out, child, p.out[0], stdout_line);
    pipe_watch(&child->err, child, p.err[0], stderr_line);
    close(p.in[0]);
    close(p.out[1]);
    close(p.err[1]);
    if (spec->limit_ms > 0)
        child_set_limit(child, spec->limit_ms);
    *out = child;
    return 0;
}

struct children *
children_new(struct event_base *base)
{
    struct children *c = xcalloc(1, sizeof *c);

    c->base = base;
    c->priority = priority_raise(PRIORITY_ABOVE_CHILDREN);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        die(4, "orphans cannot be adopted: %s", strerror(errno));
    c->sigchld = evsignal_new(base, SIGCHLD, on_sigchld, c);
    if (c->sigchld == NULL || event_add(c->sigchld, NULL) != 0)
        die(4, "SIGCHLD cannot be watched");
    return c;
}

void
children_free(struct children *c)
{
    struct child_end end;

    if (c == NULL)
        return;
    for (struct child *child = c->first; child != NULL; child = child->next)
        child_kill(child);
    for (struct child *child = c->first, *next; child != NULL; child = next) {
        next = child->next;
        child_reap(child, &end, 0);
        child_free(child);
    }
    c->first = NULL;
    (void)children_sweep(c);
    event_free(c->sigchld);
    free(c);
}
