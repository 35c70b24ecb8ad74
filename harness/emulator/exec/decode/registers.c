/*
 * An estimate of how many registers a thread of a kernel needs, for PTX that ptxas has
 * not assembled (gpu/assembly.h). It is one, because PTX is written before registers are
 * allocated.
 *
 * The estimate is the largest number of 32-bit registers that are alive at once. A value
 * lives from the first place that names it to the last. If it is alive where a loop
 * begins, and the loop names it, it lives to the end of the loop. PTX of nvcc names every
 * value once, so a linear scan would allocate as many registers.
 *
 * ptxas needs a few more for addresses and for loads in flight. It needs fewer where it
 * recomputes a value or folds it into an operand.
 */
#include "../kernel.h"

#include <stdlib.h>

enum {
    REGISTERS_MIN = 16,
    REGISTERS_MAX = 255,
    REGISTERS_OWN = 6,   /* the stack pointer, and what no value of the text holds */
    REGISTERS_EASY = 32, /* of what goes beyond, ptxas saves a third: solutions/, sm_90 */
    LOOPS_MAX = 256,     /* backward branches that are looked at */
    REGISTER_FILE = 65536,
};

struct life {
    uint32_t first, last; /* instructions + 1; 0: never named */
};

static void
name_register(struct life *life, uint32_t at)
{
    if (life->first == 0)
        life->first = at;
    life->last = at;
}

static void
name_operand(struct life *lives, const struct ptx_operand *o, uint32_t at)
{
    if (o->kind == PTX_OPERAND_REG && o->type != PTX_pred)
        name_register(&lives[o->reg], at);
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        name_operand(lives, &o->list[i], at);
}

/* Values alive where a loop begins live to its end if it names them. */
static void
stretch(const struct ptx_func *f, struct life *lives)
{
    uint32_t loops = 0;

    for (uint32_t i = 0; i < f->insn_count && loops < LOOPS_MAX; i++) {
        const struct ptx_insn *in = &f->insns[i];
        uint32_t begin, end = i + 1;

        if (in->op != PTX_OP_bra || in->operand_count != 1 ||
            in->operands[0].kind != PTX_OPERAND_LABEL || in->operands[0].label > i)
            continue;
        begin = in->operands[0].label + 1;
        loops++;
        for (uint32_t r = 0; r < f->reg_count; r++)
            if (lives[r].first != 0 && lives[r].first < begin && lives[r].last >= begin &&
                lives[r].last < end)
                lives[r].last = end;
    }
}

/* How many 32-bit registers each value takes, by the widest operand that names it. */
static void
weigh_operand(uint8_t *words, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_REG && o->type != PTX_pred) {
        unsigned need = (ptx_type_bytes(o->type) + 3) / 4;

        words[o->reg] = (uint8_t)(need > words[o->reg] ? need : words[o->reg]);
    }
    for (uint32_t i = 0; o->kind == PTX_OPERAND_LIST && i < o->count; i++)
        weigh_operand(words, &o->list[i]);
}

static uint32_t
most_alive(const struct ptx_func *f, const struct life *lives, const uint8_t *words,
           int32_t *change)
{
    int32_t alive = 0, most = 0;

    for (uint32_t r = 0; r < f->reg_count; r++) {
        if (lives[r].first == 0)
            continue;
        change[lives[r].first] += words[r];
        change[lives[r].last] -= words[r];
    }
    for (uint32_t i = 0; i <= f->insn_count; i++) {
        alive += change[i];
        most = alive > most ? alive : most;
    }
    return (uint32_t)most;
}

/* The estimate; 0: the host has no memory. */
static uint32_t
words_needed(const struct ptx_func *f)
{
    struct life *lives = calloc(f->reg_count + 1, sizeof *lives);
    uint8_t *words = calloc(f->reg_count + 1, 1);
    int32_t *change = calloc(f->insn_count + 2, sizeof *change);
    uint32_t most = 0;

    if (lives != NULL && words != NULL && change != NULL) {
        for (uint32_t i = 0; i < f->insn_count; i++)
            for (unsigned k = 0; k < f->insns[i].operand_count; k++) {
                name_operand(lives, &f->insns[i].operands[k], i + 1);
                weigh_operand(words, &f->insns[i].operands[k]);
            }
        stretch(f, lives);
        most = most_alive(f, lives, words, change);
    }
    free(lives);
    free(words);
    free(change);
    return most;
}

uint32_t
registers_estimate(const struct ptx_func *f)
{
    uint32_t n = words_needed(f) + REGISTERS_OWN;
    uint32_t limit = REGISTERS_MAX;

    if (n > REGISTERS_EASY)
        n = REGISTERS_EASY + (n - REGISTERS_EASY) * 2 / 3;
    if (f->max_threads != 0 && REGISTER_FILE / f->max_threads < limit)
        limit = REGISTER_FILE / f->max_threads / 8 * 8;
    if (n < REGISTERS_MIN)
        n = REGISTERS_MIN;
    return n < limit ? n : limit;
}
