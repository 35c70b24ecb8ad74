/* The API's answers about the judge's health and about problems. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/kept_answer.h"
#include "daemon/pages.h"
#include "daemon/problem_json.h"
#include "daemon/queue.h"
#include "daemon/quota.h"
#include "daemon/slices.h"
#include "daemon/specs.h"
#include "daemon/starter.h"
#include "problem/names.h"
#include "problem/problem.h"
#include "sandbox/cgroup.h"
#include "sandbox/ids.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API_VERSION 1
#define PROBLEMS_LETTER 'p'
#define STATEMENT_BYTES_MAX ((size_t)1 << 20)

static const char *
or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void
add_ids(cJSON *o, const struct daemon *d)
{
    char *text;

    if (d->settings.insecure)
        return;
    text = ids_text();
    cJSON_AddStringToObject(o, "ids", text);
    if (report_is_set(&d->no_ids))
        cJSON_AddStringToObject(o, "no_ids", d->no_ids.text);
    free(text);
}

void
api_health(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct report r = {0};
    cJSON *o = cJSON_CreateObject(), *list, *quota = NULL;

    cJSON_AddStringToObject(o, "version", WARPJUDGE_VERSION);
    cJSON_AddNumberToObject(o, "api", API_VERSION);
    cJSON_AddNumberToObject(o, "pid", getpid());
    list = cJSON_AddArrayToObject(o, "devices");
    for (int i = 0; i < d->devices.count; i++) {
        const struct device_entry *e = &d->devices.entry[i];
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "name", e->name);
        cJSON_AddStringToObject(item, "board", e->board);
        cJSON_AddStringToObject(item, "title", e->title);
        cJSON_AddStringToObject(item, "arch", e->arch);
        cJSON_AddNumberToObject(item, "memory_bytes", (double)e->memory_bytes);
        cJSON_AddBoolToObject(item, "busy", queue_device_busy(d->queue, e->name));
        cJSON_AddItemToArray(list, item);
    }
    cJSON_AddStringToObject(o, "default_device", d->devices.entry[0].name);
    cJSON_AddNumberToObject(o, "queued", (double)queue_length(d->queue));
    if (queue_trouble(d->queue) != NULL)
        cJSON_AddStringToObject(o, "trouble", queue_trouble(d->queue));
    cJSON_AddBoolToObject(o, "insecure", d->settings.insecure);
    cJSON_AddStringToObject(o, "limits", cgroups_name());
    if (report_is_set(&d->no_groups))
        cJSON_AddStringToObject(o, "no_groups", d->no_groups.text);
    add_ids(o, d);
    if (quota_show(c, &quota, &r) != 0) {
        cJSON_Delete(o);
        reply_failure(c, &r);
        return;
    }
    if (quota != NULL)
        cJSON_AddItemToObject(o, "quota", quota);
    reply_json(c, 200, o);
}

/* --- problems ----------------------------------------------------------- */

static void
add_tags(cJSON *o, const struct problem *p)
{
    cJSON *tags = cJSON_AddArrayToObject(o, "tags");

    for (int i = 0; i < p->tag_count; i++)
        cJSON_AddItemToArray(tags, cJSON_CreateString(p->tags[i]));
}

static cJSON *
problem_line(struct specs *specs, const char *slug)
{
    cJSON *o = cJSON_CreateObject();
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(specs, slug, &exists, &r);

    cJSON_AddStringToObject(o, "slug", slug);
    if (p != NULL) {
        cJSON_AddStringToObject(o, "title", or_empty(p->title));
        cJSON_AddStringToObject(o, "difficulty", or_empty(p->difficulty));
        add_tags(o, p);
    } else {
        cJSON_AddStringToObject(o, "title", slug);
        cJSON_AddStringToObject(o, "difficulty", "");
        cJSON_AddArrayToObject(o, "tags");
        cJSON_AddStringToObject(o, "error", r.text);
    }
    return o;
}

/* The list of problems, or a page of it, while it is made. The text of the whole is kept
 * for the calls that follow. */
struct listed {
    struct specs *specs;
    char **slugs;
    int count, first, next, end;
    struct buf text;
};

static void
listed_free(void *arg)
{
    struct listed *l = arg;

    for (int i = 0; i < l->count; i++)
        free(l->slugs[i]);
    free(l->slugs);
    buf_free(&l->text);
    free(l);
}

/* Adds one problem, whose spec may have to be loaded. */
static int
listed_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct listed *l = arg;
    const size_t begin = l->text.len;

    (void)r;
    if (begin == 0)
        buf_puts(&l->text, "{\"problems\":[");
    if (l->next < l->end) {
        buf_puts(&l->text, l->next > l->first ? "," : "");
        buf_add_json(&l->text, problem_line(l->specs, l->slugs[l->next]));
        l->next++;
    }
    *more = l->next < l->end;
    if (!*more)
        buf_puts(&l->text, "]}\n");
    buf_add(body, l->text.data + begin, l->text.len - begin);
    if (!*more && l->first == 0 && l->end == l->count)
        specs_keep_list(l->specs, buf_str(&l->text), l->count);
    return 0;
}

/* Sets which problems the page has: those behind a slug, which need not be there. */
static void
listed_take_page(struct http_call *c, struct listed *l, const struct page *page)
{
    char slug[PAGE_KEY_MAX + 1] = "";

    memcpy(slug, page->key, page->len);
    while (page->follows && l->first < l->count && strcmp(l->slugs[l->first], slug) <= 0)
        l->first++;
    l->next = l->first;
    l->end = l->count;
    if (page->limit < l->count - l->first) {
        l->end = l->first + (int)page->limit;
        page_add_next(c, PROBLEMS_LETTER, l->slugs[l->end - 1],
                      strlen(l->slugs[l->end - 1]));
    }
}

void
api_problems(struct http_call *c)
{
    static const struct slices_maker MAKER = {listed_next, listed_free};
    struct specs *specs = c->daemon->specs;
    struct kept_answer *kept = specs_list(specs);
    struct report r = {0};
    struct listed *l;
    struct page page;

    if (!page_take(c, PROBLEMS_LETTER, INT64_MAX, &page))
        return;
    if (kept != NULL && !page.follows && page.limit == INT64_MAX) {
        reply_kept(c, kept);
        return;
    }
    l = xcalloc(1, sizeof *l);
    l->specs = specs;
    if (problem_list(specs_dir(specs), &l->slugs, &l->count, &r) != 0) {
        reply_failure(c, &r);
        listed_free(l);
        return;
    }
    listed_take_page(c, l, &page);
    reply_slices(c, &MAKER, l);
}

const struct problem *
api_asked_problem(struct http_call *c)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(c->daemon->specs, c->arg[0], &exists, &r);

    if (p == NULL && !exists)
        reply_problem(c, ERROR_NO_SUCH_PROBLEM, NULL, "%s", r.text);
    else if (p == NULL)
        reply_failure(c, &r);
    return p;
}

static void
add_taken_string(cJSON *o, const char *key, char *text)
{
    cJSON_AddStringToObject(o, key, text);
    free(text);
}

static int
api_read_statement(const struct problem *p, struct buf *out, struct report *r)
{
    char *path = xasprintf("%s/statement.md", p->folder);
    int rc = access(path, F_OK) == 0 ? file_read(path, STATEMENT_BYTES_MAX, out, r) : 0;

    free(path);
    return rc;
}

/* Adds, for each device of this machine on which the problem is not judged, the
 * reason. */
static void
add_refusals(cJSON *o, const struct devices *d, const struct problem *p)
{
    cJSON *list = cJSON_AddArrayToObject(o, "refused");

    for (int i = 0; i < d->count; i++) {
        struct report r = {0};

        if (devices_take(d, &d->entry[i], p, &r) != 0)
            cJSON_AddItemToArray(list, cJSON_CreateString(r.text));
    }
}

/* Adds the JSON of a problem. */
static int
problem_text(const struct devices *devices, const struct problem *p, enum sources sources,
             struct buf *text, struct report *r)
{
    struct buf statement = {0};
    char *starter = starter_text(p, r);
    cJSON *o, *benchmark;

    if (starter == NULL || api_read_statement(p, &statement, r) != 0) {
        free(starter);
        return -1;
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "slug", p->slug);
    cJSON_AddStringToObject(o, "title", or_empty(p->title));
    cJSON_AddStringToObject(o, "difficulty", or_empty(p->difficulty));
    add_tags(o, p);
    add_taken_string(o, "signature", problem_signature(p));
    cJSON_AddStringToObject(o, "statement", buf_str(&statement));
    add_taken_string(o, "starter", starter);
    cJSON_AddNumberToObject(o, "tests", p->test_count);
    cJSON_AddNumberToObject(o, "gpus", p->gpus);
    benchmark = cJSON_AddObjectToObject(o, "benchmark");
    add_taken_string(benchmark, "cuda", problem_sizes_text(p, &p->benchmark_cuda));
    add_taken_string(benchmark, "emu", problem_sizes_text(p, &p->benchmark_emu));
    problem_json_add(o, p, devices, buf_str(&statement));
    add_refusals(o, devices, p);
    cJSON_AddStringToObject(o, "sources", sources_name(sources));
    buf_free(&statement);
    buf_add_json(text, o);
    buf_puts(text, "\n");
    return 0;
}

/* Makes the answer about a problem, which is kept. NULL after having answered. */
static struct kept_answer *
problem_answer(struct http_call *c)
{
    struct daemon *d = c->daemon;
    /* It may load the spec anew, so that it is asked before the problem is. */
    const enum sources sources = rights_sources(d, c->arg[0]);
    const struct problem *p = api_asked_problem(c);
    struct kept_answer *made = NULL;
    struct buf text = {0};
    struct report r = {0};

    if (p == NULL)
        return NULL;
    if (problem_text(&d->devices, p, sources, &text, &r) == 0)
        made = specs_keep_answer(d->specs, p->slug, buf_str(&text));
    else
        reply_failure(c, &r);
    buf_free(&text);
    return made;
}

void
api_problem(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct kept_answer *answer = specs_answer(d->specs, c->arg[0], d->devices.generation);

    if (answer == NULL)
        answer = problem_answer(c);
    if (answer != NULL)
        reply_kept(c, answer);
}
