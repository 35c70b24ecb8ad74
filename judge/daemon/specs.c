/* Loads specs, and keeps them until their file changes. */
#include "daemon/specs.h"

#include "base/buf.h"
#include "base/file.h"
#include "problem/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct spec {
    struct spec *next;
    char *slug;
    struct problem *problem;
    /* What problem.json was when it was loaded. */
    struct timespec modified;
    off_t bytes;
    ino_t inode;
};

struct specs {
    char *dir;
    struct spec *first;
    char *list;               /* of all problems; NULL: none is kept */
    int listed;               /* how many problems there were */
    uint64_t list_checked_ns; /* CLOCK_MONOTONIC */
};

struct specs *
specs_new(const char *problems_dir)
{
    struct specs *s = xcalloc(1, sizeof *s);

    s->dir = xstrdup(problems_dir);
    return s;
}

static void
spec_free(struct spec *spec)
{
    problem_free(spec->problem);
    free(spec->slug);
    free(spec);
}

void
specs_free(struct specs *s)
{
    struct spec *next;

    if (s == NULL)
        return;
    for (struct spec *spec = s->first; spec != NULL; spec = next) {
        next = spec->next;
        spec_free(spec);
    }
    free(s->list);
    free(s->dir);
    free(s);
}

const char *
specs_dir(const struct specs *s)
{
    return s->dir;
}

/* A copy of the slug that was probably meant, which the caller frees; NULL where there is
 * none. */
static char *
specs_nearest(const struct specs *s, const char *meant)
{
    char **slugs = NULL, *copy = NULL;
    const char *nearest;
    int count = 0;

    if (problem_list(s->dir, &slugs, &count, NULL) != 0)
        return NULL;
    nearest = nearest_name(meant, (const char *const *)slugs, (size_t)count);
    if (nearest != NULL)
        copy = xstrdup(nearest);
    for (int i = 0; i < count; i++)
        free(slugs[i]);
    free(slugs);
    return copy;
}

static void
specs_report_unknown(const struct specs *s, const char *slug, struct report *r)
{
    char *nearest = specs_nearest(s, slug);

    if (nearest != NULL)
        report_fail(r, "there is no problem \"%.80s\": did you mean \"%s\"?", slug,
                    nearest);
    else
        report_fail(r, "there is no problem \"%.80s\": `warpjudge problems` lists them",
                    slug);
    free(nearest);
}

static bool
is_current(const struct spec *spec, const struct stat *st)
{
    return spec->bytes == st->st_size && spec->inode == st->st_ino &&
           spec->modified.tv_sec == st->st_mtim.tv_sec &&
           spec->modified.tv_nsec == st->st_mtim.tv_nsec;
}

static void
specs_forget(struct specs *s, const char *slug)
{
    struct spec **at = &s->first;

    while (*at != NULL && strcmp((*at)->slug, slug) != 0)
        at = &(*at)->next;
    if (*at != NULL) {
        struct spec *old = *at;

        *at = old->next;
        spec_free(old);
    }
}

static void
specs_drop_list(struct specs *s)
{
    free(s->list);
    s->list = NULL;
}

static const struct problem *
find_current(const struct specs *s, const char *slug, const struct stat *st)
{
    for (const struct spec *spec = s->first; spec != NULL; spec = spec->next)
        if (strcmp(spec->slug, slug) == 0)
            return is_current(spec, st) ? spec->problem : NULL;
    return NULL;
}

const struct problem *
specs_get(struct specs *s, const char *slug, bool *exists, struct report *r)
{
    char *path =
        slug_is_valid(slug) ? xasprintf("%s/%s/problem.json", s->dir, slug) : NULL;
    const struct problem *current;
    struct problem *loaded;
    struct spec *spec;
    struct stat st;

    *exists = path != NULL && stat(path, &st) == 0;
    free(path);
    if (!*exists) {
        specs_report_unknown(s, slug, r);
        return NULL;
    }
    current = find_current(s, slug, &st);
    if (current != NULL)
        return current;
    specs_drop_list(s);
    specs_forget(s, slug);
    loaded = problem_load(s->dir, slug, r);
    if (loaded == NULL)
        return NULL;
    spec = xcalloc(1, sizeof *spec);
    *spec = (struct spec){.next = s->first,
                          .slug = xstrdup(slug),
                          .problem = loaded,
                          .modified = st.st_mtim,
                          .bytes = st.st_size,
                          .inode = st.st_ino};
    s->first = spec;
    return loaded;
}

enum sources
specs_sources(struct specs *s, const char *slug)
{
    char *path =
        slug_is_valid(slug) ? xasprintf("%s/%s/problem.json", s->dir, slug) : NULL;
    const struct problem *p = NULL;
    struct report r = {0};
    bool exists;

    /* specs_get() would look for the nearest slug of one that is not there. */
    if (path != NULL && access(path, F_OK) == 0)
        p = specs_get(s, slug, &exists, &r);
    free(path);
    return p != NULL ? p->sources : SOURCES_OWNER;
}

/* --- the list ----------------------------------------------------------- */

/* Is each of the folders' specs as it was when it was loaded? A spec that does not load
 * is not kept, so that a list with one is made anew. */
static bool
specs_are_current(const struct specs *s, char **slugs, int count)
{
    for (int i = 0; i < count; i++) {
        char *path = xasprintf("%s/%s/problem.json", s->dir, slugs[i]);
        struct stat st;
        const bool current = stat(path, &st) == 0 && find_current(s, slugs[i], &st);

        free(path);
        if (!current)
            return false;
    }
    return true;
}

static bool
specs_list_is_current(const struct specs *s)
{
    char **slugs = NULL;
    int count = 0;
    bool current = false;

    if (problem_list(s->dir, &slugs, &count, NULL) == 0)
        current = count == s->listed && specs_are_current(s, slugs, count);
    for (int i = 0; i < count; i++)
        free(slugs[i]);
    free(slugs);
    return current;
}

const char *
specs_list(struct specs *s)
{
    const uint64_t now = now_ns();

    if (s->list != NULL && now - s->list_checked_ns >= LIST_CHECK_MS * 1000000u) {
        s->list_checked_ns = now;
        if (!specs_list_is_current(s))
            specs_drop_list(s);
    }
    return s->list;
}

void
specs_keep_list(struct specs *s, const char *text, int count)
{
    specs_drop_list(s);
    s->list = xstrdup(text);
    s->listed = count;
    s->list_checked_ns = now_ns();
}
