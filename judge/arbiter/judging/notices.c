#include "arbiter/judging/notices.h"

#include "arbiter/judging/findings.h"
#include "base/report.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static cJSON *
notice_object(const struct fault *f)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "kind", findings_kind(f->kind));
    cJSON_AddStringToObject(o, "text", f->text);
    findings_add_lines(o, f);
    return o;
}

/* The notices so far. The caller gives the list to notices_write. */
static cJSON *
notices_read(const struct judgement *j)
{
    return j->result.notices != NULL ? cJSON_Parse(j->result.notices)
                                     : cJSON_CreateArray();
}

static void
notices_write(struct judgement *j, cJSON *list)
{
    free(j->result.notices);
    j->result.notices = NULL;
    if (cJSON_GetArraySize(list) > 0) {
        j->result.notices = cJSON_PrintUnformatted(list);
        if (j->result.notices == NULL)
            die(4, "out of memory");
    }
    cJSON_Delete(list);
}

int
notices_take(struct judgement *j, struct report *r)
{
    cJSON *list = notices_read(j);
    struct fault f;
    int rc;

    for (uint32_t i = 0; (rc = device_notice(j->device, i, &f, r)) > 0; i++)
        cJSON_AddItemToArray(list, notice_object(&f));
    notices_write(j, list);
    return rc;
}

void
notices_add(struct judgement *j, const char *kind, const char *text)
{
    cJSON *list = notices_read(j), *o = cJSON_CreateObject(), *other;
    bool known = false;

    cJSON_ArrayForEach(other, list)
    {
        const char *its = cJSON_GetStringValue(cJSON_GetObjectItem(other, "kind"));

        known = known || (its != NULL && strcmp(its, kind) == 0);
    }
    cJSON_AddStringToObject(o, "kind", kind);
    cJSON_AddStringToObject(o, "text", text);
    if (known)
        cJSON_Delete(o);
    else
        cJSON_AddItemToArray(list, o);
    notices_write(j, list);
}

/* Is it a notice of the same lines? */
static bool
is_same_notice(const cJSON *a, const cJSON *b)
{
    static const char *const names[] = {"kind", "file", "line", "other_file",
                                        "other_line"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cJSON *left = cJSON_GetObjectItemCaseSensitive(a, names[i]);
        const cJSON *right = cJSON_GetObjectItemCaseSensitive(b, names[i]);

        if ((left == NULL) != (right == NULL) ||
            (left != NULL && !cJSON_Compare(left, right, true)))
            return false;
    }
    return true;
}

bool
notices_add_fault(struct judgement *j, const struct fault *f)
{
    cJSON *list = notices_read(j), *o = notice_object(f), *other;
    bool known = false;

    cJSON_ArrayForEach(other, list) known = known || is_same_notice(other, o);
    if (known)
        cJSON_Delete(o);
    else
        cJSON_AddItemToArray(list, o);
    notices_write(j, list);
    return !known;
}
