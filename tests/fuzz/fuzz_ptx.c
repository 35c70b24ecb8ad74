// links: exec ptx
/* PTX that strangers send: parsing, and running the kernels that it has for a little. */
#include "emulator/exec/exec.h"
#include "emulator/ptx/ptx.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PARAM_BYTES = 4096 };

static void
run(struct machine *m, struct module *mod, const char *name, uint64_t buffer)
{
    struct kernel *k = module_kernel(mod, name);
    uint8_t params[PARAM_BYTES];
    struct launch l = {
        .grid = {2, 1, 1}, .block = {40, 1, 1}, .dynamic_shared = 256, .params = params};
    struct fault f;

    if (k == NULL || kernel_param_bytes(k) > PARAM_BYTES)
        return;
    for (size_t i = 0; i < PARAM_BYTES; i += sizeof buffer)
        memcpy(params + i, &buffer, sizeof buffer);
    machine_launch(m, k, &l, &f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine_options options = {.memory_bytes = 1 << 20,
                                      .threads = 1,
                                      .checks = true,
                                      .instruction_budget = 20000};
    struct ptx_error error;
    struct ptx_module *ptx = ptx_parse((const char *)data, size, &error);
    struct machine *m;
    struct module *mod;
    struct fault f;
    uint64_t buffer;

    if (ptx == NULL)
        return 0;
    m = machine_new(&options);
    if (m != NULL) {
        buffer = memory_alloc(m, 4096, &f);
        mod = module_load(m, (const char *)data, size, &f);
        for (const struct ptx_func *fn = ptx->funcs; mod != NULL && fn != NULL;
             fn = fn->next)
            run(m, mod, fn->name, buffer);
        machine_free(m);
    }
    ptx_free(ptx);
    return 0;
}
