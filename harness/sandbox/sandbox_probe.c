/* Finds out whether sandboxes work on this machine, and if not, what would help. */
#include "sandbox/sandbox.h"

#include "base/buf.h"

#include <fcntl.h>
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

int
sandbox_probe(struct report *r)
{
    static const char *const argv[] = {"/usr/bin/true", NULL};
    static const struct sandbox probe = {.program = "/usr/bin/true", .argv = argv};
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
