#include "problem/after_check.h"

#include "base/buf.h"
#include "base/json.h"
#include "problem/names.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPEC_BYTES_MAX ((size_t)1 << 20)

struct after_check {
    const char *dir;
    const struct problem *problem;
    problem_error_fn *on_error;
    void *context;
    int errors;
    char **seen; /* the slugs that the walk has come to */
    size_t seen_count;
};

static void
after_fail(struct after_check *c, int index, char *sentence)
{
    char *where = xasprintf("problem.json: $.after[%d]", index);

    c->errors++;
    c->on_error(c->context, where, sentence);
    free(where);
    free(sentence);
}

static char *
spec_path(const char *dir, const char *slug)
{
    return xasprintf("%s/%s/problem.json", dir, slug);
}

static bool
is_there(const char *dir, const char *slug)
{
    char *path = spec_path(dir, slug);
    const bool there = slug_is_valid(slug) && access(path, F_OK) == 0;

    free(path);
    return there;
}

/* The sentence about a problem that is not there. The caller frees. */
static char *
missing_sentence(const char *dir, const char *slug)
{
    struct report r = {0};
    char **slugs = NULL, *sentence;
    const char *meant = NULL;
    int count = 0;

    if (problem_list(dir, &slugs, &count, &r) == 0)
        meant = nearest_name(slug, (const char *const *)slugs, (size_t)count);
    sentence = meant != NULL
                   ? xasprintf("there is no problem \"%.80s\": did you mean \"%s\"?",
                               slug, meant)
                   : xasprintf("there is no problem \"%.80s\" in the same folder", slug);
    for (int i = 0; i < count; i++)
        free(slugs[i]);
    free(slugs);
    return sentence;
}

/* Notes that the walk has come to a problem. False where it was there before. */
static bool
walk_note(struct after_check *c, const char *slug)
{
    for (size_t i = 0; i < c->seen_count; i++)
        if (strcmp(c->seen[i], slug) == 0)
            return false;
    c->seen = xrealloc(c->seen, (c->seen_count + 1) * sizeof *c->seen);
    c->seen[c->seen_count++] = xstrdup(slug);
    return true;
}

/* Does a way lead from a problem back to the one that is checked? Then `way` gets it, as
 * "b, which comes after c, which comes after a". A spec that cannot be read leads
 * nowhere: its own check says so. */
static bool
walk_back(struct after_check *c, const char *slug, struct buf *way)
{
    char *path = spec_path(c->dir, slug);
    struct report ignored = {0};
    cJSON *root = json_read_file(path, SPEC_BYTES_MAX, &ignored);
    const cJSON *after = cJSON_GetObjectItemCaseSensitive(root, "after");
    const cJSON *name;
    bool found = false;

    if (!cJSON_IsArray(after))
        after = NULL;
    cJSON_ArrayForEach(name, after)
    {
        struct buf rest = {0};

        if (found || !cJSON_IsString(name) || !slug_is_valid(name->valuestring))
            continue;
        if (strcmp(name->valuestring, c->problem->slug) == 0) {
            buf_puts(&rest, name->valuestring);
            found = true;
        } else if (walk_note(c, name->valuestring)) {
            found = walk_back(c, name->valuestring, &rest);
        }
        if (found)
            buf_printf(way, "%s, which comes after %s", slug, buf_str(&rest));
        buf_free(&rest);
    }
    cJSON_Delete(root);
    free(path);
    return found;
}

static void
check_one(struct after_check *c, int index)
{
    const char *slug = c->problem->after[index];
    struct buf way = {0};

    for (int i = 0; i < index; i++)
        if (strcmp(c->problem->after[i], slug) == 0) {
            after_fail(c, index, xasprintf("the problem \"%.80s\" is there twice", slug));
            return;
        }
    if (strcmp(slug, c->problem->slug) == 0)
        after_fail(c, index, xstrdup("a problem does not come after itself"));
    else if (!is_there(c->dir, slug))
        after_fail(c, index, missing_sentence(c->dir, slug));
    else if (walk_note(c, slug) && walk_back(c, slug, &way))
        after_fail(c, index,
                   xasprintf("the order is a circle: %s comes after %s", c->problem->slug,
                             buf_str(&way)));
    buf_free(&way);
}

int
after_check(const char *dir, const struct problem *p, problem_error_fn *on_error,
            void *context)
{
    struct after_check c = {
        .dir = dir, .problem = p, .on_error = on_error, .context = context};

    for (int i = 0; i < p->after_count; i++)
        check_one(&c, i);
    for (size_t i = 0; i < c.seen_count; i++)
        free(c.seen[i]);
    free(c.seen);
    return c.errors;
}
