/* __device__ and __constant__ variables, found by the address of their host shadow. */
#include "runtime.h"

cudaError_t
cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    struct wjrt_variable *v;
    cudaError_t e = wjrt_variable(symbol, &v);

    if (e == cudaSuccess && pointer == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *pointer = (void *)(uintptr_t)v->address[wjrt_device()];
    return wjrt_error(e);
}

cudaError_t
cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    struct wjrt_variable *v;
    cudaError_t e = wjrt_variable(symbol, &v);

    if (e == cudaSuccess && bytes == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *bytes = v->bytes;
    return wjrt_error(e);
}

cudaError_t
wjrt_symbol_place(const void *symbol, size_t bytes, size_t offset, char **place)
{
    struct wjrt_variable *v;
    cudaError_t e = wjrt_variable(symbol, &v);

    if (e != cudaSuccess)
        return e;
    if (offset > v->bytes || bytes > v->bytes - offset)
        return cudaErrorInvalidValue;
    *place = (char *)(uintptr_t)v->address[wjrt_device()] + offset;
    return cudaSuccess;
}

cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                   enum cudaMemcpyKind kind)
{
    char *to;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &to);

    return e == cudaSuccess ? cudaMemcpy(to, from, bytes, kind) : wjrt_error(e);
}
WJRT_PTDS(cudaMemcpyToSymbol);

cudaError_t
cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    char *to;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &to);

    return e == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                            : wjrt_error(e);
}
WJRT_PTSZ(cudaMemcpyToSymbolAsync);

cudaError_t
cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                     enum cudaMemcpyKind kind)
{
    char *from;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &from);

    return e == cudaSuccess ? cudaMemcpy(to, from, bytes, kind) : wjrt_error(e);
}
WJRT_PTDS(cudaMemcpyFromSymbol);

cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    char *from;
    cudaError_t e = wjrt_symbol_place(symbol, bytes, offset, &from);

    return e == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                            : wjrt_error(e);
}
WJRT_PTSZ(cudaMemcpyFromSymbolAsync);
