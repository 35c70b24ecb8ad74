// links: sandbox common
/*
 * refused-calls PROGRAM [ARGUMENT...] runs a program under the list of system calls that
 * a submission on a GPU has (sandbox/seccomp_filter.c). Calls that are not on it happen
 * all the same. It says on stderr which those were and how often, and exits as the
 * program did, or with 125 if that could not be started. Nothing else of the sandbox is
 * there. This is for programs of one's own, to see whether a new driver needs what the
 * list lacks.
 *
 *   this process <-- the filter's listener, over a socket -- child -- exec --> PROGRAM
 *
 * Needs Linux 5.5, where a listener may let a call go on.
 */
#include "sandbox/seccomp_filter.h"

#include <errno.h>
#include <poll.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 1024

static _Noreturn void
fail(const char *what)
{
    fprintf(stderr, "refused-calls: %s: %s\n", what, strerror(errno));
    _exit(125);
}

/* In the child: the filter is on from here, and lets pass what follows. */
static int
install(void)
{
    static const char *const no_nodes[] = {NULL};
    const struct sandbox s = {.one_process = true, .gpu = no_nodes};
    struct report r = {0};
    scmp_filter_ctx filter = seccomp_filter(&s, SCMP_ACT_NOTIFY, &r);

    if (filter == NULL) {
        fprintf(stderr, "refused-calls: %s\n", r.text);
        _exit(125);
    }
    errno = -seccomp_load(filter);
    if (errno != 0)
        fail("this kernel does not load the filter");
    return seccomp_notify_fd(filter);
}

static void
send_descriptor(int socket, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    char byte = 0;
    struct iovec iov = {&byte, 1};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (sendmsg(socket, &m, 0) != 1)
        fail("the listener cannot be handed over");
}

static int
receive_descriptor(int socket)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    char byte;
    struct iovec iov = {&byte, 1};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c;
    int fd = -1;

    if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != 1 || (c = CMSG_FIRSTHDR(&m)) == NULL)
        _exit(125); /* the child has said why */
    memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

/* One call that the list lacks: counted and let go on. */
static void
take(int listener, unsigned count[CALLS_MAX])
{
    struct seccomp_notif call = {0};
    struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return; /* its thread is gone already */
    if (call.data.nr >= 0 && call.data.nr < CALLS_MAX)
        count[call.data.nr]++;
    answer.id = call.id;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void
listen_until_end(int listener, pid_t pid, unsigned count[CALLS_MAX])
{
    struct pollfd p[] = {{.fd = listener, .events = POLLIN},
                         {.fd = pidfd_open(pid, 0), .events = POLLIN}};

    if (p[1].fd < 0)
        fail("pidfd_open");
    while (p[1].revents == 0) {
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            fail("poll");
        if ((p[0].revents & POLLIN) != 0)
            take(listener, count);
    }
}

static void
print(const unsigned count[CALLS_MAX])
{
    bool any = false;

    for (int nr = 0; nr < CALLS_MAX; nr++) {
        char *name =
            count[nr] > 0 ? seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr) : NULL;

        if (count[nr] > 0)
            fprintf(stderr, "refused-calls: %s (%d): %u times\n",
                    name != NULL ? name : "unknown", nr, count[nr]);
        any = any || count[nr] > 0;
        free(name);
    }
    if (!any)
        fprintf(stderr, "refused-calls: none\n");
}

int
main(int argc, char **argv)
{
    static unsigned count[CALLS_MAX];
    int pair[2], status = 0;
    pid_t pid;

    if (argc < 2) {
        fprintf(stderr, "usage: refused-calls PROGRAM [ARGUMENT...]\n");
        return 125;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        fail("socketpair");
    pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        close(pair[0]);
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
            fail("no_new_privs");
        send_descriptor(pair[1], install());
        execvp(argv[1], argv + 1);
        fail(argv[1]);
    }
    close(pair[1]);
    listen_until_end(receive_descriptor(pair[0]), pid, count);
    if (waitpid(pid, &status, 0) != pid)
        fail("waitpid");
    print(count);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
