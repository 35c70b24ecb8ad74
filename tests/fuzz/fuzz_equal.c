// links: common
/* A stranger's source, and the PTX that became of one: both digests are made of the same
 * bytes. */
#include "compile/equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct digest d;

    digest_source((const char *)data, size, &d);
    digest_ptx((const char *)data, size, &d);
    return 0;
}
