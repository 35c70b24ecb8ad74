// links: exec ptx
/* The handlers for processors with AVX2 against those for any x86-64: the same bits, for
 * arithmetic on rows (the whole tables) and for loads, stores and shuffles (kernels that
 * are made here). On a processor without AVX2 there is nothing to compare. */
#include "emulator/exec/exec.h"
#include "emulator/exec/machine.h"
#include "emulator/exec/ops/lane_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool
have_avx2(void)
{
    struct machine *m = machine_new(&(struct machine_options){.threads = 1});
    bool avx2;

    assert_non_null(m);
    avx2 = m->avx2;
    machine_free(m);
    return avx2;
}

static uint64_t random_state = 1;

static uint64_t
next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1du;
}

/* --- arithmetic ---------------------------------------------------------- */

/* Rows as a handler sees them: a destination, three operands of up to 8 bytes, two
 * predicates. */
enum { ROW_D = 0, ROW_A = 256, ROW_B = 512, ROW_C = 768, ROW_P = 1024, FRAME = 1280 };

static const uint32_t special_words[] = {
    0,          1,          0x80000000, 0xffffffff, 0x7fffffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0x7f800001, 0x00000001, 0x80000001, 0x3f800000, 0xbf800000, 0x00800000,
    0x7f7fffff, 0x4b000000, 31,         32,         63,         64,         0x7ff00000,
    0x7ff80000, 0x3ff00000, 0x0000ffff, 0x00008000, 0x7c007c00, 0x00010001};

static void
fill(uint8_t *regs)
{
    for (size_t i = 0; i < FRAME; i += 4) {
        uint64_t r = next_random();
        uint32_t word = (r >> 32 & 3) == 0
                            ? special_words[r % (sizeof special_words / sizeof(uint32_t))]
                            : (uint32_t)r;

        memcpy(regs + i, &word, sizeof word);
    }
}

static void
run_entry(const struct lane_entry *e, const uint8_t *start, uint32_t mask, uint32_t table,
          uint8_t *regs)
{
    static struct worker worker;
    struct warp w = {.regs = regs, .mask = mask, .worker = &worker};
    struct insn in = {.fn = e->fn, .d = ROW_D, .a = ROW_A, .b = ROW_B, .c = ROW_C};

    memcpy(regs, start, FRAME);
    if (e->op == PTX_OP_setp) {
        in.d = ROW_P;
        in.x = ROW_P + 32;
        in.c = table & 8 ? ROW_C : UINT32_MAX;
        in.y = table % 3 | (table & 4);
    } else if (e->op == PTX_OP_lop3) {
        in.x = table;
    }
    assert_ptr_equal(e->fn(&w, &in), &in + 1);
}

static const struct lane_entry *
same_entry(const struct lane_entry *e)
{
    for (size_t i = 0; i < lanes_generic_count; i++)
        if (lanes_generic[i].op == e->op && lanes_generic[i].type == e->type &&
            lanes_generic[i].from == e->from && lanes_generic[i].variant == e->variant)
            return &lanes_generic[i];
    return NULL;
}

static void
test_arithmetic(void **state)
{
    _Alignas(64) uint8_t start[FRAME], one[FRAME], other[FRAME];

    (void)state;
    if (!have_avx2())
        skip();
    assert_int_equal(lanes_avx2_count, lanes_generic_count);
    for (size_t i = 0; i < lanes_avx2_count; i++) {
        const struct lane_entry *e = &lanes_avx2[i], *generic = same_entry(e);

        assert_non_null(generic);
        if (e->op == PTX_OP_shfl) /* below: it needs a plan */
            continue;
        for (int round = 0; round < 60; round++) {
            uint32_t mask = round % 3 != 0 ? FULL_MASK : (uint32_t)next_random() | 1;
            uint32_t table = (uint32_t)next_random() & 0xff;

            fill(start);
            run_entry(e, start, mask, table, one);
            run_entry(generic, start, mask, table, other);
            if (memcmp(one, other, FRAME) != 0)
                fail_msg("%s.%s.%s variant %u differs, mask %#x",
                         ptx_op_name((enum ptx_op)e->op),
                         ptx_type_name((enum ptx_type)e->type),
                         ptx_type_name((enum ptx_type)e->from), e->variant, mask);
        }
    }
}

/* --- kernels ------------------------------------------------------------- */

enum { BYTES = 1 << 16, THREADS = 256 };

struct outcome {
    uint8_t memory[BYTES];
    struct counters counters;
};

static void
run_kernel(const char *ptx, bool generic, struct outcome *out)
{
    struct machine *m = machine_new(
        &(struct machine_options){.threads = 1, .generic = generic, .checks = false});
    struct launch l = {.grid = {2, 1, 1}, .block = {THREADS, 1, 1}};
    struct fault f = {0};
    struct module *mod;
    uint64_t params[2];
    uint32_t word = 7;

    assert_non_null(m);
    mod = module_load(m, ptx, strlen(ptx), &f);
    if (mod == NULL)
        fail_msg("%s", f.text);
    for (int i = 0; i < 2; i++) {
        params[i] = memory_alloc(m, BYTES, &f);
        assert_int_not_equal(params[i], 0);
    }
    for (size_t i = 0; i < BYTES; i += 4, word = word * 1664525 + 1013904223)
        memcpy((uint8_t *)memory_host(m, params[0], BYTES) + i, &word, 4);
    l.params = params;
    if (machine_launch(m, module_kernel(mod, "k"), &l, &f) != 0)
        fail_msg("%s\n%s", f.text, ptx);
    memcpy(out->memory, memory_host(m, params[1], BYTES), BYTES);
    machine_counters(m, &out->counters);
    machine_free(m);
}

static void
compare_kernel(const char *ptx)
{
    static struct outcome one, other;

    run_kernel(ptx, false, &one);
    run_kernel(ptx, true, &other);
    if (memcmp(one.memory, other.memory, BYTES) != 0)
        fail_msg("other results without AVX2:\n%s", ptx);
    if (memcmp(&one.counters, &other.counters, sizeof one.counters) != 0)
        fail_msg("other counters without AVX2:\n%s", ptx);
}

struct form {
    const char *type, *registers, *declaration;
    unsigned bytes;
};

static const struct form forms[] = {
    {"u8", "%h0", ".reg .u16 %h<4>;", 1},
    {"s16", "%r0", ".reg .b32 %r<4>;", 2},
    {"b16", "%h0", ".reg .b16 %h<4>;", 2},
    {"f32", "%r0", ".reg .f32 %r<4>;", 4},
    {"s32", "%d0", ".reg .b64 %d<4>;", 4},
    {"f64", "%d0", ".reg .f64 %d<4>;", 8},
    {"v2.f32", "{%r0, %r1}", ".reg .f32 %r<4>;", 8},
    {"v4.b32", "{%r0, %r1, %r2, %r3}", ".reg .b32 %r<4>;", 16},
    {"v2.b64", "{%d0, %d1}", ".reg .b64 %d<4>;", 16},
    {"v4.u8", "{%h0, %h1, %h2, %h3}", ".reg .u16 %h<4>;", 4},
};

/* The place of a lane, times the width: what addresses look like in real kernels. */
static const char *const places[] = {
    "mov.u32 %p, %t;",                              /* consecutive */
    "mov.u32 %p, 5;",                               /* one place */
    "and.b32 %p, %t, 15;",                          /* rows of 16 */
    "shr.u32 %p, %t, 4;",                           /* one for 16 */
    "shr.u32 %p, %t, 3;\nmul.lo.u32 %p, %p, 19;",   /* one for 8, far apart */
    "shl.b32 %p, %t, 5;\nand.b32 %p, %p, 255;",     /* bank conflicts */
    "mul.lo.u32 %p, %t, 77;\nand.b32 %p, %p, 255;", /* scattered */
    "xor.b32 %p, %t, 255;",                         /* backwards */
    "add.u32 %p, %t, 1;",                           /* not aligned to lines */
};

static const char *const guards[] = {
    "", "and.b32 %q, %t, 7;\nsetp.lt.u32 %on, %q, 3;\n@!%on bra DONE;\n",
    "and.b32 %q, %t, 31;\nsetp.ne.u32 %on, %q, 0;\n@%on bra DONE;\n"};

static void
compare_accesses(const struct form *f, const char *place, const char *guard)
{
    char ptx[4096];

    snprintf(
        ptx, sizeof ptx,
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %%t, %%p, %%q, %%s, %%m;\n.reg .b64 %%x, %%y, %%i, %%o;\n"
        ".reg .pred %%on;\n%s\n.shared .align 16 .b8 tile[16384];\n"
        "ld.param.u64 %%i, [in];\nld.param.u64 %%o, [out];\n"
        "mov.u32 %%t, %%tid.x;\n%s%s\n"
        "mul.wide.u32 %%x, %%p, %u;\nadd.u64 %%y, %%i, %%x;\nadd.u64 %%o, %%o, %%x;\n"
        "mul.lo.u32 %%s, %%p, %u;\nmov.u32 %%m, tile;\nadd.u32 %%s, %%s, %%m;\n"
        "ld.global.%s %s, [%%y];\nst.shared.%s [%%s], %s;\n"
        "ld.shared.%s %s, [%%s];\nst.global.%s [%%o], %s;\n"
        "add.u64 %%o, %%o, 32768;\nld.%s %s, [%%y+16];\nst.%s [%%o], %s;\n"
        "DONE:\nret;\n}\n",
        f->declaration, guard, place, f->bytes, f->bytes, f->type, f->registers, f->type,
        f->registers, f->type, f->registers, f->type, f->registers, f->type, f->registers,
        f->type, f->registers);
    compare_kernel(ptx);
}

static void
test_accesses(void **state)
{
    (void)state;
    if (!have_avx2())
        skip();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            for (size_t g = 0; g < sizeof guards / sizeof *guards; g++)
                compare_accesses(&forms[i], places[p], guards[g]);
}

/* shfl with everything a number, which is planned at decoding, and with the same numbers
 * in registers whose values the decoder can't know: one result. */
static void
compare_shuffle(const char *mode, unsigned distance, unsigned clamp)
{
    static struct outcome planned, computed;
    static const char head[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %t, %v, %b, %c, %r;\n.reg .b64 %x, %i, %o;\n.reg .pred %p;\n"
        "ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %x, %t, 4;\nadd.u64 %i, %i, %x;\nadd.u64 %o, %o, %x;\n"
        "ld.global.u32 %v, [%i];\n";
    static const char tail[] =
        "@!%p add.u32 %r, %r, 1;\nst.global.u32 [%o], %r;\nret;\n}\n";
    char ptx[2048];

    snprintf(ptx, sizeof ptx, "%sshfl.sync.%s.b32 %%r|%%p, %%v, %u, %u, -1;\n%s", head,
             mode, distance, clamp, tail);
    compare_kernel(ptx);
    run_kernel(ptx, false, &planned);
    snprintf(ptx, sizeof ptx,
             "%sand.b32 %%b, %%t, 0;\nadd.u32 %%c, %%b, %u;\nadd.u32 %%b, %%b, %u;\n"
             "shfl.sync.%s.b32 %%r|%%p, %%v, %%b, %%c, -1;\n%s",
             head, clamp, distance, mode, tail);
    run_kernel(ptx, false, &computed);
    if (memcmp(planned.memory, computed.memory, BYTES) != 0)
        fail_msg("shfl.%s by %u, %#x depends on being planned", mode, distance, clamp);
}

static void
test_shuffles(void **state)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const unsigned segments[] = {0, 0x1000, 0x1800, 0x1c00, 0x1e00};

    (void)state;
    if (!have_avx2())
        skip();
    for (int m = 0; m < 4; m++)
        for (int s = 0; s < 5; s++)
            for (unsigned distance = 0; distance < 32; distance += m == 0 ? 1 : 3)
                compare_shuffle(modes[m], distance, segments[s] | (m == 0 ? 0 : 31));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic),
                                       cmocka_unit_test(test_accesses),
                                       cmocka_unit_test(test_shuffles)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
