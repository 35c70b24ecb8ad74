/* A program -> PTX: the module that the emulator gets. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

struct printer {
    FILE *out;
    unsigned labels;
    unsigned break_label, loop_depth;
};

static const char letters[] = "hrdfgp";
const char *const redux_names[REDUXES] = {"add.s32", "add.u32", "min.s32", "max.s32",
                                          "min.u32", "max.u32", "xor.b32", "and.b32"};
const char *const atomic_names[ATOMICS] = {"add.u32", "add.s32", "min.s32", "max.u32",
                                           "xor.b32", "and.b32", "or.b32",  "min.u32"};

static void sequence(struct printer *p, const struct statement *st);

/* Which NaN an operation on doubles gives is nobody's promise: programs see 1.0. */
static void
one_nan(struct printer *p, unsigned g)
{
    fprintf(p->out,
            "setp.nan.f64 %%q, %%g%u, %%g%u;\n"
            "selp.f64 %%g%u, 0d3FF0000000000000, %%g%u, %%q;\n",
            g, g, g, g);
}

static void
value(struct printer *p, const struct statement *st)
{
    const char *operands = st->op->operands;

    if (st->guarded)
        fprintf(p->out, "@%s%%p%u ", st->negated ? "!" : "", st->pred);
    fprintf(p->out, "%s ", st->op->text);
    for (int i = 0; operands[i] != '\0'; i++)
        fprintf(p->out, "%s%%%c%u", i != 0 ? ", " : "", operands[i], st->reg[i]);
    fprintf(p->out, ";\n");
    if (operands[0] == 'g')
        one_nan(p, st->reg[0]);
}

static void
branch(struct printer *p, const struct statement *st)
{
    unsigned label = p->labels;

    p->labels += 2;
    fprintf(p->out, "@%s%%p%u bra L%u;\n", st->negated ? "" : "!", st->pred, label);
    sequence(p, st->body);
    fprintf(p->out, "bra L%u;\nL%u:\n", label + 1, label);
    sequence(p, st->other);
    fprintf(p->out, "L%u:\n", label + 1);
}

static void
loop(struct printer *p, const struct statement *st)
{
    unsigned label = p->labels, outer = p->break_label, depth = p->loop_depth++;

    p->labels += 2;
    p->break_label = label + 1;
    if (st->uniform)
        fprintf(p->out, "mov.u32 %%n%u, %u;\n", depth, st->amount);
    else
        fprintf(p->out, "and.b32 %%n%u, %%r%u, 3;\nadd.u32 %%n%u, %%n%u, 1;\n", depth,
                st->reg[0], depth, depth);
    fprintf(p->out, "L%u:\n", label);
    sequence(p, st->body);
    fprintf(p->out,
            "sub.u32 %%n%u, %%n%u, 1;\nsetp.ne.u32 %%q, %%n%u, 0;\n@%%q bra L%u;\n"
            "L%u:\n",
            depth, depth, depth, label, label + 1);
    p->break_label = outer;
    p->loop_depth--;
}

static void
switch_of(struct printer *p, const struct statement *st)
{
    unsigned label = p->labels;

    p->labels += 4;
    fprintf(p->out,
            "{\n.reg .b32 %%i;\nT%u: .branchtargets L%u, L%u, L%u, L%u;\n"
            "and.b32 %%i, %%r%u, 3;\nbrx.idx %%i, T%u;\n}\n",
            label, label, label + 1, label + 2, label + 2, st->reg[0], label);
    fprintf(p->out, "L%u:\n", label);
    sequence(p, st->body);
    fprintf(p->out, "bra L%u;\nL%u:\n", label + 2, label + 1);
    sequence(p, st->other);
    fprintf(p->out, "L%u:\n", label + 2);
}

static void
call(struct printer *p, const struct statement *st)
{
    fprintf(p->out,
            "{\n.param .b32 a0; .param .b64 a1; .param .b32 a2;\n"
            "st.param.b32 [a0], %%r%u;\nst.param.b64 [a1], %%d%u;\n"
            "call.uni (a2), f%u, (a0, a1);\nld.param.b32 %%r%u, [a2];\n}\n",
            st->reg[1], st->reg[2], st->variant % FUNCTIONS, st->reg[0]);
}

static void
local(struct printer *p, const struct statement *st)
{
    fprintf(p->out,
            "and.b32 %%t0, %%r%u, %d;\nmad.lo.u32 %%t0, %%t0, 4, %%lbase;\n"
            "st.local.u32 [%%t0], %%r%u;\n"
            "and.b32 %%t0, %%r%u, %d;\nmad.lo.u32 %%t0, %%t0, 4, %%lbase;\n"
            "ld.local.u32 %%r%u, [%%t0];\n",
            st->reg[1], LOCAL_WORDS - 1, st->reg[2], st->reg[3], LOCAL_WORDS - 1,
            st->reg[0]);
}

static void
shared(struct printer *p, const struct statement *st)
{
    fprintf(p->out,
            "bar.sync 0;\nmov.u32 %%t0, words;\nmad.lo.u32 %%t1, %%tid.x, 4, %%t0;\n"
            "st.shared.u32 [%%t1], %%r%u;\nbar.sync 0;\n"
            "add.u32 %%t1, %%tid.x, %u;\nrem.u32 %%t1, %%t1, %d;\n"
            "mad.lo.u32 %%t1, %%t1, 4, %%t0;\nld.shared.u32 %%r%u, [%%t1];\n",
            st->reg[1], st->amount * 9, THREADS, st->reg[0]);
}

static void
shuffle(struct printer *p, const struct statement *st)
{
    static const char *const modes[SHUFFLES] = {"idx", "up", "down", "bfly"};
    static const unsigned clamps[SHUFFLES] = {0x1807, 0, 0x1807, 0x1f};

    fprintf(p->out, "shfl.sync.%s.b32 %%r%u, %%r%u, %u, %u, -1;\n",
            modes[st->variant % SHUFFLES], st->reg[0], st->reg[1], st->amount,
            clamps[st->variant % SHUFFLES]);
}

static void
vote(struct printer *p, const struct statement *st)
{
    static const char *const modes[VOTES] = {"ballot.b32", "any.pred", "all.pred",
                                             "uni.pred"};
    unsigned mode = st->variant % VOTES;

    fprintf(p->out, "vote.sync.%s %%%c%u, %s%%p%u, -1;\n", modes[mode],
            mode == 0 ? 'r' : 'p', st->reg[0], st->negated ? "!" : "", st->pred);
}

static void
atomic(struct printer *p, const struct statement *st)
{
    if (st->kind == ST_ATOMIC_SHARED) {
        fprintf(p->out, "mov.u32 %%t0, totals;\n%s.shared.%s %s[%%t0 + %u], %%r%u;\n",
                st->negated ? "red" : "atom", atomic_names[st->variant],
                st->negated ? "" : "%t1, ", st->variant * 4, st->reg[0]);
        return;
    }
    fprintf(p->out, "%s.global.%s %s[%%grid + %u], %%r%u;\n",
            st->negated ? "red" : "atom", atomic_names[st->variant],
            st->negated ? "" : "%t1, ", st->variant * 4, st->reg[0]);
}

static void
statement(struct printer *p, const struct statement *st)
{
    switch (st->kind) {
    case ST_VALUE:
        value(p, st);
        break;
    case ST_IF:
        branch(p, st);
        break;
    case ST_LOOP:
        loop(p, st);
        break;
    case ST_BREAK:
        fprintf(p->out, "@%s%%p%u bra L%u;\n", st->negated ? "!" : "", st->pred,
                p->break_label);
        break;
    case ST_SWITCH:
        switch_of(p, st);
        break;
    case ST_CALL:
        call(p, st);
        break;
    case ST_LOCAL:
        local(p, st);
        break;
    case ST_SHARED:
        shared(p, st);
        break;
    case ST_COUNT:
        fprintf(p->out, "barrier.sync 1;\nbarrier.red.popc.u32 %%r%u, 1, %s%%p%u;\n",
                st->reg[0], st->negated ? "!" : "", st->pred);
        break;
    case ST_SHUFFLE:
        shuffle(p, st);
        break;
    case ST_VOTE:
        vote(p, st);
        break;
    case ST_REDUX:
        fprintf(p->out, "redux.sync.%s %%r%u, %%r%u, -1;\n", redux_names[st->variant],
                st->reg[0], st->reg[1]);
        break;
    case ST_MATCH:
        fprintf(p->out, "match.any.sync.b32 %%r%u, %%r%u, -1;\n", st->reg[0], st->reg[1]);
        break;
    case ST_ATOMIC_SHARED:
    case ST_ATOMIC_GLOBAL:
        atomic(p, st);
        break;
    }
}

static void
sequence(struct printer *p, const struct statement *st)
{
    for (; st != NULL; st = st->next)
        statement(p, st);
}

static void
declarations(struct printer *p)
{
    fprintf(p->out,
            "{\n.reg .b16 %%h<%d>;\n.reg .b32 %%r<%d>;\n.reg .b64 %%d<%d>;\n"
            ".reg .f32 %%f<%d>;\n.reg .f64 %%g<%d>;\n.reg .pred %%p<%d>;\n",
            REGS, REGS, REGS, REGS, REGS, REGS);
    fprintf(p->out,
            ".reg .b32 %%t<2>, %%n<%d>, %%lbase;\n.reg .b64 %%grid, %%in, %%out, %%a;\n"
            ".reg .pred %%q, %%first;\n.local .align 4 .b8 array[%d];\nmov.u32 %%lbase, "
            "array;\n",
            DEPTH_MAX + 1, LOCAL_WORDS * 4);
    for (int i = 0; i < LOCAL_WORDS; i++)
        fprintf(p->out, "st.local.u32 [array + %d], %d;\n", i * 4, i);
}

/* All registers from one 64-bit value each; predicates from its bits. */
static void
fill_registers(struct printer *p, int i)
{
    fprintf(p->out,
            "cvt.u32.u64 %%r%d, %%d%d;\ncvt.u16.u64 %%h%d, %%d%d;\n"
            "mov.b32 %%f%d, %%r%d;\nmov.b64 %%g%d, %%d%d;\n"
            "and.b32 %%t0, %%r%d, 1;\nsetp.ne.u32 %%p%d, %%t0, 0;\n",
            i, i, i, i, i, i, i, i, i, i);
    one_nan(p, (unsigned)i);
}

static void
function(struct printer *p, const struct random_program *g, int f)
{
    fprintf(p->out, ".func (.param .b32 result) f%d(.param .b32 x, .param .b64 y)\n", f);
    declarations(p);
    for (int i = 0; i < REGS; i++) {
        fprintf(p->out,
                "ld.param.b64 %%d%d, [y];\nld.param.b32 %%t1, [x];\n"
                "cvt.u64.u32 %%a, %%t1;\nadd.u64 %%d%d, %%d%d, %%a;\n"
                "mul.lo.u64 %%d%d, %%d%d, %d;\n",
                i, i, i, i, i, 2 * i + 1);
        fill_registers(p, i);
    }
    sequence(p, g->functions[f]);
    /* Everything that the function computed shows in its result. */
    for (int i = 0; i < REGS; i++)
        fprintf(p->out,
                "xor.b32 %%r0, %%r0, %%r%d;\nmov.b32 %%t0, %%f%d;\n"
                "add.u32 %%r0, %%r0, %%t0;\ncvt.u32.u64 %%t0, %%d%d;\n"
                "xor.b32 %%r0, %%r0, %%t0;\n",
                i, i, i);
    fprintf(p->out, "st.param.b32 [result], %%r0;\nret;\n}\n");
}

static void
store_registers(struct printer *p)
{
    static const char *const widths[CLASSES] = {"u16", "u32", "u64", "f32", "f64", NULL};

    for (int c = 0; c < CLASSES; c++) {
        for (int i = 0; i < REGS; i++) {
            int offset = (c * REGS + i) * 8;

            if (c == CLASS_P)
                fprintf(p->out,
                        "selp.u32 %%t0, 1, 0, %%p%d;\nst.global.u32 [%%out+%d], "
                        "%%t0;\n",
                        i, offset);
            else
                fprintf(p->out, "st.global.%s [%%out+%d], %%%c%d;\n", widths[c], offset,
                        letters[c], i);
        }
    }
}

static void
kernel(struct printer *p, const struct random_program *g)
{
    fprintf(p->out, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 "
                    "grid)\n");
    declarations(p);
    fprintf(p->out,
            ".shared .align 4 .b8 words[%d];\n.shared .align 4 .b8 totals[%d];\n"
            "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
            "ld.param.u64 %%grid, [grid];\n"
            "mad.lo.u32 %%t0, %%ctaid.x, %d, %%tid.x;\n"
            "mad.wide.u32 %%in, %%t0, %d, %%in;\nmad.wide.u32 %%out, %%t0, %d, %%out;\n",
            THREADS * 4, ATOMIC_WORDS * 4, THREADS, REGS * 8, CLASSES * REGS * 8);
    for (int i = 0; i < REGS; i++) {
        fprintf(p->out, "ld.global.u64 %%d%d, [%%in+%d];\n", i, i * 8);
        fill_registers(p, i);
    }
    fprintf(p->out,
            "mov.u32 %%t0, totals;\nmad.lo.u32 %%t0, %%tid.x, 4, %%t0;\n"
            "setp.lt.u32 %%first, %%tid.x, %d;\n@%%first st.shared.u32 [%%t0], "
            "%u;\nbar.sync 0;\n",
            ATOMIC_WORDS, ATOMIC_START);
    sequence(p, g->kernel);
    store_registers(p);
    fprintf(p->out,
            "bar.sync 0;\n@!%%first ret;\nmov.u32 %%t0, totals;\n"
            "mad.lo.u32 %%t0, %%tid.x, 4, %%t0;\nld.shared.u32 %%t0, [%%t0];\n"
            "mad.lo.u32 %%t1, %%ctaid.x, %d, %d;\nadd.u32 %%t1, %%t1, %%tid.x;\n"
            "mad.wide.u32 %%grid, %%t1, 4, %%grid;\nst.global.u32 [%%grid], %%t0;\n"
            "ret;\n}\n",
            ATOMIC_WORDS, ATOMIC_WORDS);
}

char *
program_print(const struct random_program *g)
{
    char *text = NULL;
    size_t len = 0;
    struct printer p = {.out = open_memstream(&text, &len)};
    bool failed;

    if (p.out == NULL)
        return NULL;
    fprintf(p.out, ".version 8.0\n.target sm_80\n.address_size 64\n");
    for (int f = 0; f < FUNCTIONS; f++)
        function(&p, g, f);
    kernel(&p, g);
    failed = ferror(p.out) != 0;
    if (fclose(p.out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
