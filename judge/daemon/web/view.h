/*
 * A page while it is made. It is made of the answers of API calls, so that a page shows
 * what the API tells, to whom the API tells it. Each call goes through the check of
 * rights that its route has (routes.c), and its answer comes back as JSON.
 *
 * Each answer is looked at in a step of the event loop of its own. A thread parses a long
 * one before that, and frees it in the end (long_answer.h). A page may therefore ask for
 * several things, and holds the loop no longer than one of them. Where the client goes
 * meanwhile the page is made all the same, and nobody takes it.
 *
 * A view is freed when its page is sent, or nobody waits for it any more.
 */
#ifndef DAEMON_WEB_VIEW_H
#define DAEMON_WEB_VIEW_H

#include "daemon/address.h"
#include "daemon/http.h"
#include "daemon/web/form.h"
#include "daemon/web/html.h"
#include "daemon/web/safe_headers.h"

#include <cjson/cJSON.h>
#include <event2/keyvalq_struct.h>
#include <stdbool.h>

#define VIEW_PARTS_MAX 6

struct event;
struct event_base;
struct view;
struct web;

typedef void view_step(struct view *v);

struct view {
    struct answer_taker taker; /* first, so that it is the view */
    struct web *web;
    struct http_call call;  /* the page's own */
    struct address address; /* with the query */
    struct form form;       /* of a POST */
    char nonce[NONCE_CHARS + 1];
    const char *notice; /* a sentence that the page begins with; owned; NULL: none */

    /* The call that is under way, or has ended. */
    struct html asked_text; /* its query, as in an address */
    struct evkeyvalq asked_query;
    char *asked_arg[ROUTE_ARGS_MAX];
    struct buf asked_body;
    view_step *then;
    view_step *again, *after; /* of the action of a form (action.h) */
    int status;
    cJSON *answer;  /* NULL: it is no JSON. It is kept until the view is freed */
    char *followed; /* the cursor of the next page of the answer; NULL: it is the last */

    /* Answers, or parts of them, that the page keeps a name for; not owned. */
    const cJSON *part[VIEW_PARTS_MAX];
    cJSON *kept; /* an array of all answers */
    struct html page;

    const struct slices_maker *maker;
    void *maker_arg;
    struct buf text; /* of the answer, until it is parsed */
    bool is_unread;  /* the text is whole, and not parsed yet */
    bool keeps_long; /* one of the answers is long (long_answer.h) */
    struct event *step;
    struct view *next, **previous; /* while a step is waited for */
};

struct web *web_new(struct event_base *base, struct report *r);
/* Ends the pages that are being made. It is called before the server is freed. */
void web_end(struct web *w);
void web_free(struct web *w);

/* The taker of a request for a page, which view_begin() finds again. */
struct answer_taker *view_taker(struct http_call *c);

/* The view of a page's call, with the call's own copies of path and query. */
struct view *view_begin(struct http_call *c);

/* What the next call of the API is told. */
void view_set_arg(struct view *v, int i, const char *value);
void view_set_query(struct view *v, const char *name, const char *value);
void view_set_body(struct view *v, cJSON *body); /* which is freed */

/* Makes a call of the API. Then v->status and v->answer are set, and `then` goes on. */
void view_ask(struct view *v, void (*answer)(struct http_call *c), view_step *then);

/* Goes on in a later step of the event loop, where a page takes long to make. */
void view_later(struct view *v, view_step *then);

/* The sentence of the answer, which is an error. */
const char *view_sentence(const struct view *v);

/* Sends what stands in v->page, and frees the view. */
void view_send(struct view *v, int status);

/* Sends a file that never changes under its name, and frees the view. *packed keeps it
 * compressed. */
void view_send_file(struct view *v, const char *type, const char *text,
                    struct buf *packed);

/* Sends the browser to another page by GET. */
void view_go(struct view *v, const char *path);

/* Sends a page that says what went wrong: the sentence of the answer, or one's own. */
void view_fail(struct view *v);
void view_refuse(struct view *v, int status, const char *sentence);

/* Writes a token into forms that change something (form.h). */
void view_form_token(struct view *v);

/* Parses the form of a POST, and sees whether it comes from a page of ours. False where
 * that is not so: a page is sent then. Where the page was shown to somebody else, or by
 * another run of the judge, `again` makes it, so that nothing is lost that was typed. */
bool view_take_form(struct view *v, view_step *again);

/* Sets v->notice. */
void view_note(struct view *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
