/* The table of a timing's fields, and access to a field through its row. */
#include "record/timing_fields.h"

#include "base/buf.h"

#include <stdlib.h>

const struct timing_field timing_fields[TIMING_FIELD_COUNT] = {
#define X(kind, member, json, column, api)                                               \
    {TIMING_##kind, json, column, api, offsetof(struct timing, member)},
    TIMING_FIELDS(X)
#undef X
};

void *
timing_field_member(struct timing *t, const struct timing_field *f)
{
    return (char *)t + f->offset;
}

static const void *
member_of(const struct timing *t, const struct timing_field *f)
{
    return (const char *)t + f->offset;
}

double
timing_field_number(const struct timing *t, const struct timing_field *f)
{
    return *(const double *)member_of(t, f);
}

bool
timing_field_flag(const struct timing *t, const struct timing_field *f)
{
    return *(const bool *)member_of(t, f);
}

int
timing_field_count(const struct timing *t, const struct timing_field *f)
{
    return *(const int *)member_of(t, f);
}

const char *
timing_field_text(const struct timing *t, const struct timing_field *f)
{
    return *(const char *const *)member_of(t, f);
}

bool
timing_field_is_known(const struct timing *t, const struct timing_field *f)
{
    return t->present && (f->kind != TIMING_KNOWN_TIME || timing_field_number(t, f) > 0);
}

void
timing_fields_remark(struct timing *t, char *text)
{
    char *before = t->remark;

    t->remark = before != NULL ? xasprintf("%s; %s", before, text) : text;
    if (before != NULL)
        free(text);
    free(before);
}

void
timing_fields_free(struct timing *t)
{
    free(t->sample_ns);
    for (int i = 0; i < TIMING_FIELD_COUNT; i++) {
        const struct timing_field *f = &timing_fields[i];

        if (f->kind == TIMING_TEXT || f->kind == TIMING_OPTIONAL_TEXT ||
            f->kind == TIMING_OPTIONAL_JSON)
            free(*(char **)timing_field_member(t, f));
    }
    *t = (struct timing){0};
}
