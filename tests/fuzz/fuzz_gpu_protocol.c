// links: gpu exec ptx
/*
 * The input is what a client sends to the emulated GPU, byte for byte. One server for all
 * inputs; a client of its own for each, whose end must leave no memory in use. A launch
 * may have any number of blocks: a timer plays the owner who interrupts what takes too
 * long.
 */
#include "emulator/gpu/client.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define DEVICE_BYTES (1u << 20)
#define INSTRUCTIONS 100000
#define PATIENCE_US 100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct server *s;

static void
interrupt(int signal_number)
{
    (void)signal_number;
    machine_interrupt(s->machine);
}

static void
start(void)
{
    struct itimerval every = {{0, PATIENCE_US}, {0, PATIENCE_US}};
    struct machine_options options = {.memory_bytes = DEVICE_BYTES,
                                      .devices = MACHINE_DEVICES_MAX,
                                      .threads = 1,
                                      .checks = true,
                                      .instruction_budget = INSTRUCTIONS};

    s = server_new(&options);
    if (s == NULL || signal(SIGVTALRM, interrupt) == SIG_ERR ||
        setitimer(ITIMER_VIRTUAL, &every, NULL) != 0)
        abort();
}

/* Takes all replies; the server must never wait for more room than it gets. */
static void
drain(int fd)
{
    char bytes[4096];

    while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client *c;
    int pair[2];
    size_t sent = 0;

    if (s == NULL)
        start();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        abort();
    c = client_new(pair[0], 1);
    if (c == NULL)
        abort();
    for (;;) {
        enum serve result;

        if (sent < size) {
            ssize_t n =
                send(pair[1], data + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

            if (n > 0)
                sent += (size_t)n;
        }
        if (sent == size)
            shutdown(pair[1], SHUT_WR);
        result = client_serve(s, c);
        if (result == SERVE_ENDED)
            break;
        drain(pair[1]);
    }
    client_free(s, c);
    close(pair[1]);
    if (memory_used(s->machine) != 0)
        abort();
    return 0;
}
