/* What a program's kernel must leave in memory: each statement for all active threads of
 * a block, one after the other. The active ones are an array of flags; a branch runs its
 * one side with those that go there, then the other. */
#include "program.h"

#include <string.h>

struct thread {
    uint64_t reg[CLASSES][REGS];
    uint32_t local[LOCAL_WORDS];
};

struct state {
    const struct random_program *program;
    struct thread thread[THREADS];
    uint32_t *shared, *grid; /* the atomics' words */
};

/* active: who runs the statement. left: who has left the innermost loop. */
struct context {
    bool *active, *left;
};

static void sequence(struct state *s, const struct statement *st, struct context c);

/* Register k of each class, from one value. */
static void
thread_fill(struct thread *t, unsigned k, uint64_t v)
{
    t->reg[CLASS_D][k] = v;
    t->reg[CLASS_R][k] = t->reg[CLASS_F][k] = v & 0xffffffff;
    t->reg[CLASS_H][k] = v & 0xffff;
    t->reg[CLASS_G][k] = (v << 1) > 0xffe0000000000000 ? 0x3ff0000000000000 : v;
    t->reg[CLASS_P][k] = v & 1;
}

static bool
holds(const struct state *s, const struct statement *st, unsigned thread)
{
    return (s->thread[thread].reg[CLASS_P][st->pred] != 0) != st->negated;
}

static void
value(struct thread *t, const struct statement *st)
{
    const char *o = st->op->operands;
    uint64_t v[3] = {0};
    enum class result = class_of(o[0]);

    for (int i = 1; o[i] != '\0'; i++)
        v[i - 1] = t->reg[class_of(o[i])][st->reg[i]];
    t->reg[result][st->reg[0]] = st->op->eval(v[0], v[1], v[2]) & class_mask(result);
}

static bool
any(const bool *flags)
{
    for (int i = 0; i < THREADS; i++)
        if (flags[i])
            return true;
    return false;
}

/* Runs st by the threads that are active and chosen. */
static void
some(struct state *s, const struct statement *st, struct context c, const bool *chosen)
{
    bool active[THREADS];

    for (int i = 0; i < THREADS; i++)
        active[i] = c.active[i] && chosen[i];
    if (any(active))
        sequence(s, st, (struct context){active, c.left});
    for (int i = 0; i < THREADS; i++)
        if (chosen[i])
            c.active[i] = active[i]; /* those who broke out are gone from here, too */
}

static void
branch(struct state *s, const struct statement *st, struct context c)
{
    bool first[THREADS], second[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t way = s->thread[i].reg[CLASS_R][st->reg[0]] & 3;

        first[i] = st->kind == ST_IF ? holds(s, st, i) : way == 0;
        second[i] = st->kind == ST_IF ? !first[i] : way == 1;
    }
    some(s, st->body, c, first);
    some(s, st->other, c, second);
}

static void
loop(struct state *s, const struct statement *st, struct context c)
{
    unsigned turns[THREADS];
    bool active[THREADS], left[THREADS] = {false};

    for (int i = 0; i < THREADS; i++)
        turns[i] = st->uniform
                       ? st->amount
                       : (unsigned)(s->thread[i].reg[CLASS_R][st->reg[0]] & 3) + 1;
    for (unsigned turn = 0;; turn++) {
        for (int i = 0; i < THREADS; i++)
            active[i] = c.active[i] && !left[i] && turn < turns[i];
        if (!any(active))
            break;
        sequence(s, st->body, (struct context){active, left});
    }
}

static void
call(struct state *s, const struct statement *st, struct context c)
{
    struct thread saved[THREADS];
    bool active[THREADS], left[THREADS] = {false};

    memcpy(saved, s->thread, sizeof saved);
    memcpy(active, c.active, sizeof active);
    for (int i = 0; i < THREADS; i++) {
        struct thread *t = &s->thread[i];
        uint64_t x = saved[i].reg[CLASS_R][st->reg[1]],
                 y = saved[i].reg[CLASS_D][st->reg[2]];

        for (unsigned k = 0; k < LOCAL_WORDS; k++)
            t->local[k] = k;
        for (unsigned k = 0; k < REGS; k++)
            thread_fill(t, k, (x + y) * (2 * k + 1));
    }
    sequence(s, s->program->functions[st->variant % FUNCTIONS],
             (struct context){active, left});
    for (int i = 0; i < THREADS; i++) {
        struct thread *t = &s->thread[i];
        uint32_t r = (uint32_t)t->reg[CLASS_R][0];

        for (int k = 0; k < REGS; k++) {
            r ^= k == 0 ? r : (uint32_t)t->reg[CLASS_R][k];
            r += (uint32_t)t->reg[CLASS_F][k];
            r ^= (uint32_t)t->reg[CLASS_D][k];
        }
        *t = saved[i];
        if (c.active[i])
            t->reg[CLASS_R][st->reg[0]] = r;
    }
}

static void
local(struct thread *t, const struct statement *st)
{
    t->local[t->reg[CLASS_R][st->reg[1]] % LOCAL_WORDS] =
        (uint32_t)t->reg[CLASS_R][st->reg[2]];
    t->reg[CLASS_R][st->reg[0]] = t->local[t->reg[CLASS_R][st->reg[3]] % LOCAL_WORDS];
}

static uint32_t
combine(unsigned variant, uint32_t x, uint32_t y, bool redux)
{
    enum { SUM, MIN_S, MAX_S, MIN_U, MAX_U, XOR, AND, OR };
    static const int of_redux[REDUXES] = {SUM, SUM, MIN_S, MAX_S, MIN_U, MAX_U, XOR, AND},
                     of_atomic[ATOMICS] = {SUM, SUM, MIN_S, MAX_U, XOR, AND, OR, MIN_U};
    bool less = (int32_t)x < (int32_t)y;

    switch (redux ? of_redux[variant] : of_atomic[variant]) {
    case SUM:
        return x + y;
    case MIN_S:
        return less ? x : y;
    case MAX_S:
        return less ? y : x;
    case MIN_U:
        return x < y ? x : y;
    case MAX_U:
        return x < y ? y : x;
    case XOR:
        return x ^ y;
    case AND:
        return x & y;
    default:
        return x | y;
    }
}

/* Among the threads of one warp: from first to before end. */
static void
of_warp(struct state *s, const struct statement *st, unsigned first, unsigned end)
{
    uint64_t old[WARP], ballot = 0, all = (1ull << (end - first)) - 1, v = 0;
    enum class result = CLASS_R;

    for (unsigned i = first; i < end; i++) {
        old[i - first] = s->thread[i].reg[CLASS_R][st->reg[1]];
        ballot |= (uint64_t)holds(s, st, i) << (i - first);
        v = i == first
                ? old[0]
                : combine(st->variant, (uint32_t)v, (uint32_t)old[i - first], true);
    }
    for (unsigned lane = 0; lane < end - first; lane++) {
        unsigned n = st->amount, from = lane;

        if (st->kind == ST_SHUFFLE) {
            switch (st->variant % SHUFFLES) {
            case 0:
                from = lane / 8 * 8 + n;
                break;
            case 1:
                from = lane >= n ? lane - n : lane;
                break;
            case 2:
                from = lane % 8 + n < 8 ? lane + n : lane;
                break;
            default:
                from = lane ^ n;
            }
            v = old[from];
        } else if (st->kind == ST_VOTE) {
            static const enum class results[VOTES] = {CLASS_R, CLASS_P, CLASS_P, CLASS_P};
            uint64_t values[VOTES] = {ballot, ballot != 0, ballot == all,
                                      ballot == 0 || ballot == all};

            result = results[st->variant % VOTES];
            v = values[st->variant % VOTES];
        } else if (st->kind == ST_MATCH) {
            v = 0;
            for (unsigned i = 0; i < end - first; i++)
                v |= (uint64_t)(old[i] == old[lane]) << i;
        }
        s->thread[first + lane].reg[result][st->reg[0]] = v;
    }
}

/* Among the threads of a block. */
static void
of_block(struct state *s, const struct statement *st)
{
    uint64_t old[THREADS], count = 0;

    for (unsigned i = 0; i < THREADS; i++) {
        old[i] = s->thread[i].reg[CLASS_R][st->reg[1]];
        count += holds(s, st, i);
    }
    for (unsigned i = 0; i < THREADS; i++)
        s->thread[i].reg[CLASS_R][st->reg[0]] =
            st->kind == ST_COUNT ? count : old[(i + st->amount * 9) % THREADS];
}

/* Each word has an operation of its own: then the order does not show. */
static void
atomic(struct state *s, const struct statement *st, unsigned thread)
{
    uint32_t *to = (st->kind == ST_ATOMIC_SHARED ? s->shared : s->grid) + st->variant;

    *to = combine(st->variant, *to, (uint32_t)s->thread[thread].reg[CLASS_R][st->reg[0]],
                  false);
}

/* A statement that each thread does for itself. */
static void
of_thread(struct state *s, const struct statement *st, struct context c, unsigned i)
{
    switch (st->kind) {
    case ST_VALUE:
        if (!st->guarded || holds(s, st, i))
            value(&s->thread[i], st);
        break;
    case ST_BREAK:
        if (holds(s, st, i)) {
            c.left[i] = true;
            c.active[i] = false;
        }
        break;
    case ST_LOCAL:
        local(&s->thread[i], st);
        break;
    default:
        atomic(s, st, i);
    }
}

static void
statement(struct state *s, const struct statement *st, struct context c)
{
    switch (st->kind) {
    case ST_IF:
    case ST_SWITCH:
        branch(s, st, c);
        break;
    case ST_LOOP:
        loop(s, st, c);
        break;
    case ST_CALL:
        call(s, st, c);
        break;
    case ST_SHARED:
    case ST_COUNT:
        of_block(s, st);
        break;
    case ST_SHUFFLE:
    case ST_VOTE:
    case ST_REDUX:
    case ST_MATCH:
        for (unsigned i = 0; i < THREADS; i += WARP)
            of_warp(s, st, i, i + WARP < THREADS ? i + WARP : THREADS);
        break;
    default:
        for (unsigned i = 0; i < THREADS; i++)
            if (c.active[i])
                of_thread(s, st, c, i);
    }
}

static void
sequence(struct state *s, const struct statement *st, struct context c)
{
    for (; st != NULL; st = st->next)
        statement(s, st, c);
}

static void
block(struct state *s, unsigned number, const uint64_t *in, struct memory_image *out)
{
    bool active[THREADS], left[THREADS] = {false};

    s->shared = out->atomics + ATOMIC_WORDS * (1 + number);
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *t = &s->thread[i];

        active[i] = true;
        for (unsigned k = 0; k < LOCAL_WORDS; k++)
            t->local[k] = k;
        for (unsigned k = 0; k < REGS; k++)
            thread_fill(t, k, in[(number * THREADS + i) * REGS + k]);
    }
    sequence(s, s->program->kernel, (struct context){active, left});
    for (unsigned i = 0; i < THREADS; i++)
        memcpy(out->out + (number * THREADS + i) * CLASSES * REGS, s->thread[i].reg,
               sizeof s->thread[i].reg);
}

void
program_model(const struct random_program *p, const uint64_t *in,
              struct memory_image *out)
{
    struct state s = {.program = p, .grid = out->atomics};

    for (int i = 0; i < OUT_ATOMICS; i++)
        out->atomics[i] = ATOMIC_START;
    for (unsigned b = 0; b < BLOCKS; b++)
        block(&s, b, in, out);
}
