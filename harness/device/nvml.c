#include "device/nvml.h"

#include "base/buf.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of enumerations, which are part of the ABI (NVML API reference). */
enum {
    NVML_OK = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEMORY = 2,
    NVML_TEMPERATURE_GPU = 0,
    NVML_VALUE_UNSIGNED_INT = 1,
    /* NVML_FI_DEV_PCIE_COUNT_TX_BYTES and _RX_BYTES: bytes since the driver's start. */
    NVML_FIELD_BUS_SENT = 197,
    NVML_FIELD_BUS_RECEIVED = 198,
};

/* nvmlFieldValue_t */
struct nvml_field {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    unsigned type;
    int status;
    union {
        unsigned narrow;
        unsigned long long wide;
    } value;
};

typedef struct nvml_device_s *nvml_device;

struct nvml {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
    /* Each of these may be NULL. */
    int (*clock)(nvml_device device, int which, unsigned *mhz);
    int (*temperature)(nvml_device device, int which, unsigned *c);
    int (*power)(nvml_device device, unsigned *mw);
    int (*throttle)(nvml_device device, unsigned long long *reasons);
    int (*minor)(nvml_device device, unsigned *number);
    int (*fields)(nvml_device device, int count, struct nvml_field *values);
    unsigned long long bus[2]; /* both counters at the last reading */
    double bus_bytes;
    bool bus_begun;
};

/* Finds a function and copies the pointer's bits, since ISO C does not convert a void
 * *. */
static void
nvml_find(void *library, const char *symbol, void *out)
{
    void *f = dlsym(library, symbol);

    memcpy(out, &f, sizeof f);
}

static int
nvml_start(struct nvml *n, const char *id)
{
    int (*init)(void);
    int (*by_uuid)(const char *uuid, nvml_device *device);

    nvml_find(n->library, "nvmlInit_v2", &init);
    nvml_find(n->library, "nvmlDeviceGetHandleByUUID", &by_uuid);
    nvml_find(n->library, "nvmlShutdown", &n->shutdown);
    if (init == NULL || by_uuid == NULL || n->shutdown == NULL || init() != NVML_OK)
        return -1;
    if (by_uuid(id, &n->device) != NVML_OK) {
        n->shutdown();
        return -1;
    }
    nvml_find(n->library, "nvmlDeviceGetClockInfo", &n->clock);
    nvml_find(n->library, "nvmlDeviceGetTemperature", &n->temperature);
    nvml_find(n->library, "nvmlDeviceGetPowerUsage", &n->power);
    nvml_find(n->library, "nvmlDeviceGetCurrentClocksEventReasons", &n->throttle);
    nvml_find(n->library, "nvmlDeviceGetMinorNumber", &n->minor);
    nvml_find(n->library, "nvmlDeviceGetFieldValues", &n->fields);
    if (n->throttle == NULL) /* its name before driver 535 */
        nvml_find(n->library, "nvmlDeviceGetCurrentClocksThrottleReasons", &n->throttle);
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
    if (nvml_start(n, id) == 0)
        return n;
    dlclose(library);
    free(n);
    return NULL;
}

void
nvml_read(struct nvml *n, struct gpu_state *out)
{
    unsigned value;
    unsigned long long reasons;

    *out = (struct gpu_state){-1, -1, -1, -1, -1};
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

/* How much a counter has grown; a counter of 32 bits begins again after 4 GB. */
static double
counter_growth(const struct nvml_field *f, unsigned long long before)
{
    if (f->type == NVML_VALUE_UNSIGNED_INT)
        return (double)(uint32_t)(f->value.narrow - (uint32_t)before);
    return (double)(f->value.wide - before);
}

double
nvml_bus_bytes(struct nvml *n)
{
    struct nvml_field f[] = {{.id = NVML_FIELD_BUS_SENT},
                             {.id = NVML_FIELD_BUS_RECEIVED}};

    if (n->fields == NULL || n->fields(n->device, 2, f) != NVML_OK ||
        f[0].status != NVML_OK || f[1].status != NVML_OK)
        return -1;
    for (int i = 0; i < 2; i++) {
        if (n->bus_begun)
            n->bus_bytes += counter_growth(&f[i], n->bus[i]);
        n->bus[i] = f[i].value.wide;
    }
    n->bus_begun = true;
    return n->bus_bytes;
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
