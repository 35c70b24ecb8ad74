/* Reads baselines.json, and says where in it something is wrong. */
#include "problem/baselines.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX ((size_t)1 << 16)
#define TEXT_BYTES_MAX 200
#define FORMAT 1

/* The texts of a baseline, and where in the struct they go. */
static const struct text_key {
    const char *name;
    size_t offset;
    bool optional;
} TEXTS[] = {
    {"name", offsetof(struct baseline, name), false},
    {"about", offsetof(struct baseline, about), true},
    {"board", offsetof(struct baseline, board), false},
    {"sizes", offsetof(struct baseline, sizes), false},
    {"versions", offsetof(struct baseline, versions), false},
    {"date", offsetof(struct baseline, date), false},
    {"source", offsetof(struct baseline, source), false},
};
#define TEXT_COUNT (sizeof TEXTS / sizeof *TEXTS)
#define KEYS "name, about, board, sizes, time_ns, versions, date, source"

struct reading {
    const struct problem *problem;
    problem_error_fn *on_error;
    void *context;
    int errors;
};

/* Reports an error at a JSON path such as "$.baselines[0].date". */
static void __attribute__((format(printf, 3, 4)))
fail_at(struct reading *r, const char *path, const char *format, ...)
{
    char *where = xasprintf(BASELINES_FILE ": %s", path), *sentence;
    va_list ap;

    va_start(ap, format);
    if (vasprintf(&sentence, format, ap) < 0)
        die(4, "out of memory");
    va_end(ap);
    r->errors++;
    r->on_error(r->context, where, sentence);
    free(sentence);
    free(where);
}

static bool
is_key(const char *name)
{
    for (size_t i = 0; i < TEXT_COUNT; i++)
        if (strcmp(TEXTS[i].name, name) == 0)
            return true;
    return strcmp(name, "time_ns") == 0;
}

static void
check_keys(struct reading *r, const char *path, const cJSON *item)
{
    for (const cJSON *member = item->child; member != NULL; member = member->next) {
        if (!is_key(member->string))
            fail_at(r, path, "unknown key \"%.40s\": there are " KEYS, member->string);
        for (const cJSON *other = member->next; other != NULL; other = other->next)
            if (strcmp(other->string, member->string) == 0)
                fail_at(r, path, "\"%.40s\" is there twice", member->string);
    }
}

static void
read_text(struct reading *r, const char *path, const cJSON *item,
          const struct text_key *key, struct baseline *out)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key->name);
    const char **text = (const char **)(void *)((char *)out + key->offset);
    char *at = xasprintf("%s.%s", path, key->name);

    *text = "";
    if (value == NULL && !key->optional)
        fail_at(r, path, "%s is missing", key->name);
    else if (value != NULL && (!cJSON_IsString(value) || value->valuestring[0] == '\0'))
        fail_at(r, at, "must be a text that is not empty");
    else if (value != NULL && strlen(value->valuestring) > TEXT_BYTES_MAX)
        fail_at(r, at, "has more than %d bytes", TEXT_BYTES_MAX);
    else if (value != NULL)
        *text = value->valuestring;
    free(at);
}

/* Is it a date as in 2026-11-22? */
static bool
is_date(const char *text)
{
    static const char PATTERN[] = "dddd-dd-dd";

    for (size_t i = 0; i < sizeof PATTERN; i++)
        if (PATTERN[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != PATTERN[i])
            return false;
    return true;
}

/* A baseline of other sizes would be a line between times of other work. */
static void
check_sizes(struct reading *r, const char *path, const struct baseline *b)
{
    const struct problem *p = r->problem;
    const bool emu = strcmp(b->board, "emu") == 0;
    char *sizes = problem_sizes_text(p, emu ? &p->benchmark_emu : &p->benchmark_cuda);

    if (b->sizes[0] != '\0' && strcmp(b->sizes, sizes) != 0)
        fail_at(r, path, "sizes are \"%s\", but the benchmark has \"%s\"", b->sizes,
                sizes);
    free(sizes);
}

static void
read_baseline(struct reading *r, const char *path, const cJSON *item,
              struct baseline *out)
{
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(item, "time_ns");

    if (!cJSON_IsObject(item)) {
        fail_at(r, path, "must be an object with " KEYS);
        return;
    }
    check_keys(r, path, item);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        read_text(r, path, item, &TEXTS[i], out);
    if (out->date[0] != '\0' && !is_date(out->date))
        fail_at(r, path, "date is \"%s\": write it as 2026-11-22", out->date);
    if (!cJSON_IsNumber(time) || !(time->valuedouble > 0 && time->valuedouble < 1e15))
        fail_at(r, path, "time_ns must be a number of nanoseconds above 0");
    else
        out->time_ns = time->valuedouble;
    check_sizes(r, path, out);
}

static int
compare_baselines(const void *a, const void *b)
{
    const struct baseline *one = a, *other = b;

    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    return strcmp(one->name, other->name);
}

static void
read_root(struct reading *r, const cJSON *root, struct baselines *out)
{
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "baselines"), *item;

    if (!cJSON_IsObject(root) || !cJSON_IsArray(list) || cJSON_GetArraySize(root) != 2 ||
        !cJSON_IsNumber(format) || format->valuedouble != FORMAT) {
        fail_at(r, "$", "must be {\"format\": %d, \"baselines\": [...]}", FORMAT);
        return;
    }
    out->row = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *out->row);
    cJSON_ArrayForEach(item, list)
    {
        char *path = xasprintf("$.baselines[%zu]", out->count);

        read_baseline(r, path, item, &out->row[out->count++]);
        free(path);
    }
    if (out->count > 1)
        qsort(out->row, out->count, sizeof *out->row, compare_baselines);
}

int
baselines_read(const struct problem *p, problem_error_fn *on_error, void *context,
               struct baselines *out)
{
    struct reading r = {.problem = p, .on_error = on_error, .context = context};
    char *path = xasprintf("%s/" BASELINES_FILE, p->folder);
    struct baselines list = {0};
    struct buf text = {0};
    struct report why = {0};

    if (access(path, F_OK) == 0) {
        if (file_read(path, BYTES_MAX, &text, &why) == 0)
            list.json = json_parse(buf_str(&text), text.len, BASELINES_FILE, &why);
        if (list.json == NULL) {
            r.errors++;
            on_error(context, BASELINES_FILE, why.text);
        } else {
            json_clean(list.json);
            read_root(&r, list.json, &list);
        }
    }
    buf_free(&text);
    free(path);
    if (r.errors > 0)
        baselines_free(&list);
    *out = list;
    return r.errors;
}

void
baselines_free(struct baselines *list)
{
    free(list->row);
    cJSON_Delete(list->json);
    *list = (struct baselines){0};
}
