/* A problem, with the form that sends a solution of it. */
#include "daemon/api.h"
#include "daemon/daemon.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/rows.h"
#include "daemon/web/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN "5"

enum { PART_PROBLEM, PART_BOARD, PART_OWN, PART_SOURCE };

/* --- the statement ------------------------------------------------------ */

static void
problem_facts(struct view *v, const cJSON *p)
{
    const cJSON *limits = value_at(p, "limits"), *benchmark = value_at(p, "benchmark");
    struct html *h = &v->page;
    const cJSON *tag, *size;

    html(h, "<p class=\"facts\"><span class=\"level %s\">%s</span>",
         value_text(p, "difficulty"), value_text(p, "difficulty"));
    cJSON_ArrayForEach(tag, value_at(p, "tags"))
    {
        const char *text = cJSON_IsString(tag) ? tag->valuestring : "";

        html(h, " <a class=\"tag\" href=\"/problems?tag=");
        html_url(h, text);
        html(h, "\">%s</a>", text);
    }
    html(h, "</p>");
    layout_statement(v, value_text(p, "statement"));
    html(h,
         "<h2>Limits</h2><dl class=\"facts\"><div><dt>Tests</dt><dd>%lld</dd></div>"
         "<div><dt>Time</dt><dd>",
         value_whole(p, "tests"));
    html_time(h, value_number(limits, "time_ms") * 1e6);
    html(h, " for a test</dd></div><div><dt>Memory</dt><dd>");
    html_bytes(h, value_number(limits, "memory_bytes"));
    html(h, "</dd></div>");
    cJSON_ArrayForEach(size, benchmark) if (cJSON_IsString(size)) html(
        h, "<div><dt>Timed on %s</dt><dd>%s</dd></div>", size->string, size->valuestring);
    html(h, "</dl>");
}

/* --- the form ----------------------------------------------------------- */

static void
problem_devices(struct view *v, const cJSON *p)
{
    const char *chosen = form_value(&v->form, "device");
    struct html *h = &v->page;
    const cJSON *device;

    html(h, "<label>Device <select name=\"device\">");
    cJSON_ArrayForEach(device, value_at(p, "devices"))
    {
        const char *name = value_text(device, "name");

        if (!value_is_true(device, "judged"))
            continue;
        if (strcmp(chosen, name) == 0)
            html(h, "<option selected>%s</option>", name);
        else
            html(h, "<option>%s</option>", name);
    }
    html(h, "</select></label>");
}

/* May who asks submit? Else the page says how they may. */
static bool
problem_may_submit(struct view *v)
{
    struct http_call *c = &v->call;
    struct html *h = &v->page;
    struct report r = {0};

    if (rights_check(&c->daemon->policy, &c->who, NEED_SUBMIT, &r) == 0)
        return true;
    if (c->daemon->policy.registration != REGISTRATION_OFF && c->who.role == ROLE_GUEST)
        html(h, "<p class=\"notice\"><a href=\"/sign-in\">Sign in</a> to run and submit "
                "your solution.</p>");
    else
        html(h, "<p class=\"notice\">%s</p>", r.text);
    return false;
}

/* What stands in the text area: what was sent and refused, an older submission, or the
 * starter. */
static const char *
problem_source(const struct view *v)
{
    const char *sent = form_value(&v->form, "source");

    if (sent[0] != '\0')
        return sent;
    return v->part[PART_SOURCE] != NULL ? value_text(v->part[PART_SOURCE], "source")
                                        : value_text(v->part[PART_PROBLEM], "starter");
}

/* What the form's script (judge/web/solution.ts) must know: whose drafts of what, and
 * whether the text area has the starter, over which a draft goes. */
static void
problem_form_data(struct view *v, const cJSON *p)
{
    struct html *h = &v->page;
    const bool starter =
        form_value(&v->form, "source")[0] == '\0' && v->part[PART_SOURCE] == NULL;

    html(h, " data-slug=\"%s\" data-user=\"%s\" data-given=\"%s\"", value_text(p, "slug"),
         v->call.who.name, starter ? "starter" : "source");
}

static void
problem_form(struct view *v, const cJSON *p)
{
    struct html *h = &v->page;
    const bool may = problem_may_submit(v);

    html(h, "<form class=\"editor\" method=\"post\" enctype=\"multipart/form-data\" "
            "action=\"/problems/");
    html_url(h, value_text(p, "slug"));
    html(h, "\"");
    problem_form_data(v, p);
    html(h, "><label for=\"source\" id=\"source-label\">Your solution</label>");
    if (may)
        view_form_token(v);
    /* A parser of HTML drops the first newline of a text area. */
    html(h,
         "<textarea id=\"source\" name=\"source\" rows=\"26\" spellcheck=\"false\" "
         "autocomplete=\"off\" autocapitalize=\"off\" wrap=\"off\"%s>\n",
         may ? "" : " readonly");
    html(h, "%s</textarea>", problem_source(v));
    if (may) {
        html(h, "<div class=\"row\"><label>or a file <input type=\"file\" name=\"file\" "
                "accept=\".cu\"></label>");
        problem_devices(v, p);
        if (v->call.who.name[0] == '\0')
            html(h,
                 "<label>Your name <input name=\"user\" required maxlength=\"64\" "
                 "value=\"%s\"></label>",
                 form_value(&v->form, "user"));
        html(h, "<span class=\"actions\"><button name=\"mode\" value=\"submit\" "
                "class=\"first\">Submit</button>"
                "<button name=\"mode\" value=\"run\">Run samples</button>"
                "<button name=\"mode\" value=\"profile\">Profile</button></span></div>");
    }
    html(h, "</form>");
}

/* --- board and own submissions ------------------------------------------ */

static void
problem_board(struct view *v, const cJSON *p)
{
    const cJSON *board = v->part[PART_BOARD], *entry;
    const char *slug = value_text(p, "slug");
    struct html *h = &v->page;

    html(h, "<section aria-labelledby=\"board\"><h2 id=\"board\">Board</h2>");
    if (cJSON_GetArraySize(value_at(board, "entries")) == 0) {
        html(h, "<p class=\"quiet\">Nobody is on it yet.</p>");
    } else {
        html(h, "<div class=\"scroll\"><table class=\"board\"><thead><tr><th "
                "scope=\"col\" class=\"number\">Rank"
                "</th><th scope=\"col\">User</th><th scope=\"col\" class=\"number\">Time"
                "</th></tr></thead><tbody>");
        cJSON_ArrayForEach(entry, value_at(board, "entries"))
        {
            html(h, "<tr><td class=\"number\">%lld</td><td>", value_whole(entry, "rank"));
            html_user(h, entry, "user");
            html(h, "</td><td class=\"number\">");
            html_time(h, value_number(entry, "time_ns"));
            html(h, "</td></tr>");
        }
        html(h, "</tbody></table></div>");
    }
    html(h, "<p><a href=\"/problems/");
    html_url(h, slug);
    html(h, "/board\">The whole board of %s</a></p></section>",
         value_text(board, "board"));
}

static void
problem_own(struct view *v)
{
    const cJSON *own = value_at(v->part[PART_OWN], "submissions"), *sub;
    struct html *h = &v->page;

    if (v->part[PART_OWN] == NULL)
        return;
    html(h, "<section aria-labelledby=\"own\"><h2 id=\"own\">Your submissions</h2>");
    if (cJSON_GetArraySize(own) == 0)
        html(h, "<p class=\"quiet\">None yet.</p>");
    else {
        html(h, "<div class=\"scroll\"><table><tbody>");
        cJSON_ArrayForEach(sub, own) rows_submission(h, sub, ROWS_SHORT);
        html(h, "</tbody></table></div>");
    }
    html(h, "</section>");
}

/* --- the page ----------------------------------------------------------- */

static void
problem_show(struct view *v)
{
    const cJSON *p = v->part[PART_PROBLEM];
    struct html *h = &v->page;

    layout_begin(v, value_text(p, "title"), SECTION_PROBLEMS, 0);
    html(h, "<h1>%s</h1><div class=\"two\"><article class=\"statement\">",
         value_text(p, "title"));
    problem_facts(v, p);
    html(h, "</article><div class=\"work\">");
    problem_form(v, p);
    html(h, "<div class=\"pair\">");
    problem_own(v);
    problem_board(v, p);
    html(h, "</div></div></div>");
    layout_end(v);
    view_send(v, v->notice != NULL ? 400 : 200);
}

/* The source of an older submission, where this user may see it. */
static void
problem_take_source(struct view *v)
{
    if (v->status == 200)
        v->part[PART_SOURCE] = v->answer;
    else
        view_note(v, "The source of that submission cannot be shown: %s",
                  view_sentence(v));
    problem_show(v);
}

static void
problem_take_own(struct view *v)
{
    const char *from = call_query(&v->call, "from");

    if (v->status == 200)
        v->part[PART_OWN] = v->answer;
    if (from == NULL) {
        problem_show(v);
        return;
    }
    view_set_arg(v, 0, from);
    view_ask(v, api_source, problem_take_source);
}

static void
problem_take_board(struct view *v)
{
    if (v->status == 200)
        v->part[PART_BOARD] = v->answer;
    if (v->call.who.name[0] == '\0') {
        v->status = 404; /* a guest has none */
        problem_take_own(v);
        return;
    }
    view_set_query(v, "user", v->call.who.name);
    view_set_query(v, "problem", v->call.arg[0]);
    view_set_query(v, "limit", ROWS_SHOWN);
    view_ask(v, api_submissions, problem_take_own);
}

static void
problem_take(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    v->part[PART_PROBLEM] = v->answer;
    view_set_arg(v, 0, v->call.arg[0]);
    view_set_query(v, "limit", ROWS_SHOWN);
    view_ask(v, api_board, problem_take_board);
}

static void
problem_begin(struct view *v)
{
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_problem, problem_take);
}

void
page_problem(struct http_call *c)
{
    problem_begin(view_begin(c));
}

/* --- submitting --------------------------------------------------------- */

static void
problem_take_submission(struct view *v)
{
    char path[48];

    if (v->status == 201) {
        snprintf(path, sizeof path, "/submissions/%lld", value_whole(v->answer, "id"));
        view_go(v, path);
        return;
    }
    view_note(v, "It was not submitted: %s.", view_sentence(v));
    problem_begin(v);
}

void
page_submit(struct http_call *c)
{
    struct view *v = view_begin(c);
    const struct form_field *file;
    const char *user, *device;
    cJSON *body;
    bool upload;

    if (!view_take_form(v, problem_begin))
        return;
    file = form_field(&v->form, "file");
    user = form_value(&v->form, "user");
    device = form_value(&v->form, "device");
    upload = file != NULL && file->value[0] != '\0';
    body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "problem", v->call.arg[0]);
    cJSON_AddStringToObject(body, "source",
                            upload ? file->value : form_value(&v->form, "source"));
    cJSON_AddStringToObject(body, "filename",
                            upload && file->filename != NULL && file->filename[0] != '\0'
                                ? file->filename
                                : "solution.cu");
    cJSON_AddStringToObject(body, "mode", form_value(&v->form, "mode"));
    if (user[0] != '\0')
        cJSON_AddStringToObject(body, "user", user);
    if (device[0] != '\0')
        cJSON_AddStringToObject(body, "device", device);
    view_set_body(v, body);
    view_ask(v, api_submit, problem_take_submission);
}
