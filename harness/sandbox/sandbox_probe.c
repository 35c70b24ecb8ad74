/* Finds out whether sandboxes work on this machine, and if not, what would help. */
#include "sandbox/sandbox.h"

#include "base/buf.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of CPU time and sleep, which a busy machine adds nothing to; and by the clock. */
#define PROBE_USED_MS 10000
#define PROBE_WALL_MS 600000

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

/* A limit can only be lowered, so that each that we inherit must be as high as the one
 * that a sandbox gets. */
int
sandbox_probe_limits(struct report *r)
{
    static const struct {
        enum __rlimit_resource what;
        const char *name, *option; /* option of the shell's ulimit */
        uint64_t needed, unit;     /* unit: of the option's number */
    } limits[] = {
        {RLIMIT_NOFILE, "open files", "n", SANDBOX_OPEN_FILES_MAX, 1},
        {RLIMIT_AS, "address space", "v", SANDBOX_ADDRESS_SPACE_MAX, 1024},
        {RLIMIT_DATA, "memory", "d", SANDBOX_ADDRESS_SPACE_MAX, 1024},
        {RLIMIT_FSIZE, "a file's size", "f", SANDBOX_FILE_BYTES_MAX, 512},
        {RLIMIT_CPU, "CPU time", "t", SANDBOX_CPU_SECONDS_MAX + 1, 1},
    };
    struct rlimit now;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (getrlimit(limits[i].what, &now) != 0)
            return report_errno(r, "the limit of %s cannot be read", limits[i].name);
        if (now.rlim_max < limits[i].needed)
            return report_fail(r,
                               "a judgement needs a higher limit of %s than this process "
                               "has: ulimit -%s %ju or more",
                               limits[i].name, limits[i].option,
                               (uintmax_t)(limits[i].needed / limits[i].unit));
    }
    return 0;
}

int
sandbox_probe(struct report *r)
{
    static const char *const argv[] = {"/usr/bin/true", NULL};
    static const struct sandbox probe = {.program = "/usr/bin/true",
                                         .argv = argv,
                                         .cpu_seconds = SANDBOX_CPU_SECONDS_MAX,
                                         .address_space_bytes = SANDBOX_ADDRESS_SPACE_MAX,
                                         .file_bytes = SANDBOX_FILE_BYTES_MAX,
                                         .processes = SANDBOX_PROCESSES_MAX,
                                         .open_files = SANDBOX_OPEN_FILES_MAX};
    struct sandbox_process p = {0};
    struct report why = {0};
    struct buf out = {0};
    int code = 0, rc = 0;
    const char *hint = "";

    if (sandbox_start(&probe, &p, &why) == 0) {
        if (sandbox_wait_used(&p, PROBE_USED_MS, PROBE_WALL_MS, &out, 1024, 0, &code) !=
                SANDBOX_EXITED ||
            code != 0)
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
