// links: exec ptx
/*
 * Instructions that no recorded form has. The GPU of the recordings lacks redux.f32,
 * st.bulk and istypep. txq, suq and sured need a texture or a surface, and setmaxnreg a
 * kernel of several warp groups. A warp writes one word for each thread.
 */
#include "emulator/exec/exec.h"
#include "emulator/exec/texture/texture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 32, BYTES = 4 * THREADS };

struct bench {
    struct machine *m;
    uint64_t in, out;
    uint32_t *words_in, *words_out;
    uint64_t parameter; /* the kernel's third one */
    struct fault fault;
};

static void
begin(struct bench *x)
{
    *x = (struct bench){0};
    x->m = machine_new(&(struct machine_options){.threads = 1, .checks = true});
    assert_non_null(x->m);
    x->in = memory_alloc(x->m, BYTES, &x->fault);
    x->out = memory_alloc(x->m, BYTES, &x->fault);
    assert_true(x->in != 0 && x->out != 0);
    memory_mark(x->m, x->in, BYTES, true);
    x->words_in = memory_host(x->m, x->in, BYTES);
    x->words_out = memory_host(x->m, x->out, BYTES);
}

/* lines: from %a, the thread's word, to %d; %t is its number, %x the third parameter. */
static int
run(struct bench *x, const char *lines)
{
    uint64_t params[3] = {x->in, x->out, x->parameter};
    struct launch l = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .params = params};
    char text[4096];
    int n = snprintf(
        text, sizeof text,
        ".version 9.0\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k(.param .u64 pi, .param .u64 po, .param .u64 px)\n{\n"
        ".reg .b32 %%a, %%d, %%t, %%s;\n.reg .b64 %%i, %%o, %%x, %%y;\n.reg .pred %%p;\n"
        ".shared .align 16 .b8 tile[1024];\n"
        "ld.param.u64 %%i, [pi];\nld.param.u64 %%o, [po];\nld.param.u64 %%x, [px];\n"
        "mov.u32 %%t, %%tid.x;\nmad.wide.u32 %%i, %%t, 4, %%i;\n"
        "mad.wide.u32 %%o, %%t, 4, %%o;\nld.global.b32 %%a, [%%i];\n%s\n"
        "st.global.b32 [%%o], %%d;\nret;\n}\n",
        lines);
    struct module *mod;
    int result;

    assert_true(n > 0 && (size_t)n < sizeof text);
    mod = module_load(x->m, text, (size_t)n, &x->fault);
    if (mod == NULL)
        fail_msg("%s\n%s", x->fault.text, text);
    result = machine_launch(x->m, module_kernel(mod, "k"), &l, &x->fault);
    module_unload(x->m, mod);
    return result;
}

static void
expect_all(struct bench *x, const char *lines, uint32_t word)
{
    if (run(x, lines) != 0 || x->fault.kind != FAULT_NONE)
        fail_msg("%s\n%s", lines, x->fault.text);
    for (unsigned i = 0; i < THREADS; i++)
        if (x->words_out[i] != word)
            fail_msg("%s\nthread %u has %#x, not %#x", lines, i, x->words_out[i], word);
}

static void
test_redux_of_floats(void **state)
{
    struct bench x;

    (void)state;
    begin(&x);
    for (unsigned i = 0; i < THREADS; i++)
        x.words_in[i] = i % 2 != 0 ? 0x3f800000 + i : 0xc0000000 + i; /* 1, -2 and near */
    expect_all(&x, "redux.sync.min.f32 %d, %a, -1;", 0xc000001e);
    expect_all(&x, "redux.sync.max.f32 %d, %a, -1;", 0x3f80001f);
    expect_all(&x, "redux.sync.max.abs.f32 %d, %a, -1;", 0x4000001e);
    expect_all(&x, "redux.sync.min.abs.NaN.f32 %d, %a, -1;", 0x3f800001);
    x.words_in[7] = 0x7fc12345;
    expect_all(&x, "redux.sync.min.f32 %d, %a, -1;", 0xc000001e);
    expect_all(&x, "redux.sync.max.NaN.f32 %d, %a, -1;", 0x7fffffff);
    memset(x.words_in, 0xff, BYTES);
    expect_all(&x, "redux.sync.max.f32 %d, %a, -1;", 0x7fffffff);
    memset(x.words_in, 0, BYTES); /* +0 is more than -0 */
    x.words_in[3] = 0x80000000;
    expect_all(&x, "redux.sync.min.f32 %d, %a, -1;", 0x80000000);
    expect_all(&x, "redux.sync.max.f32 %d, %a, -1;", 0);
    assert_int_equal(run(&x, "redux.sync.add.f32 %d, %a, -1;"), -1);
    assert_int_equal(x.fault.kind, FAULT_PTX_UNSUPPORTED);
    assert_int_equal(run(&x, "redux.sync.min.abs.s32 %d, %a, -1;"), -1);
    assert_int_equal(x.fault.kind, FAULT_PTX_UNSUPPORTED);
    machine_free(x.m);
}

/* Fills the tile with 7, bytes 256 to 511 of it with zeros, and adds up all words. */
#define FILL_AND_ADD(at, size)                                                           \
    "shl.b32 %s, %t, 5;\nmov.u32 %d, tile;\nadd.u32 %s, %s, %d;\nmov.b32 %d, 7;\n"       \
    "st.shared.v4.b32 [%s], {%d, %d, %d, %d};\n"                                         \
    "st.shared.v4.b32 [%s+16], {%d, %d, %d, %d};\nbar.sync 0;\n"                         \
    "setp.eq.u32 %p, %t, 3;\nmov.u32 %d, tile;\n@%p st.bulk.weak.shared::cta [%d+" at    \
    "], " size ", 0;\nbar.sync 0;\n"                                                     \
    "ld.shared.v4.b32 {%d, _, _, %a}, [%s];\nadd.u32 %d, %d, %a;\n"                      \
    "redux.sync.add.u32 %d, %d, -1;\n"

static void
test_bulk_stores_of_zeros(void **state)
{
    struct bench x;

    (void)state;
    begin(&x);
    expect_all(&x, FILL_AND_ADD("256", "256"), 2 * 7 * (THREADS - 8));
    x.parameter = 64;
    expect_all(&x, FILL_AND_ADD("0", "%x"), 2 * 7 * (THREADS - 2));
    expect_all(&x, FILL_AND_ADD("0", "0"), 2 * 7 * THREADS);
    assert_int_equal(run(&x, FILL_AND_ADD("256", "12")), -1);
    assert_int_equal(x.fault.kind, FAULT_MISALIGNED);
    assert_non_null(strstr(x.fault.text, "multiple of 8"));
    assert_int_equal(run(&x, FILL_AND_ADD("1016", "16")), -1);
    assert_int_equal(x.fault.kind, FAULT_ILLEGAL_ADDRESS);
    machine_free(x.m);
}

/* Zeros that meet what another warp reads would be a race: here, one of one warp. */
static void
test_bulk_stores_are_watched(void **state)
{
    struct bench x;

    (void)state;
    begin(&x);
    assert_int_equal(
        run(&x,
            "mov.u32 %s, tile;\nst.bulk.weak.shared::cta [%s], 64, 0;\nmov.b32 %d, 0;"),
        0);
    assert_int_equal(x.fault.kind, FAULT_RACE);
    machine_free(x.m);
}

static void
test_types_of_handles(void **state)
{
    static const char lines[] = "istypep.%s %%p, %%x;\nselp.b32 %%d, 1, 0, %%p;";
    struct texture_info info = {.kind = TEXTURE_LINEAR,
                                .width = THREADS,
                                .height = 1,
                                .depth = 1,
                                .layers = 1,
                                .levels = 1,
                                .dims = 1,
                                .channels = 1,
                                .bits = 32};
    struct {
        const char *type;
        uint32_t texture, surface, number;
    } cases[] = {{"texref", 1, 0, 0}, {"surfref", 0, 1, 0}, {"samplerref", 0, 0, 0}};
    uint64_t texture, surface;
    char text[100];
    struct bench x;

    (void)state;
    begin(&x);
    info.address = x.in;
    texture = texture_new(x.m, &info);
    info.surface = 1;
    surface = texture_new(x.m, &info);
    assert_true(texture != 0 && surface != 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, lines, cases[i].type);
        x.parameter = texture;
        expect_all(&x, text, cases[i].texture);
        x.parameter = surface;
        expect_all(&x, text, cases[i].surface);
        x.parameter = 12345;
        expect_all(&x, text, cases[i].number);
    }
    machine_free(x.m);
}

/* Eight texels of 32 bits in each of four rows. */
static struct texture_info
small_image(const struct bench *x)
{
    return (struct texture_info){.address = x->in,
                                 .kind = TEXTURE_PITCH,
                                 .pitch = 32,
                                 .width = 8,
                                 .height = 4,
                                 .depth = 1,
                                 .layers = 1,
                                 .levels = 1,
                                 .dims = 2,
                                 .channels = 1,
                                 .bits = 32};
}

static void
test_properties_of_textures_and_surfaces(void **state)
{
    static const struct {
        const char *property;
        uint32_t value;
    } cases[] = {{"width", 8},
                 {"height", 4},
                 {"depth", 0},
                 {"array_size", 0},
                 {"num_mipmap_levels", 1},
                 {"normalized_coords", 0}};
    struct texture_info info;
    char text[100];
    struct bench x;

    (void)state;
    begin(&x);
    info = small_image(&x);
    x.parameter = texture_new(x.m, &info);
    assert_true(x.parameter != 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "txq.%s.b32 %%d, [%%x];", cases[i].property);
        expect_all(&x, text, cases[i].value);
    }
    info.surface = 1;
    x.parameter = texture_new(x.m, &info);
    assert_true(x.parameter != 0);
    for (size_t i = 0; i < 4; i++) { /* a surface has neither levels nor a sampler */
        snprintf(text, sizeof text, "suq.%s.b32 %%d, [%%x];", cases[i].property);
        expect_all(&x, text, cases[i].value);
    }
    machine_free(x.m);
}

/* Each thread changes the element of its own number: x is in bytes, y in rows. */
static void
test_reductions_on_surfaces(void **state)
{
    static const struct {
        const char *operation;
        uint32_t before, operand, after;
    } cases[] = {
        {"add.2d.u32", 40, 2, 42},
        {"min.2d.s32", 5, 0xffffffff, 0xffffffff},
        {"min.2d.u32", 5, 0xffffffff, 5},
        {"max.2d.s32", 5, 0xffffffff, 5},
        {"max.2d.u32", 5, 0xffffffff, 0xffffffff},
        {"and.2d.b32", 0xff0, 0x0ff, 0x0f0},
        {"or.2d.b32", 0xff0, 0x0ff, 0xfff},
    };
    struct texture_info info;
    char text[300];
    struct bench x;

    (void)state;
    begin(&x);
    info = small_image(&x);
    info.surface = 1;
    x.parameter = texture_new(x.m, &info);
    assert_true(x.parameter != 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned t = 0; t < THREADS; t++)
            x.words_in[t] = cases[i].before;
        snprintf(text, sizeof text,
                 "shr.u32 %%s, %%t, 3;\nand.b32 %%t, %%t, 7;\nshl.b32 %%t, %%t, 2;\n"
                 "mov.b32 %%d, %u;\nsured.b.%s.trap [%%x, {%%t, %%s}], %%d;",
                 cases[i].operand, cases[i].operation);
        expect_all(&x, text, cases[i].operand);
        for (unsigned t = 0; t < THREADS; t++)
            assert_int_equal(x.words_in[t], cases[i].after);
    }
    machine_free(x.m);
}

/* These instructions are hints: the emulated GPU gives no registers to warps, and keeps
 * what a kernel discards. */
static void
test_hints_change_nothing(void **state)
{
    struct bench x;

    (void)state;
    begin(&x);
    for (unsigned t = 0; t < THREADS; t++)
        x.words_in[t] = t;
    expect_all(&x,
               "ld.param.u64 %y, [pi];\ndiscard.global.L2 [%y], 128;\n"
               "setmaxnreg.inc.sync.aligned.u32 64;\n"
               "setmaxnreg.dec.sync.aligned.u32 40;\nmov.b32 %d, 7;",
               7);
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(x.words_in[t], t);
    machine_free(x.m);
}

/* A register plus a number, as ptxas computes it, and the sentence where it takes none.
 */
static void
test_registers_plus_numbers(void **state)
{
    static const char *const refused[] = {
        "mov.b32 %d, 1;\nadd.f32 %d, %a+1, %d;",
        "shfl.sync.idx.b32 %d, %a+7, 0, 31, -1;",
        "redux.sync.add.u32 %d, %a+7, -1;",
        "add.u32 %d+1, %a, %a;",
        "add.u32 %d, %tid.x+1, %a;",
        "vadd.u32.u32.u32 %d, %a+7, %a;",
    };
    struct bench x;

    (void)state;
    begin(&x);
    for (unsigned t = 0; t < THREADS; t++)
        x.words_in[t] = 100;
    expect_all(&x, "add.u32 %d, %a+7, %a;", 207);
    expect_all(&x, "mov.u32 %d, %a+7;", 107);
    expect_all(&x, "mul.lo.u32 %d, %a+-99, %a;", 100);
    expect_all(&x, "mad.lo.u32 %d, %a, 2, %a+1;", 301);
    expect_all(&x, "setp.lt.u32 %p, %a+1, 101;\nselp.u32 %d, 1, %a+5, %p;", 105);
    expect_all(&x,
               "setp.ne.u32 %p, %a, 100;\nmov.b32 %d, 9;\n@%p add.u32 %d, %a+7, %a;\n"
               "@!%p add.u32 %d, %d, %a+1;",
               110);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(run(&x, refused[i]), -1);
        assert_int_equal(x.fault.kind, FAULT_PTX_UNSUPPORTED);
    }
    assert_int_equal(run(&x, "not.b32 %d, !%a;"), -1);
    assert_non_null(strstr(x.fault.text, "it has no use for the negation of its operand "
                                         "2"));
    machine_free(x.m);
}

/* An access that names no space takes it from the variable; one that names another space
 * is refused, as by ptxas. */
static void
test_spaces_of_named_variables(void **state)
{
    static const char *const refused[] = {
        "ld.global.b32 %d, [tile];", "ld.local.b32 %d, [tile];",
        "ld.b64 %x, [pi];\nmov.b32 %d, 0;", "cvta.local.u64 %x, tile;\nmov.b32 %d, 0;",
        "atom.global.add.u32 %d, [tile], 1;"};
    struct bench x;

    (void)state;
    begin(&x);
    expect_all(&x, "st.b32 [tile+8], 42;\nbar.sync 0;\nld.b32 %d, [tile+8];", 42);
    expect_all(&x, "st.shared.b32 [tile], 42;\nbar.sync 0;\nld.volatile.b32 %d, [tile];",
               42);
    expect_all(&x,
               "st.shared.b32 [tile], 0;\nbar.sync 0;\nred.add.u32 [tile], 3;\n"
               "bar.sync 0;\natom.add.u32 %d, [tile], 0;",
               96);
    expect_all(&x,
               "cvta.shared.u64 %x, tile;\nst.b32 [%x], 7;\nbar.sync 0;\n"
               "ld.shared.b32 %d, [tile];",
               7);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(run(&x, refused[i]), -1);
        assert_int_equal(x.fault.kind, FAULT_PTX_UNSUPPORTED);
    }
    assert_non_null(strstr(x.fault.text, "its operand 2 is a variable of shared memory"));
    machine_free(x.m);
}

/* A guard holds for all that an instruction is decoded into. */
static void
test_guards_of_long_instructions(void **state)
{
    struct bench x;

    (void)state;
    begin(&x);
    expect_all(&x,
               "mov.b32 %d, 5;\nsetp.ne.u32 %p, %d, 5;\n"
               "@%p cvt.u32.u32 %d, %i;\n@%p mov.b64 {%d, %s}, %i;",
               5);
    expect_all(&x,
               ".reg .pred %q;\nmov.b32 %d, 5;\nsetp.eq.u32 %p, %d, 5;\n"
               "setp.ne.u32 %q, %d, 5;\n@%q lop3.or.b32 %s|%p, 0, 0, 0, 0, %q;\n"
               "@!%p mov.b32 %d, 6;",
               5);
    machine_free(x.m);
}

/* The modifiers and types that an instruction does not have. */
static void
test_words_without_use(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"add.sat.u32 %d, %a, 1;", "add.sat.u32"},
        {"cvt.rn.u32.u16 %d, 7;", "it has no use for the modifier .rn"},
        {"mul.lo.rn.u32 %d, %a, %a;", "mul.lo.rn.u32"},
        {"ld.global.rn.b32 %d, [%i];", "it has no use for the modifier .rn"},
        {"ld.global.release.b32 %d, [%i];", "it has no use for the modifier .release"},
        {"mov.L2::128B.b32 %d, %a;", "it has no use for the modifier .L2::128B"},
        {"lop3.and.b32 %d, %a, %a, %a, 3;", "it has no use for the modifier .and"},
        {"membar.gl.u32; mov.b32 %d, %a;", "it has no use for the type .u32"},
        {"bar.sync.u32 0; mov.b32 %d, %a;", "it has no use for the type .u32"},
        {"setp.ne.and.u32 %p, %a, 1; mov.b32 %d, %a;",
         "has no use for the modifier .and"},
        {"shfl.idx.b32 %d, %a, 0, 31, -1;", "shfl.idx.b32"},
    };
    struct bench x;

    (void)state;
    begin(&x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run(&x, cases[i].line), -1);
        assert_int_equal(x.fault.kind, FAULT_PTX_UNSUPPORTED);
        if (strstr(x.fault.text, cases[i].says) == NULL)
            fail_msg("%s\n%s", cases[i].line, x.fault.text);
    }
    machine_free(x.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redux_of_floats),
        cmocka_unit_test(test_words_without_use),
        cmocka_unit_test(test_bulk_stores_of_zeros),
        cmocka_unit_test(test_bulk_stores_are_watched),
        cmocka_unit_test(test_types_of_handles),
        cmocka_unit_test(test_properties_of_textures_and_surfaces),
        cmocka_unit_test(test_reductions_on_surfaces),
        cmocka_unit_test(test_hints_change_nothing),
        cmocka_unit_test(test_registers_plus_numbers),
        cmocka_unit_test(test_spaces_of_named_variables),
        cmocka_unit_test(test_guards_of_long_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
