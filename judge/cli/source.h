/* The user's .cu: it is read and checked, and the problem that it names is found. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "base/buf.h"
#include "base/report.h"

#include <stddef.h>

struct source {
    const char *path; /* it belongs to the caller; of "-" it names the standard input */
    const char *name; /* the last part of path */
    struct buf text;  /* valid UTF-8 without NUL bytes, not empty */
    char *problem;    /* named by a comment `// warpjudge: SLUG`; NULL: it names none */
};

/* Refuses everything about the file that the judge would refuse, in a sentence that names
 * the path. The caller calls source_free(), also after a failure. */
int source_load(const char *path, struct source *out, struct report *r);
void source_free(struct source *s);

/* The slug that the file's name may stand for, as "softmax" of softmax.cu; the caller
 * frees it. NULL where the name is no slug. */
char *source_slug_of_name(const char *name);

/* The problem that a comment in the first 50 lines names, as a copy that the caller
 * frees. NULL where there is none. Two different names, and a comment without a name, are
 * errors. */
int source_find_problem(const char *path, const char *text, size_t len, char **out,
                        struct report *r);

/* Checks that text is UTF-8 without NUL bytes, so that it can be given to a compiler. */
int source_check_text(const char *path, const char *text, size_t len, struct report *r);

#endif
