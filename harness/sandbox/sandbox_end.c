/*
 * Ends a sandbox. When process 1 of a pid namespace dies, the kernel kills everything
 * else in that namespace. Process 1's pidfd becomes readable only when all of it is gone
 * (pid_namespaces(7)). So killing process 1 and polling its pidfd both ends the sandbox
 * and proves that it has ended: neither a double fork nor setsid escapes.
 */
#include "sandbox/cgroup_place.h"
#include "sandbox/sandbox.h"
#include "sandbox/usage_tree.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEATH_TIMEOUT_MS 30000 /* for a killed process that hangs in a driver */

/* bubblewrap's exit status is 128 + N for a program that signal N ended. */
#define SIGNALED_BASE 128

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
    /* Process 1 is killed first, so that the monitor lives to reap it. */
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

/* Reads the output that is there. Returns true if it is more than the limit. */
static bool
output_drain(const struct sandbox_process *p, struct output *o)
{
    char chunk[16384];

    while (!o->eof) {
        ssize_t n = read(p->output, chunk, sizeof chunk);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; /* EAGAIN: nothing more at present */
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

/* When a wait is over. */
struct wait_limit {
    uint64_t end_ns;  /* by the clock; UINT64_MAX: never */
    uint64_t used_ns; /* by all processes; 0: there is no such limit */
    uint64_t look_ns; /* when to look again how much they have used */
    struct usage_tree tree;
};

static struct wait_limit
limit_wall(uint64_t ms)
{
    return (struct wait_limit){.end_ns = ms != 0 ? now_ns() + ms * 1000000u : UINT64_MAX};
}

/* Returns SANDBOX_EXITED if the wait may go on. */
static enum sandbox_end
limit_passed(const struct sandbox_process *p, struct wait_limit *l, uint64_t now)
{
    if (now >= l->end_ns)
        return l->used_ns != 0 ? SANDBOX_STARVED : SANDBOX_TIMED_OUT;
    if (l->used_ns == 0 || now < l->look_ns)
        return SANDBOX_EXITED;
    l->look_ns = now + USAGE_TREE_STEP_MS * UINT64_C(1000000);
    usage_tree_look(&l->tree, p->info < 0 ? p->pid : p->init, now);
    return l->tree.cpu_ns + l->tree.slept_ns > l->used_ns ? SANDBOX_TIMED_OUT
                                                          : SANDBOX_EXITED;
}

/* How long poll may wait before the limit is looked at again. */
static int
limit_wait_ms(const struct wait_limit *l, uint64_t now)
{
    const uint64_t left_ms = (l->end_ns - now) / 1000000u + 1;
    const uint64_t most_ms = l->used_ns != 0 ? USAGE_TREE_STEP_MS : 1000000;

    if (l->end_ns == UINT64_MAX)
        return -1;
    return (int)(left_ms > most_ms ? most_ms : left_ms);
}

/* Follows the program until it ends by itself, or must be killed. SANDBOX_EXITED: it has
 * ended, and the caller finds out how. */
static enum sandbox_end
sandbox_follow(const struct sandbox_process *p, struct wait_limit *l, struct output *o)
{
    int monitor = pidfd_open(p->pid, 0);
    enum sandbox_end end = SANDBOX_FAILED;

    if (monitor < 0)
        return end;
    for (;;) {
        struct pollfd fds[2] = {{monitor, POLLIN, 0},
                                {o->eof ? -1 : p->output, POLLIN, 0}};
        const uint64_t now = now_ns();

        end = limit_passed(p, l, now);
        if (end != SANDBOX_EXITED)
            break;
        end = SANDBOX_FAILED;
        if (poll(fds, 2, limit_wait_ms(l, now)) < 0 && errno != EINTR)
            break;
        if (output_drain(p, o)) {
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
sandbox_reap(struct sandbox_process *p, int *wait_status)
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
    /* If process 1 outlived the monitor, it became our child. Otherwise the monitor has
     * reaped it, and waitid fails with ECHILD. */
    if (rc == 1 && p->info >= 0)
        waitid(P_PIDFD, (id_t)p->init_pidfd, &(siginfo_t){0}, WEXITED | WNOHANG);
    while (p->info < 0 && waitpid(-p->pid, NULL, 0) > 0)
        continue; /* insecure: reap its orphans, which were killed with its group */
    return rc == 1;
}

/* Asks the control group why the sandbox ended, then removes the group. Removing it kills
 * what is still in it, and without namespaces no other way is sure to. */
static void
sandbox_leave_group(struct sandbox_process *p)
{
    if (p->group == NULL)
        return;
    p->out_of_memory = cgroup_out_of_memory(p->group);
    if (!cgroup_remove(p->group))
        p->survived = true;
    free(p->group);
    p->group = NULL;
}

/* Reads how the program ended. bubblewrap says `{ "exit-code": 3 }` only about a program
 * that ran. */
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
        status = WEXITSTATUS(wait_status); /* process 1 was killed by us */
    else
        return SANDBOX_FAILED;
    if (status > SIGNALED_BASE && status < SIGNALED_BASE + NSIG) {
        *code = (int)status - SIGNALED_BASE;
        return SANDBOX_SIGNALED;
    }
    *code = (int)status;
    return SANDBOX_EXITED;
}

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static enum sandbox_end
wait_until(struct sandbox_process *p, struct wait_limit limit, struct output o, int *code)
{
    int wait_status = 0;
    enum sandbox_end end = sandbox_follow(p, &limit, &o);

    *code = 0;
    p->survived = !sandbox_reap(p, &wait_status);
    sandbox_leave_group(p);
    if (p->survived)
        end = SANDBOX_FAILED;
    else
        ids_release(&p->ids);
    if (end == SANDBOX_EXITED && output_drain(p, &o))
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

enum sandbox_end
sandbox_wait(struct sandbox_process *p, uint64_t deadline_ms, struct buf *out,
             size_t keep_bytes, size_t limit_bytes, int *code)
{
    const struct output o = {out, keep_bytes, limit_bytes, 0, false};

    return wait_until(p, limit_wall(deadline_ms), o, code);
}

enum sandbox_end
sandbox_wait_used(struct sandbox_process *p, uint64_t used_ms, uint64_t wall_ms,
                  struct buf *out, size_t keep_bytes, size_t limit_bytes, int *code)
{
    const struct output o = {out, keep_bytes, limit_bytes, 0, false};
    struct wait_limit limit = limit_wall(wall_ms);

    limit.used_ns = used_ms * 1000000u;
    limit.look_ns = now_ns() + USAGE_TREE_STEP_MS * UINT64_C(1000000);
    return wait_until(p, limit, o, code);
}
