/* Shared by the files of decode*.c and layout.c only. */
#ifndef EMULATOR_DECODE_H
#define EMULATOR_DECODE_H

#include "../internal.h"

/* A branch whose target isn't laid out yet. */
struct fixup {
    uint32_t insn;            /* index of ours */
    uint32_t target;          /* index of the PTX instruction */
    const struct insn **slot; /* NULL: the insn's target */
};

/* A straight part of a function in the order of the text. */
struct code_block {
    uint32_t first, end; /* PTX instructions [first, end) */
    uint32_t *successors;
    uint32_t successor_count;
    bool falls_through;
};

/* rows.c: key -> a number that is not 0. */
struct row_map {
    struct row_map_slot {
        uint64_t key;
        uint32_t value;
    } * slot;
    uint32_t slots, used;
};

/* Where the key's number is, or is to be put at once: 0, none yet. NULL: no memory. */
uint32_t *row_map_at(struct row_map *map, uint64_t key);

/* row_reuse.c: where a register is named. */
struct life {
    uint32_t left;     /* mentions in the text */
    uint32_t block;    /* the last basic block that mentions it, as far as was looked */
    uint32_t here;     /* mentions in that */
    uint32_t last;     /* instruction: the last of them */
    uint8_t row_bytes; /* of the row that it is to give back; 0: it is not */
    bool written_first;
};

/* Rows that were given back; more than these are forgotten. */
enum { ROW_POOL = 64 };
struct row_pool {
    uint32_t rows[ROW_POOL], count;
};

struct decoder {
    struct machine *machine;
    struct kernel *kernel;
    struct program *program;
    const struct ptx_func *func;
    struct fault *fault;
    struct insn *insns;
    const struct ptx_insn **origin;
    uint32_t count, max;
    uint32_t *row_of;   /* by register; UINT32_MAX: none (yet) */
    uint32_t *same_as;  /* by register: whose row it has (decode_alias.c); may be itself;
                           UINT32_MAX: nobody's */
    struct life *lives; /* by register; NULL: rows are not reused */
    struct row_pool free_rows[3]; /* of 2, 4 and 8 bytes an element */
    uint32_t block;               /* the basic block being decoded, from 1 on */
    uint8_t *mentions;            /* of each register, in the text */
    uint8_t *left_out; /* by PTX instruction: 1 needs no execution (decode_alias.c) */
    uint32_t *starts;  /* by PTX instruction that leads a block: index of ours */
    uint32_t frame_bytes;
    struct constant *constants;
    uint32_t constant_count, constant_max;
    struct special *specials;
    uint32_t special_count, special_max;
    struct row_map constant_rows[4], special_rows; /* 1 + index, by what they are */
    struct frame_var {
        const struct ptx_var *var;
        uint32_t offset;
    } * frame_vars; /* the function's local and param variables */
    uint32_t frame_var_count;
    const struct ptx_insn **definition; /* race_static.c: of each register */
    const struct ptx_var **origins;     /* decode_origin.c: of each register */
    uint32_t carry_row;                 /* of .cc; UINT32_MAX: none */
    uint32_t stack_row, stack_offset;   /* stack.c; UINT32_MAX: none */
    struct fixup *fixups;
    uint32_t fixup_count, fixup_max;
    uint32_t run_insn, run_tally, tally; /* the open run, and where work is counted */
    const struct ptx_insn *current;
    const struct ptx_loc *line_loc; /* the last one that line_of() was asked for */
    uint32_t line;
    struct path_node *path_nodes; /* the open run's instructions: paths.c */
    uint32_t path_count, path_max;
    uint32_t path_order;              /* the last node that orders memory, + 1 */
    struct path_writer *path_writers; /* by register */
    bool no_memory;
};

/* Memory that lives as long as the kernel; zeroed. NULL and d->no_memory if there is
 * none. */
void *kernel_alloc(struct decoder *d, size_t bytes);

/* layout.c: the blocks of a function in the order in which they are to be laid out. */
struct code_block *find_blocks(struct decoder *d, uint32_t *count);
uint32_t *block_order(struct decoder *d, const struct code_block *blocks, uint32_t count,
                      uint32_t *order_count);

/* decode.c: emitting */
struct insn *emit(struct decoder *d, handler fn);
void count_work(struct decoder *d, enum work kind, uint32_t amount);
void branch_to(struct decoder *d, uint32_t insn, uint32_t ptx_target);
void open_run(struct decoder *d);
uint32_t tally_new(struct decoder *d);

/* lines.c: what the instruction being decoded is booked to */
/* Its line: index into the kernel's lines. */
uint32_t line_of(struct decoder *d);
/* A new site (see internal.h) on its line. */
uint32_t site_new(struct decoder *d);
/* Its line's share of a tally; never NULL, valid until the next call. */
struct share *share_of(struct decoder *d, uint32_t tally);
struct share *share_at(struct decoder *d, uint32_t tally, uint32_t line);

struct program *program_for(struct decoder *d, const struct ptx_func *func);

/* decode_operand.c. -1 / UINT32_MAX: an operand of a kind or width that doesn't fit. */
uint32_t new_row(struct decoder *d, uint32_t element_bytes);
uint32_t reg_row(struct decoder *d, uint32_t reg, enum ptx_type type);
uint32_t register_bytes(enum ptx_type type);
uint32_t source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
uint32_t source_any(struct decoder *d, const struct ptx_operand *o, uint32_t *width);
uint32_t destination(struct decoder *d, const struct ptx_operand *o, uint32_t bytes);
uint32_t predicate(struct decoder *d, const struct ptx_operand *o, bool *negated);
uint32_t frame_address_row(struct decoder *d, uint32_t offset);
uint32_t constant_row(struct decoder *d, uint64_t bits, uint32_t bytes);
/* Of the entry's parameters, which holds bytes at offset. */
uint32_t parameter_row(struct decoder *d, uint32_t offset, uint32_t bytes);
/* The one value that a row has in all lanes and always; false: it isn't such a row. */
bool constant_value(const struct decoder *d, uint32_t row, uint64_t *bits);
int variable_address(struct decoder *d, const struct ptx_var *v, uint64_t *address,
                     bool *in_frame);
enum ptx_space insn_space(const struct ptx_insn *in);

/* shared_layout.c: gives the shared variables that the kernel reaches their addresses.
 * Before the first instruction is decoded. */
void shared_layout(struct decoder *d);

/* decode_alias.c: gives registers that only name a value that value's row. Before the
 * first instruction is decoded. */
/* row_reuse.c: looks at the function, once aliases are known; at a block before it is
 * decoded; after each instruction gives back the rows that it was the last to mention.
 * bytes: of an element; 0: a predicate. */
int row_reuse_begin(struct decoder *d);
void row_reuse_block(struct decoder *d, const struct code_block *b);
void row_reuse_after(struct decoder *d, uint32_t insn);
uint32_t register_row(struct decoder *d, uint32_t reg, uint32_t bytes);

void find_aliases(struct decoder *d, const struct code_block *blocks, uint32_t count);

/* The decoders of groups of instructions: 0, or -1: a form this build does not know. */
int decode_arithmetic(struct decoder *d, const struct ptx_insn *in);
/* enum compare of setp and set; -1: none. */
int compare_of(const struct ptx_insn *in);
int decode_move(struct decoder *d, const struct ptx_insn *in);
int decode_compare(struct decoder *d, const struct ptx_insn *in);
int decode_convert(struct decoder *d, const struct ptx_insn *in);
int decode_scalar(struct decoder *d, const struct ptx_insn *in);
/* carry.c */
int decode_carry(struct decoder *d, const struct ptx_insn *in);
/* stack.c */
void place_stack(struct decoder *d, uint32_t *at);
int decode_stack(struct decoder *d, const struct ptx_insn *in);
/* video.c */
int decode_video(struct decoder *d, const struct ptx_insn *in);
bool is_video(enum ptx_op op);
/* scalar_single.c */
int decode_single(struct decoder *d, const struct ptx_insn *in);
/* scalar_float.c */
int decode_scalar_float(struct decoder *d, const struct ptx_insn *in);
double value_of(uint64_t bits, enum ptx_type t);
int decode_memory(struct decoder *d, const struct ptx_insn *in);
int decode_atomic(struct decoder *d, const struct ptx_insn *in);
int decode_control(struct decoder *d, const struct ptx_insn *in);
/* system.c: vprintf, __assertfail, malloc, free. e->rows: offsets of the arguments. */
int decode_builtin_call(struct decoder *d, const char *name,
                        const struct ptx_operand *arguments,
                        const struct ptx_operand *results, struct extra *e);
int decode_sync(struct decoder *d, const struct ptx_insn *in);
int decode_cluster(struct decoder *d, const struct ptx_insn *in);
int decode_copy_async(struct decoder *d, const struct ptx_insn *in);
int decode_bulk_copy(struct decoder *d, const struct ptx_insn *in);
int decode_system(struct decoder *d, const struct ptx_insn *in);
/* system.c: membar, fence: orders what was done before. */
int decode_fence(struct decoder *d, const struct ptx_insn *in);
/* decode_origin.c: the shared array that an access's address is formed from; NULL: not
 * known. */
const struct ptx_var *shared_origin(struct decoder *d, const struct ptx_operand *address);

/* race_static.c: a load or store that makes no race with certain others. */
bool race_is_quiet(struct decoder *d, const struct ptx_insn *in);
int decode_matrix(struct decoder *d, const struct ptx_insn *in);
int decode_mbarrier(struct decoder *d, const struct ptx_insn *in);
int decode_texture(struct decoder *d, const struct ptx_insn *in); /* texture_ops.c */

/* scalar.c: operands 1... of the instruction have these types; the result is operand 0.
 */
int emit_scalar(struct decoder *d, const struct ptx_insn *in,
                uint64_t (*fn)(const uint64_t *, uint32_t), uint32_t flags,
                enum ptx_type result, const enum ptx_type *types, uint32_t count);

/* May the instruction park the split (so that it ends a run and can't stand under
 * op_guard)? */
bool may_park(const struct ptx_insn *in);

/* paths.c: is operand 0 a result? */
bool writes_first_operand(const struct ptx_insn *in);

#endif
