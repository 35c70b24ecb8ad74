#include "device/gpu_process.h"

#include <sys/socket.h>
#include <unistd.h>

#define CONTROL_FD 3 /* the control socket in the emulated GPU's process (gpu.h) */
#define END_MS 2000  /* how long the process may take to end after it was killed */
#define INSIDE "/warpjudge-gpu"
#define LOG_KEEP 2048

/* What the other processes of a judgement may take beside it: a runner (runner_link.c)
 * has 8 GiB, and an eighth of the machine is for the arbiter and everybody else. */
#define BESIDE_BYTES ((uint64_t)8 << 30)

uint64_t
gpu_process_memory(void)
{
    const uint64_t machine =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t most = machine / 2, least = machine / 4, usable = machine / 8 * 7;
    const uint64_t left = usable > BESIDE_BYTES ? usable - BESIDE_BYTES : 0;

    return left > most ? most : left < least ? least : left;
}

static int
gpu_start(struct gpu_process *p, const char *program, bool insecure,
          uint64_t memory_bytes, int control, struct report *r)
{
    const char *const argv[] = {INSIDE, NULL};
    const char *const env[] = {
#ifdef __SANITIZE_ADDRESS__
        "ASAN_OPTIONS=detect_leaks=0", /* needs ptrace, which the sandbox forbids */
#endif
        NULL,
    };
    const struct sandbox_bind bind = {.from = program, .to = INSIDE};
    const struct sandbox_fd fd = {.from = control, .to = CONTROL_FD};
    const struct sandbox s = {
        .program = insecure ? program : INSIDE,
        .argv = argv,
        .env = env,
        .bind = &bind,
        .bind_count = 1,
        .fd = &fd,
        .fd_count = 1,
        .chdir = "/",
        .one_process = true,
        .insecure = insecure,
        /* What it may not have is refused to it as data_bytes, so that it can say so. The
         * control group counts the memory that it shares, too. */
        .memory_bytes = memory_bytes,
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer maps terabytes */
        .data_bytes = memory_bytes,
#endif
    };

    return sandbox_start(&s, &p->sandbox, r);
}

int
gpu_process_start(struct gpu_process *p, const char *program, bool insecure,
                  uint64_t memory_bytes, int *control, struct report *r)
{
    int pair[2], rc;

    *p = (struct gpu_process){0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return report_errno(r, "no socket for the emulated GPU");
    rc = gpu_start(p, program, insecure, memory_bytes, pair[1], r);
    close(pair[1]);
    if (rc != 0)
        close(pair[0]);
    else
        *control = pair[0];
    return rc;
}

void
gpu_process_end(struct gpu_process *p, struct buf *out)
{
    int code = 0;

    if (p->ended)
        return;
    sandbox_kill(&p->sandbox);
    (void)sandbox_wait(&p->sandbox, END_MS, out, LOG_KEEP, 0, &code);
    p->out_of_memory = p->sandbox.out_of_memory;
    p->ended = true;
}
