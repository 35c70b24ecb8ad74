/* The API's answers about equal work, for the staff (record/equal.h). No digest is told:
 * with one, a source could be tried against it. */
#include "record/equal.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/api.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/known_work.h"
#include "daemon/pages.h"
#include "daemon/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EQUAL_DEFAULT 50
#define EQUAL_LETTER 'e'

/* --- one work as JSON ---------------------------------------------------- */

static void
add_people(cJSON *o, const struct equal_work *w)
{
    cJSON *list = cJSON_AddArrayToObject(o, "people");

    for (size_t i = 0; i < w->count; i++) {
        const struct equal_person *p = &w->person[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "user", p->user);
        if (p->display_name[0] != '\0')
            cJSON_AddStringToObject(row, "display_name", p->display_name);
        cJSON_AddNumberToObject(row, "submission", (double)p->submission);
        cJSON_AddNumberToObject(row, "created_ms", (double)p->created_ms);
        cJSON_AddItemToArray(list, row);
    }
    cJSON_AddBoolToObject(o, "more", w->more);
}

/* The right solution whose source, or PTX, people have; NULL where it is none that is
 * known. */
static const char *
solution_of(const struct known_work *known, const struct equal_work *w)
{
    const char *name = NULL;

    if (w->kind == EQUAL_SOURCE)
        return known_work_solution(known, w->digest.hex);
    for (size_t i = 0; i < w->count && name == NULL; i++)
        name = known_work_solution(known, w->person[i].source);
    return name;
}

static void
add_work(cJSON *o, const struct equal_work *w, const char *solution)
{
    cJSON_AddNumberToObject(o, "size", (double)w->digest.size);
    if (solution != NULL)
        cJSON_AddStringToObject(o, "solution", solution);
    add_people(o, w);
}

/* --- of one submission --------------------------------------------------- */

int
api_add_equal(struct daemon *d, cJSON *o, const struct submission *sub, struct report *r)
{
    struct equal_work w[EQUAL_KIND_COUNT];
    struct known_work known;
    const char *source;
    cJSON *equal;

    if (store_equal_to(d->store, sub->id, w, r) != 0)
        return -1;
    source = w[EQUAL_SOURCE].digest.hex;
    if (w[EQUAL_SOURCE].digest.size == 0) {
        cJSON_AddNullToObject(o, "equal");
    } else {
        known_work_read(d, sub->problem, &known);
        equal = cJSON_AddObjectToObject(o, "equal");
        if (known_work_is_starter(&known, source)) {
            cJSON_AddBoolToObject(equal, "starter", true);
        } else {
            for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++)
                if (w[kind].digest.size > 0)
                    add_work(cJSON_AddObjectToObject(equal, equal_kind_name(kind)),
                             &w[kind],
                             known_work_solution(&known, source) != NULL
                                 ? known_work_solution(&known, source)
                                 : solution_of(&known, &w[kind]));
        }
        known_work_free(&known);
    }
    for (int kind = 0; kind < EQUAL_KIND_COUNT; kind++)
        equal_work_free(&w[kind]);
    return 0;
}

/* --- all of it ------------------------------------------------------------ */

/* A list while its answer is made, one work in a slice. */
struct shown_equal {
    struct daemon *daemon;
    struct identity who;
    char *problem;        /* NULL: of any */
    int64_t before, last; /* `last` is the page's last row */
    bool begun, told;
};

static void
shown_equal_free(void *arg)
{
    struct shown_equal *e = arg;

    free(e->problem);
    free(e);
}

/* Appends a work, if it is one to tell: what several people have of the starter, or what
 * their equal sources tell already, is none. */
static void
shown_equal_add(struct shown_equal *e, const struct equal_work *w, struct buf *body)
{
    struct known_work known;
    cJSON *o;

    if (equal_work_follows_from_source(w))
        return;
    known_work_read(e->daemon, w->problem, &known);
    if (w->kind != EQUAL_SOURCE || !known_work_is_starter(&known, w->digest.hex)) {
        o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "id", (double)w->id);
        cJSON_AddStringToObject(o, "problem", w->problem);
        cJSON_AddStringToObject(o, "kind", equal_kind_name(w->kind));
        add_work(o, w, solution_of(&known, w));
        buf_puts(body, e->told ? "," : "");
        buf_add_json(body, o);
        e->told = true;
    }
    known_work_free(&known);
}

static int
shown_equal_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_equal *e = arg;
    struct equal_work w;
    bool found = false, hides = false;
    int rc = 0;

    /* A slice must have something to send, and JSON may have spaces anywhere. */
    buf_puts(body, e->begun ? " " : "{\"equal\":[");
    e->begun = true;
    if (store_equal_before(e->daemon->store, e->problem, e->before, &found, &w, r) != 0)
        return -1;
    *more = found && w.id > e->last;
    if (found) {
        rc = hiding_hides(e->daemon->hiding, &e->who, w.problem, &hides, r);
        if (rc == 0 && !hides && w.id >= e->last)
            shown_equal_add(e, &w, body);
        e->before = w.id;
        equal_work_free(&w);
    }
    if (!*more)
        buf_puts(body, "]}\n");
    return rc;
}

void
api_equal(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_equal_next, shown_equal_free};
    const char *problem = call_query(c, "problem");
    struct shown_equal *e;
    struct report r = {0};
    int64_t before, last;
    struct page page;
    char key[24];

    if (!page_take(c, EQUAL_LETTER, EQUAL_DEFAULT, &page) ||
        !page_number(c, &page, &before) ||
        !api_check_problem(c, problem, ERROR_INVALID_PARAMETER, "?problem"))
        return;
    if (store_equal_end(c->daemon->store, problem, before, page.limit, &last, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    if (last != 0)
        page_add_next(c, EQUAL_LETTER, key,
                      (size_t)snprintf(key, sizeof key, "%lld", (long long)last));
    e = xcalloc(1, sizeof *e);
    *e = (struct shown_equal){.daemon = c->daemon,
                              .who = c->who,
                              .problem = problem != NULL ? xstrdup(problem) : NULL,
                              .before = before,
                              .last = last};
    reply_slices(c, &MAKER, e);
}
