/* Graphs: their nodes and edges, copies of them, and queries. */
#include "graph.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH_MAGIC 0x77677270u
#define NODE_MAGIC 0x776e6f64u

struct CUgraph_st *
wjrt_graph(cudaGraph_t handle)
{
    return handle != NULL && handle->magic == GRAPH_MAGIC ? handle : NULL;
}

struct CUgraphNode_st *
wjrt_node(cudaGraphNode_t handle)
{
    return handle != NULL && handle->magic == NODE_MAGIC ? handle : NULL;
}

/* --- nodes -------------------------------------------------------------------------- */

static bool
depends_on(const struct CUgraphNode_st *n, const struct CUgraphNode_st *on)
{
    for (size_t i = 0; i < n->dependency_count; i++)
        if (n->dependency[i] == on)
            return true;
    return false;
}

static cudaError_t
depend(struct CUgraphNode_st *n, struct CUgraphNode_st *on)
{
    struct CUgraphNode_st **grown;

    if (on == NULL || on->graph != n->graph || on == n || depends_on(n, on))
        return cudaErrorInvalidValue;
    grown = realloc(n->dependency,
                    (n->dependency_count + 1) * sizeof(struct CUgraphNode_st *));
    if (grown == NULL)
        return cudaErrorMemoryAllocation;
    n->dependency = grown;
    n->dependency[n->dependency_count++] = on;
    return cudaSuccess;
}

struct CUgraphNode_st *
wjrt_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
              const cudaGraphNode_t *dependency, size_t count)
{
    static atomic_ullong last_id;
    struct CUgraphNode_st *n = calloc(1, sizeof *n);

    if (n == NULL)
        return NULL;
    n->magic = NODE_MAGIC;
    n->type = type;
    n->graph = g;
    n->id = atomic_fetch_add(&last_id, 1) + 1;
    for (size_t i = 0; i < count; i++) {
        if (depend(n, dependency[i]) != cudaSuccess) {
            wjrt_node_free(n);
            return NULL;
        }
    }
    return n;
}

void
wjrt_node_add(struct CUgraphNode_st *n)
{
    struct CUgraph_st *g = n->graph;

    pthread_mutex_lock(&g->lock);
    *g->last = n;
    g->last = &n->next;
    g->count++;
    pthread_mutex_unlock(&g->lock);
}

void
wjrt_node_clear(struct CUgraphNode_st *n)
{
    for (size_t i = 0; i < n->op_count; i++)
        free(n->op[i].text);
    free(n->op);
    free(n->arguments);
    n->op = NULL;
    n->op_count = 0;
    n->arguments = NULL;
}

static void
graph_free(struct CUgraph_st *g)
{
    struct CUgraphNode_st *next;

    for (struct CUgraphNode_st *n = g->first; n != NULL; n = next) {
        next = n->next;
        wjrt_node_free(n);
    }
    wjrt_objects_release(g);
    pthread_mutex_destroy(&g->lock);
    g->magic = 0;
    free(g);
}

void
wjrt_node_free(struct CUgraphNode_st *n)
{
    wjrt_node_clear(n);
    if (n->child != NULL)
        graph_free(n->child);
    free(n->dependency);
    n->magic = 0;
    free(n);
}

cudaError_t
wjrt_node_sink(void *context, const struct wjrt_op *op)
{
    struct CUgraphNode_st *n = context;
    struct wjrt_op *grown = realloc(n->op, (n->op_count + 1) * sizeof *grown);
    struct wjrt_op copy = *op;

    if (grown == NULL)
        return cudaErrorMemoryAllocation;
    n->op = grown;
    copy.text = NULL;
    if (op->request.inline_bytes > 0) {
        copy.text = malloc(op->request.inline_bytes);
        if (copy.text == NULL)
            return cudaErrorMemoryAllocation;
        memcpy(copy.text, op->text, op->request.inline_bytes);
    }
    n->op[n->op_count++] = copy;
    return cudaSuccess;
}

cudaError_t
wjrt_node_assign(struct CUgraphNode_st *to, const struct CUgraphNode_st *from)
{
    struct CUgraph_st *child = NULL;
    cudaError_t e = cudaSuccess;

    if (from->child != NULL)
        e = wjrt_graph_copy(&child, from->child);
    if (e != cudaSuccess)
        return e;
    wjrt_node_clear(to);
    for (size_t i = 0; i < from->op_count && e == cudaSuccess; i++)
        e = wjrt_node_sink(to, &from->op[i]);
    if (to->child != NULL)
        graph_free(to->child);
    to->child = child;
    if (child != NULL)
        child->is_child = true;
    to->copy = from->copy;
    to->event = from->event;
    to->alloc = from->alloc;
    return e;
}

/* --- graphs ------------------------------------------------------------------------- */

static struct CUgraph_st *
graph_new(void)
{
    struct CUgraph_st *g = calloc(1, sizeof *g);

    if (g == NULL)
        return NULL;
    g->magic = GRAPH_MAGIC;
    g->last = &g->first;
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

cudaError_t
cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    struct CUgraph_st *g;

    if (graph == NULL || flags != 0)
        return wjrt_error(cudaErrorInvalidValue);
    g = graph_new();
    if (g == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    *graph = g;
    return cudaSuccess;
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    struct CUgraph_st *g = wjrt_graph(graph);

    if (g == NULL || g->is_child)
        return wjrt_error(cudaErrorInvalidValue);
    wjrt_stream_leave(g);
    graph_free(g);
    return cudaSuccess;
}

/* The node of g that is a copy of the node with this id. */
static struct CUgraphNode_st *
copied_from(const struct CUgraph_st *g, unsigned long long id)
{
    struct CUgraphNode_st *n = g->first;

    while (n != NULL && n->origin != id)
        n = n->next;
    return n;
}

static cudaError_t
copy_nodes(struct CUgraph_st *to, const struct CUgraph_st *from)
{
    cudaError_t e = cudaSuccess;

    for (const struct CUgraphNode_st *n = from->first; n != NULL && e == cudaSuccess;
         n = n->next) {
        struct CUgraphNode_st *copy = wjrt_node_new(to, n->type, NULL, 0);

        if (copy == NULL)
            return cudaErrorMemoryAllocation;
        copy->origin = n->id;
        wjrt_node_add(copy);
        e = wjrt_node_assign(copy, n);
    }
    for (const struct CUgraphNode_st *n = from->first; n != NULL && e == cudaSuccess;
         n = n->next)
        for (size_t i = 0; i < n->dependency_count && e == cudaSuccess; i++)
            e = depend(copied_from(to, n->id), copied_from(to, n->dependency[i]->id));
    return e;
}

cudaError_t
wjrt_graph_copy(struct CUgraph_st **out, const struct CUgraph_st *g)
{
    struct CUgraph_st *copy = graph_new();
    cudaError_t e;

    if (copy == NULL)
        return cudaErrorMemoryAllocation;
    e = copy_nodes(copy, g);
    if (e == cudaSuccess)
        e = wjrt_objects_copy(copy, g);
    if (e != cudaSuccess)
        graph_free(copy);
    else
        *out = copy;
    return e;
}

cudaError_t
cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    const struct CUgraph_st *g = wjrt_graph(graph);

    if (clone == NULL || g == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    return wjrt_error(wjrt_graph_copy(clone, g));
}

cudaError_t
cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                         cudaGraph_t clone)
{
    const struct CUgraphNode_st *n = wjrt_node(original);
    const struct CUgraph_st *g = wjrt_graph(clone);
    struct CUgraphNode_st *found;

    if (node == NULL || n == NULL || g == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    found = copied_from(g, n->id);
    if (found == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *node = found;
    return cudaSuccess;
}

static bool
is_ready(const struct CUgraphNode_st *n)
{
    for (size_t i = 0; i < n->dependency_count; i++)
        if (n->dependency[i]->mark == 0)
            return false;
    return true;
}

/* Orders the nodes in rounds. Most graphs were made in a good order and need one round.
 */
bool
wjrt_graph_order(struct CUgraph_st *g, struct CUgraphNode_st **out)
{
    size_t done = 0, before;

    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next)
        n->mark = 0;
    do {
        before = done;
        for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next) {
            if (n->mark == 0 && is_ready(n)) {
                out[done++] = n;
                n->mark = done;
            }
        }
    } while (done > before && done < g->count);
    return done == g->count;
}

/* --- edges -------------------------------------------------------------------------- */

cudaError_t
cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                         const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                         size_t count)
{
    const struct CUgraph_st *g = wjrt_graph(graph);
    cudaError_t e = cudaSuccess;

    (void)
        edges; /* edges tell for which part the second node waits; here always for all */
    if (g == NULL || (count > 0 && (from == NULL || to == NULL)))
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && e == cudaSuccess; i++) {
        struct CUgraphNode_st *n = wjrt_node(to[i]);

        e = n != NULL && n->graph == g ? depend(n, wjrt_node(from[i]))
                                       : cudaErrorInvalidValue;
    }
    return wjrt_error(e);
}

static bool
forget_dependency(struct CUgraphNode_st *n, const struct CUgraphNode_st *on)
{
    for (size_t i = 0; i < n->dependency_count; i++) {
        if (n->dependency[i] == on) {
            n->dependency_count--;
            memmove(&n->dependency[i], &n->dependency[i + 1],
                    (n->dependency_count - i) * sizeof(struct CUgraphNode_st *));
            return true;
        }
    }
    return false;
}

cudaError_t
cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                            size_t count)
{
    const struct CUgraph_st *g = wjrt_graph(graph);

    (void)edges;
    if (g == NULL || (count > 0 && (from == NULL || to == NULL)))
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        struct CUgraphNode_st *n = wjrt_node(to[i]);

        if (n == NULL || n->graph != g || !forget_dependency(n, from[i]))
            return wjrt_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t
cudaGraphDestroyNode(cudaGraphNode_t node)
{
    struct CUgraphNode_st *n = wjrt_node(node), **link;
    struct CUgraph_st *g;

    if (n == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    g = n->graph;
    for (struct CUgraphNode_st *other = g->first; other != NULL; other = other->next)
        forget_dependency(other, n);
    for (link = &g->first; *link != NULL && *link != n;)
        link = &(*link)->next;
    if (*link == NULL)
        return wjrt_error(cudaErrorInvalidValue); /* a capture into it goes on */
    *link = n->next;
    if (g->last == &n->next)
        g->last = link;
    g->count--;
    wjrt_node_free(n);
    return cudaSuccess;
}

/* --- what can be asked -------------------------------------------------------------- */

/* A list of nodes as queries return it. Without room only its length is returned.
 * Otherwise as many nodes as there is room for, then NULL, and how many there were. */
struct list {
    cudaGraphNode_t *out;
    size_t room, count;
};

static void
list_add(struct list *l, struct CUgraphNode_st *n)
{
    if (l->out != NULL && l->count < l->room)
        l->out[l->count] = n;
    l->count++;
}

static cudaError_t
list_end(struct list *l, size_t *count)
{
    for (size_t i = l->count; l->out != NULL && i < l->room; i++)
        l->out[i] = NULL;
    *count = l->out != NULL && l->count > l->room ? l->room : l->count;
    return cudaSuccess;
}

cudaError_t
cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const struct CUgraph_st *g = wjrt_graph(graph);
    struct list l = {nodes, count != NULL ? *count : 0, 0};

    if (g == NULL || count == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next)
        list_add(&l, n);
    return list_end(&l, count);
}

cudaError_t
cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const struct CUgraph_st *g = wjrt_graph(graph);
    struct list l = {nodes, count != NULL ? *count : 0, 0};

    if (g == NULL || count == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next)
        if (n->dependency_count == 0)
            list_add(&l, n);
    return list_end(&l, count);
}

cudaError_t
cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                  cudaGraphEdgeData *edges, size_t *count)
{
    const struct CUgraph_st *g = wjrt_graph(graph);
    struct list starts = {from, count != NULL ? *count : 0, 0};
    struct list ends = {to, count != NULL ? *count : 0, 0};

    if (g == NULL || count == NULL || (from == NULL) != (to == NULL))
        return wjrt_error(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next) {
        for (size_t i = 0; i < n->dependency_count; i++) {
            if (edges != NULL && ends.count < ends.room)
                memset(&edges[ends.count], 0, sizeof *edges);
            list_add(&starts, n->dependency[i]);
            list_add(&ends, n);
        }
    }
    list_end(&starts, count);
    return list_end(&ends, count);
}

cudaError_t
cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                             cudaGraphEdgeData *edges, size_t *count)
{
    const struct CUgraphNode_st *n = wjrt_node(node);
    struct list l = {dependencies, count != NULL ? *count : 0, 0};

    if (n == NULL || count == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < n->dependency_count; i++) {
        if (edges != NULL && i < l.room)
            memset(&edges[i], 0, sizeof *edges);
        list_add(&l, n->dependency[i]);
    }
    return list_end(&l, count);
}

cudaError_t
cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                               cudaGraphEdgeData *edges, size_t *count)
{
    const struct CUgraphNode_st *n = wjrt_node(node);
    struct list l = {dependents, count != NULL ? *count : 0, 0};

    if (n == NULL || count == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *other = n->graph->first; other != NULL;
         other = other->next) {
        if (!depends_on(other, n))
            continue;
        if (edges != NULL && l.count < l.room)
            memset(&edges[l.count], 0, sizeof *edges);
        list_add(&l, other);
    }
    return list_end(&l, count);
}

cudaError_t
cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    const struct CUgraphNode_st *n = wjrt_node(node);

    if (n == NULL || type == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *type = n->type;
    return cudaSuccess;
}

cudaError_t
cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    static const char *const names[] = {"kernel", "memcpy", "memset",     "host",
                                        "graph",  "empty",  "event wait", "event record",
                                        "signal", "wait",   "alloc",      "free"};
    const struct CUgraph_st *g = wjrt_graph(graph);
    FILE *f;
    int bad;

    (void)flags;
    if (g == NULL || path == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    f = fopen(path, "w");
    if (f == NULL)
        return wjrt_error(cudaErrorOperatingSystem);
    fprintf(f, "digraph {\n");
    for (const struct CUgraphNode_st *n = g->first; n != NULL; n = n->next) {
        fprintf(f, "  n%llu [label=\"%s\"];\n", n->id, names[n->type]);
        for (size_t i = 0; i < n->dependency_count; i++)
            fprintf(f, "  n%llu -> n%llu;\n", n->dependency[i]->id, n->id);
    }
    fprintf(f, "}\n");
    bad = ferror(f);
    return wjrt_error(fclose(f) == 0 && !bad ? cudaSuccess : cudaErrorOperatingSystem);
}
