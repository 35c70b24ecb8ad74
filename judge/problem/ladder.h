/*
 * The ladders of solutions/: right solutions of a problem in steps, each one idea faster
 * than the one before. They are files `1-NAME.cu`, `2-NAME.cu`, ... of the folder
 * solutions/SLUG beside problems/. docs/problem-format.md has the lines of their headers.
 */
#ifndef PROBLEM_LADDER_H
#define PROBLEM_LADDER_H

#include "base/report.h"

#define LADDER_STEPS_MAX 9

struct ladder {
    char *folder;
    char *filename[LADDER_STEPS_MAX]; /* of step k + 1, as "2-shares.cu" */
    int count;                        /* 0: the problem has no ladder */
};

/* Finds the steps of a problem, up to the first number that is missing. The caller calls
 * ladder_free(). -1 and a report where the folder is there and cannot be read. */
int ladder_find(const char *problems_dir, const char *slug, struct ladder *out,
                struct report *r);

/* The same of the solutions that the house is judged by: the ladder; or where there is
 * none, a single step. That is naive.cu, or else the first file by its name, of those
 * whose header says `// expect: accepted`. Its name then begins with no number. */
int ladder_find_right(const char *problems_dir, const char *slug, struct ladder *out,
                      struct report *r);
void ladder_free(struct ladder *l);

/* The number of a step from its file's name, "2-shares.cu"; 0 for another file. */
int ladder_number(const char *filename);

/* The name of a step: "shares" for "2-shares.cu", "naive" for "naive.cu". The caller
 * frees. */
char *ladder_name(const char *filename);

/* What a step's file says. A line that the header does not have is NULL. */
struct ladder_step {
    char *source;       /* the whole file, valid UTF-8 without NUL bytes */
    char *idea;         /* `// idea:`, two sentences on one line */
    char *needs;        /* `// needs:`, the architecture without which it cannot run */
    char *not_modelled; /* `// not-modelled:`, by what it gains that the model lacks */
    char *expect;       /* `// expect:`, the verdict that it must get */
    char *measured;     /* `// H200:`, such as "1.44 ms, 7.0 times as fast as step 1" */
};

/* Reads step `number`, from 1 to count. The caller calls ladder_step_free(). */
int ladder_read(const struct ladder *l, int number, struct ladder_step *out,
                struct report *r);
void ladder_step_free(struct ladder_step *s);

#endif
