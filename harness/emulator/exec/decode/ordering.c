/* Which instructions are held until their turn, in kernels where others see the order of
 * what they do (../order.h). That is known when the whole kernel is decoded. */
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

/* An instruction that was given up after it had been emitted is not there any more. */
void
order_apply(struct kernel *k)
{
    for (struct ordered_insn *o = k->ordered; o != NULL; o = o->next) {
        bool needed = (o->space != PTX_SPACE_SHARED && k->serial) ||
                      (o->space != PTX_SPACE_GLOBAL && k->shared_flags);
        struct insn *in = &o->program->insns[o->index];

        if (!needed || o->index >= o->program->insn_count || in->access != o->of)
            continue;
        *o->plain = in->fn;
        in->fn = o->ordered;
    }
}
