/*
 * The functions that nvcc's constructors call in every host object. They register the
 * object's fat binary (__cudaRegisterFatBinary), its kernels' stubs and its variables.
 * Nothing is sent then. A module is loaded on the device when one of its kernels or
 * variables is first used ("lazy loading", CUDA C++ Programming Guide).
 */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRAPPER_MAGIC 0x466243b1 /* fatbinary_section.h: FATBINC_MAGIC */
#define CONTAINER_MAGIC 0xBA55ED50u

/* fatbinary_section.h: __fatBinC_Wrapper_t. nvcc -rdc=true makes version 2
 * (crt/link.stub). Its data are a NULL-terminated list of containers whose PTX is to be
 * linked together. */
struct wrapper {
    int magic, version;
    const void *data;
    const void *const *parts;
};

#define WRAPPER_OF_PARTS 2

struct container_head {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

/* One registered fat binary. */
struct wjrt_image {
    struct wjrt_image *next;
    struct part {
        const void *bytes; /* a container; NULL once the image is unregistered */
        size_t size;
    } * part;
    size_t part_count, size; /* size: bytes of all parts together */
    bool loaded[MACHINE_DEVICES_MAX];
    cudaError_t failure; /* why loading failed; every caller gets it */
    uint32_t module[MACHINE_DEVICES_MAX];
    struct wjrt_variable *managed; /* the image's __managed__ variables */
};

/* Registered things by address. Open addressing, power-of-two size, at most half full. */
struct table {
    struct slot {
        const void *key;
        void *value;
    } * slot;
    size_t count, cap;
};

static struct {
    pthread_mutex_t lock;
    struct wjrt_image *images;
    struct table functions, variables;
} registered = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- tables ------------------------------------------------------------------------- */

static struct slot *
table_slot(const struct table *t, const void *key)
{
    size_t i = ((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u >> 20;

    for (i &= t->cap - 1; t->slot[i].key != NULL && t->slot[i].key != key;)
        i = (i + 1) & (t->cap - 1);
    return &t->slot[i];
}

static void *
table_find(const struct table *t, const void *key)
{
    return t->cap != 0 && key != NULL ? table_slot(t, key)->value : NULL;
}

/* Ends the program if there was no memory. Registration cannot return an error, and no
 * program gets far without this memory. */
static void *
must_have_memory(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static void
table_add(struct table *t, const void *key, void *value)
{
    struct slot *s;

    if (2 * (t->count + 1) > t->cap) {
        struct table grown = {.cap = t->cap != 0 ? 2 * t->cap : 64};

        grown.slot = must_have_memory(calloc(grown.cap, sizeof *grown.slot));
        for (size_t i = 0; i < t->cap; i++)
            if (t->slot[i].key != NULL)
                *table_slot(&grown, t->slot[i].key) = t->slot[i];
        grown.count = t->count;
        free(t->slot);
        *t = grown;
    }
    s = table_slot(t, key);
    if (s->key == NULL)
        t->count++;
    *s = (struct slot){key, value};
}

/* --- nvcc's hooks ------------------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int ext, size_t bytes, int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);

/* Returns false if these bytes are no container. */
static bool
image_add_part(struct wjrt_image *image, const void *bytes)
{
    struct container_head head;

    memcpy(&head, bytes, sizeof head);
    if (head.magic != CONTAINER_MAGIC || head.bytes > GPU_MODULE_BYTES_MAX)
        return false;
    image->part = must_have_memory(
        realloc(image->part, (image->part_count + 1) * sizeof *image->part));
    image->part[image->part_count].bytes = bytes;
    image->part[image->part_count].size = head.header_bytes + (size_t)head.bytes;
    image->size += image->part[image->part_count++].size;
    return true;
}

void **
__cudaRegisterFatBinary(void *wrapper)
{
    const struct wrapper *w = wrapper;
    struct wjrt_image *image = must_have_memory(calloc(1, sizeof *image));
    bool good = w->magic == WRAPPER_MAGIC && w->data != NULL;

    if (good && w->version == WRAPPER_OF_PARTS && w->parts != NULL)
        for (const void *const *part = w->parts; *part != NULL && good; part++)
            good = image_add_part(image, *part);
    else
        good = good && image_add_part(image, w->data);
    if (!good || image->size > GPU_MODULE_BYTES_MAX)
        image->failure = cudaErrorInvalidKernelImage;
    pthread_mutex_lock(&registered.lock);
    image->next = registered.images;
    registered.images = image;
    pthread_mutex_unlock(&registered.lock);
    return (void **)image;
}

void
__cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Runs when the program ends or a library is unloaded. Its kernels must no longer be
 * found. What they are made of stays, because handles may still exist. */
void
__cudaUnregisterFatBinary(void **handle)
{
    struct wjrt_image *image = (struct wjrt_image *)handle;

    pthread_mutex_lock(&registered.lock);
    image->failure = cudaErrorCudartUnloading;
    free(image->part);
    image->part = NULL;
    image->part_count = 0;
    pthread_mutex_unlock(&registered.lock);
}

void
__cudaRegisterFunction(void **handle, const char *host, char *device_name,
                       const char *name, int thread_limit, uint3 *tid, uint3 *bid,
                       dim3 *block, dim3 *grid, int *warp_size)
{
    struct wjrt_function *f = must_have_memory(calloc(1, sizeof *f));

    (void)device_name;
    (void)thread_limit;
    (void)tid;
    (void)bid;
    (void)block;
    (void)grid;
    (void)warp_size;
    f->host = host;
    f->name = name;
    f->image = (struct wjrt_image *)handle;
    f->carveout = -1;
    pthread_mutex_lock(&registered.lock);
    table_add(&registered.functions, host, f);
    table_add(&registered.functions, f,
              f); /* a cudaKernel_t serves as a kernel's name too */
    pthread_mutex_unlock(&registered.lock);
}

void
__cudaRegisterVar(void **handle, char *host, char *device_name, const char *name, int ext,
                  size_t bytes, int constant, int global)
{
    struct wjrt_variable *v = must_have_memory(calloc(1, sizeof *v));

    (void)device_name;
    (void)ext;
    (void)constant;
    (void)global;
    v->host = host;
    v->name = name;
    v->bytes = bytes;
    v->image = (struct wjrt_image *)handle;
    pthread_mutex_lock(&registered.lock);
    table_add(&registered.variables, host, v);
    pthread_mutex_unlock(&registered.lock);
}

/* Host code reaches a __managed__ variable through the pointer at *host. Before the
 * first use it calls __cudaInitModule. */
void
__cudaRegisterManagedVar(void **handle, void **host, char *device_name, const char *name,
                         int ext, size_t bytes, int constant, int global)
{
    struct wjrt_image *image = (struct wjrt_image *)handle;
    struct wjrt_variable *v;

    __cudaRegisterVar(handle, (char *)host, device_name, name, ext, bytes, constant,
                      global);
    pthread_mutex_lock(&registered.lock);
    v = table_find(&registered.variables, host);
    v->managed = host;
    v->next_managed = image->managed;
    image->managed = v;
    pthread_mutex_unlock(&registered.lock);
}

/* --- at first use ------------------------------------------------------------------- */

static cudaError_t variable_resolve(struct wjrt_variable *v, int device);

/* Lets host code see the module's managed variables. The caller has the lock. */
static cudaError_t
image_map_managed(struct wjrt_image *image, const struct wjrt_exchange *x)
{
    cudaError_t e = cudaSuccess;

    if (x->fd < 0)
        return cudaSuccess;
    e = wjrt_shared_map(x->fd, x->reply.value[1], x->reply.value[2], x->reply.value[2],
                        true);
    close(x->fd);
    for (struct wjrt_variable *v = image->managed; v != NULL && e == cudaSuccess;
         v = v->next_managed) {
        e = variable_resolve(v, 0);
        if (e == cudaSuccess)
            *v->managed = (void *)(uintptr_t)v->address[0];
    }
    return e;
}

/* Sends the parts together. */
static cudaError_t
image_send(const struct wjrt_image *image, struct wjrt_exchange *x)
{
    char *joined = NULL;
    size_t at = 0;
    cudaError_t e;

    x->to =
        (struct wjrt_rows){(char *)(uintptr_t)image->part[0].bytes, 0, image->size, 1};
    if (image->part_count > 1) {
        joined = malloc(image->size);
        if (joined == NULL)
            return cudaErrorMemoryAllocation;
        for (size_t i = 0; i < image->part_count; i++) {
            memcpy(joined + at, image->part[i].bytes, image->part[i].size);
            at += image->part[i].size;
        }
        x->to.base = joined;
    }
    e = wjrt_exchange(x);
    free(joined);
    return e;
}

/* Loads the image on a device, which has its own module and variables. The caller has
 * the lock. */
static cudaError_t
image_load(struct wjrt_image *image, int device)
{
    struct wjrt_exchange x = {.request = {.op = GPU_MODULE,
                                          .device = (uint16_t)device,
                                          .bulk_bytes = image->size}};
    cudaError_t e;

    if (image->loaded[device] || image->failure != cudaSuccess)
        return image->failure;
    if (image->managed != NULL && device != 0)
        return wjrt_explain(
            cudaErrorNotSupported,
            "__managed__ variables are there on device 0 only, and so are "
            "the kernels of a program that has some");
    e = image_send(image, &x);
    if (e == cudaSuccess) {
        image->loaded[device] = true;
        image->module[device] = (uint32_t)x.reply.value[0];
        e = image_map_managed(image, &x);
    } else if (e == cudaErrorInvalidPtx || e == cudaErrorUnsupportedPtxVersion ||
               e == cudaErrorInvalidKernelImage || e == cudaErrorNoKernelImageForDevice) {
        image->failure = e; /* another try would not help */
    }
    return e;
}

/* Loads now, because host code does not ask again. */
char
__cudaInitModule(void **handle)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess) {
        pthread_mutex_lock(&registered.lock);
        e = image_load((struct wjrt_image *)handle, 0);
        pthread_mutex_unlock(&registered.lock);
    }
    wjrt_error(e);
    if (e != cudaSuccess)
        wjrt_warn_once("__managed__ variables could not be made: host code that uses one "
                       "will crash");
    return 1;
}

static cudaError_t
function_resolve(struct wjrt_function *f, int device)
{
    struct wjrt_exchange x = {.request = {.op = GPU_KERNEL, .device = (uint16_t)device},
                              .text = f->name};
    size_t name_bytes = strlen(f->name);
    cudaError_t e = image_load(f->image, device);

    if (e != cudaSuccess)
        return e;
    if (name_bytes > GPU_INLINE_MAX)
        return cudaErrorInvalidDeviceFunction;
    x.request.id = f->image->module[device];
    x.request.inline_bytes = (uint32_t)name_bytes;
    e = wjrt_exchange(&x);
    if (e != cudaSuccess)
        return e;
    memcpy(&f->kernel, x.bulk, sizeof f->kernel);
    memmove(x.bulk, (char *)x.bulk + sizeof f->kernel,
            x.reply.bulk_bytes - sizeof f->kernel);
    free(f->param);
    f->param = x.bulk;
    f->id[device] = f->kernel.id;
    f->resolved[device] = true;
    return cudaSuccess;
}

cudaError_t
wjrt_function(const void *key, struct wjrt_function **out)
{
    struct wjrt_function *f;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return e;
    pthread_mutex_lock(&registered.lock);
    f = table_find(&registered.functions, key);
    if (f == NULL)
        e = cudaErrorInvalidDeviceFunction;
    else if (!f->resolved[wjrt_device()])
        e = function_resolve(f, wjrt_device());
    pthread_mutex_unlock(&registered.lock);
    if (e == cudaSuccess)
        *out = f;
    return e;
}

/* The caller has the lock. */
static cudaError_t
find_variable(struct wjrt_image *image, const char *name, int device, uint64_t *address,
              uint64_t *bytes)
{
    struct wjrt_exchange x = {.request = {.op = GPU_VARIABLE, .device = (uint16_t)device},
                              .text = name};
    size_t name_bytes = strlen(name);
    cudaError_t e = image_load(image, device);

    if (e != cudaSuccess)
        return e;
    if (name_bytes > GPU_INLINE_MAX)
        return cudaErrorInvalidSymbol;
    x.request.id = image->module[device];
    x.request.inline_bytes = (uint32_t)name_bytes;
    e = wjrt_exchange(&x);
    *address = x.reply.value[0];
    *bytes = x.reply.value[1];
    return e;
}

static cudaError_t
variable_resolve(struct wjrt_variable *v, int device)
{
    cudaError_t e =
        find_variable(v->image, v->name, device, &v->address[device], &v->bytes);

    v->resolved[device] = e == cudaSuccess;
    return e;
}

cudaError_t
wjrt_variable(const void *host, struct wjrt_variable **out)
{
    struct wjrt_variable *v;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return e;
    pthread_mutex_lock(&registered.lock);
    v = table_find(&registered.variables, host);
    if (v == NULL)
        e = cudaErrorInvalidSymbol;
    else if (!v->resolved[wjrt_device()])
        e = variable_resolve(v, wjrt_device());
    pthread_mutex_unlock(&registered.lock);
    if (e == cudaSuccess)
        *out = v;
    return e;
}

/* --- modules that the program loads itself ------------------------------------------ */

cudaError_t
wjrt_image_new(const void *bytes, size_t size, struct wjrt_image **out)
{
    struct wjrt_image *image = calloc(1, sizeof *image);
    struct part *part = malloc(sizeof *part);
    void *copy = malloc(size + 1);
    cudaError_t e = cudaErrorMemoryAllocation;

    if (image != NULL && part != NULL && copy != NULL) {
        memcpy(copy, bytes, size);
        *part = (struct part){copy, size};
        image->part = part;
        image->part_count = 1;
        image->size = size;
        pthread_mutex_lock(&registered.lock);
        e = image_load(image, wjrt_device());
        if (e == cudaSuccess) {
            image->next = registered.images;
            registered.images = image;
        }
        pthread_mutex_unlock(&registered.lock);
    }
    if (e != cudaSuccess) {
        free(copy);
        free(part);
        free(image);
        return e;
    }
    *out = image;
    return cudaSuccess;
}

void
wjrt_image_unload(struct wjrt_image *image)
{
    pthread_mutex_lock(&registered.lock);
    for (int i = 0; i < MACHINE_DEVICES_MAX; i++) {
        struct gpu_request q = {.op = GPU_UNLOAD,
                                .flags = GPU_QUIET,
                                .device = (uint16_t)i,
                                .id = image->module[i]};

        if (image->loaded[i])
            wjrt_request(&q, NULL);
        image->loaded[i] = false;
    }
    image->failure = cudaErrorInvalidResourceHandle;
    free((void *)(uintptr_t)image->part[0].bytes);
    free(image->part);
    image->part = NULL;
    image->part_count = 0;
    for (size_t i = 0; i < registered.functions.cap; i++) {
        struct wjrt_function *f = registered.functions.slot[i].value;

        if (f != NULL && f->image == image)
            memset(f->resolved, 0, sizeof f->resolved);
    }
    pthread_mutex_unlock(&registered.lock);
}

/* Every call for one kernel returns the same handle. */
cudaError_t
wjrt_image_kernel(struct wjrt_image *image, const char *name, struct wjrt_function **out)
{
    struct wjrt_function *f = NULL;
    cudaError_t e;

    pthread_mutex_lock(&registered.lock);
    for (size_t i = 0; i < registered.functions.cap && f == NULL; i++) {
        struct wjrt_function *known = registered.functions.slot[i].value;

        if (known != NULL && known->image == image && strcmp(known->name, name) == 0)
            f = known;
    }
    if (f == NULL) {
        f = must_have_memory(calloc(1, sizeof *f));
        f->host = f;
        f->name = must_have_memory(strdup(name));
        f->image = image;
        f->carveout = -1;
        table_add(&registered.functions, f, f);
    }
    e = f->resolved[wjrt_device()] ? cudaSuccess : function_resolve(f, wjrt_device());
    pthread_mutex_unlock(&registered.lock);
    *out = f;
    return e;
}

cudaError_t
wjrt_image_variable(struct wjrt_image *image, const char *name, uint64_t *address,
                    uint64_t *bytes)
{
    cudaError_t e;

    pthread_mutex_lock(&registered.lock);
    e = find_variable(image, name, wjrt_device(), address, bytes);
    pthread_mutex_unlock(&registered.lock);
    return e;
}

void
wjrt_forget_device(void)
{
    pthread_mutex_lock(&registered.lock);
    for (struct wjrt_image *i = registered.images; i != NULL; i = i->next)
        memset(i->loaded, 0, sizeof i->loaded);
    for (size_t i = 0; i < registered.functions.cap; i++) {
        struct wjrt_function *f = registered.functions.slot[i].value;

        if (f != NULL)
            memset(f->resolved, 0, sizeof f->resolved);
    }
    for (size_t i = 0; i < registered.variables.cap; i++) {
        struct wjrt_variable *v = registered.variables.slot[i].value;

        if (v != NULL)
            memset(v->resolved, 0, sizeof v->resolved);
    }
    pthread_mutex_unlock(&registered.lock);
}

/* Called once for each place of a launch, before its first launch. The handle must be
 * good even if there is no device yet, so that the launch itself returns the error. */
cudaError_t
__cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    struct wjrt_function *f;

    pthread_mutex_lock(&registered.lock);
    f = table_find(&registered.functions, host);
    pthread_mutex_unlock(&registered.lock);
    if (f == NULL)
        return wjrt_error(cudaErrorInvalidDeviceFunction);
    *kernel = (cudaKernel_t)f;
    return cudaSuccess;
}

cudaError_t
cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    if (kernel == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    return __cudaGetKernel(kernel, host);
}
