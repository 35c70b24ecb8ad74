/* The API's answer about a standing: a page of it, made slice by slice. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/etag.h"
#include "daemon/fingerprint.h"
#include "daemon/pages.h"
#include "daemon/slices.h"
#include "daemon/standings.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define STANDING_LETTER 't'
#define ROWS_AT_ONCE 32

/* A page while its answer is made. */
struct shown_standing {
    struct store *store;
    struct held_standing *held;
    char *head; /* all of the object but its entries; NULL when it was told */
    bool any;   /* an entry was told */
    size_t next, end;
};

static void
shown_standing_free(void *arg)
{
    struct shown_standing *s = arg;

    standing_release(s->held);
    free(s->head);
    free(s);
}

static cJSON *
row_json(const struct standing_row *row, const char *name, const char *display_name)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "rank", (double)row->rank);
    cJSON_AddStringToObject(o, "user", name);
    if (display_name != NULL && display_name[0] != '\0')
        cJSON_AddStringToObject(o, "display_name", display_name);
    cJSON_AddNumberToObject(o, "points", (double)row->points / 1000);
    cJSON_AddNumberToObject(o, "solved",
                            row->solved[EASY] + row->solved[MEDIUM] + row->solved[HARD]);
    cJSON_AddNumberToObject(o, "easy", row->solved[EASY]);
    cJSON_AddNumberToObject(o, "medium", row->solved[MEDIUM]);
    cJSON_AddNumberToObject(o, "hard", row->solved[HARD]);
    cJSON_AddNumberToObject(o, "fastest", row->fastest);
    return o;
}

/* Adds a row, unless its user has gone since. */
static int
add_row(struct shown_standing *s, const struct standing_row *row, struct buf *body,
        struct report *r)
{
    char *name, *display_name;

    if (store_user_names(s->store, row->user, &name, &display_name, r) != 0)
        return -1;
    if (name != NULL) {
        buf_puts(body, s->any ? "," : "");
        buf_add_json(body, row_json(row, name, display_name));
        s->any = true;
    }
    free(name);
    free(display_name);
    return 0;
}

static int
shown_standing_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_standing *s = arg;

    if (s->head != NULL)
        buf_printf(body, "%s,\"entries\":[", s->head);
    free(s->head);
    s->head = NULL;
    for (int i = 0; i < ROWS_AT_ONCE && s->next < s->end; i++)
        if (add_row(s, &s->held->standing.row[s->next++], body, r) != 0)
            return -1;
    *more = s->next < s->end;
    if (!*more)
        buf_puts(body, "]}\n");
    return 0;
}

/* What a cursor names: a row, by what its place follows from. */
struct row_key {
    int64_t points, user;
};

static bool
row_behind(void *arg, const void *key, size_t len, size_t *row)
{
    const struct standing *s = arg;
    struct row_key last;
    size_t low = 0, high = s->count;

    if (len != sizeof last)
        return false;
    memcpy(&last, key, sizeof last);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct standing_row *m = &s->row[middle];

        if (m->points > last.points || (m->points == last.points && m->user <= last.user))
            low = middle + 1;
        else
            high = middle;
    }
    *row = low;
    return true;
}

static bool
row_of_user(void *arg, struct http_call *c, const char *user, size_t *row)
{
    struct report r = {0};
    int64_t number, found;

    if (store_user_number(c->daemon->store, user, &number, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    found = standing_find(arg, number);
    if (found < 0) {
        reply_problem(c, ERROR_NO_SUCH_ENTRY, "?around",
                      "\"%.80s\" has no entry in this standing", user);
        return false;
    }
    *row = (size_t)found;
    return true;
}

/* The sentence that explains a standing. */
static char *
rule_text(void)
{
    return xasprintf(
        "A solved problem earns %d points if easy, %d if medium, %d if hard: "
        "half for being right, half times the fastest time divided by one's "
        "own.",
        standing_worth(EASY), standing_worth(MEDIUM), standing_worth(HARD));
}

static char *
standing_head(const char *board, const struct held_standing *h, size_t first)
{
    cJSON *o = cJSON_CreateObject();
    char *rule = rule_text();
    struct buf text = {0};

    cJSON_AddStringToObject(o, "board", board);
    cJSON_AddBoolToObject(o, "modelled", strcmp(board, "emu") == 0);
    cJSON_AddStringToObject(o, "rule", rule);
    cJSON_AddNumberToObject(o, "as_of_ms", (double)h->as_of_ms);
    cJSON_AddNumberToObject(o, "total", (double)h->standing.count);
    cJSON_AddNumberToObject(o, "first", (double)(first + 1));
    buf_add_json(&text, o);
    text.data[text.len - 1] = '\0';
    free(rule);
    return buf_take(&text);
}

static uint64_t
standing_number(const struct daemon *d, const struct held_standing *h)
{
    const uint64_t parts[] = {d->born, h->version, store_renamed(d->store)};

    return fingerprint(0, parts, sizeof parts);
}

static void
answer_standing(struct http_call *c, struct held_standing *h)
{
    static const struct slices_maker MAKER = {shown_standing_next, shown_standing_free};
    const struct report none = {"the standing could not be computed: the log says why"};
    struct ordered_list list = {.letter = STANDING_LETTER,
                                .limit = PAGE_ROWS,
                                .behind = row_behind,
                                .row_of = row_of_user};
    struct shown_standing *s;
    struct page_rows rows;
    char *board;

    if (h == NULL) {
        reply_failure(c, &none);
        return;
    }
    list.arg = &h->standing;
    list.count = h->standing.count;
    if (!page_take_rows(c, &list, &rows))
        return;
    if (rows.end < list.count) {
        const struct standing_row *last = &h->standing.row[rows.end - 1];

        page_add_next(c, STANDING_LETTER, &(struct row_key){last->points, last->user},
                      sizeof(struct row_key));
    }
    if (etag_is_known(c, standing_number(c->daemon, h)))
        return;
    board = api_asked_board(c);
    if (board == NULL)
        return;
    standing_hold(h);
    s = xcalloc(1, sizeof *s);
    *s = (struct shown_standing){.store = c->daemon->store,
                                 .held = h,
                                 .head = standing_head(board, h, rows.first),
                                 .next = rows.first,
                                 .end = rows.end};
    free(board);
    reply_slices(c, &MAKER, s);
}

void
api_standings(struct http_call *c)
{
    char *board = api_asked_board(c);

    if (board != NULL)
        standings_ask(c->daemon->standings, c, board, answer_standing);
    free(board);
}
