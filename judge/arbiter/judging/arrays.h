/*
 * The arrays of a case of a user's own, as a JSON array in the result:
 *
 *     [{"name": "C", "part": "output", "type": "float32", "shape": [2, 3],
 *       "data": BASE64}, ...]
 *
 * The part is "input", "output" or "expected". The data are the elements in the machine's
 * order of bytes, little-endian. An inout parameter's input is what it held before the
 * call. After a call that did not end there is no output.
 */
#ifndef ARBITER_JUDGING_ARRAYS_H
#define ARBITER_JUDGING_ARRAYS_H

#include "arbiter/judging/trial.h"

/* Puts the arrays of a call that has been made into j->result. */
int arrays_take(struct judgement *j, const struct trial *t, struct report *r);

#endif
