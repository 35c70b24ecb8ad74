// warpjudge: vector-addition
// attack: process: kernel interfaces
// expect: accepted honest-time
// System calls that no CUDA program needs. What works ends it.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(const char *what)
{
    fprintf(stderr, "it worked: %s\n", what);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const long calls[] = {
        SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount,
        SYS_open_tree, SYS_fsopen, SYS_fsmount, SYS_fspick, SYS_setns, SYS_unshare, SYS_open_by_handle_at,
        SYS_name_to_handle_at, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module,
        SYS_delete_module, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_process_vm_readv,
        SYS_process_vm_writev, SYS_ptrace, SYS_kcmp, SYS_move_pages, SYS_migrate_pages, SYS_personality,
        SYS_clock_settime, SYS_settimeofday, SYS_adjtimex, SYS_reboot, SYS_swapon, SYS_acct, SYS_quotactl, SYS_syslog,
        SYS_modify_ldt, SYS_ioperm, SYS_iopl, SYS_vmsplice, SYS_splice, SYS_fanotify_init, SYS_inotify_init1,
        SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open, SYS_mknod, SYS_setuid, SYS_setgroups, SYS_capset, SYS_seccomp,
        SYS_sync, SYS_execveat, SYS_clone3, 1000000 /* what a later kernel may have */};
    for (long call : calls) {
        errno = 0;
        if (syscall(call, -1, -1, -1, -1, -1, -1) >= 0 || (errno != EPERM && errno != ENOSYS))
            found("a system call");
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
