/* The API's answers about the judge's health and about one problem. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/kept_answer.h"
#include "daemon/listen.h"
#include "daemon/problem_json.h"
#include "daemon/queue.h"
#include "daemon/quota.h"
#include "daemon/slurm/slurm.h"
#include "daemon/specs.h"
#include "daemon/starter.h"
#include "daemon/workers.h"
#include "problem/names.h"
#include "problem/problem.h"
#include "sandbox/cgroup.h"
#include "sandbox/ids.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API_VERSION 1
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

/* Adds where a browser of this machine finds the pages, if it does. */
static void
add_pages(cJSON *o, const struct daemon *d)
{
    char *url;

    if (d->port == 0)
        return;
    url = listen_url(d->settings.listen, d->port);
    cJSON_AddStringToObject(o, "pages", url);
    free(url);
}

static void
add_devices(cJSON *o, const struct http_call *c)
{
    struct daemon *d = c->daemon;
    cJSON *list = cJSON_AddArrayToObject(o, "devices");

    for (int i = 0; i < d->devices.count; i++) {
        const struct device_entry *e = &d->devices.entry[i];
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "name", e->name);
        cJSON_AddStringToObject(item, "board", e->board);
        cJSON_AddStringToObject(item, "title", e->title);
        cJSON_AddStringToObject(item, "arch", e->arch);
        if (e->driver[0] != '\0' && c->who.role != ROLE_GUEST)
            cJSON_AddStringToObject(item, "driver", e->driver);
        if (e->models[0] != '\0')
            cJSON_AddStringToObject(item, "models", e->models);
        cJSON_AddNumberToObject(item, "memory_bytes", (double)e->memory_bytes);
        cJSON_AddBoolToObject(item, "busy", queue_device_busy(d->queue, e->name));
        if (e->remote)
            cJSON_AddNumberToObject(item, "workers",
                                    workers_board(d->workers, e->board)->live);
        cJSON_AddItemToArray(list, item);
    }
}

void
api_health(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct report r = {0};
    cJSON *o = cJSON_CreateObject(), *quota = NULL;

    cJSON_AddStringToObject(o, "version", WARPJUDGE_VERSION);
    cJSON_AddNumberToObject(o, "api", API_VERSION);
    cJSON_AddNumberToObject(o, "pid", getpid());
    add_devices(o, c);
    if (d->config.toolkit != NULL && c->who.role != ROLE_GUEST)
        cJSON_AddStringToObject(o, "toolkit", d->config.toolkit);
    cJSON_AddStringToObject(o, "default_device", d->devices.entry[0].name);
    cJSON_AddNumberToObject(o, "queued", (double)queue_length(d->queue));
    if (queue_trouble(d->queue) != NULL)
        cJSON_AddStringToObject(o, "trouble", queue_trouble(d->queue));
    cJSON_AddBoolToObject(o, "insecure", d->settings.insecure);
    cJSON_AddStringToObject(o, "limits", cgroups_name());
    if (report_is_set(&d->no_groups))
        cJSON_AddStringToObject(o, "no_groups", d->no_groups.text);
    add_ids(o, d);
    add_pages(o, d);
    if (quota_show(c, &quota, &r) != 0) {
        cJSON_Delete(o);
        reply_failure(c, &r);
        return;
    }
    if (quota != NULL)
        cJSON_AddItemToObject(o, "quota", quota);
    if (d->slurm != NULL && rights_see_cluster(&c->who))
        cJSON_AddItemToObject(o, "slurm", slurm_json(d->slurm));
    reply_json(c, 200, o);
}

/* --- problems ----------------------------------------------------------- */

const struct problem *
api_asked_problem(struct http_call *c)
{
    struct report r = {0};
    bool exists;
    const struct problem *p =
        hiding_get(c->daemon->hiding, &c->who, c->arg[0], &exists, &r);

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

/* The JSON of a problem. */
static cJSON *
problem_object(const struct devices *devices, const struct problem *p,
               enum sources sources, struct report *r)
{
    struct buf statement = {0};
    char *starter = starter_text(p, r);
    cJSON *o, *benchmark;

    if (starter == NULL || api_read_statement(p, &statement, r) != 0) {
        free(starter);
        return NULL;
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "slug", p->slug);
    cJSON_AddStringToObject(o, "title", or_empty(p->title));
    cJSON_AddStringToObject(o, "difficulty", or_empty(p->difficulty));
    problem_json_add_words(o, p);
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
    return o;
}

/* Does the problem come after one that is hidden from who asks? -1 where the store fails.
 */
static int
comes_after_hidden(struct http_call *c, const struct problem *p, bool *does,
                   struct report *r)
{
    *does = false;
    for (int i = 0; i < p->after_count && !*does; i++)
        if (hiding_hides(c->daemon->hiding, &c->who, p->after[i], does, r) != 0)
            return -1;
    return 0;
}

/* Answers without what is hidden. That is not kept, because it is not for everybody. */
static void
answer_without_hidden(struct http_call *c)
{
    struct daemon *d = c->daemon;
    const enum sources sources = rights_sources(d, c->arg[0]);
    const struct problem *p = api_asked_problem(c);
    struct report r = {0};
    cJSON *o;

    if (p == NULL)
        return;
    o = problem_object(&d->devices, p, sources, &r);
    if (o != NULL &&
        hiding_filter_json(d->hiding, &c->who,
                           cJSON_GetObjectItemCaseSensitive(o, "after"), &r) == 0) {
        reply_json(c, 200, o);
        return;
    }
    cJSON_Delete(o);
    reply_failure(c, &r);
}

/* Sees who asks the problem with all that it names? False after having answered. */
static bool
sees_all_of_problem(struct http_call *c)
{
    const struct problem *p = api_asked_problem(c);
    struct report r = {0};
    bool hidden;

    if (p == NULL)
        return false;
    if (comes_after_hidden(c, p, &hidden, &r) != 0)
        reply_failure(c, &r);
    else if (hidden)
        answer_without_hidden(c);
    else
        return true;
    return false;
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
    cJSON *o;

    if (p == NULL)
        return NULL;
    o = problem_object(&d->devices, p, sources, &r);
    if (o != NULL) {
        buf_add_json(&text, o);
        buf_puts(&text, "\n");
        made = specs_keep_answer(d->specs, p->slug, buf_str(&text));
    } else {
        reply_failure(c, &r);
    }
    buf_free(&text);
    return made;
}

void
api_problem(struct http_call *c)
{
    struct daemon *d = c->daemon;
    struct kept_answer *answer;

    if (hiding_any(d->hiding) && !sees_all_of_problem(c))
        return;
    answer = specs_answer(d->specs, c->arg[0], d->devices.generation);
    if (answer == NULL)
        answer = problem_answer(c);
    if (answer != NULL)
        reply_kept(c, answer);
}
