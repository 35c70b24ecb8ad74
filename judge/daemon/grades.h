/*
 * Grades: how far each of some people is with each problem, by what they had submitted
 * until a moment. A grade is about one person, one problem and one board. Boards are
 * those of today's meaning for times and ranks. A verdict counts whatever the problem
 * meant when it was given, so that nobody loses one because a problem has changed.
 *
 * They are collected a few submissions at a time, and ranked a board at a time, because
 * there may be very many.
 */
#ifndef DAEMON_GRADES_H
#define DAEMON_GRADES_H

#include "base/report.h"
#include "record/grades.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;
struct grades_equal;

#define GRADE_NONE SIZE_MAX

struct grade {
    size_t person;               /* whose; its index among the people */
    const char *problem, *board; /* of the grades */
    int64_t attempts;
    enum verdict verdict;  /* accepted, if any was; otherwise the latest */
    int64_t first_ms;      /* when the first accepted one came; 0: none was */
    int64_t best, best_ms; /* the fastest submission, and when it came; 0: none */
    struct measured time;  /* of the fastest; its time is 0 where there is none */
    double roofline_ns;
    int64_t rank; /* of the fastest among these people; 0: none */
    size_t next;  /* of the board's grades; GRADE_NONE: it is the last */
};

/* A board of a problem that somebody has submitted to. */
struct graded_board {
    struct graded_board *next; /* in its list */
    char *problem, *board;
    char *today;         /* the meaning of today */
    size_t first, count; /* its grades */
    size_t last;         /* the newest of these; GRADE_NONE: there is none */
};

#define GRADED_LISTS 256

struct grades {
    struct grade *row; /* of one person after another */
    size_t count;
    struct graded_board *list[GRADED_LISTS]; /* by a hash of their names */
    struct graded_board *unranked;           /* the next of its list to be ranked */
    size_t ranked;                           /* how many lists are */
};

void grades_free(struct grades *g);

/* Adds some of the person's submissions, behind *after, which it sets to the last. *more
 * is false where none follows. `equal` notes them, too. People come one after another, in
 * the order of their indexes. Files of problems are looked at as of since_ns. */
struct person {
    size_t index;
    int64_t account, until_ms;
    uint64_t since_ns;
};
int grades_add(struct grades *g, struct daemon *d, const struct person *p,
               struct grades_equal *equal, int64_t *after, bool *more, struct report *r);

/* Sets the ranks of the next boards, once everybody is added. False where none is left.
 */
bool grades_rank(struct grades *g);

/* Puts the grades of one person, from `first` to before `end`, in order: by problem and
 * board. Nothing may be ranked after that. */
void grades_sort(struct grades *g, size_t first, size_t end);

#endif
