/*
 * A problem: the folder problems/<slug>/ read into memory and checked.
 *
 *     problem.json   the spec, which struct problem holds
 *     statement.md   for people
 *     reference.c    the right answer on the CPU, a function with solve()'s signature
 *     reference.cu   the same on a device; at least one of the two must be there
 *     inputs.c       makes inputs that depend on each other, where the spec names it
 *     checker.c      judges outputs that are not unique, where the spec names it
 *
 * docs/problem-format.md says the same to authors. A problem owns everything that is
 * reachable from it, in one arena. problem_free() frees all of it.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "base/report.h"
#include "compile/library.h"
#include "numbers/dtype.h"
#include "numbers/gen.h"
#include "problem/accept.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBLEM_PARAMS_MAX 32
#define PROBLEM_RANK_MAX 6
#define PROBLEM_TESTS_MAX 256

enum param_dir { DIR_SCALAR, DIR_IN, DIR_OUT, DIR_INOUT };
/* What an out buffer holds before a call. */
enum param_start { START_POISON, START_ZEROS };

/* Where a buffer is. */
enum param_space { SPACE_DEVICE, SPACE_HOST_PINNED };

struct expr;       /* an expression over the scalars (problem/expr.h) */
struct value_spec; /* how an input's values are drawn (problem/value_spec.h) */

enum compare_mode {
    COMPARE_EXACT,
    COMPARE_CLOSE,
    COMPARE_ULP,
    COMPARE_UNORDERED,
    COMPARE_CHECKER
};

/* COMPARE_CLOSE: an element is right iff |got - want| <= atol + rtol * |want|, in
 * doubles. A NaN is right only where want is NaN, an infinity only where want is the same
 * infinity. COMPARE_EXACT: it is right iff it has the same value. Two NaN have the same
 * value. COMPARE_ULP: it is right iff |got - want| is at most `ulp` units in the last
 * place of want. COMPARE_UNORDERED: as COMPARE_EXACT, but the elements of a row may be in
 * any order. COMPARE_CHECKER: the output is right iff the problem's checker.c finds
 * nothing wrong. */
struct tolerance {
    enum compare_mode mode;
    double atol, rtol, ulp;
    double may_differ; /* EXACT, CLOSE, ULP: the share of elements that may be wrong */
};

struct param {
    const char *name;
    const char *about;
    enum dtype type;
    enum param_dir dir;
    enum param_start start; /* out only */
    enum param_space space; /* buffers */
    int gpu;                /* buffers: the problem's GPU that has it, from 0 */
    int rank;               /* buffers: 1..PROBLEM_RANK_MAX; scalars: 0 */
    const struct expr *shape[PROBLEM_RANK_MAX];
    const char *shape_text[PROBLEM_RANK_MAX]; /* as the spec has them */
    const struct value_spec
        *values;        /* in and inout: the values where a test names none */
    double min, max;    /* scalars: the stated bounds; -inf/inf if none */
    bool has_tolerance; /* out/inout: overrides the problem's */
    struct tolerance tolerance, benchmark_tolerance;
};

/* A test or a benchmark: values for the scalars, and inputs that are drawn
 * differently. */
struct test_case {
    const char *about; /* never shown for hidden tests */
    bool sample_test;  /* users see it with its values */
    bool beyond; /* larger than any case of the problem's source: changes no verdict */
    double scalar[PROBLEM_PARAMS_MAX];  /* by parameter; exact up to 2^53 */
    uint64_t exact[PROBLEM_PARAMS_MAX]; /* integers: all 64 bits of the value */
    const struct value_spec
        *values[PROBLEM_PARAMS_MAX]; /* NULL: those of the parameter */
    int variant; /* what inputs.c is asked for: index into the problem's list */
};

/*       enumerator  name      who may see a source, beside its owner and the staff */
#define SOURCES(X)                                                                       \
    X(OWNER, "owner")                                                                    \
    X(SOLVED, "solved") /* who has an accepted submission to the problem */              \
    X(PUBLIC, "public")

/* Each lets those see it whom the one before lets, and more. */
enum sources {
#define X(name, text) SOURCES_##name,
    SOURCES(X)
#undef X
};

const char *sources_name(enum sources sources);
/* -1 for another word. */
int sources_parse(const char *word, enum sources *out);

struct problem {
    const char *slug, *title, *difficulty;
    const char *folder; /* absolute path */
    const char *const *tags;
    int tag_count;
    /* The course: lessons of vocabulary.json, and the slugs of the problems that one
     * should have solved before this one (problem/course.h). Both are empty where the
     * spec does not say. */
    const char *const *teaches, *const *after;
    int teaches_count, after_count;
    int param_count;
    struct param param[PROBLEM_PARAMS_MAX];
    struct tolerance tolerance, benchmark_tolerance;
    int test_count;
    struct test_case *test;
    struct test_case benchmark_cuda, benchmark_emu;
    const struct expr *work_bytes, *work_flops; /* NULL: not said */
    const char *work_unit; /* the unit that does the flops: "fp32", "fp64", "int8", ... */
    bool has_reference_c, has_reference_cu, has_inputs_c, has_checker_c;
    int variant_count; /* what tests ask inputs.c for, each once; the first is "" */
    const char *variant[2 * PROBLEM_TESTS_MAX];
    int time_limit_ms;    /* for one call of solve(): budget.h */
    size_t memory_limit;  /* bytes of device memory a call may use in all */
    const char *arch;     /* the least compute capability, "80"; NULL: any */
    int gpus;             /* how many it needs, 1 or 2 */
    unsigned libraries;   /* LIBRARY_BIT()s of the libraries that a solution may use */
    enum sources sources; /* the server may say more; OWNER: only the server decides */
    /* Why the problem, or one of its outputs, is exempt from a rule of problem check. */
    const char *accepts[ACCEPT_COUNT];
    const char *accepts_of[ACCEPT_COUNT][PROBLEM_PARAMS_MAX];
    void *arena;
};

/* Loads DIR/SLUG. On failure the report starts with SLUG/problem.json and a JSON path:
 * vector-addition/problem.json: $.params[2].shape[0]: unknown name "M". */
struct problem *problem_load(const char *dir, const char *slug, struct report *r);
void problem_free(struct problem *p);

/* The slugs of all folders in DIR that hold a problem.json, sorted. The caller frees each
 * slug and the array. -1 and a report where DIR cannot be read. */
int problem_list(const char *dir, char ***slugs, int *count, struct report *r);

/* The rule that holds for an output: its own or the problem's. */
struct tolerance problem_tolerance(const struct problem *p, int param, bool benchmark);
bool problem_uses_checker(const struct problem *p);

/* "void solve(const float* A, ..., int N)", for the starter, the wrapper and messages.
 * The caller frees. */
char *problem_signature(const struct problem *p);

/* Can the problem be judged on this device? If the device lacks something, the result is
 * a report and -1. device is "emu" or "cuda:0". arch is what nvcc is asked for there:
 * "compute_80" or "sm_90a". The argument gpus is how many devices of this kind the
 * machine has, this one included. On emu it does not matter. */
int problem_runs_on(const struct problem *p, const char *device, const char *arch,
                    int gpus, struct report *r);

/* The index of the parameter with this name, or -1. */
int problem_param_index(const struct problem *p, const char *name);

/* --- a problem at given sizes ------------------------------------------------------- */

struct extent {
    int rank;
    uint64_t dim[PROBLEM_RANK_MAX];
    uint64_t count; /* the product of dim */
    uint64_t bytes; /* count times the size of an element */
};

/* The shape of a buffer parameter in test t. It fails where an extent overflows, is 0 or
 * is negative. */
int problem_extent(const struct problem *p, const struct test_case *t, int param,
                   struct extent *out, struct report *r);

/* Where the values of an input come from in test t. */
enum value_source {
    VALUE_SOURCE_GEN,  /* problem_gen(): any device can fill a buffer with it */
    VALUE_SOURCE_HOST, /* problem_make() only */
    VALUE_SOURCE_FILE, /* inputs.c, which starts from what problem_make() makes */
};
enum value_source problem_value_source(const struct problem *p, const struct test_case *t,
                                       int param);

/* Does any input of test t come from inputs.c? */
bool problem_uses_inputs_c(const struct problem *p, const struct test_case *t);

/* Makes all elements of an input on the host, for one seed. dst has the extent's bytes.
 * It serves all sources, and its bits are those of the generator. It fails where an
 * element does not fit the type, and where a formula reads beyond a buffer. */
int problem_make(const struct problem *p, const struct test_case *t, int param,
                 uint64_t seed, void *dst, struct report *r);

/* The generator of an input in test t, for VALUE_SOURCE_GEN only. It is plain data, so
 * that the host or a kernel of the device can run it (gen.h). */
int problem_gen(const struct problem *p, const struct test_case *t, int param,
                struct gen *out, struct report *r);

/* The value of a scalar parameter as the 8 bytes that a call passes. Integers are
 * sign-extended to 64 bits, so that size_t and int read the same. A float32 lies in the
 * low 4 bytes. */
uint64_t problem_scalar_bits(const struct problem *p, const struct test_case *t,
                             int param);

/* The bytes of all buffers of test t, whose shapes must be known to be good. */
uint64_t problem_buffer_bytes(const struct problem *p, const struct test_case *t);

/* work.bytes and work.flops in test t; 0 where the spec states none. */
double problem_work_bytes(const struct problem *p, const struct test_case *t);
double problem_work_flops(const struct problem *p, const struct test_case *t);

/* The scalars as a person reads them: "N=1000003" or "M=4, N=4, K=4". The caller
 * frees. */
char *problem_sizes_text(const struct problem *p, const struct test_case *t);

#endif
