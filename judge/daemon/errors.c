/* Makes the JSON of errors. */
#include "daemon/errors.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/metrics.h"

#include <event2/http.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    int status;
} CODES[] = {
#define X(name, text, status) {text, status},
    ERROR_CODES(X)
#undef X
};

const char *
status_words(int status)
{
    static const struct {
        int status;
        const char *words;
    } WORDS[] = {{200, "OK"},
                 {201, "Created"},
                 {204, "No Content"},
                 {303, "See Other"},
                 {304, "Not Modified"},
                 {400, "Bad Request"},
                 {401, "Unauthorized"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {408, "Request Timeout"},
                 {409, "Conflict"},
                 {413, "Payload Too Large"},
                 {415, "Unsupported Media Type"},
                 {422, "Unprocessable Content"},
                 {429, "Too Many Requests"},
                 {500, "Internal Server Error"},
                 {503, "Service Unavailable"}};

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (WORDS[i].status == status)
            return WORDS[i].words;
    return "Unknown";
}

void
error_about_member(struct error_about *about, enum error_code code, const char *member)
{
    size_t len = 0;

    *about = (struct error_about){.code = code};
    if (member == NULL || strlen(member) * 2 + 2 > sizeof about->field)
        return;
    about->field[len++] = '/';
    for (; *member != '\0'; member++) {
        const char *escaped = strchr("~/", *member);

        about->field[len++] = escaped != NULL ? '~' : *member;
        if (escaped != NULL)
            about->field[len++] = *member == '~' ? '0' : '1';
    }
}

/* Adds a text that may come from a stranger. One in which a character was cut in two
 * would be no JSON. */
static void
add_clean(cJSON *o, const char *key, const char *text)
{
    struct buf clean = {0};

    utf8_clean(&clean, text);
    cJSON_AddStringToObject(o, key, buf_str(&clean));
    buf_free(&clean);
}

static void
reply_sentence(struct http_call *c, enum error_code code, int status, const char *field,
               const char *sentence)
{
    cJSON *o = cJSON_CreateObject();

    metrics_count_error(c->daemon->metrics, code);
    if (!c->v1) {
        add_clean(o, "error", sentence);
        reply_json(c, status, o);
        return;
    }
    /* RFC 9457, 4.2.1: what has no type of its own has the title of its status. */
    cJSON_AddStringToObject(o, "type", "about:blank");
    cJSON_AddStringToObject(o, "title", status_words(status));
    cJSON_AddNumberToObject(o, "status", status);
    add_clean(o, "detail", sentence);
    cJSON_AddStringToObject(o, "code", CODES[code].text);
    if (field != NULL && field[0] == '?')
        add_clean(o, "parameter", field + 1);
    else if (field != NULL && field[0] == '/')
        add_clean(o, "pointer", field);
    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Content-Type",
                      "application/problem+json");
    reply_json(c, status, o);
}

static void
reply_format(struct http_call *c, enum error_code code, int status, const char *field,
             const char *format, va_list ap)
{
    struct report r = {0};

    vsnprintf(r.text, sizeof r.text, format, ap);
    reply_sentence(c, code, status, field, r.text);
}

/* The first code of a status, which is a mistake of ours where there is none. */
static enum error_code
code_of_status(int status)
{
    for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
        if (CODES[i].status == status)
            return (enum error_code)i;
    return ERROR_JUDGE_FAILED;
}

void
reply_problem(struct http_call *c, enum error_code code, const char *field,
              const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    reply_format(c, code, CODES[code].status, field, format, ap);
    va_end(ap);
}

void
reply_error(struct http_call *c, int status, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    reply_format(c, code_of_status(status), status, NULL, format, ap);
    va_end(ap);
}

void
reply_retry_after(struct http_call *c, int64_t seconds)
{
    reply_add_number(c, "Retry-After", seconds);
}

void
reply_later(struct http_call *c, int status, const char *format, ...)
{
    va_list ap;

    reply_retry_after(c, RETRY_AFTER_S);
    va_start(ap, format);
    reply_format(c, code_of_status(status), status, NULL, format, ap);
    va_end(ap);
}

void
reply_failure(struct http_call *c, const struct report *r)
{
    log_line("%s: %s", evhttp_request_get_uri(c->req), r->text);
    reply_error(c, 500, "%s", r->text);
}

void
reply_refused(struct http_call *c, int status, const struct report *r)
{
    if (status == 500) {
        reply_failure(c, r);
        return;
    }
    if (status == 401)
        evhttp_add_header(evhttp_request_get_output_headers(c->req), "WWW-Authenticate",
                          "Bearer");
    reply_error(c, status, "%s", r->text);
}
