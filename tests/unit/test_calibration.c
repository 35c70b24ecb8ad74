// links: arbiter device gpu_owner sandbox common
/* When a GPU counts as slower than usual, and what is remembered of it. */
#include "arbiter/measuring/calibration.h"

#include "arbiter/measuring/conditions.h"
#include "base/buf.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct calibration USUAL = {4000, 4400, 60000};

static struct calibration_history
history_of(int count)
{
    struct calibration_history h = {0};

    for (int i = 0; i < count; i++)
        calibration_add(&h, &USUAL);
    return h;
}

static void
assert_off(const struct calibration_history *h, double copy, double fp32,
           const char *says)
{
    const struct calibration now = {copy, 4400, fp32};
    char *off = calibration_off(h, &now);

    if (says == NULL)
        assert_null(off);
    else {
        assert_non_null(off);
        assert_non_null(strstr(off, says));
    }
    free(off);
}

static void
two_percent_are_as_usual_more_is_not(void **state)
{
    struct calibration_history h = history_of(CALIBRATION_TRUSTED);

    (void)state;
    assert_off(&h, 4000, 60000, NULL);
    assert_off(&h, 3930, 60000, NULL);
    assert_off(&h, 3908, 60000, "copy bandwidth was 2.3% below the usual 4000 GB/s");
    assert_off(&h, 4092, 60000, "2.3% above");
    assert_off(&h, 4000, 54000, "fp32 rate was 10.0% below the usual 60 TFLOP/s");
}

static void
too_little_history_compares_with_nothing(void **state)
{
    struct calibration_history h = history_of(CALIBRATION_TRUSTED - 1);

    (void)state;
    assert_off(&h, 1, 1, NULL);
}

/* A GPU that becomes slower for good is as usual again when half of the window is new;
 * a single slow judgement moves nothing. */
static void
the_median_rolls(void **state)
{
    const struct calibration slow = {3000, 3300, 45000};
    struct calibration_history h = history_of(CALIBRATION_KEPT);

    (void)state;
    calibration_add(&h, &slow);
    assert_int_equal(h.count, CALIBRATION_KEPT);
    assert_off(&h, 4000, 60000, NULL);
    assert_off(&h, 3000, 45000, "25.0% below");
    for (int i = 0; i < CALIBRATION_KEPT / 2; i++)
        calibration_add(&h, &slow);
    assert_off(&h, 3000, 45000, NULL);
}

static void
the_limit_is_the_best_of_the_window(void **state)
{
    const struct calibration best = {4100, 4300, 61000};
    struct calibration_history h = history_of(3);
    struct device_rates rates = {.copy_bytes_per_ns = 3500,
                                 .read_bytes_per_ns = 4500,
                                 .fp32_per_ns = 50000,
                                 .cached_bytes = 7};

    (void)state;
    calibration_add(&h, &best);
    calibration_best(&h, &rates);
    assert_float_equal(rates.copy_bytes_per_ns, 4100, 0);
    assert_float_equal(rates.read_bytes_per_ns, 4500, 0);
    assert_float_equal(rates.fp32_per_ns, 61000, 0);
    assert_float_equal(rates.cached_bytes, 7, 0);
}

static void
history_is_kept_and_damage_begins_anew(void **state)
{
    static const char *const DAMAGED[] = {
        "", "{", "[]", "{\"entries\":[{}]}",
        "{\"entries\":[{\"copy_bytes_per_ns\":0,\"read_bytes_per_ns\":1,"
        "\"fp32_per_ns\":1}]}"};
    char folder[] = "/tmp/warpjudge-calibration-XXXXXX";
    struct calibration_history h = history_of(5), read;
    struct report r = {0};
    char *path;

    (void)state;
    assert_non_null(mkdtemp(folder));
    path = xasprintf("%s/gpu.json", folder);
    calibration_load(path, &read, &r);
    assert_int_equal(read.count, 0);
    assert_false(report_is_set(&r));
    assert_int_equal(calibration_save(path, &h, &r), 0);
    calibration_load(path, &read, &r);
    assert_int_equal(read.count, 5);
    assert_memory_equal(read.entry, h.entry, 5 * sizeof *h.entry);
    for (size_t i = 0; i < sizeof DAMAGED / sizeof *DAMAGED; i++) {
        struct report damaged = {0};

        assert_int_equal(file_write(path, DAMAGED[i], strlen(DAMAGED[i]), NULL), 0);
        calibration_load(path, &read, &damaged);
        assert_int_equal(read.count, 0);
        assert_non_null(strstr(damaged.text, "gpu.json"));
    }
    unlink(path);
    rmdir(folder);
    free(path);
}

/* A device without rates has no conditions, and that fails nothing. */
static void
a_device_without_rates_has_no_conditions(void **state)
{
    const struct device_options options = {0};
    struct report r = {0};
    struct device *d = device_open("host", &options, &r);
    struct timing timing = {0};
    struct device_rates rates = {0};
    struct conditions *c;

    (void)state;
    assert_non_null(d);
    c = conditions_begin(d, "/nowhere");
    assert_null(c);
    conditions_sample(c, -1);
    assert_null(conditions_end(c, &timing, &rates));
    assert_null(timing.conditions);
    conditions_free(c);
    device_close(d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_percent_are_as_usual_more_is_not),
        cmocka_unit_test(too_little_history_compares_with_nothing),
        cmocka_unit_test(the_median_rolls),
        cmocka_unit_test(the_limit_is_the_best_of_the_window),
        cmocka_unit_test(history_is_kept_and_damage_begins_anew),
        cmocka_unit_test(a_device_without_rates_has_no_conditions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
