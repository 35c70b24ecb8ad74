/*
 * Moves: what each accepted result changed on its board, as it was when the result was
 * recorded. A move is a row of its own, because the board goes on changing. A result that
 * is replaced (replace.h) has none, and the house (problem/names.h) has none.
 */
#ifndef RECORD_MOVES_H
#define RECORD_MOVES_H

#include "record/ranking.h"
#include "record/store.h"

#include <stdbool.h>
#include <stdint.h>

/* Of so many that a move has passed the submissions are kept, the fastest first. */
#define PASSED_KEPT 8

struct move {
    bool improved;  /* the result became its user's entry */
    bool sure;      /* its ranked interval and the entry's before it do not overlap */
    int64_t best;   /* the submission of the user's entry before; 0: there was none */
    double best_ns; /* its time; 0: there was none */
    int64_t rank_before; /* of the user's entry; 0: there was none */
    int64_t rank;        /* of the user's entry afterwards, also where it stayed */
    int64_t entries;     /* on the board afterwards */
    int64_t passed; /* entries that were not slower before, and are slower now by rank */
};

/* Sets *found, and *out where the submission has a move. */
int store_move(struct store *s, int64_t submission, bool *found, struct move *out,
               struct report *r);

/* --- the feed ----------------------------------------------------------- */

/* Calls `look` for each move that improved a board, the newest first, with its number and
 * board: those with numbers below `before`, at most `most`, until it returns false. A
 * problem of NULL means any. It must not use the store. */
int store_look_at_moves(struct store *s, const char *problem, int64_t before,
                        int64_t most,
                        bool (*look)(void *arg, int64_t id, const struct board *b),
                        void *arg, struct report *r);

/* A move with all names. */
struct told_move {
    struct move move;
    int64_t id, submission, made_ms;
    char *user, *display_name; /* the latter may be empty */
    char *problem, *board;
    double time_ns;
    /* The first of those that were passed, the fastest first. */
    struct told_passed {
        char *user, *display_name;
        int64_t submission;
        double time_ns; /* as it was then */
    } passed[PASSED_KEPT];
    int passed_count;
};

/* Where there is no such move any more, *found is false and out is not touched. */
int store_told_move(struct store *s, int64_t id, bool *found, struct told_move *out,
                    struct report *r);
void told_move_free(struct told_move *m);

/* --- recording ---------------------------------------------------------- */

/* A result on its way to the board. It is recorded in a transaction of the store's, while
 * the rankings are still those of before. */
struct new_move {
    int64_t id; /* of the submission */
    const struct board *board;
    struct measured time;                /* with its ranked interval */
    const struct ranked *before, *after; /* its user's entry; before: NULL for none */
};
int store_add_move(struct store *s, const struct new_move *n, struct report *r);

/* Removes the move of a submission, in a transaction. */
int store_drop_move(struct store *s, int64_t id, struct report *r);

#endif
