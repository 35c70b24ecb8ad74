/* The user's .cu: read, checked, and the problem that it names itself. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "core/buf.h"
#include "core/report.h"

#include <stddef.h>

struct source {
    const char *path; /* the caller's */
    const char *name; /* the last part of path */
    struct buf text;  /* valid UTF-8 without NUL bytes, not empty */
    char *problem;    /* of a comment `// warpjudge: SLUG`; NULL: it names none */
};

/* Everything the judge would refuse about the file itself is refused here, in a sentence
 * that names the path. source_free also after a failure. */
int source_load(const char *path, struct source *out, struct report *r);
void source_free(struct source *s);

/* The problem that a comment in the first 50 lines names: a copy that the caller frees,
 * or NULL. Two different ones, or a comment without a name, are errors. */
int source_find_problem(const char *path, const char *text, size_t len, char **out,
                        struct report *r);

/* Is text what a compiler can be given: UTF-8 without NUL bytes? */
int source_check_text(const char *path, const char *text, size_t len, struct report *r);

#endif
