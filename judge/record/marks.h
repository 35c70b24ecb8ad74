/*
 * Marks: the times of the house's solutions on the boards, for company and as goals. A
 * mark is no entry. It takes no rank, counts in no percentile, tie or histogram, and is
 * nobody's submission.
 *
 * A mark belongs to a board and so to a meaning of its problem (problem/meaning.h), and
 * to one file of solutions/SLUG as it was when it was judged. Only what was accepted and
 * has a time is a mark.
 */
#ifndef RECORD_MARKS_H
#define RECORD_MARKS_H

#include "record/rank.h"
#include "record/store.h"

struct mark {
    char *filename;  /* "2-shares.cu" */
    char sha256[65]; /* of the file */
    struct measured time;
    struct measured ranked; /* by its ranked interval (ranked_interval.h), for comparing;
                               store_marks() sets it */
};

/* The marks of a board, the fastest first. */
struct marks {
    struct mark *row;
    size_t count;
};

int store_marks(struct store *s, const struct board *b, struct marks *out,
                struct report *r);
void marks_free(struct marks *list);

/* Sets the mark of a file on a board, in place of an older one. */
int store_set_mark(struct store *s, const struct board *b, const struct mark *m,
                   struct report *r);

/* Takes the mark of a file off a board. Nothing happens where there is none. */
int store_drop_mark(struct store *s, const struct board *b, const char *filename,
                    struct report *r);

/* Has a time with its ranked interval beaten the mark? It has where it is surely faster,
 * as the board tells times apart: the two ranked intervals do not overlap. A time whose
 * time_ns is 0 has beaten nothing. */
bool mark_is_beaten(const struct mark *m, const struct measured *ranked);

/* How many of the marks such a time has beaten. */
size_t marks_beaten(const struct marks *list, const struct measured *ranked);

/* The time of the user's entry on a board, with its ranked interval. Its time_ns is 0
 * where there is none. */
int store_own_time(struct store *s, const struct board *b, const char *user,
                   struct measured *out, struct report *r);

#endif
