/* The API's answers about boards. A board may have very many entries, so that it is made
 * slice by slice of one ranking, which stays as it is meanwhile. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/config.h"
#include "daemon/api_accounts.h"
#include "daemon/api_groups.h"
#include "daemon/daemon.h"
#include "daemon/etag.h"
#include "daemon/fingerprint.h"
#include "daemon/log.h"
#include "daemon/marks_json.h"
#include "daemon/meanings.h"
#include "daemon/pages.h"
#include "daemon/slices.h"
#include "problem/baselines.h"
#include "problem/names.h"
#include "problem/problem.h"
#include "record/rank.h"
#include "record/ranking.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES_AT_ONCE 16
#define BOARD_LETTER 'b'

cJSON *
rate_json(double work, double time_ns)
{
    return work > 0 && time_ns > 0 ? cJSON_CreateNumber(work / time_ns)
                                   : cJSON_CreateNull();
}

char *
api_board_named(struct http_call *c, const char *name, const char *field)
{
    const struct devices *devices = &c->daemon->devices;
    const struct device_entry *e;
    struct report r = {0};
    bool exists;
    char *names;

    e = devices_find(devices, name);
    if (e != NULL)
        return xstrdup(e->board);
    for (int i = 0; i < devices->count; i++)
        if (strcmp(devices->entry[i].board, name) == 0)
            return xstrdup(name);
    if (store_board_exists(c->daemon->store, name, &exists, &r) != 0) {
        reply_failure(c, &r);
        return NULL;
    }
    if (exists)
        return xstrdup(name);
    names = devices_names(devices);
    reply_problem(c, ERROR_NO_SUCH_DEVICE, field,
                  "there is no device \"%.80s\": this machine has %s", name, names);
    free(names);
    return NULL;
}

char *
api_asked_board(struct http_call *c)
{
    const char *name = call_query(c, "device");

    return name != NULL ? api_board_named(c, name, "?device")
                        : xstrdup(c->daemon->devices.entry[0].board);
}

static cJSON *
entry_json(const struct entry *e, const struct place *place)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "rank", (double)place_rank(place));
    cJSON_AddStringToObject(o, "user", e->user);
    if (e->display_name[0] != '\0')
        cJSON_AddStringToObject(o, "display_name", e->display_name);
    cJSON_AddBoolToObject(o, "house", strcmp(e->user, HOUSE_USER) == 0);
    cJSON_AddNumberToObject(o, "submission", (double)e->submission);
    cJSON_AddNumberToObject(o, "time_ns", e->time_ns);
    cJSON_AddNumberToObject(o, "low_ns", e->low_ns);
    cJSON_AddNumberToObject(o, "high_ns", e->high_ns);
    cJSON_AddNumberToObject(o, "percentile", place_percentile(place));
    cJSON_AddItemToObject(o, "bandwidth_gbs", rate_json(e->work_bytes, e->time_ns));
    cJSON_AddItemToObject(o, "gflops", rate_json(e->work_flops, e->time_ns));
    cJSON_AddItemToObject(o, "limit_share", rate_json(e->roofline_ns, e->time_ns));
    cJSON_AddBoolToObject(o, "review", e->review);
    cJSON_AddBoolToObject(o, "insecure", e->insecure);
    if (e->remark != NULL)
        cJSON_AddStringToObject(o, "remark", e->remark);
    cJSON_AddNumberToObject(o, "created_ms", (double)e->created_ms);
    return o;
}

/* Where no submission on this machine can get onto the board, adds why. */
static void
add_refusal(cJSON *o, const struct devices *d, const char *board, const struct problem *p)
{
    for (int i = 0; i < d->count; i++) {
        struct report r = {0};

        if (strcmp(d->entry[i].board, board) != 0)
            continue;
        if (devices_take(d, &d->entry[i], p, &r) != 0)
            cJSON_AddStringToObject(o, "refused", r.text);
        return;
    }
}

/* A board while its answer is made. */
struct shown_board {
    struct store *store;
    struct ranking *ranking;
    char *head; /* all of the object but its entries and histogram */
    bool begun, histogram;
    size_t next, end;
};

static void
shown_board_free(void *arg)
{
    struct shown_board *b = arg;

    ranking_release(b->ranking);
    free(b->head);
    free(b);
}

static cJSON *
histogram_json(const struct ranking *g)
{
    struct bucket bucket[HISTOGRAM_BUCKETS_MAX];
    cJSON *buckets = cJSON_CreateArray();
    const int bucket_count = ranking_histogram(g, bucket);

    for (int i = 0; i < bucket_count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddNumberToObject(item, "from_ns", bucket[i].from_ns);
        cJSON_AddNumberToObject(item, "to_ns", bucket[i].to_ns);
        cJSON_AddNumberToObject(item, "count", (double)bucket[i].count);
        cJSON_AddItemToArray(buckets, item);
    }
    return buckets;
}

static int
shown_board_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_board *b = arg;
    const size_t left = b->end - b->next;
    struct entries some;

    if (store_entries(b->store, b->ranking, b->next,
                      left < ENTRIES_AT_ONCE ? left : ENTRIES_AT_ONCE, &some, r) != 0)
        return -1;
    if (!b->begun)
        buf_printf(body, "%s,\"entries\":[", b->head);
    for (size_t i = 0; i < some.count; i++, b->next++) {
        const struct place place = ranking_place_of(b->ranking, b->next);

        buf_puts(body, b->begun || i > 0 ? "," : "");
        buf_add_json(body, entry_json(&some.entry[i], &place));
    }
    b->begun = true;
    entries_free(&some);
    *more = b->next < b->end;
    if (!*more) {
        buf_puts(body, "]");
        if (b->histogram) {
            buf_puts(body, ",\"histogram\":");
            buf_add_json(body, histogram_json(b->ranking));
        }
        buf_puts(body, "}\n");
    }
    return 0;
}

/* The board that is asked for, of today's meaning or of another. */
struct asked {
    struct board board;
    struct other_boards older; /* the others, where it is of today's */
    bool current;
    char *sizes;        /* of its benchmark */
    struct group group; /* whose members alone are shown; its id 0: everybody */
};

static void
asked_free(struct asked *a)
{
    other_boards_free(&a->older);
    free(a->sizes);
    group_free(&a->group);
}

/* The sizes that a submission was timed with. */
static char *
timed_sizes(struct daemon *d, int64_t submission, struct report *r)
{
    struct submission sub;
    bool found = false;
    char *sizes;

    if (store_get(d->store, submission, &found, &sub, r) != 0)
        return NULL;
    sizes =
        xstrdup(found && sub.result.timing.sizes != NULL ? sub.result.timing.sizes : "");
    if (found)
        submission_free(&sub);
    return sizes;
}

/* Sets the board of meaning=, which must have entries. -1 after having answered. */
static int
take_older(struct http_call *c, const char *meaning, struct asked *a)
{
    struct report r = {0};

    for (size_t i = 0; i < a->older.count; i++) {
        const struct other_board *o = &a->older.row[i];

        if (strcmp(o->meaning, meaning) != 0)
            continue;
        a->board.meaning = meaning;
        a->current = false;
        a->sizes = timed_sizes(c->daemon, o->newest, &r);
        if (a->sizes != NULL)
            return 0;
        reply_failure(c, &r);
        return -1;
    }
    reply_problem(c, ERROR_INVALID_PARAMETER, "?meaning",
                  "no board of this problem has the meaning \"%.80s\"", meaning);
    return -1;
}

/* Fills *out for a board's name. -1 after having answered. */
static int
take_board(struct http_call *c, const struct problem *p, const char *name,
           struct asked *out)
{
    const bool emu = strcmp(name, "emu") == 0;
    const char *meaning = call_query(c, "meaning");
    struct asked a = {
        .board = {p->slug, name, meanings_get(c->daemon->meanings, p->slug, name)},
        .current = true};

    store_other_boards(c->daemon->store, &a.board, &a.older);
    if (meaning == NULL || strcmp(meaning, a.board.meaning) == 0)
        a.sizes = problem_sizes_text(p, emu ? &p->benchmark_emu : &p->benchmark_cuda);
    else if (take_older(c, meaning, &a) != 0) {
        asked_free(&a);
        return -1;
    }
    *out = a;
    return 0;
}

static void
add_older(cJSON *o, const struct other_boards *older)
{
    cJSON *list = cJSON_AddArrayToObject(o, "older");

    for (size_t i = 0; i < older->count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "meaning", older->row[i].meaning);
        cJSON_AddNumberToObject(item, "entries", (double)older->row[i].entries);
        cJSON_AddItemToArray(list, item);
    }
}

/* A broken file draws nothing; `problem check` says what is wrong with it. */
static void
ignore_error(void *context, const char *where, const char *sentence)
{
    (void)context;
    (void)where;
    (void)sentence;
}

/* Adds what others took on such a device for the same sizes. */
static void
add_baselines(cJSON *o, const struct problem *p, const struct asked *a)
{
    struct baselines list;
    cJSON *rows = NULL;

    (void)baselines_read(p, ignore_error, NULL, &list);
    for (size_t i = 0; i < list.count; i++) {
        const struct baseline *b = &list.row[i];
        cJSON *item;

        if (strcmp(b->board, a->board.device) != 0 || strcmp(b->sizes, a->sizes) != 0)
            continue;
        if (rows == NULL)
            rows = cJSON_AddArrayToObject(o, "baselines");
        item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", b->name);
        if (b->about[0] != '\0')
            cJSON_AddStringToObject(item, "about", b->about);
        cJSON_AddNumberToObject(item, "time_ns", b->time_ns);
        cJSON_AddStringToObject(item, "versions", b->versions);
        cJSON_AddStringToObject(item, "date", b->date);
        cJSON_AddStringToObject(item, "source", b->source);
        cJSON_AddItemToArray(rows, item);
    }
    baselines_free(&list);
}

/* The object without entries and without its closing brace; it takes over `house`. The
 * caller frees. */
static char *
board_head(const struct daemon *d, const struct problem *p, const struct asked *a,
           const struct shown_board *shown, cJSON *house)
{
    cJSON *o = cJSON_CreateObject();
    struct buf text = {0};

    cJSON_AddStringToObject(o, "problem", p->slug);
    cJSON_AddStringToObject(o, "title", p->title != NULL ? p->title : "");
    cJSON_AddBoolToObject(o, "modelled", strcmp(a->board.device, "emu") == 0);
    cJSON_AddStringToObject(o, "sizes", a->sizes);
    add_refusal(o, &d->devices, a->board.device, p);
    cJSON_AddStringToObject(o, "board", a->board.device);
    cJSON_AddStringToObject(o, "meaning", a->board.meaning);
    cJSON_AddBoolToObject(o, "current", a->current);
    if (a->group.id != 0)
        cJSON_AddStringToObject(o, "group", a->group.name);
    if (a->current)
        add_older(o, &a->older);
    add_baselines(o, p, a);
    cJSON_AddNumberToObject(o, "total", (double)ranking_count(shown->ranking));
    cJSON_AddNumberToObject(o, "first", (double)(shown->next + 1));
    cJSON_AddItemToObject(o, "house", house);
    buf_add_json(&text, o);
    text.data[text.len - 1] = '\0';
    return buf_take(&text);
}

/* The board whose page is asked for. */
struct paged_board {
    const struct board *board;
    const struct shown_board *shown;
};

static bool
entry_behind(void *arg, const void *key, size_t len, size_t *row)
{
    const struct paged_board *b = arg;
    struct ranked last;

    if (len != sizeof last)
        return false;
    memcpy(&last, key, sizeof last);
    *row = ranking_behind(b->shown->ranking, &last);
    return true;
}

static bool
entry_of_user(void *arg, struct http_call *c, const char *user, size_t *row)
{
    const struct paged_board *b = arg;
    struct report r = {0};
    struct ranked own;
    bool found;

    if (store_entry_of(b->shown->store, b->board, user, &found, &own, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (found)
        *row = ranking_behind(b->shown->ranking, &own);
    /* On a group's board others have none, though they have one on everybody's. */
    if (found && *row > 0 &&
        ranking_entry(b->shown->ranking, *row - 1)->submission == own.submission) {
        --*row;
        return true;
    }
    reply_problem(c, ERROR_NO_SUCH_ENTRY, "?around",
                  "\"%.80s\" has no entry on this board", user);
    return false;
}

/* Sets which entries the page has. False after having answered. */
static bool
take_page(struct http_call *c, const struct board *board, struct shown_board *b)
{
    struct paged_board arg = {board, b};
    const struct ordered_list list = {.letter = BOARD_LETTER,
                                      .count = ranking_count(b->ranking),
                                      .limit = INT64_MAX,
                                      .behind = entry_behind,
                                      .row_of = entry_of_user,
                                      .arg = &arg};
    struct page_rows rows;

    if (!page_take_rows(c, &list, &rows))
        return false;
    b->next = rows.first;
    b->end = rows.end;
    b->histogram = !rows.follows;
    if (b->end < list.count)
        page_add_next(c, BOARD_LETTER, ranking_entry(b->ranking, b->end - 1),
                      sizeof(struct ranked));
    return true;
}

/* What the board shows follows from these. Numbers of another run of the daemon are
 * others. */
static uint64_t
board_number(const struct daemon *d, const struct shown_board *b)
{
    const uint64_t parts[] = {d->born, ranking_version(b->ranking),
                              store_renamed(d->store)};

    return fingerprint(fingerprint(0, parts, sizeof parts), b->head, strlen(b->head));
}

/* The house's marks for who asks, or for user=. NULL after having answered. */
static cJSON *
asked_house(struct http_call *c, const struct board *b)
{
    const char *user = call_query(c, "user");
    struct report r = {0};
    cJSON *o = board_house_json(c->daemon, b, user != NULL ? user : c->who.name, &r);

    if (o == NULL)
        reply_failure(c, &r);
    return o;
}

/* The ranking that is asked for: everybody's, or a group's. NULL after having answered.
 */
static struct ranking *
asked_ranking(struct http_call *c, struct asked *a)
{
    struct store *s = c->daemon->store;
    struct ranking *ranking = NULL;
    struct report r = {0};

    if (!group_of_query(c, &a->group))
        return NULL;
    if (a->group.id == 0)
        return store_ranking(s, &a->board);
    if (store_group_ranking(s, a->group.id, &a->board, &ranking, &r) != 0)
        reply_failure(c, &r);
    return ranking;
}

/* A group's board may be kept by nobody on its way. */
static bool
is_kept(struct http_call *c, const struct asked *a, const struct shown_board *b)
{
    return a->group.id == 0 && etag_is_known(c, board_number(c->daemon, b));
}

void
api_board(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_board_next, shown_board_free};
    struct daemon *d = c->daemon;
    const struct problem *p = api_asked_problem(c);
    char *name = p != NULL ? api_asked_board(c) : NULL;
    struct shown_board *b;
    struct asked asked;
    cJSON *house;
    bool taken;

    if (name == NULL)
        return;
    if (take_board(c, p, name, &asked) != 0) {
        free(name);
        return;
    }
    b = xcalloc(1, sizeof *b);
    *b = (struct shown_board){.store = d->store, .ranking = asked_ranking(c, &asked)};
    house = b->ranking != NULL ? asked_house(c, &asked.board) : NULL;
    taken = house != NULL && take_page(c, &asked.board, b);
    if (taken)
        b->head = board_head(d, p, &asked, b, house);
    else
        cJSON_Delete(house);
    taken = taken && !is_kept(c, &asked, b);
    asked_free(&asked);
    free(name);
    if (taken)
        reply_slices(c, &MAKER, b);
    else
        shown_board_free(b);
}

void
api_begin_board(struct http_call *c)
{
    struct daemon *d = c->daemon;
    const struct problem *p;
    const char *device = NULL;
    const struct request_field fields[] = {{"device", &device, NULL}};
    struct report r = {0};
    cJSON *object, *o;
    char *board = NULL;

    if (!account_body(c, fields, 1, "a board", &object))
        return;
    p = api_asked_problem(c);
    if (p == NULL) {
        cJSON_Delete(object);
        return;
    }
    if (device == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, "/device",
                      "device is missing: say which board is to begin anew");
    else
        board = api_board_named(c, device, "/device");
    if (board != NULL && meanings_begin_board(d, p->slug, board, &r) != 0) {
        reply_later(c, 503, "%s", r.text);
    } else if (board != NULL) {
        log_line("%s has begun the board of %s on %s anew", c->who.name, p->slug, board);
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "problem", p->slug);
        cJSON_AddStringToObject(o, "board", board);
        cJSON_AddStringToObject(o, "meaning", meanings_get(d->meanings, p->slug, board));
        reply_json(c, 201, o);
    }
    free(board);
    cJSON_Delete(object);
}
