// links: common store_place
/* Calibrations by GPU and day, from the results that they come with. */
#include "../fixtures/store_place.h"

#include "base/file.h"
#include "record/calibrations.h"
#include "record/replace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TODAY (now_ms() / CALIBRATION_DAY_MS)

#define MEASURED(gpu, copy, after)                                                       \
    "{\"gpu\":\"" gpu "\",\"compared_with\":9,\"before\":{\"copy_gbs\":" copy            \
    ",\"read_gbs\":4100.5,\"fp32_tflops\":60,\"seconds\":0.1}" after                     \
    ",\"null_samples_ns\":[1,2]}"
#define AFTER(copy)                                                                      \
    ",\"after\":{\"copy_gbs\":" copy ",\"read_gbs\":4100.5,\"fp32_tflops\":62}"

static struct result
result_with(const char *conditions)
{
    struct result res = {.verdict = VERDICT_WRONG_ANSWER};

    res.timing.conditions = (char *)(uintptr_t)conditions;
    return res;
}

static int64_t
record(struct store *s, const char *conditions)
{
    const int64_t id = store_submit_as(s, "ada", false);
    struct result res = result_with(conditions);
    const struct finished_submission f = {.result = &res};
    struct report r = {0};

    assert_int_equal(store_record(s, id, &f, &r), 0);
    return id;
}

static struct calibrated_gpu
next(struct store *s, const char *after, int64_t first)
{
    struct calibrated_gpu g = {0};
    struct report r = {0};
    bool found;

    assert_int_equal(store_next_calibrated(s, after, first, &found, &g, &r), 0);
    assert_int_equal(found, g.gpu != NULL);
    return g;
}

static void
a_day_has_all_that_was_measured_on_it(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct calibrated_gpu g = next(s, "", 0);

    assert_null(g.gpu);
    record(s, MEASURED("GPU-b", "4000", AFTER("4020")));
    record(s, MEASURED("GPU-b", "3000", ""));
    record(s, MEASURED("GPU-a", "2000", ""));
    g = next(s, "", 0);
    assert_string_equal(g.gpu, "GPU-a");
    calibrated_gpu_free(&g);
    g = next(s, "GPU-a", TODAY - 1);
    assert_string_equal(g.gpu, "GPU-b");
    assert_string_equal(g.device, "emu");
    assert_string_equal(g.node, "");
    /* The day may have changed just now. Then it has two. */
    if (g.count == 1) {
        assert_int_equal(g.day[0].count, 3);
        assert_float_equal(g.day[0].figure[CALIBRATION_COPY].mean, 11020 / 3.0F, 1e-2);
        assert_float_equal(g.day[0].figure[CALIBRATION_COPY].low, 3000, 0);
        assert_float_equal(g.day[0].figure[CALIBRATION_COPY].high, 4020, 0);
        assert_float_equal(g.day[0].figure[CALIBRATION_READ].mean, 4100.5, 1e-9);
        assert_float_equal(g.day[0].figure[CALIBRATION_FP32].high, 62, 0);
    }
    calibrated_gpu_free(&g);
    g = next(s, "GPU-a", TODAY + 2);
    assert_string_equal(g.gpu, "GPU-b");
    assert_int_equal(g.count, 0);
    calibrated_gpu_free(&g);
    g = next(s, "GPU-b", 0);
    assert_null(g.gpu);
    store_close(s);
}

/* Whatever an arbiter writes, its result is recorded. */
static void
conditions_without_figures_are_left_out(void **state)
{
    static const char *const CONDITIONS[] = {
        NULL,
        "{}",
        "[1]",
        "{\"gpu\":\"GPU-a\"}",
        "damaged",
        "{\"gpu\":\"GPU-a\",\"before\":7}",
        "{\"gpu\":\"GPU-a\",\"before\":\"x\"}",
        "{\"gpu\":\"GPU-a\",\"before\":{\"copy_gbs\":1,\"read_gbs\":1}}",
        MEASURED("", "1", ""),
        MEASURED("GPU-a", "0", "")};
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct calibrated_gpu g;

    for (size_t i = 0; i < sizeof CONDITIONS / sizeof *CONDITIONS; i++)
        record(s, CONDITIONS[i]);
    g = next(s, "", 0);
    assert_null(g.gpu);
    store_close(s);
}

static void
a_judgement_again_is_measured_again(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    const int64_t id = record(s, MEASURED("GPU-a", "4000", ""));
    struct result res = result_with(MEASURED("GPU-a", "3900", ""));
    const struct replacement again = {.id = id, .finished = {.result = &res}};
    struct calibrated_gpu g;
    struct report r = {0};
    int64_t times = 0;

    assert_int_equal(store_replace(s, &again, 1, &r), 0);
    g = next(s, "", 0);
    for (size_t i = 0; i < g.count; i++)
        times += g.day[i].count;
    assert_int_equal(times, 2);
    assert_float_equal(g.day[g.count - 1].figure[CALIBRATION_COPY].low, 3900, 0);
    calibrated_gpu_free(&g);
    store_close(s);
}

/* It is that of the newest result, as when a card was moved. */
static void
a_gpu_has_its_node(void **state)
{
    const struct store_place *f = *state;
    struct store *s = store_place_open(f);
    struct result res = result_with(MEASURED("GPU-a", "4000", ""));
    const struct finished_submission on_node = {.result = &res, .node = "n1"};
    struct calibrated_gpu g;
    struct report r = {0};

    record(s, MEASURED("GPU-a", "4000", ""));
    assert_int_equal(store_record(s, store_submit_as(s, "ada", false), &on_node, &r), 0);
    g = next(s, "", 0);
    assert_string_equal(g.gpu, "GPU-a");
    assert_string_equal(g.node, "n1");
    calibrated_gpu_free(&g);
    store_close(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_day_has_all_that_was_measured_on_it,
                                        store_place_make, store_place_remove),
        cmocka_unit_test_setup_teardown(conditions_without_figures_are_left_out,
                                        store_place_make, store_place_remove),
        cmocka_unit_test_setup_teardown(a_gpu_has_its_node, store_place_make,
                                        store_place_remove),
        cmocka_unit_test_setup_teardown(a_judgement_again_is_measured_again,
                                        store_place_make, store_place_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
