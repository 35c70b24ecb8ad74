/* The API's answer about a user: what is solved by difficulty and tag, the places, a
 * year's calendar, the streak. Everybody may see it, because everything in it follows
 * from boards. A name that has no entry is answered as one that nobody has, and so is a
 * deleted account: nobody learns here which accounts there are. It is made slice by slice
 * (slices.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/places_json.h"
#include "daemon/problem_json.h"
#include "daemon/slices.h"
#include "daemon/specs.h"
#include "problem/names.h"
#include "problem/problem.h"
#include "record/accounts.h"
#include "record/solved.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_MS INT64_C(86400000)
#define THURSDAY 3 /* the day of 1970-01-01, from Monday on */
#define WEEKS_SHOWN 53
#define COUNTED_OF_A_DAY 20
#define DAYS_AT_ONCE 16

/* How many problems of a kind are solved, of how many. */
struct tally {
    struct tallied {
        char *name;
        int solved, of;
    } * row;
    int count;
};

enum user_part { USER_PROBLEMS, USER_CALENDAR, USER_STREAK, USER_END };

/* A page about a user while it is made. */
struct shown_user {
    struct daemon *daemon;
    struct identity who;
    int64_t account; /* 0: there is nothing to tell */
    char *head;      /* the object up to the first problem; NULL once it is sent */
    enum user_part part;
    char **slugs;
    int slug_count, next;
    int solved, known; /* problems; known: that load */
    struct tally difficulties, tags;
    int64_t today, day; /* days since 1970, in UTC; the next one of the calendar */
    int64_t streak_day; /* the last one of the days that were counted; -1: none */
    int64_t run, streak, longest;
};

static void
tally_free(struct tally *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->row[i].name);
    free(t->row);
}

static void
tally_add(struct tally *t, const char *name, bool solved)
{
    int i = 0;

    while (i < t->count && strcmp(t->row[i].name, name) != 0)
        i++;
    if (i == t->count) {
        t->row = xrealloc(t->row, (size_t)(t->count + 1) * sizeof *t->row);
        t->row[t->count++] = (struct tallied){.name = xstrdup(name)};
    }
    t->row[i].of++;
    t->row[i].solved += solved;
}

static void
shown_user_free(void *arg)
{
    struct shown_user *u = arg;

    for (int i = 0; i < u->slug_count; i++)
        free(u->slugs[i]);
    free(u->slugs);
    free(u->head);
    tally_free(&u->difficulties);
    tally_free(&u->tags);
    free(u);
}

/* --- problems ----------------------------------------------------------- */

static cJSON *
solved_json(struct daemon *d, const struct problem *p, const struct solved_entries *list)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "problem", p->slug);
    cJSON_AddStringToObject(o, "title", p->title != NULL ? p->title : "");
    cJSON_AddStringToObject(o, "difficulty", p->difficulty != NULL ? p->difficulty : "");
    problem_json_add_words(o, p);
    cJSON_AddItemToObject(o, "places", places_json(d, p->slug, list));
    return o;
}

/* Counts the next problem, and tells it where it is solved. One that does not load counts
 * nowhere. */
static int
shown_user_problem(struct shown_user *u, struct buf *body, struct report *r)
{
    const char *slug = u->slugs[u->next++];
    struct solved_entries list = {0};
    struct report broken = {0};
    bool exists;
    const struct problem *p = specs_get(u->daemon->specs, slug, &exists, &broken);
    cJSON *line;
    int rc = 0;

    if (p == NULL)
        return 0;
    u->known++;
    if (u->account != 0 &&
        store_solved(u->daemon->store, u->account, slug, &list, r) != 0)
        return -1;
    if (p->difficulty != NULL)
        tally_add(&u->difficulties, p->difficulty, list.count > 0);
    for (int i = 0; i < p->tag_count; i++)
        tally_add(&u->tags, p->tags[i], list.count > 0);
    if (list.count > 0) {
        line = solved_json(u->daemon, p, &list);
        rc = hiding_filter_json(u->daemon->hiding, &u->who,
                                cJSON_GetObjectItemCaseSensitive(line, "after"), r);
        buf_puts(body, u->solved++ > 0 ? "," : "");
        buf_add_json(body, line);
    }
    solved_entries_free(&list);
    return rc;
}

/* Easy before medium before hard, and tags by their names. */
static int
compare_tallied(const void *a, const void *b)
{
    static const char *const LEVELS[] = {"easy", "medium", "hard"};
    const struct tallied *one = a, *other = b;

    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        const bool is_one = strcmp(one->name, LEVELS[i]) == 0,
                   is_other = strcmp(other->name, LEVELS[i]) == 0;

        if (is_one || is_other)
            return is_other - is_one;
    }
    return strcmp(one->name, other->name);
}

static void
add_tally(cJSON *o, const char *key, const struct tally *t)
{
    cJSON *list = cJSON_AddArrayToObject(o, key);

    if (t->count > 1)
        qsort(t->row, (size_t)t->count, sizeof *t->row, compare_tallied);
    for (int i = 0; i < t->count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "name", t->row[i].name);
        cJSON_AddNumberToObject(item, "solved", t->row[i].solved);
        cJSON_AddNumberToObject(item, "of", t->row[i].of);
        cJSON_AddItemToArray(list, item);
    }
}

static void
add_solved(struct buf *body, const struct shown_user *u)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "count", u->solved);
    cJSON_AddNumberToObject(o, "of", u->known);
    add_tally(o, "difficulties", &u->difficulties);
    add_tally(o, "tags", &u->tags);
    buf_puts(body, "],\"solved\":");
    buf_add_json(body, o);
}

/* --- days --------------------------------------------------------------- */

/* Begins the calendar: with a Monday, so that it ends with this week. */
static void
calendar_begin(struct shown_user *u, struct buf *body)
{
    const int64_t monday = u->today - (u->today + THURSDAY) % 7;
    const int64_t first = monday - INT64_C(7) * (WEEKS_SHOWN - 1);
    const time_t seconds = (time_t)(first * (DAY_MS / 1000));
    char date[16] = "";
    struct tm tm;

    u->day = first;
    if (gmtime_r(&seconds, &tm) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d", &tm);
    buf_printf(body, ",\"calendar\":{\"from\":\"%s\",\"accepted\":[", date);
}

static int
calendar_days(struct shown_user *u, struct buf *body, struct report *r)
{
    for (int i = 0; i < DAYS_AT_ONCE && u->day <= u->today; i++, u->day++) {
        int64_t count = 0;

        if (u->account != 0 &&
            store_accepted_between(u->daemon->store, u->account, u->day * DAY_MS,
                                   (u->day + 1) * DAY_MS, COUNTED_OF_A_DAY, &count,
                                   r) != 0)
            return -1;
        buf_printf(body, "%lld%s", (long long)count, u->day < u->today ? "," : "");
    }
    return 0;
}

/* Goes back over days with an accepted submission. *more is false at the first one of
 * all. */
static int
streak_days(struct shown_user *u, bool *more, struct report *r)
{
    *more = u->account != 0;
    for (int i = 0; i < DAYS_AT_ONCE && *more; i++) {
        const int64_t behind = u->streak_day >= 0 ? u->streak_day : u->today + 1;
        int64_t ms, day;

        if (store_accepted_before(u->daemon->store, u->account, behind * DAY_MS, &ms,
                                  r) != 0)
            return -1;
        *more = ms > 0;
        if (!*more)
            break;
        day = ms / DAY_MS;
        u->run = day == u->streak_day - 1 ? u->run + 1 : 1;
        u->streak_day = day;
        if (day + u->run >= u->today) /* it ends today or yesterday */
            u->streak = u->run;
        if (u->run > u->longest)
            u->longest = u->run;
    }
    return 0;
}

/* --- the page ----------------------------------------------------------- */

static int
shown_user_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_user *u = arg;
    bool days = true;

    *more = true;
    /* A slice must have something to send, and JSON may have spaces anywhere. */
    if (body->len == 0)
        buf_puts(body, u->head != NULL ? u->head : " ");
    free(u->head);
    u->head = NULL;
    switch (u->part) {
    case USER_PROBLEMS:
        if (u->next < u->slug_count)
            return shown_user_problem(u, body, r);
        add_solved(body, u);
        calendar_begin(u, body);
        u->part = USER_CALENDAR;
        return 0;
    case USER_CALENDAR:
        if (u->day > u->today) {
            buf_puts(body, "]}");
            u->part = USER_STREAK;
            return 0;
        }
        return calendar_days(u, body, r);
    case USER_STREAK:
        if (streak_days(u, &days, r) != 0)
            return -1;
        if (!days)
            u->part = USER_END;
        return 0;
    case USER_END:
    default:
        buf_printf(body, ",\"streak\":{\"days\":%lld,\"longest\":%lld}}\n",
                   (long long)u->streak, (long long)u->longest);
        *more = false;
        return 0;
    }
}

/* The beginning of the page. The caller frees. */
static char *
user_head(const char *name, const char *display_name)
{
    cJSON *o = cJSON_CreateObject();
    struct buf text = {0};

    cJSON_AddStringToObject(o, "user", name);
    if (display_name[0] != '\0')
        cJSON_AddStringToObject(o, "display_name", display_name);
    buf_add_json(&text, o);
    text.data[text.len - 1] = '\0';
    text.len--;
    buf_puts(&text, ",\"problems\":[");
    return buf_take(&text);
}

/* Sets the account and the head. False after having answered. */
static bool
take_user(struct http_call *c, struct shown_user *u)
{
    struct account account;
    struct report r = {0};
    bool found = false, tells = false;

    if (store_account(c->daemon->store, c->arg[0], &found, &account, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (found && account.deleted_ms == 0 &&
        store_has_entry(c->daemon->store, account.id, &tells, &r) != 0) {
        account_free(&account);
        reply_failure(c, &r);
        return false;
    }
    if (tells) {
        u->account = account.id;
        u->head = user_head(account.name, account.display_name);
    }
    if (found)
        account_free(&account);
    if (!tells && user_name_check(c->arg[0], &r) != 0) {
        reply_problem(c, ERROR_INVALID_ADDRESS, NULL, "%s", r.text);
        return false;
    }
    if (!tells)
        u->head = user_head(c->arg[0], "");
    return true;
}

bool
api_query_user(struct http_call *c, bool *said, int64_t *account)
{
    const char *name = call_query(c, "user");
    struct account named;
    struct report r = {0};
    bool found = false;

    *said = name != NULL;
    if (name == NULL)
        return true;
    if (store_account(c->daemon->store, name, &found, &named, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (!found && user_name_check(name, &r) != 0) {
        reply_problem(c, ERROR_INVALID_ADDRESS, "user", "%s", r.text);
        return false;
    }
    *account = found && named.deleted_ms == 0 ? named.id : 0;
    if (found)
        account_free(&named);
    return true;
}

void
api_user(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_user_next, shown_user_free};
    struct shown_user *u = xcalloc(1, sizeof *u);
    struct report r = {0};

    *u = (struct shown_user){
        .daemon = c->daemon, .who = c->who, .today = now_ms() / DAY_MS, .streak_day = -1};
    if (!take_user(c, u)) {
        shown_user_free(u);
        return;
    }
    if (problem_list(specs_dir(c->daemon->specs), &u->slugs, &u->slug_count, &r) != 0 ||
        hiding_filter(c->daemon->hiding, &c->who, u->slugs, &u->slug_count, &r) != 0) {
        reply_failure(c, &r);
        shown_user_free(u);
        return;
    }
    reply_slices(c, &MAKER, u);
}
