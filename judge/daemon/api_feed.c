/* The API's feed: who has improved a board, and overtaken whom. Everybody may see it, as
 * boards. It tells only of boards of today's meaning. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/meanings.h"
#include "daemon/pages.h"
#include "daemon/slices.h"
#include "daemon/specs.h"
#include "record/moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEED_DEFAULT 20
#define FEED_LETTER 'f'
#define MOVES_AT_ONCE 8

/* A page looks at so many moves, also where most are of older boards. Then it ends, and
 * may have fewer rows than were asked for, or none. */
#define LOOKS_MOST PAGE_MAX

/* A page of the feed: which moves it tells, and then while it is made. */
struct feed {
    struct daemon *daemon;
    struct identity who;
    struct report failed; /* why the store could not be asked */
    uint64_t since_ns;    /* the problems' files are looked at once from then on */
    int64_t id[PAGE_MAX];
    int64_t count, limit, looked;
    int64_t last; /* that was looked at */
    bool follows; /* there are more behind it */
    int64_t next;
    bool begun; /* one was told */
};

static bool
feed_look(void *arg, int64_t id, const struct board *b)
{
    struct feed *f = arg;
    const char *today;
    bool hides;

    if (f->count == f->limit || f->looked == LOOKS_MOST) {
        f->follows = true;
        return false;
    }
    f->looked++;
    f->last = id;
    today = meanings_get_since(f->daemon->meanings, b->problem, b->device, f->since_ns);
    if (hiding_hides(f->daemon->hiding, &f->who, b->problem, &hides, &f->failed) != 0)
        return false;
    if (!hides && strcmp(today, b->meaning) == 0)
        f->id[f->count++] = id;
    return true;
}

static void
add_names(cJSON *o, const char *user, const char *display_name)
{
    cJSON_AddStringToObject(o, "user", user);
    if (display_name[0] != '\0')
        cJSON_AddStringToObject(o, "display_name", display_name);
}

static cJSON *
told_move_json(const struct told_move *m)
{
    cJSON *o = cJSON_CreateObject(), *list;

    cJSON_AddNumberToObject(o, "id", (double)m->id);
    cJSON_AddNumberToObject(o, "made_ms", (double)m->made_ms);
    add_names(o, m->user, m->display_name);
    cJSON_AddStringToObject(o, "problem", m->problem);
    cJSON_AddStringToObject(o, "board", m->board);
    cJSON_AddNumberToObject(o, "submission", (double)m->submission);
    cJSON_AddNumberToObject(o, "time_ns", m->time_ns);
    cJSON_AddItemToObject(o, "change", change_json(&m->move, m->time_ns));
    list = cJSON_AddArrayToObject(o, "overtaken");
    for (int i = 0; i < m->passed_count; i++) {
        const struct told_passed *p = &m->passed[i];
        cJSON *item = cJSON_CreateObject();

        add_names(item, p->user, p->display_name);
        cJSON_AddNumberToObject(item, "submission", (double)p->submission);
        cJSON_AddNumberToObject(item, "time_ns", p->time_ns);
        cJSON_AddItemToObject(item, "speedup", rate_json(p->time_ns, m->time_ns));
        cJSON_AddItemToArray(list, item);
    }
    return o;
}

static int
feed_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct feed *f = arg;

    /* A slice must have something to send, and JSON may have spaces anywhere. */
    if (body->len == 0)
        buf_puts(body, f->next == 0 ? "{\"feed\":[" : " ");
    for (int i = 0; i < MOVES_AT_ONCE && f->next < f->count; i++, f->next++) {
        struct told_move m;
        bool found = false;

        if (store_told_move(f->daemon->store, f->id[f->next], &found, &m, r) != 0)
            return -1;
        if (!found) /* its result was replaced meanwhile */
            continue;
        buf_puts(body, f->begun ? "," : "");
        buf_add_json(body, told_move_json(&m));
        f->begun = true;
        told_move_free(&m);
    }
    *more = f->next < f->count;
    if (!*more)
        buf_puts(body, "]}\n");
    return 0;
}

bool
api_check_problem(struct http_call *c, const char *slug, enum error_code code,
                  const char *field)
{
    struct report r = {0};
    bool exists = true;

    if (slug == NULL ||
        hiding_get(c->daemon->hiding, &c->who, slug, &exists, &r) != NULL || exists)
        return true;
    reply_problem(c, code, field, "%s", r.text);
    return false;
}

void
api_feed(struct http_call *c)
{
    static const struct slices_maker MAKER = {feed_next, free};
    const char *problem = call_query(c, "problem");
    struct feed *f;
    struct report r = {0};
    int64_t before;
    struct page page;
    char key[24];

    if (!page_take(c, FEED_LETTER, FEED_DEFAULT, &page) ||
        !page_number(c, &page, &before) ||
        !api_check_problem(c, problem, ERROR_INVALID_PARAMETER, "?problem"))
        return;
    f = xcalloc(1, sizeof *f);
    f->daemon = c->daemon;
    f->who = c->who;
    f->limit = page.limit;
    f->since_ns = now_ns() - LIST_CHECK_MS * UINT64_C(1000000);
    if (store_look_at_moves(c->daemon->store, problem, before, LOOKS_MOST + 1, feed_look,
                            f, &r) != 0 ||
        report_is_set(&f->failed)) {
        if (!report_is_set(&r))
            r = f->failed;
        free(f);
        reply_failure(c, &r);
        return;
    }
    if (f->follows)
        page_add_next(c, FEED_LETTER, key,
                      (size_t)snprintf(key, sizeof key, "%lld", (long long)f->last));
    reply_slices(c, &MAKER, f);
}
