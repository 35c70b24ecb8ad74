/* Reads the members of a request's JSON, and checks each of them. */
#include "daemon/request.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/utf8.h"
#include "problem/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: a double holds every whole number below */
#define VALUES_MAX 100               /* of a body; no request has so many */

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

/* What never ranks, and its name. */
static const struct {
    enum profile profile;
    const char *name;
} MODES[] = {
    {PROFILE_NONE, "run"},
    {PROFILE_COSTS, "profile"},
    {PROFILE_SANITIZE, "sanitize"},
    {PROFILE_GRADE, "grade"},
    {PROFILE_GRADE_SAMPLES, "grade_samples"},
    {PROFILE_GRADE_COMPILE, "grade_compile"},
};

enum { MODE_COUNT = sizeof MODES / sizeof *MODES };

const char *
request_mode_name(bool sample_tests_only, enum profile profile)
{
    for (int i = 0; sample_tests_only && i < MODE_COUNT; i++)
        if (MODES[i].profile == profile)
            return MODES[i].name;
    return sample_tests_only ? "run" : "submit";
}

static int
parse_mode(const char *mode, struct submit_request *out, struct report *r)
{
    out->sample_tests_only = mode != NULL && strcmp(mode, "submit") != 0;
    out->profile = PROFILE_NONE;
    if (!out->sample_tests_only)
        return 0;
    for (int i = 0; i < MODE_COUNT; i++)
        if (strcmp(mode, MODES[i].name) == 0) {
            out->profile = MODES[i].profile;
            return 0;
        }
    return report_fail(r,
                       "mode is \"%.40s\": it must be \"submit\", \"run\", "
                       "\"profile\" or \"sanitize\", or of bulk grading \"grade\", "
                       "\"grade_samples\" or \"grade_compile\"",
                       mode);
}

static int
take_field(const struct request_field *f, const cJSON *item, struct error_about *about,
           struct report *r)
{
    if (cJSON_IsNull(item))
        return 0;
    error_about_member(about, ERROR_INVALID_MEMBER, f->name);
    if (f->text == NULL && f->number == NULL)
        return cJSON_IsObject(item) ? 0
                                    : report_fail(r, "\"%s\" is not an object", f->name);
    if (f->text != NULL) {
        if (!cJSON_IsString(item))
            return report_fail(r, "\"%s\" is not a string", f->name);
        *f->text = item->valuestring;
        return 0;
    }
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= -WHOLE_MAX) ||
        !(item->valuedouble <= WHOLE_MAX) ||
        item->valuedouble != (double)(int64_t)item->valuedouble)
        return report_fail(r, "\"%s\" is not a whole number", f->name);
    *f->number = (int64_t)item->valuedouble;
    return 0;
}

static int
fail_unknown_field(const char *name, const struct request_field *fields, size_t count,
                   const char *what, struct error_about *about, struct report *r)
{
    struct buf known = {0};

    error_about_member(about, ERROR_UNKNOWN_MEMBER, name);

    for (size_t i = 0; i < count; i++)
        buf_printf(&known, "%s%s", i > 0 ? ", " : "", fields[i].name);
    report_fail(r, "\"%.40s\" is not a field of %s (they are %s)", name, what,
                buf_str(&known));
    buf_free(&known);
    return -1;
}

static int
take_fields(const cJSON *object, const struct request_field *fields, size_t count,
            const char *what, struct error_about *about, struct report *r)
{
    const cJSON *item, *other;

    if (!cJSON_IsObject(object))
        return report_fail(r, "the body is not a JSON object");
    cJSON_ArrayForEach(item, object)
    {
        size_t i = 0;

        while (i < count && strcmp(item->string, fields[i].name) != 0)
            i++;
        if (i == count)
            return fail_unknown_field(item->string, fields, count, what, about, r);
        for (other = item->next; other != NULL; other = other->next)
            if (strcmp(other->string, item->string) == 0) {
                error_about_member(about, ERROR_INVALID_MEMBER, item->string);
                return report_fail(r, "\"%s\" is there twice", item->string);
            }
        if (take_field(&fields[i], item, about, r) != 0)
            return -1;
    }
    return 0;
}

/* The members of the body of a submission, which belong to the parsed JSON. NULL where
 * one is absent. */
struct fields {
    const char *problem, *device, *user, *filename, *source, *mode, *seed;
};

static int
check_seed(const char *seed, enum profile profile, struct report *r)
{
    if (seed == NULL)
        return 0;
    if (!profile_is_graded(profile))
        return report_fail(r, "a seed goes with the modes of bulk grading only");
    if (!job_seed_is_valid(seed))
        return report_fail(r, "a seed has %d hexadecimal digits, in lower case",
                           SEED_DIGITS);
    return 0;
}

static int
check_fields(const struct fields *f, struct submit_request *out,
             struct error_about *about, struct report *r)
{
    struct submit_request mode;

    error_about_member(about, ERROR_MISSING_MEMBER, "problem");
    if (f->problem == NULL || f->problem[0] == '\0')
        return report_fail(r, "problem is missing: say which problem this solves");
    error_about_member(about, ERROR_MISSING_MEMBER, "source");
    if (f->source == NULL)
        return report_fail(r, "source is missing: it is the text of the .cu file");
    error_about_member(about, ERROR_INVALID_MEMBER, "user");
    if (f->user != NULL && user_name_check(f->user, r) != 0)
        return -1;
    error_about_member(about, ERROR_INVALID_MEMBER, "source");
    if (check_source(f->source, r) != 0)
        return -1;
    error_about_member(about, ERROR_INVALID_MEMBER, "mode");
    if (parse_mode(f->mode, &mode, r) != 0)
        return -1;
    error_about_member(about, ERROR_INVALID_MEMBER, "seed");
    if (check_seed(f->seed, mode.profile, r) != 0)
        return -1;
    *out = (struct submit_request){
        .problem = xstrdup(f->problem),
        .device = f->device != NULL && f->device[0] != '\0' ? xstrdup(f->device) : NULL,
        .user = f->user != NULL ? xstrdup(f->user) : NULL,
        .filename = safe_filename(f->filename != NULL ? f->filename : ""),
        .source = xstrdup(f->source),
        .sample_tests_only = mode.sample_tests_only,
        .profile = mode.profile,
        .seed = f->seed != NULL ? xstrdup(f->seed) : NULL,
    };
    return 0;
}

cJSON *
request_object(const char *body, size_t len, const struct request_field *fields,
               size_t count, const char *what, struct error_about *about,
               struct report *r)
{
    cJSON *object = NULL;
    const char *end = NULL;
    const bool many =
        len <= BODY_BYTES_MAX && json_has_more_values(body, len, VALUES_MAX);
    const size_t valid = len <= BODY_BYTES_MAX && !many ? utf8_prefix(body, len) : 0;

    error_about_member(about, len > BODY_BYTES_MAX ? ERROR_TOO_LARGE : ERROR_INVALID_BODY,
                       NULL);
    if (len > BODY_BYTES_MAX)
        report_fail(r, "the body is %zu bytes: a source may have at most %zu", len,
                    SOURCE_BYTES_MAX);
    else if (many)
        report_fail(r, "the body has more than %d values: no request has so many",
                    VALUES_MAX);
    else if (valid < len)
        report_fail(r, "the body is not UTF-8 at its byte %zu: save the source as UTF-8",
                    valid);
    else if (memchr(body, '\0', len) != NULL || json_escapes_nul(body, len))
        report_fail(r, "the body holds a NUL byte: a source is text");
    else if ((object = cJSON_ParseWithLengthOpts(body, len, &end, 0)) == NULL)
        report_fail(r, "the body is not valid JSON");
    else if (end + request_blanks(end, (size_t)(body + len - end)) != body + len)
        report_fail(r, "something follows the JSON object in the body");
    else if (take_fields(object, fields, count, what, about, r) == 0)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* Takes the case of one's own out of the object of a request that is checked. */
static int
take_own_case(cJSON *object, struct submit_request *out, struct error_about *about,
              struct report *r)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(object, "own_case");

    if (cJSON_IsObject(item) && out->sample_tests_only && out->profile == PROFILE_NONE) {
        out->own_case = item;
        return 0;
    }
    if (item == NULL || cJSON_IsNull(item)) {
        cJSON_Delete(item);
        return 0;
    }
    cJSON_Delete(item);
    submit_request_free(out);
    error_about_member(about, ERROR_INVALID_MEMBER, "own_case");
    return report_fail(r, "a case of one's own goes with the mode \"run\" only");
}

int
submit_request_parse(const char *body, size_t len, struct submit_request *out,
                     struct error_about *about, struct report *r)
{
    struct fields f = {0};
    const struct request_field known[] = {
        {"problem", &f.problem, NULL}, {"device", &f.device, NULL},
        {"user", &f.user, NULL},       {"filename", &f.filename, NULL},
        {"source", &f.source, NULL},   {"mode", &f.mode, NULL},
        {"own_case", NULL, NULL},      {"seed", &f.seed, NULL},
    };
    cJSON *object = request_object(body, len, known, sizeof known / sizeof *known,
                                   "a submission", about, r);
    int rc;

    if (object == NULL)
        return -1;
    rc = check_fields(&f, out, about, r);
    if (rc == 0)
        rc = take_own_case(object, out, about, r);
    cJSON_Delete(object);
    return rc;
}

bool
request_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || strspn(text, "0123456789") == 0 ||
        value < least || value > most)
        return false;
    *out = value;
    return true;
}

void
submit_request_free(struct submit_request *s)
{
    free(s->problem);
    free(s->device);
    free(s->user);
    free(s->filename);
    free(s->source);
    cJSON_Delete(s->own_case);
    free(s->seed);
    *s = (struct submit_request){0};
}
