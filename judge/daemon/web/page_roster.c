/* The roster of a group: who is in it, and who is asked to be. */
#include "daemon/api.h"
#include "daemon/web/action.h"
#include "daemon/web/group_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_A_STEP 200

/* The place whose row is next, and what a form has done. */
enum { PART_NEXT, PART_DONE };

/* --- who is in it ------------------------------------------------------- */

/* A button that does this with one person. */
static void
roster_button(struct view *v, const char *path, const char *action, const cJSON *place,
              const char *words)
{
    const char *user = value_text(place, "user");

    action_form(v, "inline", path, action);
    html(&v->page,
         "<input type=\"hidden\" name=\"user\" value=\"%s\"><button class=\"plain\">%s "
         "<span class=\"away\">%s</span></button></form> ",
         user, words, user);
}

static void
roster_row(struct view *v, const char *path, const cJSON *place)
{
    const bool teacher = value_is_true(place, "teacher");
    struct html *h = &v->page;

    html(h, "<tr><th scope=\"row\">");
    if (value_is_text(place, "place", "invited"))
        html(h, "%s", value_text(place, "user"));
    else
        html_user(h, place, "user");
    html(h, "</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td class=\"quiet\">",
         value_text(place, "full_name"), value_text(place, "student_id"),
         teacher ? "teacher" : "member", value_text(place, "place"));
    html_ago(h, value_number(place, "since_ms"));
    html(h, "</td><td class=\"doing\">");
    if (value_is_text(place, "place", "invited"))
        roster_button(v, path, "invite", place, "Invite again");
    else if (value_is_text(place, "place", "joined"))
        roster_button(v, path, teacher ? "member" : "teacher", place,
                      teacher ? "Make a member" : "Make a teacher");
    roster_button(v, path, "remove", place, "Remove");
    html(h, "</td></tr>");
}

static void
roster_table_begin(struct view *v)
{
    const cJSON *members = value_at(v->answer, "members");
    struct html *h = &v->page;

    html(h, "<h2>Roster</h2><p class=\"quiet\">");
    html_plural(h, cJSON_GetArraySize(members), "place");
    html(h, "</p><div class=\"scroll\"><table><thead><tr><th scope=\"col\">User</th>"
            "<th scope=\"col\">Full name</th><th scope=\"col\">Student ID</th>"
            "<th scope=\"col\">As</th><th scope=\"col\">Place</th>"
            "<th scope=\"col\">Since</th>"
            "<th scope=\"col\"><span class=\"away\">Change</span></th></tr></thead>"
            "<tbody>");
    v->part[PART_NEXT] = members != NULL ? members->child : NULL;
}

/* --- who comes in ------------------------------------------------------- */

static void
roster_form(struct view *v, const char *path)
{
    struct html *h = &v->page;

    html(h,
         "<form class=\"card broad\" method=\"post\" enctype=\"multipart/form-data\" "
         "action=\"%s\"><input type=\"hidden\" name=\"do\" value=\"enrol\">",
         path);
    view_form_token(v);
    html(h,
         "<h2>Enrol people</h2><p class=\"quiet\">The first line names the columns: "
         "<code>user</code>, and, if you like, <code>full_name</code> and "
         "<code>student_id</code>. Commas or semicolons separate cells. Who has a place "
         "already keeps it.</p><label>Roster in CSV <textarea name=\"csv\" rows=\"7\" "
         "spellcheck=\"false\">\n");
    html(h,
         "%s</textarea></label><label>or a file <input type=\"file\" name=\"file\" "
         "accept=\".csv,text/csv\"></label>"
         "<label>Invitations are good for so many days <input name=\"days\" "
         "inputmode=\"numeric\" size=\"4\" value=\"14\"></label>"
         "<button class=\"first\">Enrol</button></form>",
         form_value(&v->form, "csv")[0] != '\0' ? form_value(&v->form, "csv")
                                                : "user,full_name,student_id\n");
}

static void
roster_invitation(struct html *h, const char *invitation)
{
    html(h, "<a href=\"/join?invitation=");
    html_url(h, invitation);
    html(h, "\">link</a> <code>%s</code>", invitation);
}

/* What has just come of a form. Invitations are told this once. */
static void
roster_done(struct view *v)
{
    const cJSON *done = v->part[PART_DONE], *e;
    struct html *h = &v->page;

    if (done == NULL)
        return;
    html(h,
         "<section class=\"notice\" role=\"status\"><p>Invitations are not shown again. "
         "They are good until ");
    html_moment(h, value_number(done, "expires_ms"));
    html(h, ".</p>");
    if (value_text(done, "invitation")[0] != '\0') {
        html(h, "<p>%s: ", value_text(done, "user"));
        roster_invitation(h, value_text(done, "invitation"));
        html(h, "</p>");
    }
    if (value_at(done, "enrolled") != NULL)
        html(h, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">User</th>"
                "<th scope=\"col\">Full name</th><th scope=\"col\">Now</th>"
                "<th scope=\"col\">Invitation</th></tr></thead><tbody>");
    cJSON_ArrayForEach(e, value_at(done, "enrolled"))
    {
        html(h, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>",
             value_text(e, "user"), value_text(e, "full_name"), value_text(e, "result"));
        if (value_text(e, "invitation")[0] != '\0')
            roster_invitation(h, value_text(e, "invitation"));
        html(h, "</td></tr>");
    }
    if (value_at(done, "enrolled") != NULL)
        html(h, "</tbody></table></div>");
    html(h, "</section>");
}

/* --- the page ----------------------------------------------------------- */

/* Writes some rows of the table, and goes on in a later step: a group may have thousands.
 * The page ends behind the last one. */
static void
roster_go_on(struct view *v)
{
    const cJSON *place = v->part[PART_NEXT];
    char *path = group_path(v, "/members");

    for (int i = 0; place != NULL && i < ROWS_A_STEP; i++, place = place->next)
        roster_row(v, path, place);
    v->part[PART_NEXT] = place;
    if (place != NULL) {
        view_later(v, roster_go_on);
    } else {
        html(&v->page, "</tbody></table></div>");
        roster_form(v, path);
        layout_end(v);
        view_send(v, layout_status(v));
    }
    free(path);
}

static void
roster_show(struct view *v)
{
    if (v->status != 200) {
        view_fail(v);
        return;
    }
    group_head(v, GROUP_ROSTER, true);
    roster_done(v);
    roster_table_begin(v);
    view_later(v, roster_go_on);
}

static void
roster_begin(struct view *v)
{
    view_set_arg(v, 0, v->call.arg[0]);
    view_ask(v, api_roster, roster_show);
}

void
page_roster(struct http_call *c)
{
    roster_begin(view_begin(c));
}

/* --- changes ------------------------------------------------------------ */

static bool
roster_prepare_enrol(struct view *v, cJSON *body)
{
    const struct form_field *file = form_field(&v->form, "file");

    if (file != NULL && file->value[0] != '\0')
        cJSON_AddStringToObject(body, "csv", file->value);
    else
        action_text(v, body, "csv");
    action_number(v, body, "days");
    return true;
}

static bool
roster_prepare_one(struct view *v, cJSON *body)
{
    (void)body;
    action_arg_field(v, "user");
    return true;
}

static bool
roster_prepare_standing(struct view *v, cJSON *body)
{
    action_arg_field(v, "user");
    cJSON_AddStringToObject(body, "standing", form_value(&v->form, "do"));
    return true;
}

static void
roster_changed(struct view *v)
{
    const char *action = form_value(&v->form, "do");
    char *path;

    if (strcmp(action, "enrol") == 0 || strcmp(action, "invite") == 0) {
        v->part[PART_DONE] = v->answer;
        form_free(&v->form);
        roster_begin(v);
        return;
    }
    path = group_path(v, "/members");
    view_go(v, path);
    free(path);
}

void
page_change_roster(struct http_call *c)
{
    static const struct action ACTIONS[] = {
        {"enrol", api_enrol, roster_prepare_enrol},
        {"invite", api_invite_again, roster_prepare_one},
        {"member", api_change_place, roster_prepare_standing},
        {"teacher", api_change_place, roster_prepare_standing},
        {"remove", api_leave_group, roster_prepare_one}};

    action_take(view_begin(c), ACTIONS, sizeof ACTIONS / sizeof *ACTIONS, roster_begin,
                roster_changed);
}
