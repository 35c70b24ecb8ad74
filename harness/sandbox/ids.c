#include "sandbox/ids.h"

#include "base/buf.h"
#include "base/file.h"
#include "sandbox/ids_range.h"
#include "sandbox/userns.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "WARPJUDGE_IDS"
#define NONE "none"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool decided;
    struct ids_range range; /* count 0: sandboxes run as our own user */
    int locks;              /* the file; valid if opened */
    bool opened;
    uint8_t *used; /* one for each id; our own locks do not refuse us */
    struct ids shared;
} here;

/* --- the file of locks ---------------------------------------------------- */

/* Root's file is where only root writes. Others' is in their own folder for such files or
 * in /tmp, where its owner is checked. */
static char *
locks_path(void)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");

    if (geteuid() == 0)
        return xstrdup("/run/warpjudge-ids");
    if (folder != NULL && folder[0] == '/')
        return xasprintf("%s/warpjudge-ids", folder);
    return xasprintf("/tmp/warpjudge-ids-%u", (unsigned)geteuid());
}

static int
locks_open(struct report *r)
{
    char *path;
    struct stat st;
    int fd, rc = 0;

    if (here.opened)
        return 0;
    path = locks_path();
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        rc = report_errno(r, "the sandboxes' users cannot be told apart by %s", path);
    else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
        rc = report_fail(r, "%s should be a file of our own", path);
    if (rc == 0) {
        here.locks = fd;
        here.opened = true;
    } else if (fd >= 0) {
        close(fd);
    }
    free(path);
    return rc;
}

/* --- the decision --------------------------------------------------------- */

static int
range_works(const struct ids_range *range, struct report *why)
{
    const struct ids first = {range->uid, range->gid};

    if (ids_range_check(range, why) != 0 || locks_open(why) != 0)
        return -1;
    return userns_probe(&first, why);
}

/* Sets `here` by the variable or by what is granted. Returns as ids_begin does. */
static int
ids_decide(bool probe, struct report *why)
{
    const char *said = getenv(VARIABLE);
    struct ids_range range = {0};
    int rc = 0;

    if (said != NULL && strcmp(said, NONE) == 0) {
        report_fail(why, VARIABLE " is " NONE);
        rc = 1;
    } else if (said != NULL && said[0] != '\0') {
        rc = ids_range_parse(said, &range, why);
        if (rc == 0 && probe)
            rc = range_works(&range, why);
        if (rc != 0)
            report_prefix(why, VARIABLE "=%s", said);
    } else {
        rc = ids_range_granted(&range, why) == 0 && range_works(&range, why) == 0 ? 0 : 1;
    }
    here.range = rc == 0 ? range : (struct ids_range){0};
    here.decided = rc >= 0;
    return rc;
}

static void
ids_tell_children(void)
{
    char text[64] = NONE;

    if (here.range.count > 0)
        snprintf(text, sizeof text, "%u:%u:%u", (unsigned)here.range.uid,
                 (unsigned)here.range.gid, (unsigned)here.range.count);
    if (setenv(VARIABLE, text, 1) != 0)
        die(4, "out of memory");
}

int
ids_begin(struct report *why)
{
    int rc;

    pthread_mutex_lock(&mutex);
    rc = ids_decide(true, why);
    if (rc >= 0)
        ids_tell_children();
    pthread_mutex_unlock(&mutex);
    return rc;
}

void
ids_stop(void)
{
    pthread_mutex_lock(&mutex);
    here.decided = true;
    here.range = (struct ids_range){0};
    ids_tell_children();
    pthread_mutex_unlock(&mutex);
}

/* The range of this process. A program that no daemon has started decides by itself, as
 * the daemon would. */
static int
ids_range_here(struct ids_range *out, struct report *r)
{
    struct report why = {0};

    if (!here.decided && ids_decide(false, &why) < 0)
        return report_fail(r, "%s", why.text);
    *out = here.range;
    return 0;
}

bool
ids_active(void)
{
    struct report ignored = {0}; /* ids_claim says it */
    struct ids_range range = {0};
    bool active;

    pthread_mutex_lock(&mutex);
    active = ids_range_here(&range, &ignored) == 0 && range.count > 0;
    pthread_mutex_unlock(&mutex);
    return active;
}

uint32_t
ids_count(void)
{
    return ids_active() ? here.range.count : 0;
}

char *
ids_text(void)
{
    if (!ids_active())
        return xasprintf("its own user (uid %u)", (unsigned)geteuid());
    return xasprintf("users %u to %u", (unsigned)here.range.uid,
                     (unsigned)(here.range.uid + here.range.count - 1));
}

/* --- claims --------------------------------------------------------------- */

/* Returns false if another program of ours has this id. */
static bool
id_lock(uint32_t id, short type)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)id, .l_len = 1};

    return fcntl(here.locks, F_OFD_SETLK, &lock) == 0;
}

static int
ids_take(const struct ids_range *range, struct ids *out, struct report *r)
{
    const uint32_t from = (uint32_t)getpid() * 61u % range->count;

    if (locks_open(r) != 0)
        return -1;
    if (here.used == NULL)
        here.used = xcalloc(range->count, 1);
    for (uint32_t i = 0; i < range->count; i++) {
        const uint32_t at = (from + i) % range->count;

        if (here.used[at] != 0 || !id_lock(range->uid + at, F_WRLCK))
            continue;
        here.used[at] = 1;
        *out = (struct ids){range->uid + at, range->gid + at};
        return 0;
    }
    return report_fail(r, "all %u users for sandboxes are in use",
                       (unsigned)range->count);
}

int
ids_claim(bool shared, struct ids *out, struct report *r)
{
    struct ids_range range = {0};
    int rc;

    *out = (struct ids){0};
    pthread_mutex_lock(&mutex);
    rc = ids_range_here(&range, r);
    if (rc == 0 && range.count > 0 && (!shared || here.shared.uid == 0))
        rc = ids_take(&range, shared ? &here.shared : out, r);
    if (rc == 0 && shared)
        *out = here.shared;
    pthread_mutex_unlock(&mutex);
    return rc;
}

void
ids_release(const struct ids *ids)
{
    pthread_mutex_lock(&mutex);
    if (ids->uid != 0 && ids->uid != here.shared.uid) {
        (void)id_lock(ids->uid, F_UNLCK);
        here.used[ids->uid - here.range.uid] = 0;
    }
    pthread_mutex_unlock(&mutex);
}
