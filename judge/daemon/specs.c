/* Loads specs, and keeps them until their file changes. */
#include "daemon/specs.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/kept_answer.h"
#include "problem/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What tells a file from an earlier one of the same path; all zeros for none. */
struct stamp {
    struct timespec modified;
    off_t bytes;
    ino_t inode;
};

/* What an answer about a problem is made of, beside its spec. */
struct sources_of_answer {
    struct stamp statement, starter;
    uint64_t devices; /* their generation */
};

struct spec {
    struct spec *next;
    char *slug;
    struct problem *problem; /* NULL: the file, as it was last read, is broken */
    int gpus;                /* of that problem; 0: it is broken; 1: it was never read */
    bool has_other_gpus;     /* than specs_take_other_gpus() has told */
    struct stamp json;       /* of problem.json when it was last read */
    struct kept_answer *answer; /* NULL: none is kept */
    struct sources_of_answer made_of;
};

struct specs {
    char *dir;
    bool (*hides)(void *arg, const char *slug); /* NULL: nothing is hidden */
    void *hides_arg;
    struct spec *first;
    bool any_has_other_gpus;
    uint64_t reads;           /* how many there were */
    struct kept_answer *list; /* of all problems; NULL: none is kept */
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
    kept_answer_free(spec->answer);
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
    kept_answer_free(s->list);
    free(s->dir);
    free(s);
}

const char *
specs_dir(const struct specs *s)
{
    return s->dir;
}

void
specs_set_hides(struct specs *s, bool (*hides)(void *arg, const char *slug), void *arg)
{
    s->hides = hides;
    s->hides_arg = arg;
}

/* A copy of the slug that was probably meant, which the caller frees; NULL where there is
 * none. */
static char *
specs_nearest(const struct specs *s, const char *meant)
{
    char **slugs = NULL, *copy = NULL;
    const char **named, *nearest;
    size_t names = 0;
    int count = 0;

    if (problem_list(s->dir, &slugs, &count, NULL) != 0)
        return NULL;
    named = xcalloc((size_t)count + 1, sizeof *named);
    for (int i = 0; i < count; i++)
        if (s->hides == NULL || !s->hides(s->hides_arg, slugs[i]))
            named[names++] = slugs[i];
    nearest = nearest_name(meant, named, names);
    if (nearest != NULL)
        copy = xstrdup(nearest);
    for (int i = 0; i < count; i++)
        free(slugs[i]);
    free(slugs);
    free(named);
    return copy;
}

void
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

static struct stamp
stamp_of(const struct stat *st)
{
    return (struct stamp){
        .modified = st->st_mtim, .bytes = st->st_size, .inode = st->st_ino};
}

static bool
stamps_are_same(const struct stamp *a, const struct stamp *b)
{
    return a->bytes == b->bytes && a->inode == b->inode &&
           a->modified.tv_sec == b->modified.tv_sec &&
           a->modified.tv_nsec == b->modified.tv_nsec;
}

static void
specs_drop_list(struct specs *s)
{
    kept_answer_free(s->list);
    s->list = NULL;
}

static struct spec *
specs_find(const struct specs *s, const char *slug)
{
    struct spec *spec = s->first;

    while (spec != NULL && strcmp(spec->slug, slug) != 0)
        spec = spec->next;
    return spec;
}

static const struct problem *
find_current(const struct specs *s, const char *slug, const struct stat *st)
{
    const struct spec *spec = specs_find(s, slug);
    const struct stamp now = stamp_of(st);

    return spec != NULL && stamps_are_same(&spec->json, &now) ? spec->problem : NULL;
}

static void
spec_reload(struct specs *s, struct spec *spec, const struct stat *st, struct report *r)
{
    const int known = spec->gpus;

    s->reads++;
    specs_drop_list(s);
    kept_answer_free(spec->answer);
    spec->answer = NULL;
    problem_free(spec->problem);
    spec->json = stamp_of(st);
    spec->problem = problem_load(s->dir, spec->slug, r);
    spec->gpus = spec->problem != NULL ? spec->problem->gpus : 0;
    spec->has_other_gpus |= spec->problem != NULL && spec->gpus != known;
    s->any_has_other_gpus |= spec->has_other_gpus;
}

static struct spec *
specs_add(struct specs *s, const char *slug)
{
    struct spec *spec = xcalloc(1, sizeof *spec);

    *spec = (struct spec){.next = s->first, .slug = xstrdup(slug), .gpus = 1};
    s->first = spec;
    return spec;
}

static bool
specs_stat(const struct specs *s, const char *slug, struct stat *st)
{
    char *path = xasprintf("%s/%s/problem.json", s->dir, slug);
    const bool exists = stat(path, st) == 0;

    free(path);
    return exists;
}

/* The problem, loaded again where its file has changed. NULL where there is none, without
 * a report, or where its spec is broken. */
static const struct problem *
specs_load(struct specs *s, const char *slug, bool *exists, struct report *r)
{
    const struct problem *current;
    struct spec *spec;
    struct stat st;

    *exists = slug_is_valid(slug) && specs_stat(s, slug, &st);
    if (!*exists)
        return NULL;
    current = find_current(s, slug, &st);
    if (current != NULL)
        return current;
    spec = specs_find(s, slug);
    if (spec == NULL)
        spec = specs_add(s, slug);
    spec_reload(s, spec, &st, r);
    return spec->problem;
}

const struct problem *
specs_get(struct specs *s, const char *slug, bool *exists, struct report *r)
{
    const struct problem *p = specs_load(s, slug, exists, r);

    if (!*exists)
        specs_report_unknown(s, slug, r);
    return p;
}

enum sources
specs_sources(struct specs *s, const char *slug)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_load(s, slug, &exists, &r);

    return p != NULL ? p->sources : SOURCES_OWNER;
}

/* --- changes that nobody has asked for ----------------------------------- */

void
specs_look(struct specs *s, int most)
{
    for (struct spec *spec = s->first; spec != NULL && most > 0; spec = spec->next) {
        struct report ignored = {0}; /* who asks for it is told */
        struct stamp now;
        struct stat st;

        if (!specs_stat(s, spec->slug, &st))
            continue;
        now = stamp_of(&st);
        if (stamps_are_same(&spec->json, &now))
            continue;
        spec_reload(s, spec, &st, &ignored);
        most--;
    }
}

const struct problem *
specs_take_other_gpus(struct specs *s)
{
    if (!s->any_has_other_gpus)
        return NULL;
    for (struct spec *spec = s->first; spec != NULL; spec = spec->next)
        if (spec->has_other_gpus && spec->problem != NULL) {
            spec->has_other_gpus = false;
            return spec->problem;
        }
    s->any_has_other_gpus = false;
    return NULL;
}

/* --- answers about one problem ------------------------------------------ */

static struct stamp
stamp_of_file(const char *folder, const char *name)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct stat st;
    const bool is_there = stat(path, &st) == 0;

    free(path);
    return is_there ? stamp_of(&st) : (struct stamp){0};
}

struct kept_answer *
specs_answer(struct specs *s, const char *slug, uint64_t devices)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_load(s, slug, &exists, &r);
    struct spec *spec = p != NULL ? specs_find(s, slug) : NULL;
    struct sources_of_answer now;

    if (spec == NULL)
        return NULL;
    now =
        (struct sources_of_answer){.statement = stamp_of_file(p->folder, "statement.md"),
                                   .starter = stamp_of_file(p->folder, "starter.cu"),
                                   .devices = devices};
    if (spec->answer != NULL && now.devices == spec->made_of.devices &&
        stamps_are_same(&now.statement, &spec->made_of.statement) &&
        stamps_are_same(&now.starter, &spec->made_of.starter))
        return spec->answer;
    kept_answer_free(spec->answer);
    spec->answer = NULL;
    spec->made_of = now;
    return NULL;
}

struct kept_answer *
specs_keep_answer(struct specs *s, const char *slug, const char *text)
{
    struct spec *spec = specs_find(s, slug);

    kept_answer_free(spec->answer);
    spec->answer = kept_answer_new(text);
    return spec->answer;
}

/* --- the list ----------------------------------------------------------- */

/* Is each of the folders' specs as it was when it was loaded? A broken spec is never
 * current, so that a list with one is made anew. */
static bool
specs_are_current(const struct specs *s, char **slugs, int count)
{
    for (int i = 0; i < count; i++) {
        struct stat st;

        if (!specs_stat(s, slugs[i], &st) || find_current(s, slugs[i], &st) == NULL)
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

struct kept_answer *
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
    s->list = kept_answer_new(text);
    s->listed = count;
    s->list_checked_ns = now_ns();
}

uint64_t
specs_reads(const struct specs *s)
{
    return s->reads;
}
