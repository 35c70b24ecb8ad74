// links: base
/* Differences of texts by lines: they tell both texts, in as few changes as there can be,
 * and in the unified format. */
#include "base/line_diff.h"
#include "base/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Compares the texts, and checks that the lines of the difference make both of them. */
static struct line_diff
compare(const char *before, const char *after)
{
    struct buf old = {0}, new = {0};
    size_t old_lines = 0, new_lines = 0;
    struct line_diff d;

    line_diff_make(before, after, &d);
    for (size_t i = 0; i < d.count; i++) {
        const struct diff_line *line = &d.line[i];

        if (line->kind != DIFF_NEW) {
            buf_add(&old, line->text, line->len);
            assert_int_equal(line->before, ++old_lines);
        } else {
            assert_int_equal(line->before, 0);
        }
        if (line->kind != DIFF_GONE) {
            buf_add(&new, line->text, line->len);
            assert_int_equal(line->after, ++new_lines);
        } else {
            assert_int_equal(line->after, 0);
        }
    }
    assert_string_equal(buf_str(&old), before);
    assert_string_equal(buf_str(&new), after);
    buf_free(&old);
    buf_free(&new);
    return d;
}

/* The length of the longest common subsequence of lines, each of one character. */
static size_t
longest_common(const char *a, const char *b)
{
    static size_t table[64][64];
    const size_t n = strlen(a) / 2, m = strlen(b) / 2;

    for (size_t i = n + 1; i-- > 0;)
        for (size_t k = m + 1; k-- > 0;) {
            const size_t skip = i == n || k == m                    ? 0
                                : table[i + 1][k] > table[i][k + 1] ? table[i + 1][k]
                                                                    : table[i][k + 1];

            table[i][k] =
                i < n && k < m && a[2 * i] == b[2 * k] ? table[i + 1][k + 1] + 1 : skip;
        }
    return table[0][0];
}

static void
test_fewest_changes(void **state)
{
    unsigned random = 1;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        char text[2][128];
        struct line_diff d;
        size_t common;

        for (int t = 0; t < 2; t++) {
            const unsigned lines = (random >> 16) % 40;

            for (unsigned i = 0; i < lines; i++) {
                random = random * 1103515245u + 12345u;
                text[t][2 * i] = (char)('a' + (random >> 16) % 4);
                text[t][2 * i + 1] = '\n';
            }
            text[t][2 * lines] = '\0';
            random = random * 1103515245u + 12345u;
        }
        d = compare(text[0], text[1]);
        common = longest_common(text[0], text[1]);
        assert_int_equal(d.gone, strlen(text[0]) / 2 - common);
        assert_int_equal(d.added, strlen(text[1]) / 2 - common);
        line_diff_free(&d);
    }
}

static void
expect_unified(const char *before, const char *after, const char *expected)
{
    struct line_diff d = compare(before, after);
    struct buf out = {0};

    line_diff_unified(&d, "old.cu", "new.cu", &out);
    assert_string_equal(buf_str(&out), expected);
    buf_free(&out);
    line_diff_free(&d);
}

#define HEAD "--- old.cu\n+++ new.cu\n"

static void
test_unified(void **state)
{
    (void)state;
    expect_unified("a\nb\n", "a\nb\n", "");
    expect_unified("", "", "");
    expect_unified("", "a\n", HEAD "@@ -0,0 +1 @@\n+a\n");
    expect_unified("a\n", "", HEAD "@@ -1 +0,0 @@\n-a\n");
    expect_unified("a\nb\nc\n", "a\nx\nc\n", HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
    expect_unified("a\nb", "a\nb\n",
                   HEAD "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    /* Six equal lines between two changes are one hunk, and seven are two. */
    expect_unified("x\n1\n2\n3\n4\n5\n6\ny\n", "1\n2\n3\n4\n5\n6\n",
                   HEAD "@@ -1,8 +1,6 @@\n-x\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n");
    expect_unified("x\n1\n2\n3\n4\n5\n6\n7\ny\n", "1\n2\n3\n4\n5\n6\n7\n",
                   HEAD "@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n"
                        "@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-y\n");
}

/* Where the changes are too many, the difference is still one. */
static void
test_too_many_changes(void **state)
{
    struct buf a = {0}, b = {0};
    struct line_diff d;

    (void)state;
    buf_puts(&a, "head\n");
    buf_puts(&b, "head\n");
    for (int i = 0; i < DIFF_CHANGES_MAX; i++) {
        buf_printf(&a, "a%d\n", i);
        buf_printf(&b, "b%d\n", i);
    }
    buf_puts(&a, "tail\n");
    buf_puts(&b, "tail\n");
    d = compare(buf_str(&a), buf_str(&b));
    assert_int_equal(d.gone, DIFF_CHANGES_MAX);
    assert_int_equal(d.added, DIFF_CHANGES_MAX);
    line_diff_free(&d);
    buf_free(&a);
    buf_free(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fewest_changes),
        cmocka_unit_test(test_unified),
        cmocka_unit_test(test_too_many_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
