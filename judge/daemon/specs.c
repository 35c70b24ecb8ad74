#include "daemon/specs.h"

#include "core/buf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SLUG_BYTES_MAX 64

struct spec {
    struct spec *next;
    char *slug;
    struct problem *problem;
    /* Of problem.json, when it was loaded. */
    struct timespec modified;
    off_t bytes;
    ino_t inode;
};

struct specs {
    char *dir;
    struct spec *first;
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
    free(s->dir);
    free(s);
}

const char *
specs_dir(const struct specs *s)
{
    return s->dir;
}

/* Nothing that could leave the problems' folder or hide in it. */
static bool
is_slug(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= SLUG_BYTES_MAX && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* Levenshtein's distance, one row at a time. */
static size_t
distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[SLUG_BYTES_MAX * 4 + 1];

    if (n >= sizeof row / sizeof *row)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

/* A slug near enough to be what was meant, or that begins with it; NULL: none. The caller
 * frees. */
static char *
nearest_slug(const struct specs *s, const char *meant)
{
    char **slugs = NULL, *nearest = NULL;
    int count = 0;
    size_t best = strlen(meant) / 3 + 2;

    if (strlen(meant) > SLUG_BYTES_MAX || problem_list(s->dir, &slugs, &count, NULL) != 0)
        return NULL;
    for (int i = 0; i < count; i++) {
        size_t d = distance(slugs[i], meant);

        if (strlen(meant) >= 3 && strncmp(slugs[i], meant, strlen(meant)) == 0)
            d = 1;
        if (d < best) {
            best = d;
            free(nearest);
            nearest = xstrdup(slugs[i]);
        }
        free(slugs[i]);
    }
    free(slugs);
    return nearest;
}

static void
report_unknown(const struct specs *s, const char *slug, struct report *r)
{
    char *nearest = nearest_slug(s, slug);

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
forget(struct specs *s, const char *slug)
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
    char *path = is_slug(slug) ? xasprintf("%s/%s/problem.json", s->dir, slug) : NULL;
    const struct problem *current;
    struct problem *loaded;
    struct spec *spec;
    struct stat st;

    *exists = path != NULL && stat(path, &st) == 0;
    free(path);
    if (!*exists) {
        report_unknown(s, slug, r);
        return NULL;
    }
    current = find_current(s, slug, &st);
    if (current != NULL)
        return current;
    forget(s, slug);
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
