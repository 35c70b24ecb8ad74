/*
 * Operands (PTX ISA 6). A register gets its lane vector at its first use. Immediates,
 * addresses of variables and special registers get lane vectors that are written when a
 * frame is made. The width of each operand is checked against that of its register, so
 * that no handler can access a lane vector beyond its end.
 */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of a warp's registers in one function: 250 000 registers of 64 bits. */
#define FRAME_BYTES_MAX (64u << 20)

uint32_t
register_bytes(enum ptx_type type)
{
    uint32_t bytes = ptx_type_bytes(type);

    return bytes == 1 ? 2 : bytes; /* 8-bit registers live in 16-bit lane vectors */
}

/* element_bytes is 0 for a predicate. */
uint32_t
new_vector(struct decoder *d, uint32_t element_bytes)
{
    uint32_t vector = d->frame_bytes;

    if (vector > FRAME_BYTES_MAX) {
        d->no_memory = true; /* nothing of this kernel will run */
        return 0;
    }
    d->frame_bytes += element_bytes == 0 ? 32 : element_bytes * LANES;
    return vector;
}

uint32_t
reg_vector(struct decoder *d, uint32_t reg, enum ptx_type type)
{
    uint32_t bytes = register_bytes(type);

    if (bytes > 8 || ptx_type_class(type) == PTX_CLASS_OPAQUE)
        return UINT32_MAX;
    return register_vector(d, reg, type == PTX_pred ? 0 : bytes);
}

static void *
grow(struct decoder *d, void *list, uint32_t count, uint32_t *max, size_t size)
{
    uint32_t n = *max != 0 ? *max * 2 : 32;
    void *larger;

    if (count < *max)
        return list;
    larger = realloc(list, n * size);
    if (larger == NULL) {
        d->no_memory = true;
        return NULL;
    }
    *max = n;
    return larger;
}

/* bytes is 0 for a predicate, which is all ones or all zeros. */
uint32_t
constant_vector(struct decoder *d, uint64_t bits, uint32_t bytes)
{
    /* There is a map for predicates, and one each for 2, 4 and 8 bytes. */
    struct number_map *map = &d->constant_vectors[bytes < 4 ? bytes / 2 : bytes / 4 + 1];
    struct constant *list;
    uint32_t *number;

    if (bytes < 8 && bytes != 0)
        bits &= ((uint64_t)1 << (8 * bytes)) - 1;
    if (bytes == 0)
        bits = bits != 0 ? FULL_MASK : 0;
    number = number_map_at(map, bits);
    if (number != NULL && *number != 0)
        return d->constants[*number - 1].vector;
    list = grow(d, d->constants, d->constant_count, &d->constant_max, sizeof *list);
    if (list == NULL || number == NULL) {
        d->constants = list != NULL ? list : d->constants;
        d->no_memory = true;
        return UINT32_MAX;
    }
    d->constants = list;
    *number = d->constant_count + 1;
    list[d->constant_count] = (struct constant){bits, new_vector(d, bytes), bytes};
    return list[d->constant_count++].vector;
}

/* How often a lane vector of an entry's frame must be written again. Warps use a frame
 * one after the other. */
static int
change_of(const struct special *s)
{
    if (s->parameter)
        return PER_LAUNCH;
    switch (s->sreg) {
    case PTX_SREG_NONE:
    case PTX_SREG_COUNT:
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z:
    case PTX_SREG_laneid:
        return PER_LAUNCH;
    case PTX_SREG_ctaid_x:
    case PTX_SREG_ctaid_y:
    case PTX_SREG_ctaid_z:
        return PER_BLOCK;
    default:
        return PER_WARP;
    }
}

static uint32_t
special_vector(struct decoder *d, struct special s)
{
    uint64_t key = (uint64_t)s.local_offset << 32 | (uint64_t)s.sreg << 16 |
                   (uint64_t)s.bytes << 1 | s.parameter;
    struct special *list;
    uint32_t *number = number_map_at(&d->special_vectors, key);

    if (number != NULL && *number != 0)
        return d->specials[*number - 1].vector;
    list = grow(d, d->specials, d->special_count, &d->special_max, sizeof *list);
    if (list == NULL || number == NULL) {
        d->specials = list != NULL ? list : d->specials;
        d->no_memory = true;
        return UINT32_MAX;
    }
    d->specials = list;
    *number = d->special_count + 1;
    s.vector = new_vector(d, s.bytes);
    s.changes = change_of(&s);
    list[d->special_count++] = s;
    return s.vector;
}

uint32_t
parameter_vector(struct decoder *d, uint32_t offset, uint32_t bytes)
{
    return special_vector(
        d, (struct special){.parameter = true, .bytes = bytes, .local_offset = offset});
}

bool
constant_value(const struct decoder *d, uint32_t vector, uint64_t *bits)
{
    uint32_t low = 0, high = d->constant_count; /* the offsets of lane vectors grow */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (d->constants[middle].vector < vector)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == d->constant_count || d->constants[low].vector != vector)
        return false;
    *bits = d->constants[low].bits;
    return true;
}

/* The address, in 64 bits, of this offset in the frame's local memory. */
uint32_t
frame_address_vector(struct decoder *d, uint32_t offset)
{
    return special_vector(
        d, (struct special){.sreg = PTX_SREG_NONE, .bytes = 8, .local_offset = offset});
}

/* --- variables ----------------------------------------------------------- */

static uint64_t
shared_address(struct decoder *d, const struct ptx_var *v)
{
    struct kernel *k = d->kernel;
    struct shared_var *s;

    for (s = k->shared_vars; s != NULL; s = s->next)
        if (s->var == v)
            return s->offset;
    s = kernel_alloc(d, sizeof *s);
    if (s == NULL)
        return 0;
    s->var = v;
    s->next = k->shared_vars;
    k->shared_vars = s;
    if (v->align > k->shared_align)
        k->shared_align = v->align;
    if (v->bytes == 0 || v->is_extern) {
        s->dynamic = true; /* begins where the static variables end, which is known after
                              decoding */
        return 0;
    }
    k->static_shared = (k->static_shared + v->align - 1) & ~(v->align - 1);
    s->offset = k->static_shared;
    k->static_shared += (uint32_t)v->bytes;
    return s->offset;
}

/* The address of a variable in its own space, or with in_frame relative to the frame's
 * local memory. */
int
variable_address(struct decoder *d, const struct ptx_var *v, uint64_t *address,
                 bool *in_frame)
{
    struct module *mod = d->kernel->module;

    *in_frame = false;
    switch (v->space) {
    case PTX_SPACE_SHARED:
        if (v->bytes > (1u << 20) || d->kernel->static_shared > (1u << 28))
            return -1;
        *address = shared_address(d, v);
        return 0;
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        if (v->owner == NULL)
            *address = mod->addresses[v->index];
        else
            *address = mod->func_addresses[v->owner->index] != NULL
                           ? mod->func_addresses[v->owner->index][v->index]
                           : 0;
        return *address != 0 ? 0 : -1;
    case PTX_SPACE_PARAM:
        if (d->func->is_entry) {
            const struct ptx_var *p = d->func->params;

            for (uint32_t i = 0; p != NULL && i < d->kernel->param_count;
                 p = p->next, i++) {
                if (p == v) {
                    *address = d->kernel->params[i].offset;
                    return 0;
                }
            }
        }
        /* fall through */
    case PTX_SPACE_LOCAL:
        for (uint32_t i = 0; i < d->frame_var_count; i++) {
            if (d->frame_vars[i].var == v) {
                *in_frame = true;
                *address = d->frame_vars[i].offset;
                return 0;
            }
        }
        return -1;
    default:
        return -1;
    }
}

/* --- sources and destinations -------------------------------------------- */

static uint64_t
immediate_bits(const struct ptx_operand *o, enum ptx_type type)
{
    bool wants_double = type == PTX_f64 || type == PTX_b64 || type == PTX_u64;
    uint32_t word = (uint32_t)o->bits;
    uint64_t bits = o->bits;
    float f;
    double v;

    if (o->kind == PTX_OPERAND_F32 && wants_double) {
        memcpy(&f, &word, sizeof f);
        v = (double)f;
        memcpy(&bits, &v, sizeof bits);
    } else if (o->kind == PTX_OPERAND_F64 && !wants_double) {
        memcpy(&v, &bits, sizeof v);
        f = (float)v;
        memcpy(&word, &f, sizeof word);
        bits = word;
    }
    return bits;
}

static uint32_t
variable_vector(struct decoder *d, const struct ptx_operand *o, uint32_t bytes)
{
    uint64_t address;
    bool in_frame;

    if (variable_address(d, o->var, &address, &in_frame) != 0)
        return UINT32_MAX;
    address += (uint64_t)o->offset;
    if (in_frame)
        return special_vector(d, (struct special){.sreg = PTX_SREG_NONE,
                                                  .bytes = bytes,
                                                  .local_offset = (uint32_t)address});
    if (o->var->space == PTX_SPACE_SHARED && (o->var->bytes == 0 || o->var->is_extern))
        return special_vector(d, (struct special){.sreg = PTX_SREG_COUNT,
                                                  .bytes = bytes,
                                                  .local_offset = (uint32_t)address});
    return constant_vector(d, address, bytes);
}

/* The lane vector of a register plus a number, which instructions on integers take as an
 * operand. The PTX ISA does not mention it; ptxas adds them. */
static uint32_t
sum_vector(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    uint32_t bytes = register_bytes(type);
    enum ptx_type sum = bytes == 2 ? PTX_u16 : bytes == 4 ? PTX_u32 : PTX_u64;
    struct insn out = {.fn =
                           lane_handler(d, (struct lane_key){PTX_OP_add, sum,
                                                             PTX_TYPE_NONE, LANE_PLAIN})};

    for (unsigned i = 0; i < d->current->type_count; i++) {
        enum ptx_class class = ptx_type_class((enum ptx_type)d->current->types[i]);

        if (class == PTX_CLASS_FLOAT || class == PTX_CLASS_PACKED)
            return UINT32_MAX;
    }
    if (out.fn == NULL || ptx_type_class(o->type) == PTX_CLASS_FLOAT)
        return UINT32_MAX;
    out.a = reg_vector(d, o->reg, o->type);
    out.b = constant_vector(d, (uint64_t)o->offset, bytes);
    out.d = new_vector(d, bytes);
    if (out.a == UINT32_MAX || out.b == UINT32_MAX)
        return UINT32_MAX;
    operand_read(d, o, OPERAND_OFFSET);
    *emit(d, out.fn) = out;
    return out.d;
}

/* Is a literal one that the type takes? (4.5.2) An integer's bits are no float, and a
 * float's bits are no integer. No literal is a half. */
static bool
literal_fits(const struct ptx_operand *o, enum ptx_type type)
{
    bool is_single = o->kind == PTX_OPERAND_F32;

    switch (ptx_type_class(type)) {
    case PTX_CLASS_FLOAT:
        return o->kind != PTX_OPERAND_INT && (type == PTX_f32 || type == PTX_f64);
    case PTX_CLASS_UINT:
    case PTX_CLASS_SINT:
        return o->kind == PTX_OPERAND_INT;
    case PTX_CLASS_BITS:
        return o->kind == PTX_OPERAND_INT || type == (is_single ? PTX_b32 : PTX_b64);
    default:
        return true;
    }
}

bool
is_number(enum ptx_type type)
{
    enum ptx_class class = ptx_type_class(type);

    return ptx_type_bytes(type) >= 2 && ptx_type_bytes(type) <= 8 && type != PTX_f16 &&
           type != PTX_bf16 &&
           (class == PTX_CLASS_BITS || class == PTX_CLASS_UINT ||
            class == PTX_CLASS_SINT || class == PTX_CLASS_FLOAT);
}

bool
operand_fits(const struct ptx_operand *o, enum ptx_type type)
{
    enum ptx_class wanted = ptx_type_class(type), given = ptx_type_class(o->type);
    bool wants_integer = wanted == PTX_CLASS_UINT || wanted == PTX_CLASS_SINT;
    bool is_integer = given == PTX_CLASS_UINT || given == PTX_CLASS_SINT;

    switch (o->kind) {
    case PTX_OPERAND_REG:
        if (wanted == PTX_CLASS_FLOAT || wanted == PTX_CLASS_PACKED)
            return !is_integer;
        return !wants_integer || given != PTX_CLASS_FLOAT;
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        return literal_fits(o, type);
    default:
        return true;
    }
}

/* The lane vector of a source that is exactly as wide as the type. */
uint32_t
source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    uint32_t bytes = register_bytes(type);

    operand_read(d, o, OPERAND_VALUE);
    if (!operand_fits(o, type))
        return UINT32_MAX;
    switch (o->kind) {
    case PTX_OPERAND_REG:
        if (o->type == PTX_pred || register_bytes(o->type) != bytes)
            return UINT32_MAX;
        if (o->offset != 0)
            return sum_vector(d, o, type);
        return reg_vector(d, o->reg, o->type);
    case PTX_OPERAND_INT:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        return bytes == 0 || bytes > 8
                   ? UINT32_MAX
                   : constant_vector(d, immediate_bits(o, type), bytes);
    case PTX_OPERAND_SREG:
        if (o->sreg == PTX_SREG_NONE || bytes < 2 || bytes > 8 ||
            (o->sreg >= PTX_SREG_clock && o->sreg <= PTX_SREG_globaltimer_hi))
            return UINT32_MAX;
        if (o->sreg >= PTX_SREG_reserved_smem_begin &&
            o->sreg <= PTX_SREG_reserved_smem_1)
            d->kernel->reserved_shared = true;
        return special_vector(d, (struct special){.sreg = o->sreg, .bytes = bytes});
    case PTX_OPERAND_VAR:
        operand_read(d, o, OPERAND_OFFSET);
        return bytes < 4 || bytes > 8 ? UINT32_MAX : variable_vector(d, o, bytes);
    case PTX_OPERAND_FUNC:
        return bytes != 8 ? UINT32_MAX
                          : constant_vector(
                                d, FUNC_ADDRESS_BASE + 16 * (uint64_t)o->func->index, 8);
    default:
        return UINT32_MAX;
    }
}

uint32_t
element(struct decoder *d, const struct ptx_operand *o, enum ptx_type type)
{
    uint32_t bytes = register_bytes(type);

    if (o->kind == PTX_OPERAND_REG)
        type = bytes == 2 ? PTX_b16 : bytes == 4 ? PTX_b32 : PTX_b64;
    return source(d, o, type);
}

/* The lane vector of a source of any width. */
uint32_t
source_any(struct decoder *d, const struct ptx_operand *o, uint32_t *width)
{
    if (o->kind != PTX_OPERAND_REG || o->type == PTX_pred)
        return UINT32_MAX;
    operand_read(d, o, OPERAND_VALUE);
    *width = register_bytes(o->type);
    return reg_vector(d, o->reg, o->type);
}

/* bytes is 0 for a predicate. "_" gets a lane vector that nobody reads. */
uint32_t
destination(struct decoder *d, const struct ptx_operand *o, uint32_t bytes)
{
    operand_read(d, o, OPERAND_VALUE);
    if (o->kind == PTX_OPERAND_SINK)
        return new_vector(d, bytes);
    if (o->kind != PTX_OPERAND_REG || o->is_address)
        return UINT32_MAX;
    if (bytes == 0 ? o->type != PTX_pred
                   : o->type == PTX_pred || register_bytes(o->type) != bytes)
        return UINT32_MAX;
    return reg_vector(d, o->reg, o->type);
}

uint32_t
predicate(struct decoder *d, const struct ptx_operand *o, bool *negated)
{
    operand_read(d, o, OPERAND_VALUE | OPERAND_NEGATED);
    *negated = o->negated;
    if (o->kind == PTX_OPERAND_INT)
        return constant_vector(d, o->bits != 0, 0);
    if (o->kind == PTX_OPERAND_SREG && o->sreg == PTX_SREG_is_explicit_cluster)
        return constant_vector(d, 0, 0); /* no launch asks for clusters of its own */
    if (o->kind != PTX_OPERAND_REG || o->type != PTX_pred)
        return UINT32_MAX;
    return reg_vector(d, o->reg, o->type);
}

/* The space that a modifier names; GENERIC: it names none. */
static enum ptx_space
space_of(enum ptx_mod mod)
{
    switch (mod) {
    case PTX_MOD_global:
        return PTX_SPACE_GLOBAL;
    case PTX_MOD_const_:
        return PTX_SPACE_CONST;
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
    case PTX_MOD_shared_cluster: /* a cluster is one block here */
        return PTX_SPACE_SHARED;
    case PTX_MOD_local:
        return PTX_SPACE_LOCAL;
    case PTX_MOD_param:
    case PTX_MOD_param_entry:
    case PTX_MOD_param_func:
        return PTX_SPACE_PARAM;
    default:
        return PTX_SPACE_GENERIC;
    }
}

/* The number of the first modifier that names a space; mod_count: none does. */
static unsigned
space_modifier(const struct ptx_insn *in)
{
    unsigned i = 0;

    while (i < in->mod_count && space_of((enum ptx_mod)in->mods[i]) == PTX_SPACE_GENERIC)
        i++;
    return i;
}

enum ptx_space
insn_space(const struct ptx_insn *in)
{
    unsigned i = space_modifier(in);

    return i < in->mod_count ? space_of((enum ptx_mod)in->mods[i]) : PTX_SPACE_GENERIC;
}

enum ptx_space
space_read(struct decoder *d, const struct ptx_insn *in)
{
    unsigned i = space_modifier(in);

    if (i < in->mod_count)
        mod_read_at(d, i);
    return insn_space(in);
}

enum ptx_space
access_space(struct decoder *d, const struct ptx_insn *in,
             const struct ptx_operand *address)
{
    enum ptx_space space = space_read(d, in);

    if (space == PTX_SPACE_GENERIC && address->kind == PTX_OPERAND_VAR &&
        (address->var->space == PTX_SPACE_SHARED ||
         address->var->space == PTX_SPACE_LOCAL))
        return address->var->space;
    return space;
}
