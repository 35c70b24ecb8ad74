/*
 * A driver that stands in for libcuda, in place of libcuda.c: two GPUs whose memory is
 * the host's and whose kernels are plain C. It fails the test if a call comes while the
 * context of another GPU is the current one. NVIDIA's driver would answer some of those
 * with an error, and do others on the wrong GPU.
 */
#ifndef CUDA_STAND_IN_H
#define CUDA_STAND_IN_H

#include "cuda_stand_in_gpus.h"

#include "device/hostmem.h"
#include "device/libcuda.h"
#include "numbers/compare.h"
#include "numbers/dtype.h"
#include "numbers/gen.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each is named after its member of struct libcuda. */

static cu_result
cu_init(unsigned flags)
{
    (void)flags;
    return CU_OK;
}

static cu_result
cu_driver_version(int *version)
{
    *version = 13000;
    return CU_OK;
}

static cu_result
cu_error_name(cu_result error, const char **text)
{
    *text = error == OUT_OF_MEMORY ? "OUT_OF_MEMORY" : "AN_ERROR";
    return CU_OK;
}

static cu_result
cu_error_string(cu_result error, const char **text)
{
    return cu_error_name(error, text);
}

static cu_result
cu_device_count(int *count)
{
    *count = GPUS;
    return CU_OK;
}

static cu_result
cu_device_get(cu_device *device, int ordinal)
{
    *device = ordinal;
    return ordinal < GPUS ? CU_OK : INVALID_DEVICE;
}

static cu_result
cu_device_name(char *name, int size, cu_device device)
{
    (void)device;
    snprintf(name, (size_t)size, "Stand-in");
    return CU_OK;
}

static cu_result
cu_device_memory(size_t *bytes, cu_device device)
{
    (void)device;
    *bytes = GPU_BYTES;
    return CU_OK;
}

static cu_result
cu_memory_free(size_t *available, size_t *total)
{
    *available = GPU_BYTES - gpus[here()].taken;
    *total = GPU_BYTES;
    return CU_OK;
}

static cu_result
cu_device_attribute(int *value, int attribute, cu_device device)
{
    (void)device;
    switch (attribute) {
    case CU_ATTRIBUTE_L2_BYTES:
        *value = L2_BYTES;
        break;
    case CU_ATTRIBUTE_MULTIPROCESSORS:
        *value = 4;
        break;
    case CU_ATTRIBUTE_MAJOR:
        *value = 9;
        break;
    case CU_ATTRIBUTE_MINOR:
        *value = 0;
        break;
    default:
        *value = 1;
    }
    return CU_OK;
}

static cu_result
cu_device_uuid(unsigned char uuid[16], cu_device device)
{
    memset(uuid, device, 16);
    return CU_OK;
}

static cu_result
cu_context_flags(cu_device device, unsigned flags)
{
    (void)device;
    assert_int_equal(flags, CU_SCHEDULE_SPIN);
    return CU_OK;
}

static cu_result
cu_context_retain(cu_context *out, cu_device device)
{
    gpus[device].context.references++;
    *out = &gpus[device].context;
    return CU_OK;
}

static cu_result
cu_context_release(cu_device device)
{
    assert_true(gpus[device].context.references-- > 0);
    return CU_OK;
}

static cu_result
cu_context_use(cu_context context)
{
    for (int i = 0; i < GPUS; i++)
        if (context == &gpus[i].context) {
            assert_true(context->references > 0);
            current = i;
        }
    return CU_OK;
}

static cu_result
cu_set_limit(int limit, size_t value)
{
    assert_int_equal(limit, CU_LIMIT_PERSISTING_L2_BYTES);
    assert_int_equal(value, 0);
    gpus[here()].forbids++;
    return CU_OK;
}

static cu_result
cu_reset_persisting(void)
{
    gpus[here()].resets++;
    return CU_OK;
}

static cu_result
cu_module_load(cu_module *out, const void *image)
{
    (void)image;
    *out = &gpus[here()].module;
    (*out)->gpu = current;
    gpus[current].modules++;
    return CU_OK;
}

static cu_result
cu_module_unload(cu_module module)
{
    assert_int_equal(module->gpu, here());
    gpus[module->gpu].modules--;
    return CU_OK;
}

static cu_result
cu_module_function(cu_function *out, cu_module module, const char *name)
{
    int which = 0;

    assert_int_equal(module->gpu, here());
    while (which < OTHER && strcmp(names[which], name) != 0)
        which++;
    *out = &gpus[module->gpu].function[which];
    **out = (struct cu_function_s){.gpu = module->gpu, .name = name};
    return CU_OK;
}

static void
run_kernel(enum kernel_kind which, void **params)
{
    uint64_t n;

    switch (which) {
    case FILL:
        n = *(uint64_t *)params[2] * dtype_size(((struct gen *)params[0])->dtype);
        gen_fill(params[0], *(uint64_t *)params[1], 0, *(uint64_t *)params[2],
                 memory(*(cu_pointer *)params[3], n));
        break;
    case POISON:
        n = *(uint64_t *)params[1] * 16;
        gen_poison(*(uint64_t *)params[0], n, memory(*(cu_pointer *)params[2], n));
        break;
    case COMPARE:
        n = *(uint64_t *)params[3] *
            dtype_size(((struct compare_rule *)params[0])->dtype);
        compare_run(params[0], memory(*(cu_pointer *)params[1], n),
                    memory(*(cu_pointer *)params[2], n), *(uint64_t *)params[3],
                    memory(*(cu_pointer *)params[4], sizeof(struct compare_result)));
        break;
    case FLUSH: /* more than the cache holds, or it stays warm */
        assert_true(*(uint64_t *)params[0] * 16 >= 2 * (uint64_t)L2_BYTES);
        (void)memory(*(cu_pointer *)params[1], *(uint64_t *)params[0] * 16);
        break;
    case HOLD:
        *(int *)(uintptr_t) * (cu_pointer *)params[3] = *(int *)params[2];
        gpus[here()].opened = *(int *)(uintptr_t) * (cu_pointer *)params[4];
        break;
    default:
        break;
    }
}

static cu_result
cu_launch(cu_function f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
          cu_stream stream, void **params, void **extra)
{
    const enum kernel_kind which = (enum kernel_kind)(f - gpus[f->gpu].function);

    (void)shared_bytes;
    assert_null(extra);
    assert_true(grid_x * grid_y * grid_z * block_x * block_y * block_z > 0);
    assert_int_equal(f->gpu, here());
    assert_int_equal(stream->gpu, f->gpu);
    gpus[f->gpu].launches[which]++;
    run_kernel(which, params);
    return CU_OK;
}

static cu_result
cu_stream_create(cu_stream *out, unsigned flags)
{
    assert_int_equal(flags, CU_STREAM_NO_DEFAULT_SYNC);
    *out = &gpus[here()].stream;
    (*out)->gpu = current;
    gpus[current].streams++;
    return CU_OK;
}

static cu_result
cu_stream_destroy(cu_stream stream)
{
    assert_int_equal(stream->gpu, here());
    gpus[stream->gpu].streams--;
    return CU_OK;
}

/* A process (its pidfd) that keeps the GPU while it lives; -1: none does. */
static int keeps_gpu = -1;

static bool
is_over(int pidfd)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};

    return poll(&p, 1, 1) > 0;
}

static cu_result
cu_stream_wait(cu_stream stream)
{
    assert_int_equal(stream->gpu, here());
    gpus[stream->gpu].waits++;
    while (keeps_gpu >= 0 && !is_over(keeps_gpu))
        ;
    return CU_OK;
}

static cu_result
cu_event_create(cu_event *out, unsigned flags)
{
    (void)flags;
    *out = &gpus[here()].event;
    (*out)->gpu = current;
    return CU_OK;
}

static cu_result
cu_event_destroy(cu_event event)
{
    assert_int_equal(event->gpu, here());
    return CU_OK;
}

static cu_result
cu_event_record(cu_event event, cu_stream stream)
{
    assert_int_equal(event->gpu, here());
    assert_int_equal(stream->gpu, here());
    return CU_OK;
}

static cu_result
cu_event_wait(cu_event event)
{
    assert_int_equal(event->gpu, here());
    return CU_OK;
}

static cu_result
cu_event_elapsed(float *ms, cu_event begin, cu_event end)
{
    assert_ptr_equal(begin, end); /* a GPU has one here */
    *ms = COPIES_NS / 1e6;
    return CU_OK;
}

static cu_result
cu_alloc(cu_pointer *out, size_t bytes)
{
    struct piece *m = new_piece(here(), bytes);

    if (m == NULL)
        return OUT_OF_MEMORY;
    m->at = calloc(1, bytes); /* pages that nobody touches cost nothing */
    assert_non_null(m->at);
    if (stale_byte != 0)
        memset(m->at, stale_byte, bytes);
    *out = (cu_pointer)(uintptr_t)m->at;
    return CU_OK;
}

static cu_result
cu_free(cu_pointer p)
{
    struct piece *m = piece_at(p);

    assert_int_equal(m->gpu, here());
    assert_false(m->handle);
    free(m->at);
    drop_piece(m);
    return CU_OK;
}

static cu_result
cu_host_alloc(void **out, size_t bytes, unsigned flags)
{
    assert_int_equal(flags, CU_HOST_MAPPED);
    gpus[here()].hosts++;
    *out = calloc(1, bytes);
    return CU_OK;
}

static cu_result
cu_host_free(void *p)
{
    gpus[here()].hosts--;
    free(p);
    return CU_OK;
}

static cu_result
cu_host_address(cu_pointer *out, void *host, unsigned flags)
{
    assert_int_equal(flags, 0);
    *out = (cu_pointer)(uintptr_t)host;
    return CU_OK;
}

static cu_result
cu_copy_in(cu_pointer to, const void *from, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->gpu, here());
    memcpy(memory(to, bytes), from, bytes);
    return CU_OK;
}

static cu_result
cu_copy_out(void *to, cu_pointer from, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->gpu, here());
    memcpy(to, memory(from, bytes), bytes);
    return CU_OK;
}

static cu_result
cu_copy(cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->gpu, here());
    memmove(memory(to, bytes), memory(from, bytes), bytes);
    return CU_OK;
}

static cu_result
cu_set8(cu_pointer p, unsigned char value, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->gpu, here());
    memset(memory(p, bytes), value, bytes);
    return CU_OK;
}

static cu_result
cu_granularity(size_t *bytes, const struct cu_allocation *prop, int option)
{
    (void)prop;
    assert_int_equal(option, CU_GRANULARITY_RECOMMENDED);
    *bytes = GRANULARITY;
    return CU_OK;
}

static cu_result
cu_create(cu_handle *out, size_t bytes, const struct cu_allocation *prop,
          unsigned long long flags)
{
    struct piece *m;

    assert_int_equal(flags, 0);
    assert_int_equal(prop->location.type, CU_LOCATION_DEVICE);
    assert_int_equal(prop->location.id, here());
    assert_int_equal(prop->handle_types, CU_HANDLE_POSIX_FD);
    assert_int_equal(bytes % GRANULARITY, 0);
    m = new_piece(prop->location.id, bytes);
    if (m == NULL)
        return OUT_OF_MEMORY;
    m->handle = true;
    *out = (cu_handle)(m - pieces);
    return CU_OK;
}

static cu_result
cu_release(cu_handle handle)
{
    assert_false(pieces[handle].mapped);
    drop_piece(&pieces[handle]);
    return CU_OK;
}

static cu_result
cu_export_handle(void *fd, cu_handle handle, int type, unsigned long long flags)
{
    assert_int_equal(type, CU_HANDLE_POSIX_FD);
    assert_int_equal(flags, 0);
    assert_true(pieces[handle].handle);
    *(int *)fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return CU_OK;
}

static cu_result
cu_reserve(cu_pointer *out, size_t bytes, size_t alignment, cu_pointer hint,
           unsigned long long flags)
{
    void *at = calloc(1, bytes);

    assert_true(alignment == 0 && hint == 0 && flags == 0);
    assert_non_null(at);
    if (stale_byte != 0)
        memset(at, stale_byte, bytes);
    *out = (cu_pointer)(uintptr_t)at;
    return CU_OK;
}

static cu_result
cu_unreserve(cu_pointer p, size_t bytes)
{
    (void)bytes;
    free((void *)(uintptr_t)p);
    return CU_OK;
}

static cu_result
cu_map(cu_pointer p, size_t bytes, size_t offset, cu_handle handle,
       unsigned long long flags)
{
    assert_true(offset == 0 && flags == 0 && bytes == pieces[handle].bytes);
    pieces[handle].at = (char *)(uintptr_t)p;
    pieces[handle].mapped = true;
    return CU_OK;
}

static cu_result
cu_unmap(cu_pointer p, size_t bytes)
{
    struct piece *m = piece_at(p);

    assert_true(m->mapped && bytes == m->bytes);
    m->mapped = m->accessible = false;
    m->at = NULL;
    return CU_OK;
}

static cu_result
cu_set_access(cu_pointer p, size_t bytes, const struct cu_access *access, size_t count)
{
    struct piece *m = piece_at(p);

    assert_true(count == 1 && bytes == m->bytes);
    assert_int_equal(access->location.type, CU_LOCATION_DEVICE);
    assert_int_equal(access->location.id, m->gpu);
    assert_int_equal(access->flags, CU_ACCESS_READ_WRITE);
    m->accessible = true;
    return CU_OK;
}

/* --- in libcuda.c's place -------------------------------------------------- */

const struct libcuda *
libcuda_get(struct report *r)
{
    static const struct libcuda cu = {
#define X(name, symbol, args) .name = cu_##name,
        CU_FUNCTIONS(X)
#undef X
    };

    (void)r;
    return &cu;
}

int
libcuda_check(const struct libcuda *cu, cu_result rc, const char *what, struct report *r)
{
    const char *name = "";

    if (rc == CU_OK)
        return 0;
    (void)cu->error_name(rc, &name);
    return report_fail(r, "%s: %s", what, name);
}

int
libcuda_gpu_id(const struct libcuda *cu, cu_device device, char out[64], struct report *r)
{
    unsigned char uuid[16];

    (void)r;
    (void)cu->device_uuid(uuid, device);
    snprintf(out, 64, "GPU-%d", uuid[0]);
    return 0;
}

#endif
