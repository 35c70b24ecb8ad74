#include "arbiter/measuring/capacity.h"

#include "arbiter/calling/call_set.h"

#define SHARE 8      /* all buffers may take this part of the GPU's memory: an eighth */
#define COPIES_MAX 3 /* a buffer, the answer's, and our copy if it is an output */

/* Bytes of all buffers of a call. UINT64_MAX: they cannot be told. */
static uint64_t
call_bytes(const struct problem *p, const struct test_case *t)
{
    uint64_t bytes = 0;

    for (int i = 0; i < p->param_count; i++) {
        struct report ignored = {0}; /* whoever allocates it says what is wrong */
        struct extent e;

        if (!param_is_buffer(&p->param[i]))
            continue;
        if (problem_extent(p, t, i, &e, &ignored) != 0)
            return UINT64_MAX;
        bytes += e.bytes;
    }
    return bytes;
}

bool
capacity_beside(const struct problem *p, const struct device *d)
{
    uint64_t most, tests = 0;
    struct device_info info;

    device_info(d, &info);
    most = info.memory_bytes / SHARE / COPIES_MAX;
    if (call_bytes(p, &p->benchmark_cuda) > most)
        return false;
    for (int i = 0; i < p->test_count; i++) { /* the answers of all tests are kept */
        const uint64_t bytes = call_bytes(p, &p->test[i]);

        if (bytes > most - tests)
            return false;
        tests += bytes;
    }
    return true;
}
