/*
 * The course through the problems: what to do next, and why.
 *
 * Specs say what a problem teaches, and which problems one should have solved before
 * (`teaches`, `after`). vocabulary.json has the lessons in the order of the course.
 *
 * The next problem is the first one on the shortest way to the first lesson that is not
 * learned. The shortest way is that to the problem which teaches the lesson and
 * needs the fewest others. Then come the ways to the lessons behind it. What teaches
 * nothing new is practice, and comes last, easy problems first. A person who has solved a
 * problem has learned its lessons, and is taken to know what comes before it.
 */
#ifndef PROBLEM_COURSE_H
#define PROBLEM_COURSE_H

#include "problem/problem.h"

#include <stdbool.h>
#include <stddef.h>

struct course;

/* How far somebody is with a problem. */
struct course_state {
    bool solved, tried;
    bool closed; /* it is judged on no device here, so that nobody is sent to it */
};

/* A problem that could be next. Its texts belong to the course. */
struct course_step {
    const char *slug;
    const char *lesson; /* what is new in it, or in `toward`; NULL: it is practice */
    const char *toward; /* the problem that teaches the lesson; NULL: this one does */
    const char *const
        *solved; /* the problems before it that are solved; ends with NULL */
    bool tried;
};

/* A course without problems, and with lessons in this order, which are copied. The caller
 * calls course_free(). */
struct course *course_new(const char *const *lessons, size_t count);
void course_free(struct course *c);

/* Adds a problem, of which everything is copied. */
void course_add(struct course *c, const struct problem *p, struct course_state state);

/* How many problems there are, and how many of them are solved. */
size_t course_count(const struct course *c);
size_t course_solved(const struct course *c);

/* Sets at most `most` problems that could be next, the first one first. Returns how many
 * they are; 0 where all are solved, or closed. */
size_t course_next(struct course *c, struct course_step *out, size_t most);

/* The next problem for somebody who then solves it: called again and again it goes the
 * way through the whole course. The slug belongs to the course. NULL at the end, which
 * problems that come after each other in a circle do not reach. */
const char *course_advance(struct course *c);

#endif
