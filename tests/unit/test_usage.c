// links: sandbox common
/* What is slept, from played readings of /proc: no process and no clock of this machine
 * takes part, but in the last test, which asserts no duration. */
#include "base/buf.h"
#include "sandbox/usage.h"
#include "sandbox/usage_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define THREADS_MAX 3

/* One reading; times in ms. Threads are those with a number. */
struct played {
    uint64_t at, cpu;
    enum usage_state state;
    struct {
        int id;
        uint64_t delay;
    } thread[THREADS_MAX];
    bool paused; /* nobody waited for it since the reading before */
};

static void
play(struct usage_account *a, const struct played *p)
{
    struct usage_reading now = {
        .at_ns = p->at * MS, .cpu_ns = p->cpu * MS, .state = p->state};

    if (p->paused)
        usage_account_pause(a);
    now.thread = xcalloc(THREADS_MAX, sizeof *now.thread);
    for (int i = 0; i < THREADS_MAX; i++)
        if (p->thread[i].id != 0)
            now.thread[now.threads++] = (struct usage_thread){
                .id = p->thread[i].id, .delay_ns = p->thread[i].delay * MS};
    usage_account_add(a, &now);
}

#define ASLEEP USAGE_ASLEEP
#define BLOCKED USAGE_BLOCKED
#define RUNNABLE USAGE_RUNNABLE

static void
sleep_is_what_nobody_ran_or_waited(void **state)
{
    static const struct {
        const char *what;
        struct played reading[6]; /* up to one at 0 that is not the first */
        uint64_t slept, blocked;
    } cases[] = {
        {"one reading says nothing", {{0, 5, ASLEEP, {{7, 0}}, false}}, 0, 0},
        {"nobody ran: all of it, however late the look",
         {{0, 5, ASLEEP, {{7, 0}}, false}, {900, 5, ASLEEP, {{7, 0}}, false}},
         900,
         0},
        {"it ran at one end",
         {{0, 5, ASLEEP, {{7, 0}}, false},
          {10, 5, RUNNABLE, {{0}}, false},
          {20, 6, ASLEEP, {{7, 0}}, false}},
         0,
         0},
        {"it woke, ran and slept again",
         {{0, 5, ASLEEP, {{7, 0}}, false}, {10, 6, ASLEEP, {{7, 0}}, false}},
         9,
         0},
        {"and waited for a CPU before",
         {{0, 5, ASLEEP, {{7, 40}}, false}, {10, 6, ASLEEP, {{7, 43}}, false}},
         6,
         0},
        {"it waited longer than the looks are apart, with another thread",
         {{0, 5, ASLEEP, {{7, 0}, {8, 0}}, false},
          {10, 6, ASLEEP, {{7, 8}, {8, 8}}, false}},
         0,
         0},
        {"a late look says little where somebody ran",
         {{0, 5, ASLEEP, {{7, 0}}, false}, {500, 6, ASLEEP, {{7, 0}}, false}},
         19,
         0},
        {"a thread came: all that it waited is of this interval",
         {{0, 5, ASLEEP, {{7, 40}}, false}, {10, 6, ASLEEP, {{7, 40}, {9, 5}}, false}},
         4,
         0},
        {"a thread went: what it waited is not known",
         {{0, 5, ASLEEP, {{7, 40}, {9, 5}}, false}, {10, 6, ASLEEP, {{7, 40}}, false}},
         9,
         0},
        {"a thread's number is another's now",
         {{0, 5, ASLEEP, {{7, 40}}, false}, {10, 6, ASLEEP, {{7, 2}}, false}},
         7,
         0},
        {"an uninterruptible wait is no sleep",
         {{0, 5, ASLEEP, {{7, 0}}, false},
          {10, 5, BLOCKED, {{7, 0}}, false},
          {30, 5, BLOCKED, {{7, 0}}, false},
          {40, 5, ASLEEP, {{7, 0}}, false},
          {50, 5, ASLEEP, {{7, 0}}, false}},
         10,
         40},
        {"nobody waited for it in between",
         {{0, 5, ASLEEP, {{7, 0}}, false},
          {10, 5, ASLEEP, {{7, 0}}, false},
          {800, 5, ASLEEP, {{7, 0}}, true},
          {805, 5, ASLEEP, {{7, 0}}, false}},
         15,
         0},
        {"a process that ended: its CPU time is gone",
         {{0, 5, ASLEEP, {{7, 0}}, false}, {10, 3, ASLEEP, {{7, 0}}, false}},
         0,
         0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct usage_account a = {0};

        for (int k = 0; k < 6 && (k == 0 || cases[i].reading[k].at > 0); k++)
            play(&a, &cases[i].reading[k]);
        if (a.slept_ns != cases[i].slept * MS || a.blocked_ns != cases[i].blocked * MS)
            fail_msg("%s: slept %ju, blocked %ju", cases[i].what,
                     (uintmax_t)(a.slept_ns / MS), (uintmax_t)(a.blocked_ns / MS));
        usage_account_pause(&a);
    }
}

/* Runnable in a share of all moments, at random, and asleep else: what it pays, in CPU
 * time and sleep, of the time that it takes. */
static double
price(double share)
{
    struct usage_account a = {0};
    uint64_t random = 1, cpu = 0;
    const int looks = 20000;

    for (int i = 0; i <= looks; i++) {
        struct usage_reading now = {.at_ns = (uint64_t)i * 10 * MS + 1};

        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if ((double)(random >> 33) / 0x1p31 < share)
            now.state = USAGE_RUNNABLE;
        if (i > 0)
            cpu += (uint64_t)(share * 10 * (double)MS);
        now.cpu_ns = cpu;
        usage_account_add(&a, &now);
    }
    usage_account_pause(&a);
    return (double)(cpu + a.slept_ns) / ((double)looks * 10 * (double)MS);
}

static void
who_is_runnable_at_looks_pays_for_it(void **state)
{
    (void)state;
    for (int i = 0; i <= 100; i += 5) {
        const double pays = price(i / 100.0);

        if (!(pays > 0.6 && pays <= 1.001))
            fail_msg("runnable in %d%% of the time: pays %g of it", i, pays);
    }
}

/* A child that runs until it is told to sleep. */
static pid_t
start_child(const int run[2])
{
    const pid_t pid = fork();
    char byte;

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    while (read(run[0], &byte, 1) != 1)
        continue;
    for (;;)
        (void)pause();
}

/* Of a process that is there. That it sleeps shows for certain when its CPU time has
 * stood still for a while, however busy this machine is. */
static void
a_process_is_seen_to_run_and_to_sleep(void **state)
{
    int run[2];
    struct sandbox_process child = {.info = -1};
    struct usage u = {.process = {&child}};
    struct usage_tree tree = {0};
    uint64_t before;

    (void)state;
    assert_int_equal(pipe2(run, O_NONBLOCK), 0);
    child.pid = start_child(run);
    while (usage_cpu_ns(&u, 0) < 30 * MS)
        usage_look(&u);
    before = usage_cpu_ns(&u, 0);
    while (usage_cpu_ns(&u, 0) < before + 30 * MS)
        usage_look(&u);
    assert_int_equal(u.account.last.state, USAGE_RUNNABLE);
    assert_int_equal(u.account.slept_ns, 0);
    while (tree.cpu_ns == 0)
        usage_tree_look(&tree, child.pid, 1);
    assert_int_equal(tree.slept_ns, 0);
    assert_int_equal(write(run[1], "", 1), 1);
    while (u.account.slept_ns < 30 * MS) {
        usage_look(&u);
        (void)usleep(1000);
    }
    for (uint64_t now = 2; tree.slept_ns == 0; now++)
        usage_tree_look(&tree, child.pid, now);
    usage_account_pause(&u.account);
    assert_int_equal(kill(child.pid, SIGKILL), 0);
    assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
    close(child.program_pidfd);
    close(run[0]);
    close(run[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_is_what_nobody_ran_or_waited),
        cmocka_unit_test(who_is_runnable_at_looks_pays_for_it),
        cmocka_unit_test(a_process_is_seen_to_run_and_to_sleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
