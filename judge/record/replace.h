/*
 * Results that take the place of others: those of submissions that were judged again. All
 * of them do at once, or none. What was before stays in the submission's history.
 */
#ifndef RECORD_REPLACE_H
#define RECORD_REPLACE_H

#include "record/store.h"

struct replacement {
    int64_t id; /* of a submission that is done */
    struct finished_submission finished;
};

/* Replaces the results, and chooses their users' entries anew. A result takes the time of
 * its device for no quota: that of the first judgement stays. It fails, and changes
 * nothing, where a submission is not done, or a result says that the judge failed. */
int store_replace(struct store *s, const struct replacement *list, size_t count,
                  struct report *r);

/* An entry whose rank is another, or that is on a board only before or after. */
struct rank_change {
    char *problem, *device, *meaning; /* of the board */
    int64_t submission;
    int64_t before, after; /* ranks; 0: it is not on the board */
};
struct rank_changes {
    struct rank_change *row;
    size_t count;
};

/* Which ranks store_replace() would change, also those of other users. Nothing is
 * written. */
int store_replace_preview(struct store *s, const struct replacement *list, size_t count,
                          struct rank_changes *out, struct report *r);
void rank_changes_free(struct rank_changes *list);

/* A result that was replaced, without its tests. */
struct past_result {
    int64_t finished_ms, replaced_ms;
    enum verdict verdict;
    char *message, *board, *meaning;
    char *sizes;                     /* NULL: it has no time */
    double time_ns, low_ns, high_ns; /* 0 where it has none */
};
struct past_results {
    struct past_result *row;
    size_t count;
};

/* The history of a submission, the oldest result first. */
int store_past_results(struct store *s, int64_t id, struct past_results *out,
                       struct report *r);
void past_results_free(struct past_results *list);

#endif
