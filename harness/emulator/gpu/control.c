/* Executes the owner's requests, on the execution thread. */
#include "client.h"
#include "gpu.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct client *
client_find(const struct server *s, uint32_t number)
{
    struct client *c = s->clients;

    while (c != NULL && c->number != number)
        c = c->next;
    return c;
}

static int
new_client(struct server *s, uint32_t number, int fd)
{
    struct client *c;
    int connected = 0;

    for (c = s->clients; c != NULL; c = c->next)
        connected += c->fd >= 0;
    if (fd < 0 || client_find(s, number) != NULL || connected >= SERVER_CLIENTS_MAX) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    c = client_new(fd, number);
    if (c == NULL)
        return GPU_NO_MEMORY;
    pthread_mutex_lock(&s->lock);
    c->next = s->clients;
    s->clients = c;
    pthread_mutex_unlock(&s->lock);
    return 0;
}

static int
drop_client(struct server *s, uint32_t number)
{
    struct client **link = &s->clients, *c;

    pthread_mutex_lock(&s->lock);
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    c = *link;
    if (c != NULL)
        *link = c->next;
    if (c != NULL && s->current == c)
        s->current = NULL;
    pthread_mutex_unlock(&s->lock);
    if (c == NULL)
        return -1;
    client_free(s, c);
    return 0;
}

static int
import(struct server *s, const struct gpu_control *q, int fd, uint64_t *address)
{
    struct mapping *m;
    struct stat st;

    if (fd < 0)
        return -1;
    if (q->device >= (uint32_t)machine_devices(s->machine) || q->bytes == 0 ||
        fstat(fd, &st) != 0 || (uint64_t)st.st_size < q->bytes) {
        close(fd);
        return -1;
    }
    machine_select(s->machine, (int)q->device);
    m = server_map(s, fd, q->bytes, q->flag != 0);
    close(fd);
    if (m == NULL)
        return GPU_NO_MEMORY;
    m->next = s->owned;
    s->owned = m;
    *address = m->address;
    return 0;
}

static int
release(struct server *s, uint64_t address)
{
    struct mapping **link = &s->owned, *m;

    while (*link != NULL && (*link)->address != address)
        link = &(*link)->next;
    m = *link;
    if (m == NULL)
        return -1;
    *link = m->next;
    server_unmap(s, m);
    return 0;
}

static int
mark(struct server *s, const struct gpu_control *q)
{
    if (memory_host(s->machine, q->address, q->bytes) == NULL)
        return -1;
    memory_mark(s->machine, q->address, q->bytes, q->flag != 0);
    return 0;
}

/* What ptxas made of a program counts from its next launch. */
static int
assembly(struct server *s, int fd)
{
    struct assembly *a = fd >= 0 ? assembly_read(fd) : NULL;

    if (a == NULL)
        return -1;
    assembly_free(s->assembly);
    s->assembly = a;
    for (struct client *c = s->clients; c != NULL; c = c->next)
        for (uint32_t i = 0; i < c->module_count; i++)
            if (c->module[i] != NULL)
                assembly_apply(a, c->module_hash[i], c->module[i]);
    return 0;
}

void
control_execute(struct server *s, const struct gpu_control *q, int fd,
                struct gpu_control_reply *reply)
{
    struct client *c;

    reply->result = -1;
    switch ((enum gpu_control_op)q->op) {
    case CONTROL_NEW_CLIENT:
        reply->result = new_client(s, q->client, fd);
        return; /* the client owns the socket */
    case CONTROL_IMPORT:
        reply->result = import(s, q, fd, &reply->address);
        return;
    case CONTROL_DROP_CLIENT:
        reply->result = drop_client(s, q->client);
        break;
    case CONTROL_RELEASE:
        reply->result = release(s, q->address);
        break;
    case CONTROL_MARK:
        reply->result = mark(s, q);
        break;
    case CONTROL_NAME:
        reply->result = memory_name(s->machine, q->address, q->name, sizeof q->name,
                                    (uint32_t)q->bytes);
        break;
    case CONTROL_COUNTERS:
        c = client_find(s, q->client);
        if (c == NULL)
            break;
        client_drain(s, c);
        machine_wait_all(s->machine);
        machine_counters(s->machine, &reply->counters);
        reply->result = 0;
        break;
    case CONTROL_COST:
        c = client_find(s, q->client);
        if (c == NULL)
            break;
        client_drain(s, c);
        reply->address = machine_cost(s->machine, (uint32_t)q->bytes,
                                      (uint32_t)q->address, &reply->cost) == 0;
        reply->result = 0;
        break;
    case CONTROL_COSTS_RESET:
        machine_costs_reset(s->machine);
        reply->result = 0;
        break;
    case CONTROL_FAULT:
        c = client_find(s, q->client);
        if (c == NULL)
            break;
        reply->fault = c->fault;
        reply->result = 0;
        break;
    case CONTROL_NOTICE:
        c = client_find(s, q->client);
        if (c == NULL)
            break;
        reply->address = q->bytes < c->notice_count;
        if (reply->address != 0)
            reply->fault = c->notice[q->bytes];
        reply->result = 0;
        break;
    case CONTROL_ASSEMBLY:
        reply->result = assembly(s, fd);
        break;
    case CONTROL_CHECKS:
        machine_set_checks(s->machine, q->flag != 0);
        reply->result = 0;
        break;
    case CONTROL_CONFIGURE: /* it comes first and only once */
    case CONTROL_INTERRUPT: /* never a task */
        break;
    }
    if (fd >= 0)
        close(fd);
}
