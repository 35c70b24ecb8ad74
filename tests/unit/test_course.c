// links: common
/* The course: what is next after what is solved, and orders that are none. */
#include "base/buf.h"
#include "base/file.h"
#include "problem/after_check.h"
#include "problem/course.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 3
#define STEPS 8

/* A problem with its lessons and those before it, which end with NULL. */
struct written {
    const char *slug, *difficulty;
    const char *teaches[WORDS], *after[WORDS];
};

static const struct written FIVE[] = {
    {"add", "easy", {"threads"}, {NULL}},
    {"copy", "easy", {"coalescing", "threads"}, {"add"}},
    {"relu", "easy", {"threads"}, {"add"}},
    {"sum", "medium", {"trees"}, {"copy"}},
    {"two", "hard", {"trees", "two-gpus"}, {"sum", "not-there"}},
};
static const char *const LESSONS[] = {"threads", "coalescing", "trees", "two-gpus"};

static int
count_texts(const char *const *texts)
{
    int count = 0;

    while (count < WORDS && texts[count] != NULL)
        count++;
    return count;
}

static struct problem
written_problem(const struct written *w)
{
    return (struct problem){.slug = w->slug,
                            .difficulty = w->difficulty,
                            .teaches = w->teaches,
                            .teaches_count = count_texts(w->teaches),
                            .after = w->after,
                            .after_count = count_texts(w->after)};
}

static bool
is_in(const char *words, const char *slug)
{
    const char *at = strstr(words, slug);

    return at != NULL && (at[strlen(slug)] == ' ' || at[strlen(slug)] == '\0');
}

/* Compares what is next where these are solved, tried and closed. */
static void
expect_next(const struct written *list, size_t count, size_t lessons, const char *solved,
            const char *tried, const char *closed, const char *expected)
{
    struct course *course = course_new(LESSONS, lessons);
    struct course_step step[STEPS];
    struct buf text = {0};
    size_t steps;

    for (size_t i = 0; i < count; i++) {
        const struct problem p = written_problem(&list[i]);

        course_add(course, &p,
                   (struct course_state){.solved = is_in(solved, p.slug),
                                         .tried = is_in(tried, p.slug),
                                         .closed = is_in(closed, p.slug)});
    }
    steps = course_next(course, step, STEPS);
    for (size_t i = 0; i < steps; i++) {
        buf_printf(&text, "%s%s", i > 0 ? ", " : "", step[i].slug);
        if (step[i].lesson != NULL)
            buf_printf(&text, " teaches %s", step[i].lesson);
        if (step[i].toward != NULL)
            buf_printf(&text, " by %s", step[i].toward);
        for (int k = 0; step[i].solved[k] != NULL; k++)
            buf_printf(&text, " after %s", step[i].solved[k]);
        buf_puts(&text, step[i].tried ? " again" : "");
    }
    assert_string_equal(buf_str(&text), expected);
    assert_int_equal(course_count(course), count);
    buf_free(&text);
    course_free(course);
}

static void
expect_of_five(const char *solved, const char *expected)
{
    expect_next(FIVE, 5, 4, solved, "", "", expected);
}

static void
test_the_way_through(void **state)
{
    (void)state;
    expect_of_five("", "add teaches threads");
    expect_of_five("add", "copy teaches coalescing after add, relu after add");
    expect_of_five("add copy", "sum teaches trees after copy, relu after add");
    expect_of_five("add copy sum", "two teaches two-gpus after sum, relu after add");
    expect_of_five("add copy relu sum two", "");
    /* A person who has solved something is taken to know what comes before it. */
    expect_of_five("two", "relu, add, copy, sum");
}

static void
test_what_is_tried_or_closed(void **state)
{
    (void)state;
    expect_next(FIVE, 5, 4, "add", "copy", "",
                "copy teaches coalescing after add again, relu after add");
    /* Nobody is sent on a way that cannot be gone. */
    expect_next(FIVE, 5, 4, "add copy", "", "sum", "relu after add");
    expect_next(FIVE, 5, 4, "add copy relu sum", "", "two", "");
}

/* Without an order of lessons the easiest problem comes first. */
static void
test_without_lessons(void **state)
{
    (void)state;
    expect_next(FIVE, 5, 0, "add", "", "", "copy after add, relu after add");
    expect_next(FIVE, 5, 0, "add copy relu", "", "", "sum after copy");
    expect_next(FIVE, 0, 4, "", "", "", "");
}

/* A circle, which `problem check` refuses, still ends. */
static void
test_circle(void **state)
{
    static const struct written CIRCLE[] = {
        {"a", "easy", {"threads"}, {"b"}},
        {"b", "easy", {"coalescing"}, {"a"}},
        {"c", "easy", {"trees"}, {"c"}},
    };

    (void)state;
    expect_next(CIRCLE, 3, 4, "", "", "",
                "a teaches threads, b teaches coalescing, c teaches trees");
}

/* The way from nothing to the end. */
static void
expect_way(const struct written *list, size_t count, const char *expected)
{
    struct course *course = course_new(LESSONS, 4);
    struct buf text = {0};
    const char *slug;

    for (size_t i = 0; i < count; i++) {
        const struct problem p = written_problem(&list[i]);

        course_add(course, &p, (struct course_state){0});
    }
    while ((slug = course_advance(course)) != NULL)
        buf_printf(&text, "%s%s", text.len > 0 ? " " : "", slug);
    assert_string_equal(buf_str(&text), expected);
    assert_int_equal(course_solved(course), count);
    buf_free(&text);
    course_free(course);
}

static void
test_whole_way(void **state)
{
    static const struct written CIRCLE[] = {
        {"a", "easy", {"threads"}, {"b"}},
        {"b", "easy", {"coalescing"}, {"a"}},
    };

    (void)state;
    expect_way(FIVE, 5, "add copy sum two relu");
    expect_way(CIRCLE, 2, "a b");
}

/* --- problem check ------------------------------------------------------------------ */

static void
keep_all(void *context, const char *where, const char *sentence)
{
    buf_printf(context, "%s: %s\n", where, sentence);
}

static void
write_spec(const char *dir, const char *slug, const char *text)
{
    char *folder = xasprintf("%s/%s", dir, slug);
    char *path = xasprintf("%s/problem.json", folder);

    assert_int_equal(file_mkdirs(folder, NULL), 0);
    assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
    free(path);
    free(folder);
}

static void
expect_checked(const char *dir, const struct written *w, const char *expected)
{
    const struct problem p = written_problem(w);
    struct buf all = {0};
    int errors = after_check(dir, &p, keep_all, &all);

    assert_string_equal(buf_str(&all), expected);
    for (const char *c = buf_str(&all); *c != '\0'; c++)
        errors -= *c == '\n';
    assert_int_equal(errors, 0);
    buf_free(&all);
}

static void
test_check(void **state)
{
    char dir[] = "/tmp/test_course.XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(dir));
    write_spec(dir, "vector-add", "{}");
    write_spec(dir, "one", "{\"after\": [\"vector-add\", 3, \"../one\"]}");
    write_spec(dir, "two", "{\"after\": [\"one\", \"three\"]}");
    write_spec(dir, "three", "{\"after\": [\"two\"]}");
    write_spec(dir, "broken", "{\"after\": ");
    expect_checked(dir, &(struct written){"vector-add", "easy", {NULL}, {NULL}}, "");
    expect_checked(dir, &(struct written){"new", "easy", {NULL}, {"two", "broken"}}, "");
    expect_checked(
        dir, &(struct written){"new", "easy", {NULL}, {"vector-ad", "far/away"}},
        "problem.json: $.after[0]: there is no problem \"vector-ad\": did you "
        "mean \"vector-add\"?\n"
        "problem.json: $.after[1]: there is no problem \"far/away\" in the same "
        "folder\n");
    expect_checked(dir, &(struct written){"new", "easy", {NULL}, {"new", "one", "one"}},
                   "problem.json: $.after[0]: a problem does not come after itself\n"
                   "problem.json: $.after[2]: the problem \"one\" is there twice\n");
    expect_checked(
        dir, &(struct written){"one", "easy", {NULL}, {"vector-add", "three"}},
        "problem.json: $.after[1]: the order is a circle: one comes after three, "
        "which comes after two, which comes after one\n");
    assert_int_equal(file_remove_tree(dir, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_way_through),
        cmocka_unit_test(test_what_is_tried_or_closed),
        cmocka_unit_test(test_without_lessons),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_whole_way),
        cmocka_unit_test(test_check),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
