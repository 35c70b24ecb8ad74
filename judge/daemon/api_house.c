/* Runs of the house, for admins: begin one, ask what came of it, end it (house.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/api_accounts.h"
#include "daemon/daemon.h"
#include "daemon/house.h"
#include "daemon/log.h"
#include "daemon/request.h"
#include "daemon/specs.h"

#include <stdlib.h>
#include <string.h>

/* --- the run as JSON ------------------------------------------------------ */

/* Adds the steps of this fate: their files, and why. */
static void
add_steps(cJSON *o, const char *key, const struct house_run *run, enum house_fate fate)
{
    cJSON *rows = cJSON_AddArrayToObject(o, key);

    for (size_t i = 0; i < run->step_count; i++) {
        const struct house_step *step = &run->step[i];
        char *file;
        cJSON *row;

        if (step->fate != fate)
            continue;
        file = step->filename != NULL
                   ? xasprintf("solutions/%s/%s", step->problem, step->filename)
                   : xasprintf("problems/%s", step->problem);
        row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "problem", step->problem);
        cJSON_AddStringToObject(row, "file", file);
        cJSON_AddStringToObject(row, "why", step->why);
        cJSON_AddItemToArray(rows, row);
        free(file);
    }
}

static void
reply_run(struct http_call *c, int status)
{
    const struct house_run *run = house_last(c->daemon->house);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "id", (double)run->number);
    cJSON_AddStringToObject(o, "state", house_state_name(run->state));
    cJSON_AddStringToObject(o, "board", run->board);
    cJSON_AddNumberToObject(o, "problems", (double)run->slug_count);
    cJSON_AddNumberToObject(o, "looked_at", (double)run->looked);
    cJSON_AddNumberToObject(
        o, "to_judge",
        (double)(house_count(run, HOUSE_WAITS) + house_count(run, HOUSE_BEGUN)));
    cJSON_AddNumberToObject(o, "judged", (double)house_count(run, HOUSE_MARKED));
    cJSON_AddNumberToObject(o, "kept", (double)house_count(run, HOUSE_KEPT));
    add_steps(o, "skipped", run, HOUSE_SKIPPED);
    add_steps(o, "failed", run, HOUSE_FAILED);
    if (run->message != NULL)
        cJSON_AddStringToObject(o, "message", run->message);
    cJSON_AddNumberToObject(o, "begun_ms", (double)run->begun_ms);
    if (run->ended_ms > 0)
        cJSON_AddNumberToObject(o, "ended_ms", (double)run->ended_ms);
    else
        cJSON_AddNullToObject(o, "ended_ms");
    reply_json(c, status, o);
}

/* --- the calls ------------------------------------------------------------ */

void
api_house(struct http_call *c)
{
    if (house_last(c->daemon->house) == NULL)
        reply_problem(c, ERROR_NO_HOUSE_RUN, NULL,
                      "the house has judged nothing since the judge was started");
    else
        reply_run(c, 200);
}

void
api_cancel_house(struct http_call *c)
{
    char *message;

    if (!house_is_under_way(c->daemon->house)) {
        reply_problem(c, ERROR_NO_HOUSE_RUN, NULL, "the house is judging nothing");
        return;
    }
    message = xasprintf("%s has cancelled it", c->who.name);
    house_cancel(c->daemon, message);
    free(message);
    reply_run(c, 200);
}

/* Problems that are asked for. */
struct slugs {
    char **slug;
    int count;
};

static void
slugs_free(struct slugs *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->slug[i]);
    free(list->slug);
    *list = (struct slugs){0};
}

static bool
has_slug(const struct slugs *list, const char *slug)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->slug[i], slug) == 0)
            return true;
    return false;
}

/* Reads "softmax,reduction". False after having answered. */
static bool
take_slugs(struct http_call *c, const char *text, struct slugs *out)
{
    char *copy = xstrdup(text), *rest = copy;
    struct report r = {0};
    bool ok = true, exists;

    for (const char *word; ok && (word = strsep(&rest, ",")) != NULL;) {
        ok = specs_get(c->daemon->specs, word, &exists, &r) != NULL || exists;
        if (!ok) {
            reply_problem(c, ERROR_NO_SUCH_PROBLEM, "/problems", "%s", r.text);
        } else if (!has_slug(out, word)) {
            out->slug = xrealloc(out->slug, ((size_t)out->count + 1) * sizeof *out->slug);
            out->slug[out->count++] = xstrdup(word);
        }
    }
    free(copy);
    return ok;
}

/* Takes all problems. False after having answered. */
static bool
take_all(struct http_call *c, struct slugs *out)
{
    struct report r = {0};

    if (problem_list(specs_dir(c->daemon->specs), &out->slug, &out->count, &r) == 0)
        return true;
    reply_failure(c, &r);
    return false;
}

/* Is the body all right by itself, and may a run begin? False after having answered. */
static bool
check_body(struct http_call *c, const char *problems, const char *which)
{
    if (which != NULL && strcmp(which, "all") != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/which",
                      "which is \"%.40s\": it must be \"all\"", which);
    else if (problems == NULL && which == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, "/problems",
                      "say of which problems the house's solutions are to be judged");
    else if (problems != NULL && which != NULL)
        reply_problem(c, ERROR_INVALID_MEMBER, "/which",
                      "either problems are named, or which is \"all\"");
    else if (house_is_under_way(c->daemon->house))
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "the house is judging already: wait for it, or cancel it");
    else if (c->daemon->draining)
        reply_problem(c, ERROR_STOPPING, NULL, "the judge is being stopped");
    else
        return true;
    return false;
}

/* The board that is asked for, which a device here must have. NULL after having answered.
 * The caller frees. */
static char *
take_board(struct http_call *c, const char *device)
{
    const struct devices *devices = &c->daemon->devices;
    char *board = device != NULL ? api_board_named(c, device, "/device")
                                 : xstrdup(devices->entry[0].board);

    for (int i = 0; board != NULL && i < devices->count; i++)
        if (strcmp(devices->entry[i].board, board) == 0)
            return board;
    if (board != NULL)
        reply_problem(c, ERROR_NO_SUCH_DEVICE, "/device", "no device here is a %.80s",
                      board);
    free(board);
    return NULL;
}

void
api_begin_house(struct http_call *c)
{
    const char *problems = NULL, *which = NULL, *device = NULL;
    const struct request_field fields[] = {{"problems", &problems, NULL},
                                           {"which", &which, NULL},
                                           {"device", &device, NULL}};
    struct slugs slugs = {0};
    char *board = NULL;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a run of the house",
                      &object))
        return;
    if (check_body(c, problems, which) && (board = take_board(c, device)) != NULL &&
        (problems != NULL ? take_slugs(c, problems, &slugs) : take_all(c, &slugs))) {
        log_line("%s has the house's solutions of %d problems judged", c->who.name,
                 slugs.count);
        house_begin(c->daemon, board, slugs.slug, (size_t)slugs.count);
        slugs = (struct slugs){0};
        reply_run(c, 201);
    }
    slugs_free(&slugs);
    free(board);
    cJSON_Delete(object);
}
