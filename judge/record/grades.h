/*
 * What grades are made of: the submissions of one person, oldest first. A run of the
 * samples, what was cancelled and what the judge failed at do not count. They are shown
 * all the same, since they may be equal to another's work.
 *
 * Functions return 0, or -1 with a report where the store fails. Times are milliseconds
 * since 1970.
 */
#ifndef RECORD_GRADES_H
#define RECORD_GRADES_H

#include "base/report.h"
#include "record/rank.h"
#include "record/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

/* Its texts live until the function that is shown it returns. */
struct graded {
    int64_t id, created_ms;
    bool counts;
    enum verdict verdict; /* only of what counts */
    const char *problem, *board, *meaning;
    struct measured time; /* as it is ranked; its time is 0 where there is none */
    double roofline_ns;   /* 0: not known */
    const char *source_digest, *ptx_digest; /* NULL: not known (equal.h) */
};

/* Shows up to `most` of the account's that came until this moment, behind number *after,
 * which it sets to the last one's. *more is false where none follows. */
int store_look_at_graded(struct store *s, int64_t account, int64_t until_ms, int most,
                         void (*look)(void *arg, const struct graded *sub), void *arg,
                         int64_t *after, bool *more, struct report *r);

/* The next one after account `after` who has submitted something; *account is 0 where
 * none follows. Deleted accounts and the house are left out. The caller frees *user. */
int store_next_graded(struct store *s, int64_t after, int64_t *account, char **user,
                      struct report *r);

#endif
