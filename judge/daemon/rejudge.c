/* Holds a run: what is judged again, what came of it, and its end. */
#include "daemon/rejudge.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/meanings.h"
#include "daemon/queue.h"
#include "record/store.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rejudge {
    struct daemon *daemon;
    struct rejudge_run last; /* its number is 0 where there was none */
    /* Once all are judged: what replaces their results, and what that would change. */
    struct event *step; /* goes off while that is found out */
    struct replacement *replacement;
    struct replace_preview *preview;
};

static void rejudge_on_step(evutil_socket_t fd, short what, void *arg);

const char *
rejudge_state_name(enum rejudge_state state)
{
    static const char *const NAMES[] = {
#define X(name, text) text,
        REJUDGE_STATES(X)
#undef X
    };

    return NAMES[state];
}

static void
rejudged_free(struct rejudged *j)
{
    free(j->user);
    free(j->problem);
    free(j->filename);
    free(j->device);
    free(j->board);
    result_free(&j->result);
    free(j->node);
    free(j->driver);
}

void
rejudged_list_free(struct rejudged_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        rejudged_free(&list->row[i]);
    free(list->row);
    *list = (struct rejudged_list){0};
}

struct rejudge *
rejudge_new(struct daemon *d)
{
    struct rejudge *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    all->step = evtimer_new(d->base, rejudge_on_step, all);
    if (all->step == NULL)
        die(4, "out of memory");
    return all;
}

static void
run_free(struct rejudge_run *run)
{
    rejudged_list_free(&run->list);
    rank_changes_free(&run->ranks);
    free(run->message);
}

/* Frees what a preview was made of. */
static void
preview_free(struct rejudge *all)
{
    store_preview_free(all->preview);
    free(all->replacement);
    all->preview = NULL;
    all->replacement = NULL;
    evtimer_del(all->step);
}

void
rejudge_free(struct rejudge *all)
{
    if (all == NULL)
        return;
    preview_free(all);
    event_free(all->step);
    run_free(&all->last);
    free(all);
}

const struct rejudge_run *
rejudge_last(const struct rejudge *all)
{
    return all->last.number > 0 ? &all->last : NULL;
}

bool
rejudge_is_under_way(const struct rejudge *all)
{
    return all->last.number > 0 && all->last.state == REJUDGE_JUDGING;
}

void
rejudge_begin(struct daemon *d, struct rejudged_list *list, size_t left_out, bool preview)
{
    struct rejudge_run *run = &d->rejudge->last;
    const int64_t number = run->number + 1;

    run_free(run);
    *run = (struct rejudge_run){.number = number,
                                .state = REJUDGE_JUDGING,
                                .preview = preview,
                                .list = *list,
                                .left_out = left_out,
                                .begun_ms = now_ms()};
    *list = (struct rejudged_list){0};
    log_line("rejudgement %lld: %zu submissions are judged again%s", (long long)number,
             run->list.count, preview ? ", as a preview" : "");
    queue_step_soon(d->queue);
}

bool
rejudge_next(struct rejudge *all, const char *device, struct idle_work *out)
{
    if (!rejudge_is_under_way(all))
        return false;
    for (size_t i = 0; i < all->last.list.count; i++) {
        struct rejudged *j = &all->last.list.row[i];

        if (j->begun || strcmp(j->device, device) != 0)
            continue;
        j->begun = true;
        *out = (struct idle_work){.kind = IDLE_REJUDGED,
                                  .run = all->last.number,
                                  .id = j->id,
                                  .problem = j->problem,
                                  .filename = j->filename};
        return true;
    }
    return false;
}

/* --- the end of a run --------------------------------------------------- */

static void
run_end(struct daemon *d, enum rejudge_state state, const char *message)
{
    struct rejudge_run *run = &d->rejudge->last;

    preview_free(d->rejudge);
    run->state = state;
    run->ended_ms = now_ms();
    run->message = message != NULL ? xstrdup(message) : NULL;
    log_line("rejudgement %lld: %s%s%s", (long long)run->number,
             rejudge_state_name(state), message != NULL ? ": " : "",
             message != NULL ? message : "");
    if (state == REJUDGE_FAILED || state == REJUDGE_CANCELLED)
        queue_drop_idle(d->queue, IDLE_REJUDGED);
}

void
rejudge_cancel(struct daemon *d, const char *message)
{
    if (!rejudge_is_under_way(d->rejudge))
        return;
    run_end(d, REJUDGE_CANCELLED, message);
    queue_step(d->queue);
}

void
rejudge_check_devices(struct daemon *d)
{
    const struct rejudge_run *run = &d->rejudge->last;
    struct report r = {0};

    for (size_t i = 0; rejudge_is_under_way(d->rejudge) && i < run->list.count; i++) {
        const struct rejudged *j = &run->list.row[i];

        if (j->begun || devices_find(&d->devices, j->device) != NULL)
            continue;
        report_fail(&r, "the device %s is not in this machine any more", j->device);
        run_end(d, REJUDGE_FAILED, r.text);
    }
}

/* Takes those out of the run whose owner has deleted the source meanwhile. Nothing that
 * quotes it may be stored. Nobody else's rejudgement depends on who leaves. */
static int
run_leave_out_deleted(struct daemon *d, struct rejudge_run *run, struct report *r)
{
    size_t kept = 0;
    int rc = 0;

    for (size_t i = 0; i < run->list.count; i++) {
        struct rejudged *j = &run->list.row[i];
        struct buf byte = {0};

        if (rc == 0)
            rc = store_source_part(d->store, j->id, 0, 1, &byte, r);
        if (rc != 0 || byte.len > 0)
            run->list.row[kept++] = *j;
        else
            rejudged_free(j);
        buf_free(&byte);
    }
    run->left_out += run->list.count - kept;
    run->list.count = run->judged = kept;
    return rc;
}

/* Does the result belong to the problem as it is now? */
static int
check_rejudged(struct daemon *d, const struct rejudged *j, struct report *r)
{
    if (strcmp(j->meaning, meanings_get(d->meanings, j->problem, j->board)) == 0)
        return 0;
    return report_fail(r, "the problem %s was changed meanwhile", j->problem);
}

/* Checks that all results may still be replaced, and lists them anew. */
static int
run_list(struct daemon *d, struct rejudge_run *run, struct report *r)
{
    struct rejudge *all = d->rejudge;

    if (run_leave_out_deleted(d, run, r) != 0)
        return -1;
    free(all->replacement);
    all->replacement = xcalloc(run->list.count + 1, sizeof *all->replacement);
    for (size_t i = 0; i < run->list.count; i++) {
        struct rejudged *j = &run->list.row[i];

        j->after.result = &j->result;
        j->after.meaning = j->meaning;
        j->after.node = j->node;
        j->after.driver = j->driver;
        all->replacement[i] = (struct replacement){.id = j->id, .finished = j->after};
        if (check_rejudged(d, j, r) != 0)
            return -1;
    }
    return 0;
}

static void
rejudge_step_soon(struct rejudge *all)
{
    static const struct timeval soon = {0};

    evtimer_add(all->step, &soon);
}

/* Begins to find out what the results of a run would change. */
static int
run_preview(struct daemon *d, struct rejudge_run *run, struct report *r)
{
    if (run_list(d, run, r) != 0)
        return -1;
    d->rejudge->preview =
        store_preview_new(d->store, d->rejudge->replacement, run->list.count);
    rejudge_step_soon(d->rejudge);
    return 0;
}

/* Ends a run of which is known what it changes. */
static int
run_finish(struct daemon *d, struct rejudge_run *run, struct report *r)
{
    store_preview_take(d->rejudge->preview, &run->ranks);
    if (!run->preview &&
        (run_list(d, run, r) != 0 ||
         store_replace(d->store, d->rejudge->replacement, run->list.count, r) != 0))
        return -1;
    run_end(d, run->preview ? REJUDGE_PREVIEWED : REJUDGE_REPLACED, NULL);
    return 0;
}

static void
rejudge_on_step(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("a rejudgement's ranks");
    struct rejudge *all = arg;
    struct report r = {0};
    bool more;
    int rc;

    (void)fd;
    (void)what;
    rc = store_preview_step(all->preview, &more, &r);
    if (rc == 0 && more) {
        rejudge_step_soon(all);
        return;
    }
    if (rc == 0)
        rc = run_finish(all->daemon, &all->last, &r);
    if (rc != 0)
        run_end(all->daemon, REJUDGE_FAILED, r.text);
}

static struct rejudged *
find_rejudged(struct rejudge *all, int64_t run, int64_t id)
{
    if (!rejudge_is_under_way(all) || all->last.number != run)
        return NULL;
    for (size_t i = 0; i < all->last.list.count; i++)
        if (all->last.list.row[i].id == id)
            return &all->last.list.row[i];
    return NULL;
}

void
rejudge_take(struct daemon *d, int64_t run, int64_t id,
             const struct finished_submission *finished)
{
    struct rejudged *j = find_rejudged(d->rejudge, run, id);
    struct rejudge_run *last = &d->rejudge->last;
    struct result result = *finished->result;
    struct report r = {0};

    if (j == NULL) {
        result_free(&result);
        return;
    }
    j->judged = true;
    j->after = *finished;
    j->result = result;
    j->node = finished->node != NULL ? xstrdup(finished->node) : NULL;
    j->driver = finished->driver != NULL ? xstrdup(finished->driver) : NULL;
    snprintf(j->meaning, sizeof j->meaning, "%s",
             finished->meaning != NULL ? finished->meaning : "");
    last->judged++;
    log_line("submission %lld: judged again: %s", (long long)id,
             verdict_name(result.verdict));
    if (result.verdict == VERDICT_JUDGE_ERROR) {
        report_fail(&r, "submission %lld: %s", (long long)id, result.message);
        run_end(d, REJUDGE_FAILED, r.text);
    } else if (last->judged == last->list.count) {
        if (run_preview(d, last, &r) != 0)
            run_end(d, REJUDGE_FAILED, r.text);
    }
}
