// What the planted programs share: device buffers with contents, and how they end.
#ifndef PLANTED_H
#define PLANTED_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// n elements on the device: 0, 1, 2, ... modulo 97.
template <class T>
T *
counted(size_t n)
{
    T *host = (T *)malloc(n * sizeof(T)), *p;

    for (size_t i = 0; i < n; i++)
        host[i] = (T)(i % 97);
    cudaMalloc(&p, n * sizeof(T));
    cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice);
    free(host);
    return p;
}

// n elements on the device, all zero.
template <class T>
T *
zeros(size_t n)
{
    T *p;

    cudaMalloc(&p, n * sizeof(T));
    cudaMemset(p, 0, n * sizeof(T));
    return p;
}

// n elements on the device that were never written.
template <class T>
T *
fresh(size_t n)
{
    T *p;

    cudaMalloc(&p, n * sizeof(T));
    return p;
}

// The exit status: did anything fail? What did is printed.
inline int
finish()
{
    cudaError_t error = cudaGetLastError(), end = cudaDeviceSynchronize();

    if (error == cudaSuccess)
        error = end;
    puts(cudaGetErrorName(error));
    return error != cudaSuccess;
}

#endif
