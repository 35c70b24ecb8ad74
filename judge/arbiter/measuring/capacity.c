#include "arbiter/measuring/capacity.h"

#include "arbiter/calling/call_set.h"

#define SHARE 8      /* all buffers may take this part of the GPU's memory: an eighth */
#define COPIES_MAX 3 /* a buffer, the answer's, and our copy if it is an output */

bool
capacity_beside(const struct problem *p, const struct device *d)
{
    uint64_t most, tests = 0;
    struct device_info info;

    device_info(d, &info);
    most = info.memory_bytes / SHARE / COPIES_MAX;
    if (call_set_bytes(p, &p->benchmark_cuda, false) > most)
        return false;
    for (int i = 0; i < p->test_count; i++) { /* the answers of all tests are kept */
        const uint64_t bytes = call_set_bytes(p, &p->test[i], false);

        if (bytes > most - tests)
            return false;
        tests += bytes;
    }
    return true;
}
