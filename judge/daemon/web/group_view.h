/* What the pages of a group have in common: its address, its head, and moments that are
 * typed. */
#ifndef DAEMON_WEB_GROUP_VIEW_H
#define DAEMON_WEB_GROUP_VIEW_H

#include "daemon/web/view.h"

enum group_tab { GROUP_ASSIGNMENTS, GROUP_ROSTER, GROUP_GRADES };

/* The address of the page's group, with `rest` behind it, as it stands in an attribute.
 * The caller frees. */
char *group_path(const struct view *v, const char *rest);

/* Begins the page of a group. Teachers have links to its other pages. */
void group_head(struct view *v, enum group_tab tab, bool teacher);

/* A field for a moment in the judge's zone (clock.h). It has what was typed, or else this
 * moment; NaN: none. */
void group_moment_field(struct view *v, const char *label, const char *name, double ms);

#endif
