#include "daemon/worker_request.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "daemon/request.h"
#include "record/artefact.h"
#include "record/job.h"

#include <stdlib.h>
#include <string.h>

#define NODE_BYTES_MAX 64
#define DEVICE_BYTES_MAX 16
#define EVENTS_MOST 1000000000

/* Is it printable ASCII, of at most so many bytes? */
static bool
worker_text_is_plain(const char *text, size_t most)
{
    for (const char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            return false;
    return strlen(text) <= most;
}

static int
worker_check(bool good, struct error_about *about, const char *name, const char *must,
             struct report *r)
{
    if (good)
        return 0;
    error_about_member(about, ERROR_INVALID_MEMBER, name);
    return report_fail(r, "\"%s\" must be %s", name, must);
}

static bool
worker_name_is_good(const char *text, const char *more, size_t most)
{
    static const char LETTERS[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    if (text[0] == '\0' || strlen(text) > most)
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (strchr(LETTERS, *c) == NULL && strchr(more, *c) == NULL)
            return false;
    return true;
}

/* Checks where the worker judges. One that compiles has no device. No board is called as
 * a device of the judge's own is: people could not tell which they choose. */
static int
worker_place_check(const struct worker_hello *h, struct error_about *about,
                   struct report *r)
{
    const bool emulates = strcmp(h->device, "emu") == 0;

    if (h->role == WORKER_COMPILES) {
        if (worker_check(strcmp(h->device, "compiler") == 0, about, "device",
                         "compiler for a worker that compiles", r) != 0 ||
            worker_check(h->board[0] == '\0', about, "board",
                         "empty for a worker that compiles", r) != 0 ||
            worker_check(h->arch[0] == '\0', about, "arch",
                         "empty for a worker that compiles", r) != 0 ||
            worker_check(h->toolkit[0] != '\0', about, "toolkit", "the version of nvcc",
                         r) != 0)
            return -1;
        return worker_check(h->linked[0] != '\0', about, "linked", "a SHA-256", r);
    }
    if (worker_check(worker_name_is_good(h->device, ":", DEVICE_BYTES_MAX), about,
                     "device", "a device's name, as cuda:0 or emu", r) != 0 ||
        worker_check(h->board[0] != '\0' && worker_text_is_plain(h->board, 100) &&
                         emulates == (strcmp(h->board, "emu") == 0) &&
                         strncmp(h->board, "cuda:", 5) != 0,
                     about, "board", "the device's board", r) != 0)
        return -1;
    return worker_check(worker_name_is_good(h->arch, "_", DEVICE_BYTES_MAX), about,
                        "arch", "an architecture, as sm_90a", r);
}

static bool
worker_hash_is_good(const char *text)
{
    return strspn(text, "0123456789abcdef") == strlen(text) &&
           strlen(text) == ARTEFACT_HASH_BYTES - 1;
}

static bool
worker_siblings_are_good(const char *text)
{
    return text[0] == '\0' || (strspn(text, "0123456789abcdef") == strlen(text) &&
                               strlen(text) == WORKER_ID_BYTES - 1);
}

static int
worker_hello_check(const struct worker_hello *h, int64_t format, int64_t insecure,
                   struct error_about *about, struct report *r)
{
    if (format != JOB_FORMAT) {
        error_about_member(about, ERROR_INVALID_MEMBER, "format");
        return report_fail(r,
                           "this worker's job files are of format %lld and the judge's "
                           "of %d: install the judge's version of warpjudge on its node",
                           (long long)format, JOB_FORMAT);
    }
    if (worker_check(worker_name_is_good(h->node, "._-", NODE_BYTES_MAX), about, "node",
                     "a machine's name", r) != 0 ||
        worker_place_check(h, about, r) != 0 ||
        worker_check(h->linked[0] == '\0' || worker_hash_is_good(h->linked), about,
                     "linked", "a SHA-256", r) != 0 ||
        worker_check(worker_siblings_are_good(h->siblings), about, "siblings",
                     "32 hexadecimal digits", r) != 0)
        return -1;
    if (worker_check(worker_text_is_plain(h->title, 100), about, "title", "short", r) !=
            0 ||
        worker_check(worker_text_is_plain(h->toolkit, 100), about, "toolkit", "short",
                     r) != 0 ||
        worker_check(worker_text_is_plain(h->driver, 100), about, "driver", "short", r) !=
            0 ||
        worker_check(worker_text_is_plain(h->lacks, WORKER_TEXT_MAX), about, "lacks",
                     "short", r) != 0)
        return -1;
    return worker_check(insecure == 0 || insecure == 1, about, "insecure", "0 or 1", r);
}

static const char *const ROLES[] = {
    [WORKER_JUDGES] = "judge", [WORKER_COMPILES] = "compile"};

const char *
worker_role_name(enum worker_role role)
{
    return ROLES[role];
}

static int
worker_role_parse(const char *role, enum worker_role *out, struct error_about *about,
                  struct report *r)
{
    for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++)
        if (strcmp(role, ROLES[i]) == 0) {
            *out = (enum worker_role)i;
            return 0;
        }
    return worker_check(false, about, "role", "judge or compile", r);
}

int
worker_hello_parse(const char *body, size_t len, struct worker_hello *out,
                   struct error_about *about, struct report *r)
{
    struct worker_hello h = {.node = "",
                             .device = "",
                             .board = "",
                             .title = "",
                             .arch = "",
                             .toolkit = "",
                             .driver = "",
                             .linked = "",
                             .siblings = "",
                             .lacks = ""};
    const char *role = "judge";
    int64_t format = 0, insecure = 0;
    const struct request_field fields[] = {
        {"format", NULL, &format},     {"node", &h.node, NULL},
        {"device", &h.device, NULL},   {"board", &h.board, NULL},
        {"title", &h.title, NULL},     {"arch", &h.arch, NULL},
        {"toolkit", &h.toolkit, NULL}, {"driver", &h.driver, NULL},
        {"lacks", &h.lacks, NULL},     {"memory_bytes", NULL, &h.memory_bytes},
        {"insecure", NULL, &insecure}, {"role", &role, NULL},
        {"linked", &h.linked, NULL},   {"siblings", &h.siblings, NULL}};

    h.object = request_object(body, len, fields, sizeof fields / sizeof *fields,
                              "a worker", about, r);
    if (h.object == NULL)
        return -1;
    h.insecure = insecure != 0;
    if (worker_role_parse(role, &h.role, about, r) != 0 ||
        worker_hello_check(&h, format, insecure, about, r) != 0) {
        cJSON_Delete(h.object);
        return -1;
    }
    *out = h;
    return 0;
}

void
worker_hello_free(struct worker_hello *h)
{
    cJSON_Delete(h->object);
    *h = (struct worker_hello){0};
}

/* --- messages ----------------------------------------------------------- */

static int
worker_message_check(const struct worker_message *m, struct error_about *about,
                     struct report *r)
{
    static const char *const EVENTS[] = {"", "compiling", "judging", "test", "timing"};
    bool known = false;

    for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++)
        known = known || strcmp(m->event, EVENTS[i]) == 0;
    if (worker_check(known, about, "event", "compiling, judging, test or timing", r) !=
            0 ||
        worker_check(m->of >= 0 && m->of <= EVENTS_MOST, about, "of", "a count", r) !=
            0 ||
        worker_check(m->done >= 0 && m->done <= m->of, about, "done", "at most of", r) !=
            0 ||
        worker_check(m->parts >= 0 && m->parts <= RESULT_PARTS_MAX, about, "parts",
                     "a small number", r) != 0 ||
        worker_check(m->part >= 0 && m->part <= m->parts, about, "part", "at most parts",
                     r) != 0 ||
        worker_check(m->wait_s >= 0 && m->wait_s <= 3600, about, "wait_s",
                     "from 0 to 3600", r) != 0)
        return -1;
    return 0;
}

int
worker_message_parse(const char *body, size_t len, struct worker_message *out,
                     struct error_about *about, struct report *r)
{
    struct worker_message m = {
        .worker = "", .fence = "", .event = "", .reason = "", .text = ""};
    const struct request_field fields[] = {
        {"worker", &m.worker, NULL},   {"submission", NULL, &m.submission},
        {"attempt", NULL, &m.attempt}, {"fence", &m.fence, NULL},
        {"event", &m.event, NULL},     {"done", NULL, &m.done},
        {"of", NULL, &m.of},           {"reason", &m.reason, NULL},
        {"part", NULL, &m.part},       {"parts", NULL, &m.parts},
        {"text", &m.text, NULL},       {"wait_s", NULL, &m.wait_s}};

    m.object = request_object(body, len, fields, sizeof fields / sizeof *fields,
                              "a worker's message", about, r);
    if (m.object == NULL)
        return -1;
    if (worker_message_check(&m, about, r) != 0) {
        cJSON_Delete(m.object);
        return -1;
    }
    *out = m;
    return 0;
}

void
worker_message_free(struct worker_message *m)
{
    cJSON_Delete(m->object);
    *m = (struct worker_message){0};
}

/* --- results ------------------------------------------------------------ */

/* The text of an object that is a member, or NULL where it is absent. */
static int
result_member(const cJSON *o, const char *name, char **out, struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);

    *out = NULL;
    if (item == NULL || cJSON_IsNull(item))
        return 0;
    if (!cJSON_IsObject(item))
        return report_fail(r, "\"%s\" of the result is not an object", name);
    *out = cJSON_PrintUnformatted(item);
    if (*out == NULL)
        die(4, "out of memory");
    return 0;
}

/* The artefact, if there is one. Its hash must be the one that the worker says. */
static int
result_artefact(const cJSON *o, struct worker_result *w, struct report *r)
{
    const cJSON *artefact = cJSON_GetObjectItemCaseSensitive(o, "artefact");
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(artefact, "text");
    const cJSON *hash = cJSON_GetObjectItemCaseSensitive(artefact, "sha256");

    if (artefact == NULL)
        return 0;
    if (!cJSON_IsString(text) || !cJSON_IsString(hash))
        return report_fail(r, "\"artefact\" of the result has no text or no sha256");
    hash_hex(text->valuestring, strlen(text->valuestring), w->artefact_hash);
    if (strcmp(hash->valuestring, w->artefact_hash) != 0)
        return report_fail(r, "the artefact's hash is not what its worker says");
    w->artefact = xstrdup(text->valuestring);
    return 0;
}

int
worker_result_split(const char *text, size_t len, struct worker_result *out,
                    struct report *r)
{
    struct worker_result w = {0};
    cJSON *o = NULL;
    int rc = -1;

    if (json_has_more_values(text, len, JSON_VALUES_MAX))
        report_fail(r, "the worker's result has more than %d values", JSON_VALUES_MAX);
    else
        o = json_parse(text, len, "the worker's result", r);
    if (o != NULL && result_member(o, "compile", &w.compiled, r) == 0 &&
        result_member(o, "result", &w.result, r) == 0)
        rc = result_artefact(o, &w, r);
    if (rc == 0 && w.compiled == NULL && w.result == NULL)
        rc = report_fail(r, "the worker's result says neither what was compiled nor what "
                            "was judged");
    if (rc == 0)
        *out = w;
    else
        worker_result_free(&w);
    cJSON_Delete(o);
    return rc;
}

void
worker_result_free(struct worker_result *w)
{
    free(w->compiled);
    free(w->result);
    free(w->artefact);
    *w = (struct worker_result){0};
}
