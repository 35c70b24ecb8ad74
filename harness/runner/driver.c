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
    static const struct {
        const char *name;
        void **function;
    } needed[] = {
        {"cuInit", (void **)&cu.init},
        {"cuDeviceGetCount", (void **)&cu.device_count},
        {"cuDeviceGet", (void **)&cu.device_get},
        {"cuDevicePrimaryCtxRetain", (void **)&cu.retain},
        {"cuCtxSetCurrent", (void **)&cu.set_current},
        {"cuMemImportFromShareableHandle", (void **)&cu.import},
        {"cuMemAddressReserve", (void **)&cu.reserve},
        {"cuMemMap", (void **)&cu.map},
        {"cuMemSetAccess", (void **)&cu.set_access},
        {"cuMemUnmap", (void **)&cu.unmap},
        {"cuMemRelease", (void **)&cu.release},
        {"cuMemAddressFree", (void **)&cu.free_address},
        {"cuMemHostRegister_v2", (void **)&cu.host_register},
        {"cuMemHostUnregister", (void **)&cu.host_unregister},
        {"cuGetErrorName", (void **)&cu.error_name},
    };

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        *needed[i].function = dlsym(library, needed[i].name);
        if (*needed[i].function == NULL)
            return false;
    }
    return true;
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
    void *context;
    int device, error = open_driver(text, text_size);

    if (error != 0)
        return error;
    if ((error = cu.device_get(&device, gpu)) != 0 ||
        (error = cu.retain(&context, device)) != 0 ||
        (error = cu.set_current(context)) != 0)
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
