/*
 * fcntl, flock, ioctl and prctl do many things, of which the argument chooses one. What
 * is allowed is a list here, too:
 *
 *    - fcntl: everything up to what Linux has today, but no lease (it holds up others who
 *      open the file) and no watch;
 *    - locks, by fcntl or flock: a program of one process is told that it has them, and
 *      nothing happens, since nobody else has its files. So is Nsight Compute (debugs),
 *      which locks a file of its own /tmp. Other programs get none. A lock on a file of
 *      /usr would otherwise hold up whoever locks that file on the host;
 *    - ioctl: what libc asks of any descriptor. With a GPU also those of NVIDIA's driver:
 *      of type 'F' (the GPU and nvidiactl), and plain small numbers (nvidia-uvm). Which
 * of these a driver needs changes with its version. So nothing for terminals (TIOCSTI,
 *      TIOCLINUX), file systems (FICLONE, FS_IOC_SETFLAGS, FITRIM), sockets (SIOC*),
 * block devices or namespaces (NS_GET_*) is there;
 *    - prctl: names, signals at a parent's end, what libc and the sanitizer ask for.
 *      PR_SCHED_CORE would take the other half of a CPU from its neighbours. A filter or
 * a dispatch of its own, PR_SET_MM, mitigations and memory errors are much code of the
 *      kernel that nobody needs.
 *
 * seccomp compares 64 bits, of which the kernel uses 32. A list of what is allowed is
 * never passed by the upper ones.
 */
#include "sandbox/seccomp_commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#define FCNTL_LAST 1038 /* F_SET_FILE_RW_HINT and those before it */

#define IOCTL_TYPE_MASK 0xff00u
#define IOCTL_TYPE_NVIDIA ((unsigned)'F' << 8)
#define UVM_NUMBER_MASK 0xffffff00u /* UVM_IOCTL_BASE(i) is i on Linux */
#define UVM_INITIALIZE 0x30000001u
#define UVM_DEINITIALIZE 0x30000002u

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

static const unsigned ioctls[] = {TCGETS,   TIOCGWINSZ, FIONREAD, FIONBIO,
                                  FIOASYNC, FIOCLEX,    FIONCLEX};

static const unsigned prctls[] = {
    PR_SET_PDEATHSIG,  PR_GET_PDEATHSIG,    PR_GET_DUMPABLE,     PR_SET_DUMPABLE,
    PR_SET_NAME,       PR_GET_NAME,         PR_CAPBSET_READ,     PR_SET_TIMERSLACK,
    PR_GET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_VMA};

/* Commands of fcntl that take or give up a lock, in ascending order. */
static const unsigned locks[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};

static int
allow_values(scmp_filter_ctx filter, int call, unsigned argument, const unsigned *values,
             size_t count)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                              SCMP_CMP(argument, SCMP_CMP_EQ, values[i]));
    return rc;
}

static bool
is_lock(unsigned command)
{
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        if (locks[i] == command)
            return true;
    return false;
}

/* Lets fcntl do what its head says. Leases and watches are 1024 to 1026. */
static int
allow_fcntl(scmp_filter_ctx filter)
{
    int rc = 0;

    for (unsigned command = 0; rc == 0 && command <= FCNTL_LAST; command++) {
        if (command == F_OFD_SETLKW + 1)
            command = F_NOTIFY + 1;
        if (!is_lock(command))
            rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                                  SCMP_A1(SCMP_CMP_EQ, command));
    }
    return rc;
}

static int
decide_locks(scmp_filter_ctx filter, const struct sandbox *s)
{
    const uint32_t answer = SCMP_ACT_ERRNO(s->one_process || s->debugs ? 0 : ENOLCK);
    int rc = seccomp_rule_add(filter, answer, SCMP_SYS(flock), 0);

    for (size_t i = 0; rc == 0 && i < sizeof locks / sizeof *locks; i++)
        rc = seccomp_rule_add(filter, answer, SCMP_SYS(fcntl), 1,
                              SCMP_A1(SCMP_CMP_EQ, locks[i]));
    return rc;
}

static int
allow_ioctls_of_gpu(scmp_filter_ctx filter)
{
    static const unsigned uvm[] = {UVM_INITIALIZE, UVM_DEINITIALIZE};
    int rc = allow_values(filter, SCMP_SYS(ioctl), 1, uvm, sizeof uvm / sizeof *uvm);

    if (rc == 0)
        rc = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
            SCMP_A1(SCMP_CMP_MASKED_EQ, IOCTL_TYPE_MASK, IOCTL_TYPE_NVIDIA));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, UVM_NUMBER_MASK, 0));
    return rc;
}

int
seccomp_commands(scmp_filter_ctx filter, const struct sandbox *s)
{
    int rc = allow_fcntl(filter);

    if (rc == 0)
        rc = decide_locks(filter, s);
    if (rc == 0)
        rc = allow_values(filter, SCMP_SYS(ioctl), 1, ioctls,
                          sizeof ioctls / sizeof *ioctls);
    if (rc == 0 && s->gpu != NULL)
        rc = allow_ioctls_of_gpu(filter);
    if (rc == 0)
        rc = allow_values(filter, SCMP_SYS(prctl), 0, prctls,
                          sizeof prctls / sizeof *prctls);
    return rc;
}
