/* Libraries: modules that a program loads itself, from a fat binary or from PTX text. */
#include "runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY_MAGIC 0x776c6962u
#define WRAPPER_MAGIC 0x466243b1u /* fatbinary_section.h: FATBINC_MAGIC */
#define CONTAINER_MAGIC 0xBA55ED50u

struct CUlib_st {
    uint32_t magic;
    struct wjrt_image *image;
};

static struct CUlib_st *
library_of(cudaLibrary_t handle)
{
    return handle != NULL && handle->magic == LIBRARY_MAGIC ? handle : NULL;
}

/* Finds how many bytes the data have, which only they themselves say. Follows a
 * wrapper. */
static cudaError_t
find_size(const void **code, size_t *size)
{
    struct {
        uint32_t magic, version;
        const void *data;
    } wrapper;
    struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes;
    } head;
    uint32_t magic;

    memcpy(&magic, *code, sizeof magic);
    if (magic == WRAPPER_MAGIC) {
        memcpy(&wrapper, *code, sizeof wrapper);
        *code = wrapper.data;
        memcpy(&magic, *code, sizeof magic);
    }
    if (magic == CONTAINER_MAGIC) {
        memcpy(&head, *code, sizeof head);
        *size = head.header_bytes + (size_t)head.bytes;
        return head.bytes <= GPU_MODULE_BYTES_MAX ? cudaSuccess
                                                  : cudaErrorInvalidKernelImage;
    }
    if (memcmp(*code, "\177ELF", 4) == 0)
        return wjrt_explain(cudaErrorNoKernelImageForDevice,
                            "the library is machine code; the emulated GPU needs PTX");
    *size = strlen(*code);
    return *size > 0 ? cudaSuccess : cudaErrorInvalidKernelImage;
}

static cudaError_t
library_load(cudaLibrary_t *library, const void *code, size_t size)
{
    struct CUlib_st *made = malloc(sizeof *made);
    cudaError_t e;

    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->magic = LIBRARY_MAGIC;
    e = wjrt_image_new(code, size, &made->image);
    if (e == cudaSuccess)
        *library = made;
    else
        free(made);
    return e;
}

/* The options are for a just-in-time compiler, which does not exist here. */
cudaError_t
cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                    enum cudaJitOption *jit_options, void **jit_values,
                    unsigned int jit_count, enum cudaLibraryOption *options,
                    void **values, unsigned int count)
{
    size_t size = 0;
    cudaError_t e = wjrt_connect();

    (void)jit_options;
    (void)jit_values;
    (void)jit_count;
    (void)options;
    (void)values;
    (void)count;
    if (e == cudaSuccess && (library == NULL || code == NULL))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = find_size(&code, &size);
    return wjrt_error(e == cudaSuccess ? library_load(library, code, size) : e);
}

/* A file's bytes with a NUL after them. The caller frees. NULL: errno says why. */
static char *
read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t size = 0, room = 0;
    char *text = NULL;

    while (f != NULL && !feof(f) && !ferror(f) && size <= GPU_MODULE_BYTES_MAX) {
        char *grown;

        room = room != 0 ? 2 * room : 65536;
        grown = realloc(text, room);
        if (grown == NULL)
            break;
        text = grown;
        size += fread(text + size, 1, room - size - 1, f);
        text[size] = '\0';
    }
    if (f != NULL && !feof(f)) {
        free(text);
        text = NULL;
    }
    if (f != NULL)
        fclose(f);
    return text;
}

cudaError_t
cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                        enum cudaJitOption *jit_options, void **jit_values,
                        unsigned int jit_count, enum cudaLibraryOption *options,
                        void **values, unsigned int count)
{
    cudaError_t e = wjrt_connect();
    char *text;

    if (e == cudaSuccess && (library == NULL || path == NULL))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    text = read_file(path);
    if (text == NULL)
        return wjrt_error(errno == ENOENT ? cudaErrorFileNotFound
                                          : cudaErrorOperatingSystem);
    e = cudaLibraryLoadData(library, text, jit_options, jit_values, jit_count, options,
                            values, count);
    free(text);
    return e;
}

cudaError_t
cudaLibraryUnload(cudaLibrary_t library)
{
    struct CUlib_st *l = library_of(library);

    if (l == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    wjrt_image_unload(l->image);
    l->magic = 0;
    free(l);
    return cudaSuccess;
}

cudaError_t
cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    struct CUlib_st *l = library_of(library);
    struct wjrt_function *f;
    cudaError_t e;

    if (l == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (kernel == NULL || name == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    e = wjrt_image_kernel(l->image, name, &f);
    if (e == cudaSuccess)
        *kernel = (cudaKernel_t)f;
    return wjrt_error(e == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : e);
}

cudaError_t
cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library,
                     const char *name)
{
    struct CUlib_st *l = library_of(library);
    uint64_t address, size;
    cudaError_t e;

    if (l == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (name == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    e = wjrt_image_variable(l->image, name, &address, &size);
    if (e == cudaSuccess && pointer != NULL)
        *pointer = (void *)(uintptr_t)address;
    if (e == cudaSuccess && bytes != NULL)
        *bytes = (size_t)size;
    return wjrt_error(e == cudaErrorInvalidSymbol ? cudaErrorSymbolNotFound : e);
}

cudaError_t
cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library,
                      const char *name)
{
    return cudaLibraryGetGlobal(pointer, bytes, library, name);
}

cudaError_t
cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                int value, int device)
{
    if (wjrt_connect() != cudaSuccess || !wjrt_is_device(device))
        return wjrt_error(cudaErrorInvalidDevice);
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

/* A cudaFunction_t is a kernel's name here too. */
cudaError_t
cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    struct wjrt_function *f;
    cudaError_t e = wjrt_function(symbol, &f);

    if (e == cudaSuccess && function == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *function = (cudaFunction_t)f;
    return wjrt_error(e);
}
