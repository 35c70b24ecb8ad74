/* Opens the driver and keeps a context on each GPU. */
#include "runner/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

struct driver cu;

static void *library;
static int gpus = 1;

static bool
find_functions(void)
{
    bool found = true;

#define X(name, symbol, args) found = (cu.name = dlsym(library, symbol)) != NULL && found;
    CU_COMMON_FUNCTIONS(X)
    CU_RUNNER_FUNCTIONS(X)
#undef X
    return found;
}

int
driver_failed(const char *what, int error, char *text, size_t text_size)
{
    const char *name = NULL;

    cu.error_name(error, &name);
    snprintf(text, text_size, "%s: %s", what, name != NULL ? name : "unknown error");
    return error;
}

static int
open_driver(char *text, size_t text_size)
{
    int error;

    if (library != NULL)
        return 0;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !find_functions()) {
        const char *why = dlerror();

        snprintf(text, text_size, "%s", why != NULL ? why : "libcuda.so.1 is too old");
        error = -ENOSYS;
    } else if ((error = cu.init(0)) == 0) {
        return 0;
    } else {
        driver_failed("cuInit", error, text, text_size);
    }
    if (library != NULL)
        dlclose(library);
    library = NULL;
    return error;
}

int
driver_use(int gpu, char *text, size_t text_size)
{
    cu_context context;
    cu_device device;
    int error = open_driver(text, text_size);

    if (error != 0)
        return error;
    if ((error = cu.device_get(&device, gpu)) != 0 ||
        (error = cu.context_retain(&context, device)) != 0 ||
        (error = cu.context_use(context)) != 0)
        return driver_failed("no CUDA context", error, text, text_size);
    return 0;
}

int
driver_wake(char *text, size_t text_size)
{
    int count = 0, error = open_driver(text, text_size);

    if (error != 0)
        return error;
    if ((error = cu.device_count(&count)) != 0)
        return driver_failed("cuDeviceGetCount", error, text, text_size);
    gpus = count > 1 ? count : 1;
    for (int i = gpus - 1; i >= 0 && error == 0; i--)
        error = driver_use(i, text, text_size);
    return error;
}

int
driver_gpus(void)
{
    return gpus;
}
