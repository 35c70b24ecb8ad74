/*
 * What a user has solved, and on which days: all of it read from entries and submissions,
 * so that nothing must be kept up to date beside them. Each function costs the same
 * however many submissions there are.
 */
#ifndef RECORD_SOLVED_H
#define RECORD_SOLVED_H

#include "record/rank.h"
#include "record/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Has the account of this number an entry on any board, of any meaning? */
int store_has_entry(struct store *s, int64_t account, bool *out, struct report *r);

/* The user's entries on the boards of a problem, those of before too. */
struct solved_entry {
    char *board, *meaning;
    int64_t submission, created_ms;
    struct measured time;
};
struct solved_entries {
    struct solved_entry *row;
    size_t count;
};
int store_solved(struct store *s, int64_t account, const char *problem,
                 struct solved_entries *out, struct report *r);
void solved_entries_free(struct solved_entries *list);

/* Has the user sent anything for a problem, be it for its sample tests only? */
int store_has_tried(struct store *s, int64_t account, const char *problem, bool *out,
                    struct report *r);

/* How many accepted submissions for a board the user has sent from one time to before
 * another, in milliseconds since 1970; `most` where there are more. */
int store_accepted_between(struct store *s, int64_t account, int64_t from_ms,
                           int64_t to_ms, int64_t most, int64_t *out, struct report *r);

/* When the last of these before a time was sent; 0: there is none. */
int store_accepted_before(struct store *s, int64_t account, int64_t before_ms,
                          int64_t *out, struct report *r);

#endif
