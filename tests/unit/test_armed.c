// links: fake_gpu arbiter device gpu_owner sandbox common
/* Submissions that work between the arming of their runner and the release, when a call's
 * buffers are known, but not yet its inputs: they gain nothing. */
#include "../fixtures/fake_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Put over the first bytes of the C library's recvmsg, which the runner calls: as soon as
 * it is to arm a call it sends a GiB, before it says that it has. */
#define SENDS                                                                            \
    TALKS                                                                                \
    "#include <string.h>\n"                                                              \
    "#include <sys/mman.h>\n"                                                            \
    "#include <sys/socket.h>\n"                                                          \
    "#include <sys/syscall.h>\n"                                                         \
    "#include <unistd.h>\n"                                                              \
    "static float *last; static int sent;\n"                                             \
    "static long wait(int fd, struct msghdr *m, int flags) {\n"                          \
    "  long n = syscall(SYS_recvmsg, fd, m, flags);\n"                                   \
    "  if (n > 0 && last && *(unsigned *)m->msg_iov->iov_base == 2)\n"                   \
    "    take(last, 200000, ++sent, 0);\n"                                               \
    "  return n; }\n"                                                                    \
    "__attribute__((constructor)) static void patch(void) {\n"                           \
    "  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};\n"     \
    "  void *to = (void *)wait, *from = (void *)recvmsg;\n"                              \
    "  memcpy(jump + 2, &to, 8);\n"                                                      \
    "  if (mprotect((void *)((unsigned long)from & -4096ul), 8192, 7) == 0)\n"           \
    "    memcpy(from, jump, 12); }\n"

/* A GPU's counters come round: who could send 4 GB unseen would seem to have sent none.
 * So they are asked after that, unless a young count is there (test_bus_meter.c). */
static void
what_is_sent_before_there_are_inputs_does_not_count(void **state)
{
    struct judgement j;

    (void)state;
    submission_add("submission", SENDS, SUM "if (N == 200000) last = C;");
    play = (struct play){
        .has_rates = true, .copy_bytes_per_ns = 1e9, .after_bytes_per_ns = 1e9};
    play.sends = play.unordered = true;
    fake_gpu_judge(&j, 1);
    assert_true(play.taken_gib >= SAMPLES_MIN);
    assert_non_null(strstr(j.result.timing.conditions, "\"bus_bytes\":[0,"));
    assert_null(j.result.timing.remark);
    judgement_close(&j);
}

/* The program has a function of its own in the place of the C library's recvmsg, which
 * the runner calls. It adds as soon as a call is armed whose buffers it knows from an
 * earlier one; what is added then must not be this call's inputs, nor stay in its
 * outputs. */
static const char eager[] =
    "#include <stdint.h>\n#include <string.h>\n#include <sys/mman.h>\n"
    "#include <sys/socket.h>\n#include <sys/syscall.h>\n"
    "long syscall(long, ...);\n"
    "struct request { uint32_t op, memory; uint64_t bytes, address;\n"
    "  uint32_t device, awake_ms, cpu, args;\n"
    "  struct { int32_t slot; uint32_t pad; uint64_t value; } arg[4]; };\n"
    "static float *at[256]; static int slot[3], added;\n"
    "static ssize_t armed(int fd, struct msghdr *m, int flags) {\n"
    "  long n = syscall(SYS_recvmsg, fd, m, flags);\n"
    "  struct request *q = m->msg_iov->iov_base;\n"
    "  if (n <= 0 || q->op != 2) return n;\n"
    "  for (int i = 0; i < 3; i++) slot[i] = q->arg[i].slot;\n"
    "  added = q->arg[3].value == 200000 && at[slot[0]] != 0;\n"
    "  for (int i = 0; i < 200000 && added; i++)\n"
    "    at[slot[2]][i] = at[slot[0]][i] + at[slot[1]][i];\n"
    "  return n; }\n"
    "__attribute__((constructor)) static void detour(void) {\n"
    "  unsigned char jump[12] = {0x48, 0xb8, [10] = 0xff, 0xe0};\n"
    "  void *to = armed; char *from = (char *)recvmsg;\n"
    "  memcpy(jump + 2, &to, sizeof to);\n"
    "  if (mprotect((char *)((uintptr_t)from & -4096), 8192, 7) == 0)\n"
    "    memcpy(from, jump, sizeof jump); }\n";

static void
work_before_the_release_is_for_nothing(void **state)
{
    struct judgement j;

    (void)state;
    submission_add(
        "submission", eager,
        "if (N == 200000) { at[slot[0]] = (float *)A; at[slot[1]] = (float *)B; "
        "at[slot[2]] = C; } if (!added) " SUM);
    fake_gpu_judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_WRONG_ANSWER);
    /* With the buffers of the warm-up's first calls once more. */
    assert_non_null(strstr(j.result.message, "warm-up 9 "));
    judgement_close(&j);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_sent_before_there_are_inputs_does_not_count,
                               fake_gpu_forget),
        cmocka_unit_test_setup(work_before_the_release_is_for_nothing, fake_gpu_forget),
    };

    return cmocka_run_group_tests(tests, fake_gpu_set_up, fake_gpu_tear_down);
}
