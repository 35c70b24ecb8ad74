/* What pilots print: a file for each in the folder that nodes share. It is removed when
 * its pilot is gone, unless that has failed. */
#include "daemon/slurm/state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
log_remove(const struct slurm *s, int64_t job)
{
    char *path = xasprintf("%s/pilot-%lld.log", s->folder, (long long)job);

    (void)unlink(path); /* it is not there where the job never began */
    free(path);
}

void
log_keep(struct slurm *s, int64_t job)
{
    if (s->kept_count == SLURM_LOGS_KEPT) {
        log_remove(s, s->kept_log[0]);
        memmove(s->kept_log, s->kept_log + 1, sizeof s->kept_log - sizeof *s->kept_log);
        s->kept_count--;
    }
    s->kept_log[s->kept_count++] = job;
}

void
logs_sweep(const struct slurm *s)
{
    DIR *dir = opendir(s->folder);
    struct dirent *e;
    long long job;

    if (dir == NULL)
        return;
    while ((e = readdir(dir)) != NULL)
        if (strncmp(e->d_name, "pilot-", 6) == 0 &&
            (job = strtoll(e->d_name + 6, NULL, 10)) > 0 &&
            pilots_find(&s->pilots, job) == NULL)
            log_remove(s, job);
    closedir(dir);
}
