// links: gpu_owner
/*
 * emu-run GPU-PROGRAM PROGRAM [ARGUMENT...]: runs a program that is linked with our CUDA
 * runtime on an emulated GPU of its own, and says on stderr what the device saw: modelled
 * time, counters, the first fault. Exits as the program did, 1 if a fault was seen, 125
 * if it could not be started.
 *
 *   this process --control socket, its descriptor 3--> GPU-PROGRAM
 *        |                                                  |
 *        +-- PROGRAM ------ client socket, descriptor 4 ----+
 */
#include "emulator/gpu/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void
fail(const char *what)
{
    fprintf(stderr, "emu-run: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* Starts argv with descriptor from as number to. */
static pid_t
start(char **argv, int from, int to)
{
    pid_t pid = fork();

    if (pid < 0)
        fail("fork");
    if (pid > 0)
        return pid;
    if (from == to ? dup2(dup(from), to) < 0 : dup2(from, to) < 0)
        fail("dup2");
    execv(argv[0], argv);
    fail(argv[0]);
}

static void
print_counters(const struct counters *c)
{
    fprintf(
        stderr,
        "modelled %.3f us, %llu launches, %llu warp instructions, %llu global sectors, "
        "%llu copies\n",
        c->modelled_ns / 1e3, (unsigned long long)c->launches,
        (unsigned long long)c->warp_instructions, (unsigned long long)c->global_sectors,
        (unsigned long long)c->copies);
}

int
main(int argc, char **argv)
{
    struct gpu_options options = {.checks = getenv("EMU_CHECKS") != NULL};
    char *gpu_argv[] = {argc > 1 ? argv[1] : NULL, NULL};
    struct counters counters;
    struct fault fault;
    struct gpu *gpu;
    uint32_t client;
    int pair[2], fd, status;
    pid_t gpu_pid, pid;

    if (argc < 3) {
        fprintf(stderr, "usage: emu-run GPU-PROGRAM PROGRAM [ARGUMENT...]\n");
        return 125;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        fail("socketpair");
    gpu_pid = start(gpu_argv, pair[1], 3);
    close(pair[1]);
    gpu = gpu_connect(pair[0], &options);
    fd = gpu != NULL ? gpu_new_client(gpu, &client) : -1;
    if (fd < 0)
        fail("the emulated GPU does not answer");
    pid = start(argv + 2, fd, 4);
    close(fd);
    if (waitpid(pid, &status, 0) != pid)
        fail("waitpid");
    if (gpu_counters(gpu, client, &counters) != 0 || gpu_fault(gpu, client, &fault) != 0)
        fail("the emulated GPU has gone");
    print_counters(&counters);
    if (fault.kind != FAULT_NONE)
        fprintf(stderr, "fault: %s\n", fault.text);
    gpu_close(gpu);
    waitpid(gpu_pid, NULL, 0);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "%s: %s\n", argv[2], strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    return fault.kind != FAULT_NONE ? 1 : WEXITSTATUS(status);
}
