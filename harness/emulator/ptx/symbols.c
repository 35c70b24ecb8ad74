/*
 * Names (PTX ISA 4.4, 5.4.1). One hash table holds the names of the language and of the
 * text. A scope's symbols form a list, by which they are removed when the scope ends. A
 * bucket's newest symbol comes first, so an inner name hides an outer one.
 */
#include "front.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
name_hash(const char *name, size_t len, enum symbol_kind kind)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return kind >= SYMBOL_OP ? h * 31 + (uint32_t)kind : h;
}

static void
symbols_rehash(struct parser *p)
{
    struct symbols *s = &p->symbols;
    uint32_t n = s->bucket_count * 2;
    struct symbol **buckets = calloc(n, sizeof(struct symbol *));

    if (buckets == NULL)
        parse_fail(p, 0, "out of memory");
    for (uint32_t i = 0; i < s->bucket_count; i++) {
        struct symbol *reversed = NULL, *next;

        for (struct symbol *y = s->buckets[i]; y != NULL; y = next) {
            next = y->chain;
            y->chain = reversed;
            reversed = y;
        }
        for (struct symbol *y = reversed; y != NULL; y = next) {
            next = y->chain;
            y->chain = buckets[y->hash & (n - 1)];
            buckets[y->hash & (n - 1)] = y;
        }
    }
    free(s->buckets);
    s->buckets = buckets;
    s->bucket_count = n;
}

static struct symbol *
symbol_insert(struct parser *p, enum symbol_kind kind, const char *name, size_t len)
{
    struct symbols *s = &p->symbols;
    struct symbol *y = alloc(p, sizeof *y);
    uint32_t i;

    if (s->count >= s->bucket_count)
        symbols_rehash(p);
    y->kind = kind;
    y->name = name;
    y->len = len;
    y->hash = name_hash(name, len, kind);
    y->scope = kind >= SYMBOL_OP ? -1 : s->depth - 1;
    i = y->hash & (s->bucket_count - 1);
    y->chain = s->buckets[i];
    s->buckets[i] = y;
    s->count++;
    return y;
}

uint32_t
language_find(struct parser *p, enum symbol_kind kind, const char *name, size_t len)
{
    uint32_t hash = name_hash(name, len, kind);
    struct symbol *y = p->symbols.buckets[hash & (p->symbols.bucket_count - 1)];

    for (; y != NULL; y = y->chain)
        if (y->kind == kind && y->len == len && memcmp(y->name, name, len) == 0)
            return y->first;
    return 0;
}

struct symbol *
symbol_find(struct parser *p, const char *name, size_t len)
{
    uint32_t hash = name_hash(name, len, SYMBOL_VAR);
    struct symbol *y = p->symbols.buckets[hash & (p->symbols.bucket_count - 1)];

    for (; y != NULL; y = y->chain)
        if (y->kind < SYMBOL_OP && y->len == len && memcmp(y->name, name, len) == 0)
            return y;
    return NULL;
}

struct symbol *
symbol_add(struct parser *p, enum symbol_kind kind, const char *name, size_t len)
{
    struct symbols *s = &p->symbols;
    struct symbol *old = symbol_find(p, name, len), *y;

    if (old != NULL && old->scope == s->depth - 1 && old->unit == p->unit)
        parse_fail(p, p->tok.line, "'%.*s' is declared twice", (int)(len < 80 ? len : 80),
                   name);
    y = symbol_insert(p, kind, name, len);
    y->unit = p->unit;
    y->in_scope = s->scopes[s->depth - 1];
    s->scopes[s->depth - 1] = y;
    return y;
}

void
scope_push(struct parser *p)
{
    struct symbols *s = &p->symbols;

    if (s->depth >= 200)
        parse_fail(p, p->tok.line, "braces are nested too deeply");
    if (s->depth == s->depth_max) {
        int max = s->depth_max != 0 ? s->depth_max * 2 : 8;
        struct symbol **scopes =
            realloc(s->scopes, (size_t)max * sizeof(struct symbol *));

        if (scopes == NULL)
            parse_fail(p, 0, "out of memory");
        s->scopes = scopes;
        s->depth_max = max;
    }
    s->scopes[s->depth++] = NULL;
}

static void
symbol_forget(struct symbols *s, const struct symbol *y)
{
    struct symbol **at = &s->buckets[y->hash & (s->bucket_count - 1)];

    while (*at != y)
        at = &(*at)->chain;
    *at = y->chain;
    s->count--;
}

void
scope_pop(struct parser *p)
{
    struct symbols *s = &p->symbols;

    for (struct symbol *y = s->scopes[--s->depth]; y != NULL; y = y->in_scope)
        symbol_forget(s, y);
}

void
scope_forget_local(struct parser *p)
{
    struct symbols *s = &p->symbols;
    struct symbol **at = &s->scopes[0];

    while (*at != NULL) {
        struct symbol *y = *at;

        if (y->local) {
            symbol_forget(s, y);
            *at = y->in_scope;
        } else {
            at = &y->in_scope;
        }
    }
}

static void
add_language(struct parser *p, enum symbol_kind kind, const char *name, uint32_t id)
{
    symbol_insert(p, kind, name, strlen(name))->first = id;
}

int
symbols_init(struct parser *p)
{
    p->symbols.bucket_count = 2048;
    p->symbols.buckets = calloc(p->symbols.bucket_count, sizeof(struct symbol *));
    if (p->symbols.buckets == NULL)
        return -1;
#define X(name, ...) add_language(p, SYMBOL_OP, #name, PTX_OP_##name);
#include "opcodes.def"
#undef X
#define X(id, text) add_language(p, SYMBOL_MOD, text, PTX_MOD_##id);
#include "modifiers.def"
#undef X
#define X(id, text, bytes) add_language(p, SYMBOL_SREG, text, PTX_SREG_##id);
#include "sregs.def"
#undef X
#define X(name, bytes, class) add_language(p, SYMBOL_TYPE, #name, PTX_##name);
    PTX_TYPES(X)
#undef X
    scope_push(p);
    return 0;
}

void
symbols_free(struct parser *p)
{
    free(p->symbols.buckets);
    free(p->symbols.scopes);
}
