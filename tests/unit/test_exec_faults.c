// links: exec ptx golden_kernels
/* What the emulated GPU says of kernels with mistakes. */
#include "../fixtures/golden_kernels.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
expect_fault(struct golden *x, const char *kernel, enum fault_kind kind, uint32_t blocks,
             uint32_t threads, uint32_t shared)
{
    /* A read of what was never written is told, but ends nothing. */
    assert_int_equal(golden_launch(x, kernel, blocks, threads, 1, shared),
                     kind == FAULT_UNINITIALIZED ? 0 : -1);
    if (x->fault.kind != kind)
        fail_msg("fault %d: %s", (int)x->fault.kind, x->fault.text);
    assert_string_equal(x->fault.kernel, kernel);
    assert_string_equal(x->fault.file, "kernels.cu");
    assert_int_equal(x->fault.line, golden_line(kernel));
}

static void
test_mistakes(void **state)
{
    struct golden x = golden_start(0, true);
    uint64_t small = memory_alloc(x.m, 4000, &x.fault), null = 0;
    int n = 1000;

    (void)state;
    PUSH(&x, small);
    PUSH(&x, n);
    expect_fault(&x, "off_by_one", FAULT_ILLEGAL_ADDRESS, 8, 128, 0);
    assert_int_equal(x.fault.block[0], 7);
    assert_int_equal(x.fault.thread[0], 104);
    assert_int_equal(x.fault.address, small + 4000);
    assert_int_equal(x.fault.access_bytes, 4);
    assert_true(x.fault.is_write);
    assert_string_equal(x.fault.space, "global");
    assert_non_null(
        strstr(x.fault.text, "4 bytes past the end of a buffer of 4000 bytes"));
    memory_mark(x.m, small, 4000, false);
    memory_mark(x.m, small, 64, true);
    PUSH(&x, small);
    PUSH(&x, x.c);
    expect_fault(&x, "uninitialized", FAULT_UNINITIALIZED, 1, 32, 0);
    assert_int_equal(x.fault.thread[0], 8);
    PUSH(&x, x.c);
    expect_fault(&x, "shared_overrun", FAULT_ILLEGAL_ADDRESS, 1, 32, 128);
    assert_string_equal(x.fault.space, "shared");
    PUSH(&x, x.c);
    expect_fault(&x, "misaligned", FAULT_MISALIGNED, 1, 32, 0);
    PUSH(&x, x.c);
    expect_fault(&x, "divergent_barrier", FAULT_BARRIER, 1, 64, 0);
    PUSH(&x, null);
    PUSH(&x, x.c);
    expect_fault(&x, "texture_fetch", FAULT_ILLEGAL_ADDRESS, 1, 32, 0);
    assert_non_null(strstr(x.fault.text, "texture object 0, which does not exist"));
    PUSH(&x, null);
    PUSH(&x, x.c);
    expect_fault(&x, "read_null", FAULT_ILLEGAL_ADDRESS, 1, 32, 0);
    assert_non_null(strstr(x.fault.text, "null pointer"));
    golden_stop(&x);
}

static void
test_endless(void **state)
{
    struct golden x = golden_start(0, false);

    (void)state;
    PUSH(&x, x.c);
    assert_int_equal(golden_launch(&x, "endless", 4, 64, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_BUDGET);
    assert_true(x.fault.line == golden_line("endless") ||
                x.fault.line == golden_line("endless") + 1);
    golden_stop(&x);
}

static void
test_freed(void **state)
{
    struct golden x = golden_start(0, true);
    uint64_t gone = memory_alloc(x.m, 4000, &x.fault);
    int n = 100;

    (void)state;
    assert_int_equal(memory_free(x.m, gone), 0);
    assert_int_equal(memory_free(x.m, gone), -1);
    PUSH(&x, gone);
    PUSH(&x, n);
    expect_fault(&x, "off_by_one", FAULT_ILLEGAL_ADDRESS, 1, 128, 0);
    assert_non_null(strstr(x.fault.text, "that was freed"));
    golden_stop(&x);
}

static void
test_configuration(void **state)
{
    struct golden x = golden_start(0, true);
    int n = 1;

    (void)state;
    PUSH(&x, x.c);
    PUSH(&x, n);
    assert_int_equal(golden_launch(&x, "off_by_one", 1, 1025, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    PUSH(&x, x.c);
    PUSH(&x, n);
    assert_int_equal(golden_launch(&x, "off_by_one", 0, 32, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    PUSH(&x, x.c);
    PUSH(&x, n);
    assert_int_equal(golden_launch(&x, "off_by_one", 1, 32, 1, 1 << 20), -1);
    assert_int_equal(x.fault.kind, FAULT_OUT_OF_RESOURCES);
    golden_stop(&x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_freed),
        cmocka_unit_test(test_configuration),
    };

    return cmocka_run_group_tests(tests, golden_read, NULL);
}
