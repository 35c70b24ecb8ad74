// links: arbiter device gpu_owner sandbox common submission
/*
 * Whole judgements of the sample tests on the device "host": submissions in C, each wrong
 * in a way of its own, loaded by the real runner in the real sandbox.
 */
#include "../fixtures/folder.h"
#include "../fixtures/submission.h"

#include "arbiter/phases.h"

#include "arbiter/calling/gpu_lock.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int
set_up(void **state)
{
    if (submission_set_up(state) != 0)
        return -1;
    submission_job("host", 1);
    return 0;
}

static int
prepare(struct judgement *j, bool ahead, struct report *r)
{
    return judgement_open(j, folder, ahead, NULL, r) == 0 ? judgement_prepare(j, r) : -1;
}

/* Judges one submission; message must hold `says`. */
static void
expect(const char *prelude, const char *body, enum verdict want, const char *says)
{
    struct judgement j;
    struct report r = {0};

    submission_add("submission", prelude, body);
    if (prepare(&j, false, &r) != 0 || judgement_run(&j, &r) != 0)
        fail_msg("%s", r.text);
    assert_string_equal(verdict_name(j.result.verdict), verdict_name(want));
    if (strstr(j.result.message, says) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", j.result.message, says);
    assert_true(j.result.test_count >= 1);
    assert_int_equal(j.result.test[j.result.test_count - 1].verdict, want);
    judgement_close(&j);
}

static void
a_right_answer_is_accepted(void **state)
{
    (void)state;
    expect("", SUM, VERDICT_ACCEPTED, "");
}

static void
a_reference_may_come_late(void **state)
{
    char *reference = xasprintf("%s/reference", folder);
    char *elsewhere = xasprintf("%s/elsewhere", folder);
    struct judgement j;
    struct report r = {0};

    (void)state;
    submission_add("submission", "", SUM);
    assert_int_equal(rename(reference, elsewhere), 0);
    if (judgement_open(&j, folder, false, NULL, &r) != 0 || judgement_wake(&j, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(rename(elsewhere, reference), 0);
    if (judgement_prepare(&j, &r) != 0 || judgement_run(&j, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
    free(reference);
    free(elsewhere);
}

static void
samples_show_values_and_output(void **state)
{
    struct judgement j;
    struct report r = {0};
    const char *detail;

    (void)state;
    submission_add("submission", "int printf(const char *, ...);",
                   SUM "printf(\"N is %d\\n\", N);");
    if (prepare(&j, false, &r) != 0 || judgement_run(&j, &r) != 0)
        fail_msg("%s", r.text);
    detail = j.result.test[0].detail;
    assert_non_null(strstr(detail, "A = [1, 2, 3, 4]\n"));
    assert_non_null(strstr(detail, "\nC = [11, 22, 33, 44.5]\n"));
    assert_non_null(strstr(detail, "expected C = [11, 22, 33, 44.5]\n"));
    assert_non_null(strstr(detail, "printed:\nN is 4\n"));
    judgement_close(&j);
}

static void
a_wrong_answer_is_explained(void **state)
{
    (void)state;
    expect(
        "", SUM "C[N - 1] = 0;", VERDICT_WRONG_ANSWER,
        "test 1 (N=4): C[3] is 0 where 44.5 is expected (absolute error 44.5, relative "
        "1); 1 of 4 elements is wrong");
    expect("", SUM "C[1] = 0.0f / 0.0f;", VERDICT_WRONG_ANSWER, "C[1] is NaN where 22");
    expect("", SUM "A[2] = 8;", VERDICT_WRONG_ANSWER, "the call changed its input A");
}

static void
dying_is_a_runtime_error(void **state)
{
    (void)state;
    expect("void _exit(int);", "_exit(3);", VERDICT_RUNTIME_ERROR,
           "exited with status 3 during test 1 (N=4)");
    expect("", SUM "*(volatile int *)8 = 1;", VERDICT_RUNTIME_ERROR, "SIGSEGV");
}

/* As it is loaded, which is for the first test. */
static void
dying_in_a_constructor_is_one_too(void **state)
{
    (void)state;
    expect("void _exit(int); __attribute__((constructor)) static void first(void) { "
           "_exit(3); }",
           SUM, VERDICT_RUNTIME_ERROR, "exited with status 3 during test 1 (N=4)");
    expect("__attribute__((constructor)) static void first(void) { "
           "*(volatile int *)8 = 1; }",
           SUM, VERDICT_RUNTIME_ERROR, "SIGSEGV");
}

static void
what_cannot_be_loaded_is_its_authors_fault(void **state)
{
    (void)state;
    expect("int nowhere(void); int (*volatile needed)(void) = nowhere;", SUM,
           VERDICT_RUNTIME_ERROR,
           "the program cannot be loaded: undefined symbol: nowhere");
}

/* The process that was started first by `pid`; 0: there is none. */
static pid_t
first_child(pid_t pid)
{
    char *path = xasprintf("/proc/%d/task/%d/children", (int)pid, (int)pid);
    struct report r = {0};
    struct buf children = {0};
    long child = 0;

    if (file_read(path, 4096, &children, &r) == 0)
        child = strtol(buf_str(&children), NULL, 10);
    buf_free(&children);
    free(path);
    return (pid_t)child;
}

/* Nothing of the submission's has run by then. The process that is killed is bubblewrap,
 * and the runner dies with it. */
static void
a_process_that_ends_before_is_ours(void **state)
{
    struct report r = {0};
    struct judgement j;
    struct pollfd runner = {.events = POLLIN};
    pid_t pid, next;

    (void)state;
    submission_add("submission", "", SUM);
    if (prepare(&j, false, &r) != 0 || runner_link_wake(j.runner, &r) != 0)
        fail_msg("%s", r.text);
    pid = first_child(getpid()); /* the reference's came later */
    assert_true(pid > 1);
    for (next = pid; first_child(next) > 1;)
        next = first_child(next);
    runner.fd = (int)syscall(SYS_pidfd_open, next, 0);
    assert_true(runner.fd >= 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(poll(&runner, 1, -1), 1);
    close(runner.fd);
    assert_int_equal(judgement_run(&j, &r), -1);
    assert_non_null(strstr(r.text, "a runner does not come up"));
    judgement_close(&j);
}

static void
forged_messages_gain_nothing(void **state)
{
    static const char forge[] =
        "long write(int, const void *, unsigned long);\n"
        "unsigned sleep(unsigned);\n"
        "#include \"runner/protocol.h\"\n"
        "static struct runner_reply forged = {.op = RUNNER_DONE};\n";

    (void)state;
    /* Done before it has computed: the outputs are copied too early for it. */
    expect(forge, "write(3, &forged, sizeof forged); sleep(600); " SUM,
           VERDICT_WRONG_ANSWER, "C[0] is 0 where 11");
    /* Done before it was released. */
    expect("long write(int, const void *, unsigned long);\n"
           "#include \"runner/protocol.h\"\n"
           "static struct runner_reply forged = {.op = RUNNER_DONE};\n"
           "__attribute__((constructor)) static void early(void) { write(3, &forged, "
           "sizeof forged); }",
           SUM, VERDICT_DISQUALIFIED, "the channel");
}

static void
floods_are_stopped(void **state)
{
    (void)state;
    expect("int puts(const char *);",
           "for (;;) puts(\"yes yes yes yes yes yes yes yes\");", VERDICT_OUTPUT_LIMIT,
           "printed more than");
}

/* Another process holds the GPU lock for so long. */
static pid_t
measure_elsewhere(long ms)
{
    const struct timespec while_ns = {.tv_nsec = ms * 1000000};
    struct report r = {0};
    struct gpu_lock *q;
    int fd[2];
    char c;
    pid_t pid;

    assert_int_equal(pipe(fd), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (gpu_lock_open(folder, "host", false, &q, &r) != 0)
            _exit(1);
        gpu_lock_take(q);
        _exit(write(fd[1], ".", 1) != 1 || nanosleep(&while_ns, NULL) != 0);
    }
    assert_int_equal(read(fd[0], &c, 1), 1);
    close(fd[0]);
    close(fd[1]);
    return pid;
}

/* And is seen to prepare until its own turn has come. */
static void
preparing_ahead_waits_for_the_lock(void **state)
{
    struct report r = {0};
    struct judgement j = {0};
    struct gpu_lock *q;
    uint64_t held, start_ns;
    pid_t pid;

    (void)state;
    submission_add("submission", "", SUM);
    start_ns = now_ns();
    pid = measure_elsewhere(400);
    if (gpu_lock_open(folder, "host", false, &q, &r) != 0 || prepare(&j, true, &r) != 0)
        fail_msg("%s", r.text);
    assert_true(now_ns() - start_ns > 400 * UINT64_C(1000000));
    assert_true(gpu_lock_waited_ns(j.gpu_lock) > 0);
    assert_true(j.prepare_ns + gpu_lock_waited_ns(j.gpu_lock) < now_ns() - start_ns);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(gpu_lock_neighbour(q, &held));
    assert_int_equal(held, device_own_bytes(j.device));
    if (judgement_run(&j, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_false(gpu_lock_neighbour(q, &held));
    judgement_close(&j);
    gpu_lock_close(q);
}

/* What a neighbour holds may be what the submission was short of: alone it is tried
 * again. */
static void
memory_is_short_beside_a_neighbour(void **state)
{
    struct report r = {0};
    struct judgement j;
    struct gpu_lock *q = NULL;

    (void)state;
    submission_add("submission", "int cudaDeviceSynchronize(void) { return 2; }", SUM);
    for (int beside = 0; beside < 2; beside++) {
        if (prepare(&j, false, &r) != 0 ||
            (beside && gpu_lock_open(folder, "host", true, &q, &r) != 0) ||
            judgement_run(&j, &r) != 0)
            fail_msg("%s", r.text);
        assert_int_equal(j.result.verdict, VERDICT_MEMORY_LIMIT);
        assert_int_equal(j.result.may_retry, beside);
        judgement_close(&j);
    }
    gpu_lock_close(q);
}

static void
nobody_prepares_ahead_on_emu(void **state)
{
    struct report r = {0};
    struct judgement j;

    (void)state;
    submission_job("emu", 1);
    assert_int_equal(judgement_open(&j, folder, true, NULL, &r), -1);
    assert_non_null(strstr(r.text, "nobody shares emu"));
    judgement_close(&j);
    submission_job("host", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_answer_is_accepted),
        cmocka_unit_test(a_reference_may_come_late),
        cmocka_unit_test(samples_show_values_and_output),
        cmocka_unit_test(a_wrong_answer_is_explained),
        cmocka_unit_test(dying_is_a_runtime_error),
        cmocka_unit_test(dying_in_a_constructor_is_one_too),
        cmocka_unit_test(what_cannot_be_loaded_is_its_authors_fault),
        cmocka_unit_test(a_process_that_ends_before_is_ours),
        cmocka_unit_test(forged_messages_gain_nothing),
        cmocka_unit_test(floods_are_stopped),
        cmocka_unit_test(preparing_ahead_waits_for_the_lock),
        cmocka_unit_test(memory_is_short_beside_a_neighbour),
        cmocka_unit_test(nobody_prepares_ahead_on_emu),
    };

    return cmocka_run_group_tests(tests, set_up, folder_remove);
}
