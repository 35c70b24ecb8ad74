/* Objects of the program with a reference count, which graphs keep alive. */
#include "graph.h"

#include <stdatomic.h>
#include <stdlib.h>

#define OBJECT_MAGIC 0x776f626au

struct CUuserObject_st {
    uint32_t magic;
    atomic_uint references;
    void *data;
    cudaHostFn_t destroy;
};

static struct CUuserObject_st *
object_of(cudaUserObject_t handle)
{
    return handle != NULL && handle->magic == OBJECT_MAGIC ? handle : NULL;
}

cudaError_t
cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                     unsigned int references, unsigned int flags)
{
    struct CUuserObject_st *o;

    if (object == NULL || destroy == NULL || references == 0 || references > INT32_MAX ||
        flags != cudaUserObjectNoDestructorSync)
        return wjrt_error(cudaErrorInvalidValue);
    o = calloc(1, sizeof *o);
    if (o == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    o->magic = OBJECT_MAGIC;
    o->references = references;
    o->data = data;
    o->destroy = destroy;
    *object = o;
    return cudaSuccess;
}

cudaError_t
cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    struct CUuserObject_st *o = object_of(object);

    if (o == NULL || count == 0 || count > INT32_MAX)
        return wjrt_error(cudaErrorInvalidValue);
    atomic_fetch_add(&o->references, count);
    return cudaSuccess;
}

static cudaError_t
object_release(struct CUuserObject_st *o, unsigned count)
{
    unsigned before = atomic_load(&o->references);

    if (count == 0 || count > before)
        return cudaErrorInvalidValue;
    if (atomic_fetch_sub(&o->references, count) == count) {
        o->destroy(o->data);
        o->magic = 0;
        free(o);
    }
    return cudaSuccess;
}

cudaError_t
cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    struct CUuserObject_st *o = object_of(object);

    return wjrt_error(o != NULL ? object_release(o, count) : cudaErrorInvalidValue);
}

/* --- references that graphs hold ---------------------------------------------------- */

static cudaError_t
object_hold(struct CUgraph_st *g, struct CUuserObject_st *o, unsigned count)
{
    struct graph_user_object *held = malloc(sizeof *held);

    if (held == NULL)
        return cudaErrorMemoryAllocation;
    *held = (struct graph_user_object){g->objects, o, count};
    g->objects = held;
    return cudaSuccess;
}

cudaError_t
cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                          unsigned int flags)
{
    struct CUuserObject_st *o = object_of(object);
    struct CUgraph_st *g = wjrt_graph(graph);
    cudaError_t e;

    if (g == NULL || o == NULL || count == 0 || count > INT32_MAX ||
        (flags != 0 && flags != cudaGraphUserObjectMove))
        return wjrt_error(cudaErrorInvalidValue);
    e = object_hold(g, o, count);
    if (e == cudaSuccess &&
        flags == 0) /* otherwise the caller's references become the graph's */
        atomic_fetch_add(&o->references, count);
    return wjrt_error(e);
}

cudaError_t
cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    struct CUuserObject_st *o = object_of(object);
    struct CUgraph_st *g = wjrt_graph(graph);
    struct graph_user_object **link;

    if (g == NULL || o == NULL || count == 0)
        return wjrt_error(cudaErrorInvalidValue);
    for (link = &g->objects; *link != NULL; link = &(*link)->next) {
        struct graph_user_object *held = *link;

        if (held->object != o || held->count < count)
            continue;
        held->count -= count;
        if (held->count == 0) {
            *link = held->next;
            free(held);
        }
        return wjrt_error(object_release(o, count));
    }
    return wjrt_error(cudaErrorInvalidValue);
}

cudaError_t
wjrt_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from)
{
    for (const struct graph_user_object *h = from->objects; h != NULL; h = h->next) {
        cudaError_t e = object_hold(to, h->object, h->count);

        if (e != cudaSuccess)
            return e;
        atomic_fetch_add(&h->object->references, h->count);
    }
    return cudaSuccess;
}

void
wjrt_objects_release(struct CUgraph_st *g)
{
    struct graph_user_object *next;

    for (struct graph_user_object *h = g->objects; h != NULL; h = next) {
        next = h->next;
        object_release(h->object, h->count);
        free(h);
    }
    g->objects = NULL;
}
