/* The API's list of problems. For everybody it is one answer, which is kept, unless
 * problems are hidden from some (hiding.h). With user=
 * each problem also says how far that user is with it. Everybody may see that: it follows
 * from boards and from the list of submissions. Both are made slice by slice
 * (slices.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/course_order.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/kept_answer.h"
#include "daemon/loop_watch.h"
#include "daemon/pages.h"
#include "daemon/places_json.h"
#include "daemon/problem_json.h"
#include "daemon/slices.h"
#include "daemon/specs.h"
#include "problem/names.h"
#include "record/solved.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define PROBLEMS_LETTER 'p'
#define LISTED_CPU_NS 200000u /* how long problems are added at once */

static const char *
text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* What everybody is told of a problem. */
static cJSON *
problem_line(struct specs *specs, const char *slug)
{
    cJSON *o = cJSON_CreateObject();
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(specs, slug, &exists, &r);

    cJSON_AddStringToObject(o, "slug", slug);
    if (p != NULL) {
        cJSON_AddStringToObject(o, "title", text_or_empty(p->title));
        cJSON_AddStringToObject(o, "difficulty", text_or_empty(p->difficulty));
        problem_json_add_words(o, p);
    } else {
        cJSON_AddStringToObject(o, "title", slug);
        cJSON_AddStringToObject(o, "difficulty", "");
        cJSON_AddArrayToObject(o, "tags");
        cJSON_AddStringToObject(o, "error", r.text);
    }
    return o;
}

/* Adds how far the account is with a problem; 0: it has sent nothing. */
static int
add_state(cJSON *o, struct daemon *d, int64_t account, const char *slug, struct report *r)
{
    struct solved_entries list = {0};
    bool tried = false;

    if (account != 0 && (store_solved(d->store, account, slug, &list, r) != 0 ||
                         store_has_tried(d->store, account, slug, &tried, r) != 0)) {
        solved_entries_free(&list);
        return -1;
    }
    cJSON_AddStringToObject(o, "state",
                            list.count > 0 ? "solved"
                            : tried        ? "tried"
                                           : "unsolved");
    cJSON_AddItemToObject(o, "places", places_json(d, slug, &list));
    solved_entries_free(&list);
    return 0;
}

/* The list of problems, or a page of it, while it is made. The text of the whole is kept
 * for the calls that follow, where it is nobody's. */
struct listed {
    struct daemon *daemon;
    struct identity who;
    bool of_user;
    bool all;        /* nothing is hidden from anybody, and the order is that of slugs */
    int64_t account; /* of the user; 0: nobody has the name */
    char **slugs;
    int count, first, next, end;
    uint64_t reads;             /* specs_reads() after the last slice */
    bool torn;                  /* somebody else has had a spec read between two slices */
    struct course_order *order; /* what is left to do for the order; NULL: nothing */
    struct buf text;
};

static void
listed_free(void *arg)
{
    struct listed *l = arg;

    for (int i = 0; i < l->count; i++)
        free(l->slugs[i]);
    free(l->slugs);
    course_order_free(l->order);
    buf_free(&l->text);
    free(l);
}

/* Takes what is hidden from who asks out of what the problem comes after. */
static int
listed_filter(const struct listed *l, cJSON *line, struct report *r)
{
    cJSON *after = cJSON_GetObjectItemCaseSensitive(line, "after");

    return after == NULL ? 0 : hiding_filter_json(l->daemon->hiding, &l->who, after, r);
}

/* Adds one problem, whose spec may have to be loaded. */
static int
listed_add(struct listed *l, struct report *r)
{
    const char *slug = l->slugs[l->next];
    cJSON *line = problem_line(l->daemon->specs, slug);

    if (listed_filter(l, line, r) != 0 ||
        (l->of_user && add_state(line, l->daemon, l->account, slug, r) != 0)) {
        cJSON_Delete(line);
        return -1;
    }
    buf_puts(&l->text, l->next > l->first ? "," : "");
    buf_add_json(&l->text, line);
    l->next++;
    return 0;
}

/* Makes some steps towards the order of the course. */
static void
listed_order(struct listed *l)
{
    const uint64_t begin = loop_cpu_ns();

    while (loop_cpu_ns() - begin < LISTED_CPU_NS)
        if (!course_order_step(l->order)) {
            course_order_free(l->order);
            l->order = NULL;
            break;
        }
}

/* May the text be kept for others? The files must be as they were when it was made, as
 * far as anybody has looked. */
static bool
listed_may_be_kept(const struct listed *l)
{
    return !l->torn && !l->of_user && l->all && l->first == 0 && l->end == l->count &&
           !hiding_any(l->daemon->hiding);
}

/* Adds some problems. What is asked of the store meanwhile is one transaction, because
 * each looks at the database's files and locks them. */
static int
listed_add_some(struct listed *l, struct report *r)
{
    const uint64_t begin = loop_cpu_ns();
    int rc;

    if (l->next == l->end)
        return 0;
    if (l->of_user && store_read_begin(l->daemon->store, r) != 0)
        return -1;
    do {
        rc = listed_add(l, r);
    } while (rc == 0 && l->next < l->end && loop_cpu_ns() - begin < LISTED_CPU_NS);
    if (l->of_user)
        store_read_end(l->daemon->store);
    return rc;
}

static int
listed_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct listed *l = arg;
    const size_t begin = l->text.len;

    if (l->order != NULL) {
        listed_order(l);
        *more = true;
        buf_puts(body, " "); /* a slice has something, and JSON may begin with spaces */
        return 0;
    }
    if (begin == 0)
        buf_puts(&l->text, "{\"problems\":[");
    else if (specs_reads(l->daemon->specs) != l->reads)
        l->torn = true;
    if (listed_add_some(l, r) != 0)
        return -1;
    l->reads = specs_reads(l->daemon->specs);
    *more = l->next < l->end;
    if (!*more)
        buf_puts(&l->text, "]}\n");
    buf_add(body, l->text.data + begin, l->text.len - begin);
    if (!*more && listed_may_be_kept(l))
        specs_keep_list(l->daemon->specs, buf_str(&l->text), l->count);
    return 0;
}

/* Sets which problems the page has: those behind a slug, which need not be there. */
static void
listed_take_page(struct http_call *c, struct listed *l, const struct page *page)
{
    char slug[PAGE_KEY_MAX + 1] = "";

    memcpy(slug, page->key, page->len);
    while (page->follows && l->first < l->count && strcmp(l->slugs[l->first], slug) <= 0)
        l->first++;
    l->next = l->first;
    l->end = l->count;
    if (page->limit < l->count - l->first) {
        l->end = l->first + (int)page->limit;
        page_add_next(c, PROBLEMS_LETTER, l->slugs[l->end - 1],
                      strlen(l->slugs[l->end - 1]));
    }
}

/* Takes the order that is asked for: of slugs, or of the course. False after having
 * answered. */
static bool
listed_take_order(struct http_call *c, const struct page *page, bool *course)
{
    const char *order = call_query(c, "order");

    *course = order != NULL && strcmp(order, "course") == 0;
    if (order != NULL && !*course && strcmp(order, "slug") != 0)
        reply_problem(c, ERROR_INVALID_PARAMETER, "?order",
                      "the order is \"%.40s\": it must be slug or course", order);
    else if (*course && (page->follows || page->limit < INT64_MAX))
        reply_problem(c, ERROR_INVALID_PARAMETER, "?order",
                      "the order of the course has no pages: leave limit and cursor out");
    else
        return true;
    return false;
}

void
api_problems(struct http_call *c)
{
    static const struct slices_maker MAKER = {listed_next, listed_free};
    struct specs *specs = c->daemon->specs;
    struct report r = {0};
    struct listed *l;
    struct page page;
    bool course;

    if (!page_take(c, PROBLEMS_LETTER, INT64_MAX, &page) ||
        !listed_take_order(c, &page, &course))
        return;
    l = xcalloc(1, sizeof *l);
    l->daemon = c->daemon;
    l->who = c->who;
    l->all = !hiding_any(c->daemon->hiding);
    if (!api_query_user(c, &l->of_user, &l->account)) {
        listed_free(l);
        return;
    }
    l->all = l->all && !course;
    if (!l->of_user && l->all && !page.follows && page.limit == INT64_MAX) {
        struct kept_answer *kept = specs_list(specs);

        if (kept != NULL) {
            listed_free(l);
            reply_kept(c, kept);
            return;
        }
    }
    if (problem_list(specs_dir(specs), &l->slugs, &l->count, &r) != 0 ||
        hiding_filter(c->daemon->hiding, &c->who, l->slugs, &l->count, &r) != 0 ||
        (course &&
         (l->order = course_order_new(specs, l->slugs, l->count, &r)) == NULL)) {
        reply_failure(c, &r);
        listed_free(l);
        return;
    }
    listed_take_page(c, l, &page);
    reply_slices(c, &MAKER, l);
}
