/*
 * A standing: what everybody has earned on all boards of one kind of device.
 *
 * An entry earns the points of its problem's difficulty. Half of them are for a right
 * solution. The other half is multiplied by the fastest time on the board, divided by the
 * entry's own. Entries of an older meaning and those of the house earn nothing, and the
 * house's times are nobody's fastest.
 *
 * What an entry earns therefore follows from its own time and from the fastest one. It
 * does not follow from how many others there are: an account that somebody fills with
 * slow entries changes nothing (docs/design-notes.md).
 */
#ifndef RECORD_STANDING_H
#define RECORD_STANDING_H

#include "base/report.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum difficulty { EASY, MEDIUM, HARD, DIFFICULTY_COUNT };

/* The points of an entry, in thousandths. */
int64_t standing_points(enum difficulty d, double fastest_ns, double time_ns);

/* The points that a difficulty is worth at most. */
int standing_worth(enum difficulty d);

struct standing_row {
    int64_t user;   /* its number in the store */
    int64_t points; /* in thousandths */
    int64_t rank;   /* 1 + how many have more points */
    int32_t solved[DIFFICULTY_COUNT];
    int32_t fastest; /* on how many boards nobody is faster */
};

/* More points come first. Equal ones stand in the order in which their users came. */
struct standing {
    struct standing_row *row;
    size_t count;
    size_t *by_user; /* the numbers of the rows, in the order of their users */
};

void standing_free(struct standing *s);

/* The number of a user's row, or -1 where there is none. */
int64_t standing_find(const struct standing *s, int64_t user);

/* What a standing must know of a problem: what its entries of today belong to, and how
 * difficult it is. `meaning` must stay until the next call. Returns false for a problem
 * that is not there any more, or cannot be read. */
typedef bool standing_problem_fn(void *arg, const char *problem, const char **meaning,
                                 enum difficulty *difficulty);

/* Reads all entries of the boards on a kind of device. That takes a second for a million
 * of them, and is for a thread with a store of its own. It ends early, with a report,
 * where *stop is set. */
struct store;
int standing_read(struct store *s, const char *device, standing_problem_fn *problem,
                  void *arg, const atomic_bool *stop, struct standing *out,
                  struct report *r);

/* The names of a user, which the caller frees; both are NULL where there is none of this
 * number any more. */
int store_user_names(struct store *s, int64_t user, char **name, char **display_name,
                     struct report *r);

/* The number of the user with a name, or 0. */
int store_user_number(struct store *s, const char *name, int64_t *user, struct report *r);

/* A number that changes with whatever changes in the store. */
uint64_t store_changes(const struct store *s);

#endif
