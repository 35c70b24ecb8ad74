// links: arbiter device gpu_owner sandbox common folder
/* What is read of a GPU through NVIDIA's management library, on a library that stands in
 * for it: the loader takes the one that is there already by its name. */
#include "../fixtures/folder.h"

#include "device/nvml.h"

#include "arbiter/measuring/conditions.h"
#include "base/buf.h"
#include "base/file.h"
#include "device/device.h"
#include "device/device_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define GPU_ID "GPU-played"

/* The library, and what it says. Enumerators are those of the NVML API reference. */
struct said {
    unsigned sm_mhz, memory_mhz, temperature_c, power_mw;
    unsigned long long throttle;
    unsigned long long sent, received; /* bytes, so far */
    int field_type;                    /* 1: 32 bits, 2 and 3: 64 */
    int fails;                         /* everything but opening it */
    int field_fails;                   /* one field of those that are asked for */
    int opened, closed;
};

static const char LIBRARY[] =
    "#include <string.h>\n"
    "struct said { unsigned sm_mhz, memory_mhz, temperature_c, power_mw;\n"
    "  unsigned long long throttle, sent, received;\n"
    "  int field_type, fails, field_fails, opened, closed; } said;\n"
    "struct field { unsigned id, scope; long long at, took; unsigned type; int status;\n"
    "  union { unsigned u; unsigned long long ull; } value; };\n"
    "int nvmlInit_v2(void) { said.opened++; return 0; }\n"
    "int nvmlShutdown(void) { said.closed++; return 0; }\n"
    "int nvmlDeviceGetHandleByUUID(const char *id, void **d) {\n"
    "  *d = &said; return strcmp(id, \"" GPU_ID "\") == 0 ? 0 : 6; }\n"
    "#define ASKED(d) if (d != &said) __builtin_trap(); if (said.fails) return 3\n"
    "int nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz) {\n"
    "  ASKED(d); if (which != 1 && which != 2) return 2;\n"
    "  *mhz = which == 1 ? said.sm_mhz : said.memory_mhz; return 0; }\n"
    "int nvmlDeviceGetTemperature(void *d, int which, unsigned *c) {\n"
    "  ASKED(d); *c = said.temperature_c; return which == 0 ? 0 : 2; }\n"
    "int nvmlDeviceGetPowerUsage(void *d, unsigned *mw) {\n"
    "  ASKED(d); *mw = said.power_mw; return 0; }\n"
    "int REASONS(void *d, unsigned long long *reasons) {\n"
    "  ASKED(d); *reasons = said.throttle; return 0; }\n"
    "#ifdef WHOLE\n"
    "int nvmlDeviceGetMinorNumber(void *d, unsigned *n) { ASKED(d); *n = 3; return 0; }\n"
    "int nvmlDeviceGetFieldValues(void *d, int n, struct field *f) {\n"
    "  ASKED(d);\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    unsigned long long v = f[i].id == 197 ? said.sent : said.received;\n"
    "    f[i].status = (f[i].id != 197 && f[i].id != 198) || (i && said.field_fails)\n"
    "                  ? 3 : 0;\n"
    "    f[i].type = said.field_type;\n"
    "    memset(&f[i].value, 0xee, sizeof f[i].value);\n"
    "    if (said.field_type == 1) f[i].value.u = v; else f[i].value.ull = v;\n"
    "  }\n"
    "  return 0; }\n"
    "#endif\n";

static void *library;
static struct said *said;

static int
load(const char *defines)
{
    char *path = folder_path("library.c");
    char *object = folder_path("libnvidia-ml.so.1");
    char *command =
        xasprintf("gcc -w -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 %s %s -o %s",
                  defines, path, object);
    int rc = file_write(path, LIBRARY, strlen(LIBRARY), NULL);

    if (rc == 0)
        rc = system(command);
    if (rc == 0)
        library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    said = library != NULL ? dlsym(library, "said") : NULL;
    free(path);
    free(object);
    free(command);
    if (said == NULL)
        return -1;
    *said = (struct said){.sm_mhz = 1980,
                          .memory_mhz = 3201,
                          .temperature_c = 41,
                          .power_mw = 312500,
                          .throttle = 4,
                          .field_type = 3};
    return 0;
}

static int
load_whole(void **state)
{
    (void)state;
    return load("-DWHOLE -DREASONS=nvmlDeviceGetCurrentClocksEventReasons");
}

/* Of a driver that has neither counters nor the new name of the reasons. */
static int
load_old(void **state)
{
    (void)state;
    return load("-DREASONS=nvmlDeviceGetCurrentClocksThrottleReasons");
}

/* Whatever was opened has been closed. */
static int
unload(void **state)
{
    const bool balanced = said->opened == said->closed;

    (void)state;
    said = NULL;
    return dlclose(library) == 0 && balanced ? 0 : -1;
}

static void
another_gpu_is_not_read(void **state)
{
    (void)state;
    assert_null(nvml_open("GPU-another"));
    assert_int_equal(said->opened, 1);
}

static void
a_gpu_says_how_it_is(void **state)
{
    struct nvml *n = nvml_open(GPU_ID);
    struct gpu_state gpu;

    (void)state;
    assert_non_null(n);
    nvml_read(n, &gpu);
    assert_float_equal(gpu.sm_mhz, 1980, 0);
    assert_float_equal(gpu.memory_mhz, 3201, 0);
    assert_float_equal(gpu.temperature_c, 41, 0);
    assert_float_equal(gpu.power_w, 312.5, 0);
    assert_float_equal(gpu.throttle, 4, 0);
    assert_int_equal(nvml_minor(n), 3);
    said->fails = 1;
    nvml_read(n, &gpu);
    assert_float_equal(gpu.sm_mhz, -1, 0);
    assert_float_equal(gpu.memory_mhz, -1, 0);
    assert_float_equal(gpu.temperature_c, -1, 0);
    assert_float_equal(gpu.power_w, -1, 0);
    assert_float_equal(gpu.throttle, -1, 0);
    assert_int_equal(nvml_minor(n), -1);
    assert_float_equal(nvml_bus_bytes(n), -1, 0);
    nvml_close(n);
}

static void
an_old_driver_says_what_it_can(void **state)
{
    struct nvml *n = nvml_open(GPU_ID);
    struct gpu_state gpu;

    (void)state;
    assert_non_null(n);
    nvml_read(n, &gpu);
    assert_float_equal(gpu.throttle, 4, 0);
    assert_float_equal(nvml_bus_bytes(n), -1, 0);
    assert_int_equal(nvml_minor(n), -1);
    nvml_close(n);
}

/* Both directions, since the first question; counters of 32 bits come round. */
static void
bytes_on_the_bus_add_up(void **state)
{
    (void)state;
    for (int type = 1; type <= 3; type++) {
        struct nvml *n = nvml_open(GPU_ID);

        assert_non_null(n);
        *said = (struct said){.sent = 4294967000u,
                              .received = 77,
                              .field_type = type,
                              .opened = said->opened,
                              .closed = said->closed};
        assert_float_equal(nvml_bus_bytes(n), 0, 0);
        said->sent += 1000;
        said->received += 5;
        assert_float_equal(nvml_bus_bytes(n), 1005, 0);
        assert_float_equal(nvml_bus_bytes(n), 1005, 0);
        said->field_fails = 1;
        said->received += 10;
        assert_float_equal(nvml_bus_bytes(n), -1, 0);
        said->field_fails = 0;
        assert_float_equal(nvml_bus_bytes(n), 1015, 0);
        nvml_close(n);
    }
}

static int
rates(struct device *d, bool awake, struct device_rates *out, struct report *r)
{
    (void)d;
    (void)awake;
    (void)r;
    *out = (struct device_rates){.id = GPU_ID,
                                 .copy_bytes_per_ns = 4000,
                                 .read_bytes_per_ns = 4400,
                                 .fp32_per_ns = 60000,
                                 .units = {.fp32 = 1}};
    return 1;
}

static void
assert_list(const cJSON *o, const char *key, double first, double second)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, key);

    assert_int_equal(cJSON_GetArraySize(list), 2);
    assert_float_equal(cJSON_GetArrayItem(list, 0)->valuedouble, first, 0);
    if (second < 0)
        assert_true(cJSON_IsNull(cJSON_GetArrayItem(list, 1)));
    else
        assert_float_equal(cJSON_GetArrayItem(list, 1)->valuedouble, second, 0);
}

/* As they were at each sample, null where the GPU did not say. */
static void
what_a_gpu_says_is_kept_with_the_samples(void **state)
{
    const struct device_options options = {0};
    const double null_ns[] = {300e3, 301e3};
    struct report r = {0};
    struct device *d = device_open("host", &options, &r);
    struct device_ops ops;
    struct timing timing = {0};
    struct device_rates best = {0};
    struct conditions *c;
    cJSON *o;

    (void)state;
    assert_non_null(d);
    ops = *d->ops;
    ops.rates = rates;
    d->ops = &ops;
    c = conditions_begin(d, folder);
    assert_non_null(c);
    conditions_begin_samples(c, null_ns, 2, true, 32e3);
    conditions_sample(c, 9);
    conditions_begin_samples(c, null_ns, 2, true, 32e3); /* again */
    conditions_sample(c, 100);
    said->sm_mhz = 1200;
    said->temperature_c = 83;
    said->throttle = 0x20;
    conditions_sample(c, -1);
    assert_null(conditions_end(c, &timing, &best));
    o = cJSON_Parse(timing.conditions);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(o, "gpu")->valuestring, GPU_ID);
    assert_list(o, "sm_mhz", 1980, 1200);
    assert_list(o, "memory_mhz", 3201, 3201);
    assert_list(o, "temperature_c", 41, 83);
    assert_list(o, "power_w", 312.5, 312.5);
    assert_list(o, "throttle", 4, 0x20);
    assert_list(o, "bus_bytes", 100, -1);
    assert_list(o, "null_samples_ns", 300e3, 301e3);
    cJSON_Delete(o);
    free(timing.conditions);
    conditions_free(c);
    device_close(d);
}

int
main(void)
{
#define T(name, set_up) cmocka_unit_test_setup_teardown(name, set_up, unload)
    const struct CMUnitTest tests[] = {
        T(another_gpu_is_not_read, load_whole),
        T(a_gpu_says_how_it_is, load_whole),
        T(an_old_driver_says_what_it_can, load_old),
        T(bytes_on_the_bus_add_up, load_whole),
        T(what_a_gpu_says_is_kept_with_the_samples, load_whole),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
