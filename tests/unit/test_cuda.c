// links: arbiter device_without_driver gpu_owner sandbox core
/*
 * The kind "cuda" on a driver that stands in for libcuda: two cards whose memory is the
 * host's and whose kernels are plain C. It fails the test where a call comes while the
 * context of another card is the current one: the driver would answer some of those with
 * an error, and do others on the wrong card.
 */
#include "arbiter/call_set.h"
#include "core/dtype.h"
#include "device/device.h"
#include "device/libcuda.h"
#include "emulator/exec/exec.h"
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

#define CARDS 2
#define GIB ((uint64_t)1 << 30)
#define CARD_BYTES (4 * GIB)
#define L2_BYTES (50 << 20)
#define GRANULARITY ((size_t)2 << 20)
#define OUT_OF_MEMORY 2
#define INVALID_DEVICE 101
#define PIECES_MAX 64
#define COPIES_NS 1e6 /* between any two events */

/* --- the cards ------------------------------------------------------------- */

struct cu_context_s {
    int references;
};

struct cu_stream_s {
    int card;
};

struct cu_module_s {
    int card;
};

struct cu_event_s {
    int card;
};

struct cu_function_s {
    int card;
    const char *name;
};

enum kernel_kind { FILL, POISON, COMPARE, FLUSH, HOLD, OTHER, KERNELS };

static const char *const names[] = {"warpjudge_fill", "warpjudge_poison",
                                    "warpjudge_compare", "warpjudge_flush",
                                    "warpjudge_hold"};

static struct {
    struct cu_context_s context;
    struct cu_stream_s stream;
    struct cu_module_s module;
    struct cu_event_s event;
    struct cu_function_s function[KERNELS];
    uint64_t taken; /* bytes */
    int streams, modules, launches[KERNELS], resets, forbids, waits;
    int hosts;  /* pieces of host memory */
    int opened; /* the last hold that was let go when another was launched */
} cards[CARDS];

/* Memory: what cuMemAlloc gives, and what cuMemCreate does. */
static struct piece {
    char *at; /* NULL: not in use; for a handle only once it is mapped */
    size_t bytes;
    int card;
    bool handle, mapped, accessible;
} pieces[PIECES_MAX];

static int current = -1;

static int
here(void)
{
    assert_in_range(current, 0, CARDS - 1);
    assert_true(cards[current].context.references > 0);
    return current;
}

static struct piece *
piece_at(cu_pointer p)
{
    const char *at = (const char *)(uintptr_t)p;

    for (int i = 0; i < PIECES_MAX; i++)
        if (pieces[i].at != NULL && at >= pieces[i].at &&
            at < pieces[i].at + pieces[i].bytes)
            return &pieces[i];
    fail_msg("%p is no memory of a card", (const void *)at);
    return NULL;
}

/* Of this card's own, and all of it there. */
static void *
memory(cu_pointer p, size_t bytes)
{
    const struct piece *m = piece_at(p);
    char *at = (char *)(uintptr_t)p;

    assert_int_equal(m->card, here());
    assert_true(at + bytes <= m->at + m->bytes);
    assert_true(!m->handle || m->accessible);
    return at;
}

static struct piece *
new_piece(int card, size_t bytes)
{
    for (int i = 0; i < PIECES_MAX; i++) {
        if (pieces[i].bytes != 0)
            continue;
        if (cards[card].taken + bytes > CARD_BYTES)
            return NULL;
        cards[card].taken += bytes;
        pieces[i] = (struct piece){.bytes = bytes, .card = card};
        return &pieces[i];
    }
    fail_msg("too many pieces of memory");
    return NULL;
}

static void
drop_piece(struct piece *m)
{
    cards[m->card].taken -= m->bytes;
    *m = (struct piece){0};
}

/* --- the driver's functions ------------------------------------------------ */

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
    *count = CARDS;
    return CU_OK;
}

static cu_result
cu_device_get(cu_device *device, int ordinal)
{
    *device = ordinal;
    return ordinal < CARDS ? CU_OK : INVALID_DEVICE;
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
    *bytes = CARD_BYTES;
    return CU_OK;
}

static cu_result
cu_memory_free(size_t *available, size_t *total)
{
    *available = CARD_BYTES - cards[here()].taken;
    *total = CARD_BYTES;
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
    cards[device].context.references++;
    *out = &cards[device].context;
    return CU_OK;
}

static cu_result
cu_context_release(cu_device device)
{
    assert_true(cards[device].context.references-- > 0);
    return CU_OK;
}

static cu_result
cu_context_use(cu_context context)
{
    for (int i = 0; i < CARDS; i++)
        if (context == &cards[i].context) {
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
    cards[here()].forbids++;
    return CU_OK;
}

static cu_result
cu_reset_persisting(void)
{
    cards[here()].resets++;
    return CU_OK;
}

static cu_result
cu_module_load(cu_module *out, const void *image)
{
    (void)image;
    *out = &cards[here()].module;
    (*out)->card = current;
    cards[current].modules++;
    return CU_OK;
}

static cu_result
cu_module_unload(cu_module module)
{
    assert_int_equal(module->card, here());
    cards[module->card].modules--;
    return CU_OK;
}

static cu_result
cu_module_function(cu_function *out, cu_module module, const char *name)
{
    int which = 0;

    assert_int_equal(module->card, here());
    while (which < OTHER && strcmp(names[which], name) != 0)
        which++;
    *out = &cards[module->card].function[which];
    **out = (struct cu_function_s){.card = module->card, .name = name};
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
        cards[here()].opened = *(int *)(uintptr_t) * (cu_pointer *)params[4];
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
    const enum kernel_kind which = (enum kernel_kind)(f - cards[f->card].function);

    (void)shared_bytes;
    assert_null(extra);
    assert_true(grid_x * grid_y * grid_z * block_x * block_y * block_z > 0);
    assert_int_equal(f->card, here());
    assert_int_equal(stream->card, f->card);
    cards[f->card].launches[which]++;
    run_kernel(which, params);
    return CU_OK;
}

static cu_result
cu_stream_create(cu_stream *out, unsigned flags)
{
    assert_int_equal(flags, CU_STREAM_NO_DEFAULT_SYNC);
    *out = &cards[here()].stream;
    (*out)->card = current;
    cards[current].streams++;
    return CU_OK;
}

static cu_result
cu_stream_destroy(cu_stream stream)
{
    assert_int_equal(stream->card, here());
    cards[stream->card].streams--;
    return CU_OK;
}

/* A process (its pidfd) that keeps the card while it lives; -1: nobody does. */
static int keeps_card = -1;

static bool
is_over(int pidfd)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};

    return poll(&p, 1, 1) > 0;
}

static cu_result
cu_stream_wait(cu_stream stream)
{
    assert_int_equal(stream->card, here());
    cards[stream->card].waits++;
    while (keeps_card >= 0 && !is_over(keeps_card))
        ;
    return CU_OK;
}

static cu_result
cu_event_create(cu_event *out, unsigned flags)
{
    (void)flags;
    *out = &cards[here()].event;
    (*out)->card = current;
    return CU_OK;
}

static cu_result
cu_event_destroy(cu_event event)
{
    assert_int_equal(event->card, here());
    return CU_OK;
}

static cu_result
cu_event_record(cu_event event, cu_stream stream)
{
    assert_int_equal(event->card, here());
    assert_int_equal(stream->card, here());
    return CU_OK;
}

static cu_result
cu_event_wait(cu_event event)
{
    assert_int_equal(event->card, here());
    return CU_OK;
}

static cu_result
cu_event_elapsed(float *ms, cu_event begin, cu_event end)
{
    assert_ptr_equal(begin, end); /* a card has one here */
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
    *out = (cu_pointer)(uintptr_t)m->at;
    return CU_OK;
}

static cu_result
cu_free(cu_pointer p)
{
    struct piece *m = piece_at(p);

    assert_int_equal(m->card, here());
    assert_false(m->handle);
    free(m->at);
    drop_piece(m);
    return CU_OK;
}

static cu_result
cu_host_alloc(void **out, size_t bytes, unsigned flags)
{
    assert_int_equal(flags, CU_HOST_MAPPED);
    cards[here()].hosts++;
    *out = calloc(1, bytes);
    return CU_OK;
}

static cu_result
cu_host_free(void *p)
{
    cards[here()].hosts--;
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
    assert_int_equal(stream->card, here());
    memcpy(memory(to, bytes), from, bytes);
    return CU_OK;
}

static cu_result
cu_copy_out(void *to, cu_pointer from, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->card, here());
    memcpy(to, memory(from, bytes), bytes);
    return CU_OK;
}

static cu_result
cu_copy(cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->card, here());
    memmove(memory(to, bytes), memory(from, bytes), bytes);
    return CU_OK;
}

static cu_result
cu_set8(cu_pointer p, unsigned char value, size_t bytes, cu_stream stream)
{
    assert_int_equal(stream->card, here());
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
    assert_true(alignment == 0 && hint == 0 && flags == 0);
    *out = (cu_pointer)(uintptr_t)calloc(1, bytes);
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
    assert_int_equal(access->location.id, m->card);
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
libcuda_card_id(const struct libcuda *cu, cu_device device, char out[64],
                struct report *r)
{
    unsigned char uuid[16];

    (void)r;
    (void)cu->device_uuid(uuid, device);
    snprintf(out, 64, "GPU-%d", uuid[0]);
    return 0;
}

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

/* After each test: all that was made is gone, on both cards. */
static int
nothing_left(void **state)
{
    bool left = false;

    (void)state;
    for (int i = 0; i < CARDS; i++)
        left = left || cards[i].context.references != 0 || cards[i].taken != 0 ||
               cards[i].streams != 0 || cards[i].modules != 0 || cards[i].hosts != 0;
    memset(cards, 0, sizeof cards);
    memset(pieces, 0, sizeof pieces);
    current = -1;
    return left ? -1 : 0;
}

/* What is called on one card while the other's context is the current one. */
#define AFTER_THE_OTHER(gpu, call)                                                       \
    do {                                                                                 \
        assert_int_equal(device_zero(d, spare[1 - (gpu)], NULL), 0);                     \
        assert_int_equal(call, 0);                                                       \
    } while (0)

static void
each_buffer_is_on_its_card(void **state)
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
    assert_true(cards[0].taken > GRANULARITY && cards[1].taken > GRANULARITY);
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
cards_do_not_mix(void **state)
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
        for (int card = 0; card < CARDS; card++) {
            assert_int_equal(cards[card].launches[FLUSH], i);
            assert_int_equal(cards[card].launches[HOLD], i);
            assert_int_equal(cards[card].resets, i);
            assert_int_equal(cards[card].forbids, i + 1); /* one of opening it */
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
        for (int card = 0; card < CARDS; card++)
            cards[card].waits = 0;
        assert_int_equal(device_queue(d, NULL), 0);
        for (int gpu = 0; gpu < 2; gpu++) {
            assert_int_equal(device_fill(d, a[gpu], &uniform, 3, 100, NULL), 0);
            assert_int_equal(device_poison(d, b[gpu], 1, NULL), 0);
            assert_int_equal(device_zero(d, b[gpu], NULL), 0);
            assert_int_equal(device_copy(d, b[gpu], a[gpu], NULL), 0);
        }
        assert_int_equal(device_flush(d, NULL), 0);
        assert_int_equal(device_hold(d, 1000, NULL), 0);
        for (int card = 0; card < CARDS; card++) {
            assert_int_equal(cards[card].waits, 0);
            assert_int_equal(cards[card].launches[HOLD], 2 * i + 2);
            assert_int_equal(cards[card].opened, 2 * i); /* neither of these two */
            assert_int_equal(cards[card].resets, i + 1);
        }
        assert_int_equal(device_let_go(d, NULL), 0);
    }
    gen_fill(&uniform, 3, 0, 100, want);
    assert_int_equal(device_read(d, b[1], 0, sizeof got, got, NULL), 0);
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(device_zero(d, b[0], NULL), 0); /* waited for, as before */
    assert_int_equal(cards[0].waits, 1);
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
who_keeps_a_card_is_ended(void **state)
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
    keeps_card = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_int_equal(device_set_keeper(d, keeps_card, 200, &r), 0);
    assert_int_equal(device_fault(d, &f, &r), 0);
    assert_int_equal(device_zero(d, b, &r), -1);
    assert_non_null(strstr(r.text, "kept the card"));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(device_fault(d, &f, &r), 1);
    assert_int_equal(f.kind, FAULT_INTERRUPTED);
    assert_int_equal(device_zero(d, b, &r), 0);
    assert_int_equal(device_set_keeper(d, -1, 200, &r), 0);
    assert_int_equal(device_zero(d, b, &r), 0);
    close(keeps_card);
    keeps_card = -1;
    device_free(d, b);
    device_close(d);
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
    cards[1].taken += GIB;
    assert_int_equal(device_health(d, now, NULL), 0);
    assert_int_equal(now[0].free_bytes, before[0].free_bytes);
    assert_int_equal(now[1].free_bytes, before[1].free_bytes - GIB);
    /* To ask is no work for the cards. */
    launches = cards[0].launches[POISON] + cards[1].launches[POISON];
    assert_int_equal(device_memory(d, asked, NULL), 0);
    assert_memory_equal(asked, now, sizeof now);
    assert_int_equal(cards[0].launches[POISON] + cards[1].launches[POISON], launches);
    cards[1].taken -= GIB;
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
    taken = CARD_BYTES - cards[1].taken;
    cards[1].taken = CARD_BYTES;
    (void)new_on(d, 0, GIB, false);
    assert_int_equal(device_alloc_on(d, 1, GIB, true, &b, &r), -1);
    assert_string_equal(r.text, "cuMemCreate: OUT_OF_MEMORY");
    assert_int_equal(device_refused(d, &gpu), GIB);
    assert_int_equal(gpu, 1);
    cards[1].taken -= taken;
    device_close(d);
}

static void
rates_are_the_firsts(void **state)
{
    struct device *d = open_pair("cuda:1", "cuda:0");
    struct device_rates rates;

    (void)state;
    (void)new_on(d, 1, 400, false); /* leaves the other context as the current one */
    assert_int_equal(device_rates(d, &rates, NULL), 1);
    assert_string_equal(rates.id, "GPU-1");
    assert_true(cards[1].launches[OTHER] > 0 && cards[0].launches[OTHER] == 0);
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
 * copies of the outputs are on the same cards. */
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
        cmocka_unit_test_teardown(each_buffer_is_on_its_card, nothing_left),
        cmocka_unit_test_teardown(cards_do_not_mix, nothing_left),
        cmocka_unit_test_teardown(flush_and_hold_are_of_both, nothing_left),
        cmocka_unit_test_teardown(what_goes_before_a_timed_call_is_queued, nothing_left),
        cmocka_unit_test_teardown(what_a_runner_sees, nothing_left),
        cmocka_unit_test_teardown(who_keeps_a_card_is_ended, nothing_left),
        cmocka_unit_test_teardown(health_is_of_each, nothing_left),
        cmocka_unit_test_teardown(who_refused_memory, nothing_left),
        cmocka_unit_test_teardown(rates_are_the_firsts, nothing_left),
        cmocka_unit_test_teardown(what_cannot_be_opened, nothing_left),
        cmocka_unit_test_teardown(a_calls_buffers, nothing_left),
    };

    unsetenv("CUDA_VISIBLE_DEVICES");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
