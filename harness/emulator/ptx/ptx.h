/*
 * The front end of the emulated GPU: PTX text in, a module of symbols and instructions
 * out. Each phase has a file. In the order in which they see the text:
 *
 *    lex.c        bytes -> tokens
 *    symbols.c    names, scopes, register ranges
 *    parse.c      module level: directives, variables, function headers
 *    link.c       names that several units share
 *    init.c       initialisers of variables
 *    constant.c   constant expressions
 *    body.c       function bodies: declarations, labels, instructions
 *    operand.c    operands and registers
 *    abi.c        parameters that are registers
 *    names.c      the tables of names (opcodes, types, modifiers, special registers)
 *    arena.c      the memory of a module
 *
 * Section numbers are those of the PTX ISA 9.0. The parser knows the grammar, not the
 * meaning. Which types and modifiers an opcode takes, exec/ decides when it decodes a
 * kernel. So a module loads even if it has a form that this build does not know.
 *
 * A text may hold several units, one after the other, and each begins with .version. It
 * is what nvcc -rdc=true left to be linked when the program runs (link.c). Names that are
 * .extern, .visible, .weak or .common (5.4, 11.6) mean the same in all units. Other names
 * are a unit's own.
 *
 * A ptx_module owns everything that can be reached from it (one arena).
 */
#ifndef EMULATOR_PTX_H
#define EMULATOR_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 5.2 Types: name, bytes, class. */
/* clang-format off */
#define PTX_TYPES(X)                                                                     \
    X(pred, 0, PRED) X(b8, 1, BITS) X(b16, 2, BITS) X(b32, 4, BITS) X(b64, 8, BITS)      \
    X(b128, 16, BITS) X(u8, 1, UINT) X(u16, 2, UINT) X(u32, 4, UINT) X(u64, 8, UINT)     \
    X(s8, 1, SINT) X(s16, 2, SINT) X(s32, 4, SINT) X(s64, 8, SINT) X(f16, 2, FLOAT)      \
    X(f32, 4, FLOAT) X(f64, 8, FLOAT) X(bf16, 2, FLOAT) X(f16x2, 4, PACKED)              \
    X(bf16x2, 4, PACKED) X(tf32, 4, PACKED) X(u16x2, 4, PACKED) X(s16x2, 4, PACKED)      \
    X(f32x2, 8, PACKED) X(e4m3x2, 2, PACKED) X(e5m2x2, 2, PACKED) X(e4m3, 1, PACKED)     \
    X(e5m2, 1, PACKED) X(b1, 1, PACKED) X(s4, 1, PACKED) X(u4, 1, PACKED)                \
    X(texref, 8, OPAQUE) X(surfref, 8, OPAQUE) X(samplerref, 8, OPAQUE)
/* clang-format on */

enum ptx_type {
    PTX_TYPE_NONE,
#define X(name, bytes, class) PTX_##name,
    PTX_TYPES(X)
#undef X
        PTX_TYPE_COUNT
};

enum ptx_class {
    PTX_CLASS_NONE,
    PTX_CLASS_PRED,
    PTX_CLASS_BITS,
    PTX_CLASS_UINT,
    PTX_CLASS_SINT,
    PTX_CLASS_FLOAT,
    PTX_CLASS_PACKED,
    PTX_CLASS_OPAQUE,
};

/* 9.7 Instructions. */
enum ptx_op {
    PTX_OP_UNKNOWN,
#define X(name, ...) PTX_OP_##name,
#include "opcodes.def"
#undef X
    PTX_OP_COUNT
};

/* The dotted words of an instruction that are not types. */
enum ptx_mod {
    PTX_MOD_UNKNOWN,
#define X(id, text) PTX_MOD_##id,
#include "modifiers.def"
#undef X
    PTX_MOD_COUNT
};

/* 10 Special registers. */
enum ptx_sreg {
    PTX_SREG_NONE,
#define X(id, text, bytes) PTX_SREG_##id,
#include "sregs.def"
#undef X
    PTX_SREG_COUNT
};

/* 5.1 State spaces. */
enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_REG,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_CONST,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
};

const char *ptx_type_name(enum ptx_type t);
unsigned ptx_type_bytes(enum ptx_type t);
enum ptx_class ptx_type_class(enum ptx_type t);
const char *ptx_op_name(enum ptx_op op);
const char *ptx_mod_name(enum ptx_mod mod); /* without the dot */
unsigned ptx_sreg_bytes(enum ptx_sreg r);

struct ptx_func;

/* One element of an initialiser, at a byte offset of its variable. With a symbol, its
 * value is ((address of symbol + addend) & mask) >> (trailing zeros of mask). */
struct ptx_init {
    struct ptx_init *next;
    uint64_t offset;
    unsigned bytes;
    uint64_t bits;      /* the value, or the addend to a symbol */
    const char *symbol; /* NULL: a plain value */
    uint64_t mask;
    uint32_t unit; /* the unit in which the symbol is looked up */
    int line;
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint64_t bytes; /* 0: extern array of unknown size (dynamic shared memory) */
    uint32_t align;
    bool is_extern;
    bool is_local;          /* 5.4: other units do not see it */
    bool is_managed;        /* 5.4.8: .attribute(.managed): host code sees it too */
    struct ptx_init *init;  /* in the order of the text; NULL: zeros */
    struct ptx_func *owner; /* NULL: the variable is the module's */
    uint32_t index;         /* index among the variables of the owner or the module */
    uint32_t unit;
    bool in_register; /* this parameter is the register with number `reg`, or a vector */
    uint8_t elements; /* of a parameter: how many .v2 or .v4 says, else 1 */
    uint32_t reg;
    struct ptx_var *next;
    int line;
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REG,
    PTX_OPERAND_SREG,
    PTX_OPERAND_INT,
    PTX_OPERAND_F32, /* bits of a float */
    PTX_OPERAND_F64, /* bits of a double */
    PTX_OPERAND_VAR, /* address of a variable, + offset */
    PTX_OPERAND_FUNC,
    PTX_OPERAND_NAME, /* a symbol that is resolved at the module's end: see func */
    PTX_OPERAND_LABEL,
    PTX_OPERAND_TABLE, /* .branchtargets */
    PTX_OPERAND_LIST,  /* {a, b, ...} or (a, b, ...) */
    PTX_OPERAND_SINK,  /* _ */
};

/* 6.1 Operands. */
struct ptx_operand {
    enum ptx_operand_kind kind;
    bool is_address;    /* in brackets */
    bool negated;       /* !p */
    bool minus;         /* -%r, an operand of vmad */
    enum ptx_type type; /* REG: as declared */
    uint32_t reg;       /* REG: number within the function */
    enum ptx_sreg sreg;
    uint32_t place; /* its number in the instruction, from 1, in the order of the text; 0:
                       it does not stand in the text */
    uint64_t bits;  /* INT, F32, F64 */
    int64_t offset; /* REG and VAR addresses */
    const struct ptx_var *var;
    const struct ptx_func *func;
    const char *name;           /* FUNC, LABEL: as written */
    const char *selector;       /* REG: "b1" or "h10", of video instructions; or NULL */
    uint32_t label;             /* LABEL: index of an instruction */
    const uint32_t *table;      /* TABLE: indices of instructions */
    uint32_t count;             /* LIST, TABLE */
    struct ptx_operand *list;   /* LIST */
    struct ptx_operand *second; /* the q of p|q; NULL: none */
};

#define PTX_MAX_MODS 14
#define PTX_MAX_TYPES 5
#define PTX_MAX_OPERANDS 8

/* The place of code in its source (11.5.3 .loc). Inlined code also has the place of the
 * call, which may be inlined itself. */
struct ptx_loc {
    uint32_t file, line, column;
    const struct ptx_loc *inlined_at; /* NULL: not inlined */
    const struct ptx_loc *previous;   /* an earlier .loc, which parse.c searches */
};

struct ptx_insn {
    enum ptx_op op;
    uint8_t mod_count, type_count, operand_count;
    bool guarded, guard_negated;
    bool too_long; /* it has more modifiers or operands than we keep, so it is not
                      supported */
    uint16_t mods[PTX_MAX_MODS];
    uint8_t types[PTX_MAX_TYPES];
    uint32_t guard;   /* register number of the guard predicate */
    const char *text; /* "ld.global.f32" */
    struct ptx_operand *operands;
    const struct ptx_loc *loc; /* NULL: none */
    int line;                  /* line of the PTX */
};

struct ptx_func {
    const char *name;
    bool is_entry, is_extern;
    bool is_local; /* other units do not see it */
    bool is_weak;  /* another unit may define it too */
    bool has_body;
    struct ptx_var *params, *returns; /* space PARAM */
    struct ptx_var
        *vars; /* local, shared and .param variables of the body; also global ones */
    uint32_t var_count;
    uint32_t reg_count;
    struct ptx_insn *insns;
    uint32_t insn_count;
    uint32_t max_threads; /* .maxntid or .reqntid; 0: none */
    uint32_t cluster[3];  /* .reqnctapercluster; 0: none */
    uint32_t index;
    uint32_t unit;
    struct ptx_func *next;
    int line;
};

struct ptx_module {
    struct ptx_func *funcs; /* in the order of the text; each definition stands once */
    uint32_t func_count;
    struct ptx_var *vars; /* module scope */
    uint32_t var_count;
    const char **files; /* by the number of .file; entries may be NULL */
    uint32_t file_count;
    unsigned version_major, version_minor, target_sm;
    struct ptx_arena *arena;
};

struct ptx_error {
    int line;       /* line of the PTX; 0: none */
    char text[200]; /* one sentence without the line */
};

/* Parses len bytes, which need no final NUL. Returns NULL and *error if they are not
 * PTX. ptx_free frees the module. */
struct ptx_module *ptx_parse(const char *text, size_t len, struct ptx_error *error);
void ptx_free(struct ptx_module *m);

bool ptx_has_mod(const struct ptx_insn *in, enum ptx_mod mod);

#endif
