#include "compile/headers.h"

#include "base/file.h"
#include "compile/libraries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CCCL "cccl" /* the folder of CUB and Thrust, in both */

/* Has the target a link of this name? NULL for the target: is it one at all? */
static bool
is_linked(const struct target *t, const char *name)
{
    return name[0] != '.' && strcmp(name, CCCL) != 0 &&
           (t == NULL || libraries_serve(t, name));
}

static int
link_folder(const struct target *t, const char *from, const char *to, struct report *r)
{
    DIR *d = opendir(from);
    const struct dirent *e;
    int rc = 0;

    if (d == NULL)
        return report_errno(r, "the toolkit's headers in %s cannot be read", from);
    if (mkdir(to, 0755) != 0)
        rc = report_errno(r, "the folder %s cannot be made", to);
    while (rc == 0 && (e = readdir(d)) != NULL) {
        char *target, *link;

        if (!is_linked(t, e->d_name))
            continue;
        target = xasprintf("%s/%s", from, e->d_name);
        link = xasprintf("%s/%s", to, e->d_name);
        if (symlink(target, link) != 0)
            rc = report_errno(r, "the link %s cannot be made", link);
        free(target);
        free(link);
    }
    closedir(d);
    return rc;
}

int
headers_link(const struct target *t, const char *folder, struct report *r)
{
    char *from = xasprintf("%s/include", t->config->cuda_root);
    char *from_cccl = xasprintf("%s/" CCCL, from);
    char *to_cccl = xasprintf("%s/" CCCL, folder);
    int rc = link_folder(t, from, folder, r);

    if (rc == 0 && access(from_cccl, F_OK) == 0)
        rc = link_folder(t, from_cccl, to_cccl, r);
    free(from);
    free(from_cccl);
    free(to_cccl);
    return rc;
}

/* --- the shared folder -------------------------------------------------- */

/* How many names of a folder are linked, or are links where t is NULL; -1: none can be
 * read. */
static int
count_linked(const struct target *t, const char *parent, const char *name)
{
    char *path = xasprintf("%s/%s", parent, name);
    DIR *d = opendir(path);
    const struct dirent *e;
    int count = 0;

    free(path);
    if (d == NULL)
        return -1;
    while ((e = readdir(d)) != NULL)
        count += is_linked(t, e->d_name);
    closedir(d);
    return count;
}

/* Has a shared folder all the links that it should have? */
static bool
headers_are_whole(const struct target *t, const char *folder)
{
    const char *root = t->config->cuda_root;

    return count_linked(NULL, folder, ".") == count_linked(t, root, "include") &&
           count_linked(NULL, folder, CCCL) == count_linked(t, root, "include/" CCCL);
}

static void
key_folder(struct buf *key, const char *root, const char *name)
{
    char *path = xasprintf("%s/%s", root, name);
    struct stat st;

    if (stat(path, &st) == 0)
        buf_printf(key, "%s %ju %jd.%09ld\n", path, (uintmax_t)st.st_ino,
                   (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    else
        buf_printf(key, "%s absent\n", path);
    free(path);
}

static void
headers_key(const struct target *t, char hex[65])
{
    struct buf key = {0};

    /* On emu no library is there that must be linked (libraries.c). */
    buf_printf(&key, "%d %u\n", t->kind == PROGRAM_GPU, t->libraries);
    key_folder(&key, t->config->cuda_root, "include");
    key_folder(&key, t->config->cuda_root, "include/" CCCL);
    hash_hex(buf_str(&key), key.len, hex);
    buf_free(&key);
}

/* Puts a folder that was made into its place. One that is there is damaged and goes. */
static void
headers_put(const char *made, const char *to)
{
    if (rename(made, to) == 0)
        return;
    (void)renameat2(AT_FDCWD, made, AT_FDCWD, to, RENAME_EXCHANGE);
    (void)file_remove_tree(made, NULL);
}

/* Makes the folder beside its place. Whatever fails shows in what is there afterwards. */
static void
headers_make(const struct target *t, const char *to)
{
    char *scratch = xasprintf("%s.XXXXXX", to), *made;

    if (mkdtemp(scratch) != NULL) {
        made = xasprintf("%s/links", scratch);
        if (headers_link(t, made, NULL) == 0)
            headers_put(made, to);
        free(made);
        (void)file_remove_tree(scratch, NULL);
    }
    free(scratch);
}

/* The folder of shared folders, locked until it is closed; -1: it cannot be. */
static int
headers_lock(const char *folder)
{
    int fd, rc;

    if (file_mkdirs(folder, NULL) != 0)
        return -1;
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while ((rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
        continue;
    if (rc == 0)
        return fd;
    close(fd);
    return -1;
}

/* Makes the folder if it still has to be made. Two compiles may both find that it is not
 * there. Only the first makes it: a second would replace a folder that is in use. */
static void
headers_make_once(const struct target *t, const char *folder, const char *to)
{
    int lock = headers_lock(folder);

    if (lock < 0)
        return;
    if (!headers_are_whole(t, to))
        headers_make(t, to);
    close(lock);
}

char *
headers_shared(const struct target *t, const char *cache)
{
    char *folder = xasprintf("%s/headers", cache), *to;
    char key[65];

    headers_key(t, key);
    to = xasprintf("%s/%s", folder, key);
    if (!headers_are_whole(t, to))
        headers_make_once(t, folder, to);
    free(folder);
    if (headers_are_whole(t, to))
        return to;
    free(to);
    return NULL;
}
