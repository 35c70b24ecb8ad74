/* The table of opcodes, and what follows from its rows alone. */
#include "opcode.h"

#include "families.h"

static const struct opcode opcodes[PTX_OP_COUNT] = {
    [PTX_OP_UNKNOWN] = {"?", decode_unknown, 0, PTX_MAX_OPERANDS, UNIT_NONE, 0, 1, 4,
                        PARKS_NEVER, RESULT_FIRST, cost_arithmetic},
#define X(name, family, least, most, unit, work, slots, cycles, parks, result, cost)     \
    [PTX_OP_##name] = {                                                                  \
        #name,  decode_##family, least,           most,       UNIT_##unit, work, slots,  \
        cycles, PARKS_##parks,   RESULT_##result, cost_##cost},
#include "../../ptx/opcodes.def"
#undef X
};

const struct opcode *
opcode_of(enum ptx_op op)
{
    return &opcodes[op];
}

int
decode_unknown(struct decoder *d, const struct ptx_insn *in)
{
    (void)d;
    (void)in;
    return -1;
}

static void
count_type(struct decoder *d, enum ptx_type type, uint32_t work)
{
    if (type == PTX_f32)
        count_work(d, WORK_FP32, work);
    else if (type == PTX_f64)
        count_work(d, WORK_FP64, work);
    else
        count_work(d, WORK_INT, ptx_type_bytes(type) == 8 ? 2 : 1);
}

void
count_unit(struct decoder *d, const struct ptx_insn *in)
{
    const struct opcode *row = opcode_of(in->op);
    enum ptx_type type = (enum ptx_type)in->types[0];

    switch ((enum opcode_unit)row->unit) {
    case UNIT_INT:
        count_work(d, WORK_INT, row->work);
        break;
    case UNIT_SFU: /* of a pair each half is one operation */
        count_work(d, WORK_SFU,
                   row->work * (type == PTX_f16x2 || type == PTX_bf16x2 ? 2u : 1u));
        break;
    case UNIT_SFU_TYPE: /* a reciprocal and the steps that correct it */
        count_work(d, WORK_SFU, 1);
        count_type(d, type, row->work);
        break;
    case UNIT_TYPE:
        count_type(d, type, row->work);
        break;
    case UNIT_NONE:
    case UNIT_TENSOR:
    case UNIT_FORM:
        break;
    }
}

bool
may_park(const struct ptx_insn *in)
{
    uint8_t parks = opcode_of(in->op)->parks;

    return parks == PARKS_ALWAYS ||
           (parks == PARKS_SYNC && ptx_has_mod(in, PTX_MOD_sync));
}

bool
ends_region(const struct ptx_insn *in)
{
    return opcode_of(in->op)->parks == PARKS_ALWAYS;
}

bool
writes_first_operand(const struct ptx_insn *in)
{
    switch ((enum opcode_result)opcode_of(in->op)->result) {
    case RESULT_NONE:
        return false;
    case RESULT_IF_RED:
        return ptx_has_mod(in, PTX_MOD_red);
    case RESULT_UNLESS_STORE:
        return !ptx_has_mod(in, PTX_MOD_store);
    case RESULT_FIRST:
        break;
    }
    return in->operand_count != 0 && !in->operands[0].is_address;
}

struct issue_cost
issue_cost(const struct ptx_insn *in, const struct issue_place *at)
{
    const struct opcode *row = opcode_of(in->op);
    struct issue_cost c = {.slots = row->slots, .cycles = row->cycles};

    row->cost(in, at, &c);
    if (in->guarded && c.slots == 0) { /* the old value may stay: that is a choice */
        c.slots = 1;
        c.cycles = 4;
    }
    return c;
}
