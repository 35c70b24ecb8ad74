/* Judging again, for admins: begin a run, ask what came of it, end it (rejudge.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/api_accounts.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/meanings.h"
#include "daemon/rejudge.h"
#include "daemon/request.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define IDS_MAX 500
#define RANKS_SHOWN 200
#define NUMBER_MAX (INT64_C(1) << 53)

/* --- the run as JSON ---------------------------------------------------- */

/* A rank or a time; null where there is none. */
static cJSON *
number_or_null(double number)
{
    return number > 0 ? cJSON_CreateNumber(number) : cJSON_CreateNull();
}

/* Adds the submissions whose verdict is another. */
static void
add_verdicts(cJSON *o, const struct rejudge_run *run)
{
    cJSON *rows = cJSON_AddArrayToObject(o, "verdicts");

    for (size_t i = 0; i < run->list.count; i++) {
        const struct rejudged *j = &run->list.row[i];
        const struct timing *t = &j->result.timing;
        cJSON *row;

        if (j->result.verdict == j->before)
            continue;
        row = cJSON_CreateObject();
        cJSON_AddNumberToObject(row, "submission", (double)j->id);
        cJSON_AddStringToObject(row, "user", j->user);
        cJSON_AddStringToObject(row, "problem", j->problem);
        cJSON_AddStringToObject(row, "device", j->device);
        cJSON_AddStringToObject(row, "before", verdict_name(j->before));
        cJSON_AddStringToObject(row, "after", verdict_name(j->result.verdict));
        cJSON_AddItemToObject(row, "before_ns", number_or_null(j->before_ns));
        cJSON_AddItemToObject(row, "after_ns",
                              number_or_null(t->present ? t->median_ns : 0));
        cJSON_AddItemToArray(rows, row);
    }
}

/* Appends an entry whose rank is another. -1 where the store fails. */
static int
add_rank(struct daemon *d, cJSON *rows, const struct changed_board *board,
         const struct rank_change *change, struct report *r)
{
    struct submissions list;
    cJSON *row;

    if (store_list(d->store, NULL, NULL, true, change->submission + 1, 1, &list, r) != 0)
        return -1;
    if (list.count > 0 && list.row[0].id == change->submission) {
        row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "problem", board->problem);
        cJSON_AddStringToObject(row, "board", board->device);
        cJSON_AddNumberToObject(row, "submission", (double)change->submission);
        cJSON_AddStringToObject(row, "user", list.row[0].user);
        cJSON_AddItemToObject(row, "before", number_or_null((double)change->before));
        cJSON_AddItemToObject(row, "after", number_or_null((double)change->after));
        cJSON_AddItemToArray(rows, row);
    }
    submissions_free(&list);
    return 0;
}

/* Adds what changes on the boards of today, and how much changes on those of before. */
static int
add_ranks(struct daemon *d, cJSON *o, const struct rank_changes *ranks, struct report *r)
{
    cJSON *rows = cJSON_AddArrayToObject(o, "ranks");
    size_t today = 0, older = 0, next = 0;
    int shown = 0;

    for (size_t i = 0; i < ranks->boards; i++) {
        const struct changed_board *b = &ranks->board[i];
        const bool is_older =
            strcmp(b->meaning, meanings_get(d->meanings, b->problem, b->device)) != 0;

        *(is_older ? &older : &today) += b->changes;
        for (; next < ranks->count && ranks->row[next].board == i; next++)
            if (!is_older && shown++ < RANKS_SHOWN &&
                add_rank(d, rows, b, &ranks->row[next], r) != 0)
                return -1;
    }
    cJSON_AddNumberToObject(o, "ranks_changed", (double)today);
    cJSON_AddNumberToObject(o, "older_ranks_changed", (double)older);
    return 0;
}

static void
reply_run(struct http_call *c, int status)
{
    const struct rejudge_run *run = rejudge_last(c->daemon->rejudge);
    cJSON *o = cJSON_CreateObject();
    struct report r = {0};

    cJSON_AddNumberToObject(o, "id", (double)run->number);
    cJSON_AddStringToObject(o, "state", rejudge_state_name(run->state));
    cJSON_AddBoolToObject(o, "preview", run->preview);
    cJSON_AddNumberToObject(o, "submissions", (double)run->list.count);
    cJSON_AddNumberToObject(o, "judged", (double)run->judged);
    cJSON_AddNumberToObject(o, "left_out", (double)run->left_out);
    if (run->message != NULL)
        cJSON_AddStringToObject(o, "message", run->message);
    cJSON_AddNumberToObject(o, "begun_ms", (double)run->begun_ms);
    cJSON_AddItemToObject(o, "ended_ms", number_or_null((double)run->ended_ms));
    if (run->state == REJUDGE_PREVIEWED || run->state == REJUDGE_REPLACED) {
        add_verdicts(o, run);
        if (add_ranks(c->daemon, o, &run->ranks, &r) != 0) {
            cJSON_Delete(o);
            reply_failure(c, &r);
            return;
        }
    }
    reply_json(c, status, o);
}

/* --- the calls ---------------------------------------------------------- */

void
api_rejudgement(struct http_call *c)
{
    if (rejudge_last(c->daemon->rejudge) == NULL)
        reply_problem(c, ERROR_NO_SUCH_REJUDGEMENT, NULL,
                      "nothing was judged again since the judge was started");
    else
        reply_run(c, 200);
}

void
api_cancel_rejudgement(struct http_call *c)
{
    char *message;

    if (!rejudge_is_under_way(c->daemon->rejudge)) {
        reply_problem(c, ERROR_NO_SUCH_REJUDGEMENT, NULL,
                      "nothing is being judged again");
        return;
    }
    message = xasprintf("%s has cancelled it", c->who.name);
    rejudge_cancel(c->daemon, message);
    free(message);
    reply_run(c, 200);
}

/* The texts of a body. */
struct rejudge_body {
    const char *submissions, *problem, *device, *which, *mode;
};

/* Reads "7,8,9". Returns how many there are; 0 after having answered. */
static size_t
take_ids(struct http_call *c, const char *text, int64_t out[IDS_MAX])
{
    char *copy = xstrdup(text), *rest = copy;
    size_t count = 0;

    for (const char *word; (word = strsep(&rest, ",")) != NULL; count++)
        if (count == IDS_MAX || !request_number(word, 1, NUMBER_MAX, &out[count])) {
            reply_problem(c, ERROR_INVALID_MEMBER, "/submissions",
                          count == IDS_MAX
                              ? "submissions has more than %d numbers"
                              : "submissions is not up to %d numbers with commas between "
                                "them, such as 7,8",
                          IDS_MAX);
            count = 0;
            break;
        }
    free(copy);
    return count;
}

static bool
is_one_of(const char *text, const char *one, const char *other)
{
    return text == NULL || strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

/* Is the body all right by itself? False after having answered. */
static bool
check_body(struct http_call *c, const struct rejudge_body *b)
{
    if (!is_one_of(b->mode, "replace", "preview"))
        reply_problem(c, ERROR_INVALID_MEMBER, "/mode",
                      "mode is \"%.40s\": it must be \"replace\" or \"preview\"",
                      b->mode);
    else if (!is_one_of(b->which, "all", "changed"))
        reply_problem(c, ERROR_INVALID_MEMBER, "/which",
                      "which is \"%.40s\": it must be \"all\" or \"changed\"", b->which);
    else if (b->submissions == NULL && b->problem == NULL && b->device == NULL)
        reply_problem(
            c, ERROR_MISSING_MEMBER, NULL,
            "say what is to be judged again: submissions, a problem or a device");
    else if (b->submissions != NULL &&
             (b->problem != NULL || b->device != NULL || b->which != NULL))
        reply_problem(c, ERROR_INVALID_MEMBER, "/submissions",
                      "submissions are named by their numbers alone, without problem, "
                      "device and which");
    else if (rejudge_is_under_way(c->daemon->rejudge))
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "rejudgement %lld is under way: wait for it, or cancel it",
                      (long long)rejudge_last(c->daemon->rejudge)->number);
    else if (c->daemon->draining)
        reply_problem(c, ERROR_STOPPING, NULL, "the judge is being stopped");
    else
        return true;
    return false;
}

static void
begin_run(struct http_call *c, const struct rejudge_wish *wish, bool preview)
{
    struct rejudged_list list;
    struct report r = {0};
    size_t left_out;
    bool bad;

    if (rejudge_choose(c->daemon, wish, &list, &left_out, &bad, &r) == 0) {
        log_line("%s has %zu submissions judged again", c->who.name, list.count);
        rejudge_begin(c->daemon, &list, left_out, preview);
        reply_run(c, 201);
    } else if (bad) {
        reply_problem(c, ERROR_INVALID_MEMBER, wish->id_count > 0 ? "/submissions" : NULL,
                      "%s", r.text);
    } else {
        reply_failure(c, &r);
    }
}

void
api_rejudge(struct http_call *c)
{
    struct rejudge_body b = {0};
    const struct request_field fields[] = {{"submissions", &b.submissions, NULL},
                                           {"problem", &b.problem, NULL},
                                           {"device", &b.device, NULL},
                                           {"which", &b.which, NULL},
                                           {"mode", &b.mode, NULL}};
    struct rejudge_wish wish = {0};
    char *board = NULL;
    int64_t id[IDS_MAX];
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "a rejudgement",
                      &object))
        return;
    if (check_body(c, &b) &&
        api_check_problem(c, b.problem, ERROR_NO_SUCH_PROBLEM, "/problem") &&
        (b.device == NULL || (board = api_board_named(c, b.device, "/device")) != NULL) &&
        (b.submissions == NULL || (wish.id_count = take_ids(c, b.submissions, id)) > 0)) {
        wish.id = id;
        wish.problem = b.problem;
        wish.board = board;
        wish.changed = b.which != NULL && strcmp(b.which, "changed") == 0;
        begin_run(c, &wish, b.mode != NULL && strcmp(b.mode, "preview") == 0);
    }
    free(board);
    cJSON_Delete(object);
}
