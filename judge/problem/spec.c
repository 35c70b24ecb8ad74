/* The JSON path of an error, and the typed getters over a problem.json. */
#include "problem/spec.h"

#include "base/buf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
print_at(struct buf *out, const struct at *at)
{
    if (at == NULL) {
        buf_puts(out, "$");
        return;
    }
    print_at(out, at->up);
    if (at->key != NULL)
        buf_printf(out, ".%.80s", at->key);
    else
        buf_printf(out, "[%d]", at->index);
}

char *
spec_place(const struct at *at)
{
    struct buf where = {0};

    print_at(&where, at);
    return buf_take(&where);
}

void
spec_error(struct spec *s, const struct at *at, const char *format, ...)
{
    struct buf where = {0};
    char *sentence;
    va_list ap;

    buf_puts(&where, "problem.json: ");
    print_at(&where, at);
    va_start(ap, format);
    if (vasprintf(&sentence, format, ap) < 0)
        die(4, "out of memory");
    va_end(ap);
    s->errors++;
    s->on_error(s->context, buf_str(&where), sentence);
    free(sentence);
    buf_free(&where);
}

void
spec_report(struct spec *s, const struct at *at, struct report *r)
{
    spec_error(s, at, "%s", r->text);
    r->text[0] = '\0';
}

/* --- what is there ------------------------------------------------------------------ */

static const char *
kind_of(const cJSON *item)
{
    if (cJSON_IsString(item))
        return "text";
    if (cJSON_IsNumber(item))
        return "a number";
    if (cJSON_IsBool(item))
        return "true or false";
    if (cJSON_IsArray(item))
        return "an array";
    if (cJSON_IsObject(item))
        return "an object";
    return "null";
}

static int
wrong_kind(struct spec *s, const struct at *at, const cJSON *item, const char *wanted)
{
    spec_error(s, at, "must be %s, but is %s", wanted, kind_of(item));
    return -1;
}

static bool
spec_key_is_known(const char *key, const char *const *known)
{
    for (; *known != NULL; known++) {
        if (strcmp(key, *known) == 0)
            return true;
    }
    return false;
}

static bool
came_before(const cJSON *object, const cJSON *item)
{
    for (const cJSON *i = object->child; i != item; i = i->next) {
        if (strcmp(i->string, item->string) == 0)
            return true;
    }
    return false;
}

static void
unknown_key(struct spec *s, const struct at *at, const char *key,
            const char *const *known)
{
    struct buf list = {0};

    for (const char *const *k = known; *k != NULL; k++)
        buf_printf(&list, "%s%s", k == known ? "" : ", ", *k);
    spec_error(s, at, "unknown key \"%.80s\"; known here: %s", key, buf_str(&list));
    buf_free(&list);
}

int
spec_object(struct spec *s, const struct at *at, const cJSON *object,
            const char *const *known)
{
    int before = s->errors;

    if (!cJSON_IsObject(object))
        return wrong_kind(s, at, object, "an object");
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (!spec_key_is_known(item->string, known))
            unknown_key(s, at, item->string, known);
        else if (came_before(object, item))
            spec_error(s, at, "the key \"%s\" is there twice", item->string);
    }
    return s->errors == before ? 0 : -1;
}

const cJSON *
spec_member(struct spec *s, const struct at *at, const cJSON *object, const char *key,
            bool required)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (item == NULL && required)
        spec_error(s, at, "the key \"%s\" is missing", key);
    return item;
}

/* --- typed values ------------------------------------------------------------------- */

int
spec_string(struct spec *s, const struct at *at, const cJSON *item, const char **out)
{
    if (!cJSON_IsString(item))
        return wrong_kind(s, at, item, "text");
    if (item->valuestring[0] == '\0') {
        spec_error(s, at, "must not be empty");
        return -1;
    }
    *out = arena_strdup(s->arena, item->valuestring);
    return 0;
}

int
spec_bool(struct spec *s, const struct at *at, const cJSON *item, bool *out)
{
    if (!cJSON_IsBool(item))
        return wrong_kind(s, at, item, "true or false");
    *out = cJSON_IsTrue(item);
    return 0;
}

int
spec_number(struct spec *s, const struct at *at, const cJSON *item, double *out)
{
    if (!cJSON_IsNumber(item))
        return wrong_kind(s, at, item, "a number");
    if (!isfinite(item->valuedouble)) {
        spec_error(s, at, "the number is too large");
        return -1;
    }
    *out = item->valuedouble;
    return 0;
}

int
spec_whole(struct spec *s, const struct at *at, const cJSON *item, double lo, double hi,
           double *out)
{
    double value = 0;

    if (spec_number(s, at, item, &value) != 0)
        return -1;
    if (value != floor(value)) {
        spec_error(s, at, "must be a whole number, but is %.17g", value);
        return -1;
    }
    if (value < lo || value > hi) {
        spec_error(s, at, "must be from %.17g to %.17g, but is %.17g", lo, hi, value);
        return -1;
    }
    *out = value;
    return 0;
}

int
spec_array(struct spec *s, const struct at *at, const cJSON *item, int min, int max)
{
    int count;

    if (!cJSON_IsArray(item))
        return wrong_kind(s, at, item, "an array");
    count = cJSON_GetArraySize(item);
    if (count < min || count > max) {
        if (min == max)
            spec_error(s, at, "must have %d elements, but has %d", min, count);
        else
            spec_error(s, at, "must have %d to %d elements, but has %d", min, max, count);
        return -1;
    }
    return 0;
}

const struct expr *
spec_expr(struct spec *s, const struct at *at, const cJSON *item, enum expr_kind kind)
{
    const struct expr *e;
    struct report r = {0};
    double value = 0;

    if (cJSON_IsString(item)) {
        e = expr_parse(s->arena, item->valuestring, kind, s->names, s->name_count, &r);
        if (e == NULL)
            spec_report(s, at, &r);
        return e;
    }
    if (!cJSON_IsNumber(item)) {
        wrong_kind(s, at, item, "a number or an expression in quotes");
        return NULL;
    }
    if (kind == EXPR_WHOLE) {
        if (spec_whole(s, at, item, -9007199254740992.0, 9007199254740992.0, &value) != 0)
            return NULL;
    } else if (spec_number(s, at, item, &value) != 0) {
        return NULL;
    }
    return expr_constant(s->arena, value);
}
