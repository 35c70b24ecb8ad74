// links: common store_place
/* The store tells who has sent equal work. Each test has a folder of its own. */
#include "../fixtures/store_place.h"

#include "base/buf.h"
#include "record/accounts.h"
#include "record/equal.h"
#include "record/replace.h"
#include "record/store_statements.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A digest that is made of one letter; of 0 there is none. */
static struct digest
digest_of(char letter)
{
    struct digest d = {0};

    if (letter != 0) {
        memset(d.hex, letter, 64);
        d.size = 30;
    }
    return d;
}

static void
finish(struct store *s, int64_t id, char source, char ptx)
{
    char message[] = "words";
    const struct result res = {.verdict = VERDICT_WRONG_ANSWER, .message = message};
    const struct finished_submission f = {
        .result = &res, .source = digest_of(source), .ptx = digest_of(ptx)};
    struct report r = {0};

    if (store_record(s, id, &f, &r) != 0)
        fail_msg("%s", r.text);
}

static int64_t
send_to(struct store *s, const char *user, const char *problem, char source, char ptx)
{
    const struct new_submission n = {.user = user,
                                     .problem = problem,
                                     .device = "emu",
                                     .board = "emu",
                                     .filename = "k.cu",
                                     .source = "int x;"};
    struct report r = {0};
    int64_t id;

    if (store_submit(s, &n, &id, &r) != 0)
        fail_msg("%s", r.text);
    finish(s, id, source, ptx);
    return id;
}

/* The people of a work as "ada:1 ben:2", the first of them first. */
static void
check_people(const struct equal_work *w, const char *expected)
{
    struct buf text = {0};

    for (size_t i = 0; i < w->count; i++)
        buf_printf(&text, "%s%s:%d", i > 0 ? " " : "", w->person[i].user,
                   (int)w->person[i].submission);
    assert_string_equal(buf_str(&text), expected);
    buf_free(&text);
}

/* What store_equal_to() tells of a submission. */
static void
check_to(struct store *s, int64_t id, const char *source, const char *ptx)
{
    struct equal_work w[EQUAL_KIND_COUNT];
    struct report r = {0};

    if (store_equal_to(s, id, w, &r) != 0)
        fail_msg("%s", r.text);
    check_people(&w[EQUAL_SOURCE], source);
    check_people(&w[EQUAL_PTX], ptx);
    equal_work_free(&w[EQUAL_SOURCE]);
    equal_work_free(&w[EQUAL_PTX]);
}

/* The whole list of a problem, or of all, the newest first: "source ada:1 ben:2; ". */
static void
check_list(struct store *s, const char *problem, const char *expected)
{
    struct report r = {0};
    struct buf text = {0};
    struct equal_work w;
    bool found = false;
    int64_t before = INT64_MAX;

    while (store_equal_before(s, problem, before, &found, &w, &r) == 0 && found) {
        buf_puts(&text, equal_kind_name(w.kind));
        for (size_t i = 0; i < w.count; i++)
            buf_printf(&text, " %s:%d", w.person[i].user, (int)w.person[i].submission);
        buf_puts(&text, "; ");
        before = w.id;
        equal_work_free(&w);
    }
    assert_string_equal(r.text, "");
    assert_string_equal(buf_str(&text), expected);
    buf_free(&text);
}

static void
others_with_one_digest_are_told(void **state)
{
    struct store *s = store_place_open(*state);
    const int64_t first = send_to(s, "ada", "softmax", 'a', 'b');

    send_to(s, "ada", "softmax", 'a', 'b'); /* one's own work is no news */
    send_to(s, "ben", "reduction", 'a', 'b');
    check_list(s, NULL, "");
    check_to(s, first, "", "");
    send_to(s, "ben", "softmax", 'c', 'b');
    check_list(s, NULL, "ptx ada:1 ben:4; ");
    send_to(s, "cai", "softmax", 'a', 0);
    check_list(s, NULL, "source ada:1 cai:5; ptx ada:1 ben:4; ");
    check_list(s, "softmax", "source ada:1 cai:5; ptx ada:1 ben:4; ");
    check_list(s, "reduction", "");
    check_to(s, first, "cai:5", "ben:4");
    check_to(s, 5, "ada:1", "");
    store_close(s);
}

/* Neither a clock that was set back nor a long judgement makes somebody the first. */
static void
numbers_say_who_was_first(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t early = store_submit_as(s, "zoe", false);

    send_to(s, "ada", "vector-addition", 'a', 0);
    finish(s, early, 'a', 0);
    check_list(s, NULL, "source zoe:1 ada:2; ");
    store_close(s);
    store_place_execute(f->path, "UPDATE submissions SET created_ms = 1 WHERE id = 2");
    s = store_place_open(f);
    check_list(s, NULL, "source zoe:1 ada:2; ");
    store_close(s);
}

/* A thousand copies of one's own do not push out the others. */
static void
many_submissions_hide_nobody(void **state)
{
    struct store *s = store_place_open(*state);
    struct equal_work w[EQUAL_KIND_COUNT];
    struct report r = {0};
    char name[16];

    send_to(s, "ben", "softmax", 'a', 0);
    for (int i = 0; i < 2 * EQUAL_PEOPLE_MAX; i++)
        send_to(s, "ada", "softmax", 'a', 0);
    send_to(s, "cai", "softmax", 'a', 0);
    check_to(s, 1, "ada:2 cai:202", "");
    for (int i = 0; i < EQUAL_PEOPLE_MAX; i++) {
        snprintf(name, sizeof name, "u%d", i);
        send_to(s, name, "softmax", 'a', 0);
    }
    assert_int_equal(store_equal_to(s, 1, w, &r), 0);
    assert_int_equal(w[EQUAL_SOURCE].count, EQUAL_PEOPLE_MAX);
    assert_true(w[EQUAL_SOURCE].more);
    equal_work_free(&w[EQUAL_SOURCE]);
    equal_work_free(&w[EQUAL_PTX]);
    store_close(s);
}

struct seen_rows {
    int64_t id[8];
    char text[128];
    size_t count;
};

static void
see_row(void *arg, const struct equal_row *row)
{
    struct seen_rows *seen = arg;
    const size_t len = strlen(seen->text);

    assert_true(seen->count < 8);
    seen->id[seen->count++] = row->id;
    snprintf(seen->text + len, sizeof seen->text - len, "%s %s %c; ", row->problem,
             equal_kind_name(row->kind), row->digest[0]);
}

/* All rows, of which so many are looked at in one step. */
static struct seen_rows
look_at_all(struct store *s, int most)
{
    struct seen_rows seen = {0};
    struct equal_key after = {0};
    struct report r = {0};
    bool more = true;

    while (more)
        assert_int_equal(store_look_at_equal(s, most, see_row, &seen, &after, &more, &r),
                         0);
    equal_key_free(&after);
    return seen;
}

static struct equal_work
read_work(struct store *s, int64_t id)
{
    struct equal_work w = {0};
    struct report r = {0};
    bool found = false;

    assert_int_equal(store_equal_read(s, id, &found, &w, &r), 0);
    assert_true(found);
    return w;
}

static void
ptx_of_equal_sources_says_nothing_more(void **state)
{
    struct store *s = store_place_open(*state);
    struct seen_rows seen;
    struct equal_work w = {0};
    struct report r = {0};
    bool found = true;

    send_to(s, "ada", "softmax", 'a', 'b');
    send_to(s, "ben", "softmax", 'a', 'b');
    seen = look_at_all(s, 8);
    assert_string_equal(seen.text, "softmax source a; softmax ptx b; ");
    w = read_work(s, seen.id[0]);
    check_people(&w, "ada:1 ben:2");
    assert_int_equal(w.kind, EQUAL_SOURCE);
    equal_work_free(&w);
    w = read_work(s, seen.id[1]);
    assert_true(equal_work_follows_from_source(&w));
    equal_work_free(&w);
    send_to(s, "cai", "softmax", 'c', 'b');
    w = read_work(s, seen.id[1]);
    check_people(&w, "ada:1 ben:2 cai:3");
    assert_int_equal(w.kind, EQUAL_PTX);
    assert_false(equal_work_follows_from_source(&w));
    equal_work_free(&w);
    assert_int_equal(store_equal_read(s, 1000, &found, &w, &r), 0);
    assert_false(found);
    store_close(s);
}

static void
all_rows_are_looked_at_once(void **state)
{
    static const char EXPECTED[] = "reduction source a; softmax source a; softmax ptx a; "
                                   "softmax ptx b; ";
    struct store *s = store_place_open(*state);

    assert_string_equal(look_at_all(s, 1).text, "");
    for (int i = 0; i < 2; i++) {
        const char *user = i == 0 ? "ada" : "ben";

        send_to(s, user, "softmax", 'a', 'b');
        send_to(s, user, "softmax", 'a', 'a');
        send_to(s, user, "reduction", 'a', i == 0 ? 'c' : 'd');
    }
    for (int most = 1; most <= 5; most++)
        assert_string_equal(look_at_all(s, most).text, EXPECTED);
    store_close(s);
}

/* How many digests are kept as shared. */
static int
count_rows(struct store *s)
{
    sqlite3_stmt *st;
    int count;

    assert_int_equal(
        sqlite3_prepare_v2(s->db, "SELECT count(*) FROM equal_work", -1, &st, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    count = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    return count;
}

/* A result that replaces another brings its digests; what nobody shares by then, and what
 * a deleted account has sent, is told no longer. */
static void
what_is_gone_is_not_told(void **state)
{
    struct store *s = store_place_open(*state);
    char message[] = "words", *name = NULL;
    const struct result res = {.verdict = VERDICT_WRONG_ANSWER, .message = message};
    struct replacement again = {.id = 2,
                                .finished = {.result = &res, .source = digest_of('d')}};
    struct account a;
    struct report r = {0};
    bool more = true;

    send_to(s, "ada", "softmax", 'a', 0);
    send_to(s, "ben", "softmax", 'a', 0);
    send_to(s, "cai", "softmax", 'd', 0);
    assert_int_equal(store_replace(s, &again, 1, &r), 0);
    check_list(s, NULL, "source ben:2 cai:3; ");
    check_to(s, 1, "", "");
    assert_int_equal(store_ensure_account(s, "cai", &a, &r), 0);
    assert_int_equal(store_delete_account(s, &a, &name, &r), 0);
    while (more)
        assert_int_equal(store_purge(s, &more, &r), 0);
    check_list(s, NULL, "");
    check_to(s, 2, "", "");
    check_to(s, 3, "", "");
    free(name);
    account_free(&a);
    assert_int_equal(store_ensure_account(s, "ben", &a, &r), 0);
    assert_int_equal(store_delete_account(s, &a, &name, &r), 0);
    for (more = true; more;)
        assert_int_equal(store_purge(s, &more, &r), 0);
    assert_int_equal(count_rows(s), 1); /* that of 'a', which ada still has */
    free(name);
    account_free(&a);
    store_close(s);
}

/* A submission that is removed takes its arrays along, and the last one of a digest the
 * row that others shared. */
static void
what_is_removed_leaves_nothing(void **state)
{
    struct store *s = store_place_open(*state);
    char message[] = "words", arrays[] = "[]";
    const struct result res = {
        .verdict = VERDICT_ACCEPTED, .message = message, .arrays = arrays};
    const struct finished_submission f = {.result = &res, .source = digest_of('a')};
    const struct new_submission n = {.user = "ben",
                                     .problem = "softmax",
                                     .device = "emu",
                                     .board = "emu",
                                     .filename = "k.cu",
                                     .source = "int x;",
                                     .sample_tests_only = true,
                                     .own_case = "{\"arrays\": true}"};
    struct buf text = {0};
    struct report r = {0};
    bool found;
    int64_t id;

    send_to(s, "ada", "softmax", 'a', 0);
    assert_int_equal(store_submit(s, &n, &id, &r), 0);
    assert_int_equal(store_record(s, id, &f, &r), 0);
    check_list(s, NULL, "source ada:1 ben:2; ");
    assert_int_equal(store_arrays_part(s, id, 0, 10, &found, &text, &r), 0);
    assert_true(found);
    assert_string_equal(buf_str(&text), "[]");
    assert_int_equal(store_arrays_part(s, id, 1, 10, &found, &text, &r), 0);
    assert_string_equal(buf_str(&text), "]");
    assert_int_equal(store_arrays_part(s, id, 2, 10, &found, &text, &r), 0);
    assert_true(found && text.len == 0);
    assert_int_equal(store_delete_submission(s, id, &r), 0);
    assert_int_equal(store_arrays_part(s, id, 0, 10, &found, &text, &r), 0);
    assert_false(found);
    check_list(s, NULL, "");
    assert_int_equal(count_rows(s), 1);
    assert_int_equal(store_delete_submission(s, 1, &r), 0);
    assert_int_equal(count_rows(s), 0);
    buf_free(&text);
    store_close(s);
}

int
main(void)
{
#define T(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, store_place_make, store_place_remove)
    const struct CMUnitTest tests[] = {
        T(others_with_one_digest_are_told), T(numbers_say_who_was_first),
        T(many_submissions_hide_nobody),    T(ptx_of_equal_sources_says_nothing_more),
        T(all_rows_are_looked_at_once),     T(what_is_gone_is_not_told),
        T(what_is_removed_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
