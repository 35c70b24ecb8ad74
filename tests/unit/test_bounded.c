// links: exec ptx emulated
/* Kernels that would never end, or take everything (tests/golden/ptx/endless.cu), stop
 * with a sentence and the loop's line, within their budget, in bounded time and memory.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    BUDGET = 4000000, /* warp instructions */
    OVER = 100000,    /* that may pass until a worker looks at the budget */
    MEMORY = 64 << 20,
    SECONDS = 60, /* of processor time, under a sanitizer on a busy machine */
    OUTPUT_MAX = 16 << 20,
};

static char source[20000], ptx[100000];

/* The line that ends with "// HERE name". */
static int
line_of(const char *name)
{
    char mark[64];

    snprintf(mark, sizeof mark, "// HERE %s\n", name);
    return emulated_line(source, mark);
}

static double
cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct outcome {
    struct fault fault;
    struct counters counters;
    uint64_t memory_used;
    size_t output;
};

/* Launches a kernel on a machine of its own; it must fail. */
static struct outcome
run(const char *name, struct launch l, int threads)
{
    struct machine_options o = {
        .threads = threads, .memory_bytes = MEMORY, .instruction_budget = BUDGET};
    struct machine *m = machine_new(&o);
    struct module *mod;
    struct outcome out = {.output = 0};
    double begin = cpu_seconds();
    uint64_t buffer;
    char *text;

    assert_non_null(m);
    mod = module_load(m, ptx, strlen(ptx), &out.fault);
    if (mod == NULL)
        fail_msg("%s", out.fault.text);
    buffer = memory_alloc(m, 4096, &out.fault);
    assert_int_not_equal(buffer, 0);
    l.params = &buffer;
    assert_int_equal(machine_launch(m, module_kernel(mod, name), &l, &out.fault), -1);
    machine_counters(m, &out.counters);
    out.memory_used = memory_used(m);
    text = machine_take_output(m, &out.output);
    free(text);
    machine_free(m);
    assert_true(cpu_seconds() - begin < SECONDS);
    return out;
}

static struct launch
grid(uint32_t blocks, uint32_t threads)
{
    return (struct launch){.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
}

static void
check_budget(const struct outcome *o, const char *kernel, int line)
{
    assert_int_equal(o->fault.kind, FAULT_BUDGET);
    assert_non_null(strstr(o->fault.text, kernel));
    assert_true(o->counters.warp_instructions <= BUDGET + OVER);
    if (o->fault.line != line && o->fault.line != line + 1)
        fail_msg("%s: line %d, not %d: %s", kernel, o->fault.line, line, o->fault.text);
}

static void
test_loops(void **state)
{
    static const char *const kernels[] = {"simple", "nested", "one_lane", "spin"};

    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct outcome o = run(kernels[i], grid(2, 64), 1);

        check_budget(&o, kernels[i], line_of(kernels[i]));
    }
}

/* Many workers share one budget. */
static void
test_workers(void **state)
{
    struct outcome o = run("simple", grid(1000, 256), 4);

    (void)state;
    assert_int_equal(o.fault.kind, FAULT_BUDGET);
    assert_true(o.counters.warp_instructions <= BUDGET + 4 * OVER);
}

static void
test_recursion(void **state)
{
    struct outcome o = run("recursion", grid(1, 32), 1);

    (void)state;
    assert_int_equal(o.fault.kind, FAULT_ILLEGAL_ADDRESS);
    assert_non_null(strstr(o.fault.text, "calls too deeply"));
    assert_int_equal(o.fault.line, line_of("recursion"));
}

static void
test_output(void **state)
{
    struct outcome o = run("talk", grid(1, 32), 1);

    (void)state;
    assert_int_equal(o.fault.kind, FAULT_BUDGET);
    assert_true(o.output > 0 && o.output <= OUTPUT_MAX);
}

static void
test_device_heap(void **state)
{
    struct outcome o = run("hoard", grid(1, 32), 1);

    (void)state;
    check_budget(&o, "hoard", line_of("hoard"));
    assert_true(o.memory_used <= MEMORY);
}

/* No loop anywhere, but as many blocks as a grid can have. */
static void
test_blocks(void **state)
{
    struct outcome o = run("empty", grid(INT32_MAX, 1), 2);

    (void)state;
    assert_int_equal(o.fault.kind, FAULT_BUDGET);
    assert_non_null(strstr(o.fault.text, "empty"));
    assert_non_null(strstr(o.fault.text, "2147483647"));
    assert_true(o.counters.warp_instructions <= BUDGET);
}

static void
test_shared_memory(void **state)
{
    struct launch l = grid(1, 32);
    struct outcome o;

    (void)state;
    l.dynamic_shared = 228 << 10;
    o = run("empty", l, 1);
    assert_int_equal(o.fault.kind, FAULT_OUT_OF_RESOURCES);
    assert_non_null(strstr(o.fault.text, "shared memory"));
    l.dynamic_shared = UINT32_MAX;
    assert_int_equal(run("empty", l, 1).fault.kind, FAULT_OUT_OF_RESOURCES);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),         cmocka_unit_test(test_workers),
        cmocka_unit_test(test_recursion),     cmocka_unit_test(test_output),
        cmocka_unit_test(test_device_heap),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_shared_memory),
    };

    emulated_read("tests/golden/ptx/endless.cu", source, sizeof source);
    emulated_read("tests/golden/ptx/endless.ptx", ptx, sizeof ptx);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
