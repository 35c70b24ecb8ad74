/*
 * Grades: how far each of some people is with each problem, by what they had submitted
 * until a moment. A grade is about one person, one problem and one board. Boards are
 * those of today's meaning for times and ranks. A verdict counts whatever the problem
 * meant when it was given, so that nobody loses one because a problem has changed.
 *
 * They are collected a few submissions at a time, because there may be very many.
 */
#ifndef DAEMON_GRADES_H
#define DAEMON_GRADES_H

#include "base/report.h"
#include "record/grades.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;

struct grade {
    size_t person; /* whose; its index among the people */
    char *problem, *board;
    int64_t attempts;
    enum verdict verdict;  /* accepted, if any was; otherwise the latest */
    int64_t first_ms;      /* when the first accepted one came; 0: none was */
    int64_t best, best_ms; /* the fastest submission, and when it came; 0: none */
    struct measured time;  /* of the fastest; its time is 0 where there is none */
    double roofline_ns;
    int64_t rank; /* of the fastest among these people; 0: none */
};

struct grades {
    struct grade *row;
    size_t count;
};

void grades_free(struct grades *g);

/* Adds some of the person's submissions, behind *after, which it sets to the last. *more
 * is false where none follows. Files of problems are looked at as of since_ns. */
struct person {
    size_t index;
    int64_t account, until_ms;
    uint64_t since_ns;
};
int grades_add(struct grades *g, struct daemon *d, const struct person *p, int64_t *after,
               bool *more, struct report *r);

/* Sets the ranks, and puts the grades in order: by person, problem and board. */
void grades_rank(struct grades *g);

#endif
