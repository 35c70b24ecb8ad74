/* Asks a GPU for its properties, its rates, its free memory and the bytes on its bus,
 * and checks whether it works. */
#include "device/cuda_gpu.h"

#include "device/cuda_rates.h"
#include "device/nvml.h"

#include "base/file.h"
#include "runner/protocol.h"

#include <stdio.h>
#include <string.h>

#define HEALTH_BYTES 4096
#define CALIBRATION_BYTES_MIN ((uint64_t)256 << 20)
#define CALIBRATION_BYTES_MAX ((uint64_t)1 << 30)

/* --- description ----------------------------------------------------------- */

static void
read_driver_version(const struct libcuda *cu, char out[32])
{
    FILE *f = fopen("/sys/module/nvidia/version", "re");
    int version = 0;

    if (f != NULL) {
        if (fgets(out, 32, f) == NULL)
            out[0] = '\0';
        fclose(f);
        out[strcspn(out, "\n")] = '\0';
        if (out[0] != '\0')
            return;
    }
    if (cu->driver_version(&version) == CU_OK)
        snprintf(out, 32, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

int
cuda_describe(const struct libcuda *cu, int ordinal, struct device_info *out,
              struct report *r)
{
    cu_device device;
    char name[100] = "";
    size_t bytes = 0;
    int major = 0, minor = 0;

    if (libcuda_check(cu, cu->device_get(&device, ordinal), "cuDeviceGet", r) != 0 ||
        libcuda_check(cu, cu->device_name(name, sizeof name, device), "cuDeviceGetName",
                      r) != 0 ||
        libcuda_check(cu, cu->device_memory(&bytes, device), "cuDeviceTotalMem", r) !=
            0 ||
        libcuda_check(cu, cu->device_attribute(&major, CU_ATTRIBUTE_MAJOR, device),
                      "cuDeviceGetAttribute", r) != 0 ||
        libcuda_check(cu, cu->device_attribute(&minor, CU_ATTRIBUTE_MINOR, device),
                      "cuDeviceGetAttribute", r) != 0)
        return -1;
    *out = (struct device_info){0};
    snprintf(out->board, sizeof out->board, "%s", name);
    snprintf(out->name, sizeof out->name, "%s (cuda:%d)", name, ordinal);
    /* From compute capability 9.0 on there is the architecture-specific variant (CUDA
     * programming guide, feature sets). */
    snprintf(out->arch, sizeof out->arch, "sm_%d%d%s", major, minor,
             major >= 9 ? "a" : "");
    out->memory_bytes = bytes;
    out->runner_memory = RUNNER_MEMORY_CUDA;
    read_driver_version(cu, out->driver);
    return 0;
}

int
cuda_list(struct device_info *out, int max)
{
    struct report ignored = {
        0}; /* without a driver, or if the GPU does not answer, it is not listed */
    const struct libcuda *cu = libcuda_get(&ignored);
    int count = 0, n = 0;

    if (cu == NULL || cu->device_count(&count) != CU_OK)
        return 0;
    while (n < count && n < max && cuda_describe(cu, n, &out[n], &ignored) == 0)
        n++;
    return n;
}

/* --- rates ----------------------------------------------------------------- */

/* The memory's peak rate: each line of the bus transfers twice a clock. 0 if the driver
 * does not say. */
static double
peak_bytes_per_ns(const struct cuda *c)
{
    int khz = 0, bits = 0;

    if (c->cu->device_attribute(&khz, CU_ATTRIBUTE_MEMORY_KHZ, c->device) != CU_OK ||
        c->cu->device_attribute(&bits, CU_ATTRIBUTE_MEMORY_BITS, c->device) != CU_OK)
        return 0;
    return 2.0 * khz * 1e3 * bits / 8 / 1e9;
}

/* The size of a copy that measures the memory. The copy is many times the cache, and
 * takes so long that a kernel's start does not matter. Yet it takes a small part of
 * the memory. */
static uint64_t
calibration_bytes(const struct cuda *c)
{
    const uint64_t part = c->base.info.memory_bytes / 64 / 4096 * 4096;

    if (part < CALIBRATION_BYTES_MIN)
        return CALIBRATION_BYTES_MIN;
    return part < CALIBRATION_BYTES_MAX ? part : CALIBRATION_BYTES_MAX;
}

/* Outputs of up to the cache's size may stay in the cache. */
int
cuda_rates(struct device *d, bool awake, struct device_rates *out, struct report *r)
{
    struct cuda *c = cuda_of(d);
    const struct cuda_rates_context context = {.cu = c->cu,
                                               .device = c->device,
                                               .awake = awake,
                                               .module = c->module,
                                               .stream = c->stream,
                                               .multiprocessors =
                                                   c->grid_max / BLOCKS_PER_SM,
                                               .buffer_bytes = calibration_bytes(c)};
    int major = 0, minor = 0;

    *out = (struct device_rates){.cached_bytes = (double)c->l2_bytes,
                                 .peak_bytes_per_ns = peak_bytes_per_ns(c)};
    if (cuda_check(c, c->cu->device_attribute(&major, CU_ATTRIBUTE_MAJOR, c->device),
                   "cuDeviceGetAttribute", r) != 0 ||
        cuda_check(c, c->cu->device_attribute(&minor, CU_ATTRIBUTE_MINOR, c->device),
                   "cuDeviceGetAttribute", r) != 0 ||
        cuda_rates_measure(&context, out, r) != 0)
        return -1;
    out->units = unit_rates_of(major, minor);
    return 1;
}

/* --- health ---------------------------------------------------------------- */

/* Runs some work, reads it back and compares it with the same work of the host. */
static int
check_work(struct device *d, struct device_buffer *b, struct report *r)
{
    unsigned char want[HEALTH_BYTES], got[HEALTH_BYTES];
    uint64_t seed;

    random_bytes(&seed, sizeof seed);
    gen_poison(seed, sizeof want, want);
    if (cuda_poison(d, b, seed, r) != 0 || cuda_read(d, b, 0, sizeof got, got, r) != 0)
        return -1;
    if (memcmp(got, want, sizeof got) != 0)
        return report_fail(r, "a kernel of %zu bytes' work came out wrong", sizeof got);
    return 0;
}

int
cuda_health(struct device *d, struct report *r)
{
    struct device_buffer *b = NULL;
    int rc = cuda_alloc(d, HEALTH_BYTES, false, &b, r);

    if (b != NULL) {
        rc = check_work(d, b, r);
        cuda_free(d, b);
    }
    if (rc != 0)
        report_prefix(r, "%s fails a test of its health", d->info.name);
    return rc;
}

/* --- memory ---------------------------------------------------------------- */

int
cuda_free_bytes(struct device *d, uint64_t *out, struct report *r)
{
    struct cuda *c = cuda_of(d);
    size_t available = 0, total = 0;

    if (cuda_check(c, c->cu->memory_free(&available, &total), "cuMemGetInfo", r) != 0)
        return -1;
    *out = available;
    return 0;
}

/* --- the bus --------------------------------------------------------------- */

double
cuda_bus_bytes(struct device *d)
{
    struct cuda *c = cuda_of(d);

    if (c->nvml == NULL)
        c->nvml = nvml_open(c->id);
    return c->nvml != NULL ? nvml_bus_bytes(c->nvml) : -1;
}
