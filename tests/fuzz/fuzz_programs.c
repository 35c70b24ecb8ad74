// links: exec ptx programs
/*
 * The input is a random program (programs/program.h). The emulated GPU runs it in every
 * way that must not make a difference: handlers for AVX2 and for any processor, one
 * thread and several, checks on and off. Memory afterwards must be what the model says,
 * to the bit, the counters the same each time, and nothing may be complained of.
 */
#include "emulator/exec/machine.h"
#include "programs/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct way {
    const char *name;
    bool generic, checks;
    int threads;
};

static const struct way ways[] = {
    {"AVX2", false, false, 1},
    {"any processor", true, false, 1},
    {"three threads", false, false, 3},
    {"checks", false, true, 1},
    {"checks, any processor, three threads", true, true, 3},
};

static uint64_t input[IN_WORDS];

/* Numbers of all sizes, with the special ones among them. */
static void
fill_input(void)
{
    static const uint64_t special[] = {
        0,          1,          UINT64_MAX, 0x7fffffff,
        0x80000000, 0x3f800000, 0x7f800000, 0xff800001,
        0x00000001, 0x807fffff, 0x3c00,     0x7ff0000000000000,
        1ull << 63, 0xffff8000, 0x4f000000, 0x3fe0000000000000};
    uint64_t x = 88172645463325252;

    for (int i = 0; i < IN_WORDS; i++) {
        x ^= x << 13; /* Marsaglia's xorshift64 */
        x ^= x >> 7;
        x ^= x << 17;
        input[i] = x % 4 == 0 ? special[x / 4 % 16] : x >> (x / 16 % 4 * 16);
    }
}

static _Noreturn void
wrong(const char *text, const struct way *way, const char *what)
{
    fprintf(stderr, "%s\n%s: %s\n", text, way->name, what);
    abort();
}

static void
check(const char *text, const struct way *way, const struct memory_image *got,
      const struct memory_image *want)
{
    char what[200];

    for (int i = 0; i < OUT_WORDS; i++) {
        if (got->out[i] == want->out[i])
            continue;
        snprintf(what, sizeof what, "thread %d has %%%c%d = %llx, the model %llx",
                 i / (CLASSES * REGS), "hrdfgp"[i / REGS % CLASSES], i % REGS,
                 (unsigned long long)got->out[i], (unsigned long long)want->out[i]);
        wrong(text, way, what);
    }
    for (int i = 0; i < OUT_ATOMICS; i++) {
        if (got->atomics[i] == want->atomics[i])
            continue;
        snprintf(what, sizeof what, "word %d of the atomics' is %x, the model's %x", i,
                 got->atomics[i], want->atomics[i]);
        wrong(text, way, what);
    }
}

static void
run(const char *text, const struct way *way, const struct memory_image *want,
    struct counters *counters)
{
    struct machine_options options = {.memory_bytes = 1 << 22,
                                      .threads = way->threads,
                                      .checks = way->checks,
                                      .instruction_budget = 4000000};
    struct machine *m = machine_new(&options);
    struct memory_image got = {0};
    struct fault f = {0};
    struct module *mod;
    uint64_t params[3];
    struct launch l = {
        .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .params = params};

    if (m == NULL)
        abort();
    if (way->generic)
        m->avx2 = false;
    mod = module_load(m, text, strlen(text), &f);
    params[0] = memory_alloc(m, sizeof input, &f);
    params[1] = memory_alloc(m, sizeof got.out, &f);
    params[2] = memory_alloc(m, sizeof got.atomics, &f);
    if (mod == NULL || params[2] == 0)
        wrong(text, way, f.text);
    memcpy(memory_host(m, params[0], sizeof input), input, sizeof input);
    for (int i = 0; i < 3; i++) {
        uint64_t start, bytes;

        if (memory_find(m, params[i], &start, &bytes) != 0)
            abort();
        memory_mark(m, start, bytes, true);
    }
    memset(memory_host(m, params[1], sizeof got.out), 0, sizeof got.out);
    for (int i = 0; i < OUT_ATOMICS; i++)
        got.atomics[i] = ATOMIC_START;
    memcpy(memory_host(m, params[2], sizeof got.atomics), got.atomics,
           sizeof got.atomics);
    if (machine_launch(m, module_kernel(mod, "k"), &l, &f) != 0 || f.kind != FAULT_NONE)
        wrong(text, way, f.text);
    memcpy(got.out, memory_host(m, params[1], sizeof got.out), sizeof got.out);
    memcpy(got.atomics, memory_host(m, params[2], sizeof got.atomics),
           sizeof got.atomics);
    machine_counters(m, counters);
    machine_free(m);
    check(text, way, &got, want);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct random_program p;
    static struct memory_image want;
    struct counters first, c;
    char *text;

    if (input[0] == 0)
        fill_input();
    memset(&want, 0, sizeof want);
    program_generate(&p, data, size);
    text = program_print(&p);
    if (text == NULL)
        return 0;
    program_model(&p, input, &want);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        run(text, &ways[i], &want, i == 0 ? &first : &c);
        if (i > 0 && memcmp(&first, &c, sizeof c) != 0)
            wrong(text, &ways[i], "the counters differ");
    }
    free(text);
    return 0;
}
