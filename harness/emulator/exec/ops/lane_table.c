/* Looks handlers up in the lane tables. */
#include "lane_table.h"

#include "../machine.h"

static enum ptx_type
unsigned_of(enum ptx_type t)
{
    switch (ptx_type_bytes(t)) {
    case 2:
        return PTX_u16;
    case 4:
        return PTX_u32;
    case 8:
        return PTX_u64;
    default:
        return PTX_TYPE_NONE;
    }
}

static handler
find_exact(const struct machine *m, struct lane_key key)
{
    const struct lane_entry *table = m->avx2 ? lanes_avx2 : lanes_generic;
    size_t count = m->avx2 ? lanes_avx2_count : lanes_generic_count;

    for (size_t i = 0; i < count; i++)
        if (table[i].op == key.op && table[i].type == key.type &&
            table[i].from == key.from && table[i].variant == key.variant)
            return table[i].fn;
    return NULL;
}

/* Two's complement makes many operations the same for signed, unsigned and bits; the
 * table has those under the unsigned type. */
handler
lane_find(const struct machine *m, struct lane_key key)
{
    handler fn = find_exact(m, key);
    enum ptx_class class = ptx_type_class(key.type);

    if (fn != NULL)
        return fn;
    if (class == PTX_CLASS_BITS || class == PTX_CLASS_SINT || key.op == PTX_OP_mov ||
        key.op == PTX_OP_selp) {
        key.type = unsigned_of(key.type);
        return find_exact(m, key);
    }
    return NULL;
}
