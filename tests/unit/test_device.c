// links: device gpu_owner sandbox common
/* Memory of the kind "host": what every kind promises, without a GPU or a process. */
#include "base/file.h"
#include "device/device.h"
#include "numbers/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct gen uniform = {
    .kind = GEN_UNIFORM, .dtype = DTYPE_F32, .stream = 1, .a = -10, .b = 10};
static const struct compare_rule close_rule = {.dtype = DTYPE_F32, .atol = 1e-5};

static int
set_up(void **state)
{
    static const struct device_options options;

    *state = device_open("host", &options, NULL);
    return *state != NULL ? 0 : -1;
}

static int
tear_down(void **state)
{
    device_close(*state);
    return 0;
}

static struct device_buffer *
new_buffer(struct device *d, uint64_t bytes, bool shareable)
{
    struct report r = {0};
    struct device_buffer *b = NULL;

    if (device_alloc(d, bytes, shareable, &b, &r) != 0)
        fail_msg("%s", r.text);
    return b;
}

static void
fills_with_the_generators_values(void **state)
{
    struct device *d = *state;
    struct device_buffer *b = new_buffer(d, 4000, true);
    float want[1000], got[1000];

    gen_fill(&uniform, 7, 0, 1000, want);
    assert_int_equal(device_fill(d, b, &uniform, 7, 1000, NULL), 0);
    assert_int_equal(device_read(d, b, 0, sizeof got, got, NULL), 0);
    assert_memory_equal(got, want, sizeof want);
    /* Another seed, other values. */
    assert_int_equal(device_fill(d, b, &uniform, 8, 1000, NULL), 0);
    assert_int_equal(device_read(d, b, 0, sizeof got, got, NULL), 0);
    assert_memory_not_equal(got, want, sizeof want);
}

static void
refuses_what_does_not_fit(void **state)
{
    struct device *d = *state;
    struct device_buffer *b = new_buffer(d, 100, true),
                         *other = new_buffer(d, 104, false);
    struct report r = {0};
    char bytes[100];

    assert_int_equal(device_fill(d, b, &uniform, 7, 26, &r), -1);
    assert_string_equal(r.text, "26 elements of 4 bytes are more than a buffer of 100");
    r = (struct report){0};
    assert_int_equal(device_read(d, b, 1, 100, bytes, &r), -1);
    assert_string_equal(r.text, "bytes 1 to 101 are outside a buffer of 100 bytes");
    assert_int_equal(device_read(d, b, UINT64_MAX, 2, bytes, NULL), -1);
    assert_int_equal(device_write(d, b, 99, 2, bytes, NULL), -1);
    assert_int_equal(device_copy(d, b, other, NULL), -1);
    assert_int_equal(device_alloc(d, 0, true, &other, NULL), -1);
    assert_int_equal(device_alloc(d, UINT64_MAX, true, &other, NULL), -1);
}

static void
compares_and_counts(void **state)
{
    struct device *d = *state;
    struct device_buffer *a = new_buffer(d, 4000, true), *b = new_buffer(d, 4000, false);
    struct compare_result result;
    float value;

    assert_int_equal(device_fill(d, a, &uniform, 7, 1000, NULL), 0);
    assert_int_equal(device_copy(d, b, a, NULL), 0);
    assert_int_equal(device_compare(d, a, b, 1000, &close_rule, &result, NULL), 0);
    assert_int_equal(result.wrong, 0);
    assert_int_equal(device_read(d, a, 4 * 999, 4, &value, NULL), 0);
    value += 0.5f;
    assert_int_equal(device_write(d, a, 4 * 999, 4, &value, NULL), 0);
    assert_int_equal(device_compare(d, a, b, 1000, &close_rule, &result, NULL), 0);
    assert_int_equal(result.wrong, 1);
    assert_int_equal(result.first, 999);
    assert_int_equal(device_compare(d, a, b, 1001, &close_rule, &result, NULL), -1);
    assert_true(result.max_abs_error > 0.49 && result.max_abs_error < 0.51);
}

static void
poison_is_made_again_by_its_seed(void **state)
{
    struct device *d = *state;
    struct device_buffer *a = new_buffer(d, 5000, true), *b = new_buffer(d, 5000, true);

    assert_int_equal(device_poison(d, a, 3, NULL), 0);
    assert_int_equal(device_poison(d, b, 3, NULL), 0);
    assert_memory_equal(device_view(a), device_view(b), 5000);
    assert_int_equal(device_poison(d, b, 4, NULL), 0);
    assert_memory_not_equal(device_view(a), device_view(b), 5000);
    assert_int_equal(device_zero(d, b, NULL), 0);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(((const char *)device_view(b))[i], 0);
}

static void
shares_a_descriptor_that_cannot_be_resized(void **state)
{
    struct device *d = *state;
    struct device_buffer *b = new_buffer(d, 4096, true),
                         *hidden = new_buffer(d, 4096, false);
    struct device_share share;
    char *map;

    assert_int_equal(device_share(d, hidden, &share, NULL), -1);
    assert_int_equal(device_share(d, b, &share, NULL), 0);
    map = mmap(NULL, share.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, share.fd, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_not_equal(ftruncate(share.fd, 0), 0);
    memcpy(map, "seen", 4);
    assert_memory_equal(device_view(b), "seen", 4);
    munmap(map, share.bytes);
    close(share.fd);
}

static void
names_are_checked(void **state)
{
    static const char *const bad[] = {
        "", "gpu", "cuda", "cuda:", "cuda:x", "cuda:1x", "emu:0"};
    static const struct device_options options;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct report r = {0};

        assert_null(device_open(bad[i], &options, &r));
        assert_non_null(strstr(r.text, "there is no device"));
    }
}

static void
the_list_ends_with_emu(void **state)
{
    struct device_info info[8];
    char names[8][16];
    int n = device_list(info, 8, names);

    (void)state;
    assert_true(n >= 1);
    assert_string_equal(names[n - 1], "emu");
    assert_string_equal(info[n - 1].arch, "compute_80");
}

static void
the_clock_runs(void **state)
{
    struct device *d = *state;
    const uint64_t before_ns = now_ns();
    double ns;

    assert_false(device_clock_modelled(d));
    assert_int_equal(device_clock_end(d, &ns, NULL), -1);
    assert_int_equal(device_clock_begin(d, NULL), 0);
    usleep(2000);
    assert_int_equal(device_clock_end(d, &ns, NULL), 0);
    assert_true(ns >= 1.9e6 && ns <= (double)(now_ns() - before_ns));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fills_with_the_generators_values, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_does_not_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(compares_and_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(poison_is_made_again_by_its_seed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(shares_a_descriptor_that_cannot_be_resized,
                                        set_up, tear_down),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(the_list_ends_with_emu),
        cmocka_unit_test_setup_teardown(the_clock_runs, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
