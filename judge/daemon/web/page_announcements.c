/* For admins: what everybody is told at the head of each page. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"
#include "daemon/web/values.h"

#define ADDRESS "/staff/announcements"

static void
announcements_row(struct view *v, const cJSON *told)
{
    const long long id = value_whole(told, "id");
    struct html *h = &v->page;

    html(h, "<tr><td><bdi>%s</bdi></td><td>", value_text(told, "text"));
    html_ago(h, value_number(told, "created_ms"));
    html(h, "</td><td>");
    action_form(v, "inline", ADDRESS, "remove");
    html(h,
         "<input type=\"hidden\" name=\"id\" value=\"%lld\"><button class=\"plain\">"
         "Remove <span class=\"away\">announcement %lld</span></button></form></td></tr>",
         id, id);
}

static void
announcements_table(struct view *v, const cJSON *list)
{
    struct html *h = &v->page;
    const cJSON *told;

    if (cJSON_GetArraySize(list) == 0) {
        html(h, "<p class=\"quiet\">Nothing is told now.</p>");
        return;
    }
    html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Text</th>"
            "<th scope=\"col\">Since</th>"
            "<th scope=\"col\"><span class=\"away\">Change</span></th></tr></thead>"
            "<tbody>");
    cJSON_ArrayForEach(told, list) announcements_row(v, told);
    html(h, "</tbody></table></div>");
}

static void
announcements_show(struct view *v)
{
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    staff_head(v, STAFF_ANNOUNCEMENTS, "Announcements");
    announcements_table(v, value_at(v->answer, "announcements"));
    action_form(v, "card", ADDRESS, "announce");
    html(h,
         "<h2>Tell everybody something</h2><label>One line, at the head of each page and "
         "in terminals <input name=\"text\" maxlength=\"400\" autocomplete=\"off\" "
         "value=\"%s\"></label><button class=\"first\">Announce</button></form>",
         form_value(&v->form, "text"));
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
announcements_begin(struct view *v)
{
    view_ask(v, api_announcements, announcements_show);
}

void
page_announcements(struct http_call *c)
{
    announcements_begin(view_begin(c));
}

static bool
announcements_prepare(struct view *v, cJSON *body)
{
    action_text(v, body, "text");
    return true;
}

static bool
announcements_prepare_removal(struct view *v, cJSON *body)
{
    (void)body;
    action_arg_field(v, "id");
    return true;
}

/* The page is asked for anew, so that the head has what is told now. */
static void
announcements_done(struct view *v)
{
    view_go(v, ADDRESS);
}

void
page_change_announcements(struct http_call *c)
{
    static const struct action ACTIONS[] = {
        {"announce", api_announce, announcements_prepare},
        {"remove", api_drop_announcement, announcements_prepare_removal}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS,
                announcements_begin, announcements_done);
}
