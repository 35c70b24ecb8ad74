/*
 * The socket to the emulated GPU. A runner inherits it as descriptor RUNNER_GPU_FD, or
 * WARPJUDGE_GPU_FD names another one. A process that `warpjudge emu` started connects
 * to the abstract address in WARPJUDGE_GPU_SOCKET, so that each process has its own
 * socket.
 *
 * There is one exchange at a time. A request and its bulk are sent together.
 */
#include "runtime.h"

#include "../../base/descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PACK_BYTES 32768u /* rows that are shorter than this are sent together */

static struct {
    pthread_mutex_t lock;
    bool tried;
    cudaError_t state;  /* cudaSuccess: connected */
    cudaError_t sticky; /* wjrt_connect returns it from then on */
    int fd;
    struct machine_properties properties;
} device = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* --- bytes -------------------------------------------------------------------------- */

static int
send_parts(struct iovec *part, size_t count)
{
    while (count > 0) {
        struct msghdr message = {.msg_iov = part, .msg_iovlen = count};
        ssize_t n = sendmsg(device.fd, &message, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        while (count > 0 && (size_t)n >= part->iov_len) {
            n -= (ssize_t)part->iov_len;
            part++;
            count--;
        }
        if (count > 0) {
            part->iov_base = (char *)part->iov_base + n;
            part->iov_len -= (size_t)n;
        }
    }
    return 0;
}

/* Receives exactly this many bytes. *fd gets a descriptor that comes with them; if fd
 * is NULL, none may come. */
static int
socket_receive(void *to, size_t bytes, int *fd)
{
    size_t have = 0;

    while (have < bytes) {
        union {
            struct cmsghdr header;
            char space[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec part = {(char *)to + have, bytes - have};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        const struct cmsghdr *head;
        ssize_t n;

        if (fd != NULL) {
            message.msg_control = &control;
            message.msg_controllen = sizeof control;
        }
        n = recvmsg(device.fd, &message, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        have += (size_t)n;
        head = fd != NULL ? CMSG_FIRSTHDR(&message) : NULL;
        if (head != NULL && head->cmsg_type == SCM_RIGHTS)
            memcpy(fd, CMSG_DATA(head), sizeof *fd);
    }
    return 0;
}

/* Joins rows without gaps to one long row. */
static struct wjrt_rows
rows_joined(struct wjrt_rows r)
{
    if (r.height > 1 && r.pitch == r.width) {
        r.width *= r.height;
        r.height = 1;
    }
    return r;
}

/* How many of the remaining rows are sent together. */
static size_t
rows_together(const struct wjrt_rows *r, size_t row)
{
    size_t rows = r->width < PACK_BYTES ? PACK_BYTES / r->width : 1;

    return rows < r->height - row ? rows : r->height - row;
}

/* Sends the head, the text and all rows. */
static int
send_all(const struct wjrt_exchange *x)
{
    struct wjrt_rows r = rows_joined(x->to);
    struct iovec part[3] = {{(void *)&x->request, sizeof x->request},
                            {(void *)x->text, x->request.inline_bytes},
                            {r.base, r.width}};
    char pack[PACK_BYTES];

    if (x->request.bulk_bytes == 0 || r.height == 1)
        return send_parts(part, x->request.bulk_bytes == 0 ? 2 : 3);
    if (send_parts(part, 2) != 0)
        return -1;
    for (size_t row = 0, rows; row < r.height; row += rows) {
        struct iovec one = {r.base + row * r.pitch, r.width};

        rows = rows_together(&r, row);
        if (rows > 1) {
            for (size_t i = 0; i < rows; i++)
                memcpy(pack + i * r.width, r.base + (row + i) * r.pitch, r.width);
            one = (struct iovec){pack, rows * r.width};
        }
        if (send_parts(&one, 1) != 0)
            return -1;
    }
    return 0;
}

static int
receive_rows(const struct wjrt_rows *rows_to)
{
    struct wjrt_rows r = rows_joined(*rows_to);
    char pack[PACK_BYTES];

    for (size_t row = 0, rows; row < r.height; row += rows) {
        rows = rows_together(&r, row);
        if (rows == 1) {
            if (socket_receive(r.base + row * r.pitch, r.width, NULL) != 0)
                return -1;
            continue;
        }
        if (socket_receive(pack, rows * r.width, NULL) != 0)
            return -1;
        for (size_t i = 0; i < rows; i++)
            memcpy(r.base + (row + i) * r.pitch, pack + i * r.width, r.width);
    }
    return 0;
}

/* --- exchanges ---------------------------------------------------------------------- */

/* The connection is closed: the device has ended, or it has ended us as a client. */
static cudaError_t
connection_lost(void)
{
    close(device.fd);
    device.fd = -1;
    device.state = cudaErrorContextIsDestroyed;
    return device.state;
}

static cudaError_t
receive_reply(struct wjrt_exchange *x)
{
    uint64_t bytes;

    if (socket_receive(&x->reply, sizeof x->reply, &x->fd) != 0)
        return connection_lost();
    bytes = x->reply.bulk_bytes;
    if (bytes > 0 && x->from.base != NULL) {
        if (bytes != x->from.width * x->from.height || receive_rows(&x->from) != 0)
            return connection_lost();
    } else if (bytes > 0) {
        x->bulk = malloc(bytes);
        if (x->bulk == NULL || socket_receive(x->bulk, bytes, NULL) != 0) {
            free(x->bulk);
            x->bulk = NULL;
            return connection_lost();
        }
    }
    if (wjrt_is_sticky((cudaError_t)x->reply.status))
        device.sticky = (cudaError_t)x->reply.status;
    return (cudaError_t)x->reply.status;
}

static cudaError_t
exchange_locked(struct wjrt_exchange *x)
{
    x->reply = (struct gpu_reply){0};
    x->bulk = NULL;
    x->fd = -1;
    if (send_all(x) != 0)
        return connection_lost();
    if (x->request.flags & GPU_QUIET)
        return cudaSuccess;
    return receive_reply(x);
}

/* Fetches what kernels printed and writes it to standard output. What assertions say
 * goes to standard error. */
static void
print_output(void)
{
    struct wjrt_exchange x = {.request = {.op = GPU_OUTPUT}};

    exchange_locked(&x);
    if (x.bulk != NULL && x.reply.value[0] <= x.reply.bulk_bytes) {
        size_t printed = x.reply.bulk_bytes - x.reply.value[0];

        fwrite(x.bulk, 1, printed, stdout);
        fwrite((char *)x.bulk + printed, 1, x.reply.value[0], stderr);
    }
    free(x.bulk);
}

/* Does this request flush the printf buffer, as on a GPU? These do (CUDA C++
 * Programming Guide, "Formatted Output"): waiting for kernels, loading modules, ending
 * the context. */
static bool
flushes_output(uint32_t op)
{
    return op == GPU_SYNC || op == GPU_READ || op == GPU_WRITE || op == GPU_COPY ||
           op == GPU_SET || op == GPU_STAMPED || op == GPU_FREE || op == GPU_MODULE ||
           op == GPU_UNLOAD || op == GPU_RESET;
}

/* Connects to the process that listens at an abstract address. -1: none does. */
static int
connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(name);
    int fd;

    if (len == 0 || len >= sizeof address.sun_path)
        return -1;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    memcpy(address.sun_path + 1, name, len);
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The descriptor that was inherited, or -1 if it is no such socket. */
static int
inherited_socket(void)
{
    const char *named = getenv("WARPJUDGE_GPU_FD");
    int domain = 0, type = 0, fd = RUNNER_GPU_FD;
    socklen_t size = sizeof(int);
    char *end;

    if (named != NULL) {
        long number = strtol(named, &end, 10);

        if (*named == '\0' || *end != '\0' || number < 0 || number > 1 << 20)
            return -1;
        fd = (int)number;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return -1;
    return fd;
}

/* Runs in a forked child, to which the connection does not belong. As on a GPU, a
 * process cannot use CUDA if its parent had used CUDA before the fork. Otherwise it
 * can. */
static void
connection_after_fork(void)
{
    pthread_mutex_init(&device.lock, NULL);
    if (!device.tried)
        return;
    if (device.fd >= 0)
        close(device.fd);
    device.fd = -1;
    device.state = cudaErrorInitializationError;
}

static cudaError_t
connect_locked(void)
{
    struct wjrt_exchange x = {
        .request = {.op = GPU_HELLO, .id = GPU_PROTOCOL_VERSION},
    };
    const char *name = getenv("WARPJUDGE_GPU_SOCKET");

    if (device.tried)
        return device.state;
    device.tried = true;
    device.state = cudaErrorNoDevice;
    if (pthread_atfork(NULL, NULL, connection_after_fork) != 0)
        return device.state;
    device.fd = name != NULL ? connect_to(name) : inherited_socket();
    if (device.fd < 0)
        return device.state;
    device.state = cudaSuccess;
    wjrt_explain_host_faults();
    x.from =
        (struct wjrt_rows){(char *)&device.properties, 0, sizeof device.properties, 1};
    if (exchange_locked(&x) != cudaSuccess && x.reply.bulk_bytes == 0)
        device.state = cudaErrorNoDevice;
    free(x.bulk); /* an answer that was not the properties */
    return device.state;
}

cudaError_t
wjrt_connect(void)
{
    cudaError_t e;

    pthread_mutex_lock(&device.lock);
    e = connect_locked();
    if (e == cudaSuccess)
        e = device.sticky;
    pthread_mutex_unlock(&device.lock);
    return e;
}

const struct machine_properties *
wjrt_properties(void)
{
    return &device.properties;
}

cudaError_t
wjrt_exchange(struct wjrt_exchange *x)
{
    cudaError_t e;

    pthread_mutex_lock(&device.lock);
    e = connect_locked();
    if (e == cudaSuccess) {
        e = exchange_locked(x);
        if (x->reply.output_bytes > 0 && flushes_output(x->request.op))
            print_output();
    }
    pthread_mutex_unlock(&device.lock);
    return e;
}

cudaError_t
wjrt_request(const struct gpu_request *q, struct gpu_reply *reply)
{
    struct wjrt_exchange x = {.request = *q};
    cudaError_t e = wjrt_exchange(&x);

    if (reply != NULL)
        *reply = x.reply;
    return e;
}
