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

/* --- preview ------------------------------------------------------------ */

#define RANK_CHANGES_KEPT 200 /* of a board */

/* An entry whose rank is another, or that is on a board only before or after. */
struct rank_change {
    size_t board; /* its number in boards[] */
    int64_t submission;
    int64_t before, after; /* ranks; 0: it is not on the board */
};

/* A board with such entries. */
struct changed_board {
    char *problem, *device, *meaning;
    size_t changes; /* all of them, of which RANK_CHANGES_KEPT are kept at most */
};

/* Board by board. Of each board the entries of the replaced come first, and then those
 * that they push up or down, the fastest first. */
struct rank_changes {
    struct rank_change *row;
    size_t count;
    struct changed_board *board;
    size_t boards;
};

/* Which ranks store_replace() would change, also those of other users. It is found out in
 * small steps, between which anything else may be done: each reads some submissions, or
 * compares some thousands of entries of a board before and after. Nothing is written. A
 * board is compared as it was when its first entry was read. A user whose entry there is
 * another one by then is left out. */
struct replace_preview;

/* The list and its results must stay until store_preview_free(). */
struct replace_preview *store_preview_new(struct store *s, const struct replacement *list,
                                          size_t count);

/* Takes one step, and sets *more where it was not the last one. It fails where
 * store_replace() would. */
int store_preview_step(struct replace_preview *p, bool *more, struct report *r);

/* Takes what was found out, which rank_changes_free() frees. */
void store_preview_take(struct replace_preview *p, struct rank_changes *out);
void store_preview_free(struct replace_preview *p);
void rank_changes_free(struct rank_changes *list);

/* Removes a submission that is done, with all that hangs on it, in one transaction. Its
 * result and history go, what it changed on boards, and its source where nobody else has
 * sent it. Its user's entries are chosen anew. */
int store_delete_submission(struct store *s, int64_t id, struct report *r);

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
