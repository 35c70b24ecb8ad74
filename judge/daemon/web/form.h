/*
 * The fields of a form that a browser has sent: application/x-www-form-urlencoded, or
 * multipart/form-data (RFC 7578) where a file may be in it. All of it comes from a
 * stranger (tests/fuzz/fuzz_form.c).
 */
#ifndef DAEMON_WEB_FORM_H
#define DAEMON_WEB_FORM_H

#include "base/report.h"

#include <stddef.h>

#define FORM_FIELDS_MAX 16

struct form_field {
    char *name, *value;
    char *filename; /* of a file; NULL: it is none */
};

struct form {
    int count;
    struct form_field field[FORM_FIELDS_MAX];
};

/* Parses a body of this Content-Type (NULL: there was none). Names and values are UTF-8
 * without NUL. -1 with the sentence for the sender. The caller frees *out with
 * form_free() in either case. */
int form_parse(const char *type, const char *body, size_t len, struct form *out,
               struct report *r);
void form_free(struct form *f);

/* The value of the first field of this name; "" where there is none. */
const char *form_value(const struct form *f, const char *name);
const struct form_field *form_field(const struct form *f, const char *name);

#endif
