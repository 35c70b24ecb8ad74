/*
 * The seccomp filter of every sandbox: what no compiler, emulated GPU or CUDA process
 * needs and what has a record of kernel bugs or of reaching into other processes. Denied
 * calls fail with EPERM, as they do for an ordinary user, except clone3, whose ENOSYS
 * makes libc fall back to clone, the one whose flags a filter can see.
 */
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

static const int denied[] = {
    /* other processes */
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(move_pages),
    SCMP_SYS(migrate_pages),
    /* namespaces and mounts */
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at),
    /* kernel interfaces with much code behind them */
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(fanotify_mark),
    SCMP_SYS(lookup_dcookie),
    SCMP_SYS(vmsplice),
    SCMP_SYS(memfd_secret),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(personality),
    /* the machine itself */
    SCMP_SYS(reboot),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(syslog),
    SCMP_SYS(ioperm),
    SCMP_SYS(iopl),
    SCMP_SYS(vhangup),
    SCMP_SYS(nfsservctl),
};

/* A process that is not a thread: fork bombs, and what would outlive a killed parent for
 * a moment, end here; Linux holds no limit of processes against uid 0. */
static int
deny_processes(scmp_filter_ctx filter)
{
    int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fork), 0);

    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(vfork), 0);
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    return rc;
}

static int
deny_memory_files(scmp_filter_ctx filter)
{
    int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(memfd_create), 0);

    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(shmget), 0);
    return rc;
}

static int
add_rules(scmp_filter_ctx filter, const struct sandbox *s)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof denied / sizeof *denied; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), denied[i], 0);
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    /* A new user namespace is the door to most of the above. */
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
    if (rc == 0 && s->one_process)
        rc = deny_processes(filter);
    if (rc == 0 && s->no_memory_files)
        rc = deny_memory_files(filter);
    return rc;
}

int
seccomp_filter_fd(const struct sandbox *s, struct report *r)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int fd = -1, rc;

    if (filter == NULL)
        return report_fail(r, "libseccomp cannot make a filter");
    rc = add_rules(filter, s);
    if (rc != 0) {
        report_fail(r, "libseccomp refuses the sandbox's filter (error %d)", -rc);
        goto out;
    }
    fd = memfd_create("seccomp", MFD_CLOEXEC);
    if (fd < 0) {
        report_errno(r, "no memory file for the seccomp filter");
        goto out;
    }
    if (seccomp_export_bpf(filter, fd) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
        report_fail(r, "the seccomp filter cannot be written");
        close(fd);
        fd = -1;
    }
out:
    seccomp_release(filter);
    return fd;
}
