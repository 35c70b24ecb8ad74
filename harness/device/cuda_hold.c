/* Work that is queued on a card without a gap: between two kernels that hold the card,
 * which wait for the host's word. */
#include "device/cuda_impl.h"

#include "core/file.h"

#include <stddef.h>

/* How long a hold waits for the host, which has next to nothing to do meanwhile: to queue
 * some work, to hear that another card has come as far. */
#define HOLD_PATIENCE_NS 20000000u
#define HOLD_LATE_NS UINT64_C(30000000000)

/* Between the kernel that holds the card and us: numbers of holds. */
struct hold_words {
    int32_t begun, let_go;
};

int
cuda_alloc_words(struct cuda *c, struct report *r)
{
    void *words;

    if (check(c, c->cu->host_alloc(&words, sizeof *c->words, CU_HOST_MAPPED),
              "cuMemHostAlloc", r) != 0)
        return -1;
    c->words = words;
    *c->words = (struct hold_words){0};
    return check(c, c->cu->host_address(&c->words_address, words, 0),
                 "cuMemHostGetDevicePointer", r);
}

static int
launch_hold(struct cuda *c, double ns, struct report *r)
{
    uint64_t patience_ns = HOLD_PATIENCE_NS, whole_ns = (uint64_t)ns;
    int32_t number = ++c->holds;
    cu_pointer begun = c->words_address + offsetof(struct hold_words, begun);
    cu_pointer let_go = c->words_address + offsetof(struct hold_words, let_go);
    void *params[] = {&patience_ns, &whole_ns, &number, &begun, &let_go};

    return check(c, c->cu->launch(c->hold, 1, 1, 1, 1, 1, 1, 0, c->stream, params, NULL),
                 "the kernel that holds the card", r);
}

static void
let_go(struct cuda *c, int32_t number)
{
    __atomic_store_n(&c->words->let_go, number, __ATOMIC_RELEASE);
}

/* A hold before all the work as well, so that the first of it is not over before the
 * second has come: a card that has nothing to do for a moment turns to others. */
int
cuda_queue(struct device *d, struct report *r)
{
    struct cuda *c = of(d);

    if (cuda_prepare_flush(c, r) != 0 || launch_hold(c, 0, r) != 0)
        return -1;
    c->queues = true;
    return 0;
}

int
cuda_hold(struct device *d, double ns, struct report *r)
{
    struct cuda *c = of(d);
    const int rc = launch_hold(c, ns, r);

    c->queues = false;
    let_go(c, c->holds - 1);
    return rc;
}

int
cuda_await_hold(struct device *d, struct report *r)
{
    struct cuda *c = of(d);
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
    return wait_stream(c, what, r) != 0
               ? -1
               : report_fail(r, "the kernel that holds the card did not begin");
}

int
cuda_let_go(struct device *d, struct report *r)
{
    struct cuda *c = of(d);

    (void)r;
    let_go(c, c->holds);
    return 0;
}
