/* Says in one sentence why Nsight Compute has made no profile, and what can be done. */
#ifndef ARBITER_PROFILING_NCU_REFUSAL_H
#define ARBITER_PROFILING_NCU_REFUSAL_H

#include "base/buf.h"

/* Adds the sentence to out. `printed` is what ncu printed, and the submission with it. */
void ncu_refusal_explain(const char *printed, struct buf *out);

#endif
