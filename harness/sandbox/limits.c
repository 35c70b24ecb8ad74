/* Sets the resource limits of a sandboxed program, from struct sandbox to setrlimit. */
#include "sandbox/limits.h"

#include <sys/resource.h>

#define SIGNALS_MAX 1024

/* A limit that is lower already stays: only root could raise it. */
static int
limit_set(pid_t pid, enum __rlimit_resource what, uint64_t soft, uint64_t hard)
{
    struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard}, now;

    if (prlimit(pid, what, NULL, &now) != 0)
        return -1;
    if (limit.rlim_max > now.rlim_max)
        limit.rlim_max = now.rlim_max;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return prlimit(pid, what, &limit, NULL);
}

int
limits_apply(pid_t pid, const struct sandbox *s)
{
    /* A core dump would write the memory of what we judge to the disk. */
    if (limit_set(pid, RLIMIT_CORE, 0, 0) != 0)
        return -1;
    /* Signals that wait, and timers, count for all processes of the user. */
    if (limit_set(pid, RLIMIT_SIGPENDING, SIGNALS_MAX, SIGNALS_MAX) != 0)
        return -1;
    /* SIGXCPU comes at the limit and tells the reason. SIGKILL follows a second later,
     * for a program that catches SIGXCPU. */
    if (s->cpu_seconds != 0 &&
        limit_set(pid, RLIMIT_CPU, s->cpu_seconds, s->cpu_seconds + 1) != 0)
        return -1;
    if (s->address_space_bytes != 0 &&
        limit_set(pid, RLIMIT_AS, s->address_space_bytes, s->address_space_bytes) != 0)
        return -1;
    if (s->data_bytes != 0 &&
        limit_set(pid, RLIMIT_DATA, s->data_bytes, s->data_bytes) != 0)
        return -1;
    if (s->file_bytes != 0 &&
        limit_set(pid, RLIMIT_FSIZE, s->file_bytes, s->file_bytes) != 0)
        return -1;
    /* This limit counts all processes of the user; only a user namespace keeps ours
     * apart. */
    if (s->processes != 0 && !s->insecure &&
        limit_set(pid, RLIMIT_NPROC, s->processes, s->processes) != 0)
        return -1;
    if (s->open_files != 0 &&
        limit_set(pid, RLIMIT_NOFILE, s->open_files, s->open_files) != 0)
        return -1;
    return 0;
}
