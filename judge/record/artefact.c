#include "record/artefact.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "record/job.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBMISSION_FILE "submission"
#define VALUES_MAX 100 /* of the text */
#define BASE64_OF(bytes) (((bytes) + 2) / 3 * 4)

/* The files that there may be. On a GPU there is no assembly. */
static const char *const NAMES[] = {SUBMISSION_FILE, ASSEMBLY_FILE};
#define NAME_COUNT (sizeof NAMES / sizeof *NAMES)

/* --- packing ------------------------------------------------------------ */

static int
artefact_add_file(cJSON *files, const char *folder, const char *name, size_t *left,
                  struct report *r)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct buf bytes = {0};
    int rc = 0;

    if (strcmp(name, SUBMISSION_FILE) == 0 || access(path, F_OK) == 0) {
        rc = file_read(path, *left, &bytes, r);
        if (rc != 0) {
            report_prefix(r, "what was compiled cannot be sent");
        } else {
            cJSON *item = cJSON_CreateObject();

            *left -= bytes.len;
            cJSON_AddStringToObject(item, "name", name);
            json_add_bytes(item, "base64", buf_str(&bytes), bytes.len);
            cJSON_AddItemToArray(files, item);
        }
    }
    buf_free(&bytes);
    free(path);
    return rc;
}

int
artefact_pack(const char *folder, const struct artefact_origin *origin, struct buf *out,
              struct report *r)
{
    cJSON *o = cJSON_CreateObject(), *files;
    size_t left = ARTEFACT_BYTES_MAX;
    int rc = 0;

    cJSON_AddNumberToObject(o, "format", JOB_FORMAT);
    cJSON_AddNumberToObject(o, "submission", (double)origin->submission);
    cJSON_AddNumberToObject(o, "attempt", (double)origin->attempt);
    cJSON_AddStringToObject(o, "source", origin->source);
    cJSON_AddStringToObject(o, "arch", origin->arch);
    cJSON_AddStringToObject(o, "toolkit", origin->toolkit);
    cJSON_AddStringToObject(o, "linked", origin->linked);
    files = cJSON_AddArrayToObject(o, "files");
    for (size_t i = 0; rc == 0 && i < NAME_COUNT; i++)
        rc = artefact_add_file(files, folder, NAMES[i], &left, r);
    if (rc == 0) {
        char *text = cJSON_PrintUnformatted(o);

        if (text == NULL)
            die(4, "out of memory");
        buf_puts(out, text);
        free(text);
    }
    cJSON_Delete(o);
    return rc;
}

/* --- checking ----------------------------------------------------------- */

/* Is the member this text? Where `wanted` is NULL, any text is. */
static int
artefact_check_text(const cJSON *o, const char *member, const char *wanted,
                    struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, member);

    if (!cJSON_IsString(item))
        return report_fail(r, "\"%s\" of the artefact is not a text", member);
    if (wanted != NULL && strcmp(item->valuestring, wanted) != 0)
        return report_fail(r, "the artefact's %s is %.70s, and not %.70s", member,
                           item->valuestring, wanted);
    return 0;
}

static int
artefact_check_number(const cJSON *o, const char *member, int64_t wanted,
                      struct report *r)
{
    int64_t is = 0;

    if (json_get_int(o, member, &is, r) != 0)
        return -1;
    if (is != wanted)
        return report_fail(r, "the artefact's %s is %lld, and not %lld", member,
                           (long long)is, (long long)wanted);
    return 0;
}

static int
artefact_check_origin(const cJSON *o, const struct artefact_origin *origin,
                      struct report *r)
{
    if (artefact_check_number(o, "format", JOB_FORMAT, r) != 0 ||
        artefact_check_number(o, "submission", origin->submission, r) != 0 ||
        artefact_check_number(o, "attempt", origin->attempt, r) != 0 ||
        artefact_check_text(o, "source", origin->source, r) != 0 ||
        artefact_check_text(o, "arch", origin->arch, r) != 0 ||
        artefact_check_text(o, "toolkit", origin->toolkit, r) != 0)
        return -1;
    return artefact_check_text(o, "linked", origin->linked, r);
}

/* Which of NAMES the file is; -1 where it may not be there. */
static int
artefact_file_number(const cJSON *item)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name");

    for (size_t i = 0; cJSON_IsString(name) && i < NAME_COUNT; i++)
        if (strcmp(name->valuestring, NAMES[i]) == 0)
            return (int)i;
    return -1;
}

static int
artefact_check_files(const cJSON *o, struct report *r)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(o, "files"), *item;
    bool seen[NAME_COUNT] = {false};
    size_t total = 0;

    if (!cJSON_IsArray(files))
        return report_fail(r, "the artefact has no files");
    cJSON_ArrayForEach(item, files)
    {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, "base64");
        const int number = artefact_file_number(item);

        if (number < 0 || seen[number] || !cJSON_IsString(text))
            return report_fail(r, "a file of the artefact is none that it may have");
        seen[number] = true;
        total += strlen(text->valuestring);
        if (total > BASE64_OF(ARTEFACT_BYTES_MAX))
            return report_fail(r, "the artefact is longer than %zu bytes",
                               ARTEFACT_BYTES_MAX);
    }
    if (!seen[0])
        return report_fail(r, "the artefact has no %s", SUBMISSION_FILE);
    return 0;
}

/* The object, once it is checked; NULL and a report where it is none. */
static cJSON *
artefact_parse(const char *text, size_t len, const struct artefact_origin *origin,
               struct report *r)
{
    cJSON *o;

    if (len > ARTEFACT_TEXT_MAX) {
        report_fail(r, "the artefact is longer than %zu bytes", ARTEFACT_BYTES_MAX);
        return NULL;
    }
    if (json_has_more_values(text, len, VALUES_MAX)) {
        report_fail(r, "the artefact has more than %d values", VALUES_MAX);
        return NULL;
    }
    o = json_parse(text, len, "the artefact", r);
    if (o != NULL && artefact_check_origin(o, origin, r) == 0 &&
        artefact_check_files(o, r) == 0)
        return o;
    cJSON_Delete(o);
    return NULL;
}

int
artefact_check(const char *text, size_t len, const struct artefact_origin *origin,
               struct report *r)
{
    cJSON *o = artefact_parse(text, len, origin, r);
    const int rc = o != NULL ? 0 : -1;

    cJSON_Delete(o);
    return rc;
}

/* --- unpacking ---------------------------------------------------------- */

static int
artefact_write_file(const cJSON *item, const char *folder, size_t *left, struct report *r)
{
    const int number = artefact_file_number(item);
    const char *name = NAMES[number >= 0 ? number : 0]; /* it was checked to be one */
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, "base64");
    char *path = xasprintf("%s/%s", folder, name);
    struct buf bytes = {0};
    int rc;

    if (!base64_read(&bytes, text->valuestring))
        rc = report_fail(r, "%s of the artefact is not base64", name);
    else if (bytes.len > *left)
        rc = report_fail(r, "the artefact is longer than %zu bytes", ARTEFACT_BYTES_MAX);
    else if (access(path, F_OK) == 0)
        rc = report_fail(r, "%s is there already", path);
    else
        rc = file_write(path, buf_str(&bytes), bytes.len, r);
    *left -= rc == 0 ? bytes.len : 0;
    buf_free(&bytes);
    free(path);
    return rc;
}

int
artefact_unpack(const char *text, size_t len, const struct artefact_origin *origin,
                const char *folder, struct report *r)
{
    cJSON *o = artefact_parse(text, len, origin, r);
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(o, "files"), *item;
    size_t left = ARTEFACT_BYTES_MAX;
    int rc = o != NULL ? 0 : -1;

    cJSON_ArrayForEach(item, files)
    {
        if (rc == 0)
            rc = artefact_write_file(item, folder, &left, r);
    }
    cJSON_Delete(o);
    return rc;
}
