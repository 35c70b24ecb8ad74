/*
 * What the forms of a page do. Each form has a field `do`, which names an action of its
 * page, and an action is one call of the API. Where the API refuses it, the page is shown
 * again with the sentence, and with what was typed.
 */
#ifndef DAEMON_WEB_ACTION_H
#define DAEMON_WEB_ACTION_H

#include "daemon/web/view.h"

struct action {
    const char *name;
    void (*call)(struct http_call *c);
    /* Sets arguments and query of the call, and adds the members of its body. False after
     * view_note(), where something that was typed cannot be understood. NULL: the call
     * has the arguments of the page, and no body. */
    bool (*prepare)(struct view *v, cJSON *body);
};

/* Checks the form of a POST, and makes the call of the action that it names. Then `then`
 * goes on where the call has succeeded, and `again` makes the page where it has not. */
void action_take(struct view *v, const struct action *actions, size_t count,
                 view_step *again, view_step *then);

/* Adds a member to the body from the form's field of this name. An empty field is left
 * out. A number that is none is added as text, which the API refuses. */
void action_text(const struct view *v, cJSON *body, const char *name);
void action_number(const struct view *v, cJSON *body, const char *name);

/* Adds a moment as `NAME_ms` from the field `name`, which has "2026-11-24T09:00" in the
 * judge's zone (clock.h). False after view_note(). An empty field is left out. */
bool action_moment(struct view *v, cJSON *body, const char *name);

/* Sets the arguments of the call: those of the page, and then the form's field. */
void action_arg_field(struct view *v, const char *name);

/* Begins a form for an action, with its token. `path` is the page's own address. */
void action_form(struct view *v, const char *css, const char *path, const char *name);

#endif
