// links: common store_place
/* The database: made, refused, written once, read back. Each test has a folder of its
 * own. */
#include "../fixtures/store_place.h"

#include "base/file.h"
#include "record/rank.h"
#include "record/ranking.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void
assert_refused(const char *path, const char *words)
{
    struct report r = {0};
    struct store *s = NULL;

    assert_int_equal(store_open(path, &s, &r), -1);
    assert_null(s);
    if (strstr(r.text, words) == NULL || strstr(r.text, path) == NULL)
        fail_msg("\"%s\" does not say \"%s\" and \"%s\"", r.text, path, words);
}

static void
made_from_nothing_and_opened_again(void **state)
{
    struct store *s = store_place_open(*state);
    int64_t id = store_submit_as(s, "ada", false);
    struct submissions list;
    struct report r = {0};

    store_close(s);
    s = store_place_open(*state);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.row[0].id, id);
    assert_string_equal(list.row[0].user, "ada");
    submissions_free(&list);
    store_close(s);
}

static void
what_is_read_together_is_of_one_state(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f), *other = store_place_open(f);
    struct submissions list;
    struct report r = {0};

    (void)store_submit_as(s, "ada", false);
    assert_int_equal(store_read_begin(s, &r), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(store_list(s, NULL, NULL, true, INT64_MAX, 10, &list, &r), 0);
        assert_int_equal(list.count, 1);
        submissions_free(&list);
        (void)store_submit_as(other, "ben", false);
    }
    store_read_end(s);
    assert_int_equal(store_list(s, NULL, NULL, true, INT64_MAX, 10, &list, &r), 0);
    assert_int_equal(list.count, 3);
    submissions_free(&list);
    (void)store_submit_as(s, "cleo", false);
    store_close(other);
    store_close(s);
}

static void
newer_version_is_refused(void **state)
{
    const struct store_place *f = *state;

    store_close(store_place_open(f));
    store_place_execute(f->path, "PRAGMA user_version = 1000");
    assert_refused(f->path, "newer warpjudge");
}

static void
strangers_database_is_refused(void **state)
{
    const struct store_place *f = *state;

    store_place_execute(f->path, "CREATE TABLE users (name TEXT)");
    assert_refused(f->path, "another program");
}

static void
noise_is_refused_and_kept(void **state)
{
    const struct store_place *f = *state;
    struct buf after = {0};
    char noise[8192];

    memset(noise, 'x', sizeof noise);
    assert_int_equal(file_write(f->path, noise, sizeof noise, NULL), 0);
    assert_refused(f->path, "damaged");
    assert_int_equal(file_read(f->path, sizeof noise, &after, NULL), 0);
    assert_memory_equal(after.data, noise, sizeof noise);
    buf_free(&after);
}

/* Pages in the middle overwritten: the header is whole, so only the check finds it. */
static void
damaged_page_is_refused(void **state)
{
    const struct store_place *f = *state;
    char zeros[4096];
    int fd;

    memset(zeros, 0x5a, sizeof zeros);
    store_close(store_place_open(f));
    fd = open(f->path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, zeros, sizeof zeros, 2 * 4096), sizeof zeros);
    close(fd);
    assert_refused(f->path, "damaged");
}

static void
unwritable_place_is_refused(void **state)
{
    const struct store_place *f = *state;
    char path[160];

    snprintf(path, sizeof path, "%s/nowhere/leaderboard.db", f->folder);
    assert_refused(path, "cannot be opened for writing");
    assert_refused(f->folder, "cannot be opened for writing");
}

static void
everything_reads_back(void **state)
{
    struct store *s = store_place_open(*state);
    int64_t id = store_submit_as(s, "ada", false);
    struct submission sub;
    struct report r = {0};
    struct buf source = {0};
    bool found = false;

    store_record_as(s, id, VERDICT_ACCEPTED, 100);
    assert_int_equal(store_get(s, id, &found, &sub, &r), 0);
    assert_true(found && sub.done && sub.best && sub.compile_cached);
    assert_int_equal(sub.result.verdict, VERDICT_ACCEPTED);
    assert_string_equal(sub.result.message, "words");
    assert_string_equal(sub.board, "emu");
    assert_int_equal(sub.result.test_count, 2);
    assert_string_equal(sub.result.test[0].detail, "A = 1");
    assert_null(sub.result.test[1].detail);
    assert_int_equal(sub.result.timing.sample_count, 2);
    assert_float_equal(sub.result.timing.sample_ns[1], 101, 0);
    assert_int_equal(sub.result.timing.warmup, 3);
    assert_float_equal(sub.result.timing.work_bytes, 48, 0);
    assert_float_equal(sub.result.timing.low_ns, 99, 1e-9);
    assert_float_equal(sub.result.timing.high_ns, 101, 1e-9);
    assert_float_equal(sub.result.timing.roofline_ns, 50, 0);
    assert_string_equal(sub.result.timing.roofline_by, "memory");
    assert_true(sub.result.timing.review);
    assert_string_equal(sub.result.timing.remark, "busy");
    assert_string_equal(sub.result.timing.conditions, "{}");
    assert_string_equal(sub.result.seed, "0a1b");
    submission_free(&sub);
    assert_int_equal(store_source(s, id, &found, &source, &r), 0);
    assert_string_equal(buf_str(&source), "extern \"C\" void solve() {}");
    buf_free(&source);
    assert_int_equal(store_get(s, id + 1, &found, &sub, &r), 0);
    assert_false(found);
    store_close(s);
}

static void
recorded_twice_counts_once(void **state)
{
    struct store *s = store_place_open(*state);
    int64_t id = store_submit_as(s, "ada", false);
    struct submission sub;
    struct report r = {0};
    bool found;
    struct entries b;

    store_record_as(s, id, VERDICT_ACCEPTED, 100);
    store_record_as(s, id, VERDICT_ACCEPTED, 50);
    store_record_as(s, id, VERDICT_WRONG_ANSWER, 0);
    assert_int_equal(store_get(s, id, &found, &sub, &r), 0);
    assert_int_equal(sub.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(sub.result.test_count, 2);
    submission_free(&sub);
    b = store_board_of(s);
    assert_int_equal(b.count, 1);
    assert_float_equal(b.entry[0].time_ns, 100, 0);
    entries_free(&b);
    store_close(s);
}

static void
board_keeps_each_users_best(void **state)
{
    struct store *s = store_place_open(*state);
    const struct measured slow = {200, 190, 210}, fast = {101, 100.5, 102};
    struct place place;
    double own_ns = -1;
    struct report r = {0};
    int64_t best, slower;
    struct entries b;

    store_record_as(s, store_submit_as(s, "ada", false), VERDICT_ACCEPTED, 300);
    best = store_submit_as(s, "ada", false);
    store_record_as(s, best, VERDICT_ACCEPTED, 100);
    slower = store_submit_as(s, "ada", false);
    store_record_as(s, slower, VERDICT_ACCEPTED, 200);
    store_record_as(s, store_submit_as(s, "bob", false), VERDICT_ACCEPTED, 150);
    store_record_as(s, store_submit_as(s, "eve", false), VERDICT_WRONG_ANSWER, 0);
    store_record_as(s, store_submit_as(s, "eve", true), VERDICT_ACCEPTED, 0);
    store_record_as(s, store_submit_as(s, "eve", true), VERDICT_ACCEPTED,
                    10); /* a `run` is unranked */
    b = store_board_of(s);
    assert_int_equal(b.count, 2);
    assert_string_equal(b.entry[0].user, "ada");
    assert_int_equal(b.entry[0].submission, best);
    assert_float_equal(b.entry[0].time_ns, 100, 0);
    assert_string_equal(b.entry[1].user, "bob");
    entries_free(&b);
    assert_int_equal(store_place(s, &STORE_BOARD, "ada", &slow, &place, &own_ns, &r), 0);
    assert_int_equal(place.faster, 1);
    assert_int_equal(place.ties + place.slower, 0);
    assert_float_equal(own_ns, 100, 0);
    assert_int_equal(store_place(s, &STORE_BOARD, "nobody", &fast, &place, &own_ns, &r),
                     0);
    assert_int_equal(place.faster, 0);
    assert_int_equal(place.ties, 1);
    assert_int_equal(place.slower, 1);
    assert_float_equal(own_ns, 0, 0);
    store_close(s);
}

static void
attempt_is_remembered_while_queued(void **state)
{
    struct store *s = store_place_open(*state);
    int64_t id = store_submit_as(s, "ada", false);
    int64_t other = store_submit_as(s, "ada", false);
    const struct next_attempt next[] = {{id, 2}, {other, 3}};
    struct submissions list;
    struct report r = {0};

    assert_int_equal(store_set_attempt(s, id, 3, &r), 0);
    assert_int_equal(store_set_attempts(s, next, 2, &r), 0);
    store_close(s);
    s = store_place_open(*state);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(list.row[i].attempt, list.row[i].id == id ? 2 : 3);
    submissions_free(&list);
    store_record_as(s, other, VERDICT_JUDGE_ERROR, 0);
    store_record_as(s, id, VERDICT_JUDGE_ERROR, 0);
    assert_int_equal(store_pending(s, &list, &r), 0);
    assert_int_equal(list.count, 0);
    submissions_free(&list);
    store_close(s);
}

/* A process that submits and records without end, killed in the middle, again and again:
 * what it said is stored is there, and never half a result. */
static void
survives_kills(void **state)
{
    const struct store_place *f = *state;
    struct store *s;
    struct submissions list;
    struct report r = {0};
    int64_t told = 0;

    store_close(store_place_open(f));
    for (int round = 0; round < 8; round++) {
        int fds[2];
        int64_t id;
        pid_t pid;

        assert_int_equal(pipe(fds), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            s = store_place_open(f);
            for (;;) {
                id = store_submit_as(s, "ada", false);
                if (write(fds[1], &id, sizeof id) != sizeof id)
                    _exit(1);
                store_record_as(s, id, VERDICT_ACCEPTED, 1e9 - (double)id);
            }
        }
        close(fds[1]);
        assert_int_equal(read(fds[0], &told, sizeof told), sizeof told);
        usleep((useconds_t)(1000 + 3700 * round));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        while (read(fds[0], &id, sizeof id) == sizeof id)
            told = id;
        close(fds[0]);
    }
    s = store_place_open(f);
    assert_int_equal(store_list(s, "ada", NULL, false, INT64_MAX, 100000, &list, &r), 0);
    assert_true(list.count >= (size_t)told && list.row[0].id >= told);
    for (size_t i = 0; i < list.count; i++) {
        struct submission sub;
        bool found;

        assert_int_equal(store_get(s, list.row[i].id, &found, &sub, &r), 0);
        assert_int_equal(sub.result.test_count, sub.done ? 2 : 0);
        assert_int_equal(sub.result.timing.sample_count, sub.done ? 2 : 0);
        submission_free(&sub);
    }
    submissions_free(&list);
    store_close(s);
}

static void
check_others(struct store *s, const char *meaning, const char *first, const char *second)
{
    const struct board b = {"vector-addition", "emu", meaning};
    struct other_boards others;

    store_other_boards(s, &b, &others);
    assert_int_equal(others.count, 2);
    assert_string_equal(others.row[0].meaning, first);
    assert_string_equal(others.row[1].meaning, second);
    assert_int_equal(others.row[0].entries, 1);
    other_boards_free(&others);
}

/* Each meaning of a problem has its own board, and a meaning that returns its entries. */
static void
each_meaning_has_a_board(void **state)
{
    static const char *const MEANINGS[] = {"m1", "m2", "m1", MEANING_UNKNOWN};
    static const double TIMES[] = {100, 200, 90, 50};
    struct store *s = store_place_open(*state);
    struct submission sub;
    struct report r = {0};
    bool found;
    int64_t id[4];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; round == 0 && i < 4; i++) {
            id[i] = store_submit_as(s, "ada", false);
            store_record_meaning(s, id[i], VERDICT_ACCEPTED, TIMES[i],
                                 i < 3 ? MEANINGS[i] : NULL);
        }
        for (int i = 1; i < 4; i++) {
            const struct board board = {"vector-addition", "emu", MEANINGS[i]};
            struct entries b = store_board_named(s, &board);

            assert_int_equal(b.count, 1);
            assert_int_equal(b.entry[0].submission, id[i]);
            entries_free(&b);
        }
        check_others(s, "m2", MEANING_UNKNOWN, "m1");
        check_others(s, MEANING_UNKNOWN, "m1", "m2");
        /* What is read again is as it was. */
        store_close(s);
        s = store_place_open(*state);
    }
    assert_int_equal(store_get(s, id[1], &found, &sub, &r), 0);
    assert_string_equal(sub.meaning, "m2");
    assert_true(sub.best);
    submission_free(&sub);
    assert_int_equal(store_get(s, id[0], &found, &sub, &r), 0);
    assert_false(sub.best);
    submission_free(&sub);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
        T(made_from_nothing_and_opened_again),
        T(what_is_read_together_is_of_one_state),
        T(newer_version_is_refused),
        T(strangers_database_is_refused),
        T(noise_is_refused_and_kept),
        T(damaged_page_is_refused),
        T(unwritable_place_is_refused),
        T(everything_reads_back),
        T(recorded_twice_counts_once),
        T(board_keeps_each_users_best),
        T(each_meaning_has_a_board),
        T(attempt_is_remembered_while_queued),
        T(survives_kills),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
