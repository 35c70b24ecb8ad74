/* Makes a user namespace for a sandbox. Root fills it itself. Everybody else has that
 * done by newuidmap and newgidmap, which look into /etc/subuid and /etc/subgid. */
#include "sandbox/userns.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CAPABILITIES_MAX 63

/* --- the process that becomes bubblewrap ---------------------------------- */

/* Keeps the capabilities over execve as ambient ones. User 0 gets none by being user 0,
 * so that what bubblewrap has dropped never comes back. */
static int
keep_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED) != 0 ||
        syscall(SYS_capget, &header, data) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        data[i].inheritable = data[i].permitted;
    if (syscall(SYS_capset, &header, data) != 0)
        return -1;
    for (int i = 0; i <= CAPABILITIES_MAX && prctl(PR_CAPBSET_READ, i) >= 0; i++) {
        const bool have = (data[i / 32].permitted >> (i % 32) & 1) != 0;

        if ((have && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0) != 0) ||
            prctl(PR_CAPBSET_DROP, i) != 0)
            return -1;
    }
    return 0;
}

int
userns_enter(int sync)
{
    char word = 'u';

    if (unshare(CLONE_NEWUSER) != 0 || write(sync, &word, 1) != 1)
        return -1;
    if (read(sync, &word, 1) != 1) {
        errno = EPERM; /* the other end says why */
        return -1;
    }
    /* The C library would tell other threads, of which there are none here. */
    if (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, 0, 0, 0) != 0 ||
        syscall(SYS_setresuid, 0, 0, 0) != 0)
        return -1;
    return keep_capabilities();
}

/* --- the one that fills it ------------------------------------------------ */

static int
map_write(pid_t child, const char *file, uint32_t inside, uint32_t own, struct report *r)
{
    char *path = xasprintf("/proc/%d/%s", (int)child, file);
    char text[64];
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const int len =
        snprintf(text, sizeof text, "0 %u 1\n1 %u 1\n", (unsigned)inside, (unsigned)own);
    int rc = 0;

    if (fd < 0 || write(fd, text, (size_t)len) != len)
        rc = report_errno(r,
                          "a sandbox cannot get user %u of the host (that takes "
                          "CAP_SETUID, CAP_SETGID and CAP_SETFCAP)",
                          (unsigned)inside);
    if (fd >= 0)
        close(fd);
    free(path);
    return rc;
}

static int
map_by_program(pid_t child, const char *program, uint32_t inside, uint32_t own,
               struct report *r)
{
    char pid[16], first[16], second[16], zero[] = "0", one[] = "1", name[16];
    char *const argv[] = {name, pid, zero, first, one, one, second, one, NULL};
    char *const no_env[] = {NULL};
    int status = -1, failure;
    pid_t helper;

    snprintf(name, sizeof name, "%s", program);
    snprintf(pid, sizeof pid, "%d", (int)child);
    snprintf(first, sizeof first, "%u", (unsigned)inside);
    snprintf(second, sizeof second, "%u", (unsigned)own);
    failure = posix_spawnp(&helper, program, NULL, NULL, argv, no_env);
    if (failure != 0) {
        errno = failure;
        return report_errno(r, "%s cannot be run", program);
    }
    while (waitpid(helper, &status, 0) < 0 && errno == EINTR)
        continue;
    if (status == 0)
        return 0;
    return report_fail(r, "%s does not let a sandbox have id %u of the host", program,
                       (unsigned)inside);
}

int
userns_fill(pid_t child, int sync, const struct ids *ids, struct report *r)
{
    const bool root = geteuid() == 0;
    ssize_t n;
    char word;

    do
        n = read(sync, &word, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        return report_fail(r, "a sandbox cannot make a user namespace");
    if (root && (map_write(child, "gid_map", ids->gid, getegid(), r) != 0 ||
                 map_write(child, "uid_map", ids->uid, geteuid(), r) != 0))
        return -1;
    if (!root && (map_by_program(child, "newgidmap", ids->gid, getegid(), r) != 0 ||
                  map_by_program(child, "newuidmap", ids->uid, geteuid(), r) != 0))
        return -1;
    if (write(sync, &word, 1) != 1)
        return report_errno(r, "a sandbox's process is gone");
    return 0;
}

int
userns_probe(const struct ids *ids, struct report *r)
{
    int sync[2], status = -1, rc;
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) != 0)
        return report_errno(r, "no socket for a sandbox");
    child = fork();
    if (child == 0) {
        close(sync[0]);
        _exit(userns_enter(sync[1]) == 0 ? 0 : 1);
    }
    close(sync[1]);
    rc = child < 0 ? report_errno(r, "no process for a sandbox")
                   : userns_fill(child, sync[0], ids, r);
    close(sync[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (rc == 0 && status != 0)
        rc = report_fail(r, "a sandbox cannot become user %u of the host",
                         (unsigned)ids->uid);
    return rc;
}
