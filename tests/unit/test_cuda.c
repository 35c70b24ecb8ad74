// links: arbiter device_without_driver gpu_owner sandbox common
/* The kind "cuda" on a driver that stands in for libcuda (cuda_stand_in.h). */
#include "cuda_stand_in.h"

#include "arbiter/calling/call_set.h"
#include "arbiter/judging/stock.h"
#include "device/device.h"
#include "device/libcuda.h"
#include "emulator/exec/exec.h"
#include "numbers/dtype.h"
#include "runner/protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the tests ------------------------------------------------------------- */

static const struct gen uniform = {
    .kind = GEN_UNIFORM, .dtype = DTYPE_F32, .stream = 1, .a = -10, .b = 10};
static const struct compare_rule exact = {.dtype = DTYPE_F32, .exact = 1};

static struct device *
open_pair(const char *first, const char *second)
{
    const struct device_options o = {.gpus = 2, .partner = second};
    struct report r = {0};
    struct device *d = device_open(first, &o, &r);

    if (d == NULL)
        fail_msg("%s", r.text);
    return d;
}

static struct device_buffer *
new_on(struct device *d, int gpu, uint64_t bytes, bool shareable)
{
    struct report r = {0};
    struct device_buffer *b = NULL;

    if (device_alloc_on(d, gpu, bytes, shareable, &b, &r) != 0)
        fail_msg("%s", r.text);
    return b;
}

/* After each test: all that was made is gone, on both gpus. */
static int
nothing_left(void **state)
{
    bool left = false;

    (void)state;
    for (int i = 0; i < GPUS; i++)
        left = left || gpus[i].context.references != 0 || gpus[i].taken != 0 ||
               gpus[i].streams != 0 || gpus[i].modules != 0 || gpus[i].hosts != 0;
    memset(gpus, 0, sizeof gpus);
    memset(pieces, 0, sizeof pieces);
    current = -1;
    stale_byte = 0;
    return left ? -1 : 0;
}

/* Calls go to one GPU while the other's context is the current one. */
#define AFTER_THE_OTHER(gpu, call)                                                       \
    do {                                                                                 \
        assert_int_equal(device_zero(d, spare[1 - (gpu)], NULL), 0);                     \
        assert_int_equal(call, 0);                                                       \
    } while (0)

static void
each_buffer_is_on_its_gpu(void **state)
{
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct device_buffer *spare[2], *b[2], *copy[2];
    struct compare_result result;
    float want[1000], got[1000];
    double ns;

    (void)state;
    for (int gpu = 0; gpu < 2; gpu++)
        spare[gpu] = new_on(d, gpu, 16, false);
    for (int gpu = 0; gpu < 2; gpu++) {
        AFTER_THE_OTHER(gpu, device_alloc_on(d, gpu, sizeof want, true, &b[gpu], NULL));
        AFTER_THE_OTHER(gpu,
                        device_alloc_on(d, gpu, sizeof want, false, &copy[gpu], NULL));
    }
    assert_true(gpus[0].taken > GRANULARITY && gpus[1].taken > GRANULARITY);
    for (int gpu = 0; gpu < 2; gpu++) {
        const uint64_t seed = 7 + (uint64_t)gpu;

        gen_fill(&uniform, seed, 0, 1000, want);
        AFTER_THE_OTHER(gpu, device_poison(d, b[gpu], 1, NULL));
        AFTER_THE_OTHER(gpu, device_fill(d, b[gpu], &uniform, seed, 1000, NULL));
        AFTER_THE_OTHER(gpu, device_copy(d, copy[gpu], b[gpu], NULL));
        AFTER_THE_OTHER(gpu, device_read(d, copy[gpu], 0, sizeof got, got, NULL));
        assert_memory_equal(got, want, sizeof want);
        AFTER_THE_OTHER(gpu, device_copy_queue(d, copy[gpu], b[gpu], NULL));
        AFTER_THE_OTHER(gpu, device_wait(d, &ns, NULL));
        assert_float_equal(ns, COPIES_NS, 0);
        AFTER_THE_OTHER(gpu, device_wait(d, &ns, NULL));
        assert_float_equal(ns, 0, 0); /* none was queued */
        got[3] += 1;
        AFTER_THE_OTHER(gpu, device_write(d, b[gpu], 0, sizeof got, got, NULL));
        AFTER_THE_OTHER(
            gpu, device_compare(d, b[gpu], copy[gpu], 1000, &exact, &result, NULL));
        assert_int_equal(result.wrong, 1);
        assert_int_equal(result.first, 3);
    }
    device_free(d, copy[1]);
    device_free(d, b[0]);
    device_close(d); /* with two buffers left on each */
}

static void
gpus_do_not_mix(void **state)
{
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct device_buffer *a = new_on(d, 0, 400, false), *b = new_on(d, 1, 400, false);
    struct compare_result result;
    struct report r = {0};

    (void)state;
    assert_int_equal(device_copy(d, a, b, &r), -1);
    assert_string_equal(r.text, "a buffer of one device cannot be copied to another's");
    r = (struct report){0};
    assert_int_equal(device_copy_queue(d, a, b, &r), -1);
    assert_string_equal(r.text, "a buffer of one device cannot be copied to another's");
    r = (struct report){0};
    assert_int_equal(device_compare(d, a, b, 100, &exact, &result, &r), -1);
    assert_string_equal(r.text, "buffers of two devices cannot be compared");
    device_close(d);
}

static void
flush_and_hold_are_of_both(void **state)
{
    struct device *d = open_pair("cuda:1", "cuda:0");

    (void)state;
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(device_flush(d, NULL), 0);
        assert_int_equal(device_hold(d, 1000, NULL), 0);
        assert_int_equal(device_let_go(d, NULL), 0);
        for (int gpu = 0; gpu < GPUS; gpu++) {
            assert_int_equal(gpus[gpu].launches[FLUSH], i);
            assert_int_equal(gpus[gpu].launches[HOLD], i);
            assert_int_equal(gpus[gpu].resets, i);
            assert_int_equal(gpus[gpu].forbids, i + 1); /* one of opening it */
        }
    }
    device_close(d);
}

/* From the first hold, which is let go when all is queued, to the second, which is let go
 * by name, nothing is waited for. */
static void
what_goes_before_a_timed_call_is_queued(void **state)
{
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct device_buffer *a[2], *b[2];
    float want[100], got[100];

    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        a[gpu] = new_on(d, gpu, sizeof want, false);
        b[gpu] = new_on(d, gpu, sizeof want, true);
    }
    for (int i = 0; i < 3; i++) {
        for (int gpu = 0; gpu < GPUS; gpu++)
            gpus[gpu].waits = 0;
        assert_int_equal(device_queue(d, NULL), 0);
        for (int gpu = 0; gpu < 2; gpu++) {
            assert_int_equal(device_fill(d, a[gpu], &uniform, 3, 100, NULL), 0);
            assert_int_equal(device_poison(d, b[gpu], 1, NULL), 0);
            assert_int_equal(device_zero(d, b[gpu], NULL), 0);
            assert_int_equal(device_copy(d, b[gpu], a[gpu], NULL), 0);
        }
        assert_int_equal(device_flush(d, NULL), 0);
        assert_int_equal(device_hold(d, 1000, NULL), 0);
        for (int gpu = 0; gpu < GPUS; gpu++) {
            assert_int_equal(gpus[gpu].waits, 0);
            assert_int_equal(gpus[gpu].launches[HOLD], 2 * i + 2);
            assert_int_equal(gpus[gpu].opened, 2 * i); /* neither of these two */
            assert_int_equal(gpus[gpu].resets, i + 1);
        }
        assert_int_equal(device_let_go(d, NULL), 0);
    }
    gen_fill(&uniform, 3, 0, 100, want);
    assert_int_equal(device_read(d, b[1], 0, sizeof got, got, NULL), 0);
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(device_zero(d, b[0], NULL), 0); /* waited for, as before */
    assert_int_equal(gpus[0].waits, 1);
    device_close(d);
}

static void
what_a_runner_sees(void **state)
{
    struct device *d = open_pair("cuda:1", "cuda:0");
    struct device_buffer *b[2] = {new_on(d, 0, 400, true), new_on(d, 1, 400, true)};
    struct device_runner runner;
    struct device_share share;
    const struct device_options one = {.gpus = 1};

    (void)state;
    assert_int_equal(device_runner(d, &runner, NULL), 0);
    assert_string_equal(runner.env[0], "CUDA_VISIBLE_DEVICES=GPU-1,GPU-0");
    assert_null(runner.env[1]);
    assert_non_null(runner.gpu);
    for (int gpu = 0; gpu < 2; gpu++) {
        assert_int_equal(device_share(d, b[gpu], &share, NULL), 0);
        assert_int_equal(share.gpu, gpu);
        assert_int_equal(share.memory, RUNNER_MEMORY_CUDA);
        assert_int_equal(share.bytes, GRANULARITY);
        close(share.fd);
    }
    device_close(d);
    d = device_open("cuda:1", &one, NULL);
    assert_int_equal(device_runner(d, &runner, NULL), 0);
    assert_string_equal(runner.env[0], "CUDA_VISIBLE_DEVICES=GPU-1");
    device_close(d);
}

/* It is ended; what waited fails and says why, and what comes then goes on. */
static void
a_keeper_of_a_gpu_is_ended(void **state)
{
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct device_buffer *b = new_on(d, 1, 400, false);
    const pid_t pid = fork();
    struct report r = {0};
    struct fault f;
    int status;

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0)
        for (;;)
            (void)pause();
    keeps_gpu = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_int_equal(device_set_keeper(d, keeps_gpu, 2000, &r), 0);
    assert_int_equal(device_fault(d, &f, &r), 0);
    assert_int_equal(device_zero(d, b, &r), -1);
    assert_non_null(strstr(r.text, "kept the GPU"));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(device_fault(d, &f, &r), 1);
    assert_int_equal(f.kind, FAULT_INTERRUPTED);
    assert_false(device_reset(d));
    assert_int_equal(device_zero(d, b, &r), 0);
    assert_int_equal(device_set_keeper(d, -1, 200, &r), 0);
    assert_int_equal(device_zero(d, b, &r), 0);
    close(keeps_gpu);
    keeps_gpu = -1;
    device_free(d, b);
    device_close(d);
}

static struct device *
open_one(const char *name)
{
    const struct device_options o = {.gpus = 1};
    struct report r = {0};
    struct device *d = device_open(name, &o, &r);

    if (d == NULL)
        fail_msg("%s", r.text);
    return d;
}

/* Is every byte of the buffer this one? */
static bool
is_all(struct device *d, const struct device_buffer *b, uint64_t bytes, char byte)
{
    char *is = calloc(1, bytes), *wanted = malloc(bytes);
    bool same;

    assert_non_null(is);
    assert_non_null(wanted);
    memset(wanted, byte, bytes);
    assert_int_equal(device_read(d, b, 0, bytes, is, NULL), 0);
    same = memcmp(is, wanted, bytes) == 0;
    free(is);
    free(wanted);
    return same;
}

/* A buffer may become one of another size where a new one would take as much memory. */
static void
buffers_are_resized_in_their_memory(void **state)
{
    struct device *d = open_one("cuda:0");
    struct device_buffer *b = new_on(d, 0, 400, true),
                         *private = new_on(d, 0, 400, false);
    const uint64_t taken = gpus[0].taken;

    (void)state;
    assert_false(device_resize(b, 0));
    assert_false(device_resize(b, GRANULARITY + 1));
    assert_int_equal(device_own_bytes(d), 800);
    assert_true(device_resize(b, 400));
    assert_true(device_resize(b, GRANULARITY));
    assert_int_equal(device_own_bytes(d), 400 + GRANULARITY);
    assert_true(device_resize(b, 1));
    assert_false(device_resize(private, 200));
    assert_int_equal(gpus[0].taken, taken);
    device_free(d, b);
    device_free(d, private);
    device_close(d);
}

/* Nothing of what was before is in what is allocated afterwards, not even behind the end
 * of a buffer, as far as a runner maps it. The driver may give what we have freed. */
static void
nothing_survives_a_reset(void **state)
{
    struct device *d = open_one("cuda:0");
    const uint64_t own = gpus[0].taken;
    struct device_buffer *b;

    (void)state;
    stale_byte = 0x5a;
    b = new_on(d, 0, 400, true);
    assert_true(is_all(d, b, 400, 0x5a)); /* before a reset that is the driver's own */
    (void)new_on(d, 0, 400, false);
    assert_int_equal(device_set_keeper(d, 7, 2000, NULL), 0);
    assert_true(device_reset(d));
    assert_int_equal(gpus[0].taken, own);
    assert_int_equal(gpus[0].context.references, 1);
    assert_true(is_all(d, new_on(d, 0, 400, false), 400, 0));
    assert_true(is_all(d, new_on(d, 0, GRANULARITY, true), GRANULARITY, 0));
    b = new_on(d, 0, 400, true);
    for (int i = 0; i < PIECES_MAX; i++)
        if (pieces[i].handle && pieces[i].at != NULL)
            for (size_t k = 0; k < GRANULARITY; k++)
                assert_int_equal(pieces[i].at[k], 0);
    device_free(d, b);
    device_close(d);
}

/* It is kept for the same device alone, and not by an arbiter that ends. */
static void
what_an_arbiter_keeps(void **state)
{
    const struct job first = {.device = (char *)(uintptr_t) "cuda:0"},
                     second = {.device = (char *)(uintptr_t) "cuda:1"},
                     both = {.device = (char *)(uintptr_t) "cuda:0",
                             .partner = (char *)(uintptr_t) "cuda:1"};
    struct stock stock = {0};
    struct device *d = open_one("cuda:0");

    (void)state;
    assert_null(stock_take(&stock, &first));
    stock_keep(&stock, &first, d);
    assert_ptr_equal(stock_take(&stock, &first), d);
    assert_null(stock_take(&stock, &first));
    stock_keep(&stock, &first, d);
    assert_null(stock_take(&stock, &second));
    assert_int_equal(gpus[0].context.references, 0);
    stock_keep(&stock, &first, open_one("cuda:0"));
    assert_null(stock_take(&stock, &both));
    stock_keep(&stock, &both, open_pair("cuda:0", "cuda:1"));
    assert_int_equal(gpus[0].context.references + gpus[1].context.references, 0);
    stock_keep(NULL, &first, open_one("cuda:0"));
    stock.last = true;
    stock_keep(&stock, &first, open_one("cuda:0"));
    assert_int_equal(gpus[0].context.references, 0);
    stock_close(&stock);
}

static void
health_is_of_each(void **state)
{
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct device_buffer *b = new_on(d, 1, GRANULARITY, true);
    struct device_memory before[DEVICE_GPUS_MAX], now[DEVICE_GPUS_MAX],
        asked[DEVICE_GPUS_MAX];
    int launches;

    (void)state;
    assert_int_equal(device_health(d, before, NULL), 0);
    assert_int_equal(before[0].own_bytes, 0);
    assert_int_equal(before[1].own_bytes, GRANULARITY);
    /* Somebody takes memory of the second. */
    gpus[1].taken += GIB;
    assert_int_equal(device_health(d, now, NULL), 0);
    assert_int_equal(now[0].free_bytes, before[0].free_bytes);
    assert_int_equal(now[1].free_bytes, before[1].free_bytes - GIB);
    /* To ask is no work for the gpus. */
    launches = gpus[0].launches[POISON] + gpus[1].launches[POISON];
    assert_int_equal(device_memory(d, asked, NULL), 0);
    assert_memory_equal(asked, now, sizeof now);
    assert_int_equal(gpus[0].launches[POISON] + gpus[1].launches[POISON], launches);
    gpus[1].taken -= GIB;
    device_free(d, b);
    device_close(d);
}

static void
who_refused_memory(void **state)
{
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct device_buffer *b;
    struct report r = {0};
    uint64_t taken;
    int gpu;

    (void)state;
    assert_int_equal(device_refused(d, &gpu), 0);
    taken = GPU_BYTES - gpus[1].taken;
    gpus[1].taken = GPU_BYTES;
    (void)new_on(d, 0, GIB, false);
    assert_int_equal(device_alloc_on(d, 1, GIB, true, &b, &r), -1);
    assert_string_equal(r.text, "cuMemCreate: OUT_OF_MEMORY");
    assert_int_equal(device_refused(d, &gpu), GIB);
    assert_int_equal(gpu, 1);
    device_forget_refused(d);
    assert_int_equal(device_refused(d, &gpu), 0);
    gpus[1].taken -= taken;
    device_close(d);
}

static void
rates_are_the_firsts(void **state)
{
    struct device *d = open_pair("cuda:1", "cuda:0");
    struct device_rates rates;

    (void)state;
    (void)new_on(d, 1, 400, false); /* leaves the other context as the current one */
    assert_int_equal(device_rates(d, false, &rates, NULL), 1);
    assert_string_equal(rates.id, "GPU-1");
    assert_true(gpus[1].launches[OTHER] > 0 && gpus[0].launches[OTHER] == 0);
    device_close(d);
}

static void
what_cannot_be_opened(void **state)
{
    static const struct {
        const char *name, *partner, *says;
    } CASES[] = {
        {"cuda:0", NULL, "cuda:0 is one GPU, 2 are needed, and no other is named"},
        {"cuda:0", "cuda:0", "cuda:0 is one GPU, 2 are needed, and no other is named"},
        {"cuda:0", "emu", "cuda:0 is one GPU, 2 are needed, and no other is named"},
        {"cuda:1", "cuda:2",
         "cuda:1: cuda:2: there is no GPU cuda:2: this machine has 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct device_options o = {.gpus = 2, .partner = CASES[i].partner};
        struct report r = {0};

        assert_null(device_open(CASES[i].name, &o, &r));
        assert_string_equal(r.text, CASES[i].says);
    }
}

/* A runner that says nothing, and what it is sent. */
static struct runner_link *
silent_runner(int *other_end)
{
    static const char *const argv[] = {"sleep", "60", NULL}, *const env[] = {NULL};
    const struct sandbox s = {
        .program = "/bin/sleep", .argv = argv, .env = env, .insecure = true};
    struct sandbox_process process;
    struct report r = {0};
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    if (sandbox_start(&s, &process, &r) != 0)
        fail_msg("%s", r.text);
    *other_end = pair[1];
    return runner_link_adopt(pair[0], &process, 200);
}

/* Each parameter's buffer is where the spec wants it, and the runner is told so; the
 * copies of the outputs are on the same gpus. */
static void
a_calls_buffers(void **state)
{
    struct report r = {0};
    struct problem *p = problem_load("problems", "tensor-parallel-matmul", &r);
    struct device *d = open_pair("cuda:0", "cuda:1");
    struct call_set set;
    struct runner_request request;
    struct runner_reply reply;
    enum runner_event event;
    int end;
    struct runner_link *link = silent_runner(&end);

    (void)state;
    assert_non_null(p);
    assert_int_equal(call_set_alloc(&set, d, p, &p->test[2], true, &r), 0);
    assert_int_equal(call_set_alloc_copies(&set, &r), 0);
    assert_int_equal(call_set_fill(&set, 1, &r), 0);
    assert_int_equal(call_set_start_outputs(&set, 2, &r), 0);
    assert_int_equal(call_set_take_outputs(&set, &r), 0);
    for (int i = 0; i < p->param_count; i++) {
        struct compare_result result;

        if (set.copy[i] == NULL)
            continue;
        assert_int_equal(device_compare(d, set.copy[i], set.buffer[i],
                                        set.extent[i].count, &exact, &result, &r),
                         0);
        assert_int_equal(result.wrong, 0);
    }
    assert_int_equal(call_set_arm(&set, link, true, 1, &event, &reply, &r), 0);
    assert_int_equal(event, RUNNER_LATE);
    assert_int_equal(recv(end, &request, sizeof request, 0), sizeof request);
    assert_int_equal(request.op, RUNNER_DETACH);
    for (uint32_t i = 0; i < 6; i++) { /* X0, X1, W0, W1, Y0, Y1 */
        assert_int_equal(recv(end, &request, sizeof request, 0), sizeof request);
        assert_int_equal(request.op, RUNNER_ATTACH);
        assert_int_equal(request.memory, RUNNER_MEMORY_CUDA);
        assert_int_equal(request.device, i % 2);
    }
    close(end);
    runner_link_free(link);
    call_set_free(&set);
    device_close(d);
    problem_free(p);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_buffer_is_on_its_gpu, nothing_left),
        cmocka_unit_test_teardown(gpus_do_not_mix, nothing_left),
        cmocka_unit_test_teardown(flush_and_hold_are_of_both, nothing_left),
        cmocka_unit_test_teardown(what_goes_before_a_timed_call_is_queued, nothing_left),
        cmocka_unit_test_teardown(what_a_runner_sees, nothing_left),
        cmocka_unit_test_teardown(a_keeper_of_a_gpu_is_ended, nothing_left),
        cmocka_unit_test_teardown(buffers_are_resized_in_their_memory, nothing_left),
        cmocka_unit_test_teardown(nothing_survives_a_reset, nothing_left),
        cmocka_unit_test_teardown(what_an_arbiter_keeps, nothing_left),
        cmocka_unit_test_teardown(health_is_of_each, nothing_left),
        cmocka_unit_test_teardown(who_refused_memory, nothing_left),
        cmocka_unit_test_teardown(rates_are_the_firsts, nothing_left),
        cmocka_unit_test_teardown(what_cannot_be_opened, nothing_left),
        cmocka_unit_test_teardown(a_calls_buffers, nothing_left),
    };

    unsetenv("CUDA_VISIBLE_DEVICES");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
