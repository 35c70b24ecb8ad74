// links: exec ptx emulated
/* The emulated GPU's machine, by kernels that nvcc compiled
 * (tests/golden/ptx/kernels.cu). */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"
#include "emulator/exec/machine.h"
#include "emulator/exec/ops/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1 << 20 };

static char source[20000], ptx[200000];
static size_t ptx_len;

struct fixture {
    struct machine *m;
    struct module *mod;
    uint64_t a, b, c;   /* device buffers of BYTES */
    void *ha, *hb, *hc; /* the host's view of them */
    char params[512];
    size_t used;
    struct fault fault;
};

static struct fixture
start_with(struct machine_options o)
{
    struct fixture x = {.m = machine_new(&o)};

    assert_non_null(x.m);
    x.mod = module_load(x.m, ptx, ptx_len, &x.fault);
    if (x.mod == NULL)
        fail_msg("%s", x.fault.text);
    x.ha = emulated_buffer(x.m, BYTES, &x.a);
    x.hb = emulated_buffer(x.m, BYTES, &x.b);
    x.hc = emulated_buffer(x.m, BYTES, &x.c);
    return x;
}

static struct fixture
start(int threads, bool checks)
{
    return start_with((struct machine_options){
        .threads = threads, .checks = checks, .instruction_budget = 3000000});
}

static void
stop(struct fixture *x)
{
    machine_free(x->m);
}

static void
push(struct fixture *x, const void *value, size_t bytes)
{
    x->used = (x->used + bytes - 1) / bytes * bytes;
    memcpy(x->params + x->used, value, bytes);
    x->used += bytes;
}

#define PUSH(x, value) push(x, &(value), sizeof(value))

static int
launch(struct fixture *x, const char *name, uint32_t blocks, uint32_t bx, uint32_t by,
       uint32_t shared)
{
    struct kernel *k = module_kernel(x->mod, name);
    struct launch l = {.grid = {blocks, by > 1 ? blocks : 1, 1},
                       .block = {bx, by, 1},
                       .dynamic_shared = shared,
                       .params = x->params};

    assert_non_null(k);
    assert_int_equal(kernel_param_bytes(k), x->used);
    x->used = 0;
    return machine_launch(x->m, k, &l, &x->fault);
}

static void
launch_ok(struct fixture *x, const char *name, uint32_t blocks, uint32_t bx, uint32_t by)
{
    if (launch(x, name, blocks, bx, by, 0) != 0)
        fail_msg("%s", x->fault.text);
}

/* --- simple kernels ------------------------------------------------------ */

static void
test_add(void **state)
{
    struct fixture x = start(0, true);
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
    launch_ok(&x, "add", (uint32_t)(n + 255) / 256, 256, 1);
    for (int i = 0; i < n; i++)
        assert_true(c[i] == a[i] + b[i]);
    assert_true(c[n] == 0.0f);
    stop(&x);
}

static void
check_matmul(const char *kernel)
{
    struct fixture x = start(0, true);
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
    launch_ok(&x, kernel, 4, 16, 16);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;

            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j]; /* exact: small integers and halves */
            assert_true(c[i * n + j] == sum);
        }
    stop(&x);
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
    struct fixture x = start(0, true);
    float *a = x.ha;
    int n = 100000;

    (void)state;
    for (int i = 0; i < n; i++)
        a[i] = (float)(i % 7);
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    PUSH(&x, n);
    launch_ok(&x, "reduce", 16, 256, 1);
    assert_true(*(float *)x.hc == 299995.0f);
    stop(&x);
}

static void
test_histogram(void **state)
{
    static const char *const kernels[] = {"histogram_global", "histogram_shared"};
    int n = 65536;

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct fixture x = start(0, true);
        int *a = x.ha, *h = x.hc, want[256] = {0};

        for (int i = 0; i < n; i++) {
            a[i] = (int)((unsigned)i * 7919u >> 5 & 255);
            want[a[i]]++;
        }
        PUSH(&x, x.a);
        PUSH(&x, x.c);
        PUSH(&x, n);
        launch_ok(&x, kernels[k], 256, 256, 1);
        assert_memory_equal(h, want, sizeof want);
        stop(&x);
    }
}

/* --- control flow -------------------------------------------------------- */

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
    struct fixture x = start(0, true);
    int *c = x.hc;

    (void)state;
    PUSH(&x, x.c);
    launch_ok(&x, "recursion", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], fibonacci(i & 15));
    PUSH(&x, x.c);
    launch_ok(&x, "divergence", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], divergence(i));
    PUSH(&x, x.c);
    launch_ok(&x, "indirect", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], i & 1 ? i * 2 : i + 1);
    stop(&x);
}

/* Volta's progress: a lock taken inside a warp, a block that waits for a later one. */
static void
test_progress(void **state)
{
    struct fixture x = start(0, true);

    (void)state;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    launch_ok(&x, "spin_lock", 8, 64, 1);
    assert_int_equal(*(int *)x.hc, 512);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    launch_ok(&x, "wait_for_later_block", 50, 64, 1);
    assert_int_equal(*(int *)x.hc, 42);
    stop(&x);
}

/* --- warps --------------------------------------------------------------- */

static void
test_warps(void **state)
{
    struct fixture x = start(0, true);
    uint32_t *c = x.hc;

    (void)state;
    PUSH(&x, x.c);
    launch_ok(&x, "warp_functions", 1, 64, 1);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t v = ((i ^ 1) * 10) + (32u << 16) + (1u << 30), votes = 0;

        for (uint32_t k = 0; k < 32; k++)
            votes |= (uint32_t)(((i & 32) + k) % 3 == 0) << k;
        v ^= votes;
        v += (i & 32) * 32 + 496 + (0xfu << (i % 32 / 4 * 4));
        assert_int_equal(c[i], v);
    }
    PUSH(&x, x.c);
    launch_ok(&x, "groups", 1, 64, 1);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(c[i], 8 * (i / 8 * 8) + 28 + (i & 1 ? i % 32 / 2 * 100000 : 0));
    stop(&x);
}

static uint16_t
half_bits(float v) /* of small multiples of 1/2 only */
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)(v == 0 ? 0
                             : (bits >> 16 & 0x8000) |
                                   ((bits >> 13 & 0x3ffff) - ((127 - 15) << 10)));
}

static void
test_tensor(void **state)
{
    struct fixture x = start(0, true);
    uint16_t *a = x.ha, *b = x.hb;
    float fa[256], fb[256], *c = x.hc;

    (void)state;
    for (int i = 0; i < 256; i++) {
        fa[i] = (float)(i * 37 % 19 - 9);
        fb[i] = (float)(i * 11 % 23) * 0.5f;
        a[i] = half_bits(fa[i]);
        b[i] = half_bits(fb[i]);
    }
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    launch_ok(&x, "tensor", 1, 32, 1);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 1;

            for (int k = 0; k < 16; k++)
                sum += fa[i * 16 + k] * fb[j * 16 + k];
            assert_true(c[i * 16 + j] == sum);
        }
    stop(&x);
}

/* --- arithmetic ---------------------------------------------------------- */

static int64_t
integers(int64_t v, int i)
{
    uint64_t x = (uint64_t)v, r;
    uint32_t low = (uint32_t)x;
    __int128 square = (__int128)v * v;
    int32_t dot = 7;

    for (int k = 0; k < 4; k++)
        dot += (int8_t)(low >> (8 * k)) * (int8_t)((uint32_t)i >> (8 * k));
    r = (uint64_t)(v / 7 + v % 13) + (uint64_t)(int64_t)(square >> 64);
    r += (uint64_t)__builtin_popcountll(x) + (x != 0 ? (uint64_t)__builtin_clzll(x) : 64);
    r += (uint64_t)(v >> 3) + (x >> 5) + (uint64_t)(v < 5 ? v : 5) + (v < 0 ? 0 - x : x);
    r += (uint64_t)(int64_t)((int32_t)low / 3);
    r += (low & 0xff) | ((uint32_t)i & 0xff) << 8 | (low >> 8 & 0xff) << 16;
    r += (uint64_t)(int64_t)dot;
    return (int64_t)(r + (uint64_t)(int64_t)((square + v) >> 60));
}

static void
test_integers(void **state)
{
    struct fixture x = start(0, true);
    int64_t *a = x.ha, *c = x.hc;

    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = (i - 30) * 0x123456789abcdll;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    launch_ok(&x, "integers", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(c[i], integers(a[i], i));
    stop(&x);
}

static uint32_t
bits_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* x + 1e-8 for |x| >= 0.5: only the last bit can tell the rounding modes apart. */
static void
test_rounding(void **state)
{
    struct fixture x = start(0, true);
    float *a = x.ha;
    uint32_t *c = x.hc;

    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = (float)(i - 32) * 1.25f + (i >= 32 ? 1.25f : 0);
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    launch_ok(&x, "rounding", 1, 64, 1);
    for (int i = 0; i < 64; i++) {
        uint32_t *o = c + (ptrdiff_t)8 * i;
        bool negative = a[i] < 0;
        double fused = (double)a[i] * (double)a[i] + 1e-8;
        float nearest = (float)fused;

        assert_int_equal(o[0], bits_of(a[i]) - negative);
        assert_int_equal(o[1], negative ? bits_of(a[i]) - 1 : bits_of(a[i]) + 1);
        assert_int_equal(
            o[2],
            bits_of((double)nearest > fused ? nextafterf(nearest, -1e30f) : nearest));
        assert_int_equal(o[3], bits_of(a[i] / 3.0f));
        assert_int_equal(o[4], bits_of(sqrtf(fabsf(a[i]))));
        assert_int_equal((int32_t)o[5], (int32_t)rintf(a[i]));
        assert_int_equal((int32_t)o[6], (int32_t)floorf(a[i]));
        assert_int_equal(o[7] >> 16, half_bits(a[i]));
        assert_int_equal(o[7] & 0xffff,
                         (bits_of(a[i]) + 0x7fff + (bits_of(a[i]) >> 16 & 1)) >> 16);
    }
    stop(&x);
}

/* Corners that PTX defines; the figures are an H200's. */
static void
test_corners(void **state)
{
    struct fixture x = start(0, true);
    static const double largest = 0x1.fffffffffffffp1023, three = 3;
    static const uint32_t cell[] = {0x00800000, 0x007fffff, 0, 0x7f7fffff, 1};
    static const uint64_t want[] = {
        0x3fe279a74590331c, /* rsqrt(3.0): all of the mantissa */
        0,                  /* a subnormal reciprocal is flushed */
        1,                  /* zero is a normal number */
        0x80000000,         /* x / y is 0 if y is above 2^126, also if they are equal */
        0x00800000,         /* shared memory adds subnormals */
        0,                  /* relu(-0) */
        0,
        0xffff & ((-900000000 >> 16) + 0xffff),
    };
    uint64_t *o = x.hc;

    (void)state;
    memcpy(x.ha, &three, 8);
    memcpy((char *)x.ha + 8, &largest, 8);
    memcpy(x.hb, cell, sizeof cell);
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    launch_ok(&x, "corners", 1, 1, 1);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(o[i], want[i]);
    assert_int_equal(*(uint32_t *)x.hb, 0x00800000); /* global memory flushes them */
    stop(&x);
}

/* e4m3's largest is 448 (0x7e); its exponent of all ones is no infinity. */
static void
test_eight_bits(void **state)
{
    (void)state;
    assert_int_equal(small_from_double(SMALL_E4M3, 448, ROUND_NEAREST, true), 0x7e);
    assert_int_equal(small_from_double(SMALL_E4M3, 1e6, ROUND_NEAREST, true), 0x7e);
    assert_int_equal(small_from_double(SMALL_E4M3, -1e6, ROUND_NEAREST, true), 0xfe);
    assert_int_equal(small_from_double(SMALL_E4M3, 1e6, ROUND_NEAREST, false), 0x7f);
    assert_int_equal(small_from_double(SMALL_E5M2, 1e6, ROUND_NEAREST, true), 0x7b);
    assert_int_equal(small_from_double(SMALL_E5M2, 1e6, ROUND_NEAREST, false), 0x7c);
}

static void
close_to(float got, double want, double tolerance)
{
    if (!(fabs((double)got - want) <= tolerance * fabs(want) + 1e-6))
        fail_msg("got %.9g, expected %.9g", (double)got, want);
}

static void
test_functions(void **state)
{
    struct fixture x = start(0, true);
    float *a = x.ha, *c = x.hc;

    (void)state;
    for (int i = 0; i < 64; i++)
        a[i] = (float)i * 0.11f + 0.01f;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    launch_ok(&x, "functions", 1, 64, 1);
    for (int i = 0; i < 64; i++) {
        double v = (double)a[i];
        const float *o = c + (ptrdiff_t)8 * i;

        close_to(o[0], exp(v), 3e-7);
        close_to(o[1], log(v), 3e-7);
        close_to(o[2], sin(v), 3e-7);
        close_to(o[3], cos(v), 1e-6);
        close_to(o[4], tanh(v), 3e-7);
        close_to(o[5], 1 / sqrt(v), 3e-7);
        close_to(o[6], pow(v, (double)1.7f), 5e-7);
        assert_true(o[7] == (float)exp(v));
    }
    stop(&x);
}

/* The handlers for AVX2 and those for any processor compute the same bits; so do any
 * number of workers. */
static void
run_functions(int threads, bool avx2, void *out, float *sum)
{
    struct fixture x = start(threads, true);
    float *a = x.ha;
    int n = 100000;

    x.m->avx2 = x.m->avx2 && avx2;
    for (int i = 0; i < n; i++)
        a[i] = (float)(i + 1) * 0.0137f;
    PUSH(&x, x.a);
    PUSH(&x, x.c);
    launch_ok(&x, "functions", 1, 256, 1);
    memcpy(out, x.hc, 8 * 256 * sizeof(float));
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, n);
    launch_ok(&x, "reduce", 64, 256, 1);
    *sum = *(float *)x.hb;
    stop(&x);
}

static void
test_same_bits(void **state)
{
    static float first[8 * 256], second[8 * 256];
    float a, b;

    (void)state;
    run_functions(1, true, first, &a);
    run_functions(5, false, second, &b);
    assert_memory_equal(first, second, sizeof first);
    assert_memory_equal(&a, &b, sizeof a);
}

static void
test_atomics(void **state)
{
    struct fixture x = start(0, true);
    int *c = x.hc;

    (void)state;
    PUSH(&x, x.c);
    PUSH(&x, x.a);
    PUSH(&x, x.b);
    launch_ok(&x, "atomics", 1, 64, 1);
    assert_int_equal(c[0], 63);
    assert_int_equal(c[1], -63);
    assert_int_equal(c[2], 64 % 11);
    assert_int_equal(c[3], 0);
    assert_int_equal(c[4], 1);
    assert_int_equal(c[5], 63);
    assert_int_equal(c[6], (int)((uint32_t)half_bits(128) << 16 | half_bits(64)));
    for (int i = 1; i < 64; i++)
        assert_int_equal(c[8 + i], i - 1);
    assert_true(*(float *)x.ha == 96.0f);
    assert_int_equal(*(uint64_t *)x.hb, (uint64_t)64 << 33);
    stop(&x);
}

/* --- the system ---------------------------------------------------------- */

static void
test_system(void **state)
{
    static const char want[] =
        "0| 0.00|text|123456789012|%\n1| 1.50|text|123456789012|%\n";
    struct fixture x = start(0, true);
    size_t len;
    char *text;

    (void)state;
    PUSH(&x, x.c);
    launch_ok(&x, "print", 1, 64, 1);
    text = machine_take_output(x.m, &len);
    assert_int_equal(len, sizeof want - 1);
    assert_memory_equal(text, want, len);
    free(text);
    PUSH(&x, x.c);
    launch_ok(&x, "heap", 1, 64, 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(((int *)x.hc)[i], i);
    PUSH(&x, x.c);
    assert_int_equal(launch(&x, "assertion", 1, 64, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_ASSERT);
    assert_int_equal(x.fault.thread[0], 5);
    assert_non_null(strstr(x.fault.text, "i < 5"));
    stop(&x);
}

/* --- mistakes ---------------------------------------------------------- */

/* The line of kernels.cu that is marked with this mistake. */
static int
line_of(const char *mistake)
{
    char mark[80];

    snprintf(mark, sizeof mark, "MISTAKE %s", mistake);
    return emulated_line(source, mark);
}

static void
expect_fault(struct fixture *x, const char *kernel, enum fault_kind kind, uint32_t blocks,
             uint32_t threads, uint32_t shared)
{
    /* A read of what was never written is told, but ends nothing. */
    assert_int_equal(launch(x, kernel, blocks, threads, 1, shared),
                     kind == FAULT_UNINITIALIZED ? 0 : -1);
    if (x->fault.kind != kind)
        fail_msg("fault %d: %s", (int)x->fault.kind, x->fault.text);
    assert_string_equal(x->fault.kernel, kernel);
    assert_string_equal(x->fault.file, "kernels.cu");
    assert_int_equal(x->fault.line, line_of(kernel));
}

static void
test_mistakes(void **state)
{
    struct fixture x = start(0, true);
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
    stop(&x);
}

static void
test_endless(void **state)
{
    struct fixture x = start(0, false);

    (void)state;
    PUSH(&x, x.c);
    assert_int_equal(launch(&x, "endless", 4, 64, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_BUDGET);
    assert_true(x.fault.line == line_of("endless") ||
                x.fault.line == line_of("endless") + 1);
    stop(&x);
}

static void
test_freed(void **state)
{
    struct fixture x = start(0, true);
    uint64_t gone = memory_alloc(x.m, 4000, &x.fault);
    int n = 100;

    (void)state;
    assert_int_equal(memory_free(x.m, gone), 0);
    assert_int_equal(memory_free(x.m, gone), -1);
    PUSH(&x, gone);
    PUSH(&x, n);
    expect_fault(&x, "off_by_one", FAULT_ILLEGAL_ADDRESS, 1, 128, 0);
    assert_non_null(strstr(x.fault.text, "that was freed"));
    stop(&x);
}

static void
test_configuration(void **state)
{
    struct fixture x = start(0, true);
    int n = 1;

    (void)state;
    PUSH(&x, x.c);
    PUSH(&x, n);
    assert_int_equal(launch(&x, "off_by_one", 1, 1025, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    PUSH(&x, x.c);
    PUSH(&x, n);
    assert_int_equal(launch(&x, "off_by_one", 0, 32, 1, 0), -1);
    assert_int_equal(x.fault.kind, FAULT_LAUNCH_CONFIG);
    PUSH(&x, x.c);
    PUSH(&x, n);
    assert_int_equal(launch(&x, "off_by_one", 1, 32, 1, 1 << 20), -1);
    assert_int_equal(x.fault.kind, FAULT_OUT_OF_RESOURCES);
    stop(&x);
}

/* --- memory ------------------------------------------------------------ */

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

/* --- counters ---------------------------------------------------------- */

static struct counters
count_run(int threads, const char *kernel)
{
    struct fixture x = start(threads, false);
    struct counters c;
    int n = 65536;

    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    PUSH(&x, n);
    launch_ok(&x, kernel, 256, 256, 1);
    machine_counters(x.m, &c);
    stop(&x);
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
    struct fixture x =
        start_with((struct machine_options){.instruction_budget = 100000000});
    struct counters c;
    int n = 512;

    PUSH(&x, x.a);
    PUSH(&x, x.b);
    PUSH(&x, x.c);
    PUSH(&x, n);
    launch_ok(&x, kernel, 32, 16, 16);
    machine_counters(x.m, &c);
    stop(&x);
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
        cmocka_unit_test(test_warps),        cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_integers),     cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_functions),    cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_atomics),      cmocka_unit_test(test_system),
        cmocka_unit_test(test_mistakes),     cmocka_unit_test(test_endless),
        cmocka_unit_test(test_freed),        cmocka_unit_test(test_configuration),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_counters),
        cmocka_unit_test(test_model),        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_eight_bits),
    };

    emulated_read("tests/golden/ptx/kernels.cu", source, sizeof source);
    ptx_len = emulated_read("tests/golden/ptx/kernels.ptx", ptx, sizeof ptx);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
