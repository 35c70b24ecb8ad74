#include "daemon/web/staff_view.h"

#include "daemon/daemon.h"
#include "daemon/web/layout.h"

#include <string.h>

bool
staff_is_admin(const struct view *v)
{
    struct report r = {0};

    return rights_check(&v->call.daemon->policy, &v->call.who, NEED_ADMIN, &r) == 0;
}

bool
staff_is_staff(const struct view *v)
{
    struct report r = {0};

    return rights_check(&v->call.daemon->policy, &v->call.who, NEED_STAFF, &r) == 0;
}

void
staff_head(struct view *v, enum staff_tab tab, const char *title)
{
    static const struct {
        const char *path, *words;
        bool admin;
    } TABS[] = {[STAFF_OVERVIEW] = {"/staff", "Queue and devices", false},
                [STAFF_CALIBRATIONS] = {"/staff/calibration", "Calibration", false},
                [STAFF_USERS] = {"/staff/users", "Users", false},
                [STAFF_EQUAL] = {"/staff/equal", "Equal sources", false},
                [STAFF_REJUDGE] = {"/staff/rejudge", "Judge again", true},
                [STAFF_GRADES] = {"/staff/grades", "Grades", true},
                [STAFF_ANNOUNCEMENTS] = {"/staff/announcements", "Announcements", true}};
    const bool admin = staff_is_admin(v);
    struct html *h = &v->page;

    layout_begin(v, title, SECTION_STAFF, 0);
    html(h, "<nav class=\"tabs\" aria-label=\"Pages of the staff\">");
    for (size_t i = 0; i < sizeof TABS / sizeof *TABS; i++) {
        if (TABS[i].admin && !admin)
            continue;
        html(h, "<a href=\"%s\"", TABS[i].path);
        if (i == tab)
            html(h, " aria-current=\"page\"");
        html(h, ">%s</a>", TABS[i].words);
    }
    html(h, "</nav><h1>%s</h1>", title);
}

void
staff_roles(struct html *h, const char *chosen)
{
    static const char *const ROLES[] = {"member", "staff", "admin"};

    html(h, "<label>Role <select name=\"role\">");
    for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++)
        html(h, "<option%s>%s</option>", strcmp(ROLES[i], chosen) == 0 ? " selected" : "",
             ROLES[i]);
    html(h, "</select></label>");
}
