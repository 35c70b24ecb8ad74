/* The API's grades: of a group, for its teachers, or of everybody, for admins. First the
 * digests of equal work are read, then all submissions are looked at and ranked, and at
 * last the rows are told, all of it slice by slice (slices.h).
 *
 * A group's grades have a row for each assignment, member and problem, also where nothing
 * was submitted. What members have submitted to other problems follows without an
 * assignment, unless the problem is hidden from who asks (hiding.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/api_groups.h"
#include "daemon/daemon.h"
#include "daemon/grades.h"
#include "daemon/grades_equal.h"
#include "daemon/hiding.h"
#include "daemon/request.h"
#include "daemon/slices.h"
#include "record/assignments.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define UNTIL_MAX INT64_C(253402300799999)

/* Somebody who is graded. */
struct graded_person {
    int64_t account;
    char *user, *full_name, *student_id; /* the latter two may be NULL */
};

struct person_number {
    int64_t account;
    size_t index;
};

struct shown_grades {
    struct daemon *daemon;
    struct identity who;
    struct group group; /* its id 0: of everybody */
    struct assignments assignments;
    struct extensions *extensions; /* of each assignment */
    struct graded_person *people;
    size_t people_count, person; /* who is looked at, or told */
    int64_t after, until_ms;
    uint64_t since_ns;
    struct grades grades;
    struct grades_equal *equal;
    struct person_number *number; /* of all people, by account; once these are known */
    size_t row;                   /* of the grades: where this person's begin */
    enum { GRADES_READING, GRADES_LOOKING, GRADES_RANKING, GRADES_TELLING } stage;
    bool head, any;
};

static void
shown_grades_free(void *arg)
{
    struct shown_grades *g = arg;

    for (size_t i = 0; i < g->people_count; i++) {
        free(g->people[i].user);
        free(g->people[i].full_name);
        free(g->people[i].student_id);
    }
    free(g->people);
    for (size_t i = 0; i < g->assignments.count && g->extensions != NULL; i++)
        extensions_free(&g->extensions[i]);
    free(g->extensions);
    assignments_free(&g->assignments);
    grades_free(&g->grades);
    grades_equal_free(g->equal);
    free(g->number);
    group_free(&g->group);
    free(g);
}

/* --- looking ------------------------------------------------------------- */

static void
grades_add_person(struct shown_grades *g, const struct graded_person *person)
{
    if (g->people_count == 0 || (g->people_count & (g->people_count - 1)) == 0)
        g->people = xrealloc(g->people, (g->people_count > 0 ? g->people_count * 2 : 1) *
                                            sizeof *g->people);
    g->people[g->people_count++] = *person;
}

/* Adds the members of the group. */
static int
grades_take_members(struct shown_grades *g, struct report *r)
{
    struct group_places places;

    if (store_group_places(g->daemon->store, g->group.id, &places, r) != 0)
        return -1;
    for (size_t i = 0; i < places.count; i++) {
        struct group_place *p = &places.row[i];

        if (!p->joined || p->teacher)
            continue;
        grades_add_person(
            g, &(struct graded_person){p->account, p->user, p->full_name, p->student_id});
        p->user = p->full_name = p->student_id = NULL;
    }
    group_places_free(&places);
    return 0;
}

/* Adds the next one of everybody. *found is false behind the last. */
static int
grades_find_person(struct shown_grades *g, bool *found, struct report *r)
{
    const int64_t last = g->people_count > 0 ? g->people[g->people_count - 1].account : 0;
    struct graded_person person = {0};

    *found = false;
    if (g->group.id != 0)
        return 0;
    if (store_next_graded(g->daemon->store, last, &person.account, &person.user, r) != 0)
        return -1;
    *found = person.account != 0;
    if (*found)
        grades_add_person(g, &person);
    return 0;
}

static int
compare_numbers(const void *a, const void *b)
{
    const struct person_number *one = a, *other = b;

    return (one->account > other->account) - (one->account < other->account);
}

static void
grades_number_people(struct shown_grades *g)
{
    g->number = xcalloc(g->people_count + 1, sizeof *g->number);
    for (size_t i = 0; i < g->people_count; i++)
        g->number[i] = (struct person_number){g->people[i].account, i};
    qsort(g->number, g->people_count, sizeof *g->number, compare_numbers);
}

/* The name of somebody who is graded; NULL for anybody else. */
static const char *
grades_user_of(void *arg, int64_t account)
{
    const struct shown_grades *g = arg;
    const struct person_number key = {account, 0};
    const struct person_number *found =
        bsearch(&key, g->number, g->people_count, sizeof *g->number, compare_numbers);

    return found != NULL ? g->people[found->index].user : NULL;
}

static int
grades_look(struct shown_grades *g, struct report *r)
{
    const struct person person = {
        g->person, g->person < g->people_count ? g->people[g->person].account : 0,
        g->until_ms, g->since_ns};
    bool more = true;

    if (g->person == g->people_count) {
        if (grades_find_person(g, &more, r) != 0)
            return -1;
        if (!more) {
            grades_number_people(g);
            g->stage = GRADES_RANKING;
            g->person = 0;
        }
        return 0;
    }
    if (grades_add(&g->grades, g->daemon, &person, g->equal, &g->after, &more, r) != 0)
        return -1;
    if (!more) {
        g->person++;
        g->after = 0;
    }
    return 0;
}

/* --- telling ------------------------------------------------------------- */

static void
add_number(cJSON *o, const char *key, bool known, double value)
{
    if (known)
        cJSON_AddNumberToObject(o, key, value);
    else
        cJSON_AddNullToObject(o, key);
}

static void
add_text(cJSON *o, const char *key, const char *text)
{
    if (text != NULL)
        cJSON_AddStringToObject(o, key, text);
    else
        cJSON_AddNullToObject(o, key);
}

/* Adds whether something came after the closing; null without one, or where nothing did.
 */
static void
add_late(cJSON *o, const char *key, int64_t at_ms, int64_t closes_ms)
{
    if (at_ms != 0 && closes_ms != 0)
        cJSON_AddBoolToObject(o, key, at_ms > closes_ms);
    else
        cJSON_AddNullToObject(o, key);
}

/* A row: of an assignment, or NULL, and of a grade, or an empty one. */
static cJSON *
grade_json(const struct graded_person *person, const struct assignment *a,
           int64_t closes_ms, const char *problem, const struct grade *grade)
{
    const bool known = grade->best != 0;
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "user", person->user);
    add_text(o, "full_name", person->full_name);
    add_text(o, "student_id", person->student_id);
    add_text(o, "assignment", a != NULL ? a->name : NULL);
    add_number(o, "closes_ms", a != NULL, (double)closes_ms);
    cJSON_AddStringToObject(o, "problem", problem);
    add_text(o, "board", grade->board);
    add_text(o, "verdict", grade->attempts > 0 ? verdict_name(grade->verdict) : NULL);
    add_number(o, "submission", known, (double)grade->best);
    add_number(o, "time_ns", known, grade->time.time_ns);
    cJSON_AddItemToObject(o, "limit_share",
                          rate_json(grade->roofline_ns, grade->time.time_ns));
    add_number(o, "rank", known, (double)grade->rank);
    cJSON_AddNumberToObject(o, "attempts", (double)grade->attempts);
    add_number(o, "first_accepted_ms", grade->first_ms != 0, (double)grade->first_ms);
    add_late(o, "late", grade->first_ms, closes_ms);
    add_number(o, "best_ms", known, (double)grade->best_ms);
    add_late(o, "best_late", grade->best_ms, closes_ms);
    return o;
}

/* Tells a row, which is taken over. `submitted`: somebody may have sent the same. */
static int
grades_tell_row(struct shown_grades *g, struct buf *body, cJSON *row, const char *problem,
                bool submitted, struct report *r)
{
    cJSON *equal = submitted ? grades_equal_json(g->equal, g->person,
                                                 g->people[g->person].account, problem, r)
                             : cJSON_CreateArray();

    if (equal == NULL) {
        cJSON_Delete(row);
        return -1;
    }
    cJSON_AddItemToObject(row, "equal_to", equal);
    buf_puts(body, g->any ? "," : "");
    buf_add_json(body, row);
    g->any = true;
    return 0;
}

/* When assignment i closes for somebody. */
static int64_t
closes_for(const struct shown_grades *g, size_t i, int64_t account)
{
    const struct extensions *list = &g->extensions[i];
    const int64_t closes_ms = g->assignments.row[i].closes_ms;

    for (size_t j = 0; j < list->count; j++)
        if (list->row[j].account == account && list->row[j].until_ms > closes_ms)
            return list->row[j].until_ms;
    return closes_ms;
}

/* Tells the rows of one assignment's problem; `end` is behind the person's grades. */
static int
grades_tell_problem(struct shown_grades *g, size_t i, const char *problem, size_t end,
                    struct buf *body, struct report *r)
{
    static const struct grade NONE = {0};
    const struct graded_person *person = &g->people[g->person];
    const struct assignment *a = &g->assignments.row[i];
    const int64_t closes_ms = closes_for(g, i, person->account);
    bool any = false;

    for (size_t j = g->row; j < end; j++) {
        const struct grade *grade = &g->grades.row[j];

        if (strcmp(grade->problem, problem) != 0)
            continue;
        if (grades_tell_row(g, body, grade_json(person, a, closes_ms, problem, grade),
                            problem, true, r) != 0)
            return -1;
        any = true;
    }
    if (any)
        return 0;
    return grades_tell_row(g, body, grade_json(person, a, closes_ms, problem, &NONE),
                           problem, false, r);
}

static bool
is_assigned(const struct shown_grades *g, const char *problem)
{
    for (size_t i = 0; i < g->assignments.count; i++)
        for (size_t j = 0; j < g->assignments.row[i].count; j++)
            if (strcmp(g->assignments.row[i].problem[j], problem) == 0)
                return true;
    return false;
}

/* Tells a row without an assignment, if it is one. */
static int
grades_tell_other(struct shown_grades *g, const struct grade *grade, struct buf *body,
                  struct report *r)
{
    const struct graded_person *person = &g->people[g->person];
    bool hides;

    if (is_assigned(g, grade->problem))
        return 0;
    if (hiding_hides_work(g->daemon->hiding, &g->who, grade->problem, person->user,
                          &hides, r) != 0)
        return -1;
    if (hides)
        return 0;
    return grades_tell_row(g, body, grade_json(person, NULL, 0, grade->problem, grade),
                           grade->problem, true, r);
}

/* Tells all rows of the next person. */
static int
grades_tell(struct shown_grades *g, struct buf *body, struct report *r)
{
    size_t end = g->row;

    while (end < g->grades.count && g->grades.row[end].person == g->person)
        end++;
    grades_sort(&g->grades, g->row, end);
    for (size_t i = 0; i < g->assignments.count; i++)
        for (size_t j = 0; j < g->assignments.row[i].count; j++)
            if (grades_tell_problem(g, i, g->assignments.row[i].problem[j], end, body,
                                    r) != 0)
                return -1;
    for (size_t j = g->row; j < end; j++)
        if (grades_tell_other(g, &g->grades.row[j], body, r) != 0)
            return -1;
    g->row = end;
    g->person++;
    return 0;
}

static void
grades_add_head(const struct shown_grades *g, struct buf *body)
{
    cJSON *o = cJSON_CreateObject();

    if (g->group.id != 0)
        cJSON_AddStringToObject(o, "group", g->group.name);
    cJSON_AddNumberToObject(o, "until_ms", (double)g->until_ms);
    buf_add_json(body, o);
    body->data[--body->len] = '\0';
    buf_puts(body, ",\"grades\":[");
}

/* Tells all rows of the next person in one transaction. */
static int
grades_tell_next(struct shown_grades *g, struct buf *body, struct report *r)
{
    int rc;

    if (store_read_begin(g->daemon->store, r) != 0)
        return -1;
    rc = grades_tell(g, body, r);
    store_read_end(g->daemon->store);
    return rc;
}

/* What comes before the first row is told. */
static int
grades_prepare(struct shown_grades *g, struct report *r)
{
    bool more;

    if (g->stage == GRADES_LOOKING)
        return grades_look(g, r);
    if (g->stage == GRADES_RANKING) {
        if (!grades_rank(&g->grades))
            g->stage = GRADES_TELLING;
        return 0;
    }
    if (grades_equal_read(g->equal, &more, r) != 0)
        return -1;
    if (!more)
        g->stage = GRADES_LOOKING;
    return 0;
}

static int
shown_grades_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_grades *g = arg;

    *more = true;
    if (!g->head)
        grades_add_head(g, body);
    else
        buf_puts(body, " "); /* A slice must have something to send. */
    g->head = true;
    if (g->stage != GRADES_TELLING)
        return grades_prepare(g, r);
    if (g->person < g->people_count && grades_tell_next(g, body, r) != 0)
        return -1;
    *more = g->person < g->people_count;
    if (!*more)
        buf_puts(body, "]}\n");
    return 0;
}

/* --- the calls ----------------------------------------------------------- */

/* Reads what the group's grades need beside submissions. */
static int
grades_take_group(struct shown_grades *g, struct report *r)
{
    struct store *s = g->daemon->store;

    if (grades_take_members(g, r) != 0 ||
        store_assignments(s, g->group.id, 0, &g->assignments, r) != 0)
        return -1;
    g->extensions = xcalloc(g->assignments.count + 1, sizeof *g->extensions);
    for (size_t i = 0; i < g->assignments.count; i++)
        if (store_extensions(s, g->assignments.row[i].id, &g->extensions[i], r) != 0)
            return -1;
    return 0;
}

/* Answers with the grades of a group, which is taken over; its id 0: of everybody. */
static void
answer_grades(struct http_call *c, const struct group *group)
{
    static const struct slices_maker MAKER = {shown_grades_next, shown_grades_free};
    const char *until = call_query(c, "until");
    struct shown_grades *g = xcalloc(1, sizeof *g);
    struct report r = {0};

    *g = (struct shown_grades){.daemon = c->daemon,
                               .who = c->who,
                               .group = *group,
                               .until_ms = now_ms(),
                               .since_ns = now_ns()};
    if (until != NULL && !request_number(until, 1, UNTIL_MAX, &g->until_ms)) {
        reply_problem(
            c, ERROR_INVALID_PARAMETER, "?until",
            "until is \"%.40s\": it must be a moment in milliseconds since 1970", until);
        shown_grades_free(g);
    } else if (group->id != 0 && grades_take_group(g, &r) != 0) {
        reply_failure(c, &r);
        shown_grades_free(g);
    } else {
        g->equal = grades_equal_new(c->daemon, g->until_ms, grades_user_of, g);
        reply_slices(c, &MAKER, g);
    }
}

void
api_grades(struct http_call *c)
{
    answer_grades(c, &(struct group){0});
}

void
api_group_grades(struct http_call *c)
{
    struct group g;

    if (asked_group(c, IN_GROUP_TEACHER, &g))
        answer_grades(c, &g);
}
