/* A submission as the API shows it: its state, its time, its place, its tests. */
#include "daemon/api.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/marks_json.h"
#include "daemon/meanings.h"
#include "daemon/queue.h"
#include "daemon/request.h"
#include "daemon/specs.h"
#include "problem/meaning.h"
#include "record/failure_grid.h"
#include "record/moves.h"
#include "record/rank.h"
#include "record/replace.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define DIAGNOSTICS_MOST 128 /* that are told; the compiler's are at most 32 */

static void
add_number_or_null(cJSON *o, const char *key, bool present, double value)
{
    if (present)
        cJSON_AddNumberToObject(o, key, value);
    else
        cJSON_AddNullToObject(o, key);
}

static void
api_add_timing_field(cJSON *o, const struct timing *t, const struct timing_field *f)
{
    const char *text;

    switch (f->kind) {
    case TIMING_TIME:
    case TIMING_KNOWN_TIME:
        add_number_or_null(o, f->api, timing_field_is_known(t, f),
                           timing_field_number(t, f));
        break;
    case TIMING_WORK:
        cJSON_AddItemToObject(
            o, f->api,
            rate_json(timing_field_number(t, f), t->present ? t->median_ns : 0));
        break;
    case TIMING_FLAG:
        cJSON_AddBoolToObject(o, f->api, timing_field_flag(t, f));
        break;
    case TIMING_COUNT:
        cJSON_AddNumberToObject(o, f->api, timing_field_count(t, f));
        break;
    case TIMING_TEXT:
        text = timing_field_text(t, f);
        cJSON_AddStringToObject(o, f->api, text != NULL ? text : "");
        break;
    case TIMING_OPTIONAL_TEXT:
        text = timing_field_text(t, f);
        if (text != NULL)
            cJSON_AddStringToObject(o, f->api, text);
        break;
    case TIMING_OPTIONAL_JSON: /* api_add_details() shows it */
        break;
    }
}

static void
api_add_timing(cJSON *o, const struct timing *t)
{
    for (int i = 0; i < TIMING_FIELD_COUNT; i++) {
        if (timing_fields[i].api != NULL)
            api_add_timing_field(o, t, &timing_fields[i]);
        /* The roofline as a share of the time follows the two fields of the roofline. */
        if (i == TIMING_INDEX_roofline_by)
            cJSON_AddItemToObject(
                o, "limit_share",
                rate_json(t->roofline_ns, t->present ? t->median_ns : 0));
    }
}

/* Adds JSON that the arbiter made and the store kept as text. */
static void
add_parsed(cJSON *o, const char *key, const char *text)
{
    cJSON *value;

    if (text == NULL)
        return;
    value = cJSON_Parse(text);
    cJSON_AddItemToObject(o, key, value != NULL ? value : cJSON_CreateNull());
}

/* Pages look at each of them for each line of the source. */
static void
drop_many(cJSON *diagnostics)
{
    const cJSON *last = cJSON_GetArrayItem(diagnostics, DIAGNOSTICS_MOST - 1);

    while (last != NULL && last->next != NULL)
        cJSON_Delete(cJSON_DetachItemViaPointer(diagnostics, last->next));
}

/* Adds what was noticed as diagnostics, too: a program that shows these beside the source
 * need not know of notices. */
static void
add_noticed(cJSON *diagnostics, const cJSON *notices)
{
    const cJSON *notice;

    cJSON_ArrayForEach(notice, notices)
    {
        cJSON *copy = cJSON_Duplicate(notice, true);

        cJSON_AddStringToObject(copy, "severity", "warning");
        cJSON_AddItemToArray(diagnostics, copy);
    }
}

/* Takes out what is told beside the first wrong element where it is not whole. */
static void
drop_bad_grids(cJSON *failure)
{
    struct failure_window window;
    struct failure_map map;

    if (!failure_window_read(failure, &window))
        cJSON_DeleteItemFromObjectCaseSensitive(failure, "window");
    if (!failure_map_read(failure, &map))
        cJSON_DeleteItemFromObjectCaseSensitive(failure, "map");
}

static void
api_add_findings(cJSON *o, const char *text)
{
    cJSON *findings = text != NULL ? cJSON_Parse(text) : NULL;
    cJSON *failure = cJSON_DetachItemFromObjectCaseSensitive(findings, "failure");
    cJSON *diagnostics = cJSON_DetachItemFromObjectCaseSensitive(findings, "diagnostics");

    if (failure != NULL) {
        drop_bad_grids(failure);
        cJSON_AddItemToObject(o, "failure", failure);
    }
    if (diagnostics == NULL)
        diagnostics = cJSON_CreateArray();
    add_noticed(diagnostics, cJSON_GetObjectItemCaseSensitive(o, "notices"));
    drop_many(diagnostics);
    if (cJSON_GetArraySize(diagnostics) > 0)
        cJSON_AddItemToObject(o, "diagnostics", diagnostics);
    else
        cJSON_Delete(diagnostics);
    cJSON_Delete(findings);
}

static void
api_add_details(cJSON *o, const struct result *res)
{
    cJSON *tests = cJSON_AddArrayToObject(o, "tests");

    for (int i = 0; i < res->test_count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddNumberToObject(item, "number", res->test[i].number);
        cJSON_AddStringToObject(item, "verdict", verdict_name(res->test[i].verdict));
        cJSON_AddStringToObject(item, "sizes", res->test[i].sizes);
        if (res->test[i].detail != NULL)
            cJSON_AddStringToObject(item, "detail", res->test[i].detail);
        cJSON_AddItemToArray(tests, item);
    }
    cJSON_AddItemToObject(
        o, "samples_ns",
        cJSON_CreateDoubleArray(res->timing.sample_ns, res->timing.sample_count));
    add_parsed(o, "notices", res->notices);
    api_add_findings(o, res->findings);
    add_parsed(o, "counters", res->counters);
    for (int i = 0; i < TIMING_FIELD_COUNT; i++)
        if (timing_fields[i].kind == TIMING_OPTIONAL_JSON && timing_fields[i].api != NULL)
            add_parsed(o, timing_fields[i].api,
                       timing_field_text(&res->timing, &timing_fields[i]));
}

/* Adds what a result belongs to; null where that is not known. */
static void
add_meaning(cJSON *o, const char *meaning)
{
    if (strlen(meaning) == MEANING_BYTES - 1)
        cJSON_AddStringToObject(o, "meaning", meaning);
    else
        cJSON_AddNullToObject(o, "meaning");
}

/* Adds what of the problem the result belongs to, and whether the problem was another at
 * `since_ns` or later. The place is among those of the same. */
static void
api_add_meaning(cJSON *o, struct daemon *d, const struct submission *sub, bool ranked,
                uint64_t since_ns)
{
    const char *now =
        ranked ? meanings_get_since(d->meanings, sub->problem, sub->board, since_ns) : "";

    add_meaning(o, sub->done ? sub->meaning : "");
    cJSON_AddBoolToObject(o, "older", now[0] != '\0' && strcmp(sub->meaning, now) != 0);
}

/* Adds the results that this one has taken the place of, where there are any. */
static int
api_add_history(cJSON *o, struct daemon *d, const struct submission *sub,
                struct report *r)
{
    struct past_results past;
    cJSON *list;

    if (store_past_results(d->store, sub->id, &past, r) != 0)
        return -1;
    list = past.count > 0 ? cJSON_AddArrayToObject(o, "history") : NULL;
    for (size_t i = 0; i < past.count; i++) {
        const struct past_result *p = &past.row[i];
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "verdict", verdict_name(p->verdict));
        cJSON_AddStringToObject(item, "message", p->message);
        cJSON_AddStringToObject(item, "board", p->board);
        add_meaning(item, p->meaning);
        cJSON_AddStringToObject(item, "sizes", p->sizes != NULL ? p->sizes : "");
        add_number_or_null(item, "time_ns", p->time_ns > 0, p->time_ns);
        add_number_or_null(item, "low_ns", p->time_ns > 0, p->low_ns);
        add_number_or_null(item, "high_ns", p->time_ns > 0, p->high_ns);
        cJSON_AddNumberToObject(item, "finished_ms", (double)p->finished_ms);
        cJSON_AddNumberToObject(item, "replaced_ms", (double)p->replaced_ms);
        cJSON_AddItemToArray(list, item);
    }
    past_results_free(&past);
    return 0;
}

cJSON *
change_json(const struct move *m, double time_ns)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddBoolToObject(o, "improved", m->improved);
    add_number_or_null(o, "best", m->best > 0, (double)m->best);
    add_number_or_null(o, "best_time_ns", m->best > 0, m->best_ns);
    cJSON_AddItemToObject(o, "speedup", rate_json(m->best_ns, time_ns));
    cJSON_AddBoolToObject(o, "sure", m->sure);
    add_number_or_null(o, "rank_before", m->best > 0, (double)m->rank_before);
    cJSON_AddNumberToObject(o, "rank", (double)m->rank);
    cJSON_AddNumberToObject(o, "entries", (double)m->entries);
    cJSON_AddNumberToObject(o, "passed", (double)m->passed);
    return o;
}

/* Adds what the result changed on its board, where that is known. */
static int
api_add_change(cJSON *o, struct daemon *d, const struct submission *sub, struct report *r)
{
    bool found;
    struct move m;

    if (store_move(d->store, sub->id, &found, &m, r) != 0)
        return -1;
    if (found)
        cJSON_AddItemToObject(o, "change", change_json(&m, sub->result.timing.median_ns));
    return 0;
}

static int
api_add_place(cJSON *o, struct daemon *d, const struct submission *sub, uint64_t since_ns,
              struct report *r)
{
    const struct timing *t = &sub->result.timing;
    bool ranked = sub->done && sub->result.verdict == VERDICT_ACCEPTED &&
                  !sub->sample_tests_only && t->present && t->median_ns > 0;
    const struct measured time = {t->median_ns, t->low_ns, t->high_ns};
    const struct board board = {sub->problem, sub->board, sub->meaning};
    struct place place = {0};
    double own_ns = 0;

    if (ranked &&
        store_place(d->store, &board, sub->user, &time, &place, &own_ns, r) != 0)
        return -1;
    add_number_or_null(o, "rank", ranked, (double)place_rank(&place));
    add_number_or_null(o, "entries", ranked,
                       (double)(place.faster + place.ties + place.slower + 1));
    add_number_or_null(o, "ties", ranked, (double)place.ties);
    add_number_or_null(o, "percentile", ranked, place_percentile(&place));
    cJSON_AddBoolToObject(o, "best", sub->best);
    api_add_meaning(o, d, sub, ranked, since_ns);
    add_number_or_null(o, "best_time_ns", ranked && own_ns > 0, own_ns);
    if (ranked && add_house_count(o, d, &board, &time, r) != 0)
        return -1;
    return ranked ? api_add_change(o, d, sub, r) : 0;
}

static void
add_waiting_reason(cJSON *o, const struct daemon *d, const struct submission *sub)
{
    char *why = queue_why_waits(d->queue, sub->id);

    if (why != NULL)
        cJSON_AddStringToObject(o, "waiting_reason", why);
    free(why);
}

static void
add_state(cJSON *o, const struct daemon *d, const struct submission *sub)
{
    struct queue_state state = {.state = "queued", .attempt = sub->attempt};

    if (!sub->done)
        queue_find(d->queue, sub->id, &state);
    cJSON_AddStringToObject(o, "state", sub->done ? "done" : state.state);
    if (!sub->done && state.position > 0) {
        cJSON_AddNumberToObject(o, "position", state.position);
        cJSON_AddNumberToObject(o, "estimate_seconds", state.estimate_s);
    }
    cJSON_AddNumberToObject(o, "attempt", state.attempt);
    if (sub->done) {
        cJSON_AddStringToObject(o, "verdict", verdict_name(sub->result.verdict));
        cJSON_AddStringToObject(o, "message", sub->result.message);
    }
}

cJSON *
submission_json(struct daemon *d, const struct submission *sub, bool details,
                struct report *r)
{
    const uint64_t since_ns =
        details ? UINT64_MAX : now_ns() - LIST_CHECK_MS * UINT64_C(1000000);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "id", (double)sub->id);
    cJSON_AddStringToObject(o, "user", sub->user);
    cJSON_AddStringToObject(o, "problem", sub->problem);
    cJSON_AddStringToObject(o, "device", sub->device);
    cJSON_AddStringToObject(o, "board", sub->board);
    cJSON_AddStringToObject(o, "mode",
                            request_mode_name(sub->sample_tests_only, sub->profile));
    cJSON_AddStringToObject(o, "filename", sub->filename);
    if (sub->own_case)
        cJSON_AddBoolToObject(o, "own_case", true);
    if (sub->concealed)
        cJSON_AddBoolToObject(o, "concealed", true);
    add_state(o, d, sub);
    api_add_timing(o, &sub->result.timing);
    if (api_add_place(o, d, sub, since_ns, r) != 0) {
        cJSON_Delete(o);
        return NULL;
    }
    if (details && !sub->done)
        add_waiting_reason(o, d, sub);
    if (details)
        api_add_details(o, &sub->result);
    /* A client that grades may judge the same again. A judgement of `submit` keeps its
     * secret. */
    if (details && sub->done && !sub->concealed && profile_is_graded(sub->profile) &&
        sub->result.seed != NULL)
        cJSON_AddStringToObject(o, "seed", sub->result.seed);
    if (details && api_add_history(o, d, sub, r) != 0) {
        cJSON_Delete(o);
        return NULL;
    }
    cJSON_AddNumberToObject(o, "compile_seconds", sub->compile_seconds);
    cJSON_AddBoolToObject(o, "compile_cached", sub->compile_cached);
    cJSON_AddBoolToObject(o, "insecure",
                          sub->done ? sub->insecure : d->settings.insecure);
    if (sub->node != NULL)
        cJSON_AddStringToObject(o, "node", sub->node);
    if (sub->driver != NULL && sub->driver[0] != '\0')
        cJSON_AddStringToObject(o, "driver", sub->driver);
    cJSON_AddNumberToObject(o, "created_ms", (double)sub->created_ms);
    add_number_or_null(o, "finished_ms", sub->done, (double)sub->finished_ms);
    return o;
}
