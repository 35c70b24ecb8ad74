/*
 * A problem: the folder problems/<slug>/ read into memory and checked.
 *
 *   problem.json   what this header holds (docs/problem-format.md is the author's view)
 *   statement.md   for people
 *   reference.c    the right answer on the CPU, same signature as solve(), name `solve`
 *   reference.cu   the same on a device; at least one of the two must be there
 *   inputs.c       makes inputs that depend on each other; where the spec names it
 *   checker.c      judges outputs that are not unique; where the spec names it
 *
 * A problem owns everything reachable from it (one arena); problem_free frees all of it.
 */
#ifndef CORE_PROBLEM_H
#define CORE_PROBLEM_H

#include "compile/library.h"
#include "core/accept.h"
#include "core/dtype.h"
#include "core/gen.h"
#include "core/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBLEM_PARAMS_MAX 32
#define PROBLEM_RANK_MAX 6
#define PROBLEM_TESTS_MAX 256

enum param_dir { DIR_SCALAR, DIR_IN, DIR_OUT, DIR_INOUT };
enum param_start {
    START_POISON,
    START_ZEROS
}; /* what an out buffer holds before a call */

enum param_space { SPACE_DEVICE, SPACE_HOST_PINNED }; /* where a buffer is */

struct expr;       /* an integer or real expression over the scalars, core/expr.h */
struct value_spec; /* how an input's values are drawn, private to problem.c/values.c */

enum compare_mode {
    COMPARE_EXACT,
    COMPARE_CLOSE,
    COMPARE_ULP,
    COMPARE_UNORDERED,
    COMPARE_CHECKER
};

/* COMPARE_CLOSE: right iff |got - want| <= atol + rtol * |want|, in double; NaN is right
 * only where want is NaN, an infinity only where want is the same infinity.
 * COMPARE_EXACT: the same value (for floats: equal or both NaN).
 * COMPARE_ULP: right iff |got - want| is at most `ulp` units in the last place of want.
 * COMPARE_UNORDERED: as COMPARE_EXACT, but each row's elements in any order.
 * COMPARE_CHECKER: right iff the problem's checker.c finds nothing wrong with it. */
struct tolerance {
    enum compare_mode mode;
    double atol, rtol, ulp;
    double
        may_differ; /* EXACT, CLOSE, ULP: this share of the elements need not be right */
};

struct param {
    const char *name;
    const char *about;
    enum dtype type;
    enum param_dir dir;
    enum param_start start; /* out only */
    enum param_space space; /* buffers */
    int gpu;                /* buffers: which of the problem's GPUs has it, from 0 */
    int rank;               /* buffers: 1..PROBLEM_RANK_MAX; scalars: 0 */
    const struct expr *shape[PROBLEM_RANK_MAX];
    const struct value_spec *values; /* in and inout: the default generator */
    double min, max;                 /* scalars: the stated bounds; -inf/inf if none */
    bool has_tolerance;              /* out/inout: overrides the problem's */
    struct tolerance tolerance, benchmark_tolerance;
};

/* One assignment of the scalars, with what a test draws differently. */
struct test_case {
    const char *about;                 /* never shown for hidden tests */
    bool sample;                       /* shown to users with its values, used by `run` */
    double scalar[PROBLEM_PARAMS_MAX]; /* by parameter index; exact for |v| <= 2^53 */
    uint64_t exact[PROBLEM_PARAMS_MAX]; /* integers: the same, all 64 bits */
    const struct value_spec
        *values[PROBLEM_PARAMS_MAX]; /* NULL: the parameter's default */
    int variant;                     /* of inputs.c: index into the problem's list */
};

struct problem {
    const char *slug, *title, *difficulty;
    const char *folder; /* absolute path */
    const char *const *tags;
    int tag_count;
    int param_count;
    struct param param[PROBLEM_PARAMS_MAX];
    struct tolerance tolerance, benchmark_tolerance;
    int test_count;
    struct test_case *test;
    struct test_case benchmark_cuda, benchmark_emu;
    const struct expr *work_bytes, *work_flops; /* NULL: not said */
    const char *work_unit; /* "fp32", "fp64", "int8", ...: which unit does the flops */
    bool has_reference_c, has_reference_cu, has_inputs_c, has_checker_c;
    int variant_count; /* what tests ask of inputs.c, each once; [0] is "" */
    const char *variant[2 * PROBLEM_TESTS_MAX];
    int time_limit_ms;   /* for one call of solve() in a test, wall clock */
    size_t memory_limit; /* bytes of device memory a call may use in all */
    const char *arch;    /* least compute capability, "80"; NULL: none asked */
    int gpus;            /* how many it needs, 1 or 2 */
    unsigned libraries;  /* LIBRARY_BIT()s: what a solution may use */
    /* Reasons for exemptions from problem check: of the whole problem, and of an output.
     */
    const char *accepts[ACCEPT_COUNT];
    const char *accepts_of[ACCEPT_COUNT][PROBLEM_PARAMS_MAX];
    void *arena;
};

/* Loads DIR/SLUG. On failure the report starts with SLUG/problem.json and a JSON path, as
 * in: vector-addition/problem.json: $.params[2].shape[0]: unknown name "M". */
struct problem *problem_load(const char *dir, const char *slug, struct report *r);
void problem_free(struct problem *p);

/* Slugs of all folders below DIR that hold a problem.json, sorted; the caller frees each
 * and the array. -1 with a report where DIR cannot be read. */
int problem_list(const char *dir, char ***slugs, int *count, struct report *r);

/* The rule that holds for an output: its own or the problem's. */
struct tolerance problem_tolerance(const struct problem *p, int param, bool benchmark);
bool problem_uses_checker(const struct problem *p);

/* "void solve(const float* A, ..., int N)": what the starter, the wrapper and messages
 * use. */
char *problem_signature(const struct problem *p); /* the caller frees */

/* Can it be judged on this device? device: "emu" or "cuda:0"; arch: what nvcc is asked
 * for there, "compute_80" or "sm_90a"; gpus: how many of the device's kind the machine
 * has, itself included (emu answers as many as are needed). -1 and a reason where the
 * device lacks something. */
int problem_runs_on(const struct problem *p, const char *device, const char *arch,
                    int gpus, struct report *r);

int problem_param_index(const struct problem *p, const char *name); /* -1: none */

/* --- a problem at given sizes ------------------------------------------------------- */

struct extent {
    int rank;
    uint64_t dim[PROBLEM_RANK_MAX];
    uint64_t count; /* product of dim */
    uint64_t bytes; /* count * element size */
};

/* Shape of one buffer parameter in test t; fails on overflow, 0 or negative extents. */
int problem_extent(const struct problem *p, const struct test_case *t, int param,
                   struct extent *out, struct report *r);

/* Where the values of an input come from in test t. */
enum value_source {
    VALUE_SOURCE_GEN,  /* problem_gen: any device can fill a buffer with it */
    VALUE_SOURCE_HOST, /* problem_make only */
    VALUE_SOURCE_FILE, /* inputs.c; what problem_make makes is what it starts from */
};
enum value_source problem_value_source(const struct problem *p, const struct test_case *t,
                                       int param);

/* Does any input of test t come from inputs.c? */
bool problem_uses_inputs_c(const struct problem *p, const struct test_case *t);

/* All elements of an input for one seed, made here: dst has the extent's bytes. Serves
 * all sources, with the same bits as the generator's. Fails where an element does not
 * fit the type, and on a formula that reads beyond a buffer. */
int problem_make(const struct problem *p, const struct test_case *t, int param,
                 uint64_t seed, void *dst, struct report *r);

/* The generator of an input in test t (a plain-data description that can be run on the
 * host or handed to a device kernel; see gen.h). For VALUE_SOURCE_GEN only. */
int problem_gen(const struct problem *p, const struct test_case *t, int param,
                struct gen *out, struct report *r);

/* The value of a scalar parameter as the 8 bytes a call passes (int32 sign-extended to 64
 * bits, so that size_t and int read the same; float32 in the low 4 bytes). */
uint64_t problem_scalar_bits(const struct problem *p, const struct test_case *t,
                             int param);

/* work.bytes and work.flops in test t; 0 where the spec does not say. */
double problem_work_bytes(const struct problem *p, const struct test_case *t);
double problem_work_flops(const struct problem *p, const struct test_case *t);

/* "N=1000003" or "M=4, N=4, K=4": the scalars as a person reads them; the caller frees.
 */
char *problem_sizes_text(const struct problem *p, const struct test_case *t);

#endif
