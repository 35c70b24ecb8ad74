/* Lists the devices of this machine. */
#include "device/device_ops.h"

#include "base/buf.h"
#include "emulator/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Asks the driver in a child, so that the caller keeps no CUDA context. Nor can a
 * driver that hangs or crashes, as with a GPU that fell off the bus, stop the caller.
 * The child sends one record for each device and exits. */
#define PROBE_TIMEOUT_MS 30000

static _Noreturn void
probe_child(int fd, int max)
{
    struct device_info *info = calloc((size_t)max, sizeof *info);
    int n = info != NULL ? cuda_list(info, max) : 0;
    const char *bytes = (const char *)info;
    size_t left = (size_t)n * sizeof *info;

    while (left > 0) {
        ssize_t sent = write(fd, bytes, left);

        if (sent <= 0 && errno != EINTR)
            break;
        if (sent > 0) {
            bytes += sent;
            left -= (size_t)sent;
        }
    }
    _exit(left == 0 ? 0 : 1);
}

static size_t
read_records(int fd, void *out, size_t size)
{
    size_t got = 0;

    while (got < size) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (poll(&p, 1, PROBE_TIMEOUT_MS) == 0)
            break;
        n = read(fd, (char *)out + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

static int
probe_gpus(struct device_info *out, int max)
{
    int pipe_fd[2];
    size_t got;
    pid_t pid;

    if (max <= 0 || pipe2(pipe_fd, O_CLOEXEC) != 0)
        return 0;
    pid = fork();
    if (pid == 0) {
        close(pipe_fd[0]);
        probe_child(pipe_fd[1], max);
    }
    close(pipe_fd[1]);
    if (pid < 0) {
        close(pipe_fd[0]);
        return 0;
    }
    got = read_records(pipe_fd[0], out, (size_t)max * sizeof *out);
    close(pipe_fd[0]);
    kill(pid, SIGKILL); /* only needed if it hangs */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return (int)(got / sizeof *out);
}

void
emu_describe(struct device_info *out)
{
    const struct device_model *m = device_at(0);

    *out = (struct device_info){0};
    snprintf(out->board, sizeof out->board, "emu");
    snprintf(out->name, sizeof out->name, "emulated GPU (emu)");
    snprintf(out->arch, sizeof out->arch, "compute_80");
    snprintf(out->models, sizeof out->models,
             "%s: %.0f SMs at %.2f GHz, %.0f GB/s, %.0f MiB of L2", m->name, m->sms,
             m->clock_ghz, m->dram_bytes_per_ns, m->l2_bytes / (1024 * 1024));
    out->memory_bytes = (uint64_t)16 << 30;
}

int
device_list(struct device_info *out, int max, char names[][16])
{
    int n = probe_gpus(out, max - 1);

    for (int i = 0; i < n; i++)
        snprintf(names[i], 16, "cuda:%hu", (unsigned short)i);
    emu_describe(&out[n]);
    snprintf(names[n], 16, "emu");
    return n + 1;
}
