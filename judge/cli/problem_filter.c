#include "cli/problem_filter.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/text.h"
#include "problem/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const LEVELS[] = {"easy", "medium", "hard"};
static const enum flag LEVEL_FLAGS[] = {FLAG_EASY, FLAG_MEDIUM, FLAG_HARD};
static const char *const STATES[] = {"solved", "unsolved", "tried"};
static const enum flag STATE_FLAGS[] = {FLAG_SOLVED, FLAG_UNSOLVED, FLAG_TRIED};
#define CHOICES 3

const cJSON *
problem_place(const cJSON *problem)
{
    const cJSON *places = answer_array(problem, "places");

    return places != NULL ? places->child : NULL;
}

/* --- what is shown ------------------------------------------------------ */

/* Is the text in the list under this key? */
static bool
list_has(const cJSON *problem, const char *key, const char *text)
{
    const cJSON *item;

    cJSON_ArrayForEach(item,
                       answer_array(problem, key)) if (cJSON_IsString(item) &&
                                                       strcmp(item->valuestring, text) ==
                                                           0) return true;
    return false;
}

/* Is the word somewhere in a text of the list, in letters of any size? */
static bool
list_mentions(const cJSON *problem, const char *key, const char *word)
{
    const cJSON *item;

    cJSON_ArrayForEach(item,
                       answer_array(problem, key)) if (cJSON_IsString(item) &&
                                                       text_mentions(item->valuestring,
                                                                     word)) return true;
    return false;
}

static bool
problem_mentions(const cJSON *problem, const char *word)
{
    return text_mentions(answer_string(problem, "slug"), word) ||
           text_mentions(answer_string(problem, "title"), word) ||
           list_mentions(problem, "tags", word) ||
           list_mentions(problem, "teaches", word);
}

/* Is the value one of those whose flags are given? It is, too, where none is. */
static bool
is_chosen(const struct args *args, const enum flag *flags, const char *const *values,
          const char *value)
{
    bool any = false;

    for (int i = 0; i < CHOICES; i++) {
        if (args->flag[flags[i]] == NULL)
            continue;
        any = true;
        if (strcmp(values[i], value) == 0)
            return true;
    }
    return !any;
}

static bool
problem_is_wanted(const cJSON *problem, const struct args *args)
{
    const char *state = answer_string(problem, "state");

    for (int i = 1; i < args->count; i++)
        if (!problem_mentions(problem, args->positional[i]))
            return false;
    for (int i = 0; i < args->tags.count; i++)
        if (!list_has(problem, "tags", args->tags.value[i]))
            return false;
    /* What was tried is not solved yet. */
    return is_chosen(args, LEVEL_FLAGS, LEVELS, answer_string(problem, "difficulty")) &&
           (is_chosen(args, STATE_FLAGS, STATES, state) ||
            (args->flag[FLAG_UNSOLVED] != NULL && strcmp(state, "tried") == 0));
}

/* --- tags ----------------------------------------------------------------- */

/* All tags of all problems, some of them more than once. The caller frees the array. */
static const char **
all_tags(const cJSON *problems, size_t *count)
{
    const char **tags = NULL;
    const cJSON *problem, *tag;

    *count = 0;
    cJSON_ArrayForEach(problem, problems)
    {
        cJSON_ArrayForEach(tag, answer_array(problem, "tags"))
        {
            if (!cJSON_IsString(tag))
                continue;
            tags = xrealloc(tags, (*count + 1) * sizeof *tags);
            tags[(*count)++] = tag->valuestring;
        }
    }
    return tags;
}

/* Fails for a tag that no problem has. */
static int
check_tags(const cJSON *problems, const struct args *args, struct report *r)
{
    size_t count;
    const char **tags = all_tags(problems, &count);
    int rc = 0;

    for (int i = 0; i < args->tags.count && rc == 0; i++) {
        const char *tag = args->tags.value[i], *meant;
        size_t at = 0;

        while (at < count && strcmp(tags[at], tag) != 0)
            at++;
        if (at < count)
            continue;
        meant = nearest_name(tag, tags, count);
        rc = meant != NULL
                 ? report_fail(r, "no problem has the tag \"%s\": did you mean \"%s\"?",
                               tag, meant)
                 : report_fail(r,
                               "no problem has the tag \"%s\": `warpjudge problems "
                               "--long` shows the tags",
                               tag);
    }
    free(tags);
    return rc;
}

/* --- the order ------------------------------------------------------------ */

typedef int problem_order(const cJSON *a, const cJSON *b);

static int
order_by_slug(const cJSON *a, const cJSON *b)
{
    return strcmp(answer_string(a, "slug"), answer_string(b, "slug"));
}

static int
order_by_title(const cJSON *a, const cJSON *b)
{
    return strcasecmp(answer_string(a, "title"), answer_string(b, "title"));
}

/* Numbers from small to large; what has none comes last. */
static int
order_by_number(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (int)isnan(a) - (int)isnan(b);
    return (a > b) - (a < b);
}

static double
level_of(const cJSON *problem)
{
    for (int i = 0; i < CHOICES; i++)
        if (strcmp(answer_string(problem, "difficulty"), LEVELS[i]) == 0)
            return i;
    return NAN;
}

static int
order_by_difficulty(const cJSON *a, const cJSON *b)
{
    return order_by_number(level_of(a), level_of(b));
}

static int
order_by_time(const cJSON *a, const cJSON *b)
{
    return order_by_number(answer_number(problem_place(a), "time_ns"),
                           answer_number(problem_place(b), "time_ns"));
}

/* The worst first: there is most to win. */
static int
order_by_percentile(const cJSON *a, const cJSON *b)
{
    return order_by_number(answer_number(problem_place(a), "percentile"),
                           answer_number(problem_place(b), "percentile"));
}

static const struct {
    const char *name;
    problem_order *order;
} ORDERS[] = {
    {"slug", order_by_slug},
    {PROBLEMS_BY_COURSE, NULL}, /* in which the daemon gives them */
    {"title", order_by_title},
    {"difficulty", order_by_difficulty},
    {"time", order_by_time},
    {"percentile", order_by_percentile},
};
#define ORDER_COUNT (sizeof ORDERS / sizeof *ORDERS)

static int
find_order(const char *name, problem_order **out, struct report *r)
{
    struct buf names = {0};

    for (size_t i = 0; i < ORDER_COUNT; i++)
        if (strcmp(ORDERS[i].name, name) == 0) {
            *out = ORDERS[i].order;
            return 0;
        }
    for (size_t i = 0; i < ORDER_COUNT; i++)
        buf_printf(&names, "%s%s",
                   i == 0                ? ""
                   : i + 1 < ORDER_COUNT ? ", "
                                         : " or ",
                   ORDERS[i].name);
    report_fail(r, "--sort takes %s, not \"%s\"", buf_str(&names), name);
    buf_free(&names);
    return -1;
}

/* Sorts by insertion, so that what is equal stays in the order of slugs. */
static void
problems_sort(cJSON **list, size_t count, problem_order *order)
{
    for (size_t i = 1; i < count; i++) {
        cJSON *moved = list[i];
        size_t at = i;

        for (; at > 0 && order(list[at - 1], moved) > 0; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

int
problem_filter(cJSON *problems, const struct args *args, struct report *r)
{
    const size_t most = (size_t)cJSON_GetArraySize(problems);
    problem_order *order = order_by_slug;
    cJSON **kept, *problem;
    size_t count = 0;

    if (args->flag[FLAG_SORT] != NULL &&
        find_order(args->flag[FLAG_SORT], &order, r) != 0)
        return -1;
    if (check_tags(problems, args, r) != 0)
        return -1;
    kept = xcalloc(most + 1, sizeof(cJSON *));
    while ((problem = cJSON_DetachItemFromArray(problems, 0)) != NULL) {
        if (problem_is_wanted(problem, args))
            kept[count++] = problem;
        else
            cJSON_Delete(problem);
    }
    if (order != NULL)
        problems_sort(kept, count, order);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(problems, kept[i]);
    free(kept);
    return 0;
}
