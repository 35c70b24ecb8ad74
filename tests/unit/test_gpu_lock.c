// links: arbiter device gpu_owner sandbox common folder
/* Arbiters that prepare and measure on one GPU take turns by the lock of gpu_lock.h. */
#include "../fixtures/folder.h"

#include "arbiter/calling/gpu_lock.h"
#include "base/buf.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEVICE "cuda:0"
#define GIB ((uint64_t)1 << 30)

static struct gpu_lock *
open_gpu_lock(bool ahead)
{
    struct report r = {0};
    struct gpu_lock *q;

    if (gpu_lock_open(folder, DEVICE, ahead, &q, &r) != 0)
        fail_msg("%s", r.text);
    return q;
}

static void
sleep_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

/* Another process that prepares: so many steps of so long, one upon the other, `held` in
 * buffers; then it waits for its death. It says "." as each step begins. */
static pid_t
start_neighbour(int steps, long step_ms, uint64_t held, int *said)
{
    int fd[2];
    pid_t pid;

    assert_int_equal(pipe(fd), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct report r = {0};
        struct gpu_lock *q;

        if (gpu_lock_open(folder, DEVICE, true, &q, &r) != 0)
            _exit(1);
        for (int i = 0; i < steps; i++) {
            gpu_lock_enter(q);
            if (write(fd[1], ".", 1) != 1)
                _exit(2);
            sleep_ms(step_ms);
            gpu_lock_leave(q, held);
        }
        if (write(fd[1], "!", 1) != 1)
            _exit(2);
        for (;;)
            pause();
    }
    close(fd[1]);
    *said = fd[0];
    return pid;
}

static char
next(int said)
{
    char c = '\0';

    assert_int_equal(read(said, &c, 1), 1);
    return c;
}

static void
end(pid_t pid, int said)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(said);
}

/* The same without end; each step lasts until it is told to end. */
static pid_t
start_told_neighbour(int *said, int *told)
{
    int from[2], to[2];
    pid_t pid;

    assert_int_equal(pipe(from), 0);
    assert_int_equal(pipe(to), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct report r = {0};
        struct gpu_lock *q;
        char c;

        if (gpu_lock_open(folder, DEVICE, true, &q, &r) != 0)
            _exit(1);
        for (;;) {
            gpu_lock_enter(q);
            if (write(from[1], ".", 1) != 1 || read(to[0], &c, 1) != 1)
                _exit(2);
            gpu_lock_leave(q, 0);
        }
    }
    close(from[1]);
    close(to[0]);
    *said = from[0];
    *told = to[1];
    return pid;
}

/* Steps follow one upon the other. Yet the lock is had after the step that is under way,
 * and while it is held no other step begins. */
static void
lock_comes_after_one_step(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    int said, told;
    pid_t pid = start_told_neighbour(&said, &told);

    (void)state;
    for (int steps = 0; steps < 2; steps++) {
        struct pollfd p = {.fd = said, .events = POLLIN};
        uint64_t busy_ns;

        assert_int_equal(next(said), '.');
        assert_false(gpu_lock_try(q));
        assert_false(gpu_lock_is_held(q));
        assert_int_equal(write(told, ".", 1), 1);
        gpu_lock_take(q);
        assert_true(gpu_lock_is_held(q));
        busy_ns = gpu_lock_busy_ns(q);
        sleep_ms(150);
        assert_int_equal(poll(&p, 1, 0), 0);
        assert_int_equal(gpu_lock_busy_ns(q), busy_ns);
        gpu_lock_give(q);
    }
    assert_int_equal(next(said), '.'); /* it goes on */
    end(pid, said);
    close(told);
    gpu_lock_close(q);
}

static void
nobody_need_be_beside(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    uint64_t held;

    (void)state;
    assert_true(gpu_lock_try(q));
    assert_true(gpu_lock_try(q) && gpu_lock_is_held(q));
    assert_false(gpu_lock_neighbour(q, &held));
    gpu_lock_give(q);
    assert_false(gpu_lock_is_held(q));
    gpu_lock_close(q);
}

static void
time_inside_is_counted(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    const uint64_t before_ns = gpu_lock_busy_ns(q);
    int said;
    pid_t pid = start_neighbour(2, 60, 0, &said);

    (void)state;
    while (next(said) != '!')
        continue;
    assert_true(gpu_lock_busy_ns(q) - before_ns >= 120 * UINT64_C(1000000));
    end(pid, said);
    gpu_lock_close(q);
}

static void
what_was_slow_beside_nobody_has_no_excuse(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false), *ahead = open_gpu_lock(true);
    uint64_t beside_ns = gpu_lock_beside_ns(q);

    (void)state;
    assert_true(gpu_lock_was_undisturbed(q, beside_ns));
    gpu_lock_enter(ahead);
    sleep_ms(1);
    assert_false(gpu_lock_was_undisturbed(q, beside_ns)); /* it is inside */
    gpu_lock_leave(ahead, 0);
    assert_false(gpu_lock_was_undisturbed(q, beside_ns)); /* it was */
    beside_ns = gpu_lock_beside_ns(q);
    assert_true(gpu_lock_was_undisturbed(q, beside_ns));
    gpu_lock_enter(ahead);
    sleep_ms(1);
    gpu_lock_close(ahead);
    assert_false(gpu_lock_was_undisturbed(q, beside_ns));
    gpu_lock_take(q);
    assert_true(gpu_lock_was_undisturbed(q, gpu_lock_beside_ns(q)));
    assert_true(gpu_lock_was_undisturbed(NULL, 0));
    gpu_lock_close(q);
}

static void
a_neighbour_says_what_it_holds(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    uint64_t held;
    int said;
    pid_t pid = start_neighbour(1, 1, 3 * GIB, &said);

    (void)state;
    while (next(said) != '!')
        continue;
    assert_true(gpu_lock_neighbour(q, &held));
    assert_int_equal(held, 3 * GIB);
    end(pid, said);
    assert_false(gpu_lock_neighbour(q, &held));
    /* The next one has nothing yet. */
    pid = start_neighbour(0, 0, 0, &said);
    assert_int_equal(next(said), '!');
    assert_true(gpu_lock_neighbour(q, &held));
    assert_int_equal(held, 0);
    end(pid, said);
    gpu_lock_close(q);
}

static void
who_judges_is_no_neighbour(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false), *other = open_gpu_lock(true);
    uint64_t held;

    (void)state;
    assert_true(gpu_lock_neighbour(q, &held));
    gpu_lock_begin(other, false);
    assert_false(gpu_lock_neighbour(q, &held));
    assert_true(gpu_lock_try(other));
    gpu_lock_close(other);
    gpu_lock_close(q);
}

/* Making a context waits for nobody, and nobody for it; but it disturbs. It is no step.
 */
static void
a_context_is_made_beside_who_measures(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false), *next = open_gpu_lock(true);
    const uint64_t busy_ns = gpu_lock_busy_ns(q);
    uint64_t beside_ns, held;

    (void)state;
    gpu_lock_begin(q, false);
    gpu_lock_allow_contexts(q);
    assert_true(gpu_lock_try(q));
    beside_ns = gpu_lock_beside_ns(q);
    assert_true(gpu_lock_was_undisturbed(q, beside_ns));
    gpu_lock_enter_context(next);
    assert_true(gpu_lock_is_held(q));
    assert_false(gpu_lock_was_undisturbed(q, beside_ns));
    sleep_ms(20);
    gpu_lock_enter_context(next); /* again */
    gpu_lock_leave_context(next, GIB);
    assert_false(gpu_lock_was_undisturbed(q, beside_ns)); /* it was disturbed */
    assert_true(gpu_lock_beside_ns(q) - beside_ns >= 20 * UINT64_C(1000000));
    assert_int_equal(gpu_lock_busy_ns(q), busy_ns);
    beside_ns = gpu_lock_beside_ns(q);
    gpu_lock_leave_context(next, GIB); /* again */
    assert_true(gpu_lock_was_undisturbed(q, beside_ns));
    assert_true(gpu_lock_neighbour(q, &held));
    assert_true(held == GIB);
    assert_true(gpu_lock_waited_ns(next) < 20 * UINT64_C(1000000));
    gpu_lock_give(q);
    gpu_lock_enter_context(next);
    assert_true(gpu_lock_try(q));
    gpu_lock_close(next); /* which ends it */
    assert_true(gpu_lock_was_undisturbed(q, gpu_lock_beside_ns(q)));
    gpu_lock_close(q);
    gpu_lock_enter_context(NULL);
    gpu_lock_leave_context(NULL, 0);
}

/* Beside empty calls nobody makes one. */
static void
contexts_wait_until_they_are_allowed(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    int said[2];
    pid_t pid;
    char c;

    (void)state;
    gpu_lock_begin(q, false);
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct gpu_lock *next = open_gpu_lock(true);

        gpu_lock_enter_context(next);
        _exit(write(said[1], ".", 1) == 1 ? 0 : 1);
    }
    sleep_ms(100);
    assert_int_equal(read(said[0], &c, 1), -1);
    gpu_lock_allow_contexts(q);
    gpu_lock_allow_contexts(q); /* again */
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(read(said[0], &c, 1), 1);
    gpu_lock_close(q);
    close(said[0]);
    close(said[1]);
    gpu_lock_allow_contexts(NULL);
}

/* A process that makes a context and ends it when it is told to, again and again. It says
 * "." when it has begun, and "," when it has ended. */
static pid_t
start_contexts(int *say, int *said)
{
    int to[2], from[2];
    pid_t pid;
    char c;

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct gpu_lock *next = open_gpu_lock(true);

        while (read(to[0], &c, 1) == 1) {
            gpu_lock_enter_context(next);
            if (write(from[1], ".", 1) != 1 || read(to[0], &c, 1) != 1)
                break;
            gpu_lock_leave_context(next, 0);
            if (write(from[1], ",", 1) != 1)
                break;
        }
        _exit(0);
    }
    *say = to[1];
    *said = from[0];
    return pid;
}

/* Nor beside calls that may send little: one that is being made is waited for, and the
 * next one waits until the stretch is over. */
static void
contexts_wait_where_they_are_forbidden(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    int say, said;
    char c;
    pid_t pid = start_contexts(&say, &said);

    (void)state;
    gpu_lock_begin(q, false);
    gpu_lock_allow_contexts(q);
    assert_int_equal(write(say, "b", 1), 1);
    assert_int_equal(read(said, &c, 1), 1);
    gpu_lock_forbid_contexts(q);
    assert_false(gpu_lock_try(q));
    assert_false(gpu_lock_is_held(q));
    assert_int_equal(write(say, "e", 1), 1);
    assert_int_equal(read(said, &c, 1), 1);
    assert_true(gpu_lock_try(q) && gpu_lock_is_held(q));
    assert_int_equal(write(say, "b", 1), 1);
    sleep_ms(100);
    assert_int_equal(fcntl(said, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(said, &c, 1), -1);
    assert_int_equal(fcntl(said, F_SETFL, 0), 0);
    gpu_lock_give(q);
    assert_int_equal(read(said, &c, 1), 1);
    assert_false(gpu_lock_try(q));
    gpu_lock_allow_contexts(q);
    assert_true(gpu_lock_try(q));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    gpu_lock_close(q);
    gpu_lock_forbid_contexts(NULL);
    close(say);
    close(said);
}

/* Steps may be made while a context is, and each counts for itself. */
static void
steps_are_made_beside_a_context(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false), *next = open_gpu_lock(true);
    const uint64_t busy_ns = gpu_lock_busy_ns(q), beside_ns = gpu_lock_beside_ns(q);
    uint64_t steps_ns;

    (void)state;
    gpu_lock_enter_context(next);
    assert_true(gpu_lock_enter_within(next, 0));
    sleep_ms(20);
    gpu_lock_leave(next, GIB);
    steps_ns = gpu_lock_busy_ns(q) - busy_ns;
    assert_true(steps_ns >= 20 * UINT64_C(1000000));
    gpu_lock_leave_context(next, GIB);
    assert_int_equal(gpu_lock_busy_ns(q) - busy_ns, steps_ns);
    assert_true(gpu_lock_beside_ns(q) - beside_ns >= 2 * steps_ns);
    assert_true(gpu_lock_try(q));
    assert_false(gpu_lock_enter_within(next, 5000000)); /* who measures has the GPU */
    assert_true(gpu_lock_waited_ns(next) >= 5 * UINT64_C(1000000));
    gpu_lock_give(q);
    assert_true(gpu_lock_enter_within(next, 5000000));
    assert_false(gpu_lock_try(q));
    gpu_lock_leave(next, 0);
    gpu_lock_close(next);
    gpu_lock_close(q);
}

/* Whoever comes next is told how long ago the GPU was at work. A judgement that has ended
 * does not mean that: a submission may have slept in its last test. */
static void
who_has_measured_says_when(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false), *next;
    uint64_t before_ns;

    (void)state;
    gpu_lock_begin(q, false);
    assert_true(gpu_lock_idle_ns(q) == UINT64_MAX);
    before_ns = now_ns();
    gpu_lock_worked(q);
    sleep_ms(30);
    next = open_gpu_lock(true); /* which writes into the same file */
    gpu_lock_enter(next);
    gpu_lock_leave(next, GIB);
    gpu_lock_begin(next, true);
    assert_true(gpu_lock_follows(next));
    assert_true(gpu_lock_idle_ns(next) >= 30 * UINT64_C(1000000));
    gpu_lock_end(q);
    gpu_lock_ends_well(q);
    gpu_lock_close(q);
    assert_false(gpu_lock_follows(next));
    assert_true(gpu_lock_idle_ns(next) >= 30 * UINT64_C(1000000));
    assert_true(gpu_lock_idle_ns(next) <= now_ns() - before_ns);
    before_ns = now_ns();
    gpu_lock_worked(next);
    assert_true(gpu_lock_idle_ns(next) <= now_ns() - before_ns);
    gpu_lock_close(next);
    assert_true(gpu_lock_idle_ns(NULL) == UINT64_MAX);
    gpu_lock_worked(NULL);
}

/* Who judged before ends its submission and calibrates, or its process is not gone.
 * Nobody measures beside it. Who follows makes steps, as one that prepares does. */
static void
who_follows_makes_steps(void **state)
{
    struct gpu_lock *before = open_gpu_lock(false), *q = open_gpu_lock(true);
    uint64_t held, beside_ns;

    (void)state;
    gpu_lock_begin(before, false);
    assert_true(gpu_lock_try(before));
    gpu_lock_begin(q, false);
    assert_true(gpu_lock_follows(q));
    gpu_lock_hold(q, 2 * GIB);
    assert_true(gpu_lock_neighbour(before, &held));
    assert_true(held == 2 * GIB);
    assert_false(gpu_lock_enter_within(q, 0)); /* it calibrates */
    gpu_lock_give(before);
    beside_ns = gpu_lock_beside_ns(before);
    assert_true(gpu_lock_enter_within(q, 0));
    assert_false(gpu_lock_was_undisturbed(before, beside_ns));
    assert_false(gpu_lock_try(before));
    gpu_lock_leave(q, GIB);
    assert_false(gpu_lock_try(q)); /* it takes nothing */
    assert_true(gpu_lock_try(before));
    gpu_lock_give(before);
    assert_false(gpu_lock_was_undisturbed(q, gpu_lock_beside_ns(q))); /* it may disturb */
    gpu_lock_close(before);
    assert_true(gpu_lock_try(q) && gpu_lock_is_held(q));
    assert_false(gpu_lock_follows(q));
    assert_true(gpu_lock_enter_within(q, 0)); /* which is no step any more */
    gpu_lock_leave(q, 0);
    gpu_lock_give(q);
    assert_true(gpu_lock_was_undisturbed(q, gpu_lock_beside_ns(q)));
    gpu_lock_close(q);
}

/* Only one prepares beside who judges. The next one waits while another still follows. */
static void
who_follows_has_the_place_of_the_next(void **state)
{
    struct gpu_lock *before = open_gpu_lock(false), *q = open_gpu_lock(true);
    int fd[2];
    pid_t pid;
    char c;

    (void)state;
    gpu_lock_begin(before, false);
    gpu_lock_begin(q, false);
    assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct report r = {0};
        struct gpu_lock *next;

        /* Its copies of the open files are gone, so that they hold nothing. */
        gpu_lock_close(before);
        gpu_lock_close(q);
        if (gpu_lock_open(folder, DEVICE, true, &next, &r) != 0)
            _exit(1);
        _exit(write(fd[1], ".", 1) == 1 ? 0 : 2);
    }
    sleep_ms(100);
    assert_int_equal(read(fd[0], &c, 1), -1);
    gpu_lock_close(before);
    assert_false(gpu_lock_follows(q));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(read(fd[0], &c, 1), 1);
    gpu_lock_close(q);
    close(fd[0]);
    close(fd[1]);
}

/* One that ends badly may leave a process of its submission: who follows it is told. */
static void
who_follows_learns_how_the_one_before_ended(void **state)
{
    (void)state;
    for (int well = 0; well < 2; well++) {
        struct gpu_lock *before = open_gpu_lock(false), *q = open_gpu_lock(true);

        gpu_lock_begin(before, false);
        gpu_lock_begin(q, false);
        assert_true(gpu_lock_follows(q));
        if (well == 1)
            gpu_lock_ends_well(before);
        assert_false(gpu_lock_before_is_well(q)); /* it may wait in vain for the end */
        gpu_lock_close(before);
        gpu_lock_await_before(q);
        assert_int_equal(gpu_lock_before_is_well(q), well);
        gpu_lock_close(q);
        q = open_gpu_lock(true); /* gone already: the daemon has seen how it ended */
        gpu_lock_begin(q, false);
        assert_true(gpu_lock_before_is_well(q));
        if (well == 1)
            gpu_lock_ends_well(q);
        gpu_lock_close(q);
        q = open_gpu_lock(true); /* or it has gone since the daemon looked */
        gpu_lock_begin(q, true);
        assert_false(gpu_lock_follows(q));
        assert_int_equal(gpu_lock_before_is_well(q), well);
        gpu_lock_close(q);
    }
    assert_true(gpu_lock_before_is_well(NULL));
}

/* Who has measured nothing still says nothing before who judged before is gone: else the
 * next one would find no turn of its own. */
static void
who_measures_nothing_ends_with_its_turn(void **state)
{
    struct gpu_lock *before = open_gpu_lock(false), *q = open_gpu_lock(true), *next;
    int fd[2], told[2];
    pid_t pid;
    char c;

    (void)state;
    gpu_lock_begin(before, false);
    assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
    assert_int_equal(pipe(told), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) { /* it has the same open file: the turn falls with both */
        if (read(told[0], &c, 1) != 1)
            _exit(2);
        sleep_ms(200);
        _exit(write(fd[1], ".", 1) == 1 ? 0 : 1);
    }
    gpu_lock_close(before);
    gpu_lock_begin(q, false);
    assert_false(gpu_lock_was_undisturbed(q, gpu_lock_beside_ns(q)));
    assert_int_equal(write(told[1], ".", 1), 1);
    gpu_lock_end(q);
    assert_int_equal(read(fd[0], &c, 1), 1);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    for (int i = 0; i < 2; i++) {
        close(fd[i]);
        close(told[i]);
    }
    next = open_gpu_lock(true);
    gpu_lock_begin(next, false);
    assert_false(gpu_lock_try(next));
    gpu_lock_close(q);
    gpu_lock_end(next);
    assert_true(gpu_lock_try(next));
    gpu_lock_end(next); /* once more */
    gpu_lock_close(next);
}

/* Locks of a process that is killed in the middle of a step, or with the GPU lock. */
static void
locks_fall_with_their_process(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false), *ahead = open_gpu_lock(true);
    int fd[2], said;
    pid_t pid;
    char c;

    (void)state;
    gpu_lock_close(ahead);
    pid = start_neighbour(1, 60000, 0, &said);
    assert_int_equal(next(said), '.');
    assert_false(gpu_lock_try(q));
    end(pid, said);
    assert_true(gpu_lock_try(q));
    gpu_lock_give(q);

    assert_int_equal(pipe(fd), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct gpu_lock *mine = open_gpu_lock(false);

        gpu_lock_take(mine);
        _exit(write(fd[1], ".", 1) == 1 && pause() == 0);
    }
    assert_int_equal(read(fd[0], &c, 1), 1);
    assert_false(gpu_lock_try(q));
    gpu_lock_give(q);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    ahead = open_gpu_lock(true);
    gpu_lock_enter(ahead);
    gpu_lock_leave(ahead, 0);
    gpu_lock_close(ahead);
    gpu_lock_close(q);
    close(fd[0]);
    close(fd[1]);
}

static void
who_prepares_waits_for_its_step(void **state)
{
    struct gpu_lock *q = open_gpu_lock(false);
    int said;
    pid_t pid;

    (void)state;
    gpu_lock_take(q);
    pid = start_neighbour(1, 1, 0, &said);
    sleep_ms(100);
    gpu_lock_give(q);
    assert_int_equal(next(said), '.');
    assert_int_equal(next(said), '!');
    end(pid, said);
    gpu_lock_close(q);
}

static void
without_locks_it_is_always_held(void **state)
{
    uint64_t held = 1;

    (void)state;
    gpu_lock_enter(NULL);
    gpu_lock_leave(NULL, 1);
    gpu_lock_begin(NULL, false);
    gpu_lock_end(NULL);
    assert_true(gpu_lock_try(NULL) && gpu_lock_is_held(NULL));
    gpu_lock_take(NULL);
    gpu_lock_give(NULL);
    assert_false(gpu_lock_neighbour(NULL, &held));
    assert_int_equal(held, 0);
    assert_int_equal(gpu_lock_busy_ns(NULL), 0);
    assert_int_equal(gpu_lock_waited_ns(NULL), 0);
    gpu_lock_close(NULL);
}

static void
no_place_for_locks_is_told(void **state)
{
    char *file = folder_path("file");
    struct report r = {0};
    struct gpu_lock *q = NULL;

    (void)state;
    assert_int_equal(file_write(file, "", 0, &r), 0);
    assert_int_equal(gpu_lock_open(file, DEVICE, true, &q, &r), -1);
    assert_true(report_is_set(&r));
    assert_null(q);
    free(file);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_is_made_beside_who_measures),
        cmocka_unit_test(who_has_measured_says_when),
        cmocka_unit_test(lock_comes_after_one_step),
        cmocka_unit_test(nobody_need_be_beside),
        cmocka_unit_test(time_inside_is_counted),
        cmocka_unit_test(what_was_slow_beside_nobody_has_no_excuse),
        cmocka_unit_test(a_neighbour_says_what_it_holds),
        cmocka_unit_test(who_judges_is_no_neighbour),
        cmocka_unit_test(contexts_wait_where_they_are_forbidden),
        cmocka_unit_test(contexts_wait_until_they_are_allowed),
        cmocka_unit_test(steps_are_made_beside_a_context),
        cmocka_unit_test(who_follows_makes_steps),
        cmocka_unit_test(who_follows_has_the_place_of_the_next),
        cmocka_unit_test(who_follows_learns_how_the_one_before_ended),
        cmocka_unit_test(who_measures_nothing_ends_with_its_turn),
        cmocka_unit_test(locks_fall_with_their_process),
        cmocka_unit_test(who_prepares_waits_for_its_step),
        cmocka_unit_test(without_locks_it_is_always_held),
        cmocka_unit_test(no_place_for_locks_is_told),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
