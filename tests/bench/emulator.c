// links: exec ptx
/*
 * emulator KERNELS.ptx [REPEATS [KERNEL]]: the emulated GPU's speed, in one run and in
 * one process, against the same work in plain C (plain.c, gcc -O2) on one core.
 *
 * Every kernel has REPEATS rounds. In each round these take their turn: the C code, the
 * machine with all CPUs, and the machine with one thread, checks off and on. So a busy
 * moment of the host hits all of them. Ratios are of medians, and each is printed with
 * its goal. One core's time is its own, so that others' work counts against several
 * threads only. The results are compared with the C code's, with the rounding that
 * another order of additions allows.
 */
#include "emulator/exec/exec.h"
#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_REPEATS = 99, ELEMENTS = 16 << 20, SIDE = 512, BLOCK = 256 };

/* What takes a turn in a round. */
enum contender { PLAIN, ALL_CPUS, ONE_THREAD, CHECKED, CONTENDERS };

static _Noreturn void
fail(const char *what, const struct fault *f)
{
    fprintf(stderr, "emulator bench: %s%s%s\n", what, f != NULL ? ": " : "",
            f != NULL ? f->text : "");
    exit(1);
}

static double
now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare_doubles);
    return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* --- one machine ------------------------------------------------------- */

struct gpu {
    struct machine *m;
    struct module *mod;
    uint64_t in[2], out; /* device buffers */
    float *in_host[2], *out_host;
};

static uint64_t
buffer(struct machine *m, size_t bytes, float **host)
{
    struct fault f;
    uint64_t address = memory_alloc(m, bytes, &f);

    if (address == 0)
        fail("no memory", &f);
    memory_mark(m, address, bytes, true);
    *host = memory_host(m, address, bytes);
    return address;
}

static struct gpu
gpu_new(const char *ptx, size_t len, int threads, bool checks)
{
    struct machine_options o = {.threads = threads, .checks = checks};
    struct gpu g = {.m = machine_new(&o)};
    struct fault f;

    if (g.m == NULL)
        fail("no machine", NULL);
    g.mod = module_load(g.m, ptx, len, &f);
    if (g.mod == NULL)
        fail("the kernels", &f);
    for (int i = 0; i < 2; i++)
        g.in[i] = buffer(g.m, ELEMENTS * sizeof(float), &g.in_host[i]);
    g.out = buffer(g.m, ELEMENTS * sizeof(float), &g.out_host);
    for (uint32_t i = 0, x = 1; i < ELEMENTS; i++) {
        x = x * 1664525 + 1013904223;
        g.in_host[0][i] = (float)(x >> 8) * 0x1p-24f;
        g.in_host[1][i] = (float)(x >> 16) * 0x1p-16f;
    }
    return g;
}

/* --- the cases --------------------------------------------------------- */

struct bench_case {
    const char *name, *kernel;
    double goal; /* of the ratio to plain C */
    size_t outputs;
    struct launch shape;
    void (*plain)(const float *a, const float *b, float *c);
    bool one_input;
    int32_t n;
};

static void
add(const float *a, const float *b, float *c)
{
    plain_add(a, b, c, ELEMENTS);
}

static void
matmul(const float *a, const float *b, float *c)
{
    plain_matmul(a, b, c, SIDE);
}

static void
matmul_tiled(const float *a, const float *b, float *c)
{
    plain_matmul_tiled(a, b, c, SIDE);
}

static void
block_sums(const float *a, const float *b, float *c)
{
    (void)b;
    plain_block_sums(a, c, ELEMENTS);
}

static const struct bench_case cases[] = {
    {"vector addition, 16M",
     "vector_add",
     8,
     ELEMENTS,
     {.grid = {ELEMENTS / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}},
     add,
     false,
     ELEMENTS},
    {"matrix product, naive, 512^3",
     "matmul",
     15,
     SIDE *SIDE,
     {.grid = {SIDE / 16, SIDE / 16, 1}, .block = {16, 16, 1}},
     matmul,
     false,
     SIDE},
    {"matrix product, tiled, 512^3",
     "matmul_tiled",
     25,
     SIDE *SIDE,
     {.grid = {SIDE / 16, SIDE / 16, 1}, .block = {16, 16, 1}},
     matmul_tiled,
     false,
     SIDE},
    {"block sums by shuffles, 16M",
     "block_sums",
     10,
     ELEMENTS / BLOCK,
     {.grid = {ELEMENTS / BLOCK, 1, 1}, .block = {BLOCK, 1, 1}},
     block_sums,
     true,
     ELEMENTS},
};

static void
launch(struct gpu *g, const struct bench_case *c)
{
    struct {
        uint64_t in[2], out;
        int32_t n;
    } three = {{g->in[0], g->in[1]}, g->out, c->n};
    struct {
        uint64_t in, out;
        int32_t n;
    } two = {g->in[0], g->out, c->n};
    struct kernel *k = module_kernel(g->mod, c->kernel);
    struct launch l = c->shape;
    struct fault f;

    if (k == NULL)
        fail(c->kernel, NULL);
    l.params = c->one_input ? (const void *)&two : &three;
    if (machine_launch(g->m, k, &l, &f) != 0 || f.kind != FAULT_NONE)
        fail(c->kernel, &f);
}

static void
check_results(const struct bench_case *c, const float *expected, const struct gpu *g)
{
    for (size_t i = 0; i < c->outputs; i++)
        if (!(fabsf(expected[i] - g->out_host[i]) <= 1e-5f * fabsf(expected[i])))
            fail(c->name, &(struct fault){.text = "wrong result"});
}

static void
run_case(const struct bench_case *c, struct gpu *gpus, float *expected, int repeats)
{
    static double seconds[CONTENDERS][MAX_REPEATS];
    double m[CONTENDERS];

    for (int r = -1; r < repeats; r++) { /* round -1: page faults, decoding */
        for (enum contender who = PLAIN; who < CONTENDERS; who++) {
            clockid_t clock = who == ALL_CPUS ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
            double start = now(clock);

            if (who == PLAIN)
                c->plain(gpus[ONE_THREAD].in_host[0], gpus[ONE_THREAD].in_host[1],
                         expected);
            else
                launch(&gpus[who], c);
            if (r >= 0)
                seconds[who][r] = now(clock) - start;
            else if (who != PLAIN)
                check_results(c, expected, &gpus[who]);
        }
    }
    for (enum contender who = PLAIN; who < CONTENDERS; who++)
        m[who] = median(seconds[who], repeats);
    printf("  %-29s %8.1f %9.1f %9.1f %7.1f %7.1f %6.0f %8.2f %6.0f\n", c->name,
           m[PLAIN] * 1e3, m[ALL_CPUS] * 1e3, m[ONE_THREAD] * 1e3, m[ALL_CPUS] / m[PLAIN],
           m[ONE_THREAD] / m[PLAIN], c->goal, m[CHECKED] / m[ONE_THREAD], 3.0);
}

/* --- small costs ------------------------------------------------------- */

/* A module with one kernel that does nothing: from the PTX text to the kernel's end. */
static void
first_launch(const char *ptx, size_t len, int repeats)
{
    static double seconds[MAX_REPEATS], empty[MAX_REPEATS];
    struct machine_options o = {0};
    struct launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    enum { LAUNCHES = 1000 };

    for (int r = 0; r < repeats; r++) {
        struct machine *m = machine_new(&o);
        struct fault f = {0};
        double start = now(CLOCK_MONOTONIC);
        struct module *mod = m != NULL ? module_load(m, ptx, len, &f) : NULL;
        struct kernel *k = mod != NULL ? module_kernel(mod, "nothing") : NULL;

        if (k == NULL || machine_launch(m, k, &l, &f) != 0)
            fail("nothing", &f);
        seconds[r] = now(CLOCK_MONOTONIC) - start;
        start = now(CLOCK_MONOTONIC);
        for (int i = 0; i < LAUNCHES; i++)
            if (machine_launch(m, k, &l, &f) != 0)
                fail("nothing", &f);
        empty[r] = (now(CLOCK_MONOTONIC) - start) / LAUNCHES;
        machine_free(m);
    }
    printf("  PTX text to the end of a first empty kernel %8.2f ms   goal 5\n",
           median(seconds, repeats) * 1e3);
    printf("  an empty launch, within the process         %8.2f us\n",
           median(empty, repeats) * 1e6);
}

static char *
read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "r");
    char *text;
    long size;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0)
        fail(path, NULL);
    rewind(f);
    text = malloc((size_t)size + 1);
    if (text == NULL)
        fail("no memory", NULL);
    *len = fread(text, 1, (size_t)size, f);
    fclose(f);
    return text;
}

int
main(int argc, char **argv)
{
    int repeats = argc > 2 ? atoi(argv[2]) : 7;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    float *expected = malloc(ELEMENTS * sizeof *expected);
    struct gpu gpus[CONTENDERS] = {0};
    size_t len;
    char *ptx;

    if (argc < 2 || repeats < 1 || repeats > MAX_REPEATS) {
        fprintf(stderr, "usage: emulator KERNELS.ptx [REPEATS [KERNEL]]\n");
        return 2;
    }
    ptx = read_file(argv[1], &len);
    if (expected == NULL)
        fail("no memory", NULL);
    gpus[ALL_CPUS] = gpu_new(ptx, len, 0, false);
    gpus[ONE_THREAD] = gpu_new(ptx, len, 1, false);
    gpus[CHECKED] = gpu_new(ptx, len, 1, true);
    printf("the emulated GPU's kernels against plain C (gcc -O2, one core), %d repeats, "
           "medians;\nthe emulator on %ld threads, then on one; checks on against off "
           "(one thread, as with checks there is no other)\n",
           repeats, cpus);
    printf("  %-29s %8s %9s %9s %7s %7s %6s %8s %6s\n", "", "C", "threads", "one",
           "ratio", "one", "goal", "checks", "goal");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 4 || strcmp(argv[3], cases[i].kernel) == 0)
            run_case(&cases[i], gpus, expected, repeats);
    first_launch(ptx, len, repeats);
    for (enum contender who = ALL_CPUS; who < CONTENDERS; who++)
        machine_free(gpus[who].m);
    free(expected);
    free(ptx);
    return 0;
}
