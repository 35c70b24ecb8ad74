/* The tables of names: types, opcodes, modifiers, special registers. */
#include "ptx.h"

static const struct {
    const char *name;
    uint8_t bytes;
    enum ptx_class class;
} types[PTX_TYPE_COUNT] = {[PTX_TYPE_NONE] = {"none", 0, PTX_CLASS_NONE},
#define X(name, bytes, class) [PTX_##name] = {#name, bytes, PTX_CLASS_##class},
                           PTX_TYPES(X)
#undef X
};

static const char *const op_names[PTX_OP_COUNT] = {
    [PTX_OP_UNKNOWN] = "?",
#define X(name, ...) [PTX_OP_##name] = #name,
#include "opcodes.def"
#undef X
};

static const char *const mod_names[PTX_MOD_COUNT] = {
    [PTX_MOD_UNKNOWN] = "?",
#define X(id, text) [PTX_MOD_##id] = (text),
#include "modifiers.def"
#undef X
};

static const uint8_t sreg_bytes[PTX_SREG_COUNT] = {
#define X(id, text, bytes) [PTX_SREG_##id] = bytes,
#include "sregs.def"
#undef X
};

const char *
ptx_type_name(enum ptx_type t)
{
    return types[t].name;
}

unsigned
ptx_type_bytes(enum ptx_type t)
{
    return types[t].bytes;
}

enum ptx_class
ptx_type_class(enum ptx_type t)
{
    return types[t].class;
}

const char *
ptx_op_name(enum ptx_op op)
{
    return op_names[op];
}

const char *
ptx_mod_name(enum ptx_mod mod)
{
    return mod_names[mod];
}

unsigned
ptx_sreg_bytes(enum ptx_sreg r)
{
    return sreg_bytes[r];
}

bool
ptx_has_mod(const struct ptx_insn *in, enum ptx_mod mod)
{
    for (unsigned i = 0; i < in->mod_count; i++)
        if (in->mods[i] == mod)
            return true;
    return false;
}
