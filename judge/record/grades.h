/*
 * What grades are made of: the submissions of one person, oldest first, as they count. A
 * run of the samples, what was cancelled and what the judge failed at do not.
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

struct graded {
    int64_t id, created_ms;
    enum verdict verdict;
    char *problem, *board, *meaning;
    struct measured time; /* as it is ranked; its time is 0 where there is none */
    double roofline_ns;   /* 0: not known */
};

struct graded_list {
    struct graded *row;
    size_t count;
};

void graded_list_free(struct graded_list *list);

/* Up to `most` of the account's that came until this moment, behind number `after`. */
int store_graded(struct store *s, int64_t account, int64_t until_ms, int64_t after,
                 int most, struct graded_list *out, struct report *r);

/* The next one after account `after` who has submitted something; *account is 0 where
 * none follows. Deleted accounts and the house are left out. The caller frees *user. */
int store_next_graded(struct store *s, int64_t after, int64_t *account, char **user,
                      struct report *r);

#endif
