// links: daemon sandbox common
/* The daemon's children: what they say, how they end, and what they leave behind. */
#include "daemon/child.h"

#include "base/buf.h"
#include "daemon/priority.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct seen {
    struct event_base *base;
    char line[64];
    char words[128]; /* the last ones */
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
    snprintf(s->words, sizeof s->words, "%s", end->last_words);
    s->end.last_words = s->words;
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

/* Killing a child so kills what it has started, and the kernel gives it a share of the
 * CPUs beside the daemon's. */
static void
each_has_a_session_of_its_own(void **state)
{
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);

    (void)state;
    run(c, &s, "set -- $(cat /proc/$$/stat); test $5 = $$ && test $6 = $$ && echo own");
    assert_string_equal(s.line, "own");
    children_free(c);
    event_base_free(s.base);
}

/* The service may raise its priority (LimitNICE=). What it starts may not. */
static void
none_may_raise_its_priority(void **state)
{
    const struct rlimit all = {40, 40};
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);

    (void)state;
    (void)setrlimit(RLIMIT_NICE, &all); /* root may, and it is 0 for anybody else */
    run(c, &s, "set -- $(grep '^Max nice priority' /proc/self/limits); echo $4 $5");
    assert_string_equal(s.line, "0 0");
    children_free(c);
    event_base_free(s.base);
}

static void
one_is_killed_at_once(void **state)
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
    child_kill(child);
    assert_int_equal(event_base_dispatch(s.base), 0);
    assert_true(s.ended && s.end.signaled && s.end.code == SIGKILL);
    children_free(c);
    event_base_free(s.base);
}

static void
a_missing_program_says_so(void **state)
{
    const char *const argv[] = {"/nowhere/missing", NULL};
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);
    const struct child_spec spec = {
        .name = "test", .argv = argv, .line = on_line, .ended = on_ended, .arg = &s};
    struct child *child;
    struct report r = {0};

    (void)state;
    assert_int_equal(child_start(c, &spec, &child, &r), 0);
    assert_int_equal(event_base_dispatch(s.base), 0);
    assert_true(s.ended && !s.end.signaled && s.end.code == 127);
    assert_string_equal(s.words,
                        "/nowhere/missing cannot be started: No such file or directory");
    children_free(c);
    event_base_free(s.base);
}

/* A child ignores no signal and blocks none. What the daemon has set stays as it was,
 * though the child's beginning shares its memory. */
static void
signals_are_the_childs_own(void **state)
{
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);
    struct sigaction now;
    sigset_t mask, before, after;

    (void)state;
    signal(SIGUSR1, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    assert_int_equal(sigprocmask(SIG_BLOCK, &mask, &before), 0);
    run(c, &s, "kill -USR1 $$");
    assert_true(s.end.signaled && s.end.code == SIGUSR1);
    run(c, &s, "kill -USR2 $$");
    assert_true(s.end.signaled && s.end.code == SIGUSR2);
    assert_int_equal(sigaction(SIGUSR1, NULL, &now), 0);
    assert_ptr_equal(now.sa_handler, SIG_IGN);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, &after), 0);
    assert_true(sigismember(&after, SIGUSR2) && !sigismember(&after, SIGUSR1));
    signal(SIGUSR1, SIG_DFL);
    children_free(c);
    event_base_free(s.base);
}

/* Page faults of this process that needed no disk. */
static long
minor_faults(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* fork() would write-protect all pages, so that each is a fault when it is written to. */
static void
a_start_leaves_the_daemons_pages_alone(void **state)
{
    enum { PAGES = 4096 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct seen s = {.base = event_base_new()};
    struct children *c = children_new(s.base);
    char *heap = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long faults;

    (void)state;
    assert_ptr_not_equal(heap, MAP_FAILED);
    (void)madvise(heap, PAGES * page, MADV_NOHUGEPAGE);
    memset(heap, 1, PAGES * page);
    run(c, &s, "true");
    faults = minor_faults();
    memset(heap, 2, PAGES * page);
    assert_in_range(minor_faults() - faults, 0, PAGES / 2);
    munmap(heap, PAGES * page);
    children_free(c);
    event_base_free(s.base);
}

/* The priority of this process's session; 0 where the kernel has none. */
static int
session_priority(void)
{
    FILE *f = fopen("/proc/self/autogroup", "re");
    int priority = 0;

    if (f != NULL) {
        assert_int_equal(fscanf(f, "/autogroup-%*d nice %d", &priority), 1);
        fclose(f);
    }
    return priority;
}

#define LOWEST 19 /* anybody may have it */
#define PRIORITY_STEP 3

/* In a process of its own: its session stands above others, as far as it may. */
static noreturn void
raise_and_look(bool own_session)
{
    struct seen s = {.base = event_base_new()};
    const int before = own_session && setsid() > 0 ? 0 : session_priority();
    const bool sessions_count = access("/proc/self/autogroup", W_OK) == 0;
    int raised;

    assert_int_equal(setpriority(PRIO_PROCESS, 0, LOWEST), 0);
    assert_int_equal(priority_raise(PRIORITY_STEP), LOWEST);
    raised = LOWEST - getpriority(PRIO_PROCESS, 0);
    assert_true(raised == PRIORITY_STEP || raised == 0);
    assert_int_equal(before - session_priority(),
                     own_session && sessions_count ? raised : 0);
    /* Its children's sessions do not. */
    if (sessions_count) {
        struct children *c = children_new(s.base);

        run(c, &s, "read session nice priority </proc/self/autogroup; echo $priority");
        assert_string_equal(s.line, "0");
        children_free(c);
    }
    event_base_free(s.base);
    _exit(0);
}

static void
the_daemons_session_stands_above_others(void **state)
{
    (void)state;
    for (int own_session = 0; own_session < 2; own_session++) {
        const pid_t pid = fork();
        int status;

        if (pid == 0)
            raise_and_look(own_session != 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
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
        cmocka_unit_test(each_has_a_session_of_its_own),
        cmocka_unit_test(none_may_raise_its_priority),
        cmocka_unit_test(one_is_killed_at_once),
        cmocka_unit_test(a_missing_program_says_so),
        cmocka_unit_test(signals_are_the_childs_own),
        cmocka_unit_test(a_start_leaves_the_daemons_pages_alone),
        cmocka_unit_test(the_daemons_session_stands_above_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
