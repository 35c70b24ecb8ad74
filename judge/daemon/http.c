/*
 * From a connection to the function that answers, and back.
 *
 * evhttp parses HTTP and keeps limits of its own on headers, body and idle time. What it
 * lets through still comes from a stranger: address.c takes host, path and query apart.
 * Text that is not UTF-8 never reaches the store. A web page of another origin may not
 * call the API, because it could make a visitor's browser submit code.
 */
#include "daemon/http.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "daemon/access.h"
#include "daemon/address.h"
#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/gzip.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/request.h"
#include "daemon/rights.h"
#include "daemon/routes.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/view.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEADERS_BYTES_MAX 16384
#define IDLE_TIMEOUT_S 60
#define ACCEPT_TELL_S 10u
#define PREFLIGHT_S "600" /* how long a browser may remember what is allowed */
#define V1_PATH "/api/v1/"
/* evhttp's limit is above ours, so that a body that is a little too large gets our
 * sentence. evhttp cuts off a still larger one unread. One body alone stays below what a
 * client may have under way, or whether 413 or 503 comes would be left to chance. */
#define HTTP_BODY_BYTES_MAX (4 * BODY_BYTES_MAX)
_Static_assert(HEADERS_BYTES_MAX + HTTP_BODY_BYTES_MAX < RECEIVED_PER_CLIENT,
               "a body alone reaches its client's share");

/* All methods that evhttp knows, because one that it may not take gets evhttp's page
 * instead of our sentence. */
#define METHODS                                                                          \
    (EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |               \
     EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE | EVHTTP_REQ_PATCH)

struct server {
    struct daemon *daemon;
    struct evhttp *http;
    struct connections *connections;
};

/* --- answers ------------------------------------------------------------ */

int
server_may_send(const struct http_call *c, size_t bytes, struct report *r)
{
    return connection_may_send(c->daemon->server->connections, c->req, bytes, r);
}

struct connections_now
server_connections(const struct server *s)
{
    return connections_now(s->connections);
}

int
server_may_stream(const struct http_call *c, struct report *r)
{
    return connection_may_stream(c->daemon->server->connections, c->req, r);
}

void
server_on_close(struct daemon *d, struct evhttp_request *req, void (*on_close)(void *arg),
                void *arg)
{
    connection_on_close(d->server->connections, req, on_close, arg);
}

void
reply_headers(struct http_call *c)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);

    if (evhttp_find_header(headers, "Content-Type") == NULL)
        evhttp_add_header(headers, "Content-Type", "application/json");
    if (evhttp_find_header(headers, "Cache-Control") == NULL)
        evhttp_add_header(headers, "Cache-Control", "no-store");
    evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
}

void
reply_add_number(struct http_call *c, const char *header, int64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)value);
    evhttp_add_header(evhttp_request_get_output_headers(c->req), header, text);
}

static void
add_bytes(struct evbuffer *body, const char *bytes, size_t len)
{
    if (evbuffer_add(body, bytes, len) != 0)
        die(4, "out of memory");
}

/* Adds a body compressed. Where it is kept, that is done once. */
static void
add_compressed(const char *text, size_t len, struct buf *kept, struct evbuffer *body)
{
    struct gzip *g;

    if (kept != NULL && kept->len > 0) {
        add_bytes(body, kept->data, kept->len);
        return;
    }
    g = gzip_new();
    gzip_add(g, text, len, true, body);
    gzip_free(g);
    if (kept != NULL)
        buf_add(kept, evbuffer_pullup(body, -1), evbuffer_get_length(body));
}

/* Adds the body of an answer, which may be compressed. */
static void
add_body(struct http_call *c, int status, const char *text, size_t len, struct buf *kept,
         struct evbuffer *body)
{
    const bool head = call_is_head(c);
    const bool packed = kept != NULL && kept->len > 0;
    const bool may = status == 200 && len >= GZIP_LEAST && (packed || len <= GZIP_MOST) &&
                     (head || evhttp_request_get_command(c->req) == EVHTTP_REQ_GET);

    if (may && gzip_is_taken(c)) {
        gzip_add_header(c);
        if (!head)
            add_compressed(text, len, kept, body);
    } else if (head) {
        /* Of a body for HEAD evhttp would send the bytes with their length missing, and
         * the next answer on this connection would begin in it. */
        reply_add_number(c, "Content-Length", (int64_t)len);
    } else {
        add_bytes(body, text, len);
    }
}

static void
reply_body(struct http_call *c, int status, const char *text, size_t len,
           struct buf *kept)
{
    struct evbuffer *body;
    struct report r = {0};

    if (c->taker != NULL) {
        c->taker->take(c->taker, c, status, text, len);
        return;
    }
    if (server_may_send(c, len, &r) != 0) {
        reply_later(c, 503, "%s", r.text);
        return;
    }
    body = evbuffer_new();
    if (body == NULL)
        die(4, "out of memory");
    add_body(c, status, text, len, kept, body);
    reply_headers(c);
    evhttp_send_reply(c->req, status, status_words(status), body);
    evbuffer_free(body);
}

void
reply_text(struct http_call *c, int status, const char *text)
{
    reply_body(c, status, text, strlen(text), NULL);
}

void
reply_shared(struct http_call *c, const char *text, size_t len, struct buf *packed)
{
    reply_body(c, 200, text, len, packed);
}

bool
call_is_head(const struct http_call *c)
{
    return evhttp_request_get_command(c->req) == EVHTTP_REQ_HEAD;
}

void
reply_head(struct http_call *c, int status)
{
    reply_headers(c);
    evhttp_send_reply(c->req, status, status_words(status), NULL);
}

void
buf_add_json(struct buf *b, cJSON *value)
{
    json_add(b, value);
    cJSON_Delete(value);
}

void
reply_json(struct http_call *c, int status, cJSON *value)
{
    struct buf text = {0};

    buf_add_json(&text, value);
    buf_puts(&text, "\n");
    reply_text(c, status, buf_str(&text));
    buf_free(&text);
}

const char *
call_query(const struct http_call *c, const char *name)
{
    const char *value = evhttp_find_header(c->query, name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *
call_body(const struct http_call *c, size_t *len)
{
    struct evbuffer *input = evhttp_request_get_input_buffer(c->req);
    const char *body;

    if (c->body != NULL) {
        *len = c->body->len;
        return buf_str(c->body);
    }
    *len = evbuffer_get_length(input);
    if (*len > BODY_BYTES_MAX)
        return "";
    body = (const char *)evbuffer_pullup(input, -1);
    return body != NULL ? body : "";
}

/* --- pages of other sites ----------------------------------------------- */

/* Is it an origin of --allow-origin? Then a browser may show the answer to its page (the
 * Fetch standard, "CORS protocol"). It sends no cookies or passwords of its own with such
 * requests, because no answer allows these. */
static bool
origin_is_allowed(struct http_call *c, const char *origin)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);

    if (!address_is_listed(origin, c->daemon->settings.allow_origins))
        return false;
    c->foreign = true;
    evhttp_add_header(headers, "Access-Control-Allow-Origin", origin);
    evhttp_add_header(headers, "Access-Control-Expose-Headers",
                      "ETag, Link, RateLimit, RateLimit-Policy, Retry-After");
    return true;
}

/* Adds what a browser asks for before it makes another request than a plain GET. */
static void
origin_add_preflight(struct http_call *c, const char *methods)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);

    evhttp_add_header(headers, "Access-Control-Allow-Methods", methods);
    evhttp_add_header(headers, "Access-Control-Allow-Headers",
                      "Authorization, Content-Type, Idempotency-Key, If-None-Match, "
                      "Last-Event-ID");
    evhttp_add_header(headers, "Access-Control-Max-Age", PREFLIGHT_S);
}

/* --- routing ------------------------------------------------------------ */

static bool
route_matches(const char *pattern, const struct address *p, struct http_call *c)
{
    int arg = 0;

    for (int i = 0; i < p->count; i++) {
        size_t len = strcspn(pattern, "/");

        if (len == 1 && pattern[0] == '*')
            c->arg[arg++] = p->segment[i];
        else if (len == 0 || strlen(p->segment[i]) != len ||
                 memcmp(p->segment[i], pattern, len) != 0)
            return false;
        pattern += len;
        pattern += *pattern == '/';
    }
    return *pattern == '\0';
}

static const char *
method_name(enum evhttp_cmd_type method)
{
    return method == EVHTTP_REQ_POST     ? "POST"
           : method == EVHTTP_REQ_DELETE ? "DELETE"
                                         : "GET";
}

/* Is this a word of a list with spaces between? NULL is a list of none. */
static bool
list_has(const char *list, const char *word)
{
    const size_t len = strlen(word);

    while (list != NULL && *list != '\0') {
        const size_t n = strcspn(list, " ");

        if (n == len && memcmp(list, word, n) == 0)
            return true;
        list += n;
        list += *list == ' ';
    }
    return false;
}

/* Are all parameters of the query the route's? The first API ignores others. False after
 * having answered. */
static bool
route_takes_query(const struct route *route, struct http_call *c)
{
    char field[ERROR_FIELD_MAX];
    const struct evkeyval *item, *other;

    for (item = c->query->tqh_first; item != NULL && c->v1; item = item->next.tqe_next) {
        snprintf(field, sizeof field, "?%s", item->key);
        if (!list_has(route->query, item->key)) {
            reply_problem(c, ERROR_UNKNOWN_PARAMETER, field,
                          "\"%.40s\" is not a parameter of this call%s%s%s", item->key,
                          route->query != NULL ? " (they are " : "",
                          route->query != NULL ? route->query : "",
                          route->query != NULL ? ")" : "");
            return false;
        }
        for (other = item->next.tqe_next; other != NULL; other = other->next.tqe_next)
            if (strcmp(other->key, item->key) == 0) {
                reply_problem(c, ERROR_INVALID_PARAMETER, field,
                              "the parameter \"%s\" is there twice", item->key);
                return false;
            }
    }
    return true;
}

/* Answers, if who asks may call this route. */
static void
route_take(const struct route *route, struct http_call *c)
{
    struct report r = {0};
    const int status = rights_check(&c->daemon->policy, &c->who, route->need, &r);

    if (status != 0)
        reply_refused(c, status, &r);
    else if (route_takes_query(route, c))
        route->answer(c);
}

/* The route of an address and a method. HEAD is GET without a body. Where there is none,
 * lists the address's methods. */
static const struct route *
route_find(struct http_call *c, const struct address *p, struct buf *allowed)
{
    const enum evhttp_cmd_type asked = evhttp_request_get_command(c->req);
    const enum evhttp_cmd_type method = asked == EVHTTP_REQ_HEAD ? EVHTTP_REQ_GET : asked;

    const struct route *list = c->taker != NULL ? page_routes : routes;
    const size_t count = c->taker != NULL ? page_route_count : route_count;

    for (size_t i = 0; i < count; i++) {
        if (!route_matches(list[i].pattern, p, c))
            continue;
        if (list[i].method == method)
            return &list[i];
        buf_printf(allowed, "%s%s", allowed->len > 0 ? ", " : "",
                   method_name(list[i].method));
        if (list[i].method == EVHTTP_REQ_GET)
            buf_puts(allowed, ", HEAD");
    }
    if (allowed->len > 0)
        buf_puts(allowed, ", OPTIONS");
    return NULL;
}

static void
http_dispatch(struct http_call *c, const struct address *p)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);
    struct buf allowed = {0};
    const struct route *route = route_find(c, p, &allowed);

    if (route != NULL) {
        c->access->route = c->taker == NULL ? route : NULL;
        route_take(route, c);
    } else if (allowed.len > 0 &&
               evhttp_request_get_command(c->req) == EVHTTP_REQ_OPTIONS) {
        evhttp_add_header(headers, "Allow", buf_str(&allowed));
        if (c->foreign)
            origin_add_preflight(c, buf_str(&allowed));
        if (c->taker != NULL) /* it makes no page of an answer without a body */
            c->taker->drop(c->taker);
        evhttp_send_reply(c->req, 204, status_words(204), NULL);
    } else if (allowed.len > 0) {
        evhttp_add_header(headers, "Allow", buf_str(&allowed));
        reply_problem(c, ERROR_METHOD_NOT_ALLOWED, NULL,
                      "this address is called with %s only", buf_str(&allowed));
    } else if (c->taker != NULL) {
        reply_problem(c, ERROR_NO_SUCH_CALL, NULL, "There is no page at this address.");
    } else {
        reply_problem(c, ERROR_NO_SUCH_CALL, NULL,
                      "there is nothing at this address (docs/http-api.md lists the "
                      "calls)");
    }
    buf_free(&allowed);
}

/* The address of this end of the connection. NULL: not known, or a Unix socket. */
static const struct sockaddr *
connection_address(struct evhttp_request *req, struct sockaddr_storage *out)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    struct bufferevent *b =
        connection != NULL ? evhttp_connection_get_bufferevent(connection) : NULL;
    socklen_t len = sizeof *out;

    if (b == NULL ||
        getsockname(bufferevent_getfd(b), (struct sockaddr *)out, &len) != 0 ||
        (out->ss_family != AF_INET && out->ss_family != AF_INET6))
        return NULL;
    return (const struct sockaddr *)out;
}

/* May this request be answered? A browser may have made it for a page of a stranger's:
 * one whose name leads here (address.h), or one of another origin, which a browser then
 * names. Forms and plain scripts of such a page cannot send application/json. Replies,
 * and returns false, if not. */
static bool
http_admit(struct server *s, struct http_call *c)
{
    static const char json[] = "application/json";
    struct evkeyvalq *headers = evhttp_request_get_input_headers(c->req);
    const char *host = evhttp_find_header(headers, "Host");
    const char *origin = evhttp_find_header(headers, "Origin");
    const char *type = evhttp_find_header(headers, "Content-Type");
    const size_t len = sizeof json - 1;
    struct sockaddr_storage local = {0};

    if (s->daemon->settings.allow_origins != NULL)
        evhttp_add_header(evhttp_request_get_output_headers(c->req), "Vary", "Origin");
    if (host != NULL && !address_is_ours(host, s->daemon->settings.host_names,
                                         connection_address(c->req, &local)))
        reply_problem(c, ERROR_FOREIGN_HOST, NULL,
                      "this judge does not answer to the name %.100s (serve --host-name "
                      "adds one)",
                      host);
    else if (origin != NULL && !address_is_own_origin(origin, host) &&
             (c->taker != NULL || !origin_is_allowed(c, origin)))
        reply_problem(c, ERROR_FOREIGN_ORIGIN, NULL,
                      "pages of other sites may not call this API");
    else if (c->taker != NULL) /* its form is checked by web/form.h */
        return true;
    else if (evhttp_request_get_command(c->req) == EVHTTP_REQ_POST &&
             (type == NULL || strncasecmp(type, json, len) != 0 ||
              (type[len] != '\0' && strchr("; \t", type[len]) == NULL)))
        reply_problem(c, ERROR_MEDIA_TYPE, NULL,
                      "the body's Content-Type must be application/json");
    else
        return true;
    return false;
}

static void
on_request(struct evhttp_request *req, void *arg)
{
    LOOP_HANDLER(evhttp_request_get_uri(req));
    struct server *s = arg;
    struct address a;
    const char *wrong = address_parse(req, &a);
    struct http_call c = {.daemon = s->daemon, .req = req, .query = &a.query};
    struct report r = {0};
    int status;
    bool owned;

    c.v1 = address_take_version(&a) ||
           strncmp(evhttp_request_get_uri(req), V1_PATH, sizeof V1_PATH - 1) == 0;
    s->daemon->last_request_ns = now_ns();
    c.access = access_begin(s->daemon->access_log, req);
    owned = connection_answers(s->connections, req, c.access);
    if (!c.v1 && wrong == NULL && page_is_asked(&c, &a))
        c.taker = view_taker(&c);
    if (http_admit(s, &c)) {
        status = identity_find(&c, &c.who, &r);
        snprintf(c.access->user, sizeof c.access->user, "%s", c.who.name);
        if (status != 0)
            reply_refused(&c, status, &r);
        else if (wrong != NULL)
            reply_problem(&c, ERROR_INVALID_ADDRESS, NULL, "%s", wrong);
        else
            http_dispatch(&c, &a);
    }
    if (!owned)
        access_end(c.access, 0, 0);
    address_free(&a);
}

/* --- sockets ------------------------------------------------------------ */

static void
on_resume(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    if (evconnlistener_enable(arg) != 0)
        log_line("connections cannot be accepted any more");
}

/* Accepting failed, mostly because there are no descriptors left. The socket stays
 * readable, so that the loop would spin; it waits a moment instead. evhttp has taken the
 * listener over, and arg is its own. */
static void
on_accept_error(struct evconnlistener *listener, void *arg)
{
    static const struct timeval pause = {.tv_usec = 100000};
    static uint64_t told_ns;
    const uint64_t now = now_ns();

    (void)arg;
    if (told_ns == 0 || now - told_ns > ACCEPT_TELL_S * 1000000000u)
        log_line("a connection cannot be accepted: %s", strerror(errno));
    told_ns = now;
    if (event_base_once(evconnlistener_get_base(listener), -1, EV_TIMEOUT, on_resume,
                        listener, &pause) == 0)
        evconnlistener_disable(listener);
}

/* Makes a connection in which at most one request's bytes wait. evhttp alone would
 * collect, without a limit, what comes while an answer is under way. */
static struct bufferevent *
make_connection(struct event_base *base, void *arg)
{
    (void)base;
    return connections_make(arg, HEADERS_BYTES_MAX + HTTP_BODY_BYTES_MAX);
}

int
server_accept(struct server *s, int fd, struct report *r)
{
    struct evhttp_bound_socket *bound = evhttp_accept_socket_with_handle(s->http, fd);

    if (bound == NULL)
        return report_fail(r, "a listening socket cannot be served");
    evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(bound), on_accept_error);
    return 0;
}

struct server *
server_new(struct daemon *d)
{
    struct server *s = xcalloc(1, sizeof *s);

    s->daemon = d;
    s->http = evhttp_new(d->base);
    if (s->http == NULL)
        die(4, "out of memory");
    evhttp_set_max_headers_size(s->http, HEADERS_BYTES_MAX);
    evhttp_set_max_body_size(s->http, (ev_ssize_t)HTTP_BODY_BYTES_MAX);
    evhttp_set_timeout(s->http, IDLE_TIMEOUT_S);
    evhttp_set_allowed_methods(s->http, METHODS);
    s->connections = connections_new(d->base, d->metrics);
    evhttp_set_bevcb(s->http, make_connection, s->connections);
    evhttp_set_gencb(s->http, on_request, s);
    return s;
}

void
server_free(struct server *s)
{
    if (s == NULL)
        return;
    evhttp_free(s->http);
    connections_free(s->connections);
    free(s);
}
