/* cvt.pack (PTX ISA 9.7.9.22). */
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "convert.h"
#include "scalar.h"

/* Saturates both operands and packs the first above the second. Of bytes, c is moved up
 * by the two. `type` is that of the result. */
static uint64_t
pack_saturated(const uint64_t *v, uint32_t type)
{
    enum ptx_type to = (enum ptx_type)type;
    unsigned bits = ptx_type_bytes(to) * 8;
    uint64_t packed = v[2];

    for (unsigned i = 0; i < 2; i++) {
        uint64_t x = (uint64_t)(int64_t)(int32_t)v[i];

        x = convert_integer(x, (int64_t)x < 0, to, true);
        packed = packed << bits | (x & (((uint64_t)1 << bits) - 1));
    }
    return packed;
}

int
decode_cvt_pack(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type to = type_read(d, in, 0);
    bool bytes = ptx_type_bytes(to) == 1;

    if (!mod_read(d, in, PTX_MOD_sat) || type_read(d, in, 1) != PTX_s32 ||
        (bytes && type_read(d, in, 2) != PTX_b32) ||
        (to != PTX_u8 && to != PTX_s8 && to != PTX_u16 && to != PTX_s16) ||
        in->type_count != (bytes ? 3 : 2) || in->operand_count != (bytes ? 4 : 3))
        return -1;
    count_unit(d, in);
    return emit_scalar(d, in, pack_saturated, (uint32_t)to, PTX_b32,
                       (enum ptx_type[]){PTX_s32, PTX_s32, PTX_b32}, bytes ? 3 : 2);
}
