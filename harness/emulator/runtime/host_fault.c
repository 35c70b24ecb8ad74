/*
 * Says what a segmentation fault of host code was, where it used a device pointer.
 *
 * Device memory lies above 2^47, where no x86-64 process can have anything. The CPU does
 * not say which address it was: it is not canonical. But a register of the instruction
 * that failed holds an address of device memory, or one near it.
 *
 * A program that has a handler of its own keeps it. After the sentence the process ends
 * by the signal, as it would have without us.
 */
#include "runtime.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* Where allocations lie (GLOBAL_BASE and GLOBAL_END of exec/memory.h). */
#define DEVICE_BASE UINT64_C(0x0000810000000000)
#define DEVICE_END UINT64_C(0x0000f00000000000)

#define ADDRESS_DIGITS 12

/* A value of a register that is an address of device memory, or 0. */
static uint64_t
host_fault_address(const ucontext_t *context)
{
#ifdef __x86_64__
    for (int i = REG_R8; i <= REG_RIP; i++) {
        const uint64_t value = (uint64_t)context->uc_mcontext.gregs[i];

        if (value >= DEVICE_BASE && value < DEVICE_END)
            return value;
    }
#else
    (void)context;
#endif
    return 0;
}

/* Writes the sentence by calls that a handler may make. */
static void
host_fault_say(uint64_t address)
{
    char text[] = "host code uses device memory, at or near 0x000000000000: a device "
                  "pointer can be used by kernels only, and cudaMemcpy copies what it "
                  "points to\n";
    char *digits = strstr(text, "0x") + 2;

    for (int i = ADDRESS_DIGITS - 1; i >= 0; i--, address >>= 4)
        digits[i] = "0123456789abcdef"[address & 15];
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        return; /* nobody reads it, and the signal says the rest */
}

static void
host_fault_on_signal(int number, siginfo_t *info, void *context)
{
    const uint64_t address = info->si_code == SI_KERNEL ? host_fault_address(context) : 0;

    if (address != 0)
        host_fault_say(address);
    (void)signal(number, SIG_DFL); /* the instruction fails again when we return */
}

void
wjrt_explain_host_faults(void)
{
    struct sigaction now,
        ours = {.sa_sigaction = host_fault_on_signal, .sa_flags = SA_SIGINFO};

    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL)
        (void)sigaction(SIGSEGV, &ours, NULL);
}
