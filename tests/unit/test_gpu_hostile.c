// links: gpu gpu_owner text exec ptx gpu_wire
/* Clients of the emulated GPU that send nonsense, nothing, or damaged modules. They lose
 * their own connection, and nobody else's. */
#include "../fixtures/gpu_wire.h"

#include "emulator/gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sends the request, and nothing of what it announces; the client must be ended and the
 * process must go on serving others. */
static void
assert_ends_client(const struct gpu_request *q)
{
    struct fault fault;
    uint32_t second;
    struct wire w, other;
    int status, fd;

    wire_start(&w, 0);
    wire_put(&w, q, sizeof *q);
    wire_assert_ended(&w);
    assert_int_equal(gpu_fault(w.gpu, w.client, &fault), 0);
    assert_true(fault.kind != FAULT_NONE);
    fd = gpu_new_client(w.gpu, &second);
    assert_true(fd >= 0);
    other = w;
    other.fd = fd;
    wire_alloc(&other, 64);
    close(fd);
    assert_int_equal(waitpid(w.pid, &status, WNOHANG), 0);
    wire_end(&w);
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
    struct wire w, other;
    uint32_t second;
    ssize_t sent;

    (void)state;
    wire_start(&w, 0);
    wire_put(&w, &q, sizeof q / 2);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    other = w;
    other.fd = gpu_new_client(w.gpu, &second);
    assert_true(other.fd >= 0);
    assert_int_equal(wire_sync(&other).status, GPU_SUCCESS);
    wire_put(&w, (const char *)&q + sizeof q / 2, sizeof q - sizeof q / 2);
    do /* replies pile up until both buffers are full */
        sent = send(w.fd, &q, sizeof q, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent > 0);
    assert_int_equal(gpu_counters(w.gpu, w.client, &counters), 0);
    assert_int_equal(wire_sync(&other).status, GPU_SUCCESS);
    assert_int_equal(gpu_drop_client(w.gpu, w.client), 0);
    assert_int_equal(wire_sync(&other).status, GPU_SUCCESS);
    close(other.fd);
    wire_end(&w);
}

static void
test_damaged_modules(void **state)
{
    unsigned char bytes[128] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 112};
    struct gpu_request q = {.op = GPU_MODULE, .bulk_bytes = sizeof bytes};
    uint32_t status;
    struct wire w;

    (void)state;
    wire_start(&w, 0);
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[16] = 2;  /* machine code only */
    bytes[20] = 64; /* header */
    bytes[24] = 48; /* payload */
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_NO_KERNEL_IMAGE);
    bytes[16] = 1;
    bytes[16 + 41] = 0x20; /* LZ4, of which there is none */
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[16 + 41] = 0x80; /* zstd, of which there is none */
    bytes[16 + 16] = 48;
    bytes[16 + 56] = 100;
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[16 + 62] = 1; /* 2^48 bytes when decompressed */
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    bytes[8] = 113; /* longer than what is there */
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_INVALID_KERNEL_IMAGE);
    status = wire_ask(&w, &(struct gpu_request){.op = GPU_MODULE}, NULL, NULL).status;
    assert_int_equal(status, GPU_INVALID_KERNEL_IMAGE);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(wire_ask(&w, &q, NULL, bytes).status, GPU_INVALID_PTX);
    wire_end(&w);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_messages),
        cmocka_unit_test(test_stalled_clients),
        cmocka_unit_test(test_damaged_modules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
