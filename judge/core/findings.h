/* Things that are wrong with a problem's folder, each with its place: collected by one
 * program, told to the author by another. */
#ifndef CORE_FINDINGS_H
#define CORE_FINDINGS_H

#include "core/report.h"

struct finding {
    char *where;    /* "problem.json: $.tests[3]", "statement.md:14", "reference.c" */
    char *sentence; /* what is wrong there; may have several lines (a compiler's) */
};

/* A line `NAME = ?` of statement.md and what belongs in the question mark's place; it may
 * have several lines. */
struct fill {
    int line;
    char *text;
};

struct findings {
    int count;
    struct finding *list;
    int fill_count;
    struct fill *fill; /* one a line at most */
};

void findings_add(struct findings *f, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes text; does nothing where the line has its text already. */
void findings_add_fill(struct findings *f, int line, char *text);
void findings_free(struct findings *f);

/* As FOLDER/soundness.json (core/job.h). Reading adds to f. */
int findings_write(const char *folder, const struct findings *f, struct report *r);
int findings_read(const char *folder, struct findings *f, struct report *r);

#endif
