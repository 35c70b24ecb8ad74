#include "device/nvml.h"

#include "core/buf.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* NVML API reference: numbers of enumerations that are part of the ABI. */
enum {
    NVML_OK = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEMORY = 2,
    NVML_TEMPERATURE_GPU = 0,
};

typedef struct nvml_device_s *nvml_device;

struct nvml {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
    /* Each may be missing. */
    int (*clock)(nvml_device device, int which, unsigned *mhz);
    int (*temperature)(nvml_device device, int which, unsigned *c);
    int (*power)(nvml_device device, unsigned *mw);
    int (*throttle)(nvml_device device, unsigned long long *reasons);
    int (*minor)(nvml_device device, unsigned *number);
};

/* A function pointer's bits, which ISO C does not convert from void *. */
static void
find(void *library, const char *symbol, void *out)
{
    void *f = dlsym(library, symbol);

    memcpy(out, &f, sizeof f);
}

static int
start(struct nvml *n, const char *id)
{
    int (*init)(void);
    int (*by_uuid)(const char *uuid, nvml_device *device);

    find(n->library, "nvmlInit_v2", &init);
    find(n->library, "nvmlDeviceGetHandleByUUID", &by_uuid);
    find(n->library, "nvmlShutdown", &n->shutdown);
    if (init == NULL || by_uuid == NULL || n->shutdown == NULL || init() != NVML_OK)
        return -1;
    if (by_uuid(id, &n->device) != NVML_OK) {
        n->shutdown();
        return -1;
    }
    find(n->library, "nvmlDeviceGetClockInfo", &n->clock);
    find(n->library, "nvmlDeviceGetTemperature", &n->temperature);
    find(n->library, "nvmlDeviceGetPowerUsage", &n->power);
    find(n->library, "nvmlDeviceGetCurrentClocksEventReasons", &n->throttle);
    find(n->library, "nvmlDeviceGetMinorNumber", &n->minor);
    if (n->throttle == NULL) /* its name before driver 535 */
        find(n->library, "nvmlDeviceGetCurrentClocksThrottleReasons", &n->throttle);
    return 0;
}

struct nvml *
nvml_open(const char *id)
{
    struct nvml *n;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

    if (library == NULL)
        return NULL;
    n = xcalloc(1, sizeof *n);
    n->library = library;
    if (start(n, id) == 0)
        return n;
    dlclose(library);
    free(n);
    return NULL;
}

void
nvml_read(struct nvml *n, struct card_state *out)
{
    unsigned value;
    unsigned long long reasons;

    *out = (struct card_state){-1, -1, -1, -1, -1};
    if (n->clock != NULL && n->clock(n->device, NVML_CLOCK_SM, &value) == NVML_OK)
        out->sm_mhz = value;
    if (n->clock != NULL && n->clock(n->device, NVML_CLOCK_MEMORY, &value) == NVML_OK)
        out->memory_mhz = value;
    if (n->temperature != NULL &&
        n->temperature(n->device, NVML_TEMPERATURE_GPU, &value) == NVML_OK)
        out->temperature_c = value;
    if (n->power != NULL && n->power(n->device, &value) == NVML_OK)
        out->power_w = value / 1000.0;
    if (n->throttle != NULL && n->throttle(n->device, &reasons) == NVML_OK)
        out->throttle = (double)reasons;
}

int
nvml_minor(struct nvml *n)
{
    unsigned number;

    return n->minor != NULL && n->minor(n->device, &number) == NVML_OK ? (int)number : -1;
}

void
nvml_close(struct nvml *n)
{
    if (n == NULL)
        return;
    n->shutdown();
    dlclose(n->library);
    free(n);
}
