/* Writes and reads the JSON files of a job's folder. A reader refuses what it does not
 * understand, and turns text for people into clean UTF-8. */
#include "record/job.h"

#include "base/buf.h"
#include "base/inject.h"
#include "base/json.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESULT_BYTES_MAX ((size_t)16 << 20)
#define FINDINGS_BYTES_MAX ((size_t)256 << 10)

static int
write_object(const char *folder, const char *name, cJSON *object, struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name);
    int rc;

    cJSON_AddNumberToObject(object, "format", JOB_FORMAT);
    rc = json_write_file(path, object, r);
    free(path);
    cJSON_Delete(object);
    return rc;
}

/* Deletes an object of another format, and returns NULL then. */
static cJSON *
check_format(cJSON *object, struct report *r)
{
    int64_t format = 0;

    if (object == NULL ||
        (json_get_int(object, "format", &format, r) == 0 && format == JOB_FORMAT))
        return object;
    report_fail(r, "format %lld is not %d", (long long)format, JOB_FORMAT);
    cJSON_Delete(object);
    return NULL;
}

static cJSON *
read_object(const char *folder, const char *name, struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name);
    cJSON *object = json_read_file(path, RESULT_BYTES_MAX, r), *checked;

    checked = check_format(object, r);
    if (object != NULL && checked == NULL)
        report_prefix(r, "%s", path);
    free(path);
    return checked;
}

/* Deletes the object of a file that was read, and adds the file to the report of a
 * failure. */
static int
finish_read(cJSON *object, const char *folder, const char *name, int rc, struct report *r)
{
    cJSON_Delete(object);
    if (rc != 0)
        report_prefix(r, "%s/%s", folder, name);
    return rc;
}

/* An object that is in memory. */
static cJSON *
parse_object(const char *text, size_t len, const char *name, struct report *r)
{
    if (len <= RESULT_BYTES_MAX)
        return check_format(json_parse(text, len, name, r), r);
    report_fail(r, "%s is longer than %zu bytes", name, RESULT_BYTES_MAX);
    return NULL;
}

static int
get_verdict(const cJSON *object, const char *key, enum verdict *out, struct report *r)
{
    char *name = NULL;
    int rc;

    if (json_get_string(object, key, &name, r) != 0)
        return -1;
    rc = verdict_parse(name, out);
    if (rc != 0)
        report_fail(r, "%s: \"%s\" is no verdict", key, name);
    free(name);
    return rc;
}

static int
get_int(const cJSON *object, const char *key, int *out, struct report *r)
{
    int64_t value;

    if (json_get_int(object, key, &value, r) != 0)
        return -1;
    if (value < -2147483647 || value > 2147483647)
        return report_fail(r, "%s is out of range", key);
    *out = (int)value;
    return 0;
}

/* A copy of text for people that is valid UTF-8. The text may quote what a compiler or a
 * submission printed, cut anywhere. */
static char *
clean_copy(const char *text)
{
    struct buf clean = {0};

    utf8_clean(&clean, text);
    return buf_take(&clean);
}

static int
get_text(const cJSON *object, const char *key, char **out, struct report *r)
{
    char *raw = NULL;

    if (json_get_string(object, key, &raw, r) != 0)
        return -1;
    *out = clean_copy(raw);
    free(raw);
    return 0;
}

/* A string as clean text that the caller frees; NULL where it is absent. */
static char *
optional_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? clean_copy(item->valuestring) : NULL;
}

/* The text of a JSON value that is kept as a string. Its own strings are clean as well:
 * an escape such as \u001b becomes a control character when somebody reads it. NULL where
 * the text is absent, is no JSON, or has too many values. */
static char *
optional_json(const cJSON *object, const char *key)
{
    char *text = optional_text(object, key);
    const bool few =
        text != NULL && !json_has_more_values(text, strlen(text), JSON_VALUES_MAX);
    cJSON *value = few ? cJSON_Parse(text) : NULL;

    free(text);
    json_clean(value);
    text = value != NULL ? cJSON_PrintUnformatted(value) : NULL;
    if (value != NULL && text == NULL)
        die(4, "out of memory");
    cJSON_Delete(value);
    return text;
}

/* The same of what is shown whole. Programs of the judge write some KiB, and a worker may
 * send any number of them: what is far longer is not there. */
static char *
optional_findings(const cJSON *object, const char *key)
{
    char *text = optional_json(object, key);

    if (text == NULL || strlen(text) <= FINDINGS_BYTES_MAX)
        return text;
    free(text);
    return NULL;
}

static void
add_optional_string(cJSON *object, const char *key, const char *value)
{
    if (value != NULL)
        cJSON_AddStringToObject(object, key, value);
}

/* --- job.json ----------------------------------------------------------- */

int
job_write(const char *folder, const struct job *j, struct report *r)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "id", (double)j->id);
    cJSON_AddNumberToObject(o, "attempt", j->attempt);
    cJSON_AddBoolToObject(o, "sample_only", j->sample_tests_only);
    cJSON_AddNumberToObject(o, "profile", j->profile);
    cJSON_AddStringToObject(o, "problem", j->problem);
    cJSON_AddStringToObject(o, "problems_dir", j->problems_dir);
    cJSON_AddStringToObject(o, "device", j->device);
    add_optional_string(o, "partner", j->partner);
    cJSON_AddStringToObject(o, "arch", j->arch);
    cJSON_AddStringToObject(o, "filename", j->filename);
    cJSON_AddStringToObject(o, "cache_dir", j->cache_dir);
    cJSON_AddBoolToObject(o, "insecure", j->insecure);
    add_optional_string(o, "seed", j->seed);
    cJSON_AddBoolToObject(o, "tells_values", j->tells_values);
    cJSON_AddBoolToObject(o, "uncontracted", j->uncontracted);
    add_optional_string(o, "own_case", j->own_case);
    return write_object(folder, "job.json", o, r);
}

bool
job_seed_is_valid(const char *text)
{
    return strlen(text) == SEED_DIGITS && strspn(text, "0123456789abcdef") == SEED_DIGITS;
}

/* The seed under "seed", which the caller frees. NULL where there is none. */
static int
get_seed(const cJSON *object, char **out, struct report *r)
{
    *out = optional_text(object, "seed");
    return *out == NULL || job_seed_is_valid(*out)
               ? 0
               : report_fail(r, "seed is not %d hexadecimal digits", SEED_DIGITS);
}

int
job_read(const char *folder, struct job *out, struct report *r)
{
    struct job j = {0};
    cJSON *o = read_object(folder, "job.json", r);
    int profile = PROFILE_NONE, rc;

    if (o == NULL)
        return -1;
    rc = json_get_int(o, "id", &j.id, r) || get_int(o, "attempt", &j.attempt, r) ||
                 json_get_bool(o, "sample_only", &j.sample_tests_only, r) ||
                 get_int(o, "profile", &profile, r) ||
                 json_get_string(o, "problem", &j.problem, r) ||
                 json_get_string(o, "problems_dir", &j.problems_dir, r) ||
                 json_get_string(o, "device", &j.device, r) ||
                 json_get_string(o, "arch", &j.arch, r) ||
                 json_get_string(o, "filename", &j.filename, r) ||
                 json_get_string(o, "cache_dir", &j.cache_dir, r) ||
                 json_get_bool(o, "insecure", &j.insecure, r) ||
                 json_get_bool(o, "tells_values", &j.tells_values, r) ||
                 json_get_bool(o, "uncontracted", &j.uncontracted, r) ||
                 get_seed(o, &j.seed, r)
             ? -1
             : 0;
    j.profile = (enum profile)profile;
    j.partner = optional_text(o, "partner");
    j.own_case = optional_text(o, "own_case");
    if (rc == 0)
        *out = j;
    else
        job_free(&j);
    return finish_read(o, folder, "job.json", rc, r);
}

void
job_free(struct job *j)
{
    free(j->problem);
    free(j->problems_dir);
    free(j->device);
    free(j->partner);
    free(j->arch);
    free(j->filename);
    free(j->cache_dir);
    free(j->seed);
    free(j->own_case);
    *j = (struct job){0};
}

/* --- compile.json ------------------------------------------------------- */

/* Adds {"digest": ..., "size": ...} where there is a digest. */
static void
add_digest(cJSON *o, const char *key, const struct digest *d)
{
    cJSON *item;

    if (d->size == 0)
        return;
    item = cJSON_AddObjectToObject(o, key);
    cJSON_AddStringToObject(item, "digest", d->hex);
    cJSON_AddNumberToObject(item, "size", (double)d->size);
}

static int
get_digest(const cJSON *o, const char *key, struct digest *out, struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);
    struct digest d = {0};
    char *hex = NULL;
    int rc;

    if (item == NULL)
        return 0;
    if (get_text(item, "digest", &hex, r) != 0)
        return -1;
    rc = json_get_int(item, "size", &d.size, r);
    if (rc == 0 && (!digest_is_valid(hex) || d.size <= 0))
        rc = report_fail(r, "%s is no digest", key);
    if (rc == 0) {
        memcpy(d.hex, hex, sizeof d.hex);
        *out = d;
    }
    free(hex);
    return rc;
}

int
compile_result_write(const char *folder, const struct compile_result *c, struct report *r)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddBoolToObject(o, "ok", c->ok);
    cJSON_AddStringToObject(o, "verdict", verdict_name(c->verdict));
    cJSON_AddStringToObject(o, "message", c->message != NULL ? c->message : "");
    add_optional_string(o, "findings", c->findings);
    cJSON_AddBoolToObject(o, "cached", c->cached);
    cJSON_AddNumberToObject(o, "seconds", c->seconds);
    add_digest(o, "source", &c->source);
    add_digest(o, "ptx", &c->ptx);
    return write_object(folder, "compile.json", o, r);
}

static int
compile_result_take(const cJSON *o, struct compile_result *out, struct report *r)
{
    struct compile_result c = {0};
    int rc =
        json_get_bool(o, "ok", &c.ok, r) || get_verdict(o, "verdict", &c.verdict, r) ||
                get_text(o, "message", &c.message, r) ||
                json_get_bool(o, "cached", &c.cached, r) ||
                json_get_double(o, "seconds", &c.seconds, r) ||
                get_digest(o, "source", &c.source, r) || get_digest(o, "ptx", &c.ptx, r)
            ? -1
            : 0;

    if (rc == 0 && !(c.seconds >= 0))
        rc = report_fail(r, "compile.json says that it took %g s", c.seconds);
    c.findings = optional_findings(o, "findings");
    if (rc == 0)
        *out = c;
    else
        compile_result_free(&c);
    return rc;
}

int
compile_result_read(const char *folder, struct compile_result *out, struct report *r)
{
    cJSON *o = read_object(folder, "compile.json", r);

    if (o == NULL)
        return -1;
    return finish_read(o, folder, "compile.json", compile_result_take(o, out, r), r);
}

int
compile_result_parse(const char *text, size_t len, struct compile_result *out,
                     struct report *r)
{
    cJSON *o = parse_object(text, len, "compile.json", r);
    const int rc = o != NULL ? compile_result_take(o, out, r) : -1;

    cJSON_Delete(o);
    return rc;
}

void
compile_result_free(struct compile_result *c)
{
    free(c->message);
    free(c->findings);
    *c = (struct compile_result){0};
}

/* --- result.json -------------------------------------------------------- */

static cJSON *
test_object(const struct test_result *t)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "number", t->number);
    cJSON_AddStringToObject(o, "verdict", verdict_name(t->verdict));
    cJSON_AddStringToObject(o, "sizes", t->sizes != NULL ? t->sizes : "");
    add_optional_string(o, "detail", t->detail);
    return o;
}

static void
result_add_timing_field(cJSON *o, const struct timing *t, const struct timing_field *f)
{
    const char *text;

    switch (f->kind) {
    case TIMING_TIME:
    case TIMING_KNOWN_TIME:
    case TIMING_WORK:
        cJSON_AddNumberToObject(o, f->json, timing_field_number(t, f));
        break;
    case TIMING_FLAG:
        cJSON_AddBoolToObject(o, f->json, timing_field_flag(t, f));
        break;
    case TIMING_COUNT:
        cJSON_AddNumberToObject(o, f->json, timing_field_count(t, f));
        break;
    case TIMING_TEXT:
        text = timing_field_text(t, f);
        cJSON_AddStringToObject(o, f->json, text != NULL ? text : "");
        break;
    case TIMING_OPTIONAL_TEXT:
    case TIMING_OPTIONAL_JSON:
        add_optional_string(o, f->json, timing_field_text(t, f));
        break;
    }
}

static cJSON *
timing_object(const struct timing *t)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddItemToObject(o, "samples_ns",
                          cJSON_CreateDoubleArray(t->sample_ns, t->sample_count));
    for (int i = 0; i < TIMING_FIELD_COUNT; i++)
        result_add_timing_field(o, t, &timing_fields[i]);
    return o;
}

/* Fault injection: the second half of result.json never reaches the disk. */
static void
result_tear(const char *folder)
{
    char *path = xasprintf("%s/result.json", folder);
    struct stat st;

    if (stat(path, &st) != 0 || truncate(path, st.st_size / 2) != 0)
        die(4, "%s cannot be torn", path);
    free(path);
}

int
result_write(const char *folder, const struct result *res, struct report *r)
{
    cJSON *o = cJSON_CreateObject();
    cJSON *tests;
    int rc;

    cJSON_AddStringToObject(o, "verdict", verdict_name(res->verdict));
    cJSON_AddStringToObject(o, "message", res->message != NULL ? res->message : "");
    cJSON_AddBoolToObject(o, "may_retry", res->may_retry);
    cJSON_AddStringToObject(o, "board", res->board != NULL ? res->board : "");
    add_optional_string(o, "counters", res->counters);
    add_optional_string(o, "findings", res->findings);
    add_optional_string(o, "notices", res->notices);
    add_optional_string(o, "seed", res->seed);
    add_optional_string(o, "arrays", res->arrays);
    tests = cJSON_AddArrayToObject(o, "tests");
    for (int i = 0; i < res->test_count; i++)
        cJSON_AddItemToArray(tests, test_object(&res->test[i]));
    if (res->timing.present)
        cJSON_AddItemToObject(o, "timing", timing_object(&res->timing));
    if (inject(INJECT_RESULT_FULL)) {
        cJSON_Delete(o);
        errno = ENOSPC;
        return report_errno(r, "%s/result.json cannot be written", folder);
    }
    rc = write_object(folder, "result.json", o, r);
    if (rc == 0 && inject(INJECT_RESULT_TORN))
        result_tear(folder);
    return rc;
}

static int
result_read_tests(const cJSON *o, struct result *res, struct report *r)
{
    const cJSON *tests = cJSON_GetObjectItemCaseSensitive(o, "tests");
    const cJSON *item;

    if (!cJSON_IsArray(tests))
        return report_fail(r, "tests is not an array");
    if (cJSON_GetArraySize(tests) > RESULT_TESTS_MAX)
        return report_fail(r, "there are more than %d tests", RESULT_TESTS_MAX);
    res->test = xcalloc((size_t)cJSON_GetArraySize(tests), sizeof *res->test);
    cJSON_ArrayForEach(item, tests)
    {
        struct test_result *t = &res->test[res->test_count++];

        if (get_int(item, "number", &t->number, r) != 0 ||
            get_verdict(item, "verdict", &t->verdict, r) != 0 ||
            get_text(item, "sizes", &t->sizes, r) != 0)
            return -1;
        t->detail = optional_text(item, "detail");
    }
    return 0;
}

static int
result_read_samples(const cJSON *timing, struct timing *t, struct report *r)
{
    const cJSON *samples = cJSON_GetObjectItemCaseSensitive(timing, "samples_ns");
    const cJSON *item;

    if (!cJSON_IsArray(samples))
        return report_fail(r, "timing.samples_ns is not an array");
    if (cJSON_GetArraySize(samples) > RESULT_SAMPLES_MAX)
        return report_fail(r, "there are more than %d samples", RESULT_SAMPLES_MAX);
    t->sample_ns = xcalloc((size_t)cJSON_GetArraySize(samples), sizeof *t->sample_ns);
    cJSON_ArrayForEach(item, samples)
    {
        if (!cJSON_IsNumber(item))
            return report_fail(r, "timing.samples_ns holds something not a number");
        t->sample_ns[t->sample_count++] = item->valuedouble;
    }
    return 0;
}

static int
result_read_timing_field(const cJSON *timing, struct timing *t,
                         const struct timing_field *f, struct report *r)
{
    void *member = timing_field_member(t, f);

    switch (f->kind) {
    case TIMING_TIME:
    case TIMING_KNOWN_TIME:
    case TIMING_WORK:
        return json_get_double(timing, f->json, member, r);
    case TIMING_FLAG:
        return json_get_bool(timing, f->json, member, r);
    case TIMING_COUNT:
        return get_int(timing, f->json, member, r);
    case TIMING_TEXT:
        return json_get_string(timing, f->json, member, r);
    case TIMING_OPTIONAL_TEXT:
        *(char **)member = optional_text(timing, f->json);
        return 0;
    case TIMING_OPTIONAL_JSON:
        *(char **)member = optional_json(timing, f->json);
        return 0;
    }
    return 0;
}

static int
result_read_timing(const cJSON *o, struct timing *t, struct report *r)
{
    const cJSON *timing = cJSON_GetObjectItemCaseSensitive(o, "timing");

    if (timing == NULL)
        return 0;
    if (result_read_samples(timing, t, r) != 0)
        return -1;
    for (int i = 0; i < TIMING_FIELD_COUNT; i++)
        if (result_read_timing_field(timing, t, &timing_fields[i], r) != 0)
            return -1;
    t->present = true;
    return 0;
}

static int
result_take(const cJSON *o, struct result *out, struct report *r)
{
    struct result res = {0};
    const int rc = get_verdict(o, "verdict", &res.verdict, r) ||
                           get_text(o, "message", &res.message, r) ||
                           json_get_bool(o, "may_retry", &res.may_retry, r) ||
                           json_get_string(o, "board", &res.board, r) ||
                           result_read_tests(o, &res, r) ||
                           result_read_timing(o, &res.timing, r) ||
                           get_seed(o, &res.seed, r)
                       ? -1
                       : 0;

    res.counters = optional_json(o, "counters");
    res.findings = optional_findings(o, "findings");
    res.notices = optional_findings(o, "notices");
    res.arrays = optional_json(o, "arrays");
    if (rc == 0)
        *out = res;
    else
        result_free(&res);
    return rc;
}

int
result_read(const char *folder, struct result *out, struct report *r)
{
    cJSON *o = read_object(folder, "result.json", r);

    if (o == NULL)
        return -1;
    return finish_read(o, folder, "result.json", result_take(o, out, r), r);
}

int
result_parse(const char *text, size_t len, struct result *out, struct report *r)
{
    cJSON *o = parse_object(text, len, "result.json", r);
    const int rc = o != NULL ? result_take(o, out, r) : -1;

    cJSON_Delete(o);
    return rc;
}

int
result_check(const struct result *res, bool sample_tests_only, struct report *r)
{
    if (res->verdict == VERDICT_CANCELLED)
        return report_fail(r, "the result says cancelled, which no arbiter may say");
    if (res->verdict != VERDICT_ACCEPTED)
        return 0;
    if (res->test_count == 0)
        return report_fail(r, "the result says accepted and has no tests");
    for (int i = 0; i < res->test_count; i++)
        if (res->test[i].verdict != VERDICT_ACCEPTED)
            return report_fail(r, "the result says accepted, and of test %d %s",
                               res->test[i].number, verdict_name(res->test[i].verdict));
    if (!sample_tests_only && !(res->timing.present && res->timing.sample_count > 0))
        return report_fail(r, "the result says accepted and has no time");
    if (!sample_tests_only && !(res->timing.median_ns >= 0))
        return report_fail(r, "the result's time is negative");
    return 0;
}

void
result_free(struct result *res)
{
    for (int i = 0; i < res->test_count; i++) {
        free(res->test[i].sizes);
        free(res->test[i].detail);
    }
    free(res->test);
    timing_fields_free(&res->timing);
    free(res->message);
    free(res->board);
    free(res->counters);
    free(res->findings);
    free(res->notices);
    free(res->seed);
    free(res->arrays);
    *res = (struct result){0};
}
