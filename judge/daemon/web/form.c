#include "daemon/web/form.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define URLENCODED "application/x-www-form-urlencoded"
#define MULTIPART "multipart/form-data"
#define BOUNDARY_MAX 70 /* RFC 2046, 5.1.1 */

static int
form_fail(struct report *r)
{
    return report_fail(r, "This form cannot be read: send it again from its page.");
}

/* Adds a field, and takes the buffers over. */
static int
form_add(struct form *f, struct buf *name, struct buf *value, char *filename,
         struct report *r)
{
    const bool good = f->count < FORM_FIELDS_MAX && name->len > 0 &&
                      strlen(buf_str(name)) == name->len &&
                      strlen(buf_str(value)) == value->len &&
                      utf8_prefix(buf_str(name), name->len) == name->len;

    if (!good || utf8_prefix(buf_str(value), value->len) != value->len) {
        buf_free(name);
        buf_free(value);
        free(filename);
        if (!good)
            return form_fail(r);
        return report_fail(r, "What was sent is not text in UTF-8.");
    }
    f->field[f->count++] = (struct form_field){
        .name = buf_take(name), .value = buf_take(value), .filename = filename};
    return 0;
}

/* --- urlencoded --------------------------------------------------------- */

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes a name or a value of the URL standard's "application/x-www-form-urlencoded". */
static void
urlencoded_decode(struct buf *out, const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = at[i];

        if (c == '+') {
            c = ' ';
        } else if (c == '%' && len - i > 2 && hex_digit(at[i + 1]) >= 0 &&
                   hex_digit(at[i + 2]) >= 0) {
            c = (char)(hex_digit(at[i + 1]) * 16 + hex_digit(at[i + 2]));
            i += 2;
        }
        buf_add(out, &c, 1);
    }
}

static int
urlencoded_parse(const char *body, size_t len, struct form *out, struct report *r)
{
    const char *at = body, *end = body + len;

    while (at < end) {
        const char *next = memchr(at, '&', (size_t)(end - at));
        const char *stop = next != NULL ? next : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        struct buf name = {0}, value = {0};

        urlencoded_decode(&name, at, (size_t)((equals != NULL ? equals : stop) - at));
        if (equals != NULL)
            urlencoded_decode(&value, equals + 1, (size_t)(stop - equals - 1));
        if (form_add(out, &name, &value, NULL, r) != 0)
            return -1;
        at = next != NULL ? next + 1 : end;
    }
    return 0;
}

/* --- multipart ---------------------------------------------------------- */

/* Copies the boundary that a Content-Type names. -1 where there is none. */
static int
multipart_boundary(const char *type, char boundary[BOUNDARY_MAX + 5])
{
    const char *at = strcasestr(type, "boundary=");
    size_t len;

    if (at == NULL)
        return -1;
    at += strlen("boundary=");
    if (*at == '"') {
        at++;
        len = strcspn(at, "\"");
    } else {
        len = strcspn(at, "; \t");
    }
    if (len == 0 || len > BOUNDARY_MAX)
        return -1;
    memcpy(boundary, "\r\n--", 4);
    memcpy(boundary + 4, at, len);
    boundary[4 + len] = '\0';
    return 0;
}

/* A parameter of a Content-Disposition, which stands in quotes. A browser writes a quote
 * in it as %22 (the HTML standard, "multipart form data"). NULL where there is none; the
 * caller frees. */
static char *
disposition_parameter(const char *line, size_t len, const char *name)
{
    const size_t name_len = strlen(name);
    const char *end = line + len;
    const char *at = memmem(line, len, name, name_len), *stop;

    while (at != NULL && (at == line || (at[-1] != ' ' && at[-1] != ';')))
        at = memmem(at + 1, (size_t)(end - at - 1), name, name_len);
    if (at == NULL)
        return NULL;
    at += name_len;
    stop = memchr(at, '"', (size_t)(end - at));
    return stop != NULL ? strndup(at, (size_t)(stop - at)) : NULL;
}

/* Adds the part whose headers begin at `at`, and whose body ends at `end`. */
static int
multipart_add(struct form *out, const char *at, const char *end, struct report *r)
{
    static const char HEADER[] = "Content-Disposition:";
    const char *body = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);
    char *filename = NULL;
    struct buf name = {0}, value = {0};

    if (body == NULL)
        return form_fail(r);
    while (at < body) {
        const char *stop = memmem(at, (size_t)(body + 2 - at), "\r\n", 2);
        const size_t len = (size_t)(stop - at);

        if (len > sizeof HEADER - 1 && name.len == 0 &&
            strncasecmp(at, HEADER, sizeof HEADER - 1) == 0) {
            char *text = disposition_parameter(at, len, "name=\"");

            buf_puts(&name, text != NULL ? text : "");
            free(text);
            free(filename);
            filename = disposition_parameter(at, len, "filename=\"");
        }
        at = stop + 2;
    }
    buf_add(&value, body + 4, (size_t)(end - body - 4));
    return form_add(out, &name, &value, filename, r);
}

static int
multipart_parse(const char *type, const char *body, size_t len, struct form *out,
                struct report *r)
{
    char boundary[BOUNDARY_MAX + 5];
    const char *end = body + len, *at = body;
    size_t boundary_len;

    if (multipart_boundary(type, boundary) != 0)
        return form_fail(r);
    boundary_len = strlen(boundary);
    /* The first boundary has no line before it. */
    if (len < boundary_len - 2 || memcmp(body, boundary + 2, boundary_len - 2) != 0)
        return form_fail(r);
    at += boundary_len - 2;
    while (end - at >= 2 && memcmp(at, "\r\n", 2) == 0) {
        const char *next = memmem(at, (size_t)(end - at), boundary, boundary_len);

        if (next == NULL || next == at || multipart_add(out, at + 2, next, r) != 0)
            return report_is_set(r) ? -1 : form_fail(r);
        at = next + boundary_len;
    }
    return end - at >= 2 && memcmp(at, "--", 2) == 0 ? 0 : form_fail(r);
}

/* --- both --------------------------------------------------------------- */

/* Is it this media type, with or without parameters? */
static bool
type_is(const char *type, const char *wanted)
{
    const size_t len = strlen(wanted);

    return type != NULL && strncasecmp(type, wanted, len) == 0 &&
           (type[len] == '\0' || strchr("; \t", type[len]) != NULL);
}

int
form_parse(const char *type, const char *body, size_t len, struct form *out,
           struct report *r)
{
    *out = (struct form){0};
    if (type_is(type, URLENCODED))
        return urlencoded_parse(body, len, out, r);
    if (type_is(type, MULTIPART))
        return multipart_parse(type, body, len, out, r);
    return report_fail(r, "A form is sent as %s or as %s.", URLENCODED, MULTIPART);
}

void
form_free(struct form *f)
{
    for (int i = 0; i < f->count; i++) {
        explicit_bzero(f->field[i].value, strlen(f->field[i].value));
        free(f->field[i].name);
        free(f->field[i].value);
        free(f->field[i].filename);
    }
    f->count = 0;
}

const struct form_field *
form_field(const struct form *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->field[i].name, name) == 0)
            return &f->field[i];
    return NULL;
}

const char *
form_value(const struct form *f, const char *name)
{
    const struct form_field *field = form_field(f, name);

    return field != NULL ? field->value : "";
}
