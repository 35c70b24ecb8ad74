/* Bounds how long a GPU may keep us waiting. The driver lets a process ask for a time
 * slice of any length, in which its kernel would keep the GPU to itself. If that
 * happens while a submission's process lives, we end that process. The GPU is then free
 * again within a moment, and what waited goes on. */
#include "device/cuda_gpu.h"
#include "device/watchdog.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ends the keeper, again and again until the wait is over. The pidfd names no other
 * process even after the keeper is gone. */
static void
end_keeper(void *gpu)
{
    struct cuda *c = gpu;

    c->kept = true;
    (void)syscall(SYS_pidfd_send_signal, c->keeper, SIGKILL, NULL, 0);
}

/* Ends our own process when ending the keeper did not help. Either the GPU answers
 * nobody, or the driver holds the keeper. The process that waits for us learns it from
 * our end. */
static void
end_ourselves(void *gpu)
{
    const struct cuda *c = gpu;

    fprintf(stderr, "%s does not answer any more\n", c->base.info.name);
    _exit(4);
}

int
cuda_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r)
{
    static const struct watchdog_acts acts = {end_keeper, end_ourselves, NULL};
    struct cuda *c = cuda_of(d);

    c->keeper = pidfd;
    if (pidfd >= 0 && c->watchdog == NULL)
        c->watchdog = watchdog_new(limit_ms, &acts, c, r);
    return pidfd < 0 || c->watchdog != NULL ? 0 : -1;
}

void
cuda_begin_wait(struct cuda *c)
{
    if (c->keeper >= 0)
        watchdog_begin(c->watchdog);
}

int
cuda_end_wait(struct cuda *c, int rc, const char *what, struct report *r)
{
    if (c->keeper >= 0)
        (void)watchdog_end(c->watchdog);
    if (!c->kept || c->kept_told)
        return rc;
    c->kept_told = true;
    return report_fail(r, "%s: the program's process kept the GPU", what);
}

int
cuda_wait_stream(struct cuda *c, const char *what, struct report *r)
{
    return cuda_check_wait(c, c->cu->stream_wait(c->stream), what, r);
}

int
cuda_fault(struct device *d, struct fault *out, struct report *r)
{
    (void)r;
    if (!cuda_of(d)->kept)
        return 0;
    *out = (struct fault){.kind = FAULT_INTERRUPTED};
    snprintf(out->text, sizeof out->text,
             "the program kept the GPU to itself for seconds while the judge waited for "
             "it: when solve returns, all its work must be done");
    return 1;
}
