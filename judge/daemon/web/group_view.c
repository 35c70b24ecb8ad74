#include "daemon/web/group_view.h"

#include "daemon/web/clock.h"
#include "daemon/web/layout.h"

#include <stdlib.h>

char *
group_path(const struct view *v, const char *rest)
{
    struct html path = {0};

    html(&path, "/groups/");
    html_url(&path, v->call.arg[0]);
    html(&path, "%s", rest);
    return buf_take(&path.out);
}

void
group_head(struct view *v, enum group_tab tab, bool teacher)
{
    static const struct {
        const char *rest, *words;
    } TABS[] = {[GROUP_ASSIGNMENTS] = {"", "Assignments"},
                [GROUP_ROSTER] = {"/members", "Roster"},
                [GROUP_GRADES] = {"/grades", "Grades"}};
    struct html *h = &v->page;

    layout_begin(v, v->call.arg[0], SECTION_GROUPS, 0);
    html(h,
         "<header class=\"head\"><p class=\"quiet\"><a href=\"/groups\">Groups</a></p>"
         "<h1>%s</h1></header>",
         v->call.arg[0]);
    if (!teacher)
        return;
    html(h, "<nav class=\"tabs\" aria-label=\"Pages of this group\">");
    for (size_t i = 0; i < sizeof TABS / sizeof *TABS; i++) {
        char *path = group_path(v, TABS[i].rest);

        html(h, "<a href=\"%s\"", path);
        if (i == tab)
            html(h, " aria-current=\"page\"");
        html(h, ">%s</a>", TABS[i].words);
        free(path);
    }
    html(h, "</nav>");
}

void
group_moment_field(struct view *v, const char *label, const char *name, double ms)
{
    const char *typed = form_value(&v->form, name);
    char text[CLOCK_BYTES];

    clock_field_text(text, ms);
    html(&v->page,
         "<label>%s <span class=\"zone\">(%s)</span> <input type=\"datetime-local\" "
         "name=\"%s\" value=\"%s\" required></label>",
         label, clock_zone(), name, typed[0] != '\0' ? typed : text);
}
