/* The API's answers about the judge's health, about problems and about boards. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/queue.h"
#include "daemon/specs.h"
#include "daemon/starter.h"
#include "problem/names.h"
#include "problem/problem.h"
#include "record/rank.h"
#include "record/store.h"
#include "sandbox/cgroup.h"

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

void
api_health(struct call *c)
{
    const struct daemon *d = c->daemon;
    cJSON *o = cJSON_CreateObject(), *list;

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

void
api_problems(struct call *c)
{
    struct specs *specs = c->daemon->specs;
    struct report r = {0};
    char **slugs = NULL;
    int count = 0;
    cJSON *o, *list;

    if (problem_list(specs_dir(specs), &slugs, &count, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    list = cJSON_AddArrayToObject(o, "problems");
    for (int i = 0; i < count; i++) {
        cJSON_AddItemToArray(list, problem_line(specs, slugs[i]));
        free(slugs[i]);
    }
    free(slugs);
    reply_json(c, 200, o);
}

/* The problem that a call names, or NULL after having answered. */
static const struct problem *
asked_problem(struct call *c)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(c->daemon->specs, c->arg[0], &exists, &r);

    if (p == NULL && !exists)
        reply_error(c, 404, "%s", r.text);
    else if (p == NULL)
        reply_failure(c, &r);
    return p;
}

static void
add_params(cJSON *o, const struct problem *p)
{
    static const char *const DIRS[] = {[DIR_SCALAR] = "scalar",
                                       [DIR_IN] = "in",
                                       [DIR_OUT] = "out",
                                       [DIR_INOUT] = "inout"};
    cJSON *params = cJSON_AddArrayToObject(o, "params");

    for (int i = 0; i < p->param_count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "name", p->param[i].name);
        cJSON_AddStringToObject(item, "type", dtype_name(p->param[i].type));
        cJSON_AddStringToObject(item, "dir", DIRS[p->param[i].dir]);
        cJSON_AddStringToObject(item, "about", or_empty(p->param[i].about));
        if (p->param[i].dir != DIR_SCALAR)
            cJSON_AddStringToObject(item, "space",
                                    p->param[i].space == SPACE_HOST_PINNED ? "host_pinned"
                                                                           : "device");
        if (p->gpus > 1 && p->param[i].dir != DIR_SCALAR)
            cJSON_AddNumberToObject(item, "device", p->param[i].gpu);
        cJSON_AddItemToArray(params, item);
    }
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

void
api_problem(struct call *c)
{
    const struct problem *p = asked_problem(c);
    struct buf statement = {0};
    struct report r = {0};
    char *starter;
    cJSON *o, *benchmark;

    if (p == NULL)
        return;
    starter = starter_text(p, &r);
    if (starter == NULL || api_read_statement(p, &statement, &r) != 0) {
        reply_failure(c, &r);
        free(starter);
        return;
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
    add_params(o, p);
    add_refusals(o, &c->daemon->devices, p);
    buf_free(&statement);
    reply_json(c, 200, o);
}

/* --- boards ------------------------------------------------------------- */

cJSON *
rate_json(double work, double time_ns)
{
    return work > 0 && time_ns > 0 ? cJSON_CreateNumber(work / time_ns)
                                   : cJSON_CreateNull();
}

/* The board that device= names. It may name a device, a device's board, or a board with
 * entries of a device that this machine does not have. NULL after having answered. */
static char *
asked_board(struct call *c)
{
    const struct devices *devices = &c->daemon->devices;
    const char *name = call_query(c, "device");
    const struct device_entry *e = &devices->entry[0];
    struct report r = {0};
    bool exists;
    char *names;

    if (name != NULL)
        e = devices_find(devices, name);
    if (e != NULL)
        return xstrdup(e->board);
    for (int i = 0; i < devices->count; i++)
        if (strcmp(devices->entry[i].board, name) == 0)
            return xstrdup(name);
    if (store_board_exists(c->daemon->store, name, &exists, &r) != 0) {
        reply_failure(c, &r);
        return NULL;
    }
    if (exists)
        return xstrdup(name);
    names = devices_names(devices);
    reply_error(c, 400, "there is no device \"%.80s\": this machine has %s", name, names);
    free(names);
    return NULL;
}

static cJSON *
entry_json(const struct entry *e, const struct place *place)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "rank", (double)place_rank(place));
    cJSON_AddStringToObject(o, "user", e->user);
    cJSON_AddBoolToObject(o, "house", strcmp(e->user, HOUSE_USER) == 0);
    cJSON_AddNumberToObject(o, "submission", (double)e->submission);
    cJSON_AddNumberToObject(o, "time_ns", e->time_ns);
    cJSON_AddNumberToObject(o, "low_ns", e->low_ns);
    cJSON_AddNumberToObject(o, "high_ns", e->high_ns);
    cJSON_AddNumberToObject(o, "percentile", place_percentile(place));
    cJSON_AddItemToObject(o, "bandwidth_gbs", rate_json(e->work_bytes, e->time_ns));
    cJSON_AddItemToObject(o, "gflops", rate_json(e->work_flops, e->time_ns));
    cJSON_AddItemToObject(o, "limit_share", rate_json(e->roofline_ns, e->time_ns));
    cJSON_AddBoolToObject(o, "review", e->review);
    cJSON_AddBoolToObject(o, "insecure", e->insecure);
    if (e->remark != NULL)
        cJSON_AddStringToObject(o, "remark", e->remark);
    cJSON_AddNumberToObject(o, "created_ms", (double)e->created_ms);
    return o;
}

static void
add_entries(cJSON *o, const struct board *b)
{
    cJSON *entries = cJSON_AddArrayToObject(o, "entries"), *buckets;
    double *times = xcalloc(b->count, sizeof *times);
    struct measured *measured = xcalloc(b->count, sizeof *measured);
    struct place *places = xcalloc(b->count, sizeof *places);
    struct bucket bucket[HISTOGRAM_BUCKETS_MAX];
    int bucket_count;

    for (size_t i = 0; i < b->count; i++) {
        const struct entry *e = &b->entry[i];

        times[i] = e->time_ns;
        measured[i] = (struct measured){e->time_ns, e->low_ns, e->high_ns};
    }
    places_of_sorted(measured, b->count, places);
    for (size_t i = 0; i < b->count; i++)
        cJSON_AddItemToArray(entries, entry_json(&b->entry[i], &places[i]));
    bucket_count = histogram(times, b->count, bucket);
    buckets = cJSON_AddArrayToObject(o, "histogram");
    for (int i = 0; i < bucket_count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddNumberToObject(item, "from_ns", bucket[i].from_ns);
        cJSON_AddNumberToObject(item, "to_ns", bucket[i].to_ns);
        cJSON_AddNumberToObject(item, "count", (double)bucket[i].count);
        cJSON_AddItemToArray(buckets, item);
    }
    free(times);
    free(measured);
    free(places);
}

/* Where no submission on this machine can get onto the board, adds why. */
static void
add_refusal(cJSON *o, const struct devices *d, const char *board, const struct problem *p)
{
    for (int i = 0; i < d->count; i++) {
        struct report r = {0};

        if (strcmp(d->entry[i].board, board) != 0)
            continue;
        if (devices_take(d, &d->entry[i], p, &r) != 0)
            cJSON_AddStringToObject(o, "refused", r.text);
        return;
    }
}

void
api_board(struct call *c)
{
    const struct problem *p = asked_problem(c);
    char *name = p != NULL ? asked_board(c) : NULL;
    struct report r = {0};
    struct board b;
    bool emu;
    cJSON *o;

    if (name == NULL)
        return;
    if (store_board(c->daemon->store, p->slug, name, &b, &r) != 0) {
        reply_failure(c, &r);
        free(name);
        return;
    }
    emu = strcmp(name, "emu") == 0;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "problem", p->slug);
    cJSON_AddStringToObject(o, "title", or_empty(p->title));
    cJSON_AddBoolToObject(o, "modelled", emu);
    add_taken_string(o, "sizes",
                     problem_sizes_text(p, emu ? &p->benchmark_emu : &p->benchmark_cuda));
    add_refusal(o, &c->daemon->devices, name, p);
    add_taken_string(o, "board", name);
    add_entries(o, &b);
    board_free(&b);
    reply_json(c, 200, o);
}
