/* Shared by the phases of the front end only; ptx.h lists them. */
#ifndef EMULATOR_PTX_FRONT_H
#define EMULATOR_PTX_FRONT_H

#include "ptx.h"

#include <setjmp.h>
#include <stdnoreturn.h>

/* --- arena.c: everything of a module lives and dies together ------------- */

struct ptx_arena;
struct ptx_arena *arena_new(void);
void arena_free(struct ptx_arena *a);
void *arena_alloc(struct ptx_arena *a,
                  size_t bytes); /* zeroed; NULL: no memory is left */

/* --- lex.c --------------------------------------------------------------- */

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,   /* identifier, also %reg */
    TOKEN_DOT,    /* .word: text without the dot */
    TOKEN_INT,    /* value: bits of an integer */
    TOKEN_F32,    /* bits of a float: 0f3F800000 */
    TOKEN_F64,    /* bits of a double: 0d..., 1.5 */
    TOKEN_STRING, /* text without the quotes */
    TOKEN_PUNCT,  /* punct */
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t len;
    uint64_t bits;
    int line;
    char punct;
    bool spaced; /* white space precedes it */
};

struct parser;

struct lexer {
    const char *p, *end;
    int line;
};

/* --- symbols.c ----------------------------------------------------------- */

enum symbol_kind {
    SYMBOL_VAR,
    SYMBOL_FUNC,
    SYMBOL_REG,  /* a single register */
    SYMBOL_REGS, /* registers by a prefix and a count: %r<9> */
    SYMBOL_LABEL,
    SYMBOL_TABLE, /* .branchtargets */
    SYMBOL_PROTOTYPE,
    SYMBOL_OP, /* words of the language */
    SYMBOL_TYPE,
    SYMBOL_MOD,
    SYMBOL_SREG,
};

struct symbol {
    enum symbol_kind kind;
    const char *name;
    size_t len;
    uint32_t hash;
    int scope;     /* -1: the language, 0: the module, 1: the function, 2...: braces */
    uint32_t unit; /* the unit that declared it first */
    bool local;    /* scope 0: other units do not see it */
    struct symbol *chain, *in_scope;
    enum ptx_type type;
    uint32_t vector; /* registers: how many elements the vector has */
    uint32_t first,
        count; /* registers; id of a name of the language; label: instruction */
    struct ptx_var *var;
    struct ptx_func *func;
    struct label_use *table; /* SYMBOL_TABLE: uses of its labels */
};

struct symbols {
    struct symbol **buckets;
    uint32_t bucket_count, count;
    struct symbol **scopes; /* the symbols of each open scope, innermost last, as lists
                               through in_scope */
    int depth, depth_max;
};

/* A use of a label that was not yet defined. It is resolved when its scope ends,
 * because labels are local to their braces: the text of an asm() may stand several
 * times. */
struct label_use {
    struct label_use *next;
    const char *name;
    size_t len;
    int scope, line;
    uint32_t *slot; /* gets the index of the label's instruction */
};

/* 5.4, 11.6: the linking directives. */
enum linkage { LINKAGE_LOCAL, LINKAGE_EXTERN, LINKAGE_VISIBLE, LINKAGE_WEAK };

enum { LOC_CHAINS = 256 };

struct parser {
    struct lexer lex;
    struct token tok; /* the token to be looked at next */
    struct ptx_arena *arena;
    struct ptx_module *module;
    struct symbols symbols;
    struct ptx_func *func; /* the function being parsed; NULL: module level */
    struct label_use *uses;
    struct ptx_var *hidden; /* variables of the function that have no name in the text */
    struct ptx_insn *insns; /* of the function being parsed */
    uint32_t insn_count, insn_max;
    const struct ptx_loc *loc; /* the .loc of what follows; NULL: none yet */
    const struct ptx_loc
        *recent[LOC_CHAINS]; /* the function's last ones, by their hash */
    struct ptx_func **func_tail;
    struct ptx_var **var_tail;
    uint32_t file_max;
    uint32_t unit;        /* from 0 */
    uint32_t file_base;   /* added in this unit to the numbers of .file */
    enum linkage linkage; /* of the module's item that is being parsed */
    struct ptx_error *error;
    jmp_buf on_error;
};

/* --- lex.c -------------------------------------------------------------------------- */

void lex_next(struct parser *p);

/* Tokens, as the parsing phases look at them. */
bool tok_is(const struct parser *p, char punct);
bool tok_is_dot(const struct parser *p, const char *word);
bool tok_text_is(const struct token *t, const char *text);
bool accept(struct parser *p, char punct);
void expect(struct parser *p, char punct, const char *where);
uint64_t expect_int(struct parser *p, const char *what);
const char *take_name(struct parser *p, const char *what, size_t *len);

/* --- symbols.c ---------------------------------------------------------------------- */

int symbols_init(struct parser *p); /* the names of the language; -1: no memory */
void symbols_free(struct parser *p);
void scope_push(struct parser *p);
void scope_pop(struct parser *p);
struct symbol *symbol_find(struct parser *p, const char *name, size_t len);
struct symbol *symbol_add(struct parser *p, enum symbol_kind kind, const char *name,
                          size_t len);
/* Removes, at a unit's end, the names that other units do not see. */
void scope_forget_local(struct parser *p);
/* The number of a word of the language, or 0 if there is none of that kind. */
uint32_t language_find(struct parser *p, enum symbol_kind kind, const char *name,
                       size_t len);

/* --- link.c ------------------------------------------------------------------------- */

enum linkage parse_linkage(struct parser *p); /* the directives; there may be none */
void begin_unit(struct parser *p);            /* at a .version */
/* Returns false if the variable was declared before; the caller then drops v. */
bool declare_var(struct parser *p, struct ptx_var *v);
struct ptx_func *declare_func(struct parser *p, const char *name, size_t len,
                              bool is_entry);
/* Skips the body of f, if one follows, when another unit has defined f and one is
 * .weak. */
bool skip_weak_body(struct parser *p, const struct ptx_func *f);

/* --- constant.c --------------------------------------------------------------------- */

/* Parses an expression of integer constants; the same when its first operand is already
 * parsed; and one that has + and - only in parentheses. */
uint64_t parse_constant(struct parser *p, const char *what);
uint64_t parse_constant_after(struct parser *p, uint64_t left);
uint64_t parse_constant_term(struct parser *p, const char *what);

/* --- init.c ------------------------------------------------------------------------- */

void parse_init(struct parser *p, struct ptx_var *v, const uint64_t *dims, int dim_count);

/* --- parse.c ------------------------------------------------------------------------ */

noreturn void parse_fail(struct parser *p, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Memory from the arena. The parse fails if there is none. */
void *alloc(struct parser *p, size_t bytes);
char *copy_text(struct parser *p, const char *text, size_t len);
bool parse_space(struct parser *p, enum ptx_space *space);
void parse_vars(struct parser *p, enum ptx_space space, bool is_extern,
                struct ptx_var ***tail, uint32_t *count);
void parse_loc(struct parser *p);
void parse_file(struct parser *p);
void skip_section(struct parser *p);
void skip_to_semicolon(struct parser *p);
struct ptx_var *parse_param(struct parser *p);

/* --- abi.c -------------------------------------------------------------------------- */

void declare_register_param(struct parser *p, struct ptx_var *v);
void load_register_params(struct parser *p, const struct ptx_func *f);
void store_register_results(struct parser *p, const struct ptx_func *f,
                            const struct ptx_insn *ret); /* NULL: the function's end */
void finish_call(struct parser *p);

/* --- operand.c ---------------------------------------------------------------------- */

void parse_regs(struct parser *p);
void parse_operand(struct parser *p, struct ptx_operand *o, int depth);
void parse_name_operand(struct parser *p, struct ptx_operand *o);

/* --- body.c ------------------------------------------------------------------------- */

/* Notes a use of a label; *slot gets the label's instruction when that is known. */
void use_label(struct parser *p, const char *name, size_t len, int line, uint32_t *slot);

/* The next instruction; the caller counts it when it is complete. */
struct ptx_insn *new_insn(struct parser *p);

/* Parses from after the opening brace to the closing one. */
void parse_body(struct parser *p, struct ptx_func *f);

#endif
