// links: cli gpu_process gpu_owner sandbox common
/* Any bytes as a .npy file: an array whose data lie within the bytes and have its shape's
 * size, which is written and read again; or a sentence. */
#include "cli/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report r = {0};
    struct buf file = {0};
    struct npy n, again;

    if (npy_parse(data, size, &n, &r) != 0) {
        if (!report_is_set(&r))
            abort();
        return 0;
    }
    if ((const uint8_t *)n.data < data || n.bytes > size ||
        (const uint8_t *)n.data + n.bytes != data + size)
        abort();
    if (npy_add(&file, &n, &r) != 0 ||
        npy_parse(buf_str(&file), file.len, &again, &r) != 0)
        abort();
    if (strcmp(n.type, again.type) != 0 || n.rank != again.rank ||
        n.bytes != again.bytes ||
        memcmp(n.dim, again.dim, (size_t)n.rank * sizeof *n.dim) != 0)
        abort();
    buf_free(&file);
    return 0;
}
