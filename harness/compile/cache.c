/*
 * The cache of linked programs: CACHE/v1/KEY/HASH is a program. KEY is the SHA-256 of
 * everything that went into it, HASH the SHA-256 of the program itself. A program's
 * assembly and the digest of its PTX are entries like it, under keys that follow from the
 * program's.
 *
 * One rename makes an entry appear whole. Its name says what its bytes must be, so a
 * hit is hashed in the place from which it will run. An entry that does not match is
 * removed and built again. A change of what keys or entries mean needs a new folder
 * name (v2), and a line in cache_evict that removes the old one.
 *
 * CACHE/claims is an empty file, of which each key has one byte. A process that makes a
 * program which others may want at the same time locks that byte meanwhile. If the source
 * is wrong, it leaves the message as an entry for those that wait. The next process that
 * makes the program removes that first.
 *
 * Beside them CACHE/headers has folders of links (headers.h), which are few and stay.
 * CACHE/driver is the GPU's driver's, which bounds it by itself.
 *
 * An entry's modification time is the time of its last use. When all entries together
 * exceed CACHE_BYTES_MAX, the least recently used ones are removed.
 */
#include "compile/cache.h"
#include "compile/tools.h"
#include "compile/wrapper.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_VERSION "v1"
#define CACHE_BYTES_MAX ((int64_t)2 << 30)
#define CACHE_BYTES_KEPT ((int64_t)3 << 29) /* what an eviction leaves: 1.5 GiB */
#define PROGRAM_BYTES_MAX ((size_t)COMPILE_FILE_MIB << 20)

static void
key_field(struct buf *key, const char *name, const char *bytes, size_t len)
{
    buf_printf(key, "%s %zu\n", name, len);
    buf_add(key, bytes, len);
    buf_puts(key, "\n");
}

int
cache_key(const struct target *t, char hex[CACHE_KEY_LEN], struct report *r)
{
    struct buf key = {0};
    char *wrapper = target_wrapper(t), *header = compile_solve_header(t->function);
    int rc;

    key_field(&key, "wrapper", wrapper, strlen(wrapper));
    key_field(&key, "solve.h", header, strlen(header));
    key_field(&key, t->file_name, buf_str(t->source), t->source->len);
    rc = tool_identity(t, &key, r);
    if (rc == 0)
        hash_hex(buf_str(&key), key.len, hex);
    free(wrapper);
    free(header);
    buf_free(&key);
    return rc;
}

void
cache_part_key(const char *part, const char key[CACHE_KEY_LEN], char out[CACHE_KEY_LEN])
{
    char *text = xasprintf("%s of %s", part, key);

    hash_hex(text, strlen(text), out);
    free(text);
}

static bool
hash_file(const char *path, char hex[65])
{
    struct buf bytes = {0};
    struct report why = {0}; /* an unreadable entry is built again, as an absent one */
    bool ok = file_read(path, PROGRAM_BYTES_MAX, &bytes, &why) == 0;

    if (ok)
        hash_hex(buf_str(&bytes), bytes.len, hex);
    buf_free(&bytes);
    return ok;
}

static bool
take_entry(const char *entry, const char *wanted_hash, const char *to)
{
    struct report why = {0};
    char hash[65];

    if (file_copy(entry, to, &why) == 0 && hash_file(to, hash) &&
        strcmp(hash, wanted_hash) == 0 && access(to, R_OK) == 0) {
        utimensat(AT_FDCWD, entry, NULL, 0);
        return true;
    }
    unlink(to);
    file_remove_tree(entry, &why);
    return false;
}

bool
cache_get(const char *cache, const char *key, const char *to)
{
    char *folder = xasprintf("%s/" CACHE_VERSION "/%s", cache, key);
    DIR *dir = opendir(folder);
    const struct dirent *e;
    bool hit = false;

    while (!hit && dir != NULL && (e = readdir(dir)) != NULL) {
        char *entry;

        if (strlen(e->d_name) != CACHE_KEY_LEN - 1)
            continue;
        entry = xasprintf("%s/%s", folder, e->d_name);
        hit = take_entry(entry, e->d_name, to);
        free(entry);
    }
    if (dir != NULL)
        closedir(dir);
    free(folder);
    return hit;
}

struct entry {
    char *path;
    int64_t bytes;
    struct timespec used;
};

static int
older_first(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used;
    const struct timespec *y = &((const struct entry *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static int64_t
list_entries(char *root, struct entry **out, int *count)
{
    char *const roots[] = {root, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    struct entry *list = NULL;
    int64_t total = 0;
    FTSENT *e;
    int n = 0;

    while (walk != NULL && (e = fts_read(walk)) != NULL) {
        if (e->fts_info != FTS_F)
            continue;
        if ((n & (n - 1)) == 0)
            list = xrealloc(list, (size_t)(n > 0 ? 2 * n : 1) * sizeof *list);
        list[n++] = (struct entry){xstrdup(e->fts_path), e->fts_statp->st_size,
                                   e->fts_statp->st_mtim};
        total += e->fts_statp->st_size;
    }
    if (walk != NULL)
        fts_close(walk);
    *out = list;
    *count = n;
    return total;
}

static void
cache_evict_oldest(const char *cache)
{
    char *root = xasprintf("%s/" CACHE_VERSION, cache);
    struct entry *list;
    int count;
    int64_t total = list_entries(root, &list, &count);

    if (total > CACHE_BYTES_MAX) {
        qsort(list, (size_t)count, sizeof *list, older_first);
        for (int i = 0; i < count && total > CACHE_BYTES_KEPT; i++) {
            /* ENOENT: another process has evicted this entry first. */
            if (unlink(list[i].path) == 0 || errno == ENOENT)
                total -= list[i].bytes;
            *strrchr(list[i].path, '/') = '\0';
            rmdir(list[i].path); /* if it was the key's only entry */
        }
    }
    for (int i = 0; i < count; i++)
        free(list[i].path);
    free(list);
    free(root);
}

/* The place of a key among the claims. Two keys with one place would only wait for each
 * other. */
static off_t
claim_place(const char *key)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%.15s", key);
    return (off_t)strtoll(digits, NULL, 16);
}

/* Locks the byte. With F_OFD_SETLKW it is waited for. */
static bool
claim_lock(int fd, int command, const char *key)
{
    struct flock claim = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = claim_place(key), .l_len = 1};

    while (fcntl(fd, command, &claim) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

int
cache_claim(const char *cache, const char *key, bool *waited)
{
    char *path = xasprintf("%s/claims", cache);
    struct report ignored = {0}; /* cache_put() says it */
    int fd = -1;

    *waited = false;
    if (file_mkdirs(cache, &ignored) == 0)
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && !claim_lock(fd, F_OFD_SETLK, key)) {
        *waited = claim_lock(fd, F_OFD_SETLKW, key);
        if (!*waited) {
            close(fd);
            fd = -1;
        }
    }
    free(path);
    return fd;
}

int
cache_put(const char *cache, const char *key, const char *from, struct report *r)
{
    char *folder = xasprintf("%s/" CACHE_VERSION "/%s", cache, key);
    char *scratch = xasprintf("%s/.%d.tmp", folder, (int)getpid());
    char *entry = NULL;
    char hash[65];
    int rc = -1;

    if (!hash_file(from, hash)) {
        report_fail(r, "%s cannot be read for the cache", from);
        goto out;
    }
    entry = xasprintf("%s/%s", folder, hash);
    if (file_mkdirs(folder, r) != 0 || file_copy(from, scratch, r) != 0)
        goto out;
    if (rename(scratch, entry) != 0) {
        report_errno(r, "%s cannot be written", entry);
        unlink(scratch);
        goto out;
    }
    /* If both are links to one file, rename(2) leaves both names alone. */
    unlink(scratch);
    cache_evict_oldest(cache);
    rc = 0;
out:
    free(folder);
    free(scratch);
    free(entry);
    return rc;
}

void
cache_forget(const char *cache, const char *key)
{
    char *folder = xasprintf("%s/" CACHE_VERSION "/%s", cache, key);
    struct report ignored = {0}; /* mostly that there is none */

    file_remove_tree(folder, &ignored);
    free(folder);
}
