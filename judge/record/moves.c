/* Keeps what results changed on their boards. */
#include "record/moves.h"

#include "base/file.h"
#include "record/store_statements.h"

#include <stdlib.h>

static bool
intervals_overlap(const struct measured *a, const struct measured *b)
{
    return a->low_ns <= b->high_ns && b->low_ns <= a->high_ns;
}

/* Keeps the first of those that were passed. They stand right behind the move's group,
 * `others` being how many of the other entries stand before them. */
static int
add_passed(struct store *s, const struct new_move *n, const struct ranking *g,
           int64_t others, int64_t count, struct report *r)
{
    const int64_t id = sqlite3_last_insert_rowid(s->db);
    /* The user's own entry is on the ranking, and no other. */
    const size_t own =
        n->before != NULL ? ranking_behind(g, n->before) - 1 : ranking_count(g);

    for (int64_t i = 0; i < count && i < PASSED_KEPT; i++) {
        const size_t at = (size_t)(others + i);
        const struct ranked *e = ranking_entry(g, at < own ? at : at + 1);

        if (store_run(s,
                      store_bind(s, ST_ADD_PASSED, "iiid", id, i, e->submission,
                                 e->time.time_ns),
                      r) != 0)
            return -1;
    }
    return 0;
}

/* What a result changes on the ranking of its board. */
static struct move
move_of(const struct new_move *n, const struct place *before, const struct place *after)
{
    struct move m = {.improved = n->after->submission == n->id,
                     .rank = place_rank(after),
                     .entries = after->faster + after->ties + after->slower + 1,
                     .passed = after->slower};

    if (n->before != NULL) {
        m.sure = !intervals_overlap(&n->time, &n->before->time);
        m.best = n->before->submission;
        m.best_ns = n->before->time.time_ns;
        m.rank_before = place_rank(before);
        m.passed -= before->slower;
    }
    if (m.passed < 0 || !m.improved)
        m.passed = 0;
    return m;
}

int
store_add_move(struct store *s, const struct new_move *n, struct report *r)
{
    struct ranking *g = store_ranking(s, n->board);
    const struct place after = ranking_place(g, &n->after->time, n->before);
    const struct place before = n->before != NULL
                                    ? ranking_place(g, &n->before->time, n->before)
                                    : (struct place){0};
    const struct move m = move_of(n, &before, &after);
    int rc;

    rc = store_run(s,
                   store_bind(s, ST_ADD_MOVE, "iitttiiidiiii", n->id, now_ms(),
                              n->board->problem, n->board->device, n->board->meaning,
                              (int64_t)m.improved, (int64_t)m.sure, m.best, m.best_ns,
                              m.rank_before, m.rank, m.entries, m.passed),
                   r);
    if (rc == 0)
        rc = add_passed(s, n, g, after.faster + after.ties, m.passed, r);
    ranking_release(g);
    return rc;
}

int
store_drop_move(struct store *s, int64_t id, struct report *r)
{
    if (store_run(s, store_bind(s, ST_DROP_PASSED, "i", id), r) != 0)
        return -1;
    return store_run(s, store_bind(s, ST_DROP_MOVE, "i", id), r);
}

/* --- reading ------------------------------------------------------------ */

/* A row that begins with MOVE_COLUMNS. */
#define COLUMN_BEHIND_MOVE 8
static struct move
column_move(sqlite3_stmt *st)
{
    return (struct move){.improved = sqlite3_column_int(st, 0) != 0,
                         .sure = sqlite3_column_int(st, 1) != 0,
                         .best = sqlite3_column_int64(st, 2),
                         .best_ns = sqlite3_column_double(st, 3),
                         .rank_before = sqlite3_column_int64(st, 4),
                         .rank = sqlite3_column_int64(st, 5),
                         .entries = sqlite3_column_int64(st, 6),
                         .passed = sqlite3_column_int64(st, 7)};
}

int
store_move(struct store *s, int64_t submission, bool *found, struct move *out,
           struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_MOVE, "i", submission);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (*found) {
        *out = column_move(st);
        sqlite3_reset(st);
    }
    return 0;
}

int
store_look_at_moves(struct store *s, const char *problem, int64_t before, int64_t most,
                    bool (*look)(void *arg, int64_t id, const struct board *b), void *arg,
                    struct report *r)
{
    sqlite3_stmt *st = problem != NULL
                           ? store_bind(s, ST_MOVES_OF, "iit", before, most, problem)
                           : store_bind(s, ST_MOVES, "ii", before, most);
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW) {
        const struct board b = {(const char *)sqlite3_column_text(st, 1),
                                (const char *)sqlite3_column_text(st, 2),
                                (const char *)sqlite3_column_text(st, 3)};

        if (!look(arg, sqlite3_column_int64(st, 0), &b)) {
            sqlite3_reset(st);
            return 0;
        }
    }
    return rc == SQLITE_DONE ? 0 : -1;
}

void
told_move_free(struct told_move *m)
{
    for (int i = 0; i < m->passed_count; i++) {
        free(m->passed[i].user);
        free(m->passed[i].display_name);
    }
    free(m->user);
    free(m->display_name);
    free(m->problem);
    free(m->board);
}

static int
read_passed(struct store *s, struct told_move *m, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_TOLD_PASSED, "i", m->id);
    int rc;

    while ((rc = store_step(s, st, r)) == SQLITE_ROW && m->passed_count < PASSED_KEPT)
        m->passed[m->passed_count++] =
            (struct told_passed){.submission = sqlite3_column_int64(st, 0),
                                 .time_ns = sqlite3_column_double(st, 1),
                                 .user = store_column_copy(st, 2),
                                 .display_name = store_column_copy(st, 3)};
    if (rc == SQLITE_ROW)
        sqlite3_reset(st);
    return rc == -1 ? -1 : 0;
}

int
store_told_move(struct store *s, int64_t id, bool *found, struct told_move *out,
                struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_TOLD_MOVE, "i", id);
    const int rc = store_step(s, st, r), behind = COLUMN_BEHIND_MOVE;
    struct told_move m;

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (!*found)
        return 0;
    m = (struct told_move){.id = id,
                           .move = column_move(st),
                           .made_ms = sqlite3_column_int64(st, behind),
                           .problem = store_column_copy(st, behind + 1),
                           .board = store_column_copy(st, behind + 2),
                           .submission = sqlite3_column_int64(st, behind + 3),
                           .time_ns = sqlite3_column_double(st, behind + 4),
                           .user = store_column_copy(st, behind + 5),
                           .display_name = store_column_copy(st, behind + 6)};
    sqlite3_reset(st);
    if (read_passed(s, &m, r) != 0) {
        told_move_free(&m);
        return -1;
    }
    *out = m;
    return 0;
}
