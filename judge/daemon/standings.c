/* Computes standings, and has those wait who ask for them. */
#include "daemon/standings.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/inject.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/meanings.h"
#include "daemon/specs.h"
#include "daemon/thread.h"
#include "daemon/waiting_call.h"
#include "record/store.h"

#include <event2/event.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKED_AT_MS 1000
#define PAUSE_TIMES 20
#define STEP_CPU_NS 500000u

/* A problem as a thread may see it. */
struct seen_problem {
    char *slug, *meaning; /* meaning NULL: it cannot be read, or is hidden */
    enum difficulty difficulty;
};

struct asker {
    struct asker *next;
    struct waiting_call *call;
    standing_answer_fn *answer;
};

/* The standing of a kind of device. */
struct kept_standing {
    struct kept_standing *next;
    char *board;
    struct held_standing *held; /* NULL: it was never computed */
    /* Of the computation that has ended last. While the next one is under way, they still
     * say how old what is held is. */
    uint64_t begun_ns, took_ns, changes;
    struct asker *askers;
};

struct standings {
    struct daemon *daemon;
    struct kept_standing *first;
    uint64_t versions;
    /* Below is what is being computed. */
    struct kept_standing *computed; /* NULL: nothing is */
    uint64_t begun_ns, changes;
    struct seen_problem *problem; /* in the order of their slugs */
    int problem_count, seen;
    struct event *step, *end;
    pthread_t thread;
    bool threaded;
    int ended[2]; /* a pipe, which the thread closes at its end */
    atomic_bool stop;
    /* The thread writes these before its end. */
    int rc;
    struct standing made;
    struct report why;
};

static void standings_begin(struct standings *s);

/* --- the thread --------------------------------------------------------- */

static int
compare_problems(const void *slug, const void *problem)
{
    return strcmp(slug, ((const struct seen_problem *)problem)->slug);
}

static bool
find_problem(void *arg, const char *slug, const char **meaning,
             enum difficulty *difficulty)
{
    const struct standings *s = arg;
    const struct seen_problem *p =
        s->problem_count > 0 ? bsearch(slug, s->problem, (size_t)s->problem_count,
                                       sizeof *s->problem, compare_problems)
                             : NULL;

    if (p == NULL || p->meaning == NULL)
        return false;
    *meaning = p->meaning;
    *difficulty = p->difficulty;
    return true;
}

static void *
standings_run(void *arg)
{
    struct standings *s = arg;
    struct store *store = NULL;

    inject_hold(INJECT_STANDING_HELD);
    s->rc = store_open_to_read(s->daemon->config.database, &store, &s->why);
    if (s->rc == 0) {
        s->rc = standing_read(store, s->computed->board, find_problem, s, &s->stop,
                              &s->made, &s->why);
        store_close(store);
    }
    close(s->ended[1]);
    return NULL;
}

/* --- its beginning and its end ------------------------------------------ */

void
standing_hold(struct held_standing *h)
{
    h->holders++;
}

void
standing_release(struct held_standing *h)
{
    if (h == NULL || --h->holders > 0)
        return;
    standing_free(&h->standing);
    free(h);
}

static void
forget_problems(struct standings *s)
{
    for (int i = 0; i < s->problem_count; i++) {
        free(s->problem[i].slug);
        free(s->problem[i].meaning);
    }
    free(s->problem);
    s->problem = NULL;
    s->problem_count = s->seen = 0;
}

static void
answer_asker(struct http_call *c, void *arg)
{
    struct kept_standing *k = ((struct standings *)c->daemon->standings)->computed;
    const struct asker *asker = arg;

    asker->answer(c, k->held);
}

static void
answer_askers(struct kept_standing *k)
{
    struct asker *a = k->askers, *next;

    k->askers = NULL;
    for (; a != NULL; a = next) {
        next = a->next;
        call_resume(a->call, answer_asker, a);
        free(a);
    }
}

/* Ends what was computed, with a report where it failed. */
static void
standings_end(struct standings *s)
{
    struct kept_standing *k = s->computed;

    if (s->rc == 0) {
        struct held_standing *h = xcalloc(1, sizeof *h);

        *h = (struct held_standing){.holders = 1,
                                    .standing = s->made,
                                    .version = ++s->versions,
                                    .as_of_ms = now_ms()};
        standing_release(k->held);
        k->held = h;
    } else {
        log_line("the standing on %s: %s", k->board, s->why.text);
    }
    k->begun_ns = s->begun_ns;
    k->took_ns = now_ns() - s->begun_ns;
    k->changes = s->changes;
    s->made = (struct standing){0};
    forget_problems(s);
    answer_askers(k);
    s->computed = NULL;
    standings_begin(s);
}

static void
standings_on_end(evutil_socket_t fd, short what, void *arg)
{
    struct standings *s = arg;
    LOOP_HANDLER("a standing is there");

    (void)fd;
    (void)what;
    pthread_join(s->thread, NULL);
    s->threaded = false;
    event_free(s->end);
    s->end = NULL;
    close(s->ended[0]);
    standings_end(s);
}

/* All problems were looked at: starts the thread. */
static void
standings_start(struct standings *s)
{
    s->why = (struct report){0};
    s->rc = -1;
    if (pipe2(s->ended, O_CLOEXEC | O_NONBLOCK) != 0) {
        report_errno(&s->why, "no pipe can be made");
        standings_end(s);
        return;
    }
    s->end = event_new(s->daemon->base, s->ended[0], EV_READ, standings_on_end, s);
    if (s->end == NULL || event_add(s->end, NULL) != 0)
        die(4, "out of memory");
    s->threaded = thread_start(&s->thread, standings_run, s, &s->why) == 0;
    if (s->threaded)
        return;
    event_free(s->end);
    s->end = NULL;
    close(s->ended[0]);
    close(s->ended[1]);
    standings_end(s);
}

/* --- looking at the problems -------------------------------------------- */

static void
look_at_problem(struct standings *s, struct seen_problem *p)
{
    struct daemon *d = s->daemon;
    struct report ignored = {0};
    bool exists;
    const struct problem *spec = specs_get(d->specs, p->slug, &exists, &ignored);

    if (spec == NULL || hiding_hides_from_some(d->hiding, p->slug))
        return;
    p->difficulty = spec->difficulty == NULL                ? MEDIUM
                    : strcmp(spec->difficulty, "easy") == 0 ? EASY
                    : strcmp(spec->difficulty, "hard") == 0 ? HARD
                                                            : MEDIUM;
    p->meaning = xstrdup(meanings_get(d->meanings, p->slug, s->computed->board));
}

static void
standings_on_step(evutil_socket_t fd, short what, void *arg)
{
    static const struct timeval at_once = {0};
    struct standings *s = arg;
    const uint64_t begin = loop_cpu_ns();
    LOOP_HANDLER("the problems of a standing");

    (void)fd;
    (void)what;
    while (s->seen < s->problem_count && loop_cpu_ns() - begin < STEP_CPU_NS)
        look_at_problem(s, &s->problem[s->seen++]);
    if (s->seen == s->problem_count)
        standings_start(s);
    else if (event_add(s->step, &at_once) != 0)
        die(4, "out of memory");
}

/* Begins with the next standing that somebody waits for, unless one is under way. */
static void
standings_begin(struct standings *s)
{
    static const struct timeval at_once = {0};
    struct kept_standing *k = s->first;
    struct report ignored = {0};
    char **slugs = NULL;

    while (k != NULL && k->askers == NULL)
        k = k->next;
    if (s->computed != NULL || k == NULL)
        return;
    s->computed = k;
    s->begun_ns = now_ns();
    s->changes = store_changes(s->daemon->store);
    if (problem_list(specs_dir(s->daemon->specs), &slugs, &s->problem_count, &ignored) !=
        0)
        s->problem_count = 0;
    s->problem = xcalloc((size_t)s->problem_count + 1, sizeof *s->problem);
    for (int i = 0; i < s->problem_count; i++)
        s->problem[i].slug = slugs[i];
    free(slugs);
    if (event_add(s->step, &at_once) != 0)
        die(4, "out of memory");
}

/* --- asking ------------------------------------------------------------- */

static struct kept_standing *
find_kept(struct standings *s, const char *board)
{
    struct kept_standing *k = s->first;

    while (k != NULL && strcmp(k->board, board) != 0)
        k = k->next;
    if (k == NULL) {
        k = xcalloc(1, sizeof *k);
        *k = (struct kept_standing){.next = s->first, .board = xstrdup(board)};
        s->first = k;
    }
    return k;
}

static bool
is_current(const struct standings *s, const struct kept_standing *k)
{
    const uint64_t age_ns = now_ns() - k->begun_ns;

    return k->held != NULL && (age_ns < PAUSE_TIMES * k->took_ns ||
                               (age_ns < LOOKED_AT_MS * UINT64_C(1000000) &&
                                k->changes == store_changes(s->daemon->store)));
}

void
standings_ask(struct standings *s, struct http_call *c, const char *board,
              standing_answer_fn *answer)
{
    struct kept_standing *k = find_kept(s, board);
    struct asker *asker, **last = &k->askers;

    if (is_current(s, k)) {
        answer(c, k->held);
        return;
    }
    asker = xcalloc(1, sizeof *asker);
    *asker = (struct asker){.call = call_wait(c), .answer = answer};
    while (*last != NULL)
        last = &(*last)->next;
    *last = asker;
    standings_begin(s);
}

struct standings *
standings_new(struct daemon *d)
{
    struct standings *s = xcalloc(1, sizeof *s);

    s->daemon = d;
    s->step = evtimer_new(d->base, standings_on_step, s);
    if (s->step == NULL)
        die(4, "out of memory");
    return s;
}

static void
kept_standing_free(struct kept_standing *k)
{
    struct asker *next;

    for (struct asker *a = k->askers; a != NULL; a = next) {
        next = a->next;
        call_resume(a->call, NULL, NULL);
        free(a);
    }
    standing_release(k->held);
    free(k->board);
    free(k);
}

void
standings_free(struct standings *s)
{
    struct kept_standing *next;

    atomic_store(&s->stop, true);
    if (s->threaded) {
        pthread_join(s->thread, NULL);
        event_free(s->end);
        close(s->ended[0]);
        standing_free(&s->made);
    }
    event_free(s->step);
    forget_problems(s);
    for (struct kept_standing *k = s->first; k != NULL; k = next) {
        next = k->next;
        kept_standing_free(k);
    }
    free(s);
}
