/* Requests about modules, their kernels and variables. The rules for all requests are
 * in command.c. */
#include "command.h"
#include "container.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The memory of a module's managed variables, which the client maps too. */
struct managed {
    struct server *server;
    struct client *client;
    struct mapping *mapping;
};

static uint64_t
map_managed(void *context, uint64_t bytes, void **host)
{
    struct managed *m = context;

    if (m->client->request.flags &
        GPU_QUIET) /* the client would not take the descriptor */
        return 0;
    m->mapping = client_share(m->server, m->client, bytes, 0, true);
    if (m->mapping == NULL)
        return 0;
    *host = m->mapping->host;
    return m->mapping->address;
}

static void
forget_managed(struct managed *m)
{
    m->server->shared_bytes -= m->mapping->bytes;
    server_unmap(m->server, m->mapping);
    close(m->client->out_fd);
    m->client->out_fd = -1;
}

int
command_module(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    struct machine_properties properties;
    char hash[ASSEMBLY_HASH];
    struct fault f = {0};
    struct managed managed = {s, c, NULL};
    struct module *module;
    uint32_t slot;
    int status;
    size_t len;
    char *ptx;

    (void)text;
    if (c->bulk != BULK_HEAP)
        return c->bulk == BULK_DISCARD ? c->bulk_status : GPU_INVALID_KERNEL_IMAGE;
    for (slot = 0; slot < c->module_count && c->module[slot] != NULL;)
        slot++;
    if (slot == CLIENT_MODULES_MAX || c->ptx_bytes > CLIENT_PTX_BYTES_MAX)
        return GPU_OUT_OF_MEMORY;
    machine_properties(s->machine, &properties);
    ptx = container_ptx(c->heap, (size_t)c->request.bulk_bytes,
                        (unsigned)(properties.major * 10 + properties.minor), &len,
                        &status, &f);
    if (ptx == NULL) {
        keep_fault(c, &f);
        return status;
    }
    c->ptx_bytes += len;
    if (s->work != NULL) /* an exceeded limit shows at the next request */
        (void)work_add(s->work, len * WORK_PTX_BYTE);
    module = module_load_managed(s->machine, ptx, len, map_managed, &managed, &f);
    assembly_hash(c->heap, (size_t)c->request.bulk_bytes, hash);
    free(ptx);
    if (module == NULL) {
        if (managed.mapping != NULL)
            forget_managed(&managed);
        keep_fault(c, &f);
        return f.kind == FAULT_PTX_UNSUPPORTED ? GPU_UNSUPPORTED_PTX
                                               : fault_status(f.kind);
    }
    machine_count_load(s->machine, len);
    if (slot == c->module_count)
        c->module_count++;
    c->module[slot] = module;
    memcpy(c->module_hash[slot], hash, sizeof hash);
    assembly_apply(s->assembly, hash, module);
    c->managed[slot] = managed.mapping;
    reply->value[0] = slot;
    if (managed.mapping != NULL) {
        reply->value[1] = managed.mapping->address;
        reply->value[2] = managed.mapping->bytes;
    }
    return GPU_SUCCESS;
}

int
command_unload(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    uint32_t id = c->request.id;

    (void)text;
    (void)reply;
    if (id >= c->module_count || c->module[id] == NULL)
        return GPU_INVALID_HANDLE;
    for (uint32_t i = 0; i < c->kernel_count; i++)
        if (c->kernel[i] != NULL && kernel_module(c->kernel[i]) == c->module[id])
            c->kernel[i] = NULL;
    client_unload(s, c, id);
    return GPU_SUCCESS;
}

/* Copies the name in a request's inline bytes to a string, which the caller frees.
 * NULL: *status says why. */
static char *
request_name(const struct client *c, const unsigned char *text, int *status)
{
    char *name = NULL;

    if (c->request.id >= c->module_count || c->module[c->request.id] == NULL)
        *status = GPU_INVALID_HANDLE;
    else if ((name = strndup((const char *)text, c->request.inline_bytes)) == NULL)
        *status = GPU_OUT_OF_MEMORY;
    return name;
}

/* The number of the kernel in the client's table, which gets it if need be. -1: too
 * many. */
static int64_t
kernel_number(struct client *c, struct kernel *k)
{
    for (uint32_t i = 0; i < c->kernel_count; i++)
        if (c->kernel[i] == k)
            return i;
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        if (c->kernel[i] == NULL) { /* of a module that is gone */
            c->kernel[i] = k;
            return i;
        }
    }
    if (c->kernel_count == c->kernel_cap) {
        uint32_t cap = c->kernel_cap != 0 ? 2 * c->kernel_cap : 16;
        struct kernel **grown;

        if (cap > CLIENT_KERNELS_MAX)
            return -1;
        grown = reallocarray(c->kernel, cap, sizeof(struct kernel *));
        if (grown == NULL)
            return -1;
        c->kernel = grown;
        c->kernel_cap = cap;
    }
    c->kernel[c->kernel_count] = k;
    return c->kernel_count++;
}

int
command_kernel(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    int status = GPU_SUCCESS, count;
    char *name = request_name(c, text, &status), *answer;
    struct gpu_kernel info;
    struct kernel *k;
    int64_t number;

    (void)s;
    if (name == NULL)
        return status;
    k = module_kernel(c->module[c->request.id], name);
    free(name);
    if (k == NULL)
        return GPU_INVALID_DEVICE_FUNCTION;
    count = kernel_param_count(k);
    if (count > GPU_PARAMS_MAX || kernel_param_bytes(k) > GPU_INLINE_MAX)
        return GPU_INVALID_PTX;
    number = kernel_number(c, k);
    if (number < 0)
        return GPU_OUT_OF_MEMORY;
    info = (struct gpu_kernel){(uint32_t)number,
                               (uint32_t)count,
                               kernel_param_bytes(k),
                               kernel_static_shared(k),
                               kernel_registers(k),
                               kernel_max_threads(k),
                               {0},
                               kernel_target(k)};
    kernel_cluster(k, info.cluster);
    if (c->request.flags & GPU_QUIET)
        return GPU_SUCCESS;
    reply->bulk_bytes = sizeof info + (uint64_t)count * sizeof(struct gpu_param);
    answer = malloc((size_t)reply->bulk_bytes);
    if (answer == NULL) {
        reply->bulk_bytes = 0;
        return GPU_OUT_OF_MEMORY;
    }
    memcpy(answer, &info, sizeof info);
    for (int i = 0; i < count; i++) {
        struct gpu_param p;

        kernel_param(k, i, &p.offset, &p.size);
        memcpy(answer + sizeof info + (size_t)i * sizeof p, &p, sizeof p);
    }
    c->out_heap = answer;
    return GPU_SUCCESS;
}

int
command_variable(struct server *s, struct client *c, const unsigned char *text,
                 struct gpu_reply *reply)
{
    int status = GPU_SUCCESS, found;
    char *name = request_name(c, text, &status);

    (void)s;
    if (name == NULL)
        return status;
    found = module_variable(c->module[c->request.id], name, &reply->value[0],
                            &reply->value[1]);
    free(name);
    return found == 0 ? GPU_SUCCESS : GPU_INVALID_SYMBOL;
}
