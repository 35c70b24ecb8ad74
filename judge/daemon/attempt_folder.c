/* The job folder of an attempt: making it, and removing it. */
#include "daemon/attempt.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hex.h"
#include "daemon/meanings.h"
#include "daemon/removal.h"
#include "record/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int
attempt_write_source(const char *folder, const struct buf *source, struct report *r)
{
    char *path = xasprintf("%s/submission.cu", folder);
    int rc = file_write(path, buf_str(source), source->len, r);

    free(path);
    return rc;
}

static int
attempt_write_job(struct attempt *a, char *own_case, char *seed, struct report *r)
{
    struct daemon *d = a->daemon;
    struct job job = {
        .id = a->id,
        .attempt = a->number,
        .sample_tests_only = attempt_has_samples_only(a),
        .profile = profile_is_graded(a->profile) ? PROFILE_NONE : a->profile,
        .problem = a->problem,
        .problems_dir = d->config.problems,
        .device = a->device,
        .partner = a->partner,
        .arch = devices_find(&d->devices, a->device)->arch,
        .filename = a->filename,
        .cache_dir = d->config.cache,
        .insecure = d->settings.insecure,
        .seed = seed != NULL ? seed : (char *)(uintptr_t)d->settings.seed,
        .own_case = own_case,
    };

    return job_write(a->folder, &job, r);
}

/* Only what `run` has sent may have a case of its user's own. */
int
attempt_read_own_case(const struct attempt *a, char **out, struct report *r)
{
    if (!a->sample_tests_only || a->profile != PROFILE_NONE || a->idle != IDLE_NOT)
        return 0;
    return store_own_case(a->daemon->store, a->id, out, r);
}

/* Only what is graded may have a seed that was sent with it. */
int
attempt_read_seed(const struct attempt *a, char **out, struct report *r)
{
    if (!profile_is_graded(a->profile) || a->idle != IDLE_NOT)
        return 0;
    return store_seed(a->daemon->store, a->id, out, r);
}

const char *
attempt_board(const struct attempt *a)
{
    const struct device_entry *e = devices_find(&a->daemon->devices, a->device);

    return e != NULL ? e->board : a->device;
}

void
attempt_note_meaning(struct attempt *a)
{
    snprintf(a->meaning, sizeof a->meaning, "%s",
             meanings_get(a->daemon->meanings, a->problem, attempt_board(a)));
}

int
attempt_make_empty_folder(struct attempt *a, struct report *r)
{
    char name[17];

    hex_draw(name, 8);
    a->folder = xasprintf("%s/%lld-%d-%s", a->daemon->config.jobs, (long long)a->id,
                          a->number, name);
    if (file_mkdirs(a->daemon->config.jobs, r) != 0)
        return -1;
    if (mkdir(a->folder, 0700) != 0)
        return report_errno(r, "the folder %s cannot be made", a->folder);
    return 0;
}

int
attempt_make_folder(struct attempt *a, const struct buf *source, struct report *r)
{
    char *own_case = NULL, *seed = NULL;
    int rc;

    attempt_note_meaning(a);
    if (attempt_make_empty_folder(a, r) != 0)
        return -1;
    if (attempt_write_source(a->folder, source, r) != 0)
        return -1;
    if (attempt_read_own_case(a, &own_case, r) != 0)
        return -1;
    rc = attempt_read_seed(a, &seed, r);
    if (rc == 0)
        rc = attempt_write_job(a, own_case, seed, r);
    free(own_case);
    free(seed);
    return rc;
}

void
attempt_remove_folder(struct attempt *a)
{
    if (a->folder == NULL)
        return;
    if (a->daemon->settings.keep_jobs)
        free(a->folder);
    else
        removal_add(a->daemon->removal, a->folder, a->label);
    a->folder = NULL;
}
