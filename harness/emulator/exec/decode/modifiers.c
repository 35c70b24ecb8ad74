/*
 * The modifiers of instructions, each of which somebody must read. A decoder asks for
 * those that it knows, and only where the answer decides what the instruction does. What
 * is left over would be ignored, so the instruction is refused instead.
 *
 * The table below has the only modifiers that are ignored: they say where data is cached,
 * or promise or demand an order that the emulated GPU keeps anyway.
 */
#include "decoder.h"

/* --- what is ignored ------------------------------------------------------- */

/* 9.7.9.1, 9.7.9.2: cache operators, eviction priorities, sizes of prefetches. */
#define EVICTION                                                                         \
    PTX_MOD_l1_evict_normal, PTX_MOD_l1_evict_unchanged, PTX_MOD_l1_evict_first,         \
        PTX_MOD_l1_evict_last, PTX_MOD_l1_no_allocate, PTX_MOD_l2_evict_first,           \
        PTX_MOD_l2_evict_last, PTX_MOD_l2_evict_normal, PTX_MOD_l2_evict_unchanged
#define PREFETCHED_SIZES PTX_MOD_l2_64b, PTX_MOD_l2_128b, PTX_MOD_l2_256b
#define LOAD_CACHES PTX_MOD_ca, PTX_MOD_cg, PTX_MOD_cs, PTX_MOD_lu, PTX_MOD_cv
#define STORE_CACHES PTX_MOD_wb, PTX_MOD_cg, PTX_MOD_cs, PTX_MOD_wt

/* 8.5, 8.6: the warps of a block take turns, and each access is ordered for all. */
#define SCOPES PTX_MOD_cta, PTX_MOD_cluster, PTX_MOD_gpu, PTX_MOD_sys

static const struct {
    uint16_t op, mods[32];
} ignored[] = {
    {PTX_OP_ld,
     {LOAD_CACHES, EVICTION, PREFETCHED_SIZES, SCOPES, PTX_MOD_nc, PTX_MOD_weak,
      PTX_MOD_volatile_, PTX_MOD_relaxed, PTX_MOD_acquire, PTX_MOD_mmio}},
    {PTX_OP_st,
     {STORE_CACHES, EVICTION, SCOPES, PTX_MOD_weak, PTX_MOD_volatile_, PTX_MOD_relaxed,
      PTX_MOD_release, PTX_MOD_mmio}},
    {PTX_OP_atom,
     {SCOPES, PTX_MOD_relaxed, PTX_MOD_acquire, PTX_MOD_release, PTX_MOD_acq_rel}},
    {PTX_OP_red, {SCOPES, PTX_MOD_relaxed, PTX_MOD_release}},
    {PTX_OP_cp, {PTX_MOD_ca, PREFETCHED_SIZES}},
    {PTX_OP_suld, {PTX_MOD_ca, PTX_MOD_cg, PTX_MOD_cs, PTX_MOD_cv}},
    {PTX_OP_sust, {STORE_CACHES}},
    {PTX_OP_prefetch,
     {PTX_MOD_L1, PTX_MOD_L2, PTX_MOD_l2_evict_last, PTX_MOD_l2_evict_normal,
      PTX_MOD_global, PTX_MOD_local}},
    {PTX_OP_prefetchu, {PTX_MOD_L1}},
    {PTX_OP_applypriority, {PTX_MOD_l2_evict_normal, PTX_MOD_global}},
    {PTX_OP_discard, {PTX_MOD_L2, PTX_MOD_global}},
    {PTX_OP_createpolicy,
     {EVICTION, PTX_MOD_fractional, PTX_MOD_range, PTX_MOD_cvt, PTX_MOD_L2,
      PTX_MOD_global}},
    {PTX_OP_pmevent, {PTX_MOD_mask}},
    /* 9.7.13.16: a launch begins when its predecessor has ended. */
    {PTX_OP_griddepcontrol, {PTX_MOD_launch_dependents, PTX_MOD_wait}},
    /* 9.7.19.5: registers that a warp gives back are of no use to another one. */
    {PTX_OP_setmaxnreg, {PTX_MOD_inc, PTX_MOD_dec, PTX_MOD_sync, PTX_MOD_aligned}},
    /* A fence orders everything for everybody. */
    {PTX_OP_membar, {PTX_MOD_cta, PTX_MOD_gl, PTX_MOD_sys, PTX_MOD_proxy, PTX_MOD_alias}},
    {PTX_OP_fence,
     {SCOPES, PTX_MOD_sc, PTX_MOD_acq_rel, PTX_MOD_acquire, PTX_MOD_release,
      PTX_MOD_proxy, PTX_MOD_alias, PTX_MOD_async, PTX_MOD_global, PTX_MOD_shared_cta,
      PTX_MOD_shared_cluster, PTX_MOD_mbarrier_init}},
    /* 9.7.13.15.13: .noComplete promises that the arrival does not complete the phase. */
    {PTX_OP_mbarrier,
     {PTX_MOD_relaxed, PTX_MOD_acquire, PTX_MOD_release, PTX_MOD_cta, PTX_MOD_cluster,
      PTX_MOD_nocomplete}},
    {PTX_OP_bar, {PTX_MOD_cta}},
    {PTX_OP_barrier, {PTX_MOD_cta, PTX_MOD_aligned}},
    /* 9.7.12: a promise that the threads stay together, which they do if it is true. */
    {PTX_OP_bra, {PTX_MOD_uni}},
    {PTX_OP_brx, {PTX_MOD_uni}},
    {PTX_OP_call, {PTX_MOD_uni}},
    {PTX_OP_ret, {PTX_MOD_uni}},
    /* The same promise of what a warp executes together. */
    {PTX_OP_ldmatrix, {PTX_MOD_aligned}},
    {PTX_OP_stmatrix, {PTX_MOD_aligned}},
    {PTX_OP_movmatrix, {PTX_MOD_aligned}},
    {PTX_OP_mma, {PTX_MOD_aligned}},
    {PTX_OP_wmma, {PTX_MOD_aligned}},
};

bool
mod_is_ignored(enum ptx_op op, enum ptx_mod mod)
{
    enum { MODS = sizeof ignored[0].mods / sizeof ignored[0].mods[0] };

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        for (size_t k = 0; k < MODS && ignored[i].op == op; k++)
            if (ignored[i].mods[k] == (uint16_t)mod)
                return true;
    return false;
}

/* --- what is read ---------------------------------------------------------- */

void
mod_read_at(struct decoder *d, unsigned index)
{
    d->mods_read |= 1u << index;
}

bool
mod_read(struct decoder *d, const struct ptx_insn *in, enum ptx_mod mod)
{
    for (unsigned i = 0; i < in->mod_count; i++) {
        if (in->mods[i] == mod) {
            mod_read_at(d, i);
            return true;
        }
    }
    return false;
}

enum ptx_mod
mod_read_any(struct decoder *d, const struct ptx_insn *in, const uint16_t *mods,
             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mod_read(d, in, (enum ptx_mod)mods[i]))
            return (enum ptx_mod)mods[i];
    return PTX_MOD_UNKNOWN;
}

enum ptx_type
type_read(struct decoder *d, const struct ptx_insn *in, unsigned index)
{
    d->types_read |= 1u << index;
    return (enum ptx_type)in->types[index];
}

enum ptx_mod
mod_unread(const struct decoder *d, const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->mod_count; i++)
        if ((d->mods_read >> i & 1) == 0 &&
            !mod_is_ignored(in->op, (enum ptx_mod)in->mods[i]))
            return (enum ptx_mod)in->mods[i];
    return PTX_MOD_UNKNOWN;
}
