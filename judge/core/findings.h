/* Things that are wrong with a problem's folder, each with its place: collected by one
 * program, told to the author by another. */
#ifndef CORE_FINDINGS_H
#define CORE_FINDINGS_H

#include "core/report.h"

struct finding {
    char *where;    /* "problem.json: $.tests[3]", "statement.md:14", "reference.c" */
    char *sentence; /* what is wrong there; may have several lines (a compiler's) */
};

struct findings {
    int count;
    struct finding *list;
};

void findings_add(struct findings *f, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void findings_free(struct findings *f);

/* As FOLDER/soundness.json (core/job.h). Reading adds to f. */
int findings_write(const char *folder, const struct findings *f, struct report *r);
int findings_read(const char *folder, struct findings *f, struct report *r);

#endif
