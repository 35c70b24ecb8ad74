/* Bytes -> a program. Each byte is one decision; when they are used up all decisions are
 * 0 and the sequences end, so every input is a program and a longer one is a larger
 * program. */
#include "program.h"

#include <string.h>

struct source {
    const uint8_t *data;
    size_t size;
    struct random_program *program;
};

/* Where a statement stands: what it may be. */
struct place {
    unsigned depth;
    bool whole_block; /* all threads get here together */
    bool in_loop, in_function;
};

static unsigned
pick(struct source *s, unsigned count)
{
    if (s->size == 0)
        return 0;
    s->size--;
    return *s->data++ % count;
}

static struct statement *sequence(struct source *s, struct place at);

static void
value(struct source *s, struct statement *st)
{
    unsigned n = pick(s, 256) | pick(s, 256) << 8;

    st->op = &value_ops[n % value_op_count];
    st->pred = pick(s, REGS * 4);
    st->guarded = st->pred < REGS * 2;
    st->negated = st->pred % 2 != 0;
    st->pred %= REGS;
}

/* Statements that hold others. Threads that take different ways are not all in one
 * place. */
static void
compound(struct source *s, struct statement *st, struct place at)
{
    struct place inside = at;

    inside.depth++;
    st->uniform = pick(s, 3) == 0;
    if (st->kind == ST_LOOP) {
        st->amount = 1 + pick(s, 4);
        inside.in_loop = true;
        /* A thread may leave a loop before the others. */
        inside.whole_block = false;
    } else {
        st->uniform = false;
        inside.whole_block = false;
    }
    st->body = sequence(s, inside);
    if (st->kind != ST_LOOP)
        st->other = sequence(s, inside);
}

/* A loop of as many turns for all threads, that none leaves early: they stay together. */
static void
loop_together(struct source *s, struct statement *st, struct place at)
{
    struct place inside = at;

    inside.depth++;
    inside.in_loop = false; /* no break */
    st->uniform = true;
    st->amount = 1 + pick(s, 4);
    st->body = sequence(s, inside);
}

static enum kind
pick_kind(struct source *s, struct place at)
{
    static const enum kind together[] = {ST_SHARED, ST_COUNT, ST_SHUFFLE,
                                         ST_VOTE,   ST_REDUX, ST_MATCH};
    unsigned n = pick(s, 24);

    if (n < 10)
        return ST_VALUE;
    if (n < 15 && at.depth < DEPTH_MAX)
        return n < 12 ? ST_IF : n < 14 ? ST_LOOP : ST_SWITCH;
    if (n == 15 && !at.in_function)
        return ST_CALL;
    if (n == 16)
        return ST_LOCAL;
    if (n == 17 && at.in_loop)
        return ST_BREAK;
    if (n == 18 && !at.in_function)
        return pick(s, 2) != 0 ? ST_ATOMIC_GLOBAL : ST_ATOMIC_SHARED;
    if (n > 18 && at.whole_block)
        return together[pick(s, 6)];
    return ST_VALUE;
}

static struct statement *
statement(struct source *s, struct place at)
{
    struct random_program *p = s->program;
    struct statement *st;

    if (p->used == STATEMENTS_MAX)
        return NULL;
    st = &p->pool[p->used++];
    st->kind = pick_kind(s, at);
    for (int i = 0; i < 4; i++)
        st->reg[i] = pick(s, REGS);
    if (st->kind == ST_VALUE) {
        value(s, st);
        return st;
    }
    st->pred = pick(s, REGS);
    st->negated = pick(s, 2) != 0;
    st->variant = pick(s, 8);
    st->amount = pick(s, 8);
    if (st->kind == ST_LOOP && at.whole_block && st->variant < 4)
        loop_together(s, st, at);
    else if (st->kind == ST_IF || st->kind == ST_LOOP || st->kind == ST_SWITCH)
        compound(s, st, at);
    return st;
}

static struct statement *
sequence(struct source *s, struct place at)
{
    struct statement *first = NULL, **link = &first;

    while (s->size != 0 && pick(s, at.depth == 0 ? 40 : 5) != 0) {
        struct statement *st = statement(s, at);

        if (st == NULL)
            break;
        *link = st;
        link = &st->next;
    }
    return first;
}

void
program_generate(struct random_program *p, const uint8_t *data, size_t size)
{
    struct source s = {data, size, p};

    memset(p, 0, sizeof *p);
    for (int i = 0; i < FUNCTIONS; i++)
        p->functions[i] = sequence(&s, (struct place){.depth = 1, .in_function = true});
    p->kernel = sequence(&s, (struct place){.whole_block = true});
}
