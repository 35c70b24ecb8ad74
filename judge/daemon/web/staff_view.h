/* What the pages of the staff have in common. */
#ifndef DAEMON_WEB_STAFF_VIEW_H
#define DAEMON_WEB_STAFF_VIEW_H

#include "daemon/web/view.h"

enum staff_tab {
    STAFF_OVERVIEW,
    STAFF_CALIBRATIONS,
    STAFF_USERS,
    STAFF_EQUAL,
    STAFF_REJUDGE,
    STAFF_GRADES,
    STAFF_ANNOUNCEMENTS,
    STAFF_NO_TAB
};

/* Begins a page of the staff, with links to the others. Pages of admins are named to
 * admins only. */
void staff_head(struct view *v, enum staff_tab tab, const char *title);

/* Is this somebody who may call what admins may? The page shows its forms then. */
bool staff_is_admin(const struct view *v);

/* Is this somebody of the staff, or an admin? */
bool staff_is_staff(const struct view *v);

/* A field `role` of a form, in which this one is chosen. */
void staff_roles(struct html *h, const char *chosen);

#endif
