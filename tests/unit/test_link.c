// links: gpu exec ptx
/* Programs of several units: fat binaries one after the other, their compression, and
 * what the units make of each other's names. */
#include "emulator/exec/exec.h"
#include "emulator/gpu/container.h"
#include "emulator/gpu/protocol.h"
#include "emulator/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 9.0\n.target sm_80\n.address_size 64\n"

/* --- containers --------------------------------------------------------------------- */

/* Appends a container with one entry (gpu/container.c draws it). */
static size_t
put_container(unsigned char *to, uint16_t kind, uint32_t arch, const char *text)
{
    uint64_t payload = strlen(text) + 1, all = 64 + payload;
    const uint32_t magic = 0xBA55ED50u, header = 64;
    const uint16_t version = 1, head_bytes = 16;

    memset(to, 0, 80);
    memcpy(to, &magic, 4);
    memcpy(to + 4, &version, 2);
    memcpy(to + 6, &head_bytes, 2);
    memcpy(to + 8, &all, 8);
    memcpy(to + 16, &kind, 2);
    memcpy(to + 20, &header, 4);
    memcpy(to + 24, &payload, 8);
    memcpy(to + 16 + 28, &arch, 4);
    memcpy(to + 80, text, payload);
    return 16 + all;
}

static void
test_containers(void **state)
{
    unsigned char bytes[1024];
    struct fault f = {0};
    size_t size, len;
    int status = 0;
    char *text;

    (void)state;
    size = put_container(bytes, 1, 80, "first");
    size += put_container(bytes + size, 2, 80, "machine code");
    size += put_container(bytes + size, 1, 75, "second");
    text = container_ptx(bytes, size, 80, &len, &status, &f);
    assert_non_null(text);
    assert_string_equal(text, "first\nsecond");
    assert_int_equal(len, strlen(text));
    free(text);
    text = container_ptx(bytes, size - 1, 80, &len, &status, &f);
    assert_null(text);
    assert_int_equal(status, GPU_INVALID_KERNEL_IMAGE);
    size = put_container(bytes, 2, 80, "machine code");
    size += put_container(bytes + size, 2, 80, "more of it");
    assert_null(container_ptx(bytes, size, 80, &len, &status, &f));
    assert_int_equal(status, GPU_NO_KERNEL_IMAGE);
    assert_non_null(strstr(f.text, "no PTX"));
}

enum { BLOCK = 64 }; /* what a block lies in */

/* An entry whose PTX is an LZ4 block of compressed bytes, which says it holds plain. */
static char *
unpack_lz4(const unsigned char *block, uint32_t compressed, uint64_t plain, int *status)
{
    unsigned char bytes[1024];
    const uint64_t flags = 0x2000;
    struct fault f = {0};
    size_t size, len;
    char filler[65];
    char *text;

    memset(filler, 'x', sizeof filler - 1);
    filler[sizeof filler - 1] = '\0';
    size = put_container(bytes, 1, 80, filler);
    memcpy(bytes + 16 + 16, &compressed, 4);
    memcpy(bytes + 16 + 40, &flags, 8);
    memcpy(bytes + 16 + 56, &plain, 8);
    memcpy(bytes + 80, block, BLOCK);
    *status = 0;
    text = container_ptx(bytes, size, 80, &len, status, &f);
    assert_int_equal(text == NULL, f.kind == FAULT_PTX_SYNTAX);
    return text;
}

/* Blocks worked out by hand from the format's description, right and hostile. */
static void
test_lz4(void **state)
{
    /* 3 literals "abc", a match 3 back of 4 + 5 bytes, then 5 literals that end it */
    static const unsigned char overlap[BLOCK] = {0x35, 'a', 'b', 'c', 3,   0,
                                                 0x50, 'v', 'w', 'x', 'y', 'z'};
    /* 1 literal, a match 1 back of 4 + 15 + 255 + 6 bytes, then 15 + 2 literals */
    static const unsigned char lengths[BLOCK] = {
        0x1f, 'r', 1,   0,   255, 6,   0xf0, 2,   '0', '1', '2', '3', '4',
        '5',  '6', '7', '8', '9', 'a', 'b',  'c', 'd', 'e', 'f', 'g'};
    /* a match that begins before the text; one at no distance; a length without an end */
    static const unsigned char before[BLOCK] = {0x10, 'a', 2,   0,   0x50,
                                                'v',  'w', 'x', 'y', 'z'};
    static const unsigned char nowhere[BLOCK] = {0x10, 'a', 0,   0,   0x50,
                                                 'v',  'w', 'x', 'y', 'z'};
    static const unsigned char endless[BLOCK] = {0xf0, 255, 255, 255};
    static const struct {
        const unsigned char *block;
        uint32_t compressed;
        uint64_t plain;
    } hostile[] = {
        {overlap, 12, 16}, /* holds one byte more */
        {overlap, 11, 17},          {overlap, 5, 17},
        {overlap, 12, 0},           {overlap, 12, (64u << 20) + 1},
        {overlap, 12, UINT64_MAX},  {overlap, 66, 100}, /* more than the payload */
        {overlap, UINT32_MAX, 100}, {before, 10, 100},
        {endless, 4, 100},
    };
    int status;
    char *text;

    (void)state;
    text = unpack_lz4(overlap, 12, 17, &status);
    assert_non_null(text);
    assert_string_equal(text, "abcabcabcabcvwxyz");
    free(text);
    text = unpack_lz4(lengths, 25, 281 + 17, &status);
    assert_non_null(text);
    assert_int_equal(strspn(text, "r"), 281);
    assert_string_equal(text + 281, "0123456789abcdefg");
    free(text);
    /* LZ4 takes a match at no distance, which must show nothing of our memory. */
    text = unpack_lz4(nowhere, 10, 100, &status);
    assert_non_null(text);
    assert_string_equal(text, "a");
    free(text);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        text = unpack_lz4(hostile[i].block, hostile[i].compressed, hostile[i].plain,
                          &status);
        if (text != NULL || status != GPU_INVALID_KERNEL_IMAGE)
            fail_msg("block %zu is taken: status %d", i, status);
    }
}

/* --- names -------------------------------------------------------------------------- */

#define UNIT_A                                                                           \
    HEADER ".extern .global .align 4 .b8 table[16];\n"                                   \
           ".global .align 1 .b8 $str[2] = {65, 0};\n"                                   \
           ".visible .global .align 8 .u64 a_str = generic($str);\n"                     \
           ".visible .global .align 8 .u64 a_table = generic(table);\n"                  \
           ".extern .func helper;\n"                                                     \
           ".weak .func shared_code { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }\n"         \
           ".func mine { ret; }\n"                                                       \
           ".visible .entry k() { .loc 1 5 0\n call helper; call mine; ret; }\n"         \
           ".file 1 \"a.cu\"\n"
#define UNIT_B                                                                           \
    HEADER ".visible .global .align 16 .b8 table[16] = {1, 2, 3};\n"                     \
           ".extern .global .align 8 .u64 a_str;\n"                                      \
           ".global .align 1 .b8 $str[2] = {66, 0};\n"                                   \
           ".visible .global .align 8 .u64 b_str = generic($str);\n"                     \
           ".weak .func shared_code { { ret; } }\n"                                      \
           ".visible .func helper { .loc 1 9 0\n ret; }\n"                               \
           ".func mine { ret; }\n"                                                       \
           ".visible .entry l() { call mine; ret; }\n"                                   \
           ".file 1 \"b.cu\"\n"

static uint64_t
value_of(struct machine *m, struct module *mod, const char *name)
{
    uint64_t address, bytes;

    assert_int_equal(module_variable(mod, name, &address, &bytes), 0);
    assert_int_equal(bytes, 8);
    return *(uint64_t *)memory_host(m, address, 8);
}

static void
test_variables(void **state)
{
    static const char text[] = UNIT_A "\n" UNIT_B, reversed[] = UNIT_B "\n" UNIT_A;
    struct machine_options options = {.memory_bytes = 1 << 20, .threads = 1};
    struct machine *m = machine_new(&options);
    uint64_t table, bytes;
    struct fault f;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct module *mod =
            module_load(m, i == 0 ? text : reversed, sizeof text - 1, &f);

        if (mod == NULL)
            fail_msg("%s", f.text);
        assert_int_equal(module_variable(mod, "table", &table, &bytes), 0);
        assert_int_equal(bytes, 16);
        assert_int_equal(table % 16, 0);
        assert_memory_equal(memory_host(m, table, 4), "\1\2\3\0", 4);
        assert_int_equal(value_of(m, mod, "a_table"), table);
        assert_string_equal(memory_host(m, value_of(m, mod, "a_str"), 2), "A");
        assert_string_equal(memory_host(m, value_of(m, mod, "b_str"), 2), "B");
        assert_non_null(module_kernel(mod, "k"));
        assert_non_null(module_kernel(mod, "l"));
        module_unload(m, mod);
    }
    machine_free(m);
}

static const struct ptx_func *
function(const struct ptx_module *m, const char *name, int which)
{
    for (const struct ptx_func *f = m->funcs; f != NULL; f = f->next)
        if (strcmp(f->name, name) == 0 && which-- == 0)
            return f;
    return NULL;
}

static void
test_functions(void **state)
{
    static const char text[] = UNIT_A UNIT_B;
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, sizeof text - 1, &error);
    const struct ptx_func *k, *l, *helper;

    (void)state;
    if (m == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    k = function(m, "k", 0);
    l = function(m, "l", 0);
    helper = function(m, "helper", 0);
    assert_true(helper->has_body);
    assert_null(function(m, "helper", 1));
    assert_ptr_equal(k->insns[0].operands[0].func, helper);
    /* two functions of one name, each unit calls its own */
    assert_non_null(function(m, "mine", 1));
    assert_ptr_equal(k->insns[1].operands[0].func, function(m, "mine", 0));
    assert_ptr_equal(l->insns[0].operands[0].func, function(m, "mine", 1));
    /* the first of two weak ones */
    assert_int_equal(function(m, "shared_code", 0)->insn_count, 2);
    assert_null(function(m, "shared_code", 1));
    /* both units have a file 1 */
    assert_string_equal(m->files[k->insns[0].loc->file], "a.cu");
    assert_string_equal(m->files[helper->insns[0].loc->file], "b.cu");
    ptx_free(m);
}

static void
refuse(const char *text, const char *part)
{
    struct machine_options options = {.memory_bytes = 1 << 20, .threads = 1};
    struct machine *m = machine_new(&options);
    struct fault f;

    assert_null(module_load(m, text, strlen(text), &f));
    if (strstr(f.text, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, f.text);
    machine_free(m);
}

static void
test_bad_links(void **state)
{
    (void)state;
    refuse(UNIT_A, "table is declared .extern and defined nowhere");
    refuse(UNIT_B UNIT_B, "'table' is defined twice");
    refuse(HEADER ".visible .func f { ret; }\n" HEADER ".visible .func f { ret; }\n",
           "'f' is defined twice");
    refuse(HEADER ".weak .func f { ret; }\n" HEADER ".weak .func f { { ret; }\n",
           "the text ends within a function");
    refuse(HEADER ".visible .global .u32 x;\n" HEADER ".visible .func x { ret; }\n",
           "'x' is a variable and a function");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers), cmocka_unit_test(test_lz4),
        cmocka_unit_test(test_variables),  cmocka_unit_test(test_functions),
        cmocka_unit_test(test_bad_links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
