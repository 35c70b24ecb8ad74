/*
 * A case of a user's own for `warpjudge run`: sizes, values and a seed that the user
 * chooses, instead of the spec's sample tests. It travels as a JSON object, in the body
 * of a submission and in the job folder.
 *
 *     {"sizes": {"N": 100003}, "values": {"A": "ones", "B": {"type": "float32",
 *      "shape": [100003], "data": BASE64}}, "seed": 7, "arrays": true}
 *
 * Every member may be absent. A scalar that is not named is as in the first sample test.
 * An input that is not named is drawn as the spec says where a test names no values; so
 * is one with the values "random". With "arrays" all inputs, outputs and expected outputs
 * are handed over.
 */
#ifndef PROBLEM_OWN_CASE_H
#define PROBLEM_OWN_CASE_H

#include "base/buf.h"
#include "problem/problem.h"

#include <cjson/cJSON.h>

#define OWN_CASE_FIELD_MAX 80
#define OWN_CASE_DATA_MAX ((size_t)1 << 20)   /* bytes of all values that are sent */
#define OWN_CASE_ARRAYS_MAX ((size_t)4 << 20) /* bytes of all arrays that come back */
/* All buffers of a case, unless a test or the benchmark of the problem on the device has
 * more. No more than the problem's limit of memory either. */
#define OWN_CASE_BUFFERS_MAX ((uint64_t)128 << 20)
#define OWN_CASE_SEED_MAX INT64_C(9007199254740992)

/*    enumerator  its word */
#define OWN_VALUES(X)                                                                    \
    X(RANDOM, "random") /* as the spec draws them */                                     \
    X(ONES, "ones")                                                                      \
    X(ZEROS, "zeros")                                                                    \
    X(RAMP, "ramp") /* 0, 1, 2, ... up to where the type is exact, and from 0 again */

enum own_values {
#define X(name, text) OWN_##name,
    OWN_VALUES(X)
#undef X
        OWN_DATA /* the bytes that the user has sent */
};

struct own_case {
    struct test_case test;
    enum own_values values[PROBLEM_PARAMS_MAX]; /* by parameter */
    struct buf data[PROBLEM_PARAMS_MAX];        /* of OWN_DATA: the whole buffer */
    int64_t seed;                               /* 0 where the user names none */
    bool arrays;
};

/* Reads and checks a case of this problem on a device ("emu", "cuda:0"). The caller frees
 * it. On failure `field` is the JSON pointer of what is wrong, from the object on, and
 * the report says what. */
int own_case_read(const cJSON *object, const struct problem *p, const char *device,
                  struct own_case *out, char field[OWN_CASE_FIELD_MAX], struct report *r);
void own_case_free(struct own_case *c);

/* Fills the buffer of an input whose values are not OWN_RANDOM. */
void own_case_make(const struct own_case *c, const struct problem *p, int param,
                   const struct extent *extent, void *dst);

#endif
