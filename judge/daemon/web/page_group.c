/* A group: its assignments with their extensions, and its codes. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/clock.h"
#include "daemon/web/group_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART_ASSIGNMENTS, PART_CODES, PART_DONE };

/* --- assignments -------------------------------------------------------- */

static void
group_problems(struct view *v, const cJSON *a)
{
    struct html *h = &v->page;
    const cJSON *problem;

    if (cJSON_GetArraySize(value_at(a, "problems")) == 0)
        html(h, "<span class=\"quiet\">told when it opens</span>");
    html(h, "<ul class=\"inline\">");
    cJSON_ArrayForEach(problem, value_at(a, "problems"))
    {
        const char *slug = cJSON_IsString(problem) ? problem->valuestring : "";

        html(h, "<li>");
        html_problem_link(h, slug, layout_title(v, slug));
        html(h, "</li>");
    }
    html(h, "</ul>");
}

/* Lists who has more time. Teachers can take that away. */
static void
group_extensions(struct view *v, const char *path, const cJSON *a)
{
    struct html *h = &v->page;
    const cJSON *extension;

    if (!isnan(value_number(a, "until_ms"))) {
        html(h, "<p>You have until ");
        html_moment(h, value_number(a, "until_ms"));
        html(h, ".</p>");
    }
    cJSON_ArrayForEach(extension, value_at(a, "extensions"))
    {
        action_form(v, "inline", path, "extend");
        html(h,
             "<input type=\"hidden\" name=\"assignment\" value=\"%s\">"
             "<input type=\"hidden\" name=\"user\" value=\"%s\">",
             value_text(a, "assignment"), value_text(extension, "user"));
        html_user(h, extension, "user");
        html(h, " has until ");
        html_moment(h, value_number(extension, "until_ms"));
        html(h, " <button class=\"plain\">Take it away</button></form>");
    }
}

static void
group_assignment(struct view *v, const char *path, const cJSON *a, bool teacher)
{
    struct html *h = &v->page;
    const char *phase = value_text(a, "phase"), *name = value_text(a, "assignment");

    html(h,
         "<tr><th scope=\"row\">%s</th><td><span class=\"phase %s\">%s</span>%s</td><td>",
         name, phase, phase,
         value_is_text(a, "before", "hidden") ? ", hidden before" : "");
    html_moment(h, value_number(a, "opens_ms"));
    html(h, "</td><td>");
    html_moment(h, value_number(a, "closes_ms"));
    group_extensions(v, path, a);
    html(h, "</td><td>");
    group_problems(v, a);
    html(h, "</td>");
    if (teacher) {
        html(h, "<td class=\"doing\"><a class=\"inline\" href=\"%s?assignment=", path);
        html_url(h, name);
        html(h, "#set\">Change <span class=\"away\">%s</span></a>", name);
        action_form(v, "inline", path, "drop");
        html(h,
             "<input type=\"hidden\" name=\"assignment\" value=\"%s\">"
             "<button class=\"plain\">Remove <span class=\"away\">%s</span></button>"
             "</form></td>",
             name, name);
    }
    html(h, "</tr>");
}

static void
group_assignments(struct view *v, const char *path, bool teacher)
{
    const cJSON *list = value_at(v->part[PART_ASSIGNMENTS], "assignments"), *a;
    struct html *h = &v->page;

    html(h, "<h2>Assignments</h2>");
    if (cJSON_GetArraySize(list) == 0) {
        html(h, "<p class=\"quiet\">There is none yet.</p>");
        return;
    }
    html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Name</th>"
            "<th scope=\"col\">Now</th><th scope=\"col\">Opens</th>"
            "<th scope=\"col\">Closes</th><th scope=\"col\">Problems</th>");
    if (teacher)
        html(h, "<th scope=\"col\"><span class=\"away\">Change</span></th>");
    html(h, "</tr></thead><tbody>");
    cJSON_ArrayForEach(a, list) group_assignment(v, path, a, teacher);
    html(h, "</tbody></table></div>");
}

/* --- what teachers do --------------------------------------------------- */

/* The assignment that is to be changed, which the query names; or NULL. */
static const cJSON *
group_changed(const struct view *v)
{
    const char *name = call_query(&v->call, "assignment");
    const cJSON *a;

    cJSON_ArrayForEach(a, value_at(v->part[PART_ASSIGNMENTS], "assignments"))
    {
        if (name != NULL && value_is_text(a, "assignment", name))
            return a;
    }
    return NULL;
}

static void
group_assign_problems(struct view *v, const cJSON *changed)
{
    struct html *h = &v->page;
    const char *between = "";
    const cJSON *problem;

    html(h,
         "<label>Problems, with commas between their slugs <input name=\"problems\" "
         "required placeholder=\"vector-addition, reduction\" value=\"%s",
         form_value(&v->form, "problems"));
    cJSON_ArrayForEach(problem, value_at(changed, "problems"))
    {
        html(h, "%s%s", between, cJSON_IsString(problem) ? problem->valuestring : "");
        between = ", ";
    }
    html(h, "\"></label>");
}

/* The form has what was typed, or else what the assignment is that is to be changed. */
static void
group_assign_form(struct view *v, const char *path)
{
    const bool typed = form_value(&v->form, "do")[0] != '\0';
    const cJSON *changed = typed ? NULL : group_changed(v);
    const bool hidden = value_is_text(changed, "before", "hidden") ||
                        strcmp(form_value(&v->form, "before"), "hidden") == 0;
    struct html *h = &v->page;

    html(h, "<div id=\"set\">");
    action_form(v, "card", path, "assign");
    html(h,
         "<h2>%s an assignment</h2><label>Name <input name=\"name\" required "
         "value=\"%s%s\"></label>",
         changed != NULL ? "Change" : "Set", form_value(&v->form, "name"),
         value_text(changed, "assignment"));
    group_assign_problems(v, changed);
    group_moment_field(v, "Opens", "opens", value_number(changed, "opens_ms"));
    group_moment_field(v, "Closes", "closes", value_number(changed, "closes_ms"));
    html(h,
         "<label class=\"check\"><input type=\"checkbox\" name=\"before\" "
         "value=\"hidden\"%s> Its problems are hidden until it opens</label>"
         "<p class=\"quiet\">One that has this name already is set anew.</p>"
         "<button class=\"first\">Set it</button></form></div>",
         hidden ? " checked" : "");
}

static void
group_extend_form(struct view *v, const char *path)
{
    const cJSON *list = value_at(v->part[PART_ASSIGNMENTS], "assignments"), *a;
    struct html *h = &v->page;

    if (cJSON_GetArraySize(list) == 0)
        return;
    action_form(v, "card", path, "extend");
    html(h, "<h2>Give more time</h2><label>Assignment <select name=\"assignment\">");
    cJSON_ArrayForEach(a, list)
        html(h, "<option>%s</option>", value_text(a, "assignment"));
    html(h,
         "</select></label><label>User <input name=\"user\" required value=\"%s\">"
         "</label>",
         form_value(&v->form, "user"));
    group_moment_field(v, "Until", "until", (double)NAN);
    html(h, "<button>Give it</button></form>");
}

static void
group_codes_form(struct view *v, const char *path)
{
    const cJSON *codes = value_at(v->part[PART_CODES], "codes"), *code;
    struct html *h = &v->page;

    html(h, "<section class=\"card\"><h2>Codes to join by</h2>");
    if (cJSON_GetArraySize(codes) == 0)
        html(h, "<p class=\"quiet\">None is good now.</p>");
    else
        html(h, "<ul>");
    cJSON_ArrayForEach(code, codes)
    {
        html(h, "<li>");
        html_plural(h, value_whole(code, "uses_left"), "use");
        html(h, " until ");
        html_moment(h, value_number(code, "expires_ms"));
        html(h, "</li>");
    }
    if (cJSON_GetArraySize(codes) > 0)
        html(h, "</ul>");
    action_form(v, "row", path, "code");
    html(h, "<label>Days <input name=\"days\" inputmode=\"numeric\" size=\"4\" "
            "value=\"14\"></label><label>Uses <input name=\"uses\" inputmode=\"numeric\" "
            "size=\"4\" value=\"100\"></label><button>Make a code</button></form>");
    action_form(v, "inline", path, "withdraw");
    html(h, "<button class=\"plain\">Withdraw all codes</button></form></section>");
}

static void
group_delete_form(struct view *v, const char *path)
{
    struct html *h = &v->page;

    html(h, "<details><summary>Delete this group</summary>");
    action_form(v, "card", path, "delete");
    html(h,
         "<p>Nobody can bring a deleted group back. Its accounts stay.</p>"
         "<label>Type its name, %s <input name=\"name\" autocomplete=\"off\" required>"
         "</label><button>Delete it</button></form></details>",
         v->call.arg[0]);
}

/* --- the page ----------------------------------------------------------- */

static void
group_show(struct view *v)
{
    const bool teacher = v->part[PART_CODES] != NULL;
    const cJSON *done = v->part[PART_DONE];
    struct html *h = &v->page;
    char *path = group_path(v, "");

    group_head(v, GROUP_ASSIGNMENTS, teacher);
    if (done != NULL) {
        html(h,
             "<p class=\"notice\" role=\"status\">The code is <code>%s</code>. It is not "
             "shown again. It is good for ",
             value_text(done, "code"));
        html_plural(h, value_whole(done, "uses_left"), "use");
        html(h, " until ");
        html_moment(h, value_number(done, "expires_ms"));
        html(h, ".</p>");
    }
    group_assignments(v, path, teacher);
    if (teacher) {
        html(h, "<div class=\"cards\">");
        group_assign_form(v, path);
        group_extend_form(v, path);
        group_codes_form(v, path);
        html(h, "</div>");
        group_delete_form(v, path);
    }
    free(path);
    layout_end(v);
    view_send(v, layout_status(v));
}

/* Only teachers are told the codes. */
static void
group_take_codes(struct view *v)
{
    v->part[PART_CODES] = v->status == 200 ? v->answer : NULL;
    group_show(v);
}

static void
group_take_assignments(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_ASSIGNMENTS] = v->answer;
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_group_codes, group_take_codes);
}

static void
group_begin(struct view *v)
{
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_assignments, group_take_assignments);
}

void
page_group(struct http_call *c)
{
    group_begin(view_begin(c));
}

/* --- changes ------------------------------------------------------------ */

/* Adds the slugs of a list. A title becomes its slug: "Vector Addition, softmax" is
 * "vector-addition,softmax". */
static void
group_add_slugs(struct buf *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const bool between = *at == ' ' && at > text && at[-1] != ' ' && at[-1] != ',';
        const char *next = at + strspn(at, " ");
        const char letter = (char)tolower((unsigned char)*at);

        if (*at != ' ')
            buf_add(out, &letter, 1);
        else if (between && *next != ',' && *next != '\0')
            buf_puts(out, "-");
    }
}

static bool
group_prepare_assign(struct view *v, cJSON *body)
{
    struct buf problems = {0};

    group_add_slugs(&problems, form_value(&v->form, "problems"));
    action_text(v, body, "name");
    cJSON_AddStringToObject(body, "problems", buf_str(&problems));
    buf_free(&problems);
    cJSON_AddStringToObject(body, "zone", clock_zone());
    action_text(v, body, "before");
    return action_moment(v, body, "opens") && action_moment(v, body, "closes");
}

static bool
group_prepare_drop(struct view *v, cJSON *body)
{
    (void)body;
    action_arg_field(v, "assignment");
    return true;
}

static bool
group_prepare_extend(struct view *v, cJSON *body)
{
    action_arg_field(v, "assignment");
    action_text(v, body, "user");
    return action_moment(v, body, "until");
}

static bool
group_prepare_code(struct view *v, cJSON *body)
{
    action_number(v, body, "days");
    action_number(v, body, "uses");
    return true;
}

static bool
group_prepare_delete(struct view *v, cJSON *body)
{
    (void)body;
    view_set_query(v, "name", form_value(&v->form, "name"));
    return true;
}

static void
group_done(struct view *v)
{
    const char *action = form_value(&v->form, "do");
    char *path;

    if (strcmp(action, "code") == 0) {
        v->part[PART_DONE] = v->answer;
        group_begin(v);
        return;
    }
    path = strcmp(action, "delete") == 0 ? xstrdup("/groups") : group_path(v, "");
    view_go(v, path);
    free(path);
}

void
page_change_group(struct http_call *c)
{
    static const struct action ACTIONS[] = {
        {"assign", api_set_assignment, group_prepare_assign},
        {"drop", api_drop_assignment, group_prepare_drop},
        {"extend", api_extend, group_prepare_extend},
        {"code", api_new_group_code, group_prepare_code},
        {"withdraw", api_withdraw_group_codes, NULL},
        {"delete", api_delete_group, group_prepare_delete}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, group_begin,
                group_done);
}
