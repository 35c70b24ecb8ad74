// links: exec ptx kernel_text
/* ldmatrix, stmatrix and movmatrix against loops over plain matrices. */
#include "../fixtures/kernel_text.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Matrix i of 8 x 8 16-bit elements, row r, column c; its rows are 16 bytes, 48 apart. */
static uint16_t
tile_element(unsigned i, unsigned r, unsigned c)
{
    return (uint16_t)(0x1000 * i + 0x100 * r + 7 * c + 3);
}

static void
check_ldmatrix(struct kernel_text *x, unsigned count, bool trans, const char *space)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned r = 0; r < 8; r++)
            for (unsigned c = 0; c < 8; c++) {
                uint16_t v = tile_element(i, r, c);

                memcpy(x->host[0] + (size_t)(i * 8 + r) * 48 + (size_t)2 * c, &v, 2);
            }
    text_head(x);
    text_place(x, space, 2048);
    text_say(
        x, "mad.wide.u32 %%q1, %%r1, 48, %%q1;\nldmatrix.sync.aligned.m8n8.x%u%s%s.b16 ",
        count, trans ? ".trans" : "", space);
    text_list(x, "b1", 'a', count);
    text_say(x, ", [%%q1];\nmad.wide.u32 %%q0, %%r1, 16, %%p4;\n");
    for (unsigned i = 0; i < count; i++)
        text_say(x, "st.global.b32 [%%q0+%u], %%a%u;\n", 4 * i, i);
    text_run(x, 1);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < count; i++)
            for (unsigned half = 0; half < 2; half++) {
                unsigned r = lane / 4, c = lane % 4 * 2 + half;
                uint16_t v;

                memcpy(&v,
                       x->host[4] + (size_t)lane * 16 + (size_t)4 * i + (size_t)2 * half,
                       2);
                assert_int_equal(v,
                                 trans ? tile_element(i, c, r) : tile_element(i, r, c));
            }
}

/* Registers that hold tile_element by the same rule go to memory and come back. */
static void
check_stmatrix(struct kernel_text *x, unsigned count, bool trans)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < count; i++)
            for (unsigned half = 0; half < 2; half++) {
                uint16_t v = tile_element(i, lane / 4, lane % 4 * 2 + half);

                memcpy(x->host[0] + (size_t)lane * 16 + (size_t)4 * i + (size_t)2 * half,
                       &v, 2);
            }
    text_head(x);
    text_say(x, "mad.wide.u32 %%q0, %%r1, 16, %%p0;\n");
    for (unsigned i = 0; i < count; i++)
        text_say(x, "ld.global.b32 %%a%u, [%%q0+%u];\n", i, 4 * i);
    text_say(x,
             "mov.u32 %%r3, tile;\nmad.lo.u32 %%r4, %%r1, 16, %%r3;\n"
             "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%r4], ",
             count, trans ? ".trans" : "");
    text_list(x, "b1", 'a', count);
    text_say(x, ";\nbar.sync 0;\nmad.wide.u32 %%q0, %%r1, 16, %%p4;\n"
                "ld.shared.v4.b32 {%%a0,%%a1,%%a2,%%a3}, [%%r4];\n"
                "st.global.v4.b32 [%%q0], {%%a0,%%a1,%%a2,%%a3};\n");
    text_run(x, 1);
    for (unsigned i = 0; i < count; i++)
        for (unsigned r = 0; r < 8; r++)
            for (unsigned c = 0; c < 8; c++) {
                uint16_t v;

                memcpy(&v, x->host[4] + (size_t)(i * 8 + r) * 16 + (size_t)2 * c, 2);
                assert_int_equal(v,
                                 trans ? tile_element(i, c, r) : tile_element(i, r, c));
            }
}

static void
test_tiles(void **state)
{
    struct kernel_text *x = malloc(sizeof *x);
    uint16_t v;

    (void)state;
    assert_non_null(x);
    text_begin(x);
    for (unsigned count = 1; count <= 4; count *= 2)
        for (unsigned trans = 0; trans < 2; trans++) {
            check_ldmatrix(x, count, trans, ".shared");
            check_ldmatrix(x, count, trans, "");
            check_stmatrix(x, count, trans);
        }
    text_head(x);
    for (unsigned i = 0; i < 64; i++) {
        v = tile_element(1, i / 8, i % 8);
        memcpy(x->host[0] + (size_t)2 * i, &v, 2);
    }
    text_say(x, "mad.wide.u32 %%q0, %%r1, 4, %%p0;\nld.global.b32 %%a0, [%%q0];\n"
                "movmatrix.sync.aligned.m8n8.trans.b16 %%a1, %%a0;\n"
                "mad.wide.u32 %%q0, %%r1, 4, %%p4;\nst.global.b32 [%%q0], %%a1;\n");
    text_run(x, 1);
    for (unsigned i = 0; i < 64; i++) {
        memcpy(&v, x->host[4] + (size_t)2 * i, 2);
        assert_int_equal(v, tile_element(1, i % 8, i / 8));
    }
    text_end(x);
    free(x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
