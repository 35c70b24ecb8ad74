// links: daemon sandbox common
/* Whether a node's GPU is like the others of its board. */
#include "daemon/agreement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct node_rates USUAL[] = {
    {4100, 4300, 55}, {4110, 4310, 55.1}, {4090, 4290, 54.9}};

static void
assert_says(const struct node_rates *own, const struct node_rates *others, size_t count,
            const char *words)
{
    char *text = agreement_off(own, others, count);

    if (words == NULL) {
        assert_null(text);
    } else {
        assert_non_null(text);
        assert_non_null(strstr(text, words));
    }
    free(text);
}

static void
within_two_percent_they_agree(void **state)
{
    (void)state;
    assert_says(&(struct node_rates){4100 * 1.019, 4300, 55}, USUAL, 3, NULL);
    assert_says(&(struct node_rates){4100 * 0.981, 4300 * 1.019, 55}, USUAL, 3, NULL);
    assert_says(&(struct node_rates){4100 * 0.97, 4300, 55}, USUAL, 3,
                "copy bandwidth is 3.0% below the 4100 GB/s");
    assert_says(&(struct node_rates){4100, 4300 * 1.021, 55}, USUAL, 3,
                "read bandwidth is 2.1% above");
    assert_says(&(struct node_rates){4100, 4300, 50}, USUAL, 3,
                "fp32 rate is 9.1% below");
}

/* One odd node among the others does not move their median. */
static void
an_outlier_judges_nobody(void **state)
{
    const struct node_rates others[] = {USUAL[0], {2000, 2000, 20}, USUAL[1]};

    (void)state;
    assert_says(&USUAL[2], others, 3, NULL);
    assert_says(&others[1], USUAL, 3, "copy bandwidth");
}

/* Of two that differ nobody knows which is right. */
static void
one_other_is_not_enough(void **state)
{
    const struct node_rates sick = {2000, 2000, 20};
    const struct node_rates two[] = {sick, USUAL[0]};
    const struct node_rates apart[] = {
        sick, {3000, 3000, 30}, {1000, 1000, 10}, USUAL[0]};

    (void)state;
    assert_says(&USUAL[0], &sick, 1, NULL);
    assert_says(&USUAL[1], two, 2, NULL);
    assert_says(&USUAL[1], apart, 4, NULL);
    assert_says(&sick, USUAL, 2, "copy bandwidth");
}

static void
without_others_there_is_nothing_to_say(void **state)
{
    static const struct node_rates NOTHING = {0};

    (void)state;
    assert_says(&USUAL[0], NULL, 0, NULL);
    assert_says(&USUAL[0], &NOTHING, 1, NULL);
    assert_says(&NOTHING, USUAL, 3, NULL);
}

static void
rates_are_read_out_of_conditions(void **state)
{
    struct node_rates rates = {0};

    (void)state;
    assert_true(agreement_read("{\"gpu\":\"x\",\"before\":{\"copy_gbs\":4100,"
                               "\"read_gbs\":4300,\"fp32_tflops\":55,\"seconds\":1}}",
                               &rates));
    assert_true(rates.copy_gbs > 4099 && rates.fp32_tflops > 54);
    assert_false(agreement_read(NULL, &rates));
    assert_false(agreement_read("nonsense", &rates));
    assert_false(
        agreement_read("{\"before\":{\"copy_gbs\":-1,\"read_gbs\":\"4\"}}", &rates));
    assert_false(agreement_read("{\"before\":{\"copy_gbs\":1e999}}", &rates));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_two_percent_they_agree),
        cmocka_unit_test(an_outlier_judges_nobody),
        cmocka_unit_test(one_other_is_not_enough),
        cmocka_unit_test(without_others_there_is_nothing_to_say),
        cmocka_unit_test(rates_are_read_out_of_conditions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
