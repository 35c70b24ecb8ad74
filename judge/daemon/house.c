/* Holds a run of the house: what is judged, what came of it, and its end. */
#include "daemon/house.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/queue.h"
#include "problem/ladder.h"
#include "record/store.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct house {
    struct daemon *daemon;
    struct event *look;    /* goes off while there are problems to look at */
    struct house_run last; /* its number is 0 where there was none */
};

const char *
house_state_name(enum house_state state)
{
    static const char *const NAMES[] = {
#define X(name, text) text,
        HOUSE_STATES(X)
#undef X
    };

    return NAMES[state];
}

static void
run_free(struct house_run *run)
{
    for (size_t i = 0; i < run->slug_count; i++)
        free(run->slug[i]);
    free(run->slug);
    for (size_t i = 0; i < run->step_count; i++) {
        free(run->step[i].problem);
        free(run->step[i].filename);
        free(run->step[i].source);
        free(run->step[i].why);
    }
    free(run->step);
    free(run->board);
    free(run->message);
}

const struct house_run *
house_last(const struct house *all)
{
    return all->last.number > 0 ? &all->last : NULL;
}

bool
house_is_under_way(const struct house *all)
{
    return all->last.number > 0 && all->last.state == HOUSE_JUDGING;
}

size_t
house_count(const struct house_run *run, enum house_fate fate)
{
    size_t count = 0;

    for (size_t i = 0; i < run->step_count; i++)
        count += run->step[i].fate == fate;
    return count;
}

/* --- the end of a run ---------------------------------------------------- */

static void
house_end(struct daemon *d, enum house_state state, const char *message)
{
    struct house_run *run = &d->house->last;

    run->state = state;
    run->ended_ms = now_ms();
    run->message = message != NULL ? xstrdup(message) : NULL;
    evtimer_del(d->house->look);
    log_line("house %lld: %s%s%s: %zu were judged, %zu had marks already, %zu failed",
             (long long)run->number, house_state_name(state), message != NULL ? ": " : "",
             message != NULL ? message : "", house_count(run, HOUSE_MARKED),
             house_count(run, HOUSE_KEPT), house_count(run, HOUSE_FAILED));
    if (state == HOUSE_CANCELLED)
        queue_drop_idle(d->queue, IDLE_HOUSE);
}

/* Ends the run where nothing is left to do. */
static void
house_end_if_done(struct daemon *d)
{
    const struct house_run *run = &d->house->last;

    if (house_is_under_way(d->house) && run->looked == run->slug_count &&
        house_count(run, HOUSE_WAITS) + house_count(run, HOUSE_BEGUN) == 0)
        house_end(d, HOUSE_DONE, NULL);
}

void
house_cancel(struct daemon *d, const char *message)
{
    if (!house_is_under_way(d->house))
        return;
    house_end(d, HOUSE_CANCELLED, message);
    queue_step(d->queue);
}

/* --- the beginning of a run ---------------------------------------------- */

static void
house_on_look(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the house's solutions");
    static const struct timeval soon = {0};
    struct house *all = arg;
    struct house_run *run = &all->last;
    struct report r = {0};

    (void)fd;
    (void)what;
    if (house_look(all->daemon, run, run->slug[run->looked], &r) != 0) {
        house_cancel(all->daemon, r.text);
        return;
    }
    if (++run->looked < run->slug_count)
        evtimer_add(all->look, &soon);
    house_end_if_done(all->daemon);
    queue_step(all->daemon->queue);
}

struct house *
house_new(struct daemon *d)
{
    struct house *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    all->look = evtimer_new(d->base, house_on_look, all);
    if (all->look == NULL)
        die(4, "out of memory");
    return all;
}

void
house_free(struct house *all)
{
    if (all == NULL)
        return;
    event_free(all->look);
    run_free(&all->last);
    free(all);
}

void
house_begin(struct daemon *d, const char *board, char **slugs, size_t count)
{
    static const struct timeval soon = {0};
    struct house_run *run = &d->house->last;
    const int64_t number = run->number + 1;

    run_free(run);
    *run = (struct house_run){.number = number,
                              .state = HOUSE_JUDGING,
                              .board = xstrdup(board),
                              .slug = slugs,
                              .slug_count = count,
                              .begun_ms = now_ms()};
    log_line("house %lld: its solutions of %zu problems are judged on %s",
             (long long)number, count, board);
    if (count > 0)
        evtimer_add(d->house->look, &soon);
    house_end_if_done(d);
}

/* --- judging ------------------------------------------------------------- */

static void
step_end(struct house_step *step, enum house_fate fate, char *why)
{
    step->fate = fate;
    free(step->why);
    step->why = why;
    free(step->source);
    step->source = NULL;
}

/* Reads the file again, which may have changed since it was looked at. */
static bool
step_begin(const struct daemon *d, struct house_step *step)
{
    char *path = xasprintf("%s/../solutions/%s/%s", d->config.problems, step->problem,
                           step->filename);
    struct buf text = {0};
    struct report r = {0};
    const int rc = file_read(path, SOURCE_BYTES_MAX, &text, &r);

    free(path);
    if (rc != 0) {
        step_end(step, HOUSE_FAILED, xasprintf("cannot be read: %s", r.text));
        buf_free(&text);
        return false;
    }
    hash_hex(buf_str(&text), strlen(buf_str(&text)), step->sha256);
    step->source = buf_take(&text);
    step->fate = HOUSE_BEGUN;
    return true;
}

bool
house_next(struct daemon *d, const char *device, struct idle_work *out)
{
    struct house_run *run = &d->house->last;
    const struct device_entry *e = devices_find(&d->devices, device);

    if (!house_is_under_way(d->house) || e == NULL || strcmp(e->board, run->board) != 0)
        return false;
    for (size_t i = 0; i < run->step_count; i++) {
        struct house_step *step = &run->step[i];

        if (step->fate != HOUSE_WAITS || !step_begin(d, step))
            continue;
        *out = (struct idle_work){.kind = IDLE_HOUSE,
                                  .run = run->number,
                                  .id = (int64_t)i,
                                  .problem = step->problem,
                                  .filename = step->filename,
                                  .source = step->source};
        return true;
    }
    house_end_if_done(d);
    return false;
}

void
house_check_devices(struct daemon *d)
{
    const struct house_run *run = &d->house->last;

    if (!house_is_under_way(d->house))
        return;
    for (int i = 0; i < d->devices.count; i++)
        if (strcmp(d->devices.entry[i].board, run->board) == 0)
            return;
    house_cancel(d, "its device is not in this machine any more");
}

/* Why a result leaves no mark; NULL where it leaves one. The caller frees. */
static char *
refusal(const struct finished_submission *f)
{
    const struct result *res = f->result;
    const char *message = res->message != NULL ? res->message : "";

    if (res->verdict != VERDICT_ACCEPTED)
        return xasprintf("must be accepted, but is %s%s%.*s", verdict_text(res->verdict),
                         message[0] != '\0' ? ": " : "", (int)strcspn(message, "\n"),
                         message);
    if (f->meaning == NULL)
        return xstrdup("was judged while its problem was changed: judge it again");
    return res->timing.present ? NULL : xstrdup("was accepted, but has no time");
}

/* Stores the mark of a step; or takes off that of an older file, where it leaves none. */
static int
house_store(struct daemon *d, const struct house_step *step,
            const struct finished_submission *finished, bool accepted, struct report *r)
{
    const struct timing *t = &finished->result->timing;
    const struct board board = {step->problem, d->house->last.board, finished->meaning};
    struct mark mark = {.filename = step->filename,
                        .time = {t->median_ns, t->low_ns, t->high_ns}};

    if (finished->meaning == NULL)
        return 0;
    if (!accepted)
        return store_drop_mark(d->store, &board, step->filename, r);
    memcpy(mark.sha256, step->sha256, sizeof mark.sha256);
    return store_set_mark(d->store, &board, &mark, r);
}

int
house_take(struct daemon *d, int64_t number, int64_t id,
           const struct finished_submission *finished, struct report *r)
{
    struct house_run *run = &d->house->last;
    struct result result = *finished->result;
    struct house_step *step;
    char *why;

    if (!house_is_under_way(d->house) || run->number != number) {
        result_free(&result);
        return 0;
    }
    step = &run->step[id];
    why = refusal(finished);
    if (house_store(d, step, finished, why == NULL, r) != 0) {
        free(why);
        return -1;
    }
    log_line("house, %s/%s: %s", step->problem, step->filename,
             why != NULL ? why : "accepted");
    step_end(step, why != NULL ? HOUSE_FAILED : HOUSE_MARKED, why);
    result_free(&result);
    house_end_if_done(d);
    return 0;
}
