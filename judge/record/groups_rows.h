/* Private to groups*.c and accounts_tokens.c: steps within a transaction. */
#ifndef RECORD_GROUPS_ROWS_H
#define RECORD_GROUPS_ROWS_H

#include "record/groups.h"

/* Counts the places of a group, and who have joined as teachers. */
int group_count(struct store *s, int64_t group, int64_t *places, int64_t *teachers,
                struct report *r);

/* How many places a row of `users` has, and whether one is in this group. */
int group_places_of(struct store *s, int64_t account, int64_t group, int64_t *places,
                    bool *here, struct report *r);

/* The account joins this group. *full: there was no place for it, and nothing is done. */
int group_join_steps(struct store *s, int64_t group, int64_t account, bool *full,
                     struct report *r);

/* Removes an assignment of this name, where there is one (assignments.h). */
int store_drop_assignment_steps(struct store *s, int64_t group, const char *name,
                                struct report *r);

/* The group of a code that is good; 0: of none. *name may be NULL; the caller frees it.
 */
int group_of_code(struct store *s, const char *hash, int64_t *group, char **name,
                  struct report *r);

#endif
