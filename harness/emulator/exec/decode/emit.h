/*
 * What the decoder of a family of instructions uses: it looks at a PTX instruction, asks
 * for the lane vectors of its operands, and emits what is to be executed.
 *
 * A decoder of a family returns 0, or -1 where this build does not know the form; what it
 * has emitted is then taken back. A lane vector is named by its byte offset in the frame;
 * UINT32_MAX stands for an operand of a kind or width that does not fit, and every caller
 * gives up on it. Where the host has no memory, the decoding fails as a whole at its end:
 * functions that return pointers say so with NULL, the others return what can be written
 * to without harm.
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

/* How often the function's text names a register, at most 255. */
uint32_t mentions_of(const struct decoder *d, uint32_t reg);

/* --- emitting ---------------------------------------------------------------- */

/* Memory that lives as long as the kernel; zeroed. NULL: there is none. */
void *kernel_alloc(struct decoder *d, size_t bytes);

/* A new instruction at the end of the code; never NULL, valid until the next one. */
struct insn *emit(struct decoder *d, handler fn);

/* What the instruction being decoded counts as, a thread, beside its shares in issue
 * slots and the critical path. */
void count_work(struct decoder *d, enum work kind, uint32_t amount);

/* Makes the instruction that is being decoded count as so many more for budgets and for
 * clock(), and for nothing else. */
void count_instructions(struct decoder *d, uint32_t more);

/* A new site on the line of the instruction being decoded. */
uint32_t site_new(struct decoder *d);

/* A request of a site to shared memory takes so many wavefronts at least. */
void site_wavefronts(struct decoder *d, uint32_t slot, uint32_t wavefronts);

/* The handler of arithmetic on whole lane vectors; NULL: none. */
handler lane_handler(const struct decoder *d, struct lane_key key);

/* --- branches ---------------------------------------------------------------- */

/* The index of the next instruction that is emitted. */
uint32_t next_insn(const struct decoder *d);

/* Instruction insn (an index) branches to a label: a PTX instruction's index. */
void branch_to(struct decoder *d, uint32_t insn, uint32_t label);

/* The same of an entry of a branch table. */
void branch_entry(struct decoder *d, const struct insn **entry, uint32_t label);

/* The function's program in this kernel; decoded later if it is new. NULL: no memory. */
struct program *program_for(struct decoder *d, const struct ptx_func *func);

/* --- operands (operand.c) -------------------------------------------- */

/* A lane vector of our own; 0 bytes an element: a predicate's mask. */
uint32_t new_vector(struct decoder *d, uint32_t element_bytes);
uint32_t reg_vector(struct decoder *d, uint32_t reg, enum ptx_type type);

/* Bytes of an element of the register that holds a value of this type; 0: none does. */
uint32_t register_bytes(enum ptx_type type);

/* The lane vector that an operand is read from, as wide as the type asks; of any width,
 * which *width says. */
uint32_t source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
uint32_t source_any(struct decoder *d, const struct ptx_operand *o, uint32_t *width);

/* The lane vector that a result is written to; one of nobody's for the operand _. */
uint32_t destination(struct decoder *d, const struct ptx_operand *o, uint32_t bytes);
uint32_t predicate(struct decoder *d, const struct ptx_operand *o, bool *negated);

/* The address of the frame's local memory at offset, in 8 bytes. */
uint32_t frame_address_vector(struct decoder *d, uint32_t offset);
uint32_t constant_vector(struct decoder *d, uint64_t bits, uint32_t bytes);

/* The one value that a lane vector has in all lanes and always; false: it isn't such a
 * one. */
bool constant_value(const struct decoder *d, uint32_t vector, uint64_t *bits);

/* The address of a variable, in its space; *in_frame: it is an offset in the frame's
 * local memory. -1: it has none. */
int variable_address(struct decoder *d, const struct ptx_var *v, uint64_t *address,
                     bool *in_frame);

/* The lane vector of .cc, the same in the whole function. */
uint32_t carry_vector(struct decoder *d);

/* The memory that alloca gives out: an offset in the frame's local memory, and the lane
 * vector of how many bytes of it are in use (UINT32_MAX: the function has no alloca). */
struct stack {
    uint32_t offset, used_vector;
};
struct stack stack_of(const struct decoder *d);
/* stack.c: places it at the end *at of the frame's local memory, and moves the end. */
struct stack stack_place(struct decoder *d, uint32_t *at);

/* --- what is known of an access ------------------------------------------- */

/* origin.c: the shared array that an access's address is formed from; NULL: not
 * known. */
const struct ptx_var *shared_origin(struct decoder *d, const struct ptx_operand *address);

/* quiet.c: a load or store that makes no race with certain others. */
bool race_is_quiet(struct decoder *d, const struct ptx_insn *in);

#endif
