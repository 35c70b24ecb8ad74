// links: exec ptx kernel_text
/*
 * The tensor cores' products, form by form. mma.sync and mma.sp are compared with what an
 * H200 answered to the same bits (tests/golden/ptx/mma-h200.txt), and wmma with loops
 * over plain matrices. The PTX is written here.
 */
#include "../fixtures/kernel_text.h"

#include "emulator/exec/exec.h"
#include "emulator/exec/ops/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARPS = 24 };

/* --- mma.sync and mma.sp: the H200's answers ---------------------------------------- */

/* xorshift64*, as the program that ran on the H200 had it. */
static uint64_t random_state;

static uint64_t
draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 2685821657736338717u;
}

static const struct element {
    const char *name;
    unsigned bits, exponent, mantissa; /* exponent 0: integers */
} elements[] = {
    {"f16", 16, 5, 10},  {"bf16", 16, 8, 7}, {"tf32", 32, 8, 23}, {"f32", 32, 8, 23},
    {"f64", 64, 11, 52}, {"e4m3", 8, 4, 3},  {"e5m2", 8, 5, 2},   {"s8", 8, 0, 0},
    {"u8", 8, 0, 0},     {"s4", 4, 0, 0},    {"u4", 4, 0, 0},     {"b1", 1, 0, 0},
    {"s32", 32, 0, 0},
};

static const struct element *
element(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    fail_msg("no type %s", name);
    return NULL;
}

enum inputs { MODERATE, WIDE, ANY_BITS };

static uint64_t
draw_element(const struct element *t, enum inputs kind)
{
    uint64_t bias = ((uint64_t)1 << t->exponent) / 2 - 1, mantissa, sign, exponent,
             spread;

    if (t->exponent == 0)
        return draw() >> 9;
    mantissa = draw() & (((uint64_t)1 << t->mantissa) - 1);
    sign = draw() & 1;
    if (kind == ANY_BITS)
        return draw() >> (t->bits == 64 ? 0 : 7);
    if (kind == MODERATE) {
        exponent = bias - 3 + draw() % 5;
    } else {
        spread = t->exponent == 8 || t->exponent == 11 ? 12
                 : t->mantissa == 10                   ? 7
                 : t->exponent == 5                    ? 7
                                                       : 6;
        exponent = bias - spread + draw() % (2 * spread);
    }
    return sign << (t->exponent + t->mantissa) | exponent << t->mantissa | mantissa;
}

static void
draw_registers(uint8_t *out, const struct element *t, unsigned regs)
{
    unsigned width = t->bits == 64 ? 8 : 4, per = t->bits == 64 ? 1 : 32 / t->bits;

    for (unsigned i = 0; i < WARPS * LANES * regs; i++) {
        enum inputs kind = (enum inputs)(i / (LANES * regs) / 8);
        uint64_t word = 0;

        for (unsigned k = 0; k < per; k++) {
            uint64_t v = draw_element(t, kind);

            if (t->bits < 64)
                v &= ((uint64_t)1 << t->bits) - 1;
            word |= v << (k * t->bits);
        }
        memcpy(out + (size_t)i * width, &word, width);
    }
}

static void
draw_metadata(uint8_t *out, const struct element *a)
{
    static const uint8_t pairs[] = {4, 8, 12, 9, 13, 14};

    for (unsigned i = 0; i < WARPS * LANES; i++) {
        uint32_t word = 0;

        for (int k = 0; k < 8; k++) {
            uint32_t four = a->exponent == 8 && a->bits == 32
                                ? ((draw() & 1) != 0 ? 14 : 4)
                                : pairs[draw() % 6];

            word |= four << (4 * k);
        }
        memcpy(out + (size_t)4 * i, &word, 4);
    }
}

struct form {
    char text[100], type[4][8], hash[3][20];
    unsigned regs[4];
    int selector;
};

/* Loads or stores of the registers of operand i, a lane's one after the other. */
static void
move_registers(struct kernel_text *x, const struct form *f, unsigned i, bool store)
{
    const struct element *t = element(f->type[i]);
    const char *bank = t->bits == 64 ? "f" : "";
    unsigned width = t->bits == 64 ? 8 : 4;

    text_say(x, "mad.wide.u32 %%q0, %%t, %u, %%p%u;\n", f->regs[i] * width,
             i == 3 ? 4 : i);
    for (unsigned k = 0; k < f->regs[i]; k++)
        if (store)
            text_say(x, "st.global.b%u [%%q0+%u], %%%s%c%u;\n", 8 * width, k * width,
                     bank, "abcd"[i], k);
        else
            text_say(x, "ld.global.b%u %%%s%c%u, [%%q0+%u];\n", 8 * width, bank,
                     "abcd"[i], k, k * width);
}

static void
list_registers(struct kernel_text *x, const struct form *f, unsigned i)
{
    for (unsigned k = 0; k < f->regs[i]; k++)
        text_say(x, "%s%%%s%c%u", k == 0 ? "{" : ",",
                 element(f->type[i])->bits == 64 ? "f" : "", "abcd"[i], k);
    text_say(x, "}");
}

static void
write_form(struct kernel_text *x, const struct form *f)
{
    text_head(x);
    for (unsigned i = 0; i < 3; i++)
        move_registers(x, f, i, false);
    text_say(x, "mad.wide.u32 %%q0, %%t, 4, %%p3;\nld.global.b32 %%r2, [%%q0];\n%s ",
             f->text);
    list_registers(x, f, 3);
    for (unsigned i = 0; i < 3; i++) {
        text_say(x, ", ");
        list_registers(x, f, i);
    }
    if (f->selector >= 0)
        text_say(x, ", %%r2, %d", f->selector);
    text_say(x, ";\n");
    move_registers(x, f, 3, true);
}

static uint64_t
fnv1a(const uint8_t *v, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ v[i]) * 0x100000001b3u;
    return h;
}

static unsigned
compare_with_h200(struct kernel_text *x, const struct form *f)
{
    size_t third = (size_t)WARPS * LANES * f->regs[3] *
                   (element(f->type[3])->bits == 64 ? 8 : 4) / 3;
    unsigned wrong = 0;

    for (unsigned k = 0; k < 3; k++) {
        char hash[20];

        snprintf(hash, sizeof hash, "%016llx",
                 (unsigned long long)fnv1a(x->host[4] + k * third, third));
        if (f->hash[k][0] != '-' && strcmp(hash, f->hash[k]) != 0) {
            print_error("%s selector %d inputs %u: %s, on an H200 %s\n", f->text,
                        f->selector, k, hash, f->hash[k]);
            wrong++;
        }
    }
    return wrong;
}

static void
test_mma(void **state)
{
    FILE *file = fopen("tests/golden/ptx/mma-h200.txt", "r");
    char line[300];
    struct kernel_text *x = malloc(sizeof *x);
    unsigned forms = 0, wrong = 0;

    (void)state;
    assert_non_null(file);
    assert_non_null(x);
    random_state = 88172645463325252u;
    text_begin(x);
    while (fgets(line, sizeof line, file) != NULL) {
        struct form f;

        if (line[0] == '#')
            continue;
        assert_int_equal(
            sscanf(line, "%99s %7s %u %7s %u %7s %u %7s %u %d %19s %19s %19s", f.text,
                   f.type[0], &f.regs[0], f.type[1], &f.regs[1], f.type[2], &f.regs[2],
                   f.type[3], &f.regs[3], &f.selector, f.hash[0], f.hash[1], f.hash[2]),
            13);
        for (unsigned i = 0; i < 3; i++)
            draw_registers(x->host[i], element(f.type[i]), f.regs[i]);
        if (strstr(f.text, "satfinite") != NULL) /* so that sums saturate */
            for (unsigned i = 0; i < WARPS * LANES * f.regs[2]; i++) {
                int32_t v = (draw() & 1) != 0 ? 0x7fffff80 : -0x7fffff80;

                memcpy(x->host[2] + (size_t)4 * i, &v, 4);
            }
        draw_metadata(x->host[3], element(f.type[0]));
        write_form(x, &f);
        text_run(x, WARPS);
        wrong += compare_with_h200(x, &f);
        forms++;
    }
    fclose(file);
    assert_int_equal(forms, 113);
    assert_int_equal(wrong, 0);
    text_end(x);
    free(x);
}

/* --- wmma --------------------------------------------------------------------------- */

static const struct wmma_form {
    unsigned m, n, k;
    const char *types; /* of the instruction: d, a, b, c; or d and c of f16 */
    const char *a, *c;
    unsigned a_regs, b_regs, c_regs;
    const char *operation, *satfinite;
} wmma_forms[] = {
    {16, 16, 16, ".f32.f32", "f16", "f32", 8, 8, 8, "mma", ""},
    {16, 16, 16, ".f16.f16", "f16", "f16", 8, 8, 4, "mma", ""},
    {32, 8, 16, ".f32.f32", "f16", "f32", 8, 8, 8, "mma", ""},
    {32, 8, 16, ".f16.f16", "f16", "f16", 8, 8, 4, "mma", ".satfinite"},
    {8, 32, 16, ".f32.f32", "f16", "f32", 8, 8, 8, "mma", ""},
    {8, 32, 16, ".f16.f16", "f16", "f16", 8, 8, 4, "mma", ""},
    {16, 16, 16, ".f32.bf16.bf16.f32", "bf16", "f32", 4, 4, 8, "mma", ""},
    {32, 8, 16, ".f32.bf16.bf16.f32", "bf16", "f32", 8, 2, 8, "mma", ""},
    {8, 32, 16, ".f32.bf16.bf16.f32", "bf16", "f32", 2, 8, 8, "mma", ""},
    {16, 16, 8, ".f32.tf32.tf32.f32", "tf32", "f32", 4, 4, 8, "mma", ""},
    {16, 16, 16, ".s32.s8.s8.s32", "s8", "s32", 2, 2, 8, "mma", ""},
    {32, 8, 16, ".s32.s8.s8.s32", "s8", "s32", 4, 1, 8, "mma", ".satfinite"},
    {8, 32, 16, ".s32.s8.s8.s32", "s8", "s32", 1, 4, 8, "mma", ""},
    {16, 16, 16, ".s32.u8.u8.s32", "u8", "s32", 2, 2, 8, "mma", ""},
    {32, 8, 16, ".s32.u8.u8.s32", "u8", "s32", 4, 1, 8, "mma", ""},
    {8, 32, 16, ".s32.u8.u8.s32", "u8", "s32", 1, 4, 8, "mma", ""},
    {8, 8, 4, ".f64.f64.f64.f64", "f64", "f64", 1, 1, 2, "mma", ""},
    {8, 8, 32, ".s32.s4.s4.s32", "s4", "s32", 1, 1, 2, "mma", ""},
    {8, 8, 32, ".s32.u4.u4.s32", "u4", "s32", 1, 1, 2, "mma", ".satfinite"},
    {8, 8, 128, ".s32.b1.b1.s32", "b1", "s32", 1, 1, 2, "mma.xor.popc", ""},
    {8, 8, 128, ".s32.b1.b1.s32", "b1", "s32", 1, 1, 2, "mma.and.popc", ""},
};

/* Element i of an array of the type, as it lies in memory. */
static void
put(uint8_t *at, const char *type, size_t i, int v)
{
    unsigned bits = element(type)->bits;
    float f = (float)v;
    double d = v;
    uint32_t word;

    memcpy(&word, &f, sizeof word);
    if (strcmp(type, "f16") == 0) {
        _Float16 h = (_Float16)v;

        memcpy(at + i * 2, &h, 2);
    } else if (strcmp(type, "bf16") == 0) {
        memcpy(at + i * 2, (uint8_t *)&word + 2, 2);
    } else if (strcmp(type, "f32") == 0 || strcmp(type, "tf32") == 0) {
        memcpy(at + i * 4, &f, 4);
    } else if (bits == 64) {
        memcpy(at + i * 8, &d, 8);
    } else if (bits >= 8) {
        memcpy(at + i * bits / 8, &v, bits / 8);
    } else {
        uint8_t mask = (uint8_t)(((1u << bits) - 1) << (i * bits % 8));
        uint8_t *byte = at + i * bits / 8;

        *byte = (uint8_t)((*byte & ~mask) | ((unsigned)v << (i * bits % 8) & mask));
    }
}

static int
get(const uint8_t *at, const char *type, size_t i)
{
    float f;
    double d;
    int v;

    if (strcmp(type, "f16") == 0) {
        _Float16 h;

        memcpy(&h, at + i * 2, 2);
        return (int)h;
    }
    if (strcmp(type, "f32") == 0) {
        memcpy(&f, at + i * 4, 4);
        return (int)f;
    }
    if (strcmp(type, "f64") == 0) {
        memcpy(&d, at + i * 8, 8);
        return (int)d;
    }
    memcpy(&v, at + i * 4, 4);
    return v;
}

/* A matrix in memory: where element (row, column) is. */
struct plain {
    bool by_column;
    unsigned stride;
};

static size_t
place(struct plain p, unsigned row, unsigned column)
{
    return p.by_column ? (size_t)column * p.stride + row
                       : (size_t)row * p.stride + column;
}

static int
value(const char *type, unsigned row, unsigned column, unsigned salt)
{
    unsigned v = (row * 7 + column * 3 + row * column * salt) % 11;

    if (strcmp(type, "b1") == 0)
        return (int)(v & 1);
    return type[0] == 'u' ? (int)v : (int)v - 5;
}

static void
write_wmma(struct kernel_text *x, const struct wmma_form *f, const char *space,
           const struct plain *at)
{
    char shape[24];
    const char *order[] = {".row", ".col"};

    snprintf(shape, sizeof shape, ".m%un%uk%u", f->m, f->n, f->k);
    text_head(x);
    text_place(x, space, 8192);
    text_say(x, "wmma.load.a.sync.aligned%s%s%s.%s ", order[at[0].by_column], shape,
             space, f->a);
    text_list(x, f->a, 'a', f->a_regs);
    text_say(x, ", [%%q1], %u;\nwmma.load.b.sync.aligned%s%s.global.%s ", at[0].stride,
             order[at[1].by_column], shape, f->a);
    text_list(x, f->a, 'b', f->b_regs);
    text_say(x, ", [%%p1], %u;\nwmma.load.c.sync.aligned%s%s.global.%s ", at[1].stride,
             order[at[2].by_column], shape, f->c);
    text_list(x, f->c, 'c', f->c_regs);
    text_say(x, ", [%%p2], %u;\nwmma.%s.sync.aligned%s%s%s%s%s ", at[2].stride,
             f->operation, order[at[0].by_column], order[at[1].by_column], shape,
             f->types, f->satfinite);
    text_list(x, f->c, 'd', f->c_regs);
    text_say(x, ", ");
    text_list(x, f->a, 'a', f->a_regs);
    text_say(x, ", ");
    text_list(x, f->a, 'b', f->b_regs);
    text_say(x, ", ");
    text_list(x, f->c, 'c', f->c_regs);
    text_say(x, ";\nwmma.store.d.sync.aligned%s%s.global.%s [%%p4+16], ",
             order[at[3].by_column], shape, f->c);
    text_list(x, f->c, 'd', f->c_regs);
    text_say(x, ", %u;\n", at[3].stride);
}

static void
check_wmma(struct kernel_text *x, const struct wmma_form *f, const char *space,
           unsigned orders)
{
    bool sub_byte = element(f->a)->bits < 8;
    struct plain at[4] = {{!sub_byte && (orders & 1), 0},
                          {sub_byte || (orders & 2), 0},
                          {orders & 4, 0},
                          {orders & 8, 0}};

    at[0].stride = at[0].by_column ? f->m + 16 : f->k + (sub_byte ? 128 : 16);
    at[1].stride = at[1].by_column ? f->k + (sub_byte ? 128 : 16) : f->n + 16;
    at[2].stride = (at[2].by_column ? f->m : f->n) + 8;
    at[3].stride = (at[3].by_column ? f->m : f->n) + 16;
    memset(x->host[4], 0, 8192);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned k = 0; k < f->k; k++)
            put(x->host[0], f->a, place(at[0], i, k), value(f->a, i, k, 5));
    for (unsigned k = 0; k < f->k; k++)
        for (unsigned j = 0; j < f->n; j++)
            put(x->host[1], f->a, place(at[1], k, j), value(f->a, k, j, 2));
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++)
            put(x->host[2], f->c, place(at[2], i, j), value("s32", i, j, 3) * 3);
    write_wmma(x, f, space, at);
    text_run(x, 1);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            int sum = value("s32", i, j, 3) * 3;

            for (unsigned k = 0; k < f->k; k++) {
                int a = value(f->a, i, k, 5), b = value(f->a, k, j, 2);

                sum += strstr(f->operation, "xor") != NULL ? a ^ b : a * b;
            }
            if (get(x->host[4] + 16, f->c, place(at[3], i, j)) != sum)
                fail_msg("%s m%un%uk%u%s (%u,%u): %d, not %d", f->operation, f->m, f->n,
                         f->k, f->types, i, j,
                         get(x->host[4] + 16, f->c, place(at[3], i, j)), sum);
        }
}

static void
test_wmma(void **state)
{
    static const char *const spaces[] = {".global", ".shared", ""};
    struct kernel_text *x = malloc(sizeof *x);

    (void)state;
    assert_non_null(x);
    text_begin(x);
    for (size_t i = 0; i < sizeof wmma_forms / sizeof *wmma_forms; i++)
        for (unsigned orders = 0; orders < 16; orders++)
            check_wmma(x, &wmma_forms[i], spaces[orders % 3], orders);
    text_end(x);
    free(x);
}

/* --- what is wrong ------------------------------------------------------------------ */

/* Forms that no GPU has are refused by name when they are reached. */
static void
test_refused(void **state)
{
    static const char *const lines[] = {
        "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 {%a0,%a1,%a2,%a3}, "
        "{%b0,%b1,%b2,%b3}, {%c0,%c1}, {%d0,%d1,%d2,%d3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%a0,%a1,%a2,%a3}, "
        "{%b0,%b1,%b2,%b3}, {%c0,%c1}, {%d0,%d1,%d2,%d3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%a0,%a1,%a2,%a3}, "
        "{%b0,%b1,%b2}, {%c0,%c1}, {%d0,%d1,%d2,%d3};",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%a0,%a1,%a2,%a3}, "
        "{%b0,%b1}, {%c0,%c1}, {%d0,%d1,%d2,%d3}, %r0, 4;",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%a0,%a1,%a2}, [%r0];",
    };
    struct kernel_text *x = malloc(sizeof *x);
    struct fault f;

    (void)state;
    assert_non_null(x);
    text_begin(x);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        text_head(x);
        text_say(x, "%s\n", lines[i]);
        assert_int_not_equal(text_try_run(x, 1, &f), 0);
        assert_int_equal(f.kind, FAULT_PTX_UNSUPPORTED);
        assert_memory_equal(strstr(f.text, "instruction ") + 12, lines[i], 16);
    }
    /* Half a warp. */
    text_head(x);
    text_say(x,
             ".reg .pred %%h;\nsetp.lt.u32 %%h, %%r1, 16;\n@%%h bra go;\nret;\ngo:\n"
             "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%a0,%%a1,%%a2,%%a3}, "
             "{%%b0,%%b1,%%b2,%%b3}, {%%c0,%%c1}, {%%d0,%%d1,%%d2,%%d3};\n");
    assert_int_not_equal(text_try_run(x, 1, &f), 0);
    assert_int_equal(f.kind, FAULT_BARRIER);
    assert_non_null(strstr(f.text, "16 of the warp's 32 threads"));
    text_end(x);
    free(x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mma),
        cmocka_unit_test(test_wmma),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
