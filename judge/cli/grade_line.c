#include "cli/grade_line.h"

#include "base/config.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const FIELDS[] = {"id", "problem", "source", "seed", "tags"};

enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

static int
check_fields(const cJSON *o, struct report *r)
{
    const cJSON *item, *other;

    cJSON_ArrayForEach(item, o)
    {
        int i = 0;

        while (i < FIELD_COUNT && strcmp(item->string, FIELDS[i]) != 0)
            i++;
        if (i == FIELD_COUNT)
            return report_fail(r,
                               "\"%.40s\" is not a field of a line (they are id, "
                               "problem, source, seed, tags)",
                               item->string);
        for (other = item->next; other != NULL; other = other->next)
            if (strcmp(other->string, item->string) == 0)
                return report_fail(r, "\"%s\" is there twice", item->string);
    }
    return 0;
}

static int
take_text(const cJSON *o, const char *key, size_t most, char **out, struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);
    size_t len;

    if (item == NULL || cJSON_IsNull(item))
        return report_fail(r, "\"%s\" is missing", key);
    if (!cJSON_IsString(item))
        return report_fail(r, "\"%s\" is not a string", key);
    len = strlen(item->valuestring);
    if (item->valuestring[strspn(item->valuestring, " \t\r\n\v\f")] == '\0')
        return report_fail(r, "\"%s\" is empty", key);
    if (len > most)
        return report_fail(r, "\"%s\" has %zu bytes, over the limit of %zu", key, len,
                           most);
    *out = xstrdup(item->valuestring);
    return 0;
}

/* A whole number, or hexadecimal digits, with zeros before it. */
static int
take_seed(const cJSON *o, char out[SEED_DIGITS + 1], struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, "seed");
    char number[32], *digits = number;
    size_t len;

    if (item == NULL || cJSON_IsNull(item))
        return 0;
    if (cJSON_IsString(item))
        digits = item->valuestring;
    else if (cJSON_IsNumber(item) && item->valuedouble >= 0 &&
             item->valuedouble <= 9007199254740992.0 &&
             item->valuedouble == (double)(int64_t)item->valuedouble)
        snprintf(number, sizeof number, "%llx", (unsigned long long)item->valuedouble);
    else
        return report_fail(r, "\"seed\" is not a whole number from 0 to 2^53");
    len = strlen(digits);
    if (len == 0 || len > SEED_DIGITS || strspn(digits, "0123456789abcdef") != len)
        return report_fail(r, "\"seed\" is not 1 to %d hexadecimal digits in lower case",
                           SEED_DIGITS);
    memset(out, '0', SEED_DIGITS);
    memcpy(out + SEED_DIGITS - len, digits, len + 1);
    return 0;
}

static int
take_tags(cJSON *o, cJSON **out, struct report *r)
{
    cJSON *tags = cJSON_DetachItemFromObjectCaseSensitive(o, "tags");
    const cJSON *tag;

    if (tags == NULL || cJSON_IsNull(tags)) {
        cJSON_Delete(tags);
        return 0;
    }
    *out = tags;
    if (!cJSON_IsArray(tags) || cJSON_GetArraySize(tags) > GRADE_TAGS_MAX)
        return report_fail(r, "\"tags\" is not a list of at most %d strings",
                           GRADE_TAGS_MAX);
    cJSON_ArrayForEach(tag, tags)
    {
        if (!cJSON_IsString(tag) || tag->valuestring[0] == '\0' ||
            strlen(tag->valuestring) > GRADE_TAG_BYTES_MAX)
            return report_fail(r, "a tag is not a string of 1 to %d bytes",
                               GRADE_TAG_BYTES_MAX);
    }
    return 0;
}

int
grade_line_read(const struct jsonl *in, struct grade_line *out, struct report *r)
{
    struct report why = {0}, unused = {0};
    cJSON *o = jsonl_parse(in, r);
    int rc;

    *out = (struct grade_line){.number = in->number};
    if (o == NULL)
        return -1;
    (void)take_text(o, "id", GRADE_ID_BYTES_MAX, &out->id, &unused);
    rc = check_fields(o, &why);
    if (rc == 0 && out->id == NULL)
        rc = take_text(o, "id", GRADE_ID_BYTES_MAX, &out->id, &why);
    if (rc == 0)
        rc = take_text(o, "problem", GRADE_ID_BYTES_MAX, &out->problem, &why);
    if (rc == 0)
        rc = take_text(o, "source", SOURCE_BYTES_MAX, &out->source, &why);
    if (rc == 0)
        rc = take_seed(o, out->seed, &why);
    if (rc == 0)
        rc = take_tags(o, &out->tags, &why);
    cJSON_Delete(o);
    return rc == 0 ? 0 : report_fail(r, "%s:%ld: %s", in->path, in->number, why.text);
}

void
grade_line_free(struct grade_line *line)
{
    free(line->id);
    free(line->problem);
    free(line->source);
    cJSON_Delete(line->tags);
    *line = (struct grade_line){0};
}
