// links: common
/*
 * How a runner maps memory of two GPUs, on a driver that stands in for NVIDIA's: which
 * context is current, and who may use what.
 */
#include <dlfcn.h>

static void *stand_in_open(const char *name, int flags);
static void *stand_in_symbol(void *opened, const char *name);
#define dlopen stand_in_open
#define dlsym stand_in_symbol
#include "../../harness/runner/driver.c"
#include "../../harness/runner/memory.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define GPUS 2
#define BYTES ((size_t)2 << 20)
#define INVALID_DEVICE 101
#define OUT_OF_MEMORY 2

static int current, without_context; /* GPUs; -1: none */
static bool has_context[GPUS], are_peers, own_fails;
static int mapped, registered;
static bool may_use[GPUS]; /* what was mapped last */

/* --- the driver ------------------------------------------------------------ */

static int
stand_in_init(unsigned flags)
{
    return (int)flags;
}

static int
stand_in_device_count(int *count)
{
    *count = GPUS;
    return 0;
}

static int
stand_in_device_get(int *device, int ordinal)
{
    assert_in_range(ordinal, 0, GPUS - 1);
    *device = ordinal;
    return 0;
}

static int
stand_in_retain(cu_context *context, int device)
{
    if (device == without_context)
        return OUT_OF_MEMORY;
    has_context[device] = true;
    *context = (cu_context)&has_context[device];
    return 0;
}

static int
stand_in_set_current(cu_context context)
{
    current = (int)((bool *)context - has_context);
    assert_in_range(current, 0, GPUS - 1);
    return 0;
}

static int
stand_in_host_register(void *address, size_t bytes, unsigned flags)
{
    assert_true(address != NULL && bytes == BYTES && has_context[current]);
    /* Of the driver's flags and of the runtime's: portable 1, mapped 2. */
    assert_int_equal(flags, 1 | 2);
    registered++;
    return 0;
}

static int
stand_in_host_unregister(void *address)
{
    assert_non_null(address);
    registered--;
    return 0;
}

static int
stand_in_import(cu_handle *handle, void *os_handle, int type)
{
    assert_true((intptr_t)os_handle >= 0);
    assert_int_equal(type, CU_HANDLE_POSIX_FD);
    assert_true(has_context[current]);
    *handle = (cu_handle)current;
    return 0;
}

static int
stand_in_reserve(uint64_t *address, size_t size, size_t alignment, uint64_t wanted,
                 unsigned long long flags)
{
    assert_true(alignment == 0 && wanted == 0 && flags == 0);
    *address = (uint64_t)(uintptr_t)malloc(size);
    return 0;
}

static int
stand_in_map(uint64_t address, size_t size, size_t offset, cu_handle handle,
             unsigned long long flags)
{
    assert_true(address != 0 && size == BYTES && offset == 0 && flags == 0);
    assert_int_equal(handle, current);
    mapped++;
    memset(may_use, 0, sizeof may_use);
    return 0;
}

static int
stand_in_set_access(uint64_t address, size_t size, const struct cu_access *access,
                    size_t count)
{
    assert_true(address != 0 && size == BYTES && count == 1);
    assert_int_equal(access->location.type, CU_LOCATION_DEVICE);
    assert_int_equal(access->flags, CU_ACCESS_READ_WRITE);
    assert_in_range(access->location.id, 0, GPUS - 1);
    assert_true(has_context[access->location.id]);
    if (access->location.id == current ? own_fails : !are_peers)
        return INVALID_DEVICE;
    may_use[access->location.id] = true;
    return 0;
}

static int
stand_in_unmap(uint64_t address, size_t size)
{
    assert_true(address != 0 && size == BYTES);
    mapped--;
    return 0;
}

static int
stand_in_release(cu_handle handle)
{
    assert_in_range(handle, 0, GPUS - 1);
    return 0;
}

static int
stand_in_free_address(uint64_t address, size_t size)
{
    (void)size;
    free((void *)(uintptr_t)address);
    return 0;
}

static int
stand_in_error_name(int error, const char **name)
{
    *name = error == INVALID_DEVICE ? "INVALID_DEVICE" : "AN_ERROR";
    return 0;
}

/* What only a profile's runner calls, which has memory of its own. */
static int
stand_in_own_memory(void)
{
    fail_msg("memory is the arbiter's");
    return 1;
}

static void *
stand_in_open(const char *name, int flags)
{
    assert_string_equal(name, "libcuda.so.1");
    assert_int_equal(flags, RTLD_NOW | RTLD_LOCAL);
    return &cu;
}

static void *
stand_in_symbol(void *opened, const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } symbols[] = {
        {"cuInit", (void *)stand_in_init},
        {"cuDeviceGetCount", (void *)stand_in_device_count},
        {"cuDeviceGet", (void *)stand_in_device_get},
        {"cuDevicePrimaryCtxRetain", (void *)stand_in_retain},
        {"cuCtxSetCurrent", (void *)stand_in_set_current},
        {"cuMemAlloc_v2", (void *)stand_in_own_memory},
        {"cuMemHostAlloc", (void *)stand_in_own_memory},
        {"cuMemcpyHtoD_v2", (void *)stand_in_own_memory},
        {"cuMemHostRegister_v2", (void *)stand_in_host_register},
        {"cuMemHostUnregister", (void *)stand_in_host_unregister},
        {"cuMemImportFromShareableHandle", (void *)stand_in_import},
        {"cuMemAddressReserve", (void *)stand_in_reserve},
        {"cuMemMap", (void *)stand_in_map},
        {"cuMemSetAccess", (void *)stand_in_set_access},
        {"cuMemUnmap", (void *)stand_in_unmap},
        {"cuMemRelease", (void *)stand_in_release},
        {"cuMemAddressFree", (void *)stand_in_free_address},
        {"cuGetErrorName", (void *)stand_in_error_name},
    };

    assert_ptr_equal(opened, &cu);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strcmp(symbols[i].name, name) == 0)
            return symbols[i].function;
    fail_msg("nothing stands in for %s", name);
    return NULL;
}

/* --- the tests ------------------------------------------------------------- */

static int32_t
attach(uint32_t device, char text[RUNNER_TEXT_MAX])
{
    const struct runner_request request = {.op = RUNNER_ATTACH,
                                           .memory = RUNNER_MEMORY_CUDA,
                                           .bytes = BYTES,
                                           .device = device};

    text[0] = '\0';
    return memory_attach(&request, open("/dev/null", O_RDONLY | O_CLOEXEC), text,
                         RUNNER_TEXT_MAX);
}

static int
wake(void **state)
{
    char text[RUNNER_TEXT_MAX];

    (void)state;
    current = without_context = -1;
    memset(has_context, 0, sizeof has_context);
    are_peers = true;
    own_fails = false;
    return driver_wake(text, sizeof text);
}

static void
all_wake_and_the_first_is_current(void **state)
{
    (void)state;
    assert_int_equal(driver_gpus(), 2);
    assert_true(has_context[0] && has_context[1]);
    assert_int_equal(current, 0);
}

static void
one_that_does_not_wake_is_told(void **state)
{
    char text[RUNNER_TEXT_MAX];

    (void)state;
    for (without_context = 0; without_context < GPUS; without_context++) {
        assert_int_equal(driver_wake(text, sizeof text), OUT_OF_MEMORY);
        assert_string_equal(text, "no CUDA context: AN_ERROR");
    }
}

static void
peers_may_use_each_others(void **state)
{
    char text[RUNNER_TEXT_MAX];

    (void)state;
    for (uint32_t device = 0; device < GPUS; device++) {
        assert_int_equal(attach(device, text), 0);
        assert_int_equal(current, 0); /* again */
        assert_true(may_use[0] && may_use[1]);
    }
    assert_int_equal(mapped, 2);
    assert_int_equal(memory_detach(2), 0);
    assert_int_equal(mapped, 2);
    assert_int_equal(memory_detach(1), 0); /* the first stays */
    assert_int_equal(mapped, 1);
    assert_int_equal(memory_detach(0), 0);
    assert_int_equal(mapped, 0);
}

static void
others_have_their_own(void **state)
{
    char text[RUNNER_TEXT_MAX];

    (void)state;
    are_peers = false;
    assert_int_equal(attach(1, text), 0);
    assert_true(may_use[1] && !may_use[0]);
    assert_string_equal(text, "");
    assert_int_equal(memory_detach(0), 0);
}

static void
host_memory_is_registered(void **state)
{
    const struct runner_request request = {
        .op = RUNNER_ATTACH, .memory = RUNNER_MEMORY_PINNED, .bytes = BYTES};
    char text[RUNNER_TEXT_MAX] = "";
    int fd = memfd_create("pinned", MFD_CLOEXEC);

    (void)state;
    assert_int_equal(ftruncate(fd, BYTES), 0);
    assert_int_equal(memory_attach(&request, fd, text, sizeof text), 0);
    assert_int_equal(registered, 1);
    assert_int_equal(memory_detach(0), 0);
    assert_int_equal(registered, 0);
}

static void
ones_own_must_be_had(void **state)
{
    char text[RUNNER_TEXT_MAX];

    (void)state;
    own_fails = true;
    assert_int_equal(attach(1, text), INVALID_DEVICE);
    assert_string_equal(text, "cuMemSetAccess: INVALID_DEVICE");
    assert_int_equal(mapped, 0);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_wake_and_the_first_is_current, wake),
        cmocka_unit_test_setup(one_that_does_not_wake_is_told, wake),
        cmocka_unit_test_setup(peers_may_use_each_others, wake),
        cmocka_unit_test_setup(others_have_their_own, wake),
        cmocka_unit_test_setup(host_memory_is_registered, wake),
        cmocka_unit_test_setup(ones_own_must_be_had, wake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
