/* Finds the steps of a ladder, and reads the headers of their files. */
#include "problem/ladder.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A line that begins so goes on with the value of the line before. */
#define GOES_ON "//   "

static bool
is_source(const char *name)
{
    const size_t len = strlen(name);

    return len > strlen(".cu") && strcmp(name + len - strlen(".cu"), ".cu") == 0;
}

int
ladder_number(const char *name)
{
    if (strlen(name) < strlen("1-x.cu") || name[0] < '1' || name[0] > '9' ||
        name[1] != '-' || !is_source(name))
        return 0;
    return name[0] - '0';
}

char *
ladder_name(const char *filename)
{
    char *name = xstrdup(filename + (ladder_number(filename) > 0 ? strlen("2-") : 0));

    name[strlen(name) - strlen(".cu")] = '\0';
    return name;
}

/* Opens the folder of a problem's solutions; *d is NULL where there is none. */
static int
open_solutions(const char *problems_dir, const char *slug, struct ladder *l, DIR **d,
               struct report *r)
{
    *l = (struct ladder){.folder = xasprintf("%s/../solutions/%s", problems_dir, slug)};
    *d = opendir(l->folder);
    if (*d != NULL || errno == ENOENT || errno == ENOTDIR)
        return 0;
    report_errno(r, "%s cannot be read", l->folder);
    ladder_free(l);
    return -1;
}

int
ladder_find(const char *problems_dir, const char *slug, struct ladder *out,
            struct report *r)
{
    const struct dirent *e;
    struct ladder l;
    DIR *d;

    if (open_solutions(problems_dir, slug, &l, &d, r) != 0)
        return -1;
    while (d != NULL && (e = readdir(d)) != NULL) {
        const int number = ladder_number(e->d_name);
        char **name = number > 0 ? &l.filename[number - 1] : NULL;

        /* Of two files with one number it is always the same that counts. */
        if (name == NULL || (*name != NULL && strcmp(*name, e->d_name) < 0))
            continue;
        free(*name);
        *name = xstrdup(e->d_name);
    }
    if (d != NULL)
        closedir(d);
    while (l.count < LADDER_STEPS_MAX && l.filename[l.count] != NULL)
        l.count++;
    *out = l;
    return 0;
}

void
ladder_free(struct ladder *l)
{
    for (int k = 0; k < LADDER_STEPS_MAX; k++)
        free(l->filename[k]);
    free(l->folder);
    *l = (struct ladder){0};
}

static bool
begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* The value of the line `// KEY: value` among the comments at the head of a source, with
 * the lines on which it goes on. NULL where there is no such line. The caller frees. */
static char *
header_value(const char *source, const char *key)
{
    char *start = xasprintf("// %s: ", key);
    struct buf value = {0};
    bool inside = false;

    for (const char *line = source; begins(line, "//");) {
        const size_t len = strcspn(line, "\r\n");
        const bool found = !inside && value.len == 0 && begins(line, start);

        inside = found || (inside && begins(line, GOES_ON));
        if (inside) {
            const size_t from = found ? strlen(start) : strlen(GOES_ON);

            buf_puts(&value, value.len > 0 ? " " : "");
            buf_add(&value, line + from, len - from);
        }
        line += len;
        line += strspn(line, "\r\n");
    }
    free(start);
    return value.len > 0 ? buf_take(&value) : NULL;
}

int
ladder_read(const struct ladder *l, int number, struct ladder_step *out, struct report *r)
{
    char *path = xasprintf("%s/%s", l->folder, l->filename[number - 1]);
    struct buf text = {0};
    int rc = file_read(path, SOURCE_BYTES_MAX, &text, r);

    if (rc == 0 && (utf8_prefix(buf_str(&text), text.len) != text.len ||
                    strlen(buf_str(&text)) != text.len))
        rc = report_fail(r, "%s is no text in UTF-8", path);
    if (rc == 0) {
        const char *source = buf_str(&text);

        *out = (struct ladder_step){.idea = header_value(source, "idea"),
                                    .needs = header_value(source, "needs"),
                                    .measured = header_value(source, "H200"),
                                    .not_modelled = header_value(source, "not-modelled"),
                                    .expect = header_value(source, "expect")};
        out->source = buf_take(&text);
    }
    buf_free(&text);
    free(path);
    return rc;
}

void
ladder_step_free(struct ladder_step *s)
{
    free(s->source);
    free(s->idea);
    free(s->needs);
    free(s->measured);
    free(s->not_modelled);
    free(s->expect);
    *s = (struct ladder_step){0};
}

/* --- without a ladder ---------------------------------------------------- */

/* Does `name` go before the one that was found so far, which may be NULL? */
static bool
goes_first(const char *name, const char *found)
{
    if (found == NULL || strcmp(name, "naive.cu") == 0)
        return true;
    return strcmp(found, "naive.cu") != 0 && strcmp(name, found) < 0;
}

/* Makes a file the only step where its header says that it is right. */
static int
take_if_right(struct ladder *l, const char *name, struct report *r)
{
    struct ladder one = {.folder = l->folder, .filename = {(char *)(uintptr_t)name}};
    struct ladder_step step;

    if (!is_source(name) || !goes_first(name, l->filename[0]))
        return 0;
    if (ladder_read(&one, 1, &step, r) != 0)
        return -1;
    if (step.expect != NULL && strcmp(step.expect, "accepted") == 0) {
        free(l->filename[0]);
        l->filename[0] = xstrdup(name);
        l->count = 1;
    }
    ladder_step_free(&step);
    return 0;
}

int
ladder_find_right(const char *problems_dir, const char *slug, struct ladder *out,
                  struct report *r)
{
    const struct dirent *e;
    struct ladder l;
    DIR *d;
    int rc = 0;

    if (ladder_find(problems_dir, slug, out, r) != 0)
        return -1;
    if (out->count > 0)
        return 0;
    ladder_free(out);
    if (open_solutions(problems_dir, slug, &l, &d, r) != 0)
        return -1;
    while (rc == 0 && d != NULL && (e = readdir(d)) != NULL)
        rc = take_if_right(&l, e->d_name, r);
    if (d != NULL)
        closedir(d);
    if (rc != 0)
        ladder_free(&l);
    else
        *out = l;
    return rc;
}
