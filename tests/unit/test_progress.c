// links: arbiter device gpu_owner sandbox common
/* The lines that an arbiter reads: which one is waited for, which is of another
 * judgement, and what tells that nobody wants the judgement any more. */
#include "arbiter/judging/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int writer; /* of the pipe that is our standard input */

static int
begin(void **state)
{
    int ends[2];

    (void)state;
    if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], STDIN_FILENO) < 0)
        return -1;
    close(ends[0]);
    writer = ends[1];
    progress_begin("");
    return 0;
}

static int
end(void **state)
{
    (void)state;
    if (writer >= 0)
        close(writer);
    return 0;
}

static void
say(const char *lines)
{
    assert_int_equal(write(writer, lines, strlen(lines)), strlen(lines));
}

static void
say_no_more(void)
{
    close(writer);
    writer = -1;
}

static void
test_once(void **state)
{
    (void)state;
    say("reference\n");
    assert_true(progress_is_awaited());
    assert_false(progress_is_unwanted());
    assert_true(progress_wait_for("reference"));
    assert_false(progress_is_awaited());
    say("go\nassembled\n");
    assert_true(progress_wait_for("go"));
    assert_true(progress_wait_for("assembled"));
    say("drop\n"); /* no such word is said to an arbiter that judges once */
    assert_false(progress_wait_for("go"));
    assert_false(progress_is_dropped());
    say_no_more();
    assert_true(progress_is_awaited());
    assert_false(progress_is_unwanted());
    assert_false(progress_wait_for("go"));
}

static void
test_of_another_judgement(void **state)
{
    (void)state;
    progress_begin("7");
    say("assembled 6\ndrop 6\nreference 7\ndrop 77\ngo 6\n");
    assert_true(progress_wait_for("reference"));
    say("go 7\n");
    assert_true(progress_wait_for("go"));
    say("gone 7\n");
    assert_false(progress_wait_for("go"));
    say("go\n");
    assert_false(progress_wait_for("go"));
    assert_false(progress_is_dropped());
}

static void
test_dropped_while_it_waits(void **state)
{
    (void)state;
    progress_begin("7");
    say("reference 7\ndrop 7\n");
    assert_true(progress_wait_for("reference"));
    assert_false(progress_is_dropped());
    assert_false(progress_wait_for("go"));
    assert_true(progress_is_dropped());
    progress_begin("8");
    assert_false(progress_is_dropped());
    say("reference 8\n");
    assert_true(progress_wait_for("reference"));
}

static void
test_dropped_while_it_works(void **state)
{
    char line[64];

    (void)state;
    progress_begin("7");
    assert_false(progress_is_unwanted());
    say("assembled 6\n");
    assert_false(progress_is_unwanted());
    say("drop 7\njob 8 alone /folder\n");
    assert_true(progress_is_unwanted());
    assert_true(progress_is_unwanted());
    assert_true(progress_is_dropped());
    /* What comes after it was not touched. */
    assert_true(progress_read_line(line, sizeof line));
    assert_string_equal(line, "job 8 alone /folder");
    progress_begin("8");
    assert_false(progress_is_unwanted());
}

/* A line that is looked at before it is waited for is not lost. */
static void
test_wanted(void **state)
{
    (void)state;
    progress_begin("7");
    say("drop 6\ngo 7\nassembled 7\n");
    assert_false(progress_is_unwanted());
    assert_false(progress_is_unwanted());
    assert_true(progress_is_awaited());
    assert_true(progress_wait_for("go"));
    assert_true(progress_wait_for("assembled"));
    assert_false(progress_is_awaited());
}

static void
test_the_end(void **state)
{
    (void)state;
    progress_begin("7");
    say("go 7\n");
    say_no_more();
    assert_false(progress_is_unwanted());
    assert_true(progress_wait_for("go"));
    assert_true(progress_is_unwanted());
    assert_false(progress_is_dropped());
    assert_false(progress_wait_for("go"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_once),
        TEST(test_of_another_judgement),
        TEST(test_dropped_while_it_waits),
        TEST(test_dropped_while_it_works),
        TEST(test_wanted),
        TEST(test_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
