#include "daemon/web/action.h"

#include "daemon/web/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The API's sentences have no end, but for those that ask something. */
static void
action_done(struct view *v)
{
    const char *sentence = view_sentence(v);
    const size_t len = strlen(sentence);

    if (v->status < 400) {
        v->after(v);
        return;
    }
    view_note(v, "That was not done: %s%s", sentence,
              len > 0 && sentence[len - 1] == '?' ? "" : ".");
    v->again(v);
}

/* Sets the arguments that the page has itself. */
static void
action_own_args(struct view *v)
{
    for (int i = 0; i < ROUTE_ARGS_MAX; i++)
        if (v->call.arg[i] != NULL)
            view_set_arg(v, i, v->call.arg[i]);
}

void
action_take(struct view *v, const struct action *actions, size_t count, view_step *again,
            view_step *then)
{
    const char *name;
    cJSON *body;

    if (!view_take_form(v, again))
        return;
    v->again = again;
    v->after = then;
    name = form_value(&v->form, "do");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(actions[i].name, name) != 0)
            continue;
        action_own_args(v);
        body = cJSON_CreateObject();
        if (actions[i].prepare != NULL && !actions[i].prepare(v, body)) {
            cJSON_Delete(body);
            again(v);
            return;
        }
        view_set_body(v, body);
        view_ask(v, actions[i].call, action_done);
        return;
    }
    view_refuse(v, 400, "This form cannot be read: send it again from its page.");
}

void
action_text(const struct view *v, cJSON *body, const char *name)
{
    const char *text = form_value(&v->form, name);

    if (text[0] != '\0')
        cJSON_AddStringToObject(body, name, text);
}

void
action_number(const struct view *v, cJSON *body, const char *name)
{
    const char *text = form_value(&v->form, name);
    char *end;
    const long number = strtol(text, &end, 10);

    if (text[0] == '\0')
        return;
    if (*end == '\0')
        cJSON_AddNumberToObject(body, name, (double)number);
    else
        cJSON_AddStringToObject(body, name, text);
}

bool
action_moment(struct view *v, cJSON *body, const char *name)
{
    const char *text = form_value(&v->form, name);
    struct report r = {0};
    char member[32];
    int64_t ms;

    if (text[0] == '\0')
        return true;
    if (clock_moment(text, &ms, &r) != 0) {
        view_note(v, "That was not done: %s.", r.text);
        return false;
    }
    snprintf(member, sizeof member, "%s_ms", name);
    cJSON_AddNumberToObject(body, member, (double)ms);
    return true;
}

void
action_arg_field(struct view *v, const char *name)
{
    int i = 0;

    while (v->call.arg[i] != NULL && i < ROUTE_ARGS_MAX - 1)
        i++;
    view_set_arg(v, i, form_value(&v->form, name));
}

void
action_form(struct view *v, const char *css, const char *path, const char *name)
{
    html(&v->page,
         "<form class=\"%s\" method=\"post\" action=\"%s\">"
         "<input type=\"hidden\" name=\"do\" value=\"%s\">",
         css, path, name);
    view_form_token(v);
}
