/* Queues work on a GPU without a gap, between two kernels that hold the GPU. A hold
 * ends when the host lets it go. */
#include "device/cuda_gpu.h"

#include "base/file.h"

#include <stddef.h>

/* How long a hold waits for the host. The host has little to do meanwhile: it queues
 * some work, or waits until another GPU has come as far. */
#define HOLD_WAIT_NS 20000000u

/* How long the host waits for a hold to begin. A longer wait is a failure. */
#define HOLD_LATE_NS UINT64_C(30000000000)

/* Words that the holding kernel and the host exchange: numbers of holds. */
struct hold_words {
    int32_t begun, let_go;
};

int
cuda_alloc_words(struct cuda *c, struct report *r)
{
    void *words;

    if (cuda_check(c, c->cu->host_alloc(&words, sizeof *c->words, CU_HOST_MAPPED),
                   "cuMemHostAlloc", r) != 0)
        return -1;
    c->words = words;
    *c->words = (struct hold_words){0};
    return cuda_check(c, c->cu->host_address(&c->words_address, words, 0),
                      "cuMemHostGetDevicePointer", r);
}

static int
launch_hold(struct cuda *c, double ns, struct report *r)
{
    uint64_t wait_ns = HOLD_WAIT_NS, whole_ns = (uint64_t)ns;
    int32_t number = ++c->holds;
    cu_pointer begun = c->words_address + offsetof(struct hold_words, begun);
    cu_pointer let_go = c->words_address + offsetof(struct hold_words, let_go);
    void *params[] = {&wait_ns, &whole_ns, &number, &begun, &let_go};

    return cuda_check(
        c, c->cu->launch(c->hold, 1, 1, 1, 1, 1, 1, 0, c->stream, params, NULL),
        "the kernel that holds the GPU", r);
}

static void
hold_let_go(struct cuda *c, int32_t number)
{
    __atomic_store_n(&c->words->let_go, number, __ATOMIC_RELEASE);
}

/* Begins with a hold, so that the first work does not end before the second is queued.
 * A GPU that has nothing to do for a moment turns to other processes. */
int
cuda_queue(struct device *d, struct report *r)
{
    struct cuda *c = cuda_of(d);

    if (cuda_prepare_flush(c, r) != 0 || launch_hold(c, 0, r) != 0)
        return -1;
    c->queues = true;
    return 0;
}

int
cuda_hold(struct device *d, double ns, struct report *r)
{
    struct cuda *c = cuda_of(d);
    const int rc = launch_hold(c, ns, r);

    c->queues = false;
    hold_let_go(c, c->holds - 1);
    return rc;
}

int
cuda_await_hold(struct device *d, struct report *r)
{
    struct cuda *c = cuda_of(d);
    static const char what[] = "what goes before a timed call";
    const uint64_t until_ns = now_ns() + HOLD_LATE_NS;
    bool late = false;

    cuda_begin_wait(c);
    while (!late && __atomic_load_n(&c->words->begun, __ATOMIC_ACQUIRE) != c->holds)
        late = now_ns() > until_ns;
    if (cuda_end_wait(c, 0, what, r) != 0)
        return -1;
    if (!late)
        return 0;
    return cuda_wait_stream(c, what, r) != 0
               ? -1
               : report_fail(r, "the kernel that holds the GPU did not begin");
}

int
cuda_let_go(struct device *d, struct report *r)
{
    struct cuda *c = cuda_of(d);

    (void)r;
    hold_let_go(c, c->holds);
    return 0;
}
