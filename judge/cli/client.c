/* Requests to the daemon through libcurl, and what an answer or its absence means. */
#include "cli/client.h"

#include "base/buf.h"
#include "base/json.h"
#include "cli/answer.h"
#include "cli/daemon_start.h"
#include "cli/logins.h"
#include "cli/secret_line.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_TIMEOUT_MS 10000L
#define ANSWER_TIMEOUT_MS 60000L
#define POLL_MS 1000
#define FIRST_API "/api/"
#define PROBLEM_TYPE "application/problem+json"
#define ANSWER_BYTES_MAX ((size_t)64 << 20)

struct client {
    const struct config *config;
    char *base;  /* the URL, without a slash at its end */
    char *shown; /* base without a name and password, or the socket's path */
    char *token; /* NULL: none */
    bool default_address;
    bool first_api; /* the daemon is from before the API had versions */
    CURL *easy;
    CURLM *multi;
    int interrupt_fd;
    void (*look)(void *arg); /* is called each look_ms; NULL: nothing is */
    void *look_arg;
    int look_ms;
    long answer_ms;             /* in how much time an answer must be whole */
    long status, retry_after_s; /* of the last answer; 0: there was none */
    char refusal[64];
    char refused_member[64];
};

/* One request and its answer. */
struct exchange {
    CURL *easy;
    const char *method;        /* NULL: GET, or POST where there is a body */
    const char *key;           /* of Idempotency-Key; NULL: none */
    struct buf body;           /* of an answer that is not streamed */
    client_bytes_fn *on_bytes; /* NULL: the answer is not streamed */
    void *ctx;
    struct report *report;
    bool unknown; /* the daemon knows nothing of version 1, or of the path */
    bool refused; /* on_bytes refused it, or it is too long; the report says why */
    char error[CURL_ERROR_SIZE];
};

int
client_exit_status(enum client_result result)
{
    switch (result) {
    case CLIENT_OK:
        return 0;
    case CLIENT_REFUSED:
        return 2;
    case CLIENT_UNREACHABLE:
        return 3;
    case CLIENT_FAILED:
    case CLIENT_INTERRUPTED:
        break;
    }
    return 4;
}

/* An address as it is shown: without what stands before an @ in it, which may be a name
 * and a password. The caller frees. */
static char *
client_hide_secret(const char *url)
{
    const char *host = strstr(url, "://"), *at = NULL;

    host = host != NULL ? host + 3 : url;
    /* The last one counts, because a password may have an @ that nobody has escaped. */
    for (const char *c = host; *c != '\0' && strchr("/?#", *c) == NULL; c++)
        if (*c == '@')
            at = c;
    return at != NULL ? xasprintf("%.*s%s", (int)(host - url), url, at + 1)
                      : xstrdup(url);
}

/* url and token may be NULL. */
static struct client *
client_new(const struct config *config, const char *url, const char *token)
{
    struct client *c = xcalloc(1, sizeof *c);
    size_t len;

    c->config = config;
    c->interrupt_fd = -1;
    c->answer_ms = ANSWER_TIMEOUT_MS;
    c->default_address = url == NULL;
    c->base = xstrdup(c->default_address ? "http://localhost" : url);
    for (len = strlen(c->base); len > 0 && c->base[len - 1] == '/';)
        c->base[--len] = '\0';
    c->shown = c->default_address ? xstrdup(config->socket) : client_hide_secret(c->base);
    c->token = token != NULL ? xstrdup(token) : NULL;
    c->easy = curl_easy_init();
    c->multi = curl_multi_init();
    if (c->easy == NULL || c->multi == NULL)
        die(4, "libcurl cannot be used: out of memory");
    return c;
}

static const char *
client_environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

struct client *
client_open_at(const struct config *config, const char *url, const char *token,
               struct report *r)
{
    if (token != NULL && url != NULL && login_check_secrecy(url, r) != 0)
        return NULL;
    return client_new(config, url, token);
}

/* The login that requests to this address use; for NULL the current one, unless
 * WARPJUDGE_HOME names a judge of this machine. */
static int
client_find_login(const char *url, bool *found, struct login *out, struct report *r)
{
    char *key = NULL;
    int rc = 0;

    *found = false;
    if (client_environment("HOME") == NULL &&
        client_environment("XDG_CONFIG_HOME") == NULL)
        return 0;
    if (url == NULL)
        return client_environment("WARPJUDGE_HOME") == NULL
                   ? login_load(NULL, found, out, r)
                   : 0;
    /* An address that cannot have a login, as one with a password in it, has none. */
    key = login_url(url, NULL, NULL);
    if (key != NULL)
        rc = login_load(key, found, out, r);
    free(key);
    return rc;
}

struct client *
client_open(const struct config *config, struct report *r)
{
    const char *url = client_environment("WARPJUDGE_URL");
    const char *token = client_environment("WARPJUDGE_TOKEN");
    struct login login = {0};
    struct client *c = NULL;
    bool found;

    if (url != NULL && strncmp(url, "http://", 7) != 0 &&
        strncmp(url, "https://", 8) != 0) {
        char *shown = client_hide_secret(url);

        report_fail(r, "WARPJUDGE_URL is \"%s\": write it as http://HOST:PORT", shown);
        free(shown);
        return NULL;
    }
    if (client_find_login(url, &found, &login, r) != 0)
        return NULL;
    c = client_open_at(config, found && url == NULL ? login.url : url,
                       found && token == NULL ? login.token : token, r);
    login_free(&login);
    return c;
}

void
client_close(struct client *c)
{
    if (c == NULL)
        return;
    curl_easy_cleanup(c->easy);
    curl_multi_cleanup(c->multi);
    free(c->base);
    free(c->shown);
    free(c->token);
    free(c);
}

const char *
client_address(const struct client *c)
{
    return c->shown;
}

const char *
client_url(const struct client *c)
{
    return c->default_address ? NULL : c->shown;
}

const char *
client_refusal(const struct client *c)
{
    return c->refusal;
}

const char *
client_refused_member(const struct client *c)
{
    return c->refused_member;
}

bool
client_has_token(const struct client *c)
{
    return c->token != NULL;
}

long
client_status(const struct client *c)
{
    return c->status;
}

long
client_retry_after_s(const struct client *c)
{
    return c->retry_after_s;
}

void
client_interrupt_on(struct client *c, int fd)
{
    c->interrupt_fd = fd;
}

void
client_look_each(struct client *c, int ms, void (*look)(void *arg), void *arg)
{
    c->look = look;
    c->look_arg = arg;
    c->look_ms = ms;
}

void
client_wait_longer(struct client *c, long ms)
{
    c->answer_ms = ms;
}

char *
client_escape(const char *text)
{
    char *escaped = curl_easy_escape(NULL, text, 0);
    char *copy;

    if (escaped == NULL)
        die(4, "out of memory");
    copy = xstrdup(escaped);
    curl_free(escaped);
    return copy;
}

static size_t
client_receive(char *bytes, size_t size, size_t count, void *ctx)
{
    struct exchange *x = ctx;
    size_t len = size * count;
    long status = 0;

    curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
    if (x->on_bytes != NULL && status == 200) {
        x->refused = x->on_bytes(x->ctx, bytes, len, x->report) != 0;
    } else if (x->body.len + len > ANSWER_BYTES_MAX) {
        report_fail(x->report, "the judge's answer is longer than %zu bytes",
                    ANSWER_BYTES_MAX);
        x->refused = true;
    } else {
        buf_add(&x->body, bytes, len);
    }
    return x->refused ? CURL_WRITEFUNC_ERROR : len;
}

static void
client_prepare(struct client *c, const char *url, const char *body,
               struct curl_slist *headers, struct exchange *x)
{
    CURL *easy = c->easy;

    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "warpjudge/" WARPJUDGE_VERSION);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, x->error);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, client_receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    if (x->on_bytes == NULL)
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, c->answer_ms);
    if (c->default_address) {
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, c->config->socket);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
    }
    /* With a token plain HTTP goes to this machine only, and no proxy is to see it. */
    if (c->token != NULL && strncmp(url, "http://", 7) == 0)
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (body != NULL)
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    if (x->method != NULL)
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, x->method);
}

/* Adds the header that says who asks. */
static struct curl_slist *
client_add_token(const struct client *c, struct curl_slist *headers)
{
    char *line;

    if (c->token == NULL)
        return headers;
    line = xasprintf("Authorization: Bearer %s", c->token);
    headers = curl_slist_append(headers, line);
    secret_erase(line, strlen(line));
    free(line);
    return headers;
}

static struct curl_slist *
client_add_key(const struct exchange *x, struct curl_slist *headers)
{
    char *line;

    if (x->key == NULL)
        return headers;
    line = xasprintf("Idempotency-Key: %s", x->key);
    headers = curl_slist_append(headers, line);
    free(line);
    return headers;
}

/* Runs the prepared request. False where it was interrupted. */
static bool
client_perform(struct client *c, CURLcode *code)
{
    bool interrupted = false;
    int running = 1, left;
    CURLMsg *message;

    *code = CURLE_FAILED_INIT;
    if (curl_multi_add_handle(c->multi, c->easy) != CURLM_OK)
        return true;
    while (!interrupted) {
        struct curl_waitfd extra = {.fd = c->interrupt_fd, .events = CURL_WAIT_POLLIN};

        if (curl_multi_perform(c->multi, &running) != CURLM_OK || running == 0)
            break;
        if (curl_multi_poll(c->multi, &extra, c->interrupt_fd >= 0,
                            c->look != NULL ? c->look_ms : POLL_MS, NULL) != CURLM_OK)
            break;
        if (c->look != NULL)
            c->look(c->look_arg);
        interrupted = c->interrupt_fd >= 0 && extra.revents != 0;
    }
    while ((message = curl_multi_info_read(c->multi, &left)) != NULL)
        if (message->msg == CURLMSG_DONE)
            *code = message->data.result;
    curl_multi_remove_handle(c->multi, c->easy);
    return !interrupted;
}

/* Reports why a transfer failed. */
static enum client_result
explain_transfer(const struct client *c, CURLcode code, const struct exchange *x,
                 struct report *r)
{
    const char *text = x->error[0] != '\0' ? x->error : curl_easy_strerror(code);

    switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        report_fail(r, "no judge answers at %s: %s", c->shown, text);
        return CLIENT_UNREACHABLE;
    case CURLE_OPERATION_TIMEDOUT:
        report_fail(r, "the judge at %s is too slow to answer: %s", c->shown, text);
        return CLIENT_UNREACHABLE;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
        report_fail(r,
                    "the judge at %s closed the connection before its answer was whole",
                    c->shown);
        return CLIENT_UNREACHABLE;
    case CURLE_URL_MALFORMAT:
        report_fail(r, "WARPJUDGE_URL is \"%s\": %s", c->shown, text);
        return CLIENT_REFUSED;
    default:
        report_fail(r, "%s does not answer as a judge does: %s", c->shown, text);
        return CLIENT_FAILED;
    }
}

/* Reports a status of 4xx or 5xx. The sentence in its body is the "detail" of problem
 * details (RFC 9457), or the "error" of a daemon that has no versions. */
static enum client_result
explain_status(struct client *c, long status, const struct buf *body, struct report *r)
{
    struct report ignored = {0};
    cJSON *answer = json_parse(buf_str(body), body->len, "answer", &ignored);
    const char *sentence = answer_string(answer, "detail");

    snprintf(c->refusal, sizeof c->refusal, "%s", answer_string(answer, "code"));
    snprintf(c->refused_member, sizeof c->refused_member, "%s",
             answer_string(answer, "pointer"));
    if (sentence[0] == '\0')
        sentence = answer_string(answer, "error");
    /* A proxy says so while the judge behind it is started again. */
    const bool away =
        sentence[0] == '\0' && (status == 502 || status == 503 || status == 504);

    if (sentence[0] != '\0')
        report_fail(r, "%s", sentence);
    else if (away)
        report_fail(r, "the judge behind %s is away (HTTP status %ld)", c->shown, status);
    else
        report_fail(r, "%s does not answer as a judge does (HTTP status %ld)", c->shown,
                    status);
    status = sentence[0] != '\0' ? status : 500;
    cJSON_Delete(answer);
    if (away || status == 503) /* the judge is ending, or overloaded */
        return CLIENT_UNREACHABLE;
    return status >= 400 && status < 500 ? CLIENT_REFUSED : CLIENT_FAILED;
}

/* The address of a path of the first API. The caller frees. */
static char *
client_url_of(const struct client *c, const char *path)
{
    if (c->first_api || strncmp(path, FIRST_API, sizeof FIRST_API - 1) != 0)
        return xasprintf("%s%s", c->base, path);
    return xasprintf("%s/api/v1/%s", c->base, path + sizeof FIRST_API - 1);
}

/* Is this an answer that a daemon gives only where it does not know a path? In version 1
 * a thing that is not there is told in problem details. */
static bool
client_is_unknown(CURL *easy, long status)
{
    const char *type = NULL;

    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    return status == 404 &&
           (type == NULL || strncmp(type, PROBLEM_TYPE, sizeof PROBLEM_TYPE - 1) != 0);
}

/* Sends a request once. *connected is false only where the request cannot have
 * arrived. */
static enum client_result
client_send_once(struct client *c, const char *path, const char *body, struct exchange *x,
                 bool *connected, struct report *r)
{
    char *url = client_url_of(c, path);
    /* Without this, curl sends "Expect: 100-continue" before a large source, which costs
     * a round trip or a second. */
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    enum client_result result = CLIENT_OK;
    CURLcode code;
    curl_off_t after = 0;
    long status = 0;

    if (body != NULL)
        headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = client_add_token(c, headers);
    headers = client_add_key(x, headers);
    c->status = 0;
    c->retry_after_s = 0;
    x->easy = c->easy;
    x->report = r;
    client_prepare(c, url, body, headers, x);
    if (!client_perform(c, &code)) {
        result = CLIENT_INTERRUPTED;
    } else if (x->refused) {
        result = CLIENT_FAILED;
    } else if (code != CURLE_OK) {
        result = explain_transfer(c, code, x, r);
    } else {
        curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(c->easy, CURLINFO_RETRY_AFTER, &after);
        c->status = status;
        c->retry_after_s = (long)after;
        x->unknown = client_is_unknown(c->easy, status);
        if (status < 200 || status > 299)
            result = explain_status(c, status, &x->body, r);
    }
    *connected = code != CURLE_COULDNT_CONNECT;
    curl_slist_free_all(headers);
    free(url);
    return result;
}

/* Sends a request to version 1, and again to the first API where the daemon is older. */
static enum client_result
client_send(struct client *c, const char *path, const char *body, struct exchange *x,
            bool *connected, struct report *r)
{
    struct report first = {0};
    enum client_result result = client_send_once(c, path, body, x, connected, &first);

    if (x->unknown && !c->first_api) {
        c->first_api = true;
        buf_clear(&x->body);
        return client_send_once(c, path, body, x, connected, r);
    }
    if (report_is_set(&first))
        report_fail(r, "%s", first.text);
    return result;
}

static enum client_result
client_request(struct client *c, const char *path, const char *body, struct exchange *x,
               struct report *r)
{
    struct report first = {0};
    bool connected = true;
    enum client_result result = client_send(c, path, body, x, &connected, &first);

    if (!connected && c->default_address) {
        if (daemon_start(c->config, r) != 0)
            return CLIENT_UNREACHABLE;
        return client_send(c, path, body, x, &connected, r);
    }
    if (report_is_set(&first))
        report_fail(r, "%s", first.text);
    return result;
}

static enum client_result
client_ask(struct client *c, const char *method, const char *key, const char *path,
           const char *body, cJSON **out, struct report *r)
{
    struct exchange x = {.method = method, .key = key};
    enum client_result result = client_request(c, path, body, &x, r);
    cJSON *answer;

    if (result == CLIENT_OK) {
        struct report ignored = {0};

        answer = json_parse(buf_str(&x.body), x.body.len, "answer", &ignored);
        if (cJSON_IsObject(answer)) {
            *out = answer;
        } else {
            cJSON_Delete(answer);
            report_fail(r,
                        "%s does not answer as a judge does: no JSON object comes back",
                        c->shown);
            result = CLIENT_FAILED;
        }
    }
    buf_free(&x.body);
    return result;
}

enum client_result
client_get(struct client *c, const char *path, cJSON **out, struct report *r)
{
    return client_ask(c, NULL, NULL, path, NULL, out, r);
}

enum client_result
client_delete(struct client *c, const char *path, cJSON **out, struct report *r)
{
    return client_ask(c, "DELETE", NULL, path, NULL, out, r);
}

enum client_result
client_post(struct client *c, const char *path, const cJSON *body, cJSON **out,
            struct report *r)
{
    return client_post_once(c, path, NULL, body, out, r);
}

enum client_result
client_post_once(struct client *c, const char *path, const char *key, const cJSON *body,
                 cJSON **out, struct report *r)
{
    char *text = cJSON_PrintUnformatted(body);
    enum client_result result;

    if (text == NULL)
        die(4, "out of memory");
    result = client_ask(c, NULL, key, path, text, out, r);
    free(text);
    return result;
}

enum client_result
client_stream(struct client *c, const char *path, client_bytes_fn *on_bytes, void *ctx,
              struct report *r)
{
    struct exchange x = {.on_bytes = on_bytes, .ctx = ctx};
    enum client_result result = client_request(c, path, NULL, &x, r);

    buf_free(&x.body);
    return result;
}
