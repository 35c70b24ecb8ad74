#include "daemon/archives.h"

#include "base/file.h"
#include "daemon/fingerprint.h"
#include "problem/archive.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct archive {
    struct archive *next;
    char *slug;
    uint64_t stamp; /* of the files that it was packed of */
    char hash[ARCHIVE_HASH_BYTES];
    struct archive_text *text; /* NULL: it was not packed yet */
};

struct archives {
    const char *dir;
    struct archive *first;
};

struct archives *
archives_new(const char *problems_dir)
{
    struct archives *all = xcalloc(1, sizeof *all);

    all->dir = problems_dir;
    return all;
}

void
archives_free(struct archives *all)
{
    if (all == NULL)
        return;
    for (struct archive *at = all->first, *next; at != NULL; at = next) {
        next = at->next;
        free(at->slug);
        archive_text_let_go(at->text);
        free(at);
    }
    free(all);
}

/* A number that changes with each file: its name, size, place on the disk and time. The
 * order in which the folder lists them does not matter. */
static uint64_t
archive_stamp(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    uint64_t sum = 1;

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

const char *
archives_hash(struct archives *all, const char *slug, struct report *r)
{
    struct archive *at = archive_find(all, slug);
    char *folder = xasprintf("%s/%s", all->dir, slug);
    const uint64_t stamp = archive_stamp(folder);
    struct buf text = {0};

    free(folder);
    if (stamp != 0 && stamp == at->stamp)
        return at->hash;
    if (archive_pack(all->dir, slug, &text, r) != 0) {
        buf_free(&text);
        return NULL;
    }
    archive_text_let_go(at->text);
    at->text = xcalloc(1, sizeof *at->text);
    *at->text = (struct archive_text){.text = text, .users = 1};
    at->stamp = stamp;
    hash_hex(buf_str(&text), text.len, at->hash);
    return at->hash;
}

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
