// links: gpu gpu_owner exec ptx
/*
 * The emulated GPU as a process: its owner and a client that speaks the wire format
 * itself, rightly and wrongly. Each test has a process of its own.
 */
#include "emulator/gpu/client.h"
#include "emulator/gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".const .align 4 .b8 table[16];\n"
    ".visible .entry twice(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra $done;\n"
    "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd3, %rd2, "
    "%rd3;\n"
    "ld.global.u32 %r6, [%rd3];\nadd.s32 %r6, %r6, %r6;\nst.global.u32 [%rd3], %r6;\n"
    "$done:\nret;\n}\n"
    ".visible .entry spin()\n{\n$again:\nbra $again;\n}\n";

struct world {
    pid_t pid;
    struct gpu *gpu;
    uint32_t client;
    int fd;
};

static void
world_start(struct world *w, uint64_t memory_bytes)
{
    struct gpu_options options = {.memory_bytes = memory_bytes, .threads = 1};
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    w->pid = fork();
    assert_true(w->pid >= 0);
    if (w->pid == 0) {
        close(pair[0]);
        _exit(server_run(pair[1]) == 0 ? 0 : 1);
    }
    close(pair[1]);
    w->gpu = gpu_connect(pair[0], &options);
    assert_non_null(w->gpu);
    w->fd = gpu_new_client(w->gpu, &w->client);
    assert_true(w->fd >= 0);
}

/* The process ends, by itself and well, when its owner goes. */
static void
world_end(struct world *w)
{
    int status;

    if (w->fd >= 0)
        close(w->fd);
    gpu_close(w->gpu);
    assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void
put(const struct world *w, const void *bytes, size_t len)
{
    assert_int_equal(send(w->fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void
get(const struct world *w, void *bytes, size_t len)
{
    if (len > 0) /* recv waits for something even if it may take nothing */
        assert_int_equal(recv(w->fd, bytes, len, MSG_WAITALL), (ssize_t)len);
}

static struct gpu_reply
ask(const struct world *w, const struct gpu_request *q, const void *text,
    const void *bulk)
{
    struct gpu_reply reply;

    put(w, q, sizeof *q);
    if (q->inline_bytes > 0)
        put(w, text, q->inline_bytes);
    if (q->bulk_bytes > 0)
        put(w, bulk, q->bulk_bytes);
    get(w, &reply, sizeof reply);
    return reply;
}

static struct gpu_reply
sync_client(const struct world *w)
{
    return ask(w, &(struct gpu_request){.op = GPU_SYNC}, NULL, NULL);
}

static uint64_t
device_alloc(const struct world *w, uint64_t bytes)
{
    struct gpu_request q = {.op = GPU_MALLOC, .memory = {.bytes = bytes}};
    struct gpu_reply reply = ask(w, &q, NULL, NULL);

    assert_int_equal(reply.status, GPU_SUCCESS);
    assert_true(reply.value[0] != 0);
    return reply.value[0];
}

static struct gpu_reply
device_write(const struct world *w, uint64_t to, const void *from, uint64_t bytes)
{
    struct gpu_request q = {.op = GPU_WRITE, .bulk_bytes = bytes};

    q.copy.to = to;
    q.copy.width = bytes;
    q.copy.height = 1;
    return ask(w, &q, NULL, from);
}

static struct gpu_reply
device_read(const struct world *w, void *to, uint64_t from, uint64_t bytes)
{
    struct gpu_request q = {.op = GPU_READ};
    struct gpu_reply reply;

    q.copy.from = from;
    q.copy.width = bytes;
    q.copy.height = 1;
    reply = ask(w, &q, NULL, NULL);
    if (reply.bulk_bytes > 0) {
        assert_int_equal(reply.bulk_bytes, bytes);
        get(w, to, bytes);
    }
    return reply;
}

static uint32_t
load_kernel(const struct world *w, const char *name)
{
    struct gpu_request module = {.op = GPU_MODULE, .bulk_bytes = sizeof ptx - 1};
    struct gpu_request kernel = {.op = GPU_KERNEL,
                                 .inline_bytes = (uint32_t)strlen(name)};
    struct gpu_reply reply = ask(w, &module, NULL, ptx);
    struct gpu_kernel info;
    char rest[256];

    assert_int_equal(reply.status, GPU_SUCCESS);
    kernel.id = (uint32_t)reply.value[0];
    reply = ask(w, &kernel, name, NULL);
    assert_int_equal(reply.status, GPU_SUCCESS);
    get(w, &info, sizeof info);
    assert_true(reply.bulk_bytes - sizeof info <= sizeof rest);
    get(w, rest, reply.bulk_bytes - sizeof info);
    return info.id;
}

static void
launch(const struct world *w, uint32_t kernel, const void *params, uint32_t bytes,
       uint32_t blocks)
{
    struct gpu_request q = {
        .op = GPU_LAUNCH, .flags = GPU_QUIET, .id = kernel, .inline_bytes = bytes};

    q.launch.grid[0] = blocks;
    q.launch.block[0] = 32;
    q.launch.grid[1] = q.launch.grid[2] = q.launch.block[1] = q.launch.block[2] = 1;
    put(w, &q, sizeof q);
    if (bytes > 0)
        put(w, params, bytes);
}

struct twice_params {
    uint64_t p;
    uint32_t n;
};

static void
launch_twice(const struct world *w, uint32_t kernel, uint64_t p, uint32_t n)
{
    struct twice_params params = {p, n};

    launch(w, kernel, &params, 12, (n + 31) / 32);
}

static void
assert_ended(const struct world *w)
{
    char byte;

    assert_true(recv(w->fd, &byte, 1, MSG_WAITALL) <= 0);
}

/* --- what works --------------------------------------------------------------------- */

static void
test_launch(void **state)
{
    enum { N = 100000 };
    uint32_t *values = malloc(N * sizeof *values), kernel;
    struct counters counters;
    struct fault fault;
    struct world w;
    uint64_t p;

    (void)state;
    world_start(&w, 0);
    for (uint32_t i = 0; i < N; i++)
        values[i] = i;
    p = device_alloc(&w, N * sizeof *values);
    assert_true(p >> 47 != 0); /* host code that follows it must fault */
    assert_int_equal(device_write(&w, p, values, N * sizeof *values).status, GPU_SUCCESS);
    kernel = load_kernel(&w, "twice");
    launch_twice(&w, kernel, p, N);
    launch_twice(&w, kernel, p, N / 2);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0); /* waits for both */
    assert_int_equal(counters.launches, 2);
    assert_true(counters.modelled_ns > 0);
    assert_int_equal(device_read(&w, values, p, N * sizeof *values).status, GPU_SUCCESS);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(values[i], i < N / 2 ? 4 * i : 2 * i);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_NONE);
    free(values);
    world_end(&w);
}

static void
test_rows(void **state)
{
    struct gpu_request q = {.op = GPU_READ};
    unsigned char image[64 * 48], column[48];
    struct gpu_reply reply;
    struct world w;
    uint64_t p;

    (void)state;
    world_start(&w, 0);
    for (size_t i = 0; i < sizeof image; i++)
        image[i] = (unsigned char)(i * 7);
    p = device_alloc(&w, sizeof image);
    device_write(&w, p, image, sizeof image);
    q.copy.from = p + 5;
    q.copy.from_pitch = 64;
    q.copy.width = 1;
    q.copy.height = 48;
    reply = ask(&w, &q, NULL, NULL);
    assert_int_equal(reply.bulk_bytes, 48);
    get(&w, column, 48);
    for (size_t i = 0; i < 48; i++)
        assert_int_equal(column[i], image[i * 64 + 5]);
    q = (struct gpu_request){.op = GPU_SET};
    q.set.to = p + 2;
    q.set.pitch = 64;
    q.set.width = 4;
    q.set.height = 48;
    q.set.element = 2;
    q.set.value = 0xabcd;
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_SUCCESS);
    assert_int_equal(device_read(&w, image, p, sizeof image).status, GPU_SUCCESS);
    for (size_t i = 0; i < 48; i++) {
        assert_int_equal(image[i * 64 + 2], 0xcd);
        assert_int_equal(image[i * 64 + 5], 0xab);
        assert_int_equal(image[i * 64 + 6], (unsigned char)((i * 64 + 6) * 7));
    }
    world_end(&w);
}

static void
test_import(void **state)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    uint32_t *host;
    struct world w;
    uint64_t address;

    (void)state;
    world_start(&w, 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    host = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(host != MAP_FAILED);
    assert_int_equal(gpu_import(w.gpu, fd, 8192, 0, true, &address),
                     -1); /* more than it has */
    assert_int_equal(gpu_import(w.gpu, fd, 4096, 0, true, &address), 0);
    for (uint32_t i = 0; i < 1024; i++)
        host[i] = i;
    launch_twice(&w, load_kernel(&w, "twice"), address, 1024);
    assert_int_equal(sync_client(&w).status, GPU_SUCCESS);
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(host[i], 2 * i);
    assert_int_equal(gpu_mark(w.gpu, address, 4096, false), 0);
    assert_int_equal(gpu_mark(w.gpu, address, 4097, false), -1);
    assert_int_equal(gpu_release(w.gpu, address), 0);
    assert_int_equal(gpu_release(w.gpu, address), -1);
    assert_int_equal(device_write(&w, address, host, 4).status, GPU_INVALID_VALUE);
    munmap(host, 4096);
    close(fd);
    world_end(&w);
}

static void
test_variable(void **state)
{
    struct gpu_request q = {.op = GPU_VARIABLE, .inline_bytes = 5};
    struct gpu_reply reply;
    struct world w;

    (void)state;
    world_start(&w, 0);
    load_kernel(&w, "twice");
    reply = ask(&w, &q, "table", NULL);
    assert_int_equal(reply.status, GPU_SUCCESS);
    assert_int_equal(reply.value[1], 16);
    assert_int_equal(device_write(&w, reply.value[0], "0123456789abcdef", 16).status,
                     GPU_SUCCESS);
    assert_int_equal(ask(&w, &q, "tabel", NULL).status, GPU_INVALID_SYMBOL);
    world_end(&w);
}

/* --- errors of programs ------------------------------------------------------------- */

static void
test_sticky_fault(void **state)
{
    struct gpu_request q = {.op = GPU_MALLOC, .memory = {.bytes = 16}};
    uint32_t kernel, value = 1;
    struct fault fault;
    struct world w;
    uint64_t p;

    (void)state;
    world_start(&w, 0);
    p = device_alloc(&w, 4);
    device_write(&w, p, &value, 4);
    kernel = load_kernel(&w, "twice");
    launch_twice(&w, kernel, p + (1 << 20), 1);
    launch_twice(&w, kernel, p, 1); /* not executed any more */
    assert_int_equal(sync_client(&w).status, GPU_ILLEGAL_ADDRESS);
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_ILLEGAL_ADDRESS);
    assert_int_equal(device_write(&w, p, &value, 4).status, GPU_ILLEGAL_ADDRESS);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_ILLEGAL_ADDRESS);
    assert_true(strstr(fault.text, "twice") != NULL);
    close(w.fd); /* the fault outlives the program */
    w.fd = -1;
    memset(&fault, 0, sizeof fault);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_ILLEGAL_ADDRESS);
    world_end(&w);
}

static void
test_bad_addresses(void **state)
{
    struct gpu_request q = {.op = GPU_COPY};
    char bytes[64] = {0};
    struct world w;
    uint64_t p;

    (void)state;
    world_start(&w, 0);
    p = device_alloc(&w, 64);
    assert_int_equal(device_write(&w, p + 1, bytes, 64).status, GPU_INVALID_VALUE);
    assert_int_equal(device_write(&w, 0, bytes, 64).status, GPU_INVALID_VALUE);
    assert_int_equal(device_read(&w, bytes, p, 1u << 30).status, GPU_INVALID_VALUE);
    assert_int_equal(device_read(&w, bytes, p, UINT64_MAX).status, GPU_INVALID_VALUE);
    q.copy.to = p;
    q.copy.from = p;
    q.copy.to_pitch = q.copy.from_pitch = UINT64_MAX / 2;
    q.copy.width = 8;
    q.copy.height = 4; /* height * pitch overflows */
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q.copy.width = q.copy.height = UINT64_MAX; /* width * height overflows */
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q = (struct gpu_request){.op = GPU_FREE, .memory = {.address = p + 8}};
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q = (struct gpu_request){.op = GPU_SET};
    q.set.to = p;
    q.set.width = 64;
    q.set.height = 1;
    q.set.element = 3;
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE);
    q.flags = GPU_QUIET; /* told by the next that waits, once */
    put(&w, &q, sizeof q);
    assert_int_equal(sync_client(&w).status, GPU_INVALID_VALUE);
    assert_int_equal(sync_client(&w).status, GPU_SUCCESS);
    world_end(&w);
}

static void
test_bad_handles(void **state)
{
    struct gpu_request q = {.op = GPU_LAUNCH, .id = 7};
    struct world w;

    (void)state;
    world_start(&w, 0);
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_INVALID_HANDLE);
    q = (struct gpu_request){.op = GPU_KERNEL, .id = 7, .inline_bytes = 1};
    assert_int_equal(ask(&w, &q, "x", NULL).status, GPU_INVALID_HANDLE);
    q = (struct gpu_request){.op = GPU_STAMP, .id = UINT32_MAX};
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    q = (struct gpu_request){.op = GPU_STAMPED, .id = UINT32_MAX};
    assert_int_equal(ask(&w, &q, NULL, NULL).value[1], 0);
    q = (struct gpu_request){.op = GPU_LAUNCH, .id = load_kernel(&w, "twice")};
    assert_int_equal(ask(&w, &q, NULL, NULL).status,
                     GPU_INVALID_VALUE); /* no parameters */
    world_end(&w);
}

static void
test_memory_limit(void **state)
{
    struct gpu_request q = {.op = GPU_MALLOC, .memory = {.bytes = 1 << 20}};
    struct gpu_reply reply;
    struct fault fault;
    struct world w;
    uint64_t p;

    (void)state;
    world_start(&w, 1 << 20);
    q.memory.bytes = UINT64_MAX;
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    q.memory.bytes = (1 << 20) + 1;
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    q.op = GPU_SHARED;
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_OUT_OF_MEMORY);
    p = device_alloc(&w, 1 << 19);
    reply = ask(&w, &(struct gpu_request){.op = GPU_USAGE}, NULL, NULL);
    assert_int_equal(reply.value[0], 1 << 19);
    q = (struct gpu_request){.op = GPU_FREE, .memory = {.address = p}};
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_SUCCESS);
    assert_int_equal(ask(&w, &q, NULL, NULL).status, GPU_INVALID_VALUE); /* twice */
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_OUT_OF_MEMORY);
    world_end(&w);
}

/* --- hostile clients ---------------------------------------------------------------- */

/* Sends the request, and nothing of what it announces; the client must be ended and the
 * process must go on serving others. */
static void
assert_ends_client(const struct gpu_request *q)
{
    struct fault fault;
    uint32_t second;
    struct world w, other;
    int status, fd;

    world_start(&w, 0);
    put(&w, q, sizeof *q);
    assert_ended(&w);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_true(fault.kind != FAULT_NONE);
    fd = gpu_new_client(w.gpu, &second);
    assert_true(fd >= 0);
    other = w;
    other.fd = fd;
    device_alloc(&other, 64);
    close(fd);
    assert_int_equal(waitpid(w.pid, &status, WNOHANG), 0);
    world_end(&w);
}

static void
test_hostile_messages(void **state)
{
    struct gpu_request q = {.op = GPU_OP_NONE};

    (void)state;
    assert_ends_client(&q);
    q.op = GPU_OP_COUNT;
    assert_ends_client(&q);
    q.op = UINT32_MAX;
    assert_ends_client(&q);
    q = (struct gpu_request){.op = GPU_KERNEL, .inline_bytes = GPU_INLINE_MAX + 1};
    assert_ends_client(&q);
    q = (struct gpu_request){.op = GPU_MODULE,
                             .bulk_bytes = (uint64_t)GPU_MODULE_BYTES_MAX + 1};
    assert_ends_client(&q);
    q = (struct gpu_request){.op = GPU_WRITE, .bulk_bytes = 8}; /* not width * height */
    assert_ends_client(&q);
    q = (struct gpu_request){.op = GPU_SYNC, .bulk_bytes = 8};
    assert_ends_client(&q);
}

/* A client that stops in the middle of a message, or does not take its replies, is nobody
 * else's trouble, and the owner's calls return. */
static void
test_stalled_clients(void **state)
{
    struct gpu_request q = {.op = GPU_SYNC};
    struct counters counters;
    struct world w, other;
    uint32_t second;
    ssize_t sent;

    (void)state;
    world_start(&w, 0);
    put(&w, &q, sizeof q / 2);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    other = w;
    other.fd = gpu_new_client(w.gpu, &second);
    assert_true(other.fd >= 0);
    assert_int_equal(sync_client(&other).status, GPU_SUCCESS);
    put(&w, (const char *)&q + sizeof q / 2, sizeof q - sizeof q / 2);
    do /* replies pile up until both buffers are full */
        sent = send(w.fd, &q, sizeof q, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent > 0);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    assert_int_equal(sync_client(&other).status, GPU_SUCCESS);
    assert_int_equal(gpu_drop_client(w.gpu, w.client), 0);
    assert_int_equal(sync_client(&other).status, GPU_SUCCESS);
    close(other.fd);
    world_end(&w);
}

static void
test_damaged_modules(void **state)
{
    unsigned char bytes[128] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 112};
    struct gpu_request q = {.op = GPU_MODULE, .bulk_bytes = sizeof bytes};
    uint32_t status;
    struct world w;

    (void)state;
    world_start(&w, 0);
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[16] = 2;  /* machine code only */
    bytes[20] = 64; /* header */
    bytes[24] = 48; /* payload */
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_NO_KERNEL_IMAGE);
    bytes[16] = 1;
    bytes[16 + 41] = 0x20; /* LZ4, of which there is none */
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[16 + 41] = 0x80; /* zstd, of which there is none */
    bytes[16 + 16] = 48;
    bytes[16 + 56] = 100;
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[16 + 62] = 1; /* 2^48 bytes when decompressed */
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[8] = 113; /* longer than what is there */
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    status = ask(&w, &(struct gpu_request){.op = GPU_MODULE}, NULL, NULL).status;
    assert_int_equal(status, GPU_INVALID_KERNEL_IMAGE);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(ask(&w, &q, NULL, bytes).status, GPU_INVALID_PTX);
    world_end(&w);
}

/* --- the owner's power -------------------------------------------------------------- */

static uint64_t
work_used(const struct world *w)
{
    return atomic_load(&gpu_work(w->gpu)->used);
}

/* Waits until a kernel executes, before which so much was used. A loop's work is seen
 * while it executes, and is soon more than any request's. */
static void
await_kernel(const struct world *w, uint64_t used_before)
{
    while (work_used(w) < used_before + UINT64_C(1000) * WORK_REQUEST)
        usleep(1000);
}

struct interruption {
    const struct world *w;
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
    struct world w;
    struct interruption interruption = {.w = &w};
    struct counters counters;
    struct fault fault;
    pthread_t thread;
    uint32_t spin;

    (void)state;
    world_start(&w, 0);
    spin = load_kernel(&w, "spin");
    interruption.used_before = work_used(&w);
    launch(&w, spin, NULL, 0, 1);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_kernel, &interruption), 0);
    /* This waits for the launch. The interrupt overtakes it. */
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    pthread_join(thread, NULL);
    assert_int_equal(sync_client(&w).status, GPU_LAUNCH_TIMEOUT);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_INTERRUPTED);
    assert_true(strstr(fault.kernel, "spin") != NULL);
    world_end(&w);
}

/* An interrupt that finds nothing running must not hit whatever comes next. */
static void
test_interrupt_of_nothing(void **state)
{
    uint32_t kernel, value = 21;
    struct counters counters;
    struct world w;
    uint64_t p;

    (void)state;
    world_start(&w, 0);
    p = device_alloc(&w, 4);
    device_write(&w, p, &value, 4);
    kernel = load_kernel(&w, "twice");
    assert_int_equal(sync_client(&w).status, GPU_SUCCESS);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    assert_int_equal(gpu_interrupt(w.gpu), 0);
    assert_int_equal(gpu_set_checks(w.gpu, true), 0);
    launch_twice(&w, kernel, p, 1);
    assert_int_equal(device_read(&w, &value, p, 4).status, GPU_SUCCESS);
    assert_int_equal(value, 42);
    world_end(&w);
}

/* How many launches of so many blocks are done before the work of all of them is too
 * much, and what is counted by then. */
static int
launches_within(uint64_t limit, uint32_t blocks, uint64_t *used)
{
    const uint32_t n = blocks * 32;
    uint32_t *values = calloc(n, sizeof *values);
    struct fault fault;
    struct world w;
    uint32_t kernel, status = GPU_SUCCESS;
    uint64_t p;
    int done = 0;

    world_start(&w, 0);
    p = device_alloc(&w, n * sizeof *values);
    assert_int_equal(device_write(&w, p, values, n * sizeof *values).status, GPU_SUCCESS);
    kernel = load_kernel(&w, "twice");
    atomic_store(&gpu_work(w.gpu)->limit, atomic_load(&gpu_work(w.gpu)->used) + limit);
    for (; status == GPU_SUCCESS; done++) {
        launch_twice(&w, kernel, p, n);
        status = sync_client(&w).status;
    }
    assert_int_equal(status, GPU_LAUNCH_TIMEOUT);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_int_equal(fault.kind, FAULT_BUDGET);
    /* Nothing more is done for it, whatever the limit is now. */
    atomic_store(&gpu_work(w.gpu)->limit, UINT64_MAX);
    assert_int_equal(sync_client(&w).status, GPU_LAUNCH_TIMEOUT);
    *used = atomic_load(&gpu_work(w.gpu)->used);
    free(values);
    world_end(&w);
    return done;
}

static void
test_work_limit(void **state)
{
    uint64_t used, again, copied;
    struct world w;
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
    world_start(&w, 0);
    p = device_alloc(&w, sizeof bytes);
    used = atomic_load(&gpu_work(w.gpu)->used);
    assert_int_equal(device_write(&w, p, bytes, sizeof bytes).status, GPU_SUCCESS);
    copied = atomic_load(&gpu_work(w.gpu)->used) - used;
    assert_int_equal(copied, WORK_REQUEST + sizeof bytes / WORK_BYTES);
    used = atomic_load(&gpu_work(w.gpu)->used);
    (void)load_kernel(&w, "twice");
    assert_true(atomic_load(&gpu_work(w.gpu)->used) - used >= WORK_PTX_BYTE * sizeof ptx);
    world_end(&w);
}

static void
test_drop_frees_everything(void **state)
{
    struct world w, other;
    struct gpu_reply reply;
    struct fault fault;
    uint64_t p, used;
    uint32_t spin;

    (void)state;
    world_start(&w, 1 << 20);
    p = device_alloc(&w, 1 << 20);
    spin = load_kernel(&w, "spin");
    used = work_used(&w);
    launch(&w, spin, NULL, 0, 1);
    await_kernel(&w, used);
    assert_int_equal(gpu_drop_client(w.gpu, w.client), 0); /* ends the launch, too */
    assert_int_equal(gpu_drop_client(w.gpu, w.client), -1);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), -1);
    assert_ended(&w);
    other = w;
    other.fd = gpu_new_client(w.gpu, &other.client);
    assert_true(other.fd >= 0);
    reply = ask(&other, &(struct gpu_request){.op = GPU_USAGE}, NULL, NULL);
    assert_int_equal(reply.value[0], 1 << 20);
    assert_int_equal(device_read(&other, &p, p, 8).status, GPU_INVALID_VALUE);
    close(other.fd);
    world_end(&w);
}

/* A process that does not answer, or is not there, is an error and not a wait. */
static void
test_dead_process(void **state)
{
    struct counters counters;
    struct world w;
    int status;

    (void)state;
    world_start(&w, 0);
    kill(w.pid, SIGKILL);
    waitpid(w.pid, &status, 0);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), -1);
    assert_int_equal(gpu_new_client(w.gpu, &w.client), -1);
    assert_int_equal(gpu_interrupt(w.gpu), -1);
    assert_ended(&w);
    close(w.fd);
    gpu_close(w.gpu);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_variable),
        cmocka_unit_test(test_sticky_fault),
        cmocka_unit_test(test_bad_addresses),
        cmocka_unit_test(test_bad_handles),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_hostile_messages),
        cmocka_unit_test(test_stalled_clients),
        cmocka_unit_test(test_damaged_modules),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_interrupt_of_nothing),
        cmocka_unit_test(test_work_limit),
        cmocka_unit_test(test_drop_frees_everything),
        cmocka_unit_test(test_dead_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
