/*
 * The fields of operands, each of which somebody must read. A decoder of a family takes
 * what it knows of an operand, and the functions that it asks say which fields they read.
 * What is left over would be ignored, so the instruction is refused instead. modifiers.c
 * does the same for modifiers and types.
 */
#include "decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what was read --------------------------------------------------------- */

static uint32_t
last_place(const struct ptx_operand *o)
{
    uint32_t last = o->place;

    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++) {
        uint32_t place = last_place(&o->list[i]);

        last = place > last ? place : last;
    }
    if (o->second != NULL && last_place(o->second) > last)
        last = last_place(o->second);
    return last;
}

void
reading_begin(struct decoder *d, const struct ptx_insn *in)
{
    uint32_t count = 0;

    d->mods_read = d->types_read = 0;
    for (unsigned i = 0; i < in->operand_count; i++) {
        uint32_t place = last_place(&in->operands[i]);

        count = place >= count ? place + 1 : count;
    }
    if (count > d->read_max) {
        uint8_t *read = realloc(d->read, count);

        if (read == NULL) {
            d->no_memory = true;
            return;
        }
        d->read = read;
        d->read_max = count;
    }
    if (count != 0)
        memset(d->read, 0, count);
}

void
operand_read(struct decoder *d, const struct ptx_operand *o, unsigned fields)
{
    if (o->place != 0 && o->place < d->read_max)
        d->read[o->place] |= (uint8_t)fields;
}

void
address_read(struct decoder *d, const struct ptx_operand *o)
{
    operand_read(d, o, OPERAND_VALUE | OPERAND_OFFSET | OPERAND_ADDRESS);
}

void
hints_read(struct decoder *d, const struct ptx_insn *in, unsigned first, unsigned last)
{
    for (unsigned i = first; i < last && i < in->operand_count; i++)
        address_read(d, &in->operands[i]);
}

bool
has_sum(const struct ptx_insn *in)
{
    bool found = false;

    for (unsigned i = 0; i < in->operand_count; i++)
        found |= in->operands[i].kind == PTX_OPERAND_REG && in->operands[i].offset != 0;
    return found;
}

bool
is_plain(const struct ptx_operand *o)
{
    return !o->negated && !o->minus && o->selector == NULL && o->second == NULL;
}

/* --- what is left over ------------------------------------------------------ */

/* The name of a field that is set and was not read; NULL: all were read. */
static const char *
unread_field(const struct decoder *d, const struct ptx_operand *o)
{
    const char *name = NULL;
    unsigned left;

    if (o->place == 0 || o->place >= d->read_max)
        return NULL;
    left = ~(unsigned)d->read[o->place];
    if (o->is_address && (left & OPERAND_ADDRESS) != 0)
        return "the brackets";
    if (o->negated && (left & OPERAND_NEGATED) != 0)
        return "the negation";
    if (o->minus && (left & OPERAND_MINUS) != 0)
        return "the minus sign";
    if (o->offset != 0 && (left & OPERAND_OFFSET) != 0)
        return "the offset";
    if (o->selector != NULL && (left & OPERAND_SELECTOR) != 0)
        return "the selector";
    if (o->kind != PTX_OPERAND_LIST && o->kind != PTX_OPERAND_SINK &&
        (left & OPERAND_VALUE) != 0)
        return "the value";
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count && name == NULL; i++)
        name = unread_field(d, &o->list[i]);
    return name == NULL && o->second != NULL ? unread_field(d, o->second) : name;
}

static const char *
space_name(enum ptx_space space)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
        return "global";
    case PTX_SPACE_CONST:
        return "constant";
    case PTX_SPACE_SHARED:
        return "shared";
    case PTX_SPACE_LOCAL:
        return "local";
    case PTX_SPACE_PARAM:
        return "parameter";
    default:
        return "generic";
    }
}

static bool
names_space(const struct ptx_insn *in, enum ptx_space space)
{
    struct ptx_insn one = *in;

    for (unsigned i = 0; i < in->mod_count; i++) {
        one.mod_count = 1;
        one.mods[0] = in->mods[i];
        if (insn_space(&one) == space)
            return true;
    }
    return false;
}

/* May the access name a variable of this space? An access that names no space takes
 * variables whose address is a generic one, or becomes one by a window. */
static bool
space_fits(const struct ptx_insn *in, const struct ptx_operand *o)
{
    enum ptx_space space = o->var->space;

    if (insn_space(in) == PTX_SPACE_GENERIC)
        return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_SHARED ||
               space == PTX_SPACE_LOCAL;
    return names_space(in, space);
}

/* The discarded results that an instruction may have: _, _|p and d|_. The ISA has no
 * rules for them; these are ptxas's. */
enum { DISCARDS_ALL = 1, DISCARDS_FIRST = 2, DISCARDS_SECOND = 4 };

static unsigned
discards_allowed(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_atom:
    case PTX_OP_mbarrier:
    case PTX_OP_call:
        return DISCARDS_ALL;
    case PTX_OP_setp:
        return DISCARDS_ALL | DISCARDS_FIRST | DISCARDS_SECOND;
    case PTX_OP_lop3:
        return DISCARDS_ALL | DISCARDS_FIRST;
    case PTX_OP_elect:
        return DISCARDS_FIRST;
    case PTX_OP_match:
        return DISCARDS_FIRST | DISCARDS_SECOND;
    case PTX_OP_shfl:
        return DISCARDS_SECOND;
    default:
        return 0;
    }
}

/* Does the instruction discard a result that it may not discard? Of a list of results
 * any may be discarded, but not all. */
static bool
discards_too_much(const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    unsigned allowed = discards_allowed(in->op);
    bool first, second;

    if (in->operand_count == 0)
        return false;
    first = o->kind == PTX_OPERAND_SINK;
    second = o->second != NULL && o->second->kind == PTX_OPERAND_SINK;
    if (o->kind == PTX_OPERAND_LIST && in->op != PTX_OP_call) {
        first = o->count != 0;
        for (uint32_t i = 0; i < o->count; i++)
            first = first && o->list[i].kind == PTX_OPERAND_SINK;
        return first;
    }
    if (first && second)
        return true;
    return (first &&
            (allowed & (o->second != NULL ? DISCARDS_FIRST : DISCARDS_ALL)) == 0) ||
           (second && (allowed & DISCARDS_SECOND) == 0);
}

/* The type that nobody read; PTX_TYPE_NONE: all were read. */
static enum ptx_type
unread_type(const struct decoder *d, const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->type_count; i++)
        if ((d->types_read >> i & 1) == 0)
            return (enum ptx_type)in->types[i];
    return PTX_TYPE_NONE;
}

const char *
fields_reason(struct decoder *d, const struct ptx_insn *in)
{
    enum { SIZE = 120 };
    char text[SIZE] = "", *copy;
    enum ptx_mod mod = mod_unread(d, in);
    enum ptx_type type = unread_type(d, in);

    if (mod != PTX_MOD_UNKNOWN)
        snprintf(text, sizeof text, "it has no use for the modifier .%s",
                 ptx_mod_name(mod));
    else if (type != PTX_TYPE_NONE)
        snprintf(text, sizeof text, "it has no use for the type .%s",
                 ptx_type_name(type));
    else if (discards_too_much(in))
        snprintf(text, sizeof text, "its result cannot be discarded by _");
    for (unsigned i = 0; i < in->operand_count && text[0] == '\0'; i++) {
        const struct ptx_operand *o = &in->operands[i];
        const char *field = unread_field(d, o);
        bool is_source = in->op == PTX_OP_cvta && i == 1;

        if (o->kind == PTX_OPERAND_VAR && (o->is_address || is_source) &&
            !space_fits(in, o))
            snprintf(text, sizeof text, "its operand %u is a variable of %s memory",
                     i + 1, space_name(o->var->space));
        else if (field != NULL)
            snprintf(text, sizeof text, "it has no use for %s of its operand %u", field,
                     i + 1);
    }
    if (text[0] == '\0')
        return NULL;
    copy = kernel_alloc(d, SIZE);
    if (copy != NULL)
        memcpy(copy, text, SIZE);
    return copy;
}
