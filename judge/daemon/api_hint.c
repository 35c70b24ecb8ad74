/* The API's hints: the idea of a step of a problem's ladder, and its source.
 *
 * Without a number it is the next step for who asks. That is the first one that is surely
 * faster than their entry, by the house's marks on the board, or the last one. Where
 * there are no marks, or they have no entry, it is the first one after the naive one.
 * What stands in a step's header was measured on an H200, and decides nothing. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/meanings.h"
#include "daemon/request.h"
#include "daemon/specs.h"
#include "problem/ladder.h"
#include "record/marks.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_HINT 2
#define MEASURED_ON "NVIDIA H200" /* the board of the times in the steps' headers */

/* A step that a call asks for. */
struct asked_step {
    const struct problem *problem;
    struct ladder ladder;
    int number;
    struct ladder_step step;
    size_t marks, beaten; /* on the board; beaten by the entry of who asks */
};

static void
asked_step_free(struct asked_step *a)
{
    ladder_free(&a->ladder);
    ladder_step_free(&a->step);
}

/* Which step comes next for whose entry has this time, or who has none. */
static int
next_step(const struct asked_step *a, const struct marks *marks,
          const struct measured *own)
{
    int next = own->time_ns > 0 && marks->count > 0 ? a->ladder.count : FIRST_HINT;

    for (size_t i = 0; i < marks->count; i++) {
        const int number = ladder_number(marks->row[i].filename);

        if (marks->row[i].ranked.high_ns < own->low_ns && number >= FIRST_HINT &&
            number < next)
            next = number;
    }
    return next < a->ladder.count ? next : a->ladder.count;
}

/* Sets the next step for who asks, or for user=, on the board of device=. False after
 * having answered. */
static bool
take_next(struct http_call *c, struct asked_step *a)
{
    const char *device = call_query(c, "device"), *user = call_query(c, "user");
    struct daemon *d = c->daemon;
    char *name = device != NULL ? api_board_named(c, device, "?device")
                                : xstrdup(d->devices.entry[0].board);
    struct marks marks = {0};
    struct measured own;
    struct report r = {0};
    struct board board;
    bool ok;

    if (name == NULL)
        return false;
    board = (struct board){a->problem->slug, name,
                           meanings_get(d->meanings, a->problem->slug, name)};
    ok = store_marks(d->store, &board, &marks, &r) == 0 &&
         store_own_time(d->store, &board, user != NULL ? user : c->who.name, &own, &r) ==
             0;
    if (ok) {
        a->number = next_step(a, &marks, &own);
        a->marks = marks.count;
        a->beaten = marks_beaten(&marks, &own);
    } else {
        reply_failure(c, &r);
    }
    marks_free(&marks);
    free(name);
    return ok;
}

/* Sets the number of the step. False after having answered. */
static bool
take_number(struct http_call *c, struct asked_step *a)
{
    const char *said = call_query(c, "step");
    const int count = a->ladder.count;
    int64_t number;

    if (count == 0) {
        reply_problem(
            c, ERROR_NO_LADDER, NULL,
            "there are no hints for %s: the judge has no ladder of solutions for it",
            a->problem->slug);
        return false;
    }
    if (!take_next(c, a))
        return false;
    number = a->number;
    if (said != NULL && !request_number(said, 1, LADDER_STEPS_MAX, &number)) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?step",
                      "the step is \"%.40s\": it must be a number from 1 to %d", said,
                      count);
        return false;
    }
    if (number > count) {
        reply_problem(c, ERROR_NO_SUCH_STEP, "?step",
                      "there is no step %d: the ladder of %s has %d", (int)number,
                      a->problem->slug, count);
        return false;
    }
    a->number = (int)number;
    return true;
}

/* Finds the step. False after having answered; then there is nothing to free. */
static bool
asked_step(struct http_call *c, struct asked_step *out)
{
    struct report r = {0};

    *out = (struct asked_step){.problem = api_asked_problem(c)};
    if (out->problem == NULL)
        return false;
    if (ladder_find(specs_dir(c->daemon->specs), out->problem->slug, &out->ladder, &r) !=
        0) {
        reply_failure(c, &r);
        return false;
    }
    if (!take_number(c, out)) {
        asked_step_free(out);
        return false;
    }
    if (ladder_read(&out->ladder, out->number, &out->step, &r) != 0) {
        reply_failure(c, &r);
        asked_step_free(out);
        return false;
    }
    return true;
}

static void
add_name(cJSON *o, const char *filename)
{
    char *name = ladder_name(filename);

    cJSON_AddStringToObject(o, "name", name);
    free(name);
}

static void
add_measured(cJSON *o, const struct asked_step *a)
{
    char *sizes = problem_sizes_text(a->problem, &a->problem->benchmark_cuda);
    cJSON *measured = cJSON_AddObjectToObject(o, "measured");

    cJSON_AddStringToObject(measured, "board", MEASURED_ON);
    cJSON_AddStringToObject(measured, "sizes", sizes);
    cJSON_AddStringToObject(measured, "text", a->step.measured);
    free(sizes);
}

void
api_hint(struct http_call *c)
{
    struct asked_step a;
    cJSON *o;

    if (!asked_step(c, &a))
        return;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "problem", a.problem->slug);
    cJSON_AddStringToObject(o, "title", a.problem->title != NULL ? a.problem->title : "");
    cJSON_AddNumberToObject(o, "step", a.number);
    cJSON_AddNumberToObject(o, "steps", a.ladder.count);
    add_name(o, a.ladder.filename[a.number - 1]);
    cJSON_AddStringToObject(o, "idea", a.step.idea != NULL ? a.step.idea : "");
    if (a.step.needs != NULL)
        cJSON_AddStringToObject(o, "needs", a.step.needs);
    if (a.step.measured != NULL)
        add_measured(o, &a);
    if (a.marks > 0) {
        cJSON *house = cJSON_AddObjectToObject(o, "house");

        cJSON_AddNumberToObject(house, "steps", (double)a.marks);
        cJSON_AddNumberToObject(house, "beaten", (double)a.beaten);
    }
    reply_json(c, 200, o);
    asked_step_free(&a);
}

void
api_hint_source(struct http_call *c)
{
    struct asked_step a;
    cJSON *o;

    if (!asked_step(c, &a))
        return;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "filename", a.ladder.filename[a.number - 1]);
    cJSON_AddStringToObject(o, "source", a.step.source);
    reply_json(c, 200, o);
    asked_step_free(&a);
}
