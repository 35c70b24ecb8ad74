#include "device/cuda_rates.h"

#include "numbers/statistics.h"

#include <stdio.h>

#define THREADS 256
#define BLOCKS_PER_SM 8
#define FMA_ROUNDS 256
#define FMAS_PER_ROUND 128
#define REPEATS 9 /* their medians differ by 0.3 to 0.7% (docs/measurements/clock.md) */
#define WARMUP 30 /* launches of some 0.3 ms, in which an idle GPU raises its clocks */

struct bench {
    const struct cuda_rates_context *c;
    cu_pointer from, to; /* two buffers of c->buffer_bytes */
    cu_event begin, end; /* around each launch */
};

static int
bench_check(const struct bench *b, cu_result rc, const char *what, struct report *r)
{
    return libcuda_check(b->c->cu, rc, what, r);
}

static int
bench_launch(const struct bench *b, cu_function f, void **params, double *ns,
             struct report *r)
{
    const struct libcuda *cu = b->c->cu;
    const unsigned grid = b->c->multiprocessors * BLOCKS_PER_SM;
    float ms = 0;

    if (bench_check(b, cu->event_record(b->begin, b->c->stream), "cuEventRecord", r) !=
            0 ||
        bench_check(
            b, cu->launch(f, grid, 1, 1, THREADS, 1, 1, 0, b->c->stream, params, NULL),
            "a calibration kernel", r) != 0 ||
        bench_check(b, cu->event_record(b->end, b->c->stream), "cuEventRecord", r) != 0 ||
        bench_check(b, cu->event_wait(b->end), "a calibration kernel", r) != 0 ||
        bench_check(b, cu->event_elapsed(&ms, b->begin, b->end), "cuEventElapsedTime",
                    r) != 0)
        return -1;
    *ns = ms * 1e6;
    return 0;
}

/* Divides the work of one launch by the median of the launches' times. */
static int
bench_measure(const struct bench *b, const char *name, void **params, int warmup,
              double work, double *rate, struct report *r)
{
    double ns[REPEATS], ignored;
    cu_function f;

    if (bench_check(b, b->c->cu->module_function(&f, b->c->module, name), name, r) != 0)
        return -1;
    for (int i = 0; i < warmup; i++)
        if (bench_launch(b, f, params, &ignored, r) != 0)
            return -1;
    for (int i = 0; i < REPEATS; i++)
        if (bench_launch(b, f, params, &ns[i], r) != 0)
            return -1;
    *rate = work / quantile(ns, REPEATS, 0.5);
    return *rate > 0 ? 0 : report_fail(r, "%s took no time", name);
}

static int
bench_measure_all(const struct bench *b, struct device_rates *out, struct report *r)
{
    const double threads = (double)b->c->multiprocessors * BLOCKS_PER_SM * THREADS;
    uint64_t words = b->c->buffer_bytes / 16, rounds = FMA_ROUNDS;
    cu_pointer from = b->from, to = b->to;
    float factor = 1;
    void *fma[] = {&rounds, &factor, &to};
    void *copy[] = {&words, &from, &to};

    if (bench_check(b, b->c->cu->set8(b->from, 0, b->c->buffer_bytes, b->c->stream),
                    "cuMemsetD8Async", r) != 0 ||
        bench_measure(b, "warpjudge_fma", fma, b->c->awake ? 1 : WARMUP,
                      2 * threads * FMA_ROUNDS * FMAS_PER_ROUND, &out->fp32_per_ns,
                      r) != 0 ||
        bench_measure(b, "warpjudge_copy", copy, 1, 2 * (double)b->c->buffer_bytes,
                      &out->copy_bytes_per_ns, r) != 0)
        return -1;
    return bench_measure(b, "warpjudge_read", copy, 1, (double)b->c->buffer_bytes,
                         &out->read_bytes_per_ns, r);
}

int
cuda_rates_measure(const struct cuda_rates_context *c, struct device_rates *out,
                   struct report *r)
{
    const struct libcuda *cu = c->cu;
    struct bench b = {.c = c};
    int rc = libcuda_gpu_id(cu, c->device, out->id, r);

    if (rc == 0)
        rc = bench_check(&b, cu->event_create(&b.begin, 0), "cuEventCreate", r);
    if (rc == 0)
        rc = bench_check(&b, cu->event_create(&b.end, 0), "cuEventCreate", r);
    if (rc == 0)
        rc = bench_check(&b, cu->alloc(&b.from, c->buffer_bytes), "cuMemAlloc", r);
    if (rc == 0)
        rc = bench_check(&b, cu->alloc(&b.to, c->buffer_bytes), "cuMemAlloc", r);
    if (rc == 0)
        rc = bench_measure_all(&b, out, r);
    if (b.to != 0)
        cu->free(b.to);
    if (b.from != 0)
        cu->free(b.from);
    if (b.end != NULL)
        cu->event_destroy(b.end);
    if (b.begin != NULL)
        cu->event_destroy(b.begin);
    return rc;
}
