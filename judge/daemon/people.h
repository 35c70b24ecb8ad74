/*
 * The people whose submissions are in the queue, and how long each has used a device in
 * the last hour. The queue judges first who has used least (queue.h). What was used is
 * forgotten when the daemon ends.
 */
#ifndef DAEMON_PEOPLE_H
#define DAEMON_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

#define USE_MINUTES 60

struct person {
    struct person *next;
    char *name;
    int places;        /* submissions that are not done */
    int graded;        /* those of them that are graded in bulk; queue.c counts them */
    double planned_ms; /* plan.c's own */
    int64_t minute;    /* the minute of the last use, since the machine's start */
    double used_ms[USE_MINUTES]; /* by the minute, modulo USE_MINUTES */
};

struct people;

struct people *people_new(void);
void people_free(struct people *all);

/* Finds or makes a person, who has one place more. */
struct person *people_enter(struct people *all, const char *name);

/* Takes the place away. Persons without a place are forgotten once their use is. */
void people_leave(struct people *all, struct person *p);

/* How many places this person has for what is graded in bulk, or for the rest. */
int people_places(const struct people *all, const char *name, bool graded);

/* now_ns is of CLOCK_MONOTONIC. */
void person_has_used(struct person *p, double ms, uint64_t now_ns);
double person_use_ms(struct person *p, uint64_t now_ns);

#endif
