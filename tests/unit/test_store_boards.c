// links: common store_place
/* The rankings that the store keeps in memory, against the rows of its database and the
 * plain definition of rank.h, through whatever changes a board. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "record/accounts.h"
#include "record/replace.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 3
#define STEPS 150
#define USERS 12
#define ENTRIES_MAX 256 /* of a board; deleted users keep theirs */

static const char *const MEANINGS[] = {"m1", "m2", MEANING_UNKNOWN};

#define MEANING_COUNT (sizeof MEANINGS / sizeof *MEANINGS)

static unsigned state_of_random = 1;

static unsigned
draw(unsigned below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % below;
}

/* The store, and the number of the newest submission, of which all are done. */
struct boards {
    const struct store_place *place;
    struct store *store;
    int64_t newest;
};

static const char *
draw_user(void)
{
    static char name[16];

    snprintf(name, sizeof name, "user%u", draw(USERS));
    return name;
}

static const char *
draw_meaning(void)
{
    return MEANINGS[draw(MEANING_COUNT)];
}

/* --- what changes a board ------------------------------------------------ */

static void
submit(struct boards *b)
{
    const bool accepted = draw(6) != 0;

    b->newest = store_submit_as(b->store, draw_user(), draw(8) == 0);
    store_record_meaning(b->store, b->newest,
                         accepted ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER,
                         accepted ? 100 + draw(20) : 0, draw_meaning());
}

/* Replaces a result, or only says what that would change. */
static void
replace(struct boards *b)
{
    static char message[] = "", sizes[] = "N=4";
    const bool accepted = draw(4) != 0;
    const double time_ns = 100 + draw(20);
    struct result result = {.verdict = accepted ? VERDICT_ACCEPTED : VERDICT_TIME_LIMIT,
                            .message = message};
    struct replacement p = {.id = 1 + draw((unsigned)b->newest),
                            .finished = {.result = &result, .meaning = draw_meaning()}};
    struct rank_changes changes;
    struct report r = {0};

    if (accepted)
        result.timing = (struct timing){.present = true,
                                        .median_ns = time_ns,
                                        .q1_ns = time_ns,
                                        .q3_ns = time_ns,
                                        .low_ns = time_ns * 0.985,
                                        .high_ns = time_ns * 1.015,
                                        .sizes = sizes};
    if (draw(3) == 0) {
        assert_int_equal(store_preview_all(b->store, &p, 1, &changes, &r), 0);
        rank_changes_free(&changes);
    } else {
        assert_int_equal(store_replace(b->store, &p, 1, &r), 0);
    }
}

/* Gives what one user has sent to another. */
static void
assign(struct boards *b)
{
    struct account from, to;
    struct report r = {0};

    assert_int_equal(store_ensure_account(b->store, draw_user(), &from, &r), 0);
    assert_int_equal(store_ensure_account(b->store, draw_user(), &to, &r), 0);
    if (from.id != to.id)
        assert_int_equal(store_assign(b->store, from.id, to.id, &r), 0);
    account_free(&from);
    account_free(&to);
}

/* Deletes a user's account, whose entries stay under another name. */
static void
delete_user(struct boards *b)
{
    struct account a;
    struct report r = {0};
    bool more = true;
    char *name;

    assert_int_equal(store_ensure_account(b->store, draw_user(), &a, &r), 0);
    assert_int_equal(store_delete_account(b->store, &a, &name, &r), 0);
    while (more)
        assert_int_equal(store_purge(b->store, &more, &r), 0);
    free(name);
    account_free(&a);
}

static void
begin_board(struct boards *b)
{
    struct report r = {0};

    assert_int_equal(store_begin_board(b->store, "vector-addition", "emu", &r), 0);
}

static void
open_again(struct boards *b)
{
    store_close(b->store);
    b->store = store_place_open(b->place);
}

/* --- what the board must be ---------------------------------------------- */

/* The entries of a board by the rows of the database, in the order of rank.h. */
static size_t
read_rows(const struct boards *b, const char *meaning, struct ranked *out)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    size_t count = 0;

    assert_int_equal(sqlite3_open(b->place->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "SELECT s.id, s.time_ns, s.low_ns, s.high_ns FROM entries e JOIN submissions"
            " s ON s.id = e.submission_id WHERE e.meaning = ?1 AND s.meaning = ?1"
            " AND e.time_ns = s.time_ns AND e.low_ns = s.low_ns"
            " AND e.high_ns = s.high_ns AND e.user_id = s.user_id"
            " ORDER BY s.time_ns, s.low_ns, s.high_ns, s.id",
            -1, &st, NULL),
        SQLITE_OK);
    sqlite3_bind_text(st, 1, meaning, -1, SQLITE_STATIC);
    for (; sqlite3_step(st) == SQLITE_ROW; count++) {
        assert_true(count < ENTRIES_MAX);
        out[count] = (struct ranked){.submission = sqlite3_column_int64(st, 0),
                                     .time = {sqlite3_column_double(st, 1),
                                              sqlite3_column_double(st, 2),
                                              sqlite3_column_double(st, 3)}};
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    return count;
}

static void
check_board(const struct boards *b, const char *meaning)
{
    const struct board board = {"vector-addition", "emu", meaning};
    struct ranking *g = store_ranking(b->store, &board);
    struct measured time[ENTRIES_MAX];
    struct ranked want[ENTRIES_MAX];
    struct place place[ENTRIES_MAX];
    const size_t count = read_rows(b, meaning, want);

    assert_int_equal(ranking_count(g), count);
    for (size_t i = 0; i < count; i++)
        time[i] = want[i].time;
    places_of_sorted(time, count, place);
    for (size_t i = 0; i < count; i++) {
        const struct place got = ranking_place_of(g, i);

        assert_memory_equal(ranking_entry(g, i), &want[i], sizeof want[i]);
        assert_memory_equal(&got, &place[i], sizeof got);
    }
    ranking_release(g);
}

static void
rankings_follow_the_database(void **state)
{
    static const struct {
        void (*change)(struct boards *b);
        unsigned weight;
    } CHANGES[] = {{submit, 60},     {replace, 25},    {assign, 5},
                   {delete_user, 2}, {begin_board, 2}, {open_again, 6}};

    for (int round = 0; round < ROUNDS; round++) {
        struct boards b = {.place = *state, .store = store_place_open(*state)};

        submit(&b);
        for (int step = 0; step < STEPS; step++) {
            unsigned drawn = draw(100), i = 0;

            while (drawn >= CHANGES[i].weight)
                drawn -= CHANGES[i++].weight;
            CHANGES[i].change(&b);
            for (size_t m = 0; m < MEANING_COUNT; m++)
                check_board(&b, MEANINGS[m]);
        }
        store_close(b.store);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rankings_follow_the_database, store_place_make,
                                        store_place_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
