// links: common store_place
/* A standing against its plain definition, on random boards, and what a cheat would try.
 */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "problem/names.h"
#include "record/standing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define USERS 9 /* the last of them is the house */
#define PROBLEMS 6
#define BOARDS 60

static unsigned state_of_random = 7;

static unsigned
draw(unsigned below)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % below;
}

/* Problem pK has the difficulty K % 3. p4 is not there any more, and p5 has no meaning
 * that is known. */
static bool
problem_of(void *arg, const char *problem, const char **meaning,
           enum difficulty *difficulty)
{
    (void)arg;
    *difficulty = (enum difficulty)((problem[1] - '0') % 3);
    *meaning = problem[1] == '5' ? "" : "today";
    return problem[1] != '4';
}

/* Times by problem and user; 0: no entry. */
struct boards {
    int time[PROBLEMS][USERS];
    bool older[PROBLEMS][USERS];
};

static void
write_boards(const struct store_place *place, const struct boards *b)
{
    struct buf sql = {0};
    int submission = 0;

    buf_puts(&sql, "BEGIN; DELETE FROM entries; DELETE FROM users;");
    for (int u = 0; u < USERS; u++)
        buf_printf(&sql,
                   "INSERT INTO users (id, name, created_ms) VALUES (%d, '%s%d', 0);",
                   u + 1, u == USERS - 1 ? "h" : "user", u);
    buf_printf(&sql, "UPDATE users SET name = '" HOUSE_USER "' WHERE id = %d;", USERS);
    for (int p = 0; p < PROBLEMS; p++)
        for (int u = 0; u < USERS; u++)
            for (int board = 0; board < 2 && b->time[p][u] > 0; board++)
                buf_printf(&sql,
                           "INSERT INTO entries (problem, board, meaning, user_id,"
                           " submission_id, time_ns) VALUES ('p%d', '%s', '%s', %d, %d,"
                           " %d);",
                           p, board == 0 ? "emu" : "other",
                           b->older[p][u] ? "before" : "today", u + 1, ++submission,
                           board == 0 ? b->time[p][u] : 1);
    buf_puts(&sql, "COMMIT;");
    store_place_execute(place->path, buf_str(&sql));
    buf_free(&sql);
}

static void
read_standing(const struct store_place *place, struct standing *out)
{
    const atomic_bool stop = false;
    struct store *s = NULL;
    struct report r = {0};

    if (store_open_to_read(place->path, &s, &r) != 0 ||
        standing_read(s, "emu", problem_of, NULL, &stop, out, &r) != 0)
        fail_msg("%s", r.text);
    store_close(s);
}

/* What a user has, by the definition. */
static struct standing_row
plain_row(const struct boards *b, int user)
{
    struct standing_row row = {.user = user + 1};

    for (int p = 0; p < PROBLEMS - 2; p++) {
        int fastest = b->time[p][user];

        if (user == USERS - 1 || fastest == 0 || b->older[p][user])
            continue;
        for (int u = 0; u < USERS - 1; u++)
            if (b->time[p][u] > 0 && !b->older[p][u] && b->time[p][u] < fastest)
                fastest = b->time[p][u];
        row.points += llround(10000.0 * (p % 3 + 1) *
                              (0.5 + 0.5 * (double)fastest / b->time[p][user]));
        row.solved[p % 3]++;
        row.fastest += fastest == b->time[p][user];
    }
    return row;
}

static void
check_boards(const struct store_place *place, const struct boards *b)
{
    struct standing s;
    size_t count = 0;

    write_boards(place, b);
    read_standing(place, &s);
    for (int u = 0; u < USERS; u++) {
        const struct standing_row plain = plain_row(b, u);
        const int64_t at = standing_find(&s, u + 1);
        int64_t rank = 1;

        if (plain.points == 0) {
            assert_int_equal(at, -1);
            continue;
        }
        count++;
        for (int other = 0; other < USERS; other++)
            rank += plain_row(b, other).points > plain.points;
        assert_true(at >= 0);
        assert_int_equal(s.row[at].points, plain.points);
        assert_int_equal(s.row[at].rank, rank);
        assert_int_equal(s.row[at].fastest, plain.fastest);
        assert_memory_equal(s.row[at].solved, plain.solved, sizeof plain.solved);
    }
    assert_int_equal(s.count, count);
    for (size_t i = 1; i < s.count; i++)
        assert_true(s.row[i - 1].points > s.row[i].points ||
                    (s.row[i - 1].points == s.row[i].points &&
                     s.row[i - 1].user < s.row[i].user));
    assert_int_equal(standing_find(&s, 0), -1);
    assert_int_equal(standing_find(&s, USERS + 1), -1);
    standing_free(&s);
}

static void
standings_are_what_they_are_defined_to_be(void **state)
{
    store_close(store_place_open(*state));
    for (int board = 0; board < BOARDS; board++) {
        struct boards b = {0};

        for (int p = 0; p < PROBLEMS; p++)
            for (int u = 0; u < USERS; u++)
                if (draw(3) > 0) {
                    b.time[p][u] = 1 + (int)draw(4) * 50;
                    b.older[p][u] = draw(8) == 0;
                }
        check_boards(*state, &b);
    }
    check_boards(*state, &(struct boards){0});
}

/* The points of a user, or 0. */
static int64_t
points_of(const struct store_place *place, const struct boards *b, int user)
{
    struct standing s;
    int64_t at, points;

    write_boards(place, b);
    read_standing(place, &s);
    at = standing_find(&s, user + 1);
    points = at >= 0 ? s.row[at].points : 0;
    standing_free(&s);
    return points;
}

/* Second accounts that are slower, or as fast, change nobody's points. Who is faster than
 * the fastest takes points from all alike. */
static void
second_accounts_do_not_pay(void **state)
{
    struct boards alone = {.time = {{100, 200}, {100, 400}}}, more = alone,
                  faster = alone;

    store_close(store_place_open(*state));
    for (int u = 2; u < USERS - 1; u++) {
        more.time[0][u] = u == 2 ? 100 : 150 + 1000 * u;
        more.time[1][u] = 101 + u;
    }
    for (int u = 0; u < 2; u++)
        assert_int_equal(points_of(*state, &alone, u), points_of(*state, &more, u));
    assert_int_equal(points_of(*state, &alone, 0), 30000);
    assert_int_equal(points_of(*state, &alone, 1), 7500 + 12500);
    faster.time[0][2] = 50;
    assert_int_equal(points_of(*state, &faster, 0), 7500 + 20000);
    assert_int_equal(points_of(*state, &faster, 1), 6250 + 12500);
    /* The house is nobody's rival. */
    more = alone;
    more.time[0][USERS - 1] = 1;
    assert_int_equal(points_of(*state, &more, 0), 30000);
    assert_int_equal(points_of(*state, &more, USERS - 1), 0);
}

static void
a_standing_can_be_stopped(void **state)
{
    const atomic_bool stop = true;
    const struct boards b = {.time = {{100}}};
    struct standing made;
    struct store *s = NULL;
    struct report r = {0};

    store_close(store_place_open(*state));
    write_boards(*state, &b);
    assert_int_equal(store_open_to_read(((struct store_place *)*state)->path, &s, &r), 0);
    assert_int_equal(standing_read(s, "emu", problem_of, NULL, &stop, &made, &r), -1);
    assert_true(report_is_set(&r));
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
        T(standings_are_what_they_are_defined_to_be),
        T(second_accounts_do_not_pay),
        T(a_standing_can_be_stopped),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
