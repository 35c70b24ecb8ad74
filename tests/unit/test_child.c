// links: daemon sandbox common
/* The daemon's children: what they say, how they end, and what they leave behind. */
#include "daemon/child.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
    struct event_base *base;
    char line[64];
    struct child_end end;
    bool ended;
};

static void
on_line(void *arg, const char *line)
{
    struct seen *s = arg;

    snprintf(s->line, sizeof s->line, "%s", line);
}

static void
on_ended(void *arg, const struct child_end *end)
{
    struct seen *s = arg;

    s->end = *end;
    s->ended = true;
    event_base_loopbreak(s->base);
}

/* Runs a shell script to its end. */
static void
run_on(struct children *c, struct seen *s, const char *script, int cpus)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const struct child_spec spec = {.name = "test",
                                    .argv = argv,
                                    .cpus = cpus,
                                    .line = on_line,
                                    .ended = on_ended,
                                    .arg = s};
    struct child *child;
    struct report r = {0};

    s->ended = false;
    if (child_start(c, &spec, &child, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(event_base_dispatch(s->base), 0);
    assert_true(s->ended);
}

static void
run(struct children *c, struct seen *s, const char *script)
{
    run_on(c, s, script, 0);
}

static bool
lives(const char *pid)
{
    return kill((pid_t)atoi(pid), 0) == 0 || errno != ESRCH;
}

static void
lines_and_status(void **state)
{
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);

    (void)state;
    run(c, &s, "echo hello; exit 7");
    assert_string_equal(s.line, "hello");
    assert_true(!s.end.signaled && s.end.code == 7);
    run(c, &s, "kill -9 $$");
    assert_true(s.end.signaled && s.end.code == SIGKILL);
    children_free(c);
    event_base_free(s.base);
}

/* What a child starts does, too, in a session of its own as well. */
static void
some_keep_to_a_few_cpus(void **state)
{
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);
    char all[sizeof s.line];

    (void)state;
    run_on(c, &s, "nproc", 0);
    snprintf(all, sizeof all, "%s", s.line);
    run_on(c, &s, "setsid -w nproc", 1);
    assert_string_equal(s.line, "1");
    run_on(c, &s, "nproc", 100000);
    assert_string_equal(s.line, all);
    children_free(c);
    event_base_free(s.base);
}

/* Its session, its process group and its parents are left behind. */
#define ORPHAN                                                                           \
    "setsid sh -c 'trap \"\" TERM HUP; (sleep 60 & echo $!; wait) & exit' </dev/null "   \
    "2>&1"

/* Goes on when it has told its number, which is the line to be seen. */
#define AND_ITS_NUMBER(script) script " | { read number; echo $number; }"

static void
orphans_are_found(void **state)
{
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);

    (void)state;
    run(c, &s, AND_ITS_NUMBER(ORPHAN) "; kill -9 $$");
    assert_true(atoi(s.line) > 1);
    assert_true(lives(s.line));
    assert_int_equal(children_sweep(c), 0);
    assert_false(lives(s.line));
    children_free(c);
    event_base_free(s.base);
}

static void
the_known_are_left_alone(void **state)
{
    const char *const argv[] = {"/bin/sleep", "60", NULL};
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);
    const struct child_spec spec = {
        .name = "test", .argv = argv, .line = on_line, .ended = on_ended, .arg = &s};
    struct child *child;
    struct report r = {0};

    (void)state;
    assert_int_equal(child_start(c, &spec, &child, &r), 0);
    assert_int_equal(children_sweep(c), 0);
    assert_int_equal(event_base_loop(s.base, EVLOOP_NONBLOCK), 0);
    assert_false(s.ended);
    child_kill(child);
    assert_int_equal(event_base_dispatch(s.base), 0);
    assert_true(s.ended && s.end.code == SIGKILL);
    children_free(c);
    event_base_free(s.base);
}

static void
the_end_leaves_no_orphan(void **state)
{
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);

    (void)state;
    run(c, &s, AND_ITS_NUMBER(ORPHAN));
    assert_true(lives(s.line));
    children_free(c);
    assert_false(lives(s.line));
    event_base_free(s.base);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_status),
        cmocka_unit_test(some_keep_to_a_few_cpus),
        cmocka_unit_test(orphans_are_found),
        cmocka_unit_test(the_known_are_left_alone),
        cmocka_unit_test(the_end_leaves_no_orphan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
