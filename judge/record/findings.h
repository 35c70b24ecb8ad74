/* Findings: what is wrong with a problem's folder, each with its place. One program
 * collects them, another shows them to the author. */
#ifndef RECORD_FINDINGS_H
#define RECORD_FINDINGS_H

#include "base/report.h"

#include <stdbool.h>

struct finding {
    char *where;    /* "problem.json: $.tests[3]", "statement.md:14", "reference.c" */
    char *sentence; /* what is wrong there; a compiler's message has several lines */
};

/* A line `NAME = ?` of statement.md, and the text that belongs in the question mark's
 * place. The text may have several lines. */
struct fill {
    int line;
    char *text;
};

struct findings {
    int count;
    struct finding *list;
    int fill_count;
    struct fill *fill; /* at most one for each line */
    bool uncalled;     /* these are the spec's own, for which nothing was called yet */
};

void findings_add(struct findings *f, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes over text. It is dropped where the line has a text already. */
void findings_add_fill(struct findings *f, int line, char *text);
void findings_free(struct findings *f);

/* The findings as FOLDER/soundness.json (record/job.h). Reading adds to f. */
int findings_write(const char *folder, const struct findings *f, struct report *r);
int findings_read(const char *folder, struct findings *f, struct report *r);

#endif
