/* The list of problems, and the search in it. */
#include "daemon/api.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <stdlib.h>
#include <string.h>

static const char *const LEVELS[] = {"easy", "medium", "hard"};
static const char *const STATES[] = {"solved", "tried", "unsolved"};
static const char *const ORDERS[] = {"course"};
#define CHOICES 3
#define NEXT_SHOWN "1"

/* The page's parts (view.h). */
enum { PART_PROBLEMS, PART_NEXT };
#define WORDS_BYTES_MAX 200 /* each word is looked for in each problem */

/* --- what is shown ------------------------------------------------------ */

static bool
list_has(const cJSON *list, const char *text, bool part)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        const char *value = cJSON_IsString(item) ? item->valuestring : "";

        if (part ? strcasestr(value, text) != NULL : strcmp(value, text) == 0)
            return true;
    }
    return false;
}

/* Has the problem each of the words, in its title, slug or tags? */
static bool
problem_has_words(const cJSON *p, const char *words)
{
    char *copy = xstrdup(words), *rest = NULL;
    bool all = true;

    for (char *word = strtok_r(copy, " \t", &rest); word != NULL && all;
         word = strtok_r(NULL, " \t", &rest))
        all = strcasestr(value_text(p, "title"), word) != NULL ||
              strcasestr(value_text(p, "slug"), word) != NULL ||
              list_has(value_at(p, "tags"), word, true);
    free(copy);
    return all;
}

static bool
problem_is_wanted(const struct view *v, const cJSON *p)
{
    const char *words = call_query(&v->call, "q"), *tag = call_query(&v->call, "tag");
    const char *level = call_query(&v->call, "level");
    const char *state = call_query(&v->call, "state");

    return (words == NULL || problem_has_words(p, words)) &&
           (tag == NULL || list_has(value_at(p, "tags"), tag, false)) &&
           (level == NULL || value_is_text(p, "difficulty", level)) &&
           (state == NULL || value_is_text(p, "state", state) ||
            (strcmp(state, "unsolved") == 0 && value_is_text(p, "state", "tried")));
}

/* --- the form ----------------------------------------------------------- */

static void
problems_choice(struct view *v, const char *name, const char *label, const char *any,
                const char *const *values, int count)
{
    const char *chosen = call_query(&v->call, name);
    struct html *h = &v->page;

    html(h, "<label>%s <select name=\"%s\"><option value=\"\">%s</option>", label, name,
         any);
    for (int i = 0; i < count; i++)
        if (chosen != NULL && strcmp(chosen, values[i]) == 0)
            html(h, "<option selected>%s</option>", values[i]);
        else
            html(h, "<option>%s</option>", values[i]);
    html(h, "</select></label>");
}

static int
tag_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The tags of all problems, each once, in the alphabet's order. */
static void
problems_tags(struct view *v, const cJSON *problems)
{
    const char *chosen = call_query(&v->call, "tag"), *before = "";
    const char **tags = NULL;
    size_t count = 0;
    const cJSON *p, *tag;
    struct html *h = &v->page;

    cJSON_ArrayForEach(p, problems) cJSON_ArrayForEach(tag, value_at(p, "tags"))
    {
        tags = xrealloc(tags, (count + 1) * sizeof *tags);
        tags[count++] = cJSON_IsString(tag) ? tag->valuestring : "";
    }
    if (count > 0)
        qsort(tags, count, sizeof *tags, tag_compare);
    html(h, "<label>Tag <select name=\"tag\"><option value=\"\">any</option>");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(tags[i], before) == 0)
            continue;
        before = tags[i];
        if (chosen != NULL && strcmp(chosen, before) == 0)
            html(h, "<option selected>%s</option>", before);
        else
            html(h, "<option>%s</option>", before);
    }
    html(h, "</select></label>");
    free(tags);
}

static void
problems_form(struct view *v, const cJSON *problems)
{
    const char *words = call_query(&v->call, "q");
    struct html *h = &v->page;

    html(h,
         "<form class=\"filter\" action=\"/problems\" role=\"search\">"
         "<label class=\"wide\">Words <input type=\"search\" name=\"q\" value=\"%s\" "
         "placeholder=\"softmax, scan, fp16\"></label>",
         words != NULL ? words : "");
    problems_choice(v, "level", "Difficulty", "any", LEVELS, CHOICES);
    problems_tags(v, problems);
    if (v->call.who.name[0] != '\0')
        problems_choice(v, "state", "State", "any", STATES, CHOICES);
    problems_choice(v, "order", "Order", "by name", ORDERS, 1);
    html(h, "<button>Search</button></form>");
}

/* --- the list ----------------------------------------------------------- */

static void
problems_state(struct html *h, const cJSON *p)
{
    const cJSON *place = cJSON_GetArrayItem(value_at(p, "places"), 0);

    if (value_is_text(p, "state", "solved"))
        html(h,
             "<td><span class=\"verdict good\"><span aria-hidden=\"true\">\u2713</span> "
             "solved</span></td>");
    else if (value_is_text(p, "state", "tried"))
        html(h, "<td><span class=\"quiet\"><span aria-hidden=\"true\">\u25d0</span> "
                "tried</span></td>");
    else
        html(h, "<td></td>");
    html(h, "<td class=\"number\">");
    if (place != NULL) {
        html_ordinal(h, value_whole(place, "rank"));
        html(h, " <span class=\"quiet\">of %lld</span>", value_whole(place, "entries"));
    }
    html(h, "</td>");
}

/* In the order of the course it is of interest what a problem teaches. */
static bool
by_course(const struct view *v)
{
    const char *order = call_query(&v->call, "order");

    return order != NULL && strcmp(order, ORDERS[0]) == 0;
}

static void
problems_words(struct view *v, const cJSON *p)
{
    struct html *h = &v->page;
    const cJSON *word;

    html(h, "<td class=\"tags\">");
    cJSON_ArrayForEach(word, value_at(p, by_course(v) ? "teaches" : "tags"))
    {
        const char *text = cJSON_IsString(word) ? word->valuestring : "";

        if (by_course(v)) {
            html(h, "<span>%s</span> ", text);
            continue;
        }
        html(h, "<a href=\"/problems?tag=");
        html_url(h, text);
        html(h, "\">%s</a> ", text);
    }
    html(h, "</td>");
}

static void
problems_row(struct view *v, const cJSON *p)
{
    struct html *h = &v->page;

    html(h, "<tr><th scope=\"row\">");
    html_problem_link(h, value_text(p, "slug"), value_text(p, "title"));
    if (value_text(p, "error")[0] != '\0')
        html(h, " <span class=\"quiet\">its spec does not load</span>");
    html(h, "</th><td><span class=\"level %s\">%s</span></td>",
         value_text(p, "difficulty"), value_text(p, "difficulty"));
    problems_words(v, p);
    if (v->call.who.name[0] != '\0')
        problems_state(h, p);
    html(h, "</tr>");
}

/* How many are solved, as words and as a bar. */
static void
problems_progress(struct view *v, const cJSON *problems)
{
    const int all = cJSON_GetArraySize(problems);
    struct html *h = &v->page;
    const cJSON *p;
    int solved = 0;

    if (v->call.who.name[0] == '\0') {
        html(h,
             "<p class=\"lead\">Write <code>solve()</code> in CUDA; the judge says "
             "whether it is right, how fast it is, and where it ranks. There are %d "
             "problems.</p>",
             all);
        return;
    }
    cJSON_ArrayForEach(p, problems) solved += value_is_text(p, "state", "solved");
    html(h,
         "<p class=\"progress\"><label>%d of %d solved <progress value=\"%d\" "
         "max=\"%d\"></progress></label></p>",
         solved, all, solved, all > 0 ? all : 1);
}

/* What to do next, and why; nothing where all is done, or somebody is not signed in. */
static void
problems_next(struct view *v)
{
    const cJSON *step = cJSON_GetArrayItem(value_at(v->part[PART_NEXT], "next"), 0);
    struct html *h = &v->page;

    if (step == NULL)
        return;
    html(h, "<p>Next: ");
    html_problem_link(h, value_text(step, "problem"), value_text(step, "title"));
    html(h, " <span class=\"quiet\">%s: %s</span></p>", value_text(step, "difficulty"),
         value_text(step, "reason"));
}

static void
problems_show(struct view *v)
{
    const cJSON *problems = value_at(v->part[PART_PROBLEMS], "problems"), *p;
    struct html *h = &v->page;
    int shown = 0;

    v->part[PART_NEXT] = v->status == 200 ? v->answer : NULL;
    layout_begin(v, "Problems", SECTION_PROBLEMS, 0);
    html(h, "<h1>Problems</h1>");
    problems_progress(v, problems);
    if (v->call.who.name[0] != '\0')
        problems_next(v);
    problems_form(v, problems);
    html(h,
         "<div class=\"scroll\"><table class=\"problems\"><thead><tr>"
         "<th scope=\"col\">Problem</th><th scope=\"col\">Difficulty</th>"
         "<th scope=\"col\">%s</th>",
         by_course(v) ? "Teaches" : "Tags");
    if (v->call.who.name[0] != '\0')
        html(h,
             "<th scope=\"col\">State</th><th scope=\"col\" class=\"number\">Rank</th>");
    html(h, "</tr></thead><tbody>");
    cJSON_ArrayForEach(p, problems) if (problem_is_wanted(v, p))
    {
        problems_row(v, p);
        shown++;
    }
    html(h, "</tbody></table></div>");
    if (shown == 0)
        html(h, "<p>No problem is like that. <a href=\"/problems\">All problems</a></p>");
    layout_end(v);
    view_send(v, 200);
}

static void
problems_take(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_PROBLEMS] = v->answer;
    if (v->call.who.name[0] == '\0') {
        problems_show(v);
        return;
    }
    view_set_query(v, "user", v->call.who.name);
    view_set_query(v, "limit", NEXT_SHOWN);
    view_ask(v, api_next, problems_show);
}

void
page_problems(struct http_call *c)
{
    struct view *v = view_begin(c);
    const char *words = call_query(&v->call, "q");

    if (words != NULL && strlen(words) > WORDS_BYTES_MAX) {
        view_refuse(v, 400, "These are too many words: at most 200 bytes are searched.");
        return;
    }
    view_set_query(v, "user", v->call.who.name);
    view_set_query(v, "order", call_query(&v->call, "order"));
    view_ask(v, api_problems, problems_take);
}
