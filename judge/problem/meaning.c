/* The meaning of a problem: its spec in one spelling, without what changes no verdict and
 * no time, and the files beside it. */
#include "problem/meaning.h"

#include "base/file.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)16 << 20)

#define SPEC_FILE "problem.json"
const char *const meaning_files[] = {SPEC_FILE,  "reference.c", "reference.cu",
                                     "inputs.c", "checker.c",   NULL};

/* A kind of object in a spec, with the keys that are apart. A key that is not listed
 * counts, so that a new one counts until somebody has decided otherwise. */
struct level {
    const char *apart[12];
};

static const struct level PLAIN = {{NULL}};
static const struct level PARAM = {{"about", NULL}};
static const struct level TEST = {{"about", "sample", NULL}};
static const struct level BENCHMARK = {{"about", NULL}};
/* A spec's format says how it is read, not what it says: a change of that raises
 * MEANING_JUDGING. "accepts" is for `problem check` only. "benchmark" is taken apart. */
static const struct level ROOT = {{"format", "title", "difficulty", "tags", "teaches",
                                   "after", "sources", "accepts", "benchmark", NULL}};

static bool
level_leaves_out(const struct level *level, const char *key)
{
    for (int i = 0; level->apart[i] != NULL; i++)
        if (strcmp(level->apart[i], key) == 0)
            return true;
    return false;
}

/* The kind of the objects in the array under a key of the root. */
static const struct level *
level_below(const struct level *level, const char *key)
{
    if (level == &ROOT && strcmp(key, "params") == 0)
        return &PARAM;
    if (level == &ROOT && strcmp(key, "tests") == 0)
        return &TEST;
    return &PLAIN;
}

static int
compare_keys(const void *a, const void *b)
{
    const cJSON *const *one = a, *const *other = b;

    return strcmp((*one)->string, (*other)->string);
}

static void add_value(struct buf *out, const cJSON *item, const struct level *level);

static void
add_string(struct buf *out, const char *text)
{
    buf_printf(out, "%zu:%s", strlen(text), text);
}

static void
add_members(struct buf *out, const cJSON *object, const struct level *level)
{
    const size_t count = (size_t)cJSON_GetArraySize(object);
    const cJSON **member = xcalloc(count + 1, sizeof(const cJSON *));
    size_t n = 0;

    for (const cJSON *item = object->child; item != NULL; item = item->next)
        if (!level_leaves_out(level, item->string))
            member[n++] = item;
    qsort(member, n, sizeof(const cJSON *), compare_keys);
    buf_puts(out, "{");
    for (size_t i = 0; i < n; i++) {
        add_string(out, member[i]->string);
        buf_puts(out, "=");
        add_value(out, member[i], level_below(level, member[i]->string));
    }
    buf_puts(out, "}");
    free(member);
}

/* Appends a value. The level is that of the value itself or, where it is an array, that
 * of its elements. */
static void
add_value(struct buf *out, const cJSON *item, const struct level *level)
{
    if (cJSON_IsObject(item)) {
        add_members(out, item, level);
    } else if (cJSON_IsArray(item)) {
        buf_puts(out, "[");
        for (const cJSON *e = item->child; e != NULL; e = e->next)
            add_value(out, e, level);
        buf_puts(out, "]");
    } else if (cJSON_IsString(item)) {
        add_string(out, item->valuestring);
    } else if (cJSON_IsNumber(item)) {
        buf_printf(out, "%.17g,", item->valuedouble);
    } else {
        buf_puts(out, cJSON_IsTrue(item) ? "T" : cJSON_IsFalse(item) ? "F" : "N");
    }
}

void
meaning_of_spec(const cJSON *root, enum meaning_kind kind, struct buf *out)
{
    const cJSON *benchmarks = cJSON_GetObjectItemCaseSensitive(root, "benchmark");
    const cJSON *benchmark = cJSON_GetObjectItemCaseSensitive(
        benchmarks, kind == MEANING_EMU ? "emu" : "cuda");

    add_value(out, root, &ROOT);
    buf_puts(out, "benchmark=");
    if (benchmark != NULL)
        add_value(out, benchmark, &BENCHMARK);
}

/* Appends a file of the folder as its name and hash; one that is not there has none. */
static int
add_file(struct buf *out, const char *folder, const char *name, struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name), hash[65];
    struct buf bytes = {0};
    int rc = 0;

    if (access(path, F_OK) == 0) {
        rc = file_read(path, FILE_BYTES_MAX, &bytes, r);
        if (rc == 0) {
            hash_hex(buf_str(&bytes), bytes.len, hash);
            buf_printf(out, "\n%s %s", name, hash);
        }
    } else if (errno != ENOENT) {
        rc = report_errno(r, "%s cannot be read", path);
    }
    buf_free(&bytes);
    free(path);
    return rc;
}

static int
add_spec(struct buf *out, const char *folder, enum meaning_kind kind, struct report *r)
{
    char *path = xasprintf("%s/" SPEC_FILE, folder);
    cJSON *root = json_read_file(path, FILE_BYTES_MAX, r);

    if (root != NULL)
        meaning_of_spec(root, kind, out);
    cJSON_Delete(root);
    free(path);
    return root != NULL ? 0 : -1;
}

int
meaning_read(const char *dir, const char *slug, enum meaning_kind kind,
             char out[MEANING_BYTES], struct report *r)
{
    char *folder = xasprintf("%s/%s", dir, slug);
    struct buf text = {0};
    int rc;

    buf_printf(&text, "judging %d, %s %d\n", MEANING_JUDGING,
               kind == MEANING_EMU ? "model" : "clock",
               kind == MEANING_EMU ? MEANING_MODEL : MEANING_CLOCK);
    rc = add_spec(&text, folder, kind, r);
    for (int i = 0; rc == 0 && meaning_files[i] != NULL; i++)
        if (strcmp(meaning_files[i], SPEC_FILE) != 0)
            rc = add_file(&text, folder, meaning_files[i], r);
    if (rc == 0)
        hash_hex(buf_str(&text), text.len, out);
    buf_free(&text);
    free(folder);
    return rc;
}
