#include "problem/archive.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "problem/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MAX_BYTES 100

struct names {
    char *name[ARCHIVE_FILES_MAX];
    int count;
};

static bool
archive_name_is_safe(const char *name)
{
    static const char LETTERS[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t len = strlen(name);

    return len > 0 && len <= NAME_MAX_BYTES && name[0] != '.' && name[0] != '-' &&
           strspn(name, LETTERS) == len;
}

/* --- packing ------------------------------------------------------------ */

static int
names_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
names_free(struct names *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->name[i]);
}

static int
names_add(struct names *list, const char *folder, const char *name, struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct stat st;
    int rc = 0;

    if (lstat(path, &st) != 0)
        rc = report_errno(r, "%s cannot be looked at", path);
    else if (S_ISLNK(st.st_mode))
        rc = report_fail(r,
                         "%s is a symbolic link: a problem that workers judge must have "
                         "its files in its folder",
                         path);
    else if (S_ISREG(st.st_mode) && list->count == ARCHIVE_FILES_MAX)
        rc = report_fail(r,
                         "%s has more than %d files, which is the most of a problem "
                         "that workers judge",
                         folder, ARCHIVE_FILES_MAX);
    else if (S_ISREG(st.st_mode))
        list->name[list->count++] = xstrdup(name);
    free(path);
    return rc;
}

static int
names_read(const char *folder, struct names *list, struct report *r)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    int rc = 0;

    if (dir == NULL)
        return report_errno(r, "the problem's folder %s cannot be read", folder);
    while (rc == 0 && (e = readdir(dir)) != NULL)
        if (archive_name_is_safe(e->d_name))
            rc = names_add(list, folder, e->d_name, r);
    closedir(dir);
    qsort(list->name, (size_t)list->count, sizeof *list->name, names_compare);
    return rc;
}

static int
archive_add_file(cJSON *files, const char *folder, const char *name, size_t *left,
                 struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct buf bytes = {0};
    int rc = file_read(path, *left, &bytes, r);
    cJSON *item;

    if (rc == 0) {
        *left -= bytes.len;
        item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", name);
        json_add_bytes(item, "base64", buf_str(&bytes), bytes.len);
        cJSON_AddItemToArray(files, item);
    }
    buf_free(&bytes);
    free(path);
    return rc;
}

int
archive_pack(const char *dir, const char *slug, struct buf *out, struct report *r)
{
    char *folder = xasprintf("%s/%s", dir, slug), *text = NULL;
    struct names list = {0};
    size_t left = ARCHIVE_BYTES_MAX;
    cJSON *o = cJSON_CreateObject(), *files;
    int rc = names_read(folder, &list, r);

    cJSON_AddStringToObject(o, "problem", slug);
    files = cJSON_AddArrayToObject(o, "files");
    for (int i = 0; rc == 0 && i < list.count; i++)
        rc = archive_add_file(files, folder, list.name[i], &left, r);
    if (rc == 0) {
        text = cJSON_PrintUnformatted(o);
        if (text == NULL)
            die(4, "out of memory");
        buf_puts(out, text);
    }
    free(text);
    cJSON_Delete(o);
    names_free(&list);
    free(folder);
    return rc;
}

/* --- unpacking ---------------------------------------------------------- */

static int
archive_write_file(const cJSON *item, const char *folder, size_t *left, struct report *r)
{
    char *name = NULL, *text = NULL, *path = NULL;
    struct buf bytes = {0};
    int rc = -1;

    if (json_get_string(item, "name", &name, r) != 0 ||
        json_get_string(item, "base64", &text, r) != 0) {
        report_prefix(r, "a file of the problem");
    } else if (!archive_name_is_safe(name)) {
        report_fail(r, "a file of the problem has a name that no file may have");
    } else if (!base64_read(&bytes, text)) {
        report_fail(r, "%s of the problem is not base64", name);
    } else if (bytes.len > *left) {
        report_fail(r, "the problem is longer than %zu bytes", ARCHIVE_BYTES_MAX);
    } else {
        *left -= bytes.len;
        path = xasprintf("%s/%s", folder, name);
        rc = access(path, F_OK) == 0
                 ? report_fail(r, "the problem has two files named %s", name)
                 : file_write(path, buf_str(&bytes), bytes.len, r);
    }
    buf_free(&bytes);
    free(path);
    free(name);
    free(text);
    return rc;
}

static int
archive_write(const cJSON *o, const char *dir, const char *slug, struct report *r)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(o, "files"), *item;
    char *said = NULL, *folder;
    size_t left = ARCHIVE_BYTES_MAX;
    int rc;

    if (json_get_string(o, "problem", &said, r) != 0)
        return -1;
    rc = slug_is_valid(slug) && strcmp(said, slug) == 0 ? 0 : -1;
    free(said);
    if (rc != 0)
        return report_fail(r, "it is not the problem %s", slug);
    if (!cJSON_IsArray(files) || cJSON_GetArraySize(files) > ARCHIVE_FILES_MAX)
        return report_fail(r, "files is not an array of at most %d", ARCHIVE_FILES_MAX);
    folder = xasprintf("%s/%s", dir, slug);
    if (mkdir(folder, 0755) != 0)
        rc = report_errno(r, "the folder %s cannot be made", folder);
    cJSON_ArrayForEach(item, files)
    {
        if (rc == 0)
            rc = archive_write_file(item, folder, &left, r);
    }
    free(folder);
    return rc;
}

int
archive_unpack(const char *text, size_t len, const char *dir, const char *slug,
               struct report *r)
{
    cJSON *o = len <= ARCHIVE_TEXT_MAX ? json_parse(text, len, "the problem", r) : NULL;
    int rc;

    if (len > ARCHIVE_TEXT_MAX)
        return report_fail(r, "the problem is longer than %zu bytes", ARCHIVE_TEXT_MAX);
    rc = o != NULL ? archive_write(o, dir, slug, r) : -1;
    cJSON_Delete(o);
    return rc;
}
