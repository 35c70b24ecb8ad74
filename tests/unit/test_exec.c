// links: exec ptx golden_kernels
/* The emulated GPU's machine: whole kernels, control flow, warps, memory and counters. */
#include "../fixtures/golden_kernels.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- simple kernels ----------------------------------------------------------------- */

static void
test_add(void **state)
{
    struct golden x = golden_start(0, true);
    float *a = x.ha, *b = x.hb, *c = x.hc;
    int n = 100003;

    (void)state;
    for (int i = 0; i < n; i++) {
        a[i] = (float)i * 0.37f;
        b[i] = 1.0f / (float)(i + 1);
    }
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    PUSH(&x, n);
    golden_launch_ok(&x, "add", (uint32_t)(n + 255) / 256, 256, 1);
    for (int i = 0; i < n; i++)
        assert_true(c[i] == a[i] + b[i]);
    assert_true(c[n] == 0.0f);
    golden_stop(&x);
}

static void
check_matmul(const char *kernel)
{
    struct golden x = golden_start(0, true);
    float *a = x.ha, *b = x.hb, *c = x.hc;
    int n = 64;

    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 17) - 8;
        b[i] = (float)(i % 13) * 0.5f;
    }
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    PUSH(&x, n);
    golden_launch_ok(&x, kernel, 4, 16, 16);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;

            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j]; /* exact: small integers and halves */
            assert_true(c[i * n + j] == sum);
        }
    golden_stop(&x);
}

static void
test_matmul(void **state)
{
    (void)state;
    check_matmul("matmul");
    check_matmul("matmul_tiled");
}

static void
test_reduce(void **state)
{
    struct golden x = golden_start(0, true);
    float *a = x.ha;
    int n = 100000;

    (void)state;
    for (int i = 0; i < n; i++)
        a[i] = (float)(i % 7);
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    PUSH(&x, n);
    golden_launch_ok(&x, "reduce", 16, 256, 1);
    assert_true(*(float *)x.hc == 299995.0f);
    golden_stop(&x);
}

static void
test_histogram(void **state)
{
    static const char *const kernels[] = {"histogram_global", "histogram_shared"};
    int n = 65536;

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct golden x = golden_start(0, true);
        int *a = x.ha, *h = x.hc, want[256] = {0};

        for (int i = 0; i < n; i++) {
            a[i] = (int)((unsigned)i * 7919u >> 5 & 255);
            want[a[i]]++;
        }
        PUSH(&x, x.a);
        PUSH(&x, x.c);
        PUSH(&x, n);
        golden_launch_ok(&x, kernels[k], 256, 256, 1);
        assert_memory_equal(h, want, sizeof want);
        golden_stop(&x);
    }
}

/* --- control flow ------------------------------------------------------------------- */

static int
fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int
divergence(int i)
{
    int s = 0;

    for (int k = 0; k < i; k++) {
        if (k % 3 == 0)
            continue;
        if (k == 20)
            break;
        s += k;
        switch (k & 3) {
        case 0:
            s++;
            break;
        case 1:
            s += 2;
            break;
        case 2:
            s ^= 5;
            break;
        default:
            s -= 1;
            break;
        }
    }
    return s;
}

static void
test_control_flow(void **state)
{
    struct golden x = golden_start(0, true);
    int *c = x.hc;

    (void)state;
    PUSH(&x, x.c);
    golden_launch_ok(&x, "recursion", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], fibonacci(i & 15));
    PUSH(&x, x.c);
    golden_launch_ok(&x, "divergence", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], divergence(i));
    PUSH(&x, x.c);
    golden_launch_ok(&x, "indirect", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], i & 1 ? i * 2 : i + 1);
    golden_stop(&x);
}

/* Volta's progress: a lock taken inside a warp, a block that waits for a later one. */
static void
test_progress(void **state)
{
    struct golden x = golden_start(0, true);

    (void)state;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "spin_lock", 8, 64, 1);
    assert_int_equal(*(int *)x.hc, 512);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "wait_for_later_block", 50, 64, 1);
    assert_int_equal(*(int *)x.hc, 42);
    golden_stop(&x);
}

/* --- warps -------------------------------------------------------------------------- */

static void
test_warps(void **state)
{
    struct golden x = golden_start(0, true);
    uint32_t *c = x.hc;

    (void)state;
    PUSH(&x, x.c);
    golden_launch_ok(&x, "warp_functions", 1, 64, 1);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t v = ((i ^ 1) * 10) + (32u << 16) + (1u << 30), votes = 0;

        for (uint32_t k = 0; k < 32; k++)
            votes |= (uint32_t)(((i & 32) + k) % 3 == 0) << k;
        v ^= votes;
        v += (i & 32) * 32 + 496 + (0xfu << (i % 32 / 4 * 4));
        assert_int_equal(c[i], v);
    }
    PUSH(&x, x.c);
    golden_launch_ok(&x, "groups", 1, 64, 1);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(c[i], 8 * (i / 8 * 8) + 28 + (i & 1 ? i % 32 / 2 * 100000 : 0));
    golden_stop(&x);
}

/* --- the system --------------------------------------------------------------------- */

static void
test_system(void **state)
{
    static const char want[] =
        "0| 0.00|text|123456789012|%\n1| 1.50|text|123456789012|%\n";
    struct golden x = golden_start(0, true);
    size_t len;
    char *text;

    (void)state;
    PUSH(&x, x.c);
    golden_launch_ok(&x, "print", 1, 64, 1);
    text = machine_take_output(x.m, &len);
    assert_int_equal(len, sizeof want - 1);
    assert_memory_equal(text, want, len);
    free(text);
    PUSH(&x, x.c);
    golden_launch_ok(&x, "heap", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(((int *)x.hc)[i], i);
    PUSH(&x, x.c);
    assert_int_equal(golden_launch(&x, "assertion", 1, 64, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_ASSERT);
    assert_int_equal(x.fault.thread[0], 5);
    assert_non_null(strstr(x.fault.text, "i < 5"));
    golden_stop(&x);
}

/* --- memory ------------------------------------------------------------------------- */

static void
test_memory(void **state)
{
    struct machine_options o = {.memory_bytes = 1 << 20, .threads = 1};
    struct machine *m = machine_new(&o);
    struct fault f;
    uint64_t a, start_address, bytes;
    _Alignas(4096) static char page[4096];

    (void)state;
    a = memory_alloc(m, 1000, &f);
    assert_int_equal(a % 256, 0);
    assert_true(a >= (uint64_t)1 << 47);
    assert_int_equal(memory_used(m), 1000);
    assert_int_equal(memory_find(m, a + 999, &start_address, &bytes), 0);
    assert_int_equal(start_address, a);
    assert_int_equal(bytes, 1000);
    assert_int_equal(memory_find(m, a + 1000, &start_address, &bytes), -1);
    assert_null(memory_host(m, a + 1, 1000));
    assert_int_equal(memory_alloc(m, 1 << 20, &f), 0);
    assert_int_equal(f.kind, FAULT_OUT_OF_MEMORY);
    assert_int_equal(memory_free(m, a), 0);
    assert_int_equal(memory_used(m), 0);
    a = memory_import(m, page, 100, true, &f);
    assert_ptr_equal(memory_host(m, a, 100), page);
    assert_null(memory_host(m, a, 101));
    assert_int_equal(memory_free(m, a), 0);
    a = memory_import_at(m, 0x7000000000, page, 4096, true, &f);
    assert_int_equal(a, 0x7000000000);
    assert_int_equal(memory_import_at(m, 0x7000000800, page, 4096, true, &f), 0);
    machine_free(m);
}

/* --- counters ----------------------------------------------------------------------- */

static struct counters
count_run(int threads, const char *kernel)
{
    struct golden x = golden_start(threads, false);
    struct counters c;
    int n = 65536;

    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    PUSH(&x, n);
    golden_launch_ok(&x, kernel, 256, 256, 1);
    machine_counters(x.m, &c);
    golden_stop(&x);
    return c;
}

static void
test_counters(void **state)
{
    struct counters one = count_run(1, "add"), many = count_run(7, "add");
    struct counters strided = count_run(2, "add_strided");

    (void)state;
    assert_memory_equal(&one, &many, sizeof one);
    assert_int_equal(one.launches, 1);
    assert_int_equal(one.fp32_flops, 65536);
    assert_int_equal(one.global_requests, 3 * 2048);
    assert_int_equal(one.global_sectors, 3 * 2048 * 4);
    assert_int_equal(one.global_load_bytes, 2 * 4 * 65536);
    assert_int_equal(one.global_store_bytes, 4 * 65536);
    assert_int_equal(strided.global_sectors, 3 * 2048 * 32);
    assert_true(one.modelled_ns > 2500 && one.modelled_ns < strided.modelled_ns);
}

/* Modelled times rank as a GPU's would, at a size where it has enough to do. */
static double
model_matmul(const char *kernel)
{
    struct golden x =
        golden_start_with((struct machine_options){.instruction_budget = 100000000});
    struct counters c;
    int n = 512;

    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    PUSH(&x, n);
    golden_launch_ok(&x, kernel, 32, 16, 16);
    machine_counters(x.m, &c);
    golden_stop(&x);
    return c.modelled_ns;
}

static void
test_model(void **state)
{
    (void)state;
    assert_true(model_matmul("matmul_tiled") < model_matmul("matmul"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),          cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_reduce),       cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_control_flow), cmocka_unit_test(test_progress),
        cmocka_unit_test(test_warps),        cmocka_unit_test(test_system),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_counters),
        cmocka_unit_test(test_model),
    };

    return cmocka_run_group_tests(tests, golden_read, NULL);
}
