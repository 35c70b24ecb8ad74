// links: gpu gpu_owner text exec ptx gpu_wire
/* The emulated GPU as a process: what its clients get from it, and what its owner may do.
 * Each test has a process of its own. */
#include "../fixtures/gpu_wire.h"

#include "emulator/gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what works --------------------------------------------------------------------- */

static void
test_launch(void **state)
{
    enum { N = 100000 };
    uint32_t *values = malloc(N * sizeof *values), kernel;
    struct counters counters;
    struct fault fault;
    struct wire w;
    uint64_t p;

    (void)state;
    wire_start(&w, 0);
    for (uint32_t i = 0; i < N; i++)
        values[i] = i;
    p = wire_alloc(&w, N * sizeof *values);
    assert_true(p >> 47 != 0); /* host code that follows it must fault */
    assert_int_equal(wire_write(&w, p, values, N * sizeof *values).status, GPU_SUCCESS);
    kernel = wire_load(&w, "twice");
    wire_launch_twice(&w, kernel, p, N);
    wire_launch_twice(&w, kernel, p, N / 2);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0); /* waits for both */
    assert_int_equal(counters.launches, 2);
    assert_true(counters.modelled_ns > 0);
    assert_int_equal(wire_read(&w, values, p, N * sizeof *values).status, GPU_SUCCESS);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(values[i], i < N / 2 ? 4 * i : 2 * i);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_NONE);
    free(values);
    wire_end(&w);
}

static void
test_rows(void **state)
{
    struct gpu_request q = {.op = GPU_READ};
    unsigned char image[64 * 48], column[48];
    struct gpu_reply reply;
    struct wire w;
    uint64_t p;

    (void)state;
    wire_start(&w, 0);
    for (size_t i = 0; i < sizeof image; i++)
        image[i] = (unsigned char)(i * 7);
    p = wire_alloc(&w, sizeof image);
    wire_write(&w, p, image, sizeof image);
    q.copy.from = p + 5;
    q.copy.from_pitch = 64;
    q.copy.width = 1;
    q.copy.height = 48;
    reply = wire_ask(&w, &q, NULL, NULL);
    assert_int_equal(reply.bulk_bytes, 48);
    wire_get(&w, column, 48);
    for (size_t i = 0; i < 48; i++)
        assert_int_equal(column[i], image[i * 64 + 5]);
    q = (struct gpu_request){.op = GPU_SET};
    q.set.to = p + 2;
    q.set.pitch = 64;
    q.set.width = 4;
    q.set.height = 48;
    q.set.element = 2;
    q.set.value = 0xabcd;
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_SUCCESS);
    assert_int_equal(wire_read(&w, image, p, sizeof image).status, GPU_SUCCESS);
    for (size_t i = 0; i < 48; i++) {
        assert_int_equal(image[i * 64 + 2], 0xcd);
        assert_int_equal(image[i * 64 + 5], 0xab);
        assert_int_equal(image[i * 64 + 6], (unsigned char)((i * 64 + 6) * 7));
    }
    wire_end(&w);
}

static void
test_import(void **state)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    uint32_t *host;
    struct wire w;
    uint64_t address;

    (void)state;
    wire_start(&w, 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    host = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(host != MAP_FAILED);
    assert_int_equal(gpu_import(w.gpu, fd, 8192, 0, true, &address),
                     -1); /* more than it has */
    assert_int_equal(gpu_import(w.gpu, fd, 4096, 0, true, &address), 0);
    for (uint32_t i = 0; i < 1024; i++)
        host[i] = i;
    wire_launch_twice(&w, wire_load(&w, "twice"), address, 1024);
    assert_int_equal(wire_sync(&w).status, GPU_SUCCESS);
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(host[i], 2 * i);
    assert_int_equal(gpu_mark(w.gpu, address, 4096, false), 0);
    assert_int_equal(gpu_mark(w.gpu, address, 4097, false), -1);
    assert_int_equal(gpu_release(w.gpu, address), 0);
    assert_int_equal(gpu_release(w.gpu, address), -1);
    assert_int_equal(wire_write(&w, address, host, 4).status, GPU_INVALID_VALUE);
    munmap(host, 4096);
    close(fd);
    wire_end(&w);
}

static void
test_variable(void **state)
{
    struct gpu_request q = {.op = GPU_VARIABLE, .inline_bytes = 5};
    struct gpu_reply reply;
    struct wire w;

    (void)state;
    wire_start(&w, 0);
    wire_load(&w, "twice");
    reply = wire_ask(&w, &q, "table", NULL);
    assert_int_equal(reply.status, GPU_SUCCESS);
    assert_int_equal(reply.value[1], 16);
    assert_int_equal(wire_write(&w, reply.value[0], "0123456789abcdef", 16).status,
                     GPU_SUCCESS);
    assert_int_equal(wire_ask(&w, &q, "tabel", NULL).status, GPU_INVALID_SYMBOL);
    wire_end(&w);
}

/* --- errors of programs ------------------------------------------------------------- */

static void
test_sticky_fault(void **state)
{
    struct gpu_request q = {.op = GPU_MALLOC, .memory = {.bytes = 16}};
    uint32_t kernel, value = 1;
    struct fault fault;
    struct wire w;
    uint64_t p;

    (void)state;
    wire_start(&w, 0);
    p = wire_alloc(&w, 4);
    wire_write(&w, p, &value, 4);
    kernel = wire_load(&w, "twice");
    wire_launch_twice(&w, kernel, p + (1 << 20), 1);
    wire_launch_twice(&w, kernel, p, 1); /* not executed any more */
    assert_int_equal(wire_sync(&w).status, GPU_ILLEGAL_ADDRESS);
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_ILLEGAL_ADDRESS);
    assert_int_equal(wire_write(&w, p, &value, 4).status, GPU_ILLEGAL_ADDRESS);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_ILLEGAL_ADDRESS);
    assert_true(strstr(fault.text, "twice") != NULL);
    close(w.fd); /* the fault outlives the program */
    w.fd = -1;
    memset(&fault, 0, sizeof fault);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_ILLEGAL_ADDRESS);
    wire_end(&w);
}

static void
test_bad_addresses(void **state)
{
    struct gpu_request q = {.op = GPU_COPY};
    char bytes[64] = {0};
    struct wire w;
    uint64_t p;

    (void)state;
    wire_start(&w, 0);
    p = wire_alloc(&w, 64);
    assert_int_equal(wire_write(&w, p + 1, bytes, 64).status, GPU_INVALID_VALUE);
    assert_int_equal(wire_write(&w, 0, bytes, 64).status, GPU_INVALID_VALUE);
    assert_int_equal(wire_read(&w, bytes, p, 1u << 30).status, GPU_INVALID_VALUE);
    assert_int_equal(wire_read(&w, bytes, p, UINT64_MAX).status, GPU_INVALID_VALUE);
    q.copy.to = p;
    q.copy.from = p;
    q.copy.to_pitch = q.copy.from_pitch = UINT64_MAX / 2;
    q.copy.width = 8;
    q.copy.height = 4; /* height * pitch overflows */
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q.copy.width = q.copy.height = UINT64_MAX; /* width * height overflows */
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q = (struct gpu_request){.op = GPU_FREE, .memory = {.address = p + 8}};
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q = (struct gpu_request){.op = GPU_SET};
    q.set.to = p;
    q.set.width = 64;
    q.set.height = 1;
    q.set.element = 3;
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q.flags = GPU_QUIET; /* told by the next that waits, once */
    wire_put(&w, &q, sizeof q);
    assert_int_equal(wire_sync(&w).status, GPU_INVALID_VALUE);
    assert_int_equal(wire_sync(&w).status, GPU_SUCCESS);
    wire_end(&w);
}

static void
test_bad_handles(void **state)
{
    struct gpu_request q = {.op = GPU_LAUNCH, .id = 7};
    struct wire w;

    (void)state;
    wire_start(&w, 0);
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_INVALID_HANDLE);
    q = (struct gpu_request){.op = GPU_KERNEL, .id = 7, .inline_bytes = 1};
    assert_int_equal(wire_ask(&w, &q, "x", NULL).status, GPU_INVALID_HANDLE);
    q = (struct gpu_request){.op = GPU_STAMP, .id = UINT32_MAX};
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    q = (struct gpu_request){.op = GPU_STAMPED, .id = UINT32_MAX};
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).value[1], 0);
    q = (struct gpu_request){.op = GPU_LAUNCH, .id = wire_load(&w, "twice")};
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status,
                     GPU_INVALID_VALUE); /* no parameters */
    wire_end(&w);
}

static void
test_memory_limit(void **state)
{
    struct gpu_request q = {.op = GPU_MALLOC, .memory = {.bytes = 1 << 20}};
    struct gpu_reply reply;
    struct fault fault;
    struct wire w;
    uint64_t p;

    (void)state;
    wire_start(&w, 1 << 20);
    q.memory.bytes = UINT64_MAX;
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    q.memory.bytes = (1 << 20) + 1;
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    q.op = GPU_SHARED;
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    p = wire_alloc(&w, 1 << 19);
    reply = wire_ask(&w, &(struct gpu_request){.op = GPU_USAGE}, NULL, NULL);
    assert_int_equal(reply.value[0], 1 << 19);
    q = (struct gpu_request){.op = GPU_FREE, .memory = {.address = p}};
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_SUCCESS);
    assert_int_equal(wire_ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE); /* twice */
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_OUT_OF_MEMORY);
    wire_end(&w);
}

/* --- the owner's power -------------------------------------------------------------- */

static uint64_t
work_used(const struct wire *w)
{
    return atomic_load(&gpu_work(w->gpu)->used);
}

/* Waits until a kernel executes, before which so much was used. A loop's work is seen
 * while it executes, and is soon more than any request's. */
static void
await_kernel(const struct wire *w, uint64_t used_before)
{
    while (work_used(w) < used_before + UINT64_C(1000) * WORK_REQUEST)
        usleep(1000);
}

struct interruption {
    const struct wire *w;
    uint64_t used_before;
};

static void *
interrupt_kernel(void *argument)
{
    const struct interruption *i = argument;

    await_kernel(i->w, i->used_before);
    assert_int_equal(gpu_interrupt(i->w->gpu), 0);
    return NULL;
}

static void
test_interrupt(void **state)
{
    struct wire w;
    struct interruption interruption = {.w = &w};
    struct counters counters;
    struct fault fault;
    pthread_t thread;
    uint32_t spin;

    (void)state;
    wire_start(&w, 0);
    spin = wire_load(&w, "spin");
    interruption.used_before = work_used(&w);
    wire_launch(&w, spin, NULL, 0, 1);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_kernel, &interruption), 0);
    /* This waits for the launch. The interrupt overtakes it. */
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    pthread_join(thread, NULL);
    assert_int_equal(wire_sync(&w).status, GPU_LAUNCH_TIMEOUT);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_INTERRUPTED);
    assert_true(strstr(fault.kernel, "spin") != NULL);
    wire_end(&w);
}

/* An interrupt that finds nothing running must not hit whatever comes next. */
static void
test_interrupt_of_nothing(void **state)
{
    uint32_t kernel, value = 21;
    struct counters counters;
    struct wire w;
    uint64_t p;

    (void)state;
    wire_start(&w, 0);
    p = wire_alloc(&w, 4);
    wire_write(&w, p, &value, 4);
    kernel = wire_load(&w, "twice");
    assert_int_equal(wire_sync(&w).status, GPU_SUCCESS);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    assert_int_equal(gpu_interrupt(w.gpu), 0);
    assert_int_equal(gpu_set_checks(w.gpu, true), 0);
    wire_launch_twice(&w, kernel, p, 1);
    assert_int_equal(wire_read(&w, &value, p, 4).status, GPU_SUCCESS);
    assert_int_equal(value, 42);
    wire_end(&w);
}

/* How many launches of so many blocks are done before the work of all of them is too
 * much, and what is counted by then. */
static int
launches_within(uint64_t limit, uint32_t blocks, uint64_t *used)
{
    const uint32_t n = blocks * 32;
    uint32_t *values = calloc(n, sizeof *values);
    struct fault fault;
    struct wire w;
    uint32_t kernel, status = GPU_SUCCESS;
    uint64_t p;
    int done = 0;

    wire_start(&w, 0);
    p = wire_alloc(&w, n * sizeof *values);
    assert_int_equal(wire_write(&w, p, values, n * sizeof *values).status, GPU_SUCCESS);
    kernel = wire_load(&w, "twice");
    atomic_store(&gpu_work(w.gpu)->limit, atomic_load(&gpu_work(w.gpu)->used) + limit);
    for (; status == GPU_SUCCESS; done++) {
        wire_launch_twice(&w, kernel, p, n);
        status = wire_sync(&w).status;
    }
    assert_int_equal(status, GPU_LAUNCH_TIMEOUT);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_BUDGET);
    /* Nothing more is done for it, whatever the limit is now. */
    atomic_store(&gpu_work(w.gpu)->limit, UINT64_MAX);
    assert_int_equal(wire_sync(&w).status, GPU_LAUNCH_TIMEOUT);
    *used = atomic_load(&gpu_work(w.gpu)->used);
    free(values);
    wire_end(&w);
    return done;
}

static void
test_work_limit(void **state)
{
    uint64_t used, again, copied;
    struct wire w;
    uint64_t p;
    char bytes[640] = {0};
    int done;

    (void)state;
    done = launches_within(100000, 1, &used);
    assert_true(done > 100); /* small ones, and only all of them together are too much */
    assert_int_equal(launches_within(100000, 1, &again), done);
    assert_int_equal(used, again);
    assert_int_equal(launches_within(100000, 10000, &used), 1);
    /* Copies and requests that launch nothing are work as well. */
    wire_start(&w, 0);
    p = wire_alloc(&w, sizeof bytes);
    used = atomic_load(&gpu_work(w.gpu)->used);
    assert_int_equal(wire_write(&w, p, bytes, sizeof bytes).status, GPU_SUCCESS);
    copied = atomic_load(&gpu_work(w.gpu)->used) - used;
    assert_int_equal(copied, WORK_REQUEST + sizeof bytes / WORK_BYTES);
    used = atomic_load(&gpu_work(w.gpu)->used);
    (void)wire_load(&w, "twice");
    assert_true(atomic_load(&gpu_work(w.gpu)->used) - used >=
                WORK_PTX_BYTE * (strlen(wire_ptx) + 1));
    wire_end(&w);
}

static void
test_drop_frees_everything(void **state)
{
    struct wire w, other;
    struct gpu_reply reply;
    struct fault fault;
    uint64_t p, used;
    uint32_t spin;

    (void)state;
    wire_start(&w, 1 << 20);
    p = wire_alloc(&w, 1 << 20);
    spin = wire_load(&w, "spin");
    used = work_used(&w);
    wire_launch(&w, spin, NULL, 0, 1);
    await_kernel(&w, used);
    assert_int_equal(gpu_drop_client(w.gpu, w.client), 0); /* ends the launch, too */
    assert_int_equal(gpu_drop_client(w.gpu, w.client), -1);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), -1);
    wire_assert_ended(&w);
    other = w;
    other.fd = gpu_new_client(w.gpu, &other.client);
    assert_true(other.fd >= 0);
    reply = wire_ask(&other, &(struct gpu_request){.op = GPU_USAGE}, NULL, NULL);
    assert_int_equal(reply.value[0], 1 << 20);
    assert_int_equal(wire_read(&other, &p, p, 8).status, GPU_INVALID_VALUE);
    close(other.fd);
    wire_end(&w);
}

/* A process that does not answer, or is not there, is an error and not a wait. */
static void
test_dead_process(void **state)
{
    struct counters counters;
    struct wire w;
    int status;

    (void)state;
    wire_start(&w, 0);
    kill(w.pid, SIGKILL);
    waitpid(w.pid, &status, 0);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), -1);
    assert_int_equal(gpu_new_client(w.gpu, &w.client), -1);
    assert_int_equal(gpu_interrupt(w.gpu), -1);
    wire_assert_ended(&w);
    close(w.fd);
    gpu_close(w.gpu);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch),       cmocka_unit_test(test_rows),
        cmocka_unit_test(test_import),       cmocka_unit_test(test_variable),
        cmocka_unit_test(test_sticky_fault), cmocka_unit_test(test_bad_addresses),
        cmocka_unit_test(test_bad_handles),  cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_interrupt),    cmocka_unit_test(test_interrupt_of_nothing),
        cmocka_unit_test(test_work_limit),   cmocka_unit_test(test_drop_frees_everything),
        cmocka_unit_test(test_dead_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
