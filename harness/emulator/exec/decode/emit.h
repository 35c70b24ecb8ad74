/*
 * What the decoder of a family of instructions uses. It looks at a PTX instruction, asks
 * for the lane vectors of its operands, and emits what is to be executed.
 *
 * A decoder of a family returns 0, or -1 where this build does not know the form. What it
 * has emitted is then taken back.
 *
 * A lane vector is named by its byte offset in the frame. UINT32_MAX stands for an
 * operand whose kind or width does not fit; every caller returns -1 then.
 *
 * Where the host has no memory, the decoding of the kernel fails at its end. Until then,
 * functions that return pointers return NULL, and the others what may be written to
 * without harm.
 */
#ifndef EMULATOR_EMIT_H
#define EMULATOR_EMIT_H

#include "../kernel.h"
#include "../ops/lane_table.h"

struct decoder;

/* --- what is decoded -------------------------------------------------------- */

struct machine *machine_of(const struct decoder *d);
struct kernel *kernel_of(const struct decoder *d);
const struct ptx_func *function_of(const struct decoder *d);
const struct ptx_insn *current_insn(const struct decoder *d);

/* The memory space that an instruction names; GENERIC if it names none. */
enum ptx_space insn_space(const struct ptx_insn *in);

/* The same, and says that the modifier was read. */
enum ptx_space space_read(struct decoder *d, const struct ptx_insn *in);

/* The same for an access. One that names no space has the space of the variable that it
 * names, or is generic. */
enum ptx_space access_space(struct decoder *d, const struct ptx_insn *in,
                            const struct ptx_operand *address);

/* How often the function's text names a register, at most 255. */
uint32_t mentions_of(const struct decoder *d, uint32_t reg);

/* --- emitting ---------------------------------------------------------------- */

/* Memory that lives as long as the kernel; zeroed. NULL: there is none. */
void *kernel_alloc(struct decoder *d, size_t bytes);

/* A new instruction at the end of the code; never NULL, valid until the next one. */
struct insn *emit(struct decoder *d, handler fn);

/* Counts work of the instruction that is being decoded, for each thread. Issue slots and
 * the critical path are counted without this. */
void count_work(struct decoder *d, enum work kind, uint32_t amount);

/* Makes the instruction that is being decoded count as so many more in budgets and in
 * clock(), and nowhere else. */
void count_instructions(struct decoder *d, uint32_t more);

/* A new site on the line of the instruction being decoded. */
uint32_t site_new(struct decoder *d);
/* Notes that the instruction being decoded calls a function. NULL: that is not known. */
void line_note_call(struct decoder *d, struct program *callee);

/* Says how many wavefronts a request of the site to shared memory takes at least. */
void site_wavefronts(struct decoder *d, uint32_t slot, uint32_t wavefronts);

/* No warp waits for what the site accesses; L1 is not asked for it. */
void site_no_wait(struct decoder *d, uint32_t slot);
void site_past_l1(struct decoder *d, uint32_t slot);

/* What the instruction with this number, which was emitted last, does is seen by other
 * warps: in shared memory of its block, in global memory, or either. Where the order of
 * such matters, its handler becomes `ordered`, and *plain what it was. of: its operands.
 */
void order_note(struct decoder *d, enum ptx_space space, const void *of, handler *plain,
                handler ordered);

/* The handler of arithmetic on whole lane vectors; NULL: none. */
handler lane_handler(const struct decoder *d, struct lane_key key);

/* --- branches ---------------------------------------------------------------- */

/* The index of the next instruction that is emitted. */
uint32_t next_insn(const struct decoder *d);

/* Instruction insn branches to a label. insn is the index of a decoded instruction, the
 * label that of a PTX instruction. */
void branch_to(struct decoder *d, uint32_t insn, uint32_t label);

/* The same for an entry of a branch table. */
void branch_entry(struct decoder *d, const struct insn **entry, uint32_t label);

/* The program of a function in this kernel, which is decoded later if it is new. NULL:
 * the host has no memory. */
struct program *program_for(struct decoder *d, const struct ptx_func *func);

/* --- operands (operand.c) ---------------------------------------------------- */

/* A lane vector that belongs to no register. 0 bytes an element: a predicate's mask. */
uint32_t new_vector(struct decoder *d, uint32_t element_bytes);

/* The same with zeros when a warp begins, for what may be read before it is written. So
 * no warp reads what an earlier one has left there (vector_reuse.c). */
uint32_t new_cleared_vector(struct decoder *d, uint32_t element_bytes);

/* The lane vector of a register. */
uint32_t reg_vector(struct decoder *d, uint32_t reg, enum ptx_type type);

/* How many bytes a lane's value of this type takes in a register; 0: no register holds
 * it. */
uint32_t register_bytes(enum ptx_type type);

/* Is it a type of 16, 32 or 64 bits that is no half and no pair? selp, slct, set and setp
 * have these. */
bool is_number(enum ptx_type type);

/* Is the operand a register or literal of a kind that goes with the type (9.2)? Registers
 * of bits go with all types, and all registers with types of bits. */
bool operand_fits(const struct ptx_operand *o, enum ptx_type type);

/* The lane vector from which an operand is read. Its elements are as wide as the type, or
 * in source_any() of the width that is stored in *width.
 *
 * element() is for a list of sources, whose registers may be of any kind. */
uint32_t source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
uint32_t element(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
uint32_t source_any(struct decoder *d, const struct ptx_operand *o, uint32_t *width);

/* The lane vector to which a result is written. For the operand _ it is one that nobody
 * reads. */
uint32_t destination(struct decoder *d, const struct ptx_operand *o, uint32_t bytes);
uint32_t predicate(struct decoder *d, const struct ptx_operand *o, bool *negated);

/* The fields of an operand that a decoder may leave unread. Where an instruction of the
 * text has one that is set, and nobody said that it was read, the form is not known. */
enum operand_field {
    OPERAND_VALUE = 1,   /* the register, number, variable, label or table itself */
    OPERAND_OFFSET = 2,  /* +n */
    OPERAND_ADDRESS = 4, /* brackets */
    OPERAND_NEGATED = 8,
    OPERAND_MINUS = 16,
    OPERAND_SELECTOR = 32,
};

/* Says that a decoder has read these fields. The functions above say it of what they
 * read: source() of the value and its offset, predicate() of the value and its negation,
 * the others of the value. */
void operand_read(struct decoder *d, const struct ptx_operand *o, unsigned fields);

/* Forgets what was read of the instruction. A decoder that failed to read it as one form
 * calls this before it reads it as another. */
void reading_begin(struct decoder *d, const struct ptx_insn *in);

/* Has the instruction this modifier? A decoder asks only where the answer decides what
 * the instruction does: a modifier that nobody asked for makes the form unknown. */
bool mod_read(struct decoder *d, const struct ptx_insn *in, enum ptx_mod mod);

/* The first of these modifiers that the instruction has; PTX_MOD_UNKNOWN: none. Only this
 * one is read, so two of them make the form unknown. */
enum ptx_mod mod_read_any(struct decoder *d, const struct ptx_insn *in,
                          const uint16_t *mods, size_t count);
#define MOD_READ_ANY(d, in, ...)                                                         \
    mod_read_any(d, in, (const uint16_t[]){__VA_ARGS__},                                 \
                 sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

/* Says that the modifier with this number was read. */
void mod_read_at(struct decoder *d, unsigned index);

/* Is this one of the modifiers that such an instruction may leave unread? */
bool mod_is_ignored(enum ptx_op op, enum ptx_mod mod);

/* A modifier that nobody read, and that is none of those that may be ignored
 * (modifiers.c); PTX_MOD_UNKNOWN: there is none. */
enum ptx_mod mod_unread(const struct decoder *d, const struct ptx_insn *in);

/* A type of the instruction, by its number; PTX_TYPE_NONE: it has fewer. A type that
 * nobody asked for makes the form unknown, too. */
enum ptx_type type_read(struct decoder *d, const struct ptx_insn *in, unsigned index);

/* Reads the address of an access: brackets, value and offset. */
void address_read(struct decoder *d, const struct ptx_operand *o);

/* Is an operand a register plus a number? ptxas takes none of them in instructions that
 * it expands itself: shfl, vote, match, redux and the video instructions. */
bool has_sum(const struct ptx_insn *in);

/* Reads operands that change no result, from number `first` to `last` - 1. */
void hints_read(struct decoder *d, const struct ptx_insn *in, unsigned first,
                unsigned last);

/* A lane vector of 8 bytes: the address of the frame's local memory at offset. */
uint32_t frame_address_vector(struct decoder *d, uint32_t offset);
/* A lane vector with these bits in all lanes; 0 bytes: a predicate. */
uint32_t constant_vector(struct decoder *d, uint64_t bits, uint32_t bytes);

/* Stores the value that a lane vector has in all lanes at all times. false: it has no
 * such value. */
bool constant_value(const struct decoder *d, uint32_t vector, uint64_t *bits);

/* Stores the address of a variable in its space. *in_frame says whether it is an offset
 * in the frame's local memory. -1: the variable has no address. */
int variable_address(struct decoder *d, const struct ptx_var *v, uint64_t *address,
                     bool *in_frame);

/* The lane vector of .cc, the same in the whole function. */
uint32_t carry_vector(struct decoder *d);

/* The memory that alloca gives out. */
struct stack {
    uint32_t offset; /* where it begins in the frame's local memory */
    uint32_t
        used_vector; /* lane vector of the bytes in use; UINT32_MAX: there is no alloca */
};
struct stack stack_of(const struct decoder *d);
/* stack.c: places the stack at the end *at of the frame's local memory, and moves the
 * end. */
struct stack stack_place(struct decoder *d, uint32_t *at);

/* --- what is known of an access ---------------------------------------------- */

/* origin.c: the shared array from which the address of an access is formed; NULL: it is
 * not known. */
const struct ptx_var *shared_origin(struct decoder *d, const struct ptx_operand *address);

/* copies.c: is this a load whose value is stored elsewhere, and nothing else? */
bool is_copy(struct decoder *d, const struct ptx_insn *in);

/* quiet.c: is this a load or store that makes no race with certain others? */
bool race_is_quiet(struct decoder *d, const struct ptx_insn *in);

#endif
