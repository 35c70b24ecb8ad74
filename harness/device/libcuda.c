#include "device/libcuda.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name that every driver installs, and then places where images of containers keep
 * the library without telling the loader. */
static const char *const places[] = {
    "libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/local/nvidia/lib/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
};

static int
find_functions(void *library, struct libcuda *cu, struct report *r)
{
#define X(name, symbol, args)                                                            \
    {                                                                                    \
        void *f = dlsym(library, symbol);                                                \
                                                                                         \
        if (f == NULL)                                                                   \
            return report_fail(r, "the NVIDIA driver is too old: it has no " symbol);    \
        memcpy(&cu->name, &f, sizeof f);                                                 \
    }
    CU_FUNCTIONS(X)
#undef X
    return 0;
}

/* Asks for one queue between host and GPU instead of eight, because we have one stream.
 * Then the driver makes and ends a context in half the time (H200: 56 and 25 ms instead
 * of 110 and 57 ms). Other processes' contexts wait for that time. cuInit reads this
 * variable. */
static int
want_one_queue(struct report *r)
{
    return setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1) == 0
               ? 0
               : report_errno(r, "CUDA_DEVICE_MAX_CONNECTIONS cannot be set");
}

static int
libcuda_load(struct libcuda *cu, struct report *r)
{
    void *library = NULL;

    if (want_one_queue(r) != 0)
        return -1;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && library == NULL; i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return report_fail(r, "this machine has no NVIDIA driver (libcuda.so.1): use the "
                              "device emu");
    if (find_functions(library, cu, r) != 0)
        return -1;
    return libcuda_check(cu, cu->init(0), "cuInit", r);
}

const struct libcuda *
libcuda_get(struct report *r)
{
    static struct libcuda cu;
    static struct report failure;
    static bool tried, loaded;

    if (!tried) {
        tried = true;
        loaded = libcuda_load(&cu, &failure) == 0;
    }
    if (!loaded) {
        report_fail(r, "%s", failure.text);
        return NULL;
    }
    return &cu;
}

int
libcuda_check(const struct libcuda *cu, cu_result rc, const char *what, struct report *r)
{
    const char *name = NULL, *text = NULL;

    if (rc == CU_OK)
        return 0;
    if (cu->error_name(rc, &name) != CU_OK || name == NULL)
        name = "unknown CUDA error";
    if (cu->error_string(rc, &text) != CU_OK || text == NULL)
        text = "no description";
    return report_fail(r, "%s: CUDA error %d (%s: %s)", what, rc, name, text);
}

int
libcuda_gpu_id(const struct libcuda *cu, cu_device device, char out[64], struct report *r)
{
    unsigned char u[16] = {0};

    if (libcuda_check(cu, cu->device_uuid(u, device), "cuDeviceGetUuid", r) != 0)
        return -1;
    snprintf(out, 64,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
             u[12], u[13], u[14], u[15]);
    return 0;
}
