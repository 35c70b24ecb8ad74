/* The API's answer about what to do next: problems in the order of the course, each with
 * the reason. Everybody may ask for everybody: it follows from boards and from the list
 * of submissions. All specs may have to be loaded for it, so that it is made slice by
 * slice (slices.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/hiding.h"
#include "daemon/request.h"
#include "daemon/slices.h"
#include "daemon/specs.h"
#include "problem/course.h"
#include "problem/names.h"
#include "problem/vocabulary.h"
#include "record/solved.h"

#include <stdlib.h>
#include <string.h>

#define NEXT_DEFAULT 3
#define NEXT_MOST 20

/* The answer while it is made. */
struct next_answer {
    struct daemon *daemon;
    struct identity who;
    int64_t account; /* 0: nobody has the name */
    size_t most;
    cJSON *lessons;
    struct course *course;
    char **slugs;
    int count, next;
};

static void
next_free(void *arg)
{
    struct next_answer *n = arg;

    for (int i = 0; i < n->count; i++)
        free(n->slugs[i]);
    free(n->slugs);
    course_free(n->course);
    cJSON_Delete(n->lessons);
    free(n);
}

/* --- reading ------------------------------------------------------------ */

static bool
is_closed(const struct daemon *d, const struct problem *p)
{
    for (int i = 0; i < d->devices.count; i++) {
        struct report r = {0};

        if (devices_take(&d->devices, &d->devices.entry[i], p, &r) == 0)
            return false;
    }
    return true;
}

/* Adds a problem to the course. A folder whose spec does not load has no place in it. */
static int
next_add(struct next_answer *n, const char *slug, struct report *r)
{
    struct daemon *d = n->daemon;
    struct solved_entries list = {0};
    struct course_state state = {0};
    struct report broken = {0};
    bool exists;
    const struct problem *p = specs_get(d->specs, slug, &exists, &broken);

    if (p == NULL)
        return 0;
    if (n->account != 0 &&
        (store_solved(d->store, n->account, slug, &list, r) != 0 ||
         store_has_tried(d->store, n->account, slug, &state.tried, r) != 0)) {
        solved_entries_free(&list);
        return -1;
    }
    state.solved = list.count > 0;
    state.closed = is_closed(d, p);
    course_add(n->course, p, state);
    solved_entries_free(&list);
    return 0;
}

/* --- the reason --------------------------------------------------------- */

static char *
next_reason(const struct course_step *step, const struct problem *p)
{
    struct buf text = {0};

    if (step->lesson != NULL && step->toward == NULL)
        buf_printf(&text, "it teaches %s", step->lesson);
    else if (step->lesson != NULL)
        buf_printf(&text, "it leads to %s, which teaches %s", step->toward, step->lesson);
    else if (p->teaches_count > 0)
        buf_printf(&text, "it is practice in %s", p->teaches[0]);
    else
        buf_puts(&text, "it is not solved yet");
    for (int i = 0; step->solved[i] != NULL; i++)
        buf_printf(&text, "%s%s", i == 0 ? "; you have solved " : " and ",
                   step->solved[i]);
    if (p->after_count == 0 && step->lesson != NULL)
        buf_puts(&text, "; it needs nothing before it");
    if (step->tried)
        buf_puts(&text, "; you have tried it already");
    return buf_take(&text);
}

static cJSON *
add_list(cJSON *o, const char *key, const char *const *texts, int count)
{
    cJSON *list = cJSON_AddArrayToObject(o, key);

    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(texts[i]));
    return list;
}

/* Adds a step to the list. */
static int
add_step(const struct next_answer *n, cJSON *steps, const struct course_step *step,
         struct report *r)
{
    struct report broken = {0};
    bool exists;
    const struct problem *p = specs_get(n->daemon->specs, step->slug, &exists, &broken);
    const cJSON *about = cJSON_GetObjectItemCaseSensitive(
        n->lessons, step->lesson != NULL ? step->lesson : "");
    cJSON *o, *after;
    char *reason;

    if (p == NULL) /* it was there a moment ago */
        return 0;
    o = cJSON_CreateObject();
    cJSON_AddItemToArray(steps, o);
    reason = next_reason(step, p);
    cJSON_AddStringToObject(o, "problem", step->slug);
    cJSON_AddStringToObject(o, "title", p->title != NULL ? p->title : "");
    cJSON_AddStringToObject(o, "difficulty", p->difficulty != NULL ? p->difficulty : "");
    cJSON_AddStringToObject(o, "state", step->tried ? "tried" : "unsolved");
    add_list(o, "teaches", p->teaches, p->teaches_count);
    after = add_list(o, "after", p->after, p->after_count);
    if (step->lesson != NULL)
        cJSON_AddStringToObject(o, "lesson", step->lesson);
    if (cJSON_IsString(about))
        cJSON_AddStringToObject(o, "about", about->valuestring);
    if (step->toward != NULL)
        cJSON_AddStringToObject(o, "toward", step->toward);
    cJSON_AddStringToObject(o, "reason", reason);
    free(reason);
    return hiding_filter_json(n->daemon->hiding, &n->who, after, r);
}

static int
add_answer(struct next_answer *n, struct buf *body, struct report *r)
{
    struct course_step step[NEXT_MOST];
    const size_t count = course_next(n->course, step, n->most);
    cJSON *o = cJSON_CreateObject();
    cJSON *list;

    cJSON_AddNumberToObject(o, "solved", (double)course_solved(n->course));
    cJSON_AddNumberToObject(o, "of", (double)course_count(n->course));
    list = cJSON_AddArrayToObject(o, "next");
    for (size_t i = 0; i < count; i++)
        if (add_step(n, list, &step[i], r) != 0) {
            cJSON_Delete(o);
            return -1;
        }
    buf_add_json(body, o);
    buf_puts(body, "\n");
    return 0;
}

static int
next_slice(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct next_answer *n = arg;

    *more = n->next < n->count;
    if (!*more)
        return add_answer(n, body, r);
    /* A slice must have something to send, and JSON may have spaces anywhere. */
    if (body->len == 0)
        buf_puts(body, " ");
    return next_add(n, n->slugs[n->next++], r);
}

/* --- the call ----------------------------------------------------------- */

static bool
take_limit(struct http_call *c, struct next_answer *n)
{
    const char *said = call_query(c, "limit");
    int64_t limit = NEXT_DEFAULT;

    if (said != NULL && !request_number(said, 1, NEXT_MOST, &limit)) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?limit",
                      "the limit is \"%.40s\": it must be a number from 1 to %d", said,
                      NEXT_MOST);
        return false;
    }
    n->most = (size_t)limit;
    return true;
}

/* Makes the empty course, with the lessons of the problems' folder. */
static int
next_begin(struct next_answer *n, struct report *r)
{
    const char *dir = specs_dir(n->daemon->specs);

    n->lessons = vocabulary_lessons(dir, r);
    if (n->lessons == NULL)
        return -1;
    n->course = vocabulary_course(n->lessons);
    return problem_list(dir, &n->slugs, &n->count, r) != 0
               ? -1
               : hiding_filter(n->daemon->hiding, &n->who, n->slugs, &n->count, r);
}

void
api_next(struct http_call *c)
{
    static const struct slices_maker MAKER = {next_slice, next_free};
    struct next_answer *n = xcalloc(1, sizeof *n);
    struct report r = {0};
    bool of_user;

    n->daemon = c->daemon;
    n->who = c->who;
    n->account = c->who.account;
    if (!api_query_user(c, &of_user, &n->account) || !take_limit(c, n)) {
        next_free(n);
    } else if (next_begin(n, &r) != 0) {
        reply_failure(c, &r);
        next_free(n);
    } else {
        reply_slices(c, &MAKER, n);
    }
}
