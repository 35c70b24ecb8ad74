/* Collects findings, and writes and reads them as soundness.json. */
#include "record/findings.h"

#include "base/buf.h"
#include "base/json.h"
#include "record/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FINDINGS_BYTES_MAX ((size_t)16 << 20)

void
findings_add(struct findings *f, const char *where, const char *format, ...)
{
    va_list ap;
    char *sentence;

    va_start(ap, format);
    if (vasprintf(&sentence, format, ap) < 0)
        die(4, "out of memory");
    va_end(ap);
    f->list = xrealloc(f->list, sizeof *f->list * (size_t)(f->count + 1));
    f->list[f->count++] = (struct finding){xstrdup(where), sentence};
}

void
findings_add_fill(struct findings *f, int line, char *text)
{
    for (int i = 0; i < f->fill_count; i++) {
        if (f->fill[i].line == line) {
            free(text);
            return;
        }
    }
    f->fill = xrealloc(f->fill, sizeof *f->fill * (size_t)(f->fill_count + 1));
    f->fill[f->fill_count++] = (struct fill){line, text};
}

void
findings_free(struct findings *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->list[i].where);
        free(f->list[i].sentence);
    }
    for (int i = 0; i < f->fill_count; i++)
        free(f->fill[i].text);
    free(f->list);
    free(f->fill);
    *f = (struct findings){0};
}

int
findings_write(const char *folder, const struct findings *f, struct report *r)
{
    char *path = xasprintf("%s/soundness.json", folder);
    cJSON *root = cJSON_CreateObject(), *list;
    int rc;

    cJSON_AddNumberToObject(root, "format", JOB_FORMAT);
    cJSON_AddBoolToObject(root, "uncalled", f->uncalled);
    list = cJSON_AddArrayToObject(root, "findings");
    for (int i = 0; i < f->count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "where", f->list[i].where);
        cJSON_AddStringToObject(item, "sentence", f->list[i].sentence);
        cJSON_AddItemToArray(list, item);
    }
    list = cJSON_AddArrayToObject(root, "fills");
    for (int i = 0; i < f->fill_count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddNumberToObject(item, "line", f->fill[i].line);
        cJSON_AddStringToObject(item, "text", f->fill[i].text);
        cJSON_AddItemToArray(list, item);
    }
    rc = json_write_file(path, root, r);
    cJSON_Delete(root);
    free(path);
    return rc;
}

static int
findings_read_list(const cJSON *root, struct findings *f, struct report *r)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "findings"), *item;
    int64_t format;

    if (json_get_int(root, "format", &format, r) != 0)
        return -1;
    if (format != JOB_FORMAT || !cJSON_IsArray(list))
        return report_fail(r, "is not of format %d", JOB_FORMAT);
    cJSON_ArrayForEach(item, list)
    {
        char *where = NULL, *sentence = NULL;
        int rc = json_get_string(item, "where", &where, r);

        if (rc == 0)
            rc = json_get_string(item, "sentence", &sentence, r);
        if (rc == 0)
            findings_add(f, where, "%s", sentence);
        free(where);
        free(sentence);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static int
read_fills(const cJSON *root, struct findings *f, struct report *r)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "fills"), *item;

    cJSON_ArrayForEach(item, list)
    {
        char *text = NULL;
        int64_t line;

        if (json_get_int(item, "line", &line, r) != 0 ||
            json_get_string(item, "text", &text, r) != 0)
            return -1;
        findings_add_fill(f, (int)line, text);
    }
    return 0;
}

int
findings_read(const char *folder, struct findings *f, struct report *r)
{
    char *path = xasprintf("%s/soundness.json", folder);
    cJSON *root = json_read_file(path, FINDINGS_BYTES_MAX, r);
    int rc = -1;

    if (root != NULL) {
        f->uncalled = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "uncalled"));
        rc = findings_read_list(root, f, r);
        if (rc == 0)
            rc = read_fills(root, f, r);
        if (rc != 0)
            report_prefix(r, "%s", path);
    }
    cJSON_Delete(root);
    free(path);
    return rc;
}
