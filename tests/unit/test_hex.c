// links: common
#include "base/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
bytes_become_digits(void **state)
{
    char text[9] = "xxxxxxxx";

    (void)state;
    hex_write(text, "\x00\x9a\xff", 3);
    assert_string_equal(text, "009aff");
    assert_int_equal(text[7], 'x');
    hex_write(text, "", 0);
    assert_string_equal(text, "");
}

/* Of 40 bytes, each digit is drawn: a text of zeros only comes once in 2^160. */
static void
drawn_digits_differ(void **state)
{
    char one[82], two[82];

    (void)state;
    memset(one, 'x', sizeof one);
    hex_draw(one, 40);
    hex_draw(two, 40);
    assert_int_equal(strlen(one), 80);
    assert_int_equal(one[81], 'x');
    assert_int_equal(strspn(one, "0123456789abcdef"), 80);
    assert_int_not_equal(strncmp(one, two, 40), 0);
    assert_int_not_equal(strcmp(one + 40, two + 40), 0);
    assert_int_not_equal(strncmp(one + 64, "0000000000000000", 16), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_digits),
        cmocka_unit_test(drawn_digits_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
