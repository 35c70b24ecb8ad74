/*
 * The module level (PTX ISA 5.4, 11): directives, variables, function headers.
 *
 * The parser stops at the first error. parse_fail writes the sentence and jumps back to
 * ptx_parse, which frees everything. Outside the arena there are only tables, which
 * ptx_parse frees itself.
 */
#include "front.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __clang__
/* gcc's analyzer takes setjmp's result for an uninitialised value. */
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

noreturn void
parse_fail(struct parser *p, int line, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, ap);
    va_end(ap);
    p->error->line = line;
    longjmp(p->on_error, 1);
}

void *
alloc(struct parser *p, size_t bytes)
{
    void *memory = arena_alloc(p->arena, bytes);

    if (memory == NULL)
        parse_fail(p, 0, "out of memory");
    return memory;
}

char *
copy_text(struct parser *p, const char *text, size_t len)
{
    char *copy = alloc(p, len + 1);

    memcpy(copy, text, len);
    return copy;
}

bool
parse_space(struct parser *p, enum ptx_space *space)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {
        {"reg", PTX_SPACE_REG},     {"global", PTX_SPACE_GLOBAL},
        {"const", PTX_SPACE_CONST}, {"shared", PTX_SPACE_SHARED},
        {"local", PTX_SPACE_LOCAL}, {"param", PTX_SPACE_PARAM},
        {"tex", PTX_SPACE_GLOBAL},
    };

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (tok_is_dot(p, spaces[i].name)) {
            *space = spaces[i].space;
            lex_next(p);
            return true;
        }
    }
    return false;
}

void
skip_to_semicolon(struct parser *p)
{
    while (!tok_is(p, ';')) {
        if (p->tok.kind == TOKEN_END)
            parse_fail(p, p->tok.line, "the text ends within a directive");
        lex_next(p);
    }
    lex_next(p);
}

static uint32_t
expect_u32(struct parser *p, const char *what)
{
    uint64_t n = expect_int(p, what);

    if (n > UINT32_MAX)
        parse_fail(p, p->tok.line, "%s is too large", what);
    return (uint32_t)n;
}

/* [.align N] [.attribute(...)] [.ptr [.space] [.align N]] [.v2|.v4] .type */
static enum ptx_type
parse_declared_type(struct parser *p, uint32_t *align, unsigned *vector, bool *managed)
{
    enum ptx_type type = PTX_TYPE_NONE;
    uint32_t pointee_align;

    *align = 0;
    *vector = 1;
    *managed = false;
    while (p->tok.kind == TOKEN_DOT) {
        if (tok_is_dot(p, "align")) {
            lex_next(p);
            pointee_align = expect_u32(p, "an alignment");
            if (pointee_align == 0 || (pointee_align & (pointee_align - 1)) != 0 ||
                pointee_align > 65536)
                parse_fail(p, p->tok.line, "an alignment must be a power of two");
            *align = type == PTX_TYPE_NONE ? pointee_align : *align;
        } else if (tok_is_dot(p, "attribute")) {
            lex_next(p);
            while (!tok_is(p, ')') && p->tok.kind != TOKEN_END) {
                *managed |= tok_is_dot(p, "managed");
                lex_next(p);
            }
            expect(p, ')', "after .attribute");
        } else if (tok_is_dot(p, "v2") || tok_is_dot(p, "v4")) {
            *vector = tok_is_dot(p, "v2") ? 2 : 4;
            lex_next(p);
        } else {
            uint32_t id = language_find(p, SYMBOL_TYPE, p->tok.text, p->tok.len);

            if (id != 0)
                type = (enum ptx_type)id;
            lex_next(p); /* .ptr and the space of the pointee tell nothing that we need */
        }
    }
    if (type == PTX_TYPE_NONE)
        parse_fail(p, p->tok.line, "a declaration without a type");
    return type;
}

enum { MAX_DIMS = 8 };

/* name ["[" n "]"]... */
static struct ptx_var *
parse_declarator(struct parser *p, enum ptx_space space, enum ptx_type type,
                 unsigned vector, uint32_t align, uint64_t *dims, int *dim_count)
{
    struct ptx_var *v = alloc(p, sizeof *v);
    size_t len;
    const char *name;
    uint64_t bytes = (uint64_t)ptx_type_bytes(type) * vector;

    v->line = p->tok.line;
    name = take_name(p, "a name", &len);
    v->name = copy_text(p, name, len);
    v->space = space;
    v->type = type;
    v->align = align != 0 ? align : (uint32_t)(bytes != 0 ? bytes : 1);
    *dim_count = 0;
    while (accept(p, '[')) {
        uint64_t n = tok_is(p, ']') ? 0 : parse_constant(p, "an array's size");

        if (*dim_count == MAX_DIMS)
            parse_fail(p, p->tok.line, "'%s' has too many dimensions", v->name);
        dims[(*dim_count)++] = n;
        if (n > (uint64_t)1 << 36 || (bytes *= n) > (uint64_t)1 << 36)
            parse_fail(p, p->tok.line, "'%s' is too large", v->name);
        expect(p, ']', "after an array's size");
    }
    v->bytes = bytes;
    return v;
}

void
parse_vars(struct parser *p, enum ptx_space space, bool is_extern, struct ptx_var ***tail,
           uint32_t *count)
{
    uint64_t dims[MAX_DIMS];
    uint32_t align;
    unsigned vector;
    int dim_count;
    bool managed;
    enum ptx_type type = parse_declared_type(p, &align, &vector, &managed);

    do {
        struct ptx_var *v =
            parse_declarator(p, space, type, vector, align, dims, &dim_count);

        v->is_extern = is_extern;
        v->is_managed = managed && p->func == NULL && space == PTX_SPACE_GLOBAL;
        v->owner = p->func;
        if (accept(p, '=')) {
            /* "x[] = {...}" would need the count first, but no compiler emits it. */
            parse_init(p, v, dims, dim_count);
        }
        if (declare_var(p, v)) {
            v->index = (*count)++;
            **tail = v;
            *tail = &v->next;
        }
    } while (accept(p, ','));
    expect(p, ';', "after a declaration");
}

struct ptx_var *
parse_param(struct parser *p)
{
    uint64_t dims[MAX_DIMS];
    uint32_t align;
    unsigned vector;
    int dim_count;
    enum ptx_space space;
    enum ptx_type type;
    struct ptx_var *v;
    bool managed;

    if (!parse_space(p, &space) || (space != PTX_SPACE_PARAM && space != PTX_SPACE_REG))
        parse_fail(p, p->tok.line, "expected a .param declaration, found '%.*s'",
                   (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
    type = parse_declared_type(p, &align, &vector, &managed);
    v = parse_declarator(p, space, type, vector, align, dims, &dim_count);
    if (space == PTX_SPACE_REG && dim_count != 0)
        parse_fail(p, v->line, "the register parameter '%.60s' is an array", v->name);
    v->elements = (uint8_t)vector;
    return v;
}

static uint32_t
loc_chain(uint32_t file, uint32_t line)
{
    return (file * 31 + line) % LOC_CHAINS;
}

/* Finds the place that inlined_at names. It is an earlier .loc, which itself says where
 * that place was inlined. nvcc writes such a .loc once, perhaps thousands of lines
 * before. */
static const struct ptx_loc *
find_loc(struct parser *p, uint32_t file, uint32_t line, uint32_t column)
{
    const struct ptx_loc *l = p->recent[loc_chain(file, line)];
    struct ptx_loc *made;

    for (int left = 256; l != NULL && left > 0; l = l->previous, left--)
        if (l->file == file && l->line == line && l->column == column)
            return l;
    made = alloc(p, sizeof *made);
    *made = (struct ptx_loc){.file = file, .line = line, .column = column};
    return made;
}

/* .loc file line column [, function_name label, inlined_at file line column] */
void
parse_loc(struct parser *p)
{
    struct ptx_loc *loc = alloc(p, sizeof *loc);
    const struct ptx_loc **last;

    lex_next(p);
    loc->file = p->file_base + expect_u32(p, "a file number");
    loc->line = expect_u32(p, "a line number");
    loc->column = expect_u32(p, "a column");
    while (accept(p, ',')) {
        size_t len;
        const char *word = take_name(p, "function_name or inlined_at", &len);

        if (len == 10 && memcmp(word, "inlined_at", 10) == 0) {
            uint32_t file = p->file_base + expect_u32(p, "a file number");
            uint32_t line = expect_u32(p, "a line number");

            loc->inlined_at = find_loc(p, file, line, expect_u32(p, "a column"));
        } else {
            take_name(p, "a label", &len);
            if (accept(p, '+'))
                expect_int(p, "an offset");
        }
    }
    if (loc->line == 0)
        return; /* the compiler's own code, for which the line before is the better answer
                 */
    last = &p->recent[loc_chain(loc->file, loc->line)];
    loc->previous = *last;
    *last = p->loc = loc;
}

/* .file number "name" [, timestamp, size] */
void
parse_file(struct parser *p)
{
    uint32_t number;
    struct ptx_module *m = p->module;

    lex_next(p);
    number = expect_u32(p, "a file number");
    if (number > 65535 || p->file_base > 65535)
        parse_fail(p, p->tok.line, "file number %u is too large", number);
    number += p->file_base;
    if (p->tok.kind != TOKEN_STRING)
        parse_fail(p, p->tok.line, "expected a file name");
    if (number >= p->file_max) {
        uint32_t max = number + 16;
        const char **files = alloc(p, max * sizeof *files);

        if (m->file_count > 0)
            memcpy(files, m->files, m->file_count * sizeof *files);
        m->files = files;
        p->file_max = max;
    }
    m->files[number] = copy_text(p, p->tok.text, p->tok.len);
    if (m->file_count <= number)
        m->file_count = number + 1;
    lex_next(p);
    while (accept(p, ','))
        expect_int(p, "a number");
}

/* Skips .section .debug_str { ... }, which holds debugging data in balanced braces. */
void
skip_section(struct parser *p)
{
    lex_next(p);
    while (!tok_is(p, '{') && p->tok.kind != TOKEN_END)
        lex_next(p);
    expect(p, '{', "after .section");
    while (!tok_is(p, '}')) {
        if (p->tok.kind == TOKEN_END)
            parse_fail(p, p->tok.line, "a .section is not closed");
        lex_next(p);
    }
    lex_next(p);
}

static struct ptx_var *
parse_param_list(struct parser *p)
{
    struct ptx_var *first = NULL, **tail = &first;
    uint32_t index = 0;

    expect(p, '(', "before parameters");
    while (!tok_is(p, ')')) {
        struct ptx_var *v = parse_param(p);

        v->index = index++;
        *tail = v;
        tail = &v->next;
        if (!accept(p, ','))
            break;
    }
    expect(p, ')', "after parameters");
    return first;
}

/* Parses what may stand between a function's header and its body (11.4). */
static void
parse_performance_directives(struct parser *p, struct ptx_func *f)
{
    while (p->tok.kind == TOKEN_DOT) {
        bool limit = tok_is_dot(p, "maxntid") || tok_is_dot(p, "reqntid");
        bool cluster = tok_is_dot(p, "reqnctapercluster");
        uint64_t threads = 1;
        unsigned count = 0;
        bool any = false;

        if (tok_is_dot(p, "pragma")) {
            skip_to_semicolon(p);
            continue;
        }
        lex_next(p);
        for (unsigned i = 0; cluster && i < 3; i++)
            f->cluster[i] = 1;
        while (p->tok.kind == TOKEN_INT) {
            uint64_t n = expect_int(p, "a number");

            if (cluster && count < 3)
                f->cluster[count++] = n < 65536 ? (uint32_t)n : 65536;
            threads = n > 65536 ? 65536 : threads * n;
            any = true;
            if (!accept(p, ','))
                break;
        }
        if (limit && any)
            f->max_threads = threads > 65536 ? 65536 : (uint32_t)threads;
    }
}

static void
declare_params(struct parser *p, struct ptx_func *f, struct ptx_var *list)
{
    for (struct ptx_var *v = list; v != NULL; v = v->next) {
        v->owner = f;
        if (v->space == PTX_SPACE_REG)
            declare_register_param(p, v);
        else if (v->name[0] != '_' || v->name[1] != '\0')
            symbol_add(p, SYMBOL_VAR, v->name, strlen(v->name))->var = v;
    }
}

/* .entry name (params) ... | .func (returns) name (params) ... ; or a body */
static void
parse_func(struct parser *p, bool is_extern)
{
    bool is_entry = tok_is_dot(p, "entry");
    struct ptx_var *returns = NULL, *params = NULL;
    struct ptx_func *f;
    const char *name;
    size_t len;

    lex_next(p);
    while (p->tok.kind ==
           TOKEN_DOT) /* .attribute and the like tell nothing that we need */
        lex_next(p);
    if (tok_is(p, '('))
        returns = parse_param_list(p);
    name = take_name(p, "a function's name", &len);
    f = declare_func(p, name, len, is_entry);
    if (tok_is(p, '('))
        params = parse_param_list(p);
    parse_performance_directives(p, f);
    if (!f->has_body) {
        f->returns = returns;
        f->params = params;
        f->is_extern = is_extern;
        f->is_entry = is_entry;
    }
    if (accept(p, ';') || skip_weak_body(p, f))
        return;
    if (f->has_body)
        parse_fail(p, p->tok.line, "function '%.60s' is defined twice", f->name);
    f->has_body = true;
    f->is_weak = p->linkage == LINKAGE_WEAK;
    expect(p, '{', "before a function's body");
    p->func = f;
    scope_push(p);
    declare_params(p, f, returns);
    declare_params(p, f, params);
    parse_body(p, f);
    scope_pop(p);
    p->func = NULL;
}

static void
parse_version(struct parser *p)
{
    double version;

    lex_next(p);
    if (p->tok.kind != TOKEN_F64)
        parse_fail(p, p->tok.line, "expected a version such as 9.0 after .version");
    memcpy(&version, &p->tok.bits, sizeof version);
    if (!(version >= 1.0 && version < 1000.0))
        parse_fail(p, p->tok.line, "a strange .version");
    p->module->version_major = (unsigned)version;
    p->module->version_minor = (unsigned)(version * 10 + 0.5) % 10;
    lex_next(p);
}

static void
parse_target(struct parser *p)
{
    lex_next(p);
    p->module->target_sm = 0;
    do {
        size_t len;
        const char *name = take_name(p, "a target", &len);

        if (len > 3 && memcmp(name, "sm_", 3) == 0)
            for (size_t i = 3; i < len && i < 6 && name[i] >= '0' && name[i] <= '9'; i++)
                p->module->target_sm =
                    p->module->target_sm * 10 + (unsigned)(name[i] - '0');
    } while (accept(p, ','));
}

static void
parse_module_item(struct parser *p)
{
    bool is_extern;
    enum ptx_space space;

    p->linkage = parse_linkage(p);
    is_extern = p->linkage == LINKAGE_EXTERN;
    if (tok_is_dot(p, "version")) {
        begin_unit(p);
        parse_version(p);
    } else if (tok_is_dot(p, "target")) {
        parse_target(p);
    } else if (tok_is_dot(p, "address_size")) {
        lex_next(p);
        if (expect_int(p, "an address size") != 64)
            parse_fail(p, p->tok.line, "only 64-bit addresses are supported");
    } else if (tok_is_dot(p, "file")) {
        parse_file(p);
    } else if (tok_is_dot(p, "loc")) {
        parse_loc(p);
    } else if (tok_is_dot(p, "section")) {
        skip_section(p);
    } else if (tok_is_dot(p, "pragma") || tok_is_dot(p, "alias")) {
        skip_to_semicolon(p);
    } else if (tok_is_dot(p, "entry") || tok_is_dot(p, "func")) {
        parse_func(p, is_extern);
    } else if (parse_space(p, &space) && space != PTX_SPACE_REG) {
        parse_vars(p, space, is_extern, &p->var_tail, &p->module->var_count);
    } else if (!accept(p, ';')) {
        parse_fail(p, p->tok.line,
                   "'%.*s' does not start anything that a module may hold",
                   (int)(p->tok.len < 40 ? p->tok.len : 40), p->tok.text);
    }
}

/* Returns 0, or -1 with the error written. No variable of this frame changes, because
 * parse_fail jumps back into it. */
static int
parse_module(struct parser *p)
{
    if (setjmp(p->on_error) != 0)
        return -1;
    p->module = alloc(p, sizeof *p->module);
    p->module->arena = p->arena;
    p->func_tail = &p->module->funcs;
    p->var_tail = &p->module->vars;
    if (symbols_init(p) != 0)
        return -1;
    lex_next(p);
    if (!tok_is_dot(p, "version"))
        parse_fail(p, p->tok.line, "PTX starts with .version; this text does not");
    while (p->tok.kind != TOKEN_END)
        parse_module_item(p);
    return 0;
}

struct ptx_module *
ptx_parse(const char *text, size_t len, struct ptx_error *error)
{
    struct parser *p = calloc(1, sizeof *p);
    struct ptx_module *module = NULL;

    *error = (struct ptx_error){.text = "out of memory"};
    if (p == NULL)
        return NULL;
    p->error = error;
    p->lex = (struct lexer){.p = text, .end = text + len, .line = 1};
    p->arena = arena_new();
    if (p->arena != NULL && parse_module(p) == 0) {
        module = p->module;
        error->text[0] = '\0';
    } else {
        arena_free(p->arena);
    }
    symbols_free(p);
    free(p);
    return module;
}

void
ptx_free(struct ptx_module *m)
{
    if (m != NULL)
        arena_free(m->arena);
}
