// links: exec ptx
/* The table of opcodes: each has one row, one owner and all of its fields. */
#include "emulator/exec/decode/families.h"
#include "emulator/exec/decode/opcode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name;
    int (*decode)(struct decoder *d, const struct ptx_insn *in);
} families[] = {
#define X(name) {#name, decode_##name},
    FAMILIES(X)
#undef X
};

/* The rows as they are written, in their order. */
static const struct {
    const char *name, *family;
} rows[] = {
#define X(name, family, ...) {#name, #family},
#include "emulator/ptx/opcodes.def"
#undef X
};

enum {
    ROWS = sizeof rows / sizeof *rows,
    FAMILY_COUNT = sizeof families / sizeof *families
};

static void
test_each_opcode_has_one_owner(void **state)
{
    unsigned owned[FAMILY_COUNT] = {0};

    (void)state;
    assert_int_equal(ROWS, PTX_OP_COUNT - 1);
    for (unsigned i = 0; i < ROWS; i++) {
        const struct opcode *row = opcode_of((enum ptx_op)(i + 1));
        unsigned owners = 0;

        assert_string_equal(row->name, rows[i].name);
        assert_string_equal(row->name, ptx_op_name((enum ptx_op)(i + 1)));
        if (i > 0 && strcmp(rows[i - 1].name, rows[i].name) >= 0)
            fail_msg("%s stands behind %s", rows[i].name, rows[i - 1].name);
        for (unsigned k = 0; k < FAMILY_COUNT; k++) {
            if (families[k].decode != row->decode)
                continue;
            assert_string_equal(families[k].name, rows[i].family);
            owners++;
            owned[k]++;
        }
        if (owners != 1)
            fail_msg("%s has %u owners", rows[i].name, owners);
    }
    for (unsigned k = 0; k < FAMILY_COUNT; k++)
        if (owned[k] == 0)
            fail_msg("the family %s owns no opcode", families[k].name);
}

static void
test_each_row_has_all_fields(void **state)
{
    (void)state;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const struct opcode *row = opcode_of((enum ptx_op)op);
        bool counts;

        assert_non_null(row->name);
        if (row->decode == NULL || row->cost == NULL)
            fail_msg("%s has no owner, or no cost", row->name);
        if (row->least > row->most || row->most > PTX_MAX_OPERANDS)
            fail_msg("%s has %u to %u operands", row->name, row->least, row->most);
        if (row->unit < UNIT_NONE || row->unit > UNIT_FORM || row->parks < PARKS_NEVER ||
            row->parks > PARKS_SYNC || row->result < RESULT_FIRST ||
            row->result > RESULT_UNLESS_STORE)
            fail_msg("%s leaves a field out", row->name);
        counts = row->unit == UNIT_TYPE || row->unit == UNIT_INT ||
                 row->unit == UNIT_SFU || row->unit == UNIT_SFU_TYPE;
        if ((row->work != 0) != counts && row->unit != UNIT_FORM)
            fail_msg("%s does %u operations of a unit that counts %s", row->name,
                     row->work, counts ? "them" : "none");
        if (row->slots == 0 && row->cycles != 0)
            fail_msg("%s takes cycles without a slot", row->name);
    }
}

static struct issue_cost
cost_of(enum ptx_op op, enum ptx_type type, enum ptx_mod mod, enum ptx_space space)
{
    struct ptx_insn in = {.op = op, .type_count = 1, .mod_count = 1};
    struct issue_place at = {.space = space, .in_entry = true};

    in.types[0] = (uint8_t)type;
    in.mods[0] = (uint8_t)mod;
    return issue_cost(&in, &at);
}

/* Costs that depend on types, modifiers and spaces, as they were measured. */
static void
test_costs_depend_on_the_form(void **state)
{
    static const struct {
        enum ptx_op op;
        enum ptx_type type;
        enum ptx_mod mod;
        enum ptx_space space;
        struct issue_cost cost;
    } cases[] = {
        {PTX_OP_add, PTX_f32, PTX_MOD_rn, PTX_SPACE_GENERIC, {.slots = 1, .cycles = 4}},
        {PTX_OP_add, PTX_f64, PTX_MOD_rn, PTX_SPACE_GENERIC, {.slots = 1, .cycles = 8}},
        {PTX_OP_mul, PTX_s64, PTX_MOD_lo, PTX_SPACE_GENERIC, {.slots = 4, .cycles = 16}},
        {PTX_OP_mad, PTX_u64, PTX_MOD_wide, PTX_SPACE_GENERIC, {.slots = 1, .cycles = 4}},
        {PTX_OP_div, PTX_f32, PTX_MOD_rn, PTX_SPACE_GENERIC, {.slots = 9, .cycles = 60}},
        {PTX_OP_div,
         PTX_f32,
         PTX_MOD_full,
         PTX_SPACE_GENERIC,
         {.slots = 4, .cycles = 35}},
        {PTX_OP_div,
         PTX_s32,
         PTX_MOD_UNKNOWN,
         PTX_SPACE_GENERIC,
         {.slots = 20, .cycles = 80}},
        {PTX_OP_rem,
         PTX_u64,
         PTX_MOD_UNKNOWN,
         PTX_SPACE_GENERIC,
         {.slots = 80, .cycles = 250}},
        {PTX_OP_sqrt, PTX_f32, PTX_MOD_rn, PTX_SPACE_GENERIC, {.slots = 8, .cycles = 50}},
        {PTX_OP_ex2,
         PTX_f32,
         PTX_MOD_approx,
         PTX_SPACE_GENERIC,
         {.slots = 2, .cycles = 20}},
        {PTX_OP_ld, PTX_u32, PTX_MOD_param, PTX_SPACE_PARAM, {0}},
        {PTX_OP_ld,
         PTX_u32,
         PTX_MOD_shared,
         PTX_SPACE_SHARED,
         {.slots = 1, .cycles = 25}},
        {PTX_OP_ld,
         PTX_u32,
         PTX_MOD_nc,
         PTX_SPACE_GLOBAL,
         {.slots = 1, .load = true, .unordered = true}},
        {PTX_OP_st,
         PTX_u32,
         PTX_MOD_global,
         PTX_SPACE_GLOBAL,
         {.slots = 1, .orders = true}},
        {PTX_OP_atom,
         PTX_u32,
         PTX_MOD_add,
         PTX_SPACE_SHARED,
         {.slots = 2, .cycles = 60, .orders = true}},
        {PTX_OP_atom,
         PTX_u32,
         PTX_MOD_add,
         PTX_SPACE_GLOBAL,
         {.slots = 1, .load = true, .orders = true}},
        {PTX_OP_red,
         PTX_u32,
         PTX_MOD_add,
         PTX_SPACE_GLOBAL,
         {.slots = 1, .orders = true}},
        {PTX_OP_bar,
         PTX_TYPE_NONE,
         PTX_MOD_sync,
         PTX_SPACE_GENERIC,
         {.slots = 1, .cycles = 25, .orders = true}},
        {PTX_OP_mov, PTX_f64, PTX_MOD_UNKNOWN, PTX_SPACE_GENERIC, {0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct issue_cost c =
            cost_of(cases[i].op, cases[i].type, cases[i].mod, cases[i].space);
        const struct issue_cost *want = &cases[i].cost;

        if (c.slots != want->slots || c.cycles != want->cycles || c.load != want->load ||
            c.unordered != want->unordered || c.orders != want->orders)
            fail_msg("case %zu: %s takes %u slots and %u cycles", i,
                     ptx_op_name(cases[i].op), c.slots, c.cycles);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_opcode_has_one_owner),
        cmocka_unit_test(test_each_row_has_all_fields),
        cmocka_unit_test(test_costs_depend_on_the_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
