// links: common store_place
/* Results that take the place of others. Each test has a folder of its own. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "record/accounts.h"
#include "record/replace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define USERS 20
#define ROUNDS 30

/* A result with one test and one timed call; what it points to outlives it. */
struct made {
    struct result result;
    struct test_result test;
    double sample;
};

static void
make_result(struct made *m, enum verdict verdict, double time_ns)
{
    static char message[] = "again", sizes[] = "N=4", seed[] = "0b";

    *m = (struct made){.test = {1, verdict, sizes, NULL}, .sample = time_ns};
    m->result = (struct result){.verdict = verdict,
                                .message = message,
                                .test_count = 1,
                                .test = &m->test,
                                .seed = seed};
    if (verdict == VERDICT_ACCEPTED)
        m->result.timing = (struct timing){.present = true,
                                           .modelled = true,
                                           .sample_count = 1,
                                           .sample_ns = &m->sample,
                                           .median_ns = time_ns,
                                           .q1_ns = time_ns,
                                           .q3_ns = time_ns,
                                           .low_ns = time_ns * 0.99,
                                           .high_ns = time_ns * 1.01,
                                           .sizes = sizes};
}

static struct replacement
replacement_of(int64_t id, const struct made *m, const char *meaning)
{
    return (struct replacement){
        .id = id, .finished = {.result = &m->result, .device_ms = 7, .meaning = meaning}};
}

static int64_t
record(struct store *s, const char *user, double time_ns)
{
    const int64_t id = store_submit_as(s, user, false);

    store_record_as(s, id, VERDICT_ACCEPTED, time_ns);
    return id;
}

static void
check_past(struct store *s, int64_t id, size_t count)
{
    struct past_results past;
    struct report r = {0};

    assert_int_equal(store_past_results(s, id, &past, &r), 0);
    assert_int_equal(past.count, count);
    past_results_free(&past);
}

/* A slower time takes the place of a faster one: another submission of the user's becomes
 * the entry, and the old result is the first of its history. */
static void
a_result_takes_the_place_of_another(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t fast = record(s, "ada", 100), slow = record(s, "ada", 150),
                  ben = record(s, "ben", 120);
    struct past_results past;
    struct submission sub;
    struct report r = {0};
    struct made m;
    bool found;

    store_check_board(s, "m1", (int64_t[]){fast, ben}, 2);
    for (int round = 0; round < 2; round++) {
        make_result(&m, VERDICT_ACCEPTED, 300 + round);
        assert_int_equal(store_replace(s, &(struct replacement){0}, 0, &r),
                         0); /* none is allowed */
        struct replacement p = replacement_of(fast, &m, "m1");

        assert_int_equal(store_replace(s, &p, 1, &r), 0);
        store_check_board(s, "m1", (int64_t[]){ben, slow}, 2);
    }
    assert_int_equal(store_get(s, fast, &found, &sub, &r), 0);
    assert_string_equal(sub.result.message, "again");
    assert_float_equal(sub.result.timing.median_ns, 301, 0);
    assert_int_equal(sub.result.test_count, 1);
    assert_int_equal(sub.result.timing.sample_count, 1);
    assert_int_equal(sub.device_ms, 0); /* as store_record_as() has left it */
    assert_false(sub.best);
    submission_free(&sub);
    assert_int_equal(store_past_results(s, fast, &past, &r), 0);
    assert_int_equal(past.count, 2);
    assert_float_equal(past.row[0].time_ns, 100, 0);
    assert_float_equal(past.row[1].time_ns, 300, 0);
    assert_int_equal(past.row[0].verdict, VERDICT_ACCEPTED);
    assert_string_equal(past.row[0].message, "words");
    assert_string_equal(past.row[0].meaning, "m1");
    assert_string_equal(past.row[0].sizes, "N=4");
    past_results_free(&past);
    store_close(s);
    s = store_place_open(*state);
    store_check_board(s, "m1", (int64_t[]){ben, slow}, 2);
    store_close(s);
}

/* Another meaning moves an entry to its board, and another verdict takes it off. */
static void
entries_move_and_go(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t ada = record(s, "ada", 100), ben = record(s, "ben", 120);
    struct replacement p[2];
    struct report r = {0};
    struct made right, wrong;

    make_result(&right, VERDICT_ACCEPTED, 500);
    make_result(&wrong, VERDICT_WRONG_ANSWER, 0);
    p[0] = replacement_of(ada, &right, "m2");
    p[1] = replacement_of(ben, &wrong, "m2");
    assert_int_equal(store_replace(s, p, 2, &r), 0);
    store_check_board(s, "m1", NULL, 0);
    store_check_board(s, "m2", (int64_t[]){ada}, 1);
    store_close(s);
}

static void
check_refused(struct store *s, const struct replacement *p, const char *words)
{
    struct rank_changes changes;
    struct report r = {0};

    assert_int_equal(store_replace(s, p, 2, &r), -1);
    assert_non_null(strstr(r.text, words));
    r = (struct report){0};
    assert_int_equal(store_preview_all(s, p, 2, &changes, &r), -1);
    assert_non_null(strstr(r.text, words));
    assert_int_equal(changes.count, 0);
}

/* One that cannot be replaced leaves all as they were. */
static void
all_are_replaced_or_none(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t ada = record(s, "ada", 100), ben = record(s, "ben", 120),
                  waits = store_submit_as(s, "eve", false);
    struct replacement p[2];
    struct made m, failed;

    make_result(&m, VERDICT_ACCEPTED, 500);
    make_result(&failed, VERDICT_JUDGE_ERROR, 0);
    p[0] = replacement_of(ada, &m, "m1");
    p[1] = replacement_of(waits, &m, "m1");
    check_refused(s, p, "is not done");
    p[1] = replacement_of(999, &m, "m1");
    check_refused(s, p, "there is no submission 999");
    p[1] = replacement_of(ben, &failed, "m1");
    check_refused(s, p, "could not be judged again: again");
    store_check_board(s, "m1", (int64_t[]){ada, ben}, 2);
    check_past(s, ada, 0);
    store_close(s);
    s = store_place_open(*state);
    store_check_board(s, "m1", (int64_t[]){ada, ben}, 2);
    store_close(s);
}

/* A deleted account leaves no words of its submissions, in their history neither. */
static void
deletion_takes_the_messages(void **state)
{
    struct store *s = store_place_open(*state);
    struct past_results past;
    struct report r = {0};
    struct replacement p;
    struct account ada;
    struct made m;
    char *name = NULL;
    bool more = true;
    int64_t id;

    assert_int_equal(store_ensure_account(s, "ada", &ada, &r), 0);
    id = record(s, "ada", 100);
    make_result(&m, VERDICT_ACCEPTED, 90);
    p = replacement_of(id, &m, "m1");
    assert_int_equal(store_replace(s, &p, 1, &r), 0);
    assert_int_equal(store_delete_account(s, &ada, &name, &r), 0);
    while (more)
        assert_int_equal(store_purge(s, &more, &r), 0);
    assert_int_equal(store_past_results(s, id, &past, &r), 0);
    assert_int_equal(past.count, 1);
    assert_string_equal(past.row[0].message, "");
    assert_float_equal(past.row[0].time_ns, 100, 0);
    past_results_free(&past);
    free(name);
    account_free(&ada);
    store_close(s);
}

/* --- preview ------------------------------------------------------------ */

static int64_t
rank_on(struct store *s, const char *meaning, int64_t submission)
{
    struct ranking *g =
        store_ranking(s, &(struct board){"vector-addition", "emu", meaning});
    int64_t rank = 0;

    for (size_t i = 0; i < ranking_count(g); i++) {
        const struct place place = ranking_place_of(g, i);

        if (ranking_entry(g, i)->submission == submission)
            rank = place_rank(&place);
    }
    ranking_release(g);
    return rank;
}

/* The change of this rank that the preview told. Where it told none, it is from the rank
 * to itself. */
static struct rank_change
told_change(const struct rank_changes *told, const char *meaning, int64_t submission,
            int64_t rank)
{
    for (size_t i = 0; i < told->count; i++)
        if (told->row[i].submission == submission &&
            strcmp(told->board[told->row[i].board].meaning, meaning) == 0)
            return told->row[i];
    return (struct rank_change){.before = rank, .after = rank};
}

/* On random boards the preview tells what the replacement then does, and does nothing. */
static void
preview_tells_what_is_done(void **state)
{
    static const char *const MEANINGS[] = {"m1", "m2"};
    struct store *s = store_place_open(*state);
    int64_t id[2 * USERS], before[2][2 * USERS];

    srand(7);
    for (int i = 0; i < 2 * USERS; i++) {
        char *user = xasprintf("user%d", i % USERS);

        id[i] = record(s, user, 100 + rand() % 40);
        free(user);
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct replacement p[3];
        struct made made[3];
        struct rank_changes told;
        struct report r = {0};

        for (int k = 0; k < 3; k++) {
            make_result(&made[k], rand() % 4 ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER,
                        100 + rand() % 40);
            p[k] = replacement_of(id[(round * 3 + k) % (2 * USERS)], &made[k],
                                  MEANINGS[rand() % 2]);
        }
        for (int m = 0; m < 2; m++)
            for (int i = 0; i < 2 * USERS; i++)
                before[m][i] = rank_on(s, MEANINGS[m], id[i]);
        assert_int_equal(store_preview_all(s, p, 3, &told, &r), 0);
        for (int m = 0; m < 2; m++)
            for (int i = 0; i < 2 * USERS; i++)
                assert_int_equal(rank_on(s, MEANINGS[m], id[i]), before[m][i]);
        assert_int_equal(store_replace(s, p, 3, &r), 0);
        for (int m = 0; m < 2; m++)
            for (int i = 0; i < 2 * USERS; i++) {
                const struct rank_change c =
                    told_change(&told, MEANINGS[m], id[i], before[m][i]);

                assert_int_equal(c.before, before[m][i]);
                assert_int_equal(c.after, rank_on(s, MEANINGS[m], id[i]));
            }
        for (size_t i = 0, rows = 0; i <= told.boards; i++) { /* each row is counted */
            rows += i < told.boards ? told.board[i].changes : 0;
            assert_true(i < told.boards || rows == told.count);
        }
        rank_changes_free(&told);
    }
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
        T(a_result_takes_the_place_of_another),
        T(entries_move_and_go),
        T(all_are_replaced_or_none),
        T(deletion_takes_the_messages),
        T(preview_tells_what_is_done),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
