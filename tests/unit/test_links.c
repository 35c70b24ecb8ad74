// links: exec ptx emulated
/* Warps that read what others have written, where nothing orders the two: without checks,
 * as in timed calls (exec/links.h). */
#include "emulator/exec/exec.h"
#include "emulator/exec/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORK                                                                             \
    "mov.u32 %r2, 0; mov.u32 %r3, 1;\n"                                                  \
    "again: mad.lo.u32 %r3, %r3, 3, %r2; add.u32 %r2, %r2, 1;\n"                         \
    "setp.lt.u32 %p, %r2, 1000; @%p bra again;\n"
#define KERNEL(name, body)                                                               \
    ".visible .entry " name "(.param .u64 out)\n"                                        \
    "{ .reg .u32 %r<9>; .reg .u64 %d<5>; .reg .pred %p;\n"                               \
    ".shared .align 4 .u32 count; .shared .align 4 .b8 tile[4096];\n"                    \
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;\n" body "ret; }\n"
#define TO_OUT "mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; "

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 ticket;\n"
    /* The next number, taken without an atomic, and work with it. */
    KERNEL("blocks", "ld.global.u32 %r1, [ticket];\n" WORK
                     "add.u32 %r4, %r1, 1; st.global.u32 [ticket], %r4;\n" TO_OUT
                     "st.global.u32 [%d1], %r3;\n")
        KERNEL("warps", "ld.shared.u32 %r1, [count];\n" WORK
                        "add.u32 %r4, %r1, 1; st.shared.u32 [count], %r4;\n" TO_OUT
                        "st.global.u32 [%d1], %r3;\n")
    /* The same where all work is one straight run. */
    KERNEL("straight", "ld.global.u32 %r3, [ticket];\n"
                       "mad.lo.u32 %r3, %r3, %r3, 1; mad.lo.u32 %r3, %r3, %r3, 1;\n"
                       "mad.lo.u32 %r3, %r3, %r3, 1; mad.lo.u32 %r3, %r3, %r3, 1;\n"
                       "st.global.u32 [ticket], %r3;\n")
    /* Warps that have flags, and hand the next number on by asynchronous copies. */
    KERNEL("copies",
           "ld.volatile.shared.u32 %r5, [tile]; ld.shared.u32 %r1, [count];\n" WORK
           "add.u32 %r4, %r1, 1; mov.u32 %r6, %tid.x; shr.u32 %r6, %r6, 5;\n"
           "mul.wide.u32 %d2, %r6, 4; add.u64 %d3, %d1, %d2;\n"
           "st.global.u32 [%d3+2048], %r4;\n"
           "cp.async.ca.shared.global [count], [%d3+2048], 4;\n"
           "cp.async.wait_all;\n" TO_OUT "st.global.u32 [%d1], %r3;\n")
    /* What an update has left is read plainly. */
    KERNEL("updates", WORK "red.global.add.u32 [ticket], 1;\n"
                           "ld.global.u32 %r4, [ticket]; st.global.u32 [%d1], %r4;\n")
    /* Each warp reads what the others have stored before a barrier, several times. */
    KERNEL("barriers",
           "shl.b32 %r2, %r1, 2; xor.b32 %r3, %r2, 128;\n"
           "mov.u32 %r5, tile; add.u32 %r2, %r2, %r5; add.u32 %r3, %r3, %r5;\n"
           "mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
           "next: st.shared.u32 [%r2], %r6; bar.sync 0;\n"
           "ld.shared.u32 %r4, [%r3]; add.u32 %r6, %r4, %r1; bar.sync 0;\n"
           "add.u32 %r7, %r7, 1; setp.lt.u32 %p, %r7, 3; @%p bra next;\n" TO_OUT
           "st.global.u32 [%d1], %r6; bar.sync 0;\n"
           "ld.global.u32 %r4, [%d1]; st.global.u32 [%d1], %r4;\n")
        KERNEL("pairs",
               "shl.b32 %r2, %r1, 2; xor.b32 %r3, %r2, 128; shr.u32 %r4, %r1, 6;\n"
               "mov.u32 %r5, tile; add.u32 %r2, %r2, %r5; add.u32 %r3, %r3, %r5;\n"
               "add.u32 %r4, %r4, 1; st.shared.u32 [%r2], %r1; bar.sync %r4, 64;\n"
               "ld.shared.u32 %r4, [%r3];\n" TO_OUT "st.global.u32 [%d1], %r4;\n")
            KERNEL("counts",
                   "red.shared.add.u32 [count], 1; bar.sync 0;\n"
                   "ld.shared.u32 %r4, [count];\n" TO_OUT "st.global.u32 [%d1], %r4;\n")
    /* Columns of two bytes, which are read after a barrier, and written again late. */
    KERNEL("halves",
           "shl.b32 %r4, %r1, 2; xor.b32 %r6, %r4, 128; mov.u32 %r5, tile;\n"
           "add.u32 %r4, %r4, %r5; add.u32 %r6, %r6, %r5;\n"
           "st.shared.u16 [%r4], %r1; bar.sync 0;\n" WORK
           "st.shared.u16 [%r4+1024], %r3; ld.shared.u16 %r7, [%r6]; bar.sync 0;\n"
           "st.shared.u16 [%r4], %r7;\n")
    /* Each block has 33 bytes, so that blocks share words. */
    KERNEL("bytes", "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r2, %r2, 33, %r1;\n"
                    "cvt.u64.u32 %d2, %r2; add.u64 %d1, %d1, %d2;\n"
                    "ld.global.u8 %r3, [%d1]; add.u32 %r3, %r3, 7;\n"
                    "st.global.u8 [%d1], %r3; ld.global.u8 %r4, [%d1];\n"
                    "add.u32 %r4, %r4, 1; st.global.u8 [%d1], %r4;\n");

enum { OUT_BYTES = 4096 };

struct world {
    struct machine *m;
    struct module *module;
    uint64_t out, ticket, bytes;
    uint32_t *host;
};

static struct world
world_start(int threads)
{
    const struct machine_options options = {.threads = threads};
    struct world w = {.m = machine_new(&options)};
    struct fault f;

    assert_non_null(w.m);
    w.module = module_load(w.m, ptx, sizeof ptx - 1, &f);
    if (w.module == NULL)
        fail_msg("%s", f.text);
    w.out = memory_alloc(w.m, OUT_BYTES, &f);
    w.host = memory_host(w.m, w.out, OUT_BYTES);
    assert_non_null(w.host);
    assert_int_equal(module_variable(w.module, "ticket", &w.ticket, &w.bytes), 0);
    return w;
}

static uint32_t *
ticket_of(const struct world *w)
{
    return memory_host(w->m, w->ticket, 4);
}

/* Launches from zeros. Returns the time without the launch's own. */
static double
launch(struct world *w, const char *name, uint32_t blocks, uint32_t threads)
{
    struct kernel *k = module_kernel(w->module, name);
    struct launch l = {
        .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = &w->out};
    struct counters before, after;
    struct fault f;

    assert_non_null(k);
    *ticket_of(w) = 0;
    memset(w->host, 0, OUT_BYTES);
    machine_counters(w->m, &before);
    if (machine_launch(w->m, k, &l, &f) != 0)
        fail_msg("%s: %s", name, f.text);
    machine_counters(w->m, &after);
    return after.modelled_ns - before.modelled_ns - device_at(0)->launch_ns;
}

static unsigned
written(const struct world *w)
{
    unsigned count = 0;

    for (unsigned i = 0; i < OUT_BYTES / 4; i++)
        count += w->host[i] != 0;
    return count;
}

/* A chain takes the time of all its links, and from the next launch on it does not find
 * them any more. */
static void
check_chain(const char *name, uint32_t blocks, uint32_t warps, bool global)
{
    struct world w = world_start(1);
    const struct kernel *k = module_kernel(w.module, name);
    double one = launch(&w, name, 1, 32);
    uint32_t links = blocks * warps;

    assert_false(k->races_global);
    assert_false(k->races_shared);
    assert_true(launch(&w, name, blocks, warps * 32) >= 0.8 * links * one);
    assert_int_equal(written(&w), links);
    assert_int_equal(k->races_global, global);
    assert_int_equal(k->races_shared, !global);
    launch(&w, name, blocks, warps * 32);
    assert_int_equal(written(&w), 1);
    machine_free(w.m);
}

static void
test_chains(void **state)
{
    (void)state;
    check_chain("blocks", 20, 1, true);
    check_chain("blocks", 1, 8, true);
    check_chain("blocks", 5, 4, true);
    check_chain("warps", 1, 8, false);
}

static void
test_straight_chain(void **state)
{
    struct world w = world_start(1);
    double one = launch(&w, "straight", 1, 32);

    (void)state;
    assert_true(launch(&w, "straight", 50, 32) >= 0.8 * 50 * one);
    machine_free(w.m);
}

/* Where shared memory has flags, copies to it are held until their turn. */
static void
test_copies(void **state)
{
    struct world w = world_start(1);

    (void)state;
    launch(&w, "copies", 1, 256);
    assert_int_equal(written(&w), 8 + 1); /* each warp's copy, and the first number's */
    machine_free(w.m);
}

/* A block that has updated a word itself still reads what others have added. */
static void
test_updates(void **state)
{
    struct world w = world_start(1);
    double one = launch(&w, "updates", 1, 32);

    (void)state;
    assert_true(launch(&w, "updates", 20, 32) >= 1.8 * one);
    assert_true(module_kernel(w.module, "updates")->races_global);
    machine_free(w.m);
}

/* Warps that meet before they read, and blocks that read their own bytes. */
static void
test_no_links(void **state)
{
    static const struct {
        const char *name;
        uint32_t blocks, threads;
    } all[] = {
        {"barriers", 3, 256}, {"pairs", 3, 256}, {"counts", 3, 256},
        {"bytes", 100, 32},   {"halves", 3, 64},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        struct world w = world_start(1);
        double first = launch(&w, all[i].name, all[i].blocks, all[i].threads);
        const struct kernel *k = module_kernel(w.module, all[i].name);

        if (k->races_global || k->races_shared)
            fail_msg("%s: a link was found", all[i].name);
        assert_true(launch(&w, all[i].name, all[i].blocks, all[i].threads) == first);
        machine_free(w.m);
    }
}

/* What an earlier launch has written is nobody's, and many launches use up the numbers
 * that blocks have in tags. */
static void
test_numbers(void **state)
{
    struct world w = world_start(1);
    const struct kernel *k = module_kernel(w.module, "blocks");

    (void)state;
    for (int i = 0; i < 3; i++) {
        launch(&w, "blocks", 1, 32);
        w.m->next_unit = UINT32_MAX - (i == 0 ? 2 : 20);
    }
    assert_false(k->races_global);
    launch(&w, "blocks", 20, 32);
    assert_true(k->races_global);
    machine_free(w.m);
}

/* Memory without room for tags may hold a chain. What earlier launches have tagged makes
 * room, and so does memory that is freed. */
static void
test_room(void **state)
{
    struct world w = world_start(1);
    const struct kernel *k = module_kernel(w.module, "bytes");
    struct memory *memory = &w.m->memory;
    struct fault f;
    uint64_t first;

    (void)state;
    launch(&w, "bytes", 2, 32);
    first = memory->tag_bytes;
    assert_true(first > (uint64_t)2 * OUT_BYTES);
    memory->tag_room = first;
    assert_int_equal(memory_free(w.m, w.out), 0);
    assert_true(memory->tag_bytes < first - 2 * (uint64_t)OUT_BYTES);
    for (int i = 0; i < 3; i++) {
        w.out = memory_alloc(w.m, OUT_BYTES, &f);
        w.host = memory_host(w.m, w.out, OUT_BYTES);
        assert_non_null(w.host);
        launch(&w, "bytes", 2, 32);
        assert_int_equal(memory->tag_bytes, first);
    }
    assert_false(k->races_global);
    memory->tag_room = first - 1;
    launch(&w, "bytes", 2, 32);
    assert_true(memory->tag_bytes < first);
    assert_true(k->races_global);
    machine_free(w.m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),   cmocka_unit_test(test_straight_chain),
        cmocka_unit_test(test_copies),   cmocka_unit_test(test_updates),
        cmocka_unit_test(test_no_links), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
