/* Reads the members of a request's JSON, and checks each of them. */
#include "daemon/request.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "problem/names.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Does the body hold an escape \u0000? cJSON would end the string there, and silently
 * lose what follows. Backslashes come in pairs or begin an escape, so that one pass
 * decides. */
static bool
escapes_nul(const char *body, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++) {
        if (body[i] != '\\')
            continue;
        if (i + 5 < len && memcmp(body + i + 1, "u0000", 5) == 0)
            return true;
        i++;
    }
    return false;
}

static bool
request_is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n\v\f")] == '\0';
}

/* How many blanks of JSON stand at the beginning. */
static size_t
request_blanks(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len &&
           (text[n] == ' ' || text[n] == '\t' || text[n] == '\r' || text[n] == '\n'))
        n++;
    return n;
}

char *
safe_filename(const char *name)
{
    const char *slash = strrchr(name, '/');
    struct buf out = {0};

    if (slash != NULL)
        name = slash + 1;
    for (const char *p = name; *p != '\0' && out.len < NAME_BYTES_MAX - 3; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                      (*p >= '0' && *p <= '9') || *p == '_';
        /* A dot in front would hide the file, and a minus would make it an option. */
        bool inner = out.len > 0 && strchr(".+-", *p) != NULL;

        buf_add(&out, letter || inner ? p : "_", 1);
    }
    if (out.len == 0)
        buf_puts(&out, "submission");
    if (out.len < 4 || strcmp(out.data + out.len - 3, ".cu") != 0)
        buf_puts(&out, ".cu");
    return buf_take(&out);
}

static int
check_source(const char *source, struct report *r)
{
    size_t len = strlen(source);

    if (request_is_blank(source))
        return report_fail(r, "the source is empty: a submission is one .cu file with "
                              "extern \"C\" void solve(...)");
    if (len > SOURCE_BYTES_MAX)
        return report_fail(r, "the source is %zu bytes, over the limit of %zu", len,
                           SOURCE_BYTES_MAX);
    return 0;
}

static int
parse_mode(const char *mode, bool *sample_tests_only, struct report *r)
{
    if (mode == NULL || strcmp(mode, "submit") == 0)
        *sample_tests_only = false;
    else if (strcmp(mode, "run") == 0)
        *sample_tests_only = true;
    else
        return report_fail(r, "mode is \"%.40s\": it must be \"submit\" or \"run\"",
                           mode);
    return 0;
}

/* The members of the body, which belong to the parsed JSON. NULL where one is absent. */
struct fields {
    const char *problem, *device, *user, *filename, *source, *mode;
};

static int
take_fields(const cJSON *object, struct fields *f, struct report *r)
{
    const struct {
        const char *name;
        const char **value;
    } known[] = {
        {"problem", &f->problem},   {"device", &f->device}, {"user", &f->user},
        {"filename", &f->filename}, {"source", &f->source}, {"mode", &f->mode},
    };
    const cJSON *item;

    if (!cJSON_IsObject(object))
        return report_fail(r, "the body is not a JSON object");
    cJSON_ArrayForEach(item, object)
    {
        size_t i = 0;

        while (i < sizeof known / sizeof *known &&
               strcmp(item->string, known[i].name) != 0)
            i++;
        if (i == sizeof known / sizeof *known)
            return report_fail(
                r,
                "\"%.40s\" is not a field of a submission (they are problem, "
                "device, user, filename, source, mode)",
                item->string);
        if (*known[i].value != NULL)
            return report_fail(r, "\"%s\" is there twice", known[i].name);
        if (cJSON_IsNull(item))
            continue;
        if (!cJSON_IsString(item))
            return report_fail(r, "\"%s\" is not a string", known[i].name);
        *known[i].value = item->valuestring;
    }
    return 0;
}

static int
check_fields(const struct fields *f, struct submit_request *out, struct report *r)
{
    bool sample_tests_only = false;

    if (f->problem == NULL || f->problem[0] == '\0')
        return report_fail(r, "problem is missing: say which problem this solves");
    if (f->user == NULL)
        return report_fail(r, "user is missing: say who submits");
    if (f->source == NULL)
        return report_fail(r, "source is missing: it is the text of the .cu file");
    if (user_name_check(f->user, r) != 0 || check_source(f->source, r) != 0 ||
        parse_mode(f->mode, &sample_tests_only, r) != 0)
        return -1;
    *out = (struct submit_request){
        .problem = xstrdup(f->problem),
        .device = f->device != NULL && f->device[0] != '\0' ? xstrdup(f->device) : NULL,
        .user = xstrdup(f->user),
        .filename = safe_filename(f->filename != NULL ? f->filename : ""),
        .source = xstrdup(f->source),
        .sample_tests_only = sample_tests_only,
    };
    return 0;
}

int
submit_request_parse(const char *body, size_t len, struct submit_request *out,
                     struct report *r)
{
    struct fields f = {0};
    cJSON *object;
    int rc = -1;
    const char *end = NULL;
    size_t valid;

    if (len > BODY_BYTES_MAX)
        return report_fail(r, "the body is %zu bytes: a source may have at most %zu", len,
                           SOURCE_BYTES_MAX);
    valid = utf8_prefix(body, len);
    if (valid < len)
        return report_fail(
            r, "the body is not UTF-8 at its byte %zu: save the source as UTF-8", valid);
    if (memchr(body, '\0', len) != NULL || escapes_nul(body, len))
        return report_fail(r, "the body holds a NUL byte: a source is text");
    object = cJSON_ParseWithLengthOpts(body, len, &end, 0);
    if (object != NULL &&
        end + request_blanks(end, (size_t)(body + len - end)) != body + len) {
        cJSON_Delete(object);
        return report_fail(r, "something follows the JSON object in the body");
    }
    if (object == NULL)
        return report_fail(r, "the body is not valid JSON");
    if (take_fields(object, &f, r) == 0)
        rc = check_fields(&f, out, r);
    cJSON_Delete(object);
    return rc;
}

void
submit_request_free(struct submit_request *s)
{
    free(s->problem);
    free(s->device);
    free(s->user);
    free(s->filename);
    free(s->source);
    *s = (struct submit_request){0};
}
