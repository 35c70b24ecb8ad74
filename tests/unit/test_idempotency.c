// links: common sandbox daemon
/* How many idempotency keys are kept, and which go first. */
#include "daemon/idempotency.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct call_key
key_number(int n)
{
    struct call_key key = {.given = true};
    char text[24];

    snprintf(text, sizeof text, "%d", n);
    hash_hex(text, strlen(text), key.owner);
    return key;
}

static void
the_oldest_keys_go_first(void **state)
{
    struct idempotency *all = idempotency_new();
    const struct call_key none = {0};
    struct call_key key;
    uint64_t body;

    (void)state;
    idempotency_keep(all, &none, 1);
    for (int i = 0; i < KEYS_MAX + 10; i++) {
        key = key_number(i);
        idempotency_forget_old(all);
        idempotency_keep(all, &key, i);
    }
    for (int i = 0; i < KEYS_MAX + 10; i++) {
        const bool kept = i >= 10;

        key = key_number(i);
        assert_int_equal(idempotency_find(all, &key, &body), kept ? i : 0);
    }
    idempotency_free(all);
    idempotency_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_keys_go_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
