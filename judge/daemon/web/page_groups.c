/* Groups: those in which one has a place, and the assignments and codes of one. */
#include "daemon/api.h"
#include "daemon/daemon.h"
#include "daemon/web/action.h"
#include "daemon/web/group_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the list ----------------------------------------------------------- */

static void
groups_rows(struct html *h, const cJSON *groups)
{
    const cJSON *group;

    if (cJSON_GetArraySize(groups) == 0) {
        html(h, "<p class=\"quiet\">You are in no group yet.</p>");
        return;
    }
    html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Group</th>"
            "<th scope=\"col\">You are</th><th scope=\"col\" class=\"number\">Members"
            "</th><th scope=\"col\">Made</th></tr></thead><tbody>");
    cJSON_ArrayForEach(group, groups)
    {
        const char *standing = value_text(group, "standing");

        html(h, "<tr><th scope=\"row\"><a href=\"/groups/");
        html_url(h, value_text(group, "group"));
        html(h,
             "\">%s</a></th><td>%s</td><td class=\"number\">%lld</td>"
             "<td class=\"quiet\">",
             value_text(group, "group"),
             strcmp(standing, "none") == 0    ? "not in it"
             : strcmp(standing, "asked") == 0 ? "asked to join"
                                              : standing,
             value_whole(group, "members"));
        html_ago(h, value_number(group, "created_ms"));
        html(h, "</td></tr>");
    }
    html(h, "</tbody></table></div>");
}

static void
groups_show(struct view *v)
{
    struct html *h = &v->page;
    struct report r = {0};

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, "Groups", SECTION_GROUPS, 0);
    html(h, "<h1>Groups</h1>");
    groups_rows(h, value_at(v->answer, "groups"));
    html(h, "<div class=\"cards\">");
    action_form(v, "card", "/groups", "join");
    html(h,
         "<h2>Join a group</h2><label>Code or invitation, from a teacher <input "
         "name=\"code\" required autocomplete=\"off\" value=\"%s\"></label>"
         "<button>Join</button></form>",
         form_value(&v->form, "code"));
    if (rights_check(&v->call.daemon->policy, &v->call.who, NEED_STAFF, &r) == 0) {
        action_form(v, "card", "/groups", "make");
        html(h,
             "<h2>A new group</h2><label>Name, of a to z, digits and hyphens <input "
             "name=\"name\" required value=\"%s\"></label><button>Make it</button>"
             "</form>",
             form_value(&v->form, "name"));
    }
    html(h, "</div>");
    layout_end(v);
    view_send(v, layout_status(v));
}

static void
groups_begin(struct view *v)
{
    view_ask(v, api_groups, groups_show);
}

void
page_groups(struct http_call *c)
{
    groups_begin(view_begin(c));
}

static bool
groups_prepare_join(struct view *v, cJSON *body)
{
    action_text(v, body, "code");
    return true;
}

static bool
groups_prepare_make(struct view *v, cJSON *body)
{
    action_text(v, body, "name");
    return true;
}

static void
groups_done(struct view *v)
{
    struct html path = {0};

    html(&path, "/groups/");
    html_url(&path, value_text(v->answer, "group"));
    view_go(v, buf_str(&path.out));
    buf_free(&path.out);
}

void
page_change_groups(struct http_call *c)
{
    static const struct action ACTIONS[] = {{"join", api_join_group, groups_prepare_join},
                                            {"make", api_new_group, groups_prepare_make}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, groups_begin,
                groups_done);
}
