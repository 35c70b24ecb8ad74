// links: daemon sandbox common
/* The log of events: which ones are kept. */
#include "daemon/event_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t
add(struct event_log *log, int64_t submission, const char *text)
{
    return event_log_add(log, &(struct logged_event){.kind = EVENT_STATE,
                                                     .submission = submission,
                                                     .user = "ada",
                                                     .problem = "p",
                                                     .text = text});
}

static void
an_empty_log_has_no_event(void **state)
{
    struct event_log *log = event_log_new(3);

    (void)state;
    assert_int_equal(event_log_last(log), 0);
    assert_int_equal(event_log_first(log), 1);
    event_log_free(log);
}

static void
the_last_ones_are_kept(void **state)
{
    struct event_log *log = event_log_new(3);
    char text[] = "one";

    (void)state;
    assert_int_equal(add(log, 7, text), 1);
    text[0] = 'x'; /* the log has its own copy */
    assert_string_equal(event_log_get(log, 1)->text, "one");
    for (uint64_t i = 2; i <= 10; i++) {
        assert_int_equal(add(log, (int64_t)i, "more"), i);
        assert_int_equal(event_log_last(log), i);
        assert_int_equal(event_log_first(log), i < 3 ? 1 : i - 2);
        for (uint64_t k = event_log_first(log); k <= i; k++)
            assert_int_equal(event_log_get(log, k)->submission, k == 1 ? 7 : (int64_t)k);
    }
    assert_string_equal(event_log_get(log, 10)->user, "ada");
    assert_string_equal(event_log_get(log, 10)->problem, "p");
    event_log_free(log);
}

static void
what_is_forgotten_has_its_number_still(void **state)
{
    struct event_log *log = event_log_new(3);

    (void)state;
    for (int i = 0; i < 5; i++)
        add(log, i, "old");
    event_log_forget(log);
    assert_int_equal(event_log_last(log), 5);
    assert_int_equal(event_log_first(log), 6);
    assert_int_equal(add(log, 9, "new"), 6);
    assert_int_equal(event_log_first(log), 6);
    assert_string_equal(event_log_get(log, 6)->text, "new");
    for (int i = 0; i < 3; i++)
        add(log, i, "more");
    assert_int_equal(event_log_first(log), 7);
    event_log_free(log);
}

static void
who_has_all_lags_behind_one_that_was_lost(void **state)
{
    struct event_log *log = event_log_new(3);
    uint64_t next = add(log, 1, "got") + 1;

    (void)state;
    event_log_add_lost(log);
    assert_true(next < event_log_first(log));
    assert_int_equal(event_log_first(log), event_log_last(log) + 1);
    assert_int_equal(add(log, 2, "new"), next + 1);
    assert_int_equal(event_log_get(log, next + 1)->submission, 2);
    event_log_free(log);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_log_has_no_event),
        cmocka_unit_test(the_last_ones_are_kept),
        cmocka_unit_test(what_is_forgotten_has_its_number_still),
        cmocka_unit_test(who_has_all_lags_behind_one_that_was_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
