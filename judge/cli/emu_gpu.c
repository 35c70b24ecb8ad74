/* Starts the emulated GPU of `warpjudge emu`, and hands the program's connections to
 * it. */
#include "cli/emu.h"

#include "base/buf.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

/* Listens at an abstract address (unix(7)), which leaves nothing on the disk, however we
 * end. The address is no secret: accept_one() checks who connects. */
static int
listen_somewhere(struct emu_gpu *g, struct report *r)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint64_t number[2];
    size_t len;

    if (getrandom(number, sizeof number, 0) != (ssize_t)sizeof number)
        return report_errno(r, "no random number for the emulated GPU's address");
    snprintf(g->address, sizeof g->address, "warpjudge-emu-%016llx%016llx",
             (unsigned long long)number[0], (unsigned long long)number[1]);
    len = strlen(g->address);
    memcpy(address.sun_path + 1, g->address, len);
    g->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (g->listener < 0 ||
        bind(g->listener, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) != 0 ||
        listen(g->listener, BACKLOG) != 0)
        return report_errno(r, "no socket for the program");
    return 0;
}

static int
emu_gpu_connect(struct emu_gpu *g, int control, const struct gpu_options *options,
                struct report *r)
{
    struct buf said = {0};

    g->gpu = gpu_connect(control, options);
    if (g->gpu != NULL) {
        g->own_socket = gpu_new_client(g->gpu, &g->own);
        if (g->own_socket >= 0)
            return 0;
    }
    gpu_process_end(&g->process, &said);
    report_fail(r, "the emulated GPU did not start%s%s", said.len > 0 ? ": " : "",
                buf_str(&said));
    buf_free(&said);
    return -1;
}

int
emu_gpu_start(struct emu_gpu *g, const struct config *config,
              const struct gpu_options *options, bool insecure, struct report *r)
{
    char *program = config_libexec(config, "warpjudge-gpu");
    int control = -1, rc;

    *g = (struct emu_gpu){
        .listener = -1, .own_socket = -1, .process.ended = true /* nothing to end yet */};
    rc = gpu_process_start(&g->process, program, insecure, 0, &control, r);
    free(program);
    if (rc != 0) {
        g->process.ended = true;
        return -1;
    }
    return emu_gpu_connect(g, control, options, r) == 0 ? listen_somewhere(g, r) : -1;
}

/* Accepts one connection. 0, or 1 where none waits, or -1 and a report. */
static int
accept_one(struct emu_gpu *g, struct report *r)
{
    struct ucred who = {0};
    socklen_t size = sizeof who;
    uint32_t client;
    int rc, fd = accept4(g->listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 1;
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
        return 0;
    if (fd < 0)
        return report_errno(r, "a connection of the program cannot be taken");
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
        (who.uid != getuid() && who.uid != 0)) {
        close(fd);
        return 0;
    }
    rc = gpu_add_client(g->gpu, fd, &client);
    close(fd);
    if (rc != 0) /* there are too many processes at once: this one finds no device */
        return 0;
    if (g->client_count == g->client_cap) {
        g->client_cap = g->client_cap != 0 ? 2 * g->client_cap : 8;
        g->client = xrealloc(g->client, g->client_cap * sizeof *g->client);
    }
    g->client[g->client_count++] = client;
    return 0;
}

int
emu_gpu_accept(struct emu_gpu *g, struct report *r)
{
    int rc;

    do
        rc = accept_one(g, r);
    while (rc == 0);
    return rc > 0 ? 0 : -1;
}

void
emu_gpu_stop(struct emu_gpu *g)
{
    gpu_close(g->gpu);
    gpu_process_end(&g->process, NULL);
    if (g->listener >= 0)
        close(g->listener);
    if (g->own_socket >= 0)
        close(g->own_socket);
    free(g->client);
}
