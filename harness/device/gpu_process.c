#include "device/gpu_process.h"

#include <sys/socket.h>
#include <unistd.h>

#define CONTROL_FD 3 /* the control socket in the emulated GPU's process (gpu.h) */
#define END_MS 2000  /* how long the process may take to end after it was killed */
#define INSIDE "/warpjudge-gpu"
#define LOG_KEEP 2048

static int
gpu_start(struct gpu_process *p, const char *program, bool insecure, int control,
          struct report *r)
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
        /* The process limits its own memory (emu.c). This limit only gives it a control
         * group, in which its processes are found. */
        .memory_bytes =
            (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
    };

    return sandbox_start(&s, &p->sandbox, r);
}

int
gpu_process_start(struct gpu_process *p, const char *program, bool insecure, int *control,
                  struct report *r)
{
    int pair[2], rc;

    *p = (struct gpu_process){0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return report_errno(r, "no socket for the emulated GPU");
    rc = gpu_start(p, program, insecure, pair[1], r);
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
    p->ended = true;
}
