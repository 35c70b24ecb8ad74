/*
 * Names that several units share (PTX ISA 5.4, 11.6). nvcc -rdc=true compiles each
 * source to a unit of its own and leaves common names to the linker. Where a program
 * brings PTX, that linker is this file.
 *
 * The units stand one after the other in one text. A name that links is the same symbol
 * in all of them. A unit's local names are forgotten at its end, so that the next unit
 * may have the same ones. A local name hides a linked one.
 */
#include "front.h"

#include <string.h>

enum linkage
parse_linkage(struct parser *p)
{
    enum linkage linkage = LINKAGE_LOCAL;

    for (;; lex_next(p)) {
        if (tok_is_dot(p, "extern"))
            linkage = LINKAGE_EXTERN;
        else if (tok_is_dot(p, "visible"))
            linkage = LINKAGE_VISIBLE;
        else if (tok_is_dot(p, "weak") || tok_is_dot(p, "common"))
            linkage = LINKAGE_WEAK;
        else
            return linkage;
    }
}

void
begin_unit(struct parser *p)
{
    if (p->module->version_major == 0) /* the first unit */
        return;
    scope_forget_local(p);
    p->unit++;
    p->file_base = p->module->file_count;
    p->loc = NULL;
}

/* Does the declaration that is being parsed mean the symbol y? */
static bool
is_same(const struct parser *p, const struct symbol *y)
{
    return y->unit == p->unit || (!y->local && p->linkage != LINKAGE_LOCAL);
}

/* Merges two declarations of a variable, if one only declares it or may be replaced. */
static bool
merge_vars(const struct parser *p, struct symbol *y, struct ptx_var *v)
{
    struct ptx_var *old = y->var;

    if (old->space != v->space)
        return false;
    if (v->is_extern || (!old->is_extern && p->linkage == LINKAGE_WEAK))
        return true; /* the older definition stays */
    if (!old->is_extern)
        return false;
    old->bytes = v->bytes;
    old->align = v->align > old->align ? v->align : old->align;
    old->is_extern = false;
    old->is_managed |= v->is_managed;
    old->init = v->init;
    y->local &= p->linkage == LINKAGE_LOCAL;
    old->is_local = y->local;
    return true;
}

bool
declare_var(struct parser *p, struct ptx_var *v)
{
    size_t len = strlen(v->name);
    struct symbol *y = symbol_find(p, v->name, len);

    if (p->func != NULL) { /* a function's own variable */
        symbol_add(p, SYMBOL_VAR, v->name, len)->var = v;
        return true;
    }
    if (y != NULL && y->scope == 0 && y->kind == SYMBOL_VAR && is_same(p, y) &&
        merge_vars(p, y, v))
        return false;
    if (y != NULL && y->scope == 0 && is_same(p, y))
        parse_fail(p, v->line, "'%.80s' is defined twice", v->name);
    y = symbol_add(p, SYMBOL_VAR, v->name, len);
    y->var = v;
    y->local = p->linkage == LINKAGE_LOCAL;
    v->is_local = y->local;
    v->unit = p->unit;
    return true;
}

struct ptx_func *
declare_func(struct parser *p, const char *name, size_t len, bool is_entry)
{
    struct symbol *y = symbol_find(p, name, len);
    struct ptx_func *f;

    if (y != NULL && y->scope == 0 && y->kind != SYMBOL_FUNC && is_same(p, y))
        parse_fail(p, p->tok.line, "'%.*s' is a variable and a function",
                   (int)(len < 80 ? len : 80), name);
    if (y != NULL && y->kind == SYMBOL_FUNC && is_same(p, y)) {
        y->local &= p->linkage == LINKAGE_LOCAL;
        y->func->is_local = y->local;
        return y->func;
    }
    f = alloc(p, sizeof *f);
    f->name = copy_text(p, name, len);
    f->is_entry = is_entry;
    f->line = p->tok.line;
    f->index = p->module->func_count++;
    f->unit = p->unit;
    y = symbol_add(p, SYMBOL_FUNC, f->name, len);
    y->func = f;
    y->local = p->linkage == LINKAGE_LOCAL;
    f->is_local = y->local;
    *p->func_tail = f;
    p->func_tail = &f->next;
    return f;
}

bool
skip_weak_body(struct parser *p, const struct ptx_func *f)
{
    int depth = 0;

    if (!f->has_body || f->unit == p->unit ||
        (!f->is_weak && p->linkage != LINKAGE_WEAK) || !tok_is(p, '{'))
        return false;
    do {
        if (p->tok.kind == TOKEN_END)
            parse_fail(p, p->tok.line, "the text ends within a function");
        depth += tok_is(p, '{') ? 1 : tok_is(p, '}') ? -1 : 0;
        lex_next(p);
    } while (depth > 0);
    return true;
}
