/*
 * Assignments: the problems that a group (groups.h) is to solve, and by when. They are
 * rows of the store's database. Opening and closing are moments. The time zone in which a
 * teacher said them is kept for people to read.
 *
 * An assignment may hide its problems until it opens (daemon/hiding.h).
 *
 * An extension moves the closing for one member. What is accepted after that is late: it
 * counts as any submission does, and grades say so.
 *
 * Functions return 0, or -1 with a report where the store fails. Times are milliseconds
 * since 1970.
 */
#ifndef RECORD_ASSIGNMENTS_H
#define RECORD_ASSIGNMENTS_H

#include "base/report.h"
#include "record/groups.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

#define ASSIGNMENTS_MAX 200        /* of a group */
#define ASSIGNMENT_PROBLEMS_MAX 50 /* of an assignment */
#define ZONE_BYTES_MAX 64

struct assignment {
    int64_t id;
    char *name;
    char *zone; /* a name of the tz database, such as Europe/Berlin */
    int64_t opens_ms, closes_ms;
    int64_t until_ms; /* the extension of the account that asks; 0: none */
    bool hides;       /* until it opens, its problems are hidden */
    char **problem;   /* slugs, in the teacher's order */
    size_t count;
};

struct assignments {
    struct assignment *row;
    size_t count;
};

void assignments_free(struct assignments *list);

/* All assignments of a group, by their closing. `account` is whose extensions are told.
 */
int store_assignments(struct store *s, int64_t group, int64_t account,
                      struct assignments *out, struct report *r);

struct new_assignment {
    const char *name, *zone;
    int64_t opens_ms, closes_ms;
    bool hides;
    const char *const *problem;
    size_t count;
};

/* Makes an assignment, or sets the one of this name; its extensions stay. *full: the
 * group has ASSIGNMENTS_MAX of them. */
int store_set_assignment(struct store *s, int64_t group, const struct new_assignment *n,
                         bool *full, struct report *r);

/* Removes the assignment of this name with its extensions. */
int store_drop_assignment(struct store *s, int64_t group, const char *name, bool *found,
                          struct report *r);

/* Gives an account until this moment; 0 takes its extension away. *found is false where
 * the group has no assignment of this name. */
int store_extend(struct store *s, int64_t group, const char *name, int64_t account,
                 int64_t until_ms, bool *found, struct report *r);

/* A problem that an assignment hides, until the last opening of those that do. */
struct hidden_problem {
    char *problem;
    int64_t opens_ms;
};

struct hidden_problems {
    struct hidden_problem *row;
    size_t count;
};

void hidden_problems_free(struct hidden_problems *list);

/* All that are hidden at this moment. */
int store_hidden_problems(struct store *s, int64_t at_ms, struct hidden_problems *out,
                          struct report *r);

/* Sees an account a problem that is hidden? It does in a group where an assignment with
 * it has opened, and where it teaches one that waits; for that, `teaches` must be true.
 */
int store_sees_hidden(struct store *s, int64_t account, bool teaches, const char *problem,
                      int64_t at_ms, bool *sees, struct report *r);

/* An assignment with a problem, as it is for one who has submitted to it. */
struct due {
    char *group, *assignment, *zone;
    int64_t opens_ms;
    int64_t closes_ms;               /* their own closing */
    enum standing_in_group standing; /* of the account that asks */
};

struct dues {
    struct due *row;
    size_t count;
};

void dues_free(struct dues *list);

/* Those of all groups of which this user is a member, by their closing. */
int store_dues(struct store *s, const char *user, const char *problem, int64_t account,
               struct dues *out, struct report *r);

struct extension {
    char *user;
    int64_t account, until_ms;
};

struct extensions {
    struct extension *row;
    size_t count;
};

void extensions_free(struct extensions *list);

/* All extensions of an assignment, by the user's name. */
int store_extensions(struct store *s, int64_t assignment, struct extensions *out,
                     struct report *r);

#endif
