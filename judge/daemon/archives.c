#include "daemon/archives.h"

#include "base/file.h"
#include "base/inject.h"
#include "daemon/daemon.h"
#include "daemon/fingerprint.h"
#include "daemon/queue.h"
#include "daemon/thread_pool.h"
#include "problem/archive.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A folder of so many bytes is packed at once: that takes a millisecond or less. */
#define AT_ONCE_BYTES ((size_t)64 << 10)
#define LOOK_NS UINT64_C(100000000)

struct archive {
    struct archive *next;
    char *slug;
    uint64_t stamp;     /* of the files that it was packed of; 0: it was not */
    uint64_t looked_ns; /* when the files were looked at last; CLOCK_MONOTONIC */
    bool is_packing;    /* a thread has it */
    struct report why;  /* it could not be packed of those files; told once */
    char hash[ARCHIVE_HASH_BYTES];
    struct archive_text *text; /* NULL: it was not packed yet */
};

struct archives {
    struct daemon *daemon;
    const char *dir;
    struct thread_pool *pool; /* of one thread */
    struct archive *first;
};

/* What packing makes. Beside what changes here, a thread reads the archive's slug and the
 * folder's name, which stay. */
struct packing {
    struct pool_task task; /* comes first, since it is what the thread knows */
    struct archives *all;
    struct archive *archive;
    uint64_t stamp;
    bool is_packed; /* otherwise `why` */
    struct buf text;
    char hash[ARCHIVE_HASH_BYTES];
    struct report why;
};

struct archives *
archives_new(struct daemon *d, struct report *r)
{
    struct archives *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    all->dir = d->config.problems;
    all->pool = thread_pool_new(d->base, 1, "a problem that is packed", r);
    if (all->pool != NULL)
        return all;
    archives_free(all);
    return NULL;
}

void
archives_free(struct archives *all)
{
    if (all == NULL)
        return;
    thread_pool_free(all->pool);
    for (struct archive *at = all->first, *next; at != NULL; at = next) {
        next = at->next;
        free(at->slug);
        archive_text_let_go(at->text);
        free(at);
    }
    free(all);
}

/* A number that changes with each file: its name, size, place on the disk and time. The
 * order in which the folder lists them does not matter. *bytes is how long they are
 * together. */
static uint64_t
archive_stamp(const struct archives *all, const char *slug, size_t *bytes)
{
    char *folder = xasprintf("%s/%s", all->dir, slug);
    DIR *dir = opendir(folder);
    struct dirent *e;
    uint64_t sum = 1;

    free(folder);
    *bytes = 0;
    if (dir == NULL)
        return 0;
    while ((e = readdir(dir)) != NULL) {
        struct stat st;
        int64_t of[4];

        if (e->d_name[0] == '.' ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        of[0] = (int64_t)st.st_ino;
        of[1] = st.st_size;
        of[2] = st.st_mtim.tv_sec;
        of[3] = st.st_mtim.tv_nsec;
        *bytes += (size_t)st.st_size;
        sum += fingerprint(fingerprint(7, of, sizeof of), e->d_name, strlen(e->d_name));
    }
    closedir(dir);
    return sum;
}

static struct archive *
archive_find(struct archives *all, const char *slug)
{
    struct archive *at = all->first;

    while (at != NULL && strcmp(at->slug, slug) != 0)
        at = at->next;
    if (at == NULL) {
        at = xcalloc(1, sizeof *at);
        at->slug = xstrdup(slug);
        at->next = all->first;
        all->first = at;
    }
    return at;
}

/* --- packing ------------------------------------------------------------ */

static void
packing_run(struct pool_task *task)
{
    struct packing *p = (struct packing *)task;

    p->is_packed = archive_pack(p->all->dir, p->archive->slug, &p->text, &p->why) == 0;
    if (p->is_packed)
        hash_hex(buf_str(&p->text), p->text.len, p->hash);
}

/* As a thread of the pool runs it. */
static void
packing_run_beside(struct pool_task *task)
{
    inject_hold(INJECT_PACKING_HELD);
    packing_run(task);
}

/* Takes over what was made. */
static void
packing_take(struct packing *p)
{
    struct archive *at = p->archive;

    at->stamp = p->stamp;
    at->why = p->why;
    if (!p->is_packed)
        return;
    archive_text_let_go(at->text);
    at->text = xcalloc(1, sizeof *at->text);
    *at->text = (struct archive_text){.text = p->text, .users = 1};
    p->text = (struct buf){0};
    memcpy(at->hash, p->hash, sizeof at->hash);
}

static void
packing_done(struct pool_task *task, bool dropped)
{
    struct packing *p = (struct packing *)task;

    p->archive->is_packing = false;
    if (!dropped) {
        packing_take(p);
        queue_step_soon(p->all->daemon->queue);
    }
    buf_free(&p->text);
    free(p);
}

static void
archive_pack_beside(struct archives *all, struct archive *at, uint64_t stamp)
{
    struct packing *p = xcalloc(1, sizeof *p);

    *p = (struct packing){.task = {.run = packing_run_beside, .done = packing_done},
                          .all = all,
                          .archive = at,
                          .stamp = stamp};
    at->is_packing = true;
    thread_pool_add(all->pool, &p->task);
}

static void
archive_pack_now(struct archives *all, struct archive *at, uint64_t stamp)
{
    struct packing p = {.all = all, .archive = at, .stamp = stamp};

    packing_run(&p.task);
    packing_take(&p);
    buf_free(&p.text);
}

/* Looks at the files, and packs them where they have changed. */
static void
archive_look(struct archives *all, struct archive *at)
{
    size_t bytes;
    uint64_t stamp;

    if (at->is_packing)
        return;
    stamp = archive_stamp(all, at->slug, &bytes);
    at->looked_ns = now_ns();
    if (stamp != 0 && stamp == at->stamp)
        return;
    if (bytes > AT_ONCE_BYTES)
        archive_pack_beside(all, at, stamp);
    else
        archive_pack_now(all, at, stamp);
}

bool
archives_is_packing(struct archives *all, const char *slug)
{
    struct archive *at = archive_find(all, slug);

    if (at->stamp == 0 || now_ns() - at->looked_ns > LOOK_NS)
        archive_look(all, at);
    return at->is_packing;
}

enum archive_state
archives_hash(struct archives *all, const char *slug, const char **hash, struct report *r)
{
    struct archive *at = archive_find(all, slug);

    archive_look(all, at);
    if (at->is_packing)
        return ARCHIVE_PACKING;
    if (report_is_set(&at->why)) {
        report_fail(r, "%s", at->why.text);
        at->why = (struct report){0};
        at->stamp = 0; /* the next one tries again */
        return ARCHIVE_BROKEN;
    }
    *hash = at->hash;
    return ARCHIVE_PACKED;
}

/* --- texts -------------------------------------------------------------- */

struct archive_text *
archives_take_text(const struct archives *all, const char *hash)
{
    for (const struct archive *at = all->first; at != NULL; at = at->next)
        if (at->text != NULL && strcmp(at->hash, hash) == 0) {
            at->text->users++;
            return at->text;
        }
    return NULL;
}

void
archive_text_let_go(struct archive_text *text)
{
    if (text == NULL || --text->users > 0)
        return;
    buf_free(&text->text);
    free(text);
}
