#include "daemon/web/view.h"

#include "base/file.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "daemon/address.h"
#include "daemon/daemon.h"
#include "daemon/loop_watch.h"
#include "daemon/request.h"
#include "daemon/rights.h"
#include "daemon/routes.h"
#include "daemon/slices.h"
#include "daemon/thread_pool.h"
#include "daemon/web/layout.h"
#include "daemon/web/long_answer.h"

#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KEY_BYTES 32
#define TOKEN_BYTES 16
#define LONG_TEXT_BYTES ((size_t)64 << 10) /* of an answer: threads parse it */
#define PARSING_THREADS 2
#define LONG_PAGE_BYTES ((size_t)128 << 10) /* a longer one is sent in pieces */
#define PIECE_BYTES ((size_t)64 << 10)

struct web {
    unsigned char key[KEY_BYTES]; /* of the tokens in forms, of this run */
    struct view *waiting;         /* those that wait for a step */
    struct thread_pool *parsing;  /* of long answers; NULL: the pages have ended */
};

struct web *
web_new(struct event_base *base, struct report *r)
{
    struct web *w = xcalloc(1, sizeof *w);

    randombytes_buf(w->key, sizeof w->key);
    w->parsing = thread_pool_new(base, PARSING_THREADS, "a page's answer, parsed", r);
    if (w->parsing != NULL)
        return w;
    web_free(w);
    return NULL;
}

void
web_free(struct web *w)
{
    if (w == NULL)
        return;
    explicit_bzero(w->key, sizeof w->key);
    free(w);
}

/* --- life --------------------------------------------------------------- */

static void
view_link(struct view *v)
{
    v->next = v->web->waiting;
    v->previous = &v->web->waiting;
    if (v->next != NULL)
        v->next->previous = &v->next;
    v->web->waiting = v;
}

static void
view_unlink(struct view *v)
{
    if (v->previous == NULL)
        return;
    *v->previous = v->next;
    if (v->next != NULL)
        v->next->previous = v->previous;
    v->previous = NULL;
}

static void
view_forget_asked(struct view *v)
{
    evhttp_clear_headers(&v->asked_query);
    buf_clear(&v->asked_text.out);
    for (int i = 0; i < ROUTE_ARGS_MAX; i++) {
        free(v->asked_arg[i]);
        v->asked_arg[i] = NULL;
    }
    if (v->asked_body.data != NULL)
        explicit_bzero(v->asked_body.data, v->asked_body.len);
    buf_clear(&v->asked_body);
}

static void
view_free(struct view *v)
{
    view_unlink(v);
    view_forget_asked(v);
    buf_free(&v->asked_body);
    buf_free(&v->asked_text.out);
    if (v->maker != NULL)
        v->maker->free(v->maker_arg);
    for (int i = 0; i < ROUTE_ARGS_MAX; i++)
        free(v->call.arg[i]);
    address_free(&v->address);
    form_free(&v->form);
    if (v->keeps_long && v->web->parsing != NULL)
        long_answer_delete(v->web->parsing, v->kept);
    else
        cJSON_Delete(v->kept);
    buf_free(&v->text);
    buf_free(&v->page.out);
    free((char *)v->notice);
    free(v->followed);
    if (v->step != NULL)
        event_free(v->step);
    free(v);
}

void
web_end(struct web *w)
{
    struct thread_pool *parsing = w->parsing;

    w->parsing = NULL;
    thread_pool_free(parsing);
    for (struct view *v = w->waiting, *next; v != NULL; v = next) {
        next = v->next;
        /* The server frees a request, unless its client has gone. */
        if (evhttp_request_get_connection(v->call.req) == NULL)
            evhttp_request_free(v->call.req);
        view_free(v);
    }
}

/* --- answers ------------------------------------------------------------ */

static void
view_wait_step(struct view *v)
{
    static const struct timeval now = {0};

    view_link(v);
    if (event_add(v->step, &now) != 0)
        die(4, "out of memory");
}

/* Takes the cursor of the next page out of the header Link. */
static void
view_take_link(struct view *v, const struct evkeyvalq *headers)
{
    const char *link = evhttp_find_header(headers, "Link");
    const char *at = link != NULL ? strstr(link, "cursor=") : NULL;

    free(v->followed);
    v->followed = at != NULL ? strndup(at + 7, strcspn(at + 7, "&>")) : NULL;
}

/* Takes away the headers that an answer of the API's has, and a page has not. */
static void
view_take_headers(struct view *v)
{
    static const char *const OF_API[] = {"Content-Type",
                                         "Cache-Control",
                                         "ETag",
                                         "Link",
                                         "WWW-Authenticate",
                                         "RateLimit",
                                         "RateLimit-Policy",
                                         "RateLimit-Limit",
                                         "RateLimit-Remaining",
                                         "RateLimit-Reset"};
    struct evkeyvalq *headers = evhttp_request_get_output_headers(v->call.req);

    view_take_link(v, headers);
    for (size_t i = 0; i < sizeof OF_API / sizeof *OF_API; i++)
        while (evhttp_remove_header(headers, OF_API[i]) == 0)
            continue;
}

static void
view_keep_answer(struct view *v, cJSON *answer)
{
    v->answer = answer;
    if (answer != NULL)
        cJSON_AddItemToArray(v->kept, answer);
    view_forget_asked(v);
}

/* A thread has parsed the answer, or has ended: then web_end() finds the view. */
static void
view_take_parsed(void *arg, cJSON *answer, bool dropped)
{
    struct view *v = arg;

    view_keep_answer(v, answer);
    if (dropped)
        view_link(v);
    else
        view_wait_step(v);
}

/* Parses the answer, or has it parsed. Meanwhile nothing else knows the view. */
static void
view_read(struct view *v)
{
    v->is_unread = false;
    if (v->text.len > LONG_TEXT_BYTES) {
        v->keeps_long = true;
        long_answer_parse(v->web->parsing, &v->text, view_take_parsed, v);
        return;
    }
    view_keep_answer(v, cJSON_ParseWithLength(v->text.data, v->text.len));
    buf_clear(&v->text);
    v->then(v);
}

/* An answer has come: of a call of the API, or of what refuses the page itself. */
static void
view_take(struct answer_taker *t, struct http_call *c, int status, const char *text,
          size_t len)
{
    struct view *v = (struct view *)t;

    v->status = status;
    view_take_headers(v);
    buf_clear(&v->text);
    buf_add(&v->text, text, len);
    v->is_unread = true;
    if (v->then == NULL) {
        v->call.who = c->who;
        v->then = view_fail;
    }
    view_wait_step(v);
}

static void
view_take_slices(struct answer_taker *t, const struct slices_maker *maker, void *arg)
{
    struct view *v = (struct view *)t;

    v->maker = maker;
    v->maker_arg = arg;
    buf_clear(&v->text);
    view_wait_step(v);
}

static void
view_drop(struct answer_taker *t)
{
    view_free((struct view *)t);
}

/* Makes a slice of an answer. */
static void
view_slice(struct view *v)
{
    struct report r = {0};
    bool more = false;
    const int rc = v->maker->next(v->maker_arg, &v->text, &more, &r);

    if (rc == 0 && more) {
        view_wait_step(v);
        return;
    }
    v->maker->free(v->maker_arg);
    v->maker = NULL;
    if (rc != 0) {
        view_refuse(v, 500, r.text);
        return;
    }
    v->status = 200;
    view_take_headers(v);
    view_read(v);
}

static void
view_on_step(evutil_socket_t fd, short what, void *arg)
{
    struct view *v = arg;
    LOOP_HANDLER(evhttp_request_get_uri(v->call.req));

    (void)fd;
    (void)what;
    view_unlink(v);
    if (v->maker != NULL) {
        view_slice(v);
    } else if (v->is_unread) {
        view_read(v);
    } else {
        view_forget_asked(v);
        v->then(v);
    }
}

/* --- begin -------------------------------------------------------------- */

struct answer_taker *
view_taker(struct http_call *c)
{
    struct view *v = xcalloc(1, sizeof *v);

    v->taker = (struct answer_taker){view_take, view_take_slices, view_drop};
    v->web = c->daemon->web;
    safe_headers_nonce(v->nonce);
    v->call = (struct http_call){.daemon = c->daemon, .req = c->req, .v1 = true};
    v->asked_query.tqh_last = &v->asked_query.tqh_first;
    /* It could be parsed when the call came. */
    (void)address_parse(c->req, &v->address);
    v->call.query = &v->address.query;
    v->kept = cJSON_CreateArray();
    v->step = evtimer_new(c->daemon->base, view_on_step, v);
    if (v->kept == NULL || v->step == NULL)
        die(4, "out of memory");
    /* A page is never answered by 304, because nobody was given a tag of it. */
    (void)evhttp_remove_header(evhttp_request_get_input_headers(c->req), "If-None-Match");
    c->v1 = true;
    return &v->taker;
}

struct view *
view_begin(struct http_call *c)
{
    struct view *v = (struct view *)c->taker;

    v->call.who = c->who;
    for (int i = 0; i < ROUTE_ARGS_MAX; i++)
        v->call.arg[i] = c->arg[i] != NULL ? xstrdup(c->arg[i]) : NULL;
    return v;
}

/* --- asking ------------------------------------------------------------- */

void
view_set_arg(struct view *v, int i, const char *value)
{
    free(v->asked_arg[i]);
    v->asked_arg[i] = xstrdup(value);
}

void
view_set_query(struct view *v, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    if (v->asked_text.out.len > 0)
        buf_puts(&v->asked_text.out, "&");
    html_url(&v->asked_text, name);
    buf_puts(&v->asked_text.out, "=");
    html_url(&v->asked_text, value);
}

void
view_set_body(struct view *v, cJSON *body)
{
    buf_clear(&v->asked_body);
    buf_add_json(&v->asked_body, body);
}

static const struct route *
route_of(void (*answer)(struct http_call *c))
{
    for (size_t i = 0; i < route_count; i++)
        if (routes[i].answer == answer)
            return &routes[i];
    die(4, "a page calls what is no route of the API");
}

void
view_ask(struct view *v, void (*answer)(struct http_call *c), view_step *then)
{
    struct http_call call = v->call;
    struct report r = {0};
    int status;

    if (v->asked_text.out.len > 0 &&
        evhttp_parse_query_str(buf_str(&v->asked_text.out), &v->asked_query) != 0)
        die(4, "a page has made a query that cannot be read");
    call.query = &v->asked_query;
    for (int i = 0; i < ROUTE_ARGS_MAX; i++)
        call.arg[i] = v->asked_arg[i];
    call.body = &v->asked_body;
    call.taker = &v->taker;
    v->then = then;
    v->answer = NULL;
    status = rights_check(&call.daemon->policy, &call.who, route_of(answer)->need, &r);
    if (status != 0)
        reply_refused(&call, status, &r);
    else
        answer(&call);
}

void
view_later(struct view *v, view_step *then)
{
    v->then = then;
    view_wait_step(v);
}

const char *
view_sentence(const struct view *v)
{
    const cJSON *detail = cJSON_GetObjectItemCaseSensitive(v->answer, "detail");

    return cJSON_IsString(detail) ? detail->valuestring : "The judge gave no reason.";
}

void
view_note(struct view *v, const char *format, ...)
{
    struct report r = {0};
    struct buf clean = {0};
    va_list ap;

    va_start(ap, format);
    vsnprintf(r.text, sizeof r.text, format, ap);
    va_end(ap);
    utf8_clean(&clean, r.text);
    free((char *)v->notice);
    v->notice = buf_take(&clean);
}

/* --- sending ------------------------------------------------------------ */

/* A long page while it is sent, piece by piece. */
struct sent_page {
    struct buf text;
    size_t sent; /* bytes of it */
};

static int
sent_page_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct sent_page *s = arg;
    const size_t left = s->text.len - s->sent;
    const size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;

    (void)r;
    buf_add(body, s->text.data + s->sent, piece);
    s->sent += piece;
    *more = s->sent < s->text.len;
    return 0;
}

static void
sent_page_free(void *arg)
{
    struct sent_page *s = arg;

    buf_free(&s->text);
    free(s);
}

void
view_send(struct view *v, int status)
{
    static const struct slices_maker MAKER = {sent_page_next, sent_page_free};
    struct http_call call = v->call;
    struct sent_page *sent = xcalloc(1, sizeof *sent);

    call.taker = NULL;
    safe_headers_add(&call, v->nonce);
    evhttp_add_header(evhttp_request_get_output_headers(call.req), "Content-Type",
                      "text/html; charset=utf-8");
    sent->text = v->page.out;
    v->page.out = (struct buf){0};
    view_free(v);
    call.query = NULL;
    if (status == 200 && sent->text.len > LONG_PAGE_BYTES) {
        reply_slices(&call, &MAKER, sent);
        return;
    }
    reply_text(&call, status, buf_str(&sent->text));
    sent_page_free(sent);
}

void
view_send_file(struct view *v, const char *type, const char *text, struct buf *packed)
{
    struct http_call call = v->call;
    struct evkeyvalq *headers = evhttp_request_get_output_headers(call.req);

    call.taker = NULL;
    safe_headers_add(&call, NULL);
    evhttp_add_header(headers, "Content-Type", type);
    evhttp_add_header(headers, "Cache-Control", "public, max-age=31536000, immutable");
    view_free(v);
    call.query = NULL;
    reply_shared(&call, text, strlen(text), packed);
}

void
view_go(struct view *v, const char *path)
{
    struct http_call call = v->call;

    call.taker = NULL;
    safe_headers_add(&call, v->nonce);
    evhttp_add_header(evhttp_request_get_output_headers(call.req), "Location", path);
    view_free(v);
    call.query = NULL;
    reply_head(&call, 303);
}

void
view_refuse(struct view *v, int status, const char *sentence)
{
    buf_clear(&v->page.out);
    layout_error(v, status, sentence);
    view_send(v, status);
}

void
view_fail(struct view *v)
{
    view_refuse(v, v->status, view_sentence(v));
}

/* --- forms -------------------------------------------------------------- */

/* The token is a hash under a key of this run, so that nobody else can make one, of who
 * asks. A page of another site cannot read a page of ours, and so does not know it. */
static void
view_token(const struct view *v, char text[TOKEN_BYTES * 2 + 1])
{
    const struct identity *who = &v->call.who;
    unsigned char hash[crypto_generichash_BYTES];
    char *of = xasprintf("%s\n%lld\n%lld\n%d", who->name, (long long)who->account,
                         (long long)who->session, (int)who->role);

    crypto_generichash(hash, sizeof hash, (const unsigned char *)of, strlen(of),
                       v->web->key, sizeof v->web->key);
    hex_write(text, hash, TOKEN_BYTES);
    free(of);
}

void
view_form_token(struct view *v)
{
    char text[TOKEN_BYTES * 2 + 1];

    view_token(v, text);
    html(&v->page, "<input type=\"hidden\" name=\"form\" value=\"%s\">", text);
}

/* Does the request come from a page of this judge? A browser says so in one of these. */
static bool
view_is_from_here(const struct view *v)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(v->call.req);
    const char *origin = evhttp_find_header(headers, "Origin");
    const char *site = evhttp_find_header(headers, "Sec-Fetch-Site");

    return origin != NULL &&
           address_is_own_origin(origin, evhttp_find_header(headers, "Host")) &&
           (site == NULL || strcmp(site, "same-origin") == 0);
}

bool
view_take_form(struct view *v, view_step *again)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(v->call.req);
    char text[TOKEN_BYTES * 2 + 1];
    struct report r = {0};
    size_t len = 0;
    const char *body = call_body(&v->call, &len), *token;

    if (!view_is_from_here(v)) {
        view_refuse(v, 403, "A form is sent from a page of this judge only.");
        return false;
    }
    if (len > BODY_BYTES_MAX) {
        view_refuse(v, 413, "This is too long: a source has at most 1 MiB.");
        return false;
    }
    if (form_parse(evhttp_find_header(headers, "Content-Type"), body, len, &v->form,
                   &r) != 0) {
        view_refuse(v, 400, r.text);
        return false;
    }
    view_token(v, text);
    token = form_value(&v->form, "form");
    if (strlen(token) == strlen(text) && sodium_memcmp(token, text, strlen(text)) == 0)
        return true;
    view_note(v, "This page was from before you signed in, or before the judge was "
                 "started again. Nothing was done yet: send it once more.");
    again(v);
    return false;
}
