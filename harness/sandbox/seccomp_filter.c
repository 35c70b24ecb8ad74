/*
 * The seccomp filter of every sandbox: the list (allowed.def) of the system calls that
 * compilers, the emulated GPU, C references and CUDA processes need. A call that is not
 * on it fails with ENOSYS, as on a kernel without it, and libraries know what to do then.
 * That also holds for calls that are newer than the list.
 *
 * The list must never hold these:
 *
 *    - ptrace, process_vm_*, pidfd_getfd, kcmp: they reach into other processes;
 *    - unshare, setns, mount and its family, chroot, open_by_handle_at: ways out of
 *      the root;
 *    - bpf, perf_event_open, userfaultfd, io_uring, keyctl, vmsplice, personality,
 *      modify_ldt: much code of the kernel that nobody here needs;
 *    - modules, kexec, reboot, swap, setting the clocks: they change the machine itself.
 *
 * The filter also looks at the arguments of some calls; seccomp_commands.c has those
 * whose argument is a command. clone may make a thread or a process, but no namespace.
 * The call clone3 hides its flags in memory, where a filter cannot look, so it is left
 * out, and libc falls back to clone.
 *
 * A socket must be of the Unix family. The network namespace is empty anyhow, but some
 * families ignore it (AF_VSOCK reaches the host of a virtual machine), and most families
 * have had bugs. Nsight Compute and compute-sanitizer (debugs) talk to the program that
 * they look at by TCP, and by FIFOs. They get stream sockets of IPv4, whose only network
 * is the loopback of the sandbox.
 *
 * If a driver needs more calls, the program of tests/tools/refused-calls.c tells which:
 * it runs a program under this list and prints what would be refused.
 */
#include "sandbox/seccomp_filter.h"
#include "sandbox/seccomp_commands.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const int allowed[] = {
#define X(name) SCMP_SYS(name),
#include "sandbox/allowed.def"
#undef X
};

#define NAMESPACES                                                                       \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |          \
     CLONE_NEWUTS | CLONE_NEWCGROUP)

static int
allow_list(scmp_filter_ctx filter)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof allowed / sizeof *allowed; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    return rc;
}

static int
allow_unix_sockets(scmp_filter_ctx filter)
{
    int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
                              SCMP_A0(SCMP_CMP_EQ, AF_UNIX));

    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 1,
                              SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
    return rc;
}

/* Allows what Nsight Compute and compute-sanitizer need beside what a runner needs. The
 * upper bits of a socket's type are flags. The protocol is TCP, which 0 means as well: a
 * stream may also be one of MPTCP, SCTP or SMC. */
static int
allow_debuggers(scmp_filter_ctx filter)
{
    static const unsigned protocols[] = {0, IPPROTO_TCP};
    const unsigned flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
    int rc = 0;

    for (unsigned flag = 0; rc == 0 && flag <= flags; flag++)
        for (size_t i = 0; rc == 0 && i < sizeof protocols / sizeof *protocols; i++)
            if ((flag & ~flags) == 0)
                rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 3,
                                      SCMP_A0(SCMP_CMP_EQ, AF_INET),
                                      SCMP_A1(SCMP_CMP_EQ, SOCK_STREAM | flag),
                                      SCMP_A2(SCMP_CMP_EQ, protocols[i]));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mknod), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, S_IFIFO));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mknodat), 1,
                              SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, S_IFIFO));
    return rc;
}

static int
allow_processes(scmp_filter_ctx filter)
{
    int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fork), 0);

    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(vfork), 0);
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES, 0));
    return rc;
}

/* Allows threads and no other process. That stops fork bombs, and children that would
 * live on for a moment after their parent. RLIMIT_NPROC would not do: Linux does not
 * enforce it for uid 0. */
static int
allow_threads(scmp_filter_ctx filter)
{
    return seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
        SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES | CLONE_THREAD, CLONE_THREAD));
}

/* Decides about priorities and scheduling classes. A program of one process is told that
 * it succeeded, and nothing happens. At a lower priority it would wait for a CPU of a
 * busy machine for as long as it likes, and no limit counts waiting (sandbox/usage.h). */
static int
decide_priorities(scmp_filter_ctx filter, const struct sandbox *s)
{
    static const int calls[] = {SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam),
                                SCMP_SYS(sched_setattr), SCMP_SYS(setpriority)};
    const uint32_t answer = s->one_process ? SCMP_ACT_ERRNO(0) : SCMP_ACT_ALLOW;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof calls / sizeof *calls; i++)
        rc = seccomp_rule_add(filter, answer, calls[i], 0);
    return rc;
}

/* Gives some calls a better error than ENOSYS: the one that the kernel has for a network
 * without this family, or for a process that may not fork. */
static int
explain_refusals(scmp_filter_ctx filter, const struct sandbox *s)
{
    int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                              s->debugs ? SCMP_A0(SCMP_CMP_GT, AF_INET)
                                        : SCMP_A0(SCMP_CMP_NE, AF_UNIX));

    if (rc == 0 && s->one_process)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fork), 0);
    if (rc == 0 && s->one_process)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(vfork), 0);
    if (rc == 0 && s->one_process)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    if (rc == 0 && s->no_memory_files)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(memfd_create), 0);
    return rc;
}

void *
seccomp_filter(const struct sandbox *s, uint32_t refusal, struct report *r)
{
    scmp_filter_ctx filter =
        seccomp_init(refusal != 0 ? refusal : SCMP_ACT_ERRNO(ENOSYS));
    int rc;

    if (filter == NULL) {
        report_fail(r, "libseccomp cannot make a filter");
        return NULL;
    }
    /* The filter becomes a search tree: a call costs some eight comparisons instead of
     * 200. */
    rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (rc == 0)
        rc = allow_list(filter);
    if (rc == 0)
        rc = seccomp_commands(filter, s);
    if (rc == 0)
        rc = allow_unix_sockets(filter);
    if (rc == 0 && s->debugs)
        rc = allow_debuggers(filter);
    if (rc == 0)
        rc = s->one_process ? allow_threads(filter) : allow_processes(filter);
    if (rc == 0 && !s->no_memory_files)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(memfd_create), 0);
    if (rc == 0)
        rc = decide_priorities(filter, s);
    if (rc == 0 && refusal == 0)
        rc = explain_refusals(filter, s);
    if (rc == 0)
        return filter;
    report_fail(r, "libseccomp refuses the sandbox's filter (error %d)", -rc);
    seccomp_release(filter);
    return NULL;
}

int
seccomp_filter_fd(const struct sandbox *s, struct report *r)
{
    scmp_filter_ctx filter = seccomp_filter(s, 0, r);
    int fd;

    if (filter == NULL)
        return -1;
    fd = memfd_create("seccomp", MFD_CLOEXEC);
    if (fd < 0) {
        report_errno(r, "no memory file for the seccomp filter");
    } else if (seccomp_export_bpf(filter, fd) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
        report_fail(r, "the seccomp filter cannot be written");
        close(fd);
        fd = -1;
    }
    seccomp_release(filter);
    return fd;
}
