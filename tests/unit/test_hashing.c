// links: daemon common sandbox
/* Passwords in threads beside an event loop: what is right, and how many may wait. */
#include "daemon/hashing.h"

#include <event2/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PASSWORD "correct horse battery"
#define TRIES 10000 /* each takes microseconds to add, and milliseconds to hash */

struct answers {
    struct event_base *base;
    int done, dropped;
    struct hashing_result last;
};

static void
on_done(void *arg, const struct hashing_result *result)
{
    struct answers *a = arg;

    if (result == NULL) {
        a->dropped++;
        return;
    }
    a->done++;
    a->last = *result;
    event_base_loopbreak(a->base);
}

static struct hashing *
hashing_make(struct answers *a)
{
    struct report r = {0};
    struct hashing *h;

    a->base = event_base_new();
    h = hashing_new(a->base, &r);
    if (h == NULL)
        fail_msg("%s", r.text);
    return h;
}

static const struct hashing_result *
hashing_ask(struct hashing *h, struct answers *a, const char *proves, const char *stored,
            const char *sets)
{
    const struct hashing_task task = {.proves = proves, .stored = stored, .sets = sets};

    assert_int_equal(hashing_add(h, &task, on_done, a), 0);
    assert_int_equal(event_base_dispatch(a->base), 0);
    return &a->last;
}

static void
only_the_right_password_is_right(void **state)
{
    struct answers a = {0};
    struct hashing *h = hashing_make(&a);
    char first[HASHING_TEXT_BYTES], second[HASHING_TEXT_BYTES];

    (void)state;
    assert_true(hashing_ask(h, &a, NULL, NULL, PASSWORD)->right);
    snprintf(first, sizeof first, "%s", a.last.text);
    assert_int_equal(strncmp(first, "$argon2id$v=19$m=19456,t=2,p=1$", 31), 0);
    hashing_ask(h, &a, NULL, NULL, PASSWORD);
    snprintf(second, sizeof second, "%s", a.last.text);
    assert_string_not_equal(first, second); /* each has a salt of its own */
    assert_true(hashing_ask(h, &a, PASSWORD, first, NULL)->right);
    assert_string_equal(a.last.text, "");
    assert_false(hashing_ask(h, &a, PASSWORD " ", first, NULL)->right);
    assert_false(hashing_ask(h, &a, "", first, NULL)->right);
    assert_false(hashing_ask(h, &a, PASSWORD, NULL, NULL)->right);
    assert_false(hashing_ask(h, &a, PASSWORD, "no hash", NULL)->right);
    /* A new one is made only where the one of before is right. */
    assert_false(hashing_ask(h, &a, "wrong", first, "the next password")->right);
    assert_string_equal(a.last.text, "");
    assert_true(hashing_ask(h, &a, PASSWORD, first, "the next password")->right);
    snprintf(second, sizeof second, "%s", a.last.text);
    assert_true(hashing_ask(h, &a, "the next password", second, NULL)->right);
    hashing_free(h);
    assert_int_equal(a.dropped, 0);
    event_base_free(a.base);
}

static void
so_many_wait_and_no_more(void **state)
{
    const struct hashing_task task = {.sets = PASSWORD};
    struct answers a = {0};
    struct hashing *h = hashing_make(&a);
    int added = 0;

    (void)state;
    while (added < TRIES && hashing_add(h, &task, on_done, &a) == 0)
        added++;
    assert_in_range(added, HASHING_WAITING, TRIES - 1);
    hashing_free(h);
    assert_int_equal(a.done, 0); /* the loop did not run */
    assert_int_equal(a.dropped, added);
    event_base_free(a.base);
}

/* Who joins gets a password while many sign in, and the other way about. */
static void
first_passwords_have_places_of_their_own(void **state)
{
    const struct hashing_task task = {.proves = PASSWORD};
    const struct hashing_task first = {.sets = PASSWORD, .is_first = true};
    struct answers a = {0};
    struct hashing *h = hashing_make(&a);
    int added = 0, firsts = 0;

    (void)state;
    while (firsts < TRIES && hashing_add(h, &first, on_done, &a) == 0)
        firsts++;
    assert_in_range(firsts, HASHING_FIRST, TRIES - 1);
    while (added < TRIES && hashing_add(h, &task, on_done, &a) == 0)
        added++;
    assert_in_range(added, HASHING_WAITING, TRIES - 1);
    while (firsts < 2 * TRIES && hashing_add(h, &first, on_done, &a) == 0)
        firsts++;
    assert_in_range(firsts, HASHING_FIRST, TRIES - 1);
    assert_int_equal(hashing_add(h, &task, on_done, &a), -1);
    hashing_free(h);
    assert_int_equal(a.dropped, added + firsts);
    event_base_free(a.base);
}

static void
length_is_the_only_rule(void **state)
{
    char longest[PASSWORD_BYTES_MAX + 2];
    struct report r = {0};

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(password_check(longest, &r), -1);
    assert_int_equal(password_check_length(longest, &r), -1);
    longest[PASSWORD_BYTES_MAX] = '\0';
    assert_int_equal(password_check(longest, &r), 0);
    assert_int_equal(password_check("123456789", &r), -1);
    assert_int_equal(password_check("1234567890", &r), 0);
    assert_int_equal(password_check("          ", &r), 0);
    /* Characters count, not bytes. */
    assert_int_equal(password_check("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", &r),
                     -1);
    assert_int_equal(password_check_length("", &r), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_right_password_is_right),
        cmocka_unit_test(so_many_wait_and_no_more),
        cmocka_unit_test(first_passwords_have_places_of_their_own),
        cmocka_unit_test(length_is_the_only_rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
