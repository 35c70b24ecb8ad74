// links: arbiter device gpu_owner sandbox common
/*
 * Hostile runners. Each test starts this program again as a runner that misbehaves in one
 * way (its name is the argument) and looks at what the arbiter's side makes of it.
 */
#include "arbiter/calling/runner_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_MS 60000 /* for what comes at once where nothing else runs */
#define GRACE_MS 200

/* --- the other side ----------------------------------------------------------------- */

static void
say(uint32_t op, int32_t status)
{
    struct runner_reply reply = {.op = op, .status = status};

    memset(reply.text, 'x', sizeof reply.text); /* never terminated */
    (void)!send(RUNNER_FD, &reply, sizeof reply, 0);
}

static void
hear(void)
{
    struct runner_request request;

    (void)!recv(RUNNER_FD, &request, sizeof request, 0);
}

static noreturn void
sleep_forever(void)
{
    for (;;)
        pause();
}

static void
flood(void)
{
    char text[65536];

    memset(text, 'y', sizeof text);
    while (write(STDOUT_FILENO, text, sizeof text) > 0)
        ;
}

static noreturn void
misbehave(const char *how)
{
    char big[4096] = "";

    hear();
    if (strcmp(how, "honest") == 0)
        say(RUNNER_READY, 0);
    else if (strcmp(how, "early") == 0)
        say(RUNNER_DONE, 0);
    else if (strcmp(how, "short") == 0)
        (void)!send(RUNNER_FD, big, 1, 0);
    else if (strcmp(how, "huge") == 0)
        (void)!send(RUNNER_FD, big, sizeof big, 0);
    else if (strcmp(how, "close") == 0)
        close(RUNNER_FD);
    else if (strcmp(how, "exit") == 0)
        _exit(7);
    else if (strcmp(how, "say-and-exit") == 0)
        say(RUNNER_READY, 0), _exit(7);
    else if (strcmp(how, "crash") == 0)
        signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
    else if (strcmp(how, "flood") == 0)
        flood();
    else if (strcmp(how, "twice") == 0)
        say(RUNNER_READY, 0), say(RUNNER_DONE, 0);
    sleep_forever();
}

/* --- ours --------------------------------------------------------------------------- */

static struct runner_link *
start(const char *how)
{
    char self[PATH_MAX] = "";
    const char *const argv[] = {self, how, NULL};
    const char *const env[] = {"ASAN_OPTIONS=detect_leaks=0", NULL};
    struct sandbox_fd fd = {.to = RUNNER_FD};
    struct sandbox s = {.program = self,
                        .argv = argv,
                        .env = env,
                        .fd = &fd,
                        .fd_count = 1,
                        .insecure = true};
    struct sandbox_process process;
    struct report r = {0};
    int pair[2];

    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    fd.from = pair[1];
    if (sandbox_start(&s, &process, &r) != 0)
        fail_msg("%s", r.text);
    close(pair[1]);
    /* A process that ends has all the time between its socket's end and its own. */
    return runner_link_adopt(pair[0], &process,
                             strcmp(how, "close") == 0 ? GRACE_MS : ANSWER_MS);
}

static void
expect(const char *how, uint64_t timeout_ms, enum runner_event want)
{
    const struct runner_request request = {.op = RUNNER_CALL};
    struct runner_link *l = start(how);
    struct runner_reply reply;

    runner_link_send(l, &request, -1);
    assert_int_equal(runner_link_wait(l, RUNNER_READY, timeout_ms, &reply), want);
    if (want == RUNNER_ANSWERED)
        assert_int_equal(strlen(reply.text), RUNNER_TEXT_MAX - 1);
    runner_link_free(l);
}

static void
an_answer_is_an_answer(void **state)
{
    (void)state;
    expect("honest", ANSWER_MS, RUNNER_ANSWERED);
    /* What was said before the end still counts. */
    expect("say-and-exit", ANSWER_MS, RUNNER_ANSWERED);
}

static void
packets_out_of_turn_are_lies(void **state)
{
    (void)state;
    expect("early", ANSWER_MS, RUNNER_LIED);
    expect("short", ANSWER_MS, RUNNER_LIED);
    expect("huge", ANSWER_MS, RUNNER_LIED);
}

static void
a_closed_channel_is_a_lie(void **state)
{
    (void)state;
    expect("close", ANSWER_MS, RUNNER_LIED);
}

static void
a_second_packet_is_seen_before_the_release(void **state)
{
    const struct runner_request request = {.op = RUNNER_CALL};
    struct runner_link *l = start("twice");
    struct runner_reply reply;
    bool spoke = false;

    (void)state;
    runner_link_send(l, &request, -1);
    assert_int_equal(runner_link_wait(l, RUNNER_READY, ANSWER_MS, &reply),
                     RUNNER_ANSWERED);
    for (int i = 0; i < ANSWER_MS && !spoke; i++) {
        spoke = runner_link_spoke(l);
        usleep(1000);
    }
    assert_true(spoke);
    runner_link_free(l);
}

static void
silence_ends_at_the_deadline(void **state)
{
    (void)state;
    expect("silent", 50, RUNNER_LATE);
}

static void
a_flood_is_stopped(void **state)
{
    (void)state;
    expect("flood", ANSWER_MS, RUNNER_FLOODED);
}

static void
ends_are_told_apart(void **state)
{
    static const struct {
        const char *how;
        enum sandbox_end end;
        int code;
    } cases[] = {{"exit", SANDBOX_EXITED, 7}, {"crash", SANDBOX_SIGNALED, SIGSEGV}};
    const struct runner_request request = {.op = RUNNER_CALL};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct runner_link *l = start(cases[i].how);
        struct runner_exit ended;
        struct runner_reply reply;

        runner_link_send(l, &request, -1);
        assert_int_equal(runner_link_wait(l, RUNNER_READY, ANSWER_MS, &reply),
                         RUNNER_ENDED);
        runner_link_stop(l, &ended);
        assert_false(ended.killed);
        assert_int_equal(ended.end, cases[i].end);
        assert_int_equal(ended.code, cases[i].code);
        runner_link_free(l);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_an_answer),
        cmocka_unit_test(packets_out_of_turn_are_lies),
        cmocka_unit_test(a_closed_channel_is_a_lie),
        cmocka_unit_test(a_second_packet_is_seen_before_the_release),
        cmocka_unit_test(silence_ends_at_the_deadline),
        cmocka_unit_test(a_flood_is_stopped),
        cmocka_unit_test(ends_are_told_apart),
    };

    if (argc == 2)
        misbehave(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
