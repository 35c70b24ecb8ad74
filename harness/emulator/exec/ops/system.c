/*
 * What a kernel asks of the system: clocks, fences, and the functions that nvcc declares
 * extern, which are vprintf, __assertfail, malloc and free.
 */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../machine.h"
#include "../race/race.h"
#include "../warp_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- clocks (10.1.13 to .19) ---------------------------------------------- */

/* A clock counts 4 for each instruction of the warp, and adds 0 to 3 for the jitter of a
 * real clock. Programs that wait for a round number of clocks expect to wait a little
 * longer. It is the same in every run, and never goes back. */
static const struct insn *
op_clock(struct warp *w, const struct insn *in)
{
    uint64_t issued = w->clock_base + w->clock;
    uint64_t jitter = (issued + w->worker->run->number) * 0x9E3779B97F4A7C15u >> 62;
    uint64_t clock = issued * 4 + jitter, v;

    w->clock++; /* two readings differ */
    switch ((enum ptx_sreg)in->x) {
    case PTX_SREG_clock_hi:
        v = clock >> 32;
        break;
    case PTX_SREG_globaltimer:
    case PTX_SREG_globaltimer_lo:
        v = (uint64_t)w->worker->run->number * 1000000 + clock;
        break;
    case PTX_SREG_globaltimer_hi:
        v = ((uint64_t)w->worker->run->number * 1000000 + clock) >> 32;
        break;
    default:
        v = clock;
        break;
    }
    w->spinning = true; /* loops that read clocks wait for something */
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        uint8_t *to = w->regs + in->d + (unsigned)__builtin_ctz(m) * in->y;

        if (in->y == 8)
            memcpy(to, &v, 8);
        else
            memcpy(to, &v, 4);
    }
    return in + 1;
}

int
decode_clock(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    uint32_t bytes = ptx_type_bytes(type_read(d, in, 0)), vector;
    struct insn *out;

    if (in->operand_count != 2 || o[1].kind != PTX_OPERAND_SREG ||
        o[1].sreg < PTX_SREG_clock || o[1].sreg > PTX_SREG_globaltimer_hi ||
        (bytes != 4 && bytes != 8))
        return -1;
    operand_read(d, &o[1], OPERAND_VALUE);
    vector = destination(d, &o[0], bytes);
    if (vector == UINT32_MAX)
        return -1;
    out = emit(d, op_clock);
    out->d = vector;
    out->x = (uint32_t)o[1].sreg;
    out->y = bytes;
    return 0;
}

static const struct insn *
op_activemask(struct warp *w, const struct insn *in)
{
    uint32_t *d = (uint32_t *)(void *)(w->regs + in->d);

    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        d[__builtin_ctz(m)] = w->mask;
    return in + 1;
}

static const struct insn *
op_pause(struct warp *w, const struct insn *in)
{
    w->spinning = true;
    w->clock += 8;
    return in + 1;
}

/* --- fences (9.7.13.4) --------------------------------------------------- */

static const struct insn *
op_fence(struct warp *w, const struct insn *in)
{
    if (w->block->race != NULL)
        race_fence(w);
    atomic_thread_fence(memory_order_seq_cst);
    return in + 1;
}

int
decode_fence(struct decoder *d, const struct ptx_insn *in)
{
    hints_read(d, in, 0, in->operand_count);
    emit(d, op_fence);
    return 0;
}

int
decode_system(struct decoder *d, const struct ptx_insn *in)
{
    struct insn *out;
    uint32_t vector;

    switch (in->op) {
    case PTX_OP_activemask:
        vector = in->operand_count == 1 && type_read(d, in, 0) == PTX_b32
                     ? destination(d, &in->operands[0], 4)
                     : UINT32_MAX;
        if (vector == UINT32_MAX)
            return -1;
        out = emit(d, op_activemask);
        out->d = vector;
        return 0;
    case PTX_OP_membar:
    case PTX_OP_fence:
        return decode_fence(d, in);
    case PTX_OP_nanosleep:
        if (type_read(d, in, 0) != PTX_u32)
            return -1;
        hints_read(d, in, 0, 1);
        emit(d, op_pause);
        return 0;
    default:
        return -1;
    }
}

/* --- bytes of a lane, wherever they are ---------------------------------- */

/* Reads a C string of at most size - 1 characters at a generic address. */
static void
read_text(struct warp *w, unsigned lane, uint64_t address, char *out, size_t size)
{
    size_t n = 0;

    for (; n + 1 < size; n++, address++) {
        uint8_t c = 0;

        if (address - LOCAL_WINDOW < w->local_bytes) {
            c = *local_at(w, lane, address - LOCAL_WINDOW);
        } else if (address - SHARED_WINDOW < w->block->shared_bytes) {
            c = w->block->shared[address - SHARED_WINDOW];
        } else {
            const uint8_t *host = memory_host(w->worker->machine, address, 1);

            c = host != NULL ? *host : 0;
        }
        if (c == '\0')
            break;
        out[n] = (char)c;
    }
    out[n] = '\0';
}

/* Reads bytes of the argument block of vprintf; they are 0 outside of local memory. */
static uint64_t
read_argument(const struct warp *w, unsigned lane, uint64_t address, unsigned bytes)
{
    uint64_t v = 0;

    address -= LOCAL_WINDOW;
    if (address < w->local_bytes && bytes <= w->local_bytes - address)
        for (unsigned i = 0; i < bytes; i++)
            v |= (uint64_t)*local_at(w, lane, address + i) << (8 * i);
    return v;
}

/* The value of argument i of a call: its .param variable in the frame. */
static uint64_t
call_argument(const struct warp *w, const struct extra *e, unsigned i, unsigned lane)
{
    uint64_t v = 0;

    for (unsigned k = 0; k < e->widths[i]; k++)
        v |= (uint64_t)*local_at(w, lane, w->frame->local_base + e->vectors[i] + k)
             << (8 * k);
    return v;
}

static void
call_result(const struct warp *w, const struct extra *e, unsigned lane, uint64_t v)
{
    uint32_t vector = e->vectors[e->count];

    if (vector == UINT32_MAX)
        return;
    for (unsigned k = 0; k < e->widths[e->count] && k < 8; k++)
        *local_at(w, lane, w->frame->local_base + vector + k) = (uint8_t)(v >> (8 * k));
}

/* --- printf ------------------------------------------------------------ */

enum {
    MAX_OUTPUT = 16 << 20,
    MAX_FORMAT = 4096,
    HEAP_MAX = 1 << 18, /* live allocations: about what CUDA's heap of 8 MB holds */
    CALL_COST = 16,     /* instructions that a lane's printf or malloc counts as */
};

static void
print_bytes(struct machine *m, const char *text, size_t len)
{
    if (len == 0 || m->output_len + len > MAX_OUTPUT)
        return; /* the GPU's buffer is smaller still and drops what doesn't fit */
    if (m->output_len + len > m->output_max) {
        size_t max = m->output_max != 0 ? m->output_max : 4096;
        char *output;

        while (max < m->output_len + len)
            max *= 2;
        output = realloc(m->output, max);
        if (output == NULL)
            return;
        m->output = output;
        m->output_max = max;
    }
    memcpy(m->output + m->output_len, text, len);
    m->output_len += len;
}

struct printer {
    struct warp *w;
    unsigned lane;
    uint64_t at; /* of the next argument */
};

static uint64_t
next_argument(struct printer *p, unsigned bytes)
{
    uint64_t v;

    p->at = (p->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    v = read_argument(p->w, p->lane, p->at, bytes);
    p->at += bytes;
    return v;
}

/* Prints one conversion with the flags, width and precision that precede it. The format
 * given to snprintf is put together here from checked parts. */
static void
print_conversion(struct printer *p, const char *flags, char conversion, bool is_long)
{
    char format[80], out[1200], text[1024];
    int n = 0;
    double d;
    uint64_t v;

    switch (conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        v = next_argument(p, is_long ? 8 : 4);
        if (!is_long)
            v = conversion == 'd' || conversion == 'i' ? (uint64_t)(int64_t)(int32_t)v
                                                       : v;
        snprintf(format, sizeof format, "%%%sll%c", flags, conversion);
        break;
    case 'c':
        v = next_argument(p, 4);
        snprintf(format, sizeof format, "%%%sc", flags);
        break;
    case 'p':
        v = next_argument(p, 8);
        snprintf(format, sizeof format, "%%%sp", flags);
        break;
    case 's':
        v = next_argument(p, 8);
        read_text(p->w, p->lane, v, text, sizeof text);
        snprintf(format, sizeof format, "%%%ss", flags);
        break;
    default:
        v = next_argument(p, 8);
        snprintf(format, sizeof format, "%%%s%c", flags, conversion);
        break;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr("diuxXo", conversion) != NULL) {
        n = snprintf(out, sizeof out, format, (long long)v);
    } else if (conversion == 'c') {
        n = snprintf(out, sizeof out, format, (int)v);
    } else if (conversion == 'p') {
        n = snprintf(out, sizeof out, format, (void *)(uintptr_t)v);
    } else if (conversion == 's') {
        n = snprintf(out, sizeof out, format, text);
    } else {
        memcpy(&d, &v, sizeof d);
        n = snprintf(out, sizeof out, format, d);
    }
#pragma GCC diagnostic pop
    if (n > 0)
        print_bytes(p->w->worker->machine, out,
                    (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
}

/* Prints what one % of a format asks for; returns the rest of the format. */
static const char *
print_directive(struct printer *p, const char *f)
{
    char flags[48];
    size_t n = 0, digits = 0;
    bool is_long = false;
    const char *start = f++;

    while (*f != '\0' && strchr("-+ #0123456789.*", *f) != NULL &&
           n + 14 < sizeof flags) {
        digits = *f >= '0' && *f <= '9' ? digits + 1 : 0;
        if (*f == '*')
            n += (size_t)snprintf(flags + n, sizeof flags - n, "%d",
                                  (int)(next_argument(p, 4) % 1000));
        else if (digits <= 4) /* nobody waits for a width of 10^9 */
            flags[n++] = *f;
        f++;
    }
    flags[n] = '\0';
    for (; *f == 'l' || *f == 'h' || *f == 'z' || *f == 'j' || *f == 't'; f++)
        is_long |= *f != 'h';
    if (*f != '\0' && strchr("diuxXocpsfFeEgGaA", *f) != NULL) {
        print_conversion(p, flags, *f, is_long);
        return f + 1;
    }
    if (*f == '%') {
        print_bytes(p->w->worker->machine, "%", 1);
        return f + 1;
    }
    print_bytes(p->w->worker->machine, start, (size_t)(f - start));
    return f;
}

/* Counts more instructions for each lane's call, which costs the host far more than one.
 * So the budget of a launch bounds calls, too. */
static void
charge_calls(struct warp *w)
{
    w->clock += CALL_COST * lane_count(w->mask);
}

static const struct insn *
op_printf(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    char format[MAX_FORMAT];

    charge_calls(w);
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct printer p = {w, lane, call_argument(w, e, 1, lane)};
        const char *f = format;

        read_text(w, lane, call_argument(w, e, 0, lane), format, sizeof format);
        while (*f != '\0') {
            size_t plain = strcspn(f, "%");

            print_bytes(w->worker->machine, f, plain);
            f += plain;
            if (*f == '%')
                f = print_directive(&p, f);
        }
        call_result(w, e, lane, 0);
    }
    return in + 1;
}

/* --- assert, malloc, free ------------------------------------------------ */

enum { ASSERT_LINE = 1024, ASSERT_TEXT = 256 };

/* The line that a GPU prints for one thread. */
static int
assert_line(struct warp *w, const struct extra *e, unsigned lane, char *out, size_t size)
{
    char message[ASSERT_TEXT], file[ASSERT_TEXT], function[ASSERT_TEXT];
    const struct block *b = w->block;
    const uint32_t *dim = b->worker->run->launch->block;
    uint32_t thread = w->index * LANES + lane;

    read_text(w, lane, call_argument(w, e, 0, lane), message, sizeof message);
    read_text(w, lane, call_argument(w, e, 1, lane), file, sizeof file);
    read_text(w, lane, call_argument(w, e, 3, lane), function, sizeof function);
    return snprintf(
        out, size,
        "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
        (uint32_t)call_argument(w, e, 2, lane), function, b->id[0], b->id[1], b->id[2],
        thread % dim[0], thread / dim[0] % dim[1], thread / dim[0] / dim[1], message);
}

/* __assertfail(message, file, line, function, bytes of a character). The first warp in
 * which it fails ends the block. Of several blocks the lowest is reported. */
static const struct insn *
op_assertfail(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    struct worker *wk = w->worker;
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    char message[120], function[80];

    if (wk->asserted == NULL)
        wk->asserted = malloc(LANES * ASSERT_LINE);
    wk->asserted_bytes = 0;
    for (uint32_t m = wk->asserted != NULL ? w->mask : 0; m != 0; m &= m - 1)
        wk->asserted_bytes +=
            (size_t)assert_line(w, e, (unsigned)__builtin_ctz(m),
                                wk->asserted + wk->asserted_bytes, ASSERT_LINE);
    read_text(w, first, call_argument(w, e, 0, first), message, sizeof message);
    read_text(w, first, call_argument(w, e, 3, first), function, sizeof function);
    return fault_at(w, in, first, FAULT_ASSERT, "assertion `%s' failed in %s", message,
                    function);
}

static const struct insn *
op_malloc(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    struct machine *m = w->worker->machine;

    charge_calls(w);
    for (uint32_t left = w->mask; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t bytes = call_argument(w, e, 0, lane);
        struct fault ignored; /* malloc() answers NULL where there is no memory */
        uint64_t address = m->heap_count < HEAP_MAX
                               ? memory_alloc(m, bytes != 0 ? bytes : 1, &ignored)
                               : 0;

        if (address != 0) {
            memory_lookup(m, address)->device_heap = true;
            m->heap_count++;
        }
        call_result(w, e, lane, address);
    }
    return in + 1;
}

static const struct insn *
op_free(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    struct machine *m = w->worker->machine;

    for (uint32_t left = w->mask; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = call_argument(w, e, 0, lane);
        struct allocation *a;

        if (address == 0)
            continue;
        a = memory_lookup(m, address);
        if (a == NULL || a->start != address || !a->device_heap)
            return fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                            "frees %#llx, which malloc() did not return",
                            (unsigned long long)address);
        memory_free(m, address);
        for (unsigned i = 0; i < HIT_SLOTS; i++)
            w->worker->hits[i] = &no_allocation;
    }
    return in + 1;
}

/* Is this a function of the device runtime library (libcudadevrt, which nvcc -rdc=true
 * links), or one on which it is built? */
static bool
is_dynamic_parallelism(const char *name)
{
    return strncmp(name, "__cuda_syscall_cnp", 18) == 0 ||
           strncmp(name, "cudaLaunchDevice", 16) == 0 ||
           strncmp(name, "cudaGetParameterBuffer", 22) == 0 ||
           strncmp(name, "__cudaCDP", 9) == 0;
}

static const struct insn *
op_unknown_call(struct warp *w, const struct insn *in)
{
    const struct ptx_insn *origin = in->extra->origin;
    const char *name = "a function";

    for (unsigned i = 0; i < origin->operand_count; i++)
        if (origin->operands[i].kind == PTX_OPERAND_FUNC)
            name = origin->operands[i].name;
    if (is_dynamic_parallelism(name))
        return fault_at(w, in, (unsigned)__builtin_ctz(w->mask), FAULT_PTX_UNSUPPORTED,
                        "uses the CUDA runtime within a kernel (dynamic parallelism), "
                        "which the emulated GPU does not have");
    return fault_at(w, in, (unsigned)__builtin_ctz(w->mask), FAULT_PTX_UNSUPPORTED,
                    "calls %.80s, which the emulated GPU does not have", name);
}

int
decode_builtin_call(struct decoder *d, const char *name,
                    const struct ptx_operand *arguments,
                    const struct ptx_operand *results, struct extra *e)
{
    static const struct {
        const char *name;
        uint32_t arguments;
        handler fn;
    } builtins[] = {
        {"vprintf", 2, op_printf},
        {"__assertfail", 4, op_assertfail},
        {"malloc", 1, op_malloc},
        {"free", 1, op_free},
    };
    handler fn = op_unknown_call;
    uint64_t address;
    bool in_frame;

    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0 && e->count >= builtins[i].arguments)
            fn = builtins[i].fn;
    for (uint32_t i = 0; i < e->count; i++)
        e->widths[i] = arguments->list[i].kind == PTX_OPERAND_VAR &&
                               arguments->list[i].var->bytes <= 8
                           ? (uint8_t)arguments->list[i].var->bytes
                           : 0;
    if (e->count >= 39)
        return -1;
    e->vectors[e->count] = UINT32_MAX;
    if (results != NULL && results->count > 0 &&
        results->list[0].kind == PTX_OPERAND_VAR &&
        variable_address(d, results->list[0].var, &address, &in_frame) == 0 && in_frame) {
        operand_read(d, &results->list[0], OPERAND_VALUE);
        e->vectors[e->count] = (uint32_t)address;
        e->widths[e->count] =
            (uint8_t)(results->list[0].var->bytes < 8 ? results->list[0].var->bytes : 8);
    }
    /* Output and allocations come in the order of the blocks. What ends a kernel does not
     * matter to other blocks. */
    if (fn != op_assertfail && fn != op_unknown_call)
        kernel_of(d)->serial = true;
    e->origin = current_insn(d);
    emit(d, fn)->extra = e;
    return 0;
}
