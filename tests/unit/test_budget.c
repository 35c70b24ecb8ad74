// links: arbiter device gpu_owner sandbox common
/* The budgets of a call and of all calls on a GPU, whose times are put in by hand. What
 * they are on emu, test_busy_host.py and the attacks show. */
#include "arbiter/judging/budget.h"
#include "arbiter/phases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define CALL_MS 100

/* A process that does nothing, in place of a runner. */
static struct runner_link *
start_sleeper(void)
{
    static const char *const argv[] = {"/bin/sleep", "1000", NULL};
    const struct sandbox s = {.program = argv[0], .argv = argv, .insecure = true};
    struct sandbox_process process;
    struct report r = {0};
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    if (sandbox_start(&s, &process, &r) != 0)
        fail_msg("%s", r.text);
    close(pair[1]);
    return runner_link_adopt(pair[0], &process, 200);
}

static void
a_call_has_what_all_calls_have_left(void **state)
{
    static const struct {
        uint64_t spent_ms, call_ms;
        const char *says;
    } cases[] = {
        {0, CALL_MS, "test 1 did not end within 0.1 s: it spins"},
        {BUDGET_CALLS_GPU * CALL_MS - CALL_MS, CALL_MS,
         "test 1 did not end within 0.1 s: it spins"},
        {BUDGET_CALLS_GPU * CALL_MS - 40, 40,
         "test 1: the program's calls take more than 1.2 s together: it spins"},
        {BUDGET_CALLS_GPU * CALL_MS, 1,
         "test 1: the program's calls take more than 1.2 s together: it spins"},
        {BUDGET_CALLS_GPU * CALL_MS + 700, 1,
         "test 1: the program's calls take more than 1.2 s together: it spins"},
    };
    struct problem problem = {.time_limit_ms = CALL_MS};
    const struct device_options options = {.insecure = true};
    struct judgement j = {.problem = &problem};
    struct report r = {0};

    (void)state;
    j.device = device_open("host", &options, &r);
    assert_non_null(j.device);
    j.runner = start_sleeper();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        budget_begin(&j);
        j.budget.spent_ns = cases[i].spent_ms * MS;
        assert_int_equal(budget_call_begin(&j), cases[i].call_ms);
        budget_call_release(&j);
        budget_call_end(&j);
        assert_true(j.budget.spent_ns > cases[i].spent_ms * MS);
        assert_false(budget_work_is_spent(&j)); /* there is no emulated GPU */
        budget_exceeded(&j, "test 1", "it spins");
        assert_int_equal(j.outcome.verdict, VERDICT_TIME_LIMIT);
        assert_string_equal(j.outcome.message, cases[i].says);
        outcome_free(&j.outcome);
        j.outcome = (struct outcome){0};
    }
    runner_link_free(j.runner);
    device_close(j.device);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_what_all_calls_have_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
