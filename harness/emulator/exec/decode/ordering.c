/* Which instructions are held until their turn, in kernels where others see the order of
 * what they do (../order.h). That is known when the whole kernel is decoded. */
#include "../ops/ordered.h"
#include "decoder.h"
#include "emit.h"

struct ordered_insn {
    struct ordered_insn *next;
    struct program *program;
    uint32_t index;
    enum ptx_space space;
    const void *of;
    handler *plain, ordered;
};

void
order_note(struct decoder *d, enum ptx_space space, const void *of, handler *plain,
           handler ordered)
{
    struct ordered_insn *o = kernel_alloc(d, sizeof *o);

    if (o == NULL || d->count == 0)
        return;
    *o = (struct ordered_insn){
        d->kernel->ordered, d->program, d->count - 1, space, of, plain, ordered};
    d->kernel->ordered = o;
}

/* A plain load is held only where a race was found. */
static bool
order_is_needed(const struct kernel *k, const struct ordered_insn *o)
{
    bool plain_load = o->ordered == op_ordered_plain_load;
    bool global = k->races_global || (k->serial && !plain_load);
    bool shared = k->races_shared || (k->shared_flags && !plain_load);

    return (o->space != PTX_SPACE_SHARED && global) ||
           (o->space != PTX_SPACE_GLOBAL && shared);
}

/* An instruction that was given up after it had been emitted is not there any more. */
void
kernel_order(struct kernel *k)
{
    for (struct ordered_insn *o = k->ordered; o != NULL; o = o->next) {
        struct insn *in = &o->program->insns[o->index];

        if (!order_is_needed(k, o) || o->index >= o->program->insn_count ||
            in->access != o->of || in->fn == o->ordered)
            continue;
        *o->plain = in->fn;
        in->fn = o->ordered;
    }
}
