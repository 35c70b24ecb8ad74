// warpjudge: 1d-convolution
// expect: accepted
// idea: Outputs beside each other need nearly the same values, but a thread's outputs lie far apart. Give
//   it neighbours, and let a window of the signal slide through its registers.
// A thread makes twenty neighbouring outputs. 24 values of the signal are in its registers, as a ring:
// four new ones come in one load, and four weights in another, for 80 products. Threads begin 80 bytes
// apart, five times 16, so that the loads of eight lanes meet all banks. The ring turns once in 24
// weights; the weights are filled up with zeros.
// H200: 140 µs, 3.5 times as fast as step 3
#include <cuda_runtime.h>

#define THREADS 64
#define EACH 20         // outputs of a thread
#define RING (EACH + 4) // values of the signal in registers
#define OUTPUTS (THREADS * EACH)
#define LONGEST (2047 + RING) // weights, filled up to whole turns of the ring

// Four weights and four new values, when the ring's oldest value is at FIRST.
template <int FIRST>
__device__ static void
slide(float *sum, float *ring, const float *stretch, const float *weights)
{
    float4 v = *(const float4 *)&stretch[FIRST + EACH], w = *(const float4 *)&weights[FIRST];
    float weight[4] = {w.x, w.y, w.z, w.w};

    ring[(FIRST + EACH) % RING] = v.x;
    ring[(FIRST + EACH + 1) % RING] = v.y;
    ring[(FIRST + EACH + 2) % RING] = v.z;
    ring[(FIRST + EACH + 3) % RING] = v.w;
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int e = 0; e < EACH; e++)
            sum[e] += ring[(FIRST + k + e) % RING] * weight[k];
}

__global__ void __launch_bounds__(THREADS)
convolve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    __shared__ __align__(16) float stretch[OUTPUTS + LONGEST + RING], weights[LONGEST];
    int first = blockIdx.x * OUTPUTS, own = threadIdx.x * EACH;
    int turns = (kernel_size + RING - 1) / RING;
    float sum[EACH] = {}, ring[RING];

#pragma unroll 8
    for (int j = threadIdx.x; j < OUTPUTS + turns * RING; j += THREADS)
        stretch[j] = first + j < input_size ? input[first + j] : 0.0f;
    for (int j = threadIdx.x; j < turns * RING; j += THREADS)
        weights[j] = j < kernel_size ? kernel[j] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++)
        ring[e] = stretch[own + e];
    for (int j = 0; j < turns * RING; j += RING) {
        slide<0>(sum, ring, stretch + own + j, weights + j);
        slide<4>(sum, ring, stretch + own + j, weights + j);
        slide<8>(sum, ring, stretch + own + j, weights + j);
        slide<12>(sum, ring, stretch + own + j, weights + j);
        slide<16>(sum, ring, stretch + own + j, weights + j);
        slide<20>(sum, ring, stretch + own + j, weights + j);
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (first + own + e <= input_size - kernel_size)
            output[first + own + e] = sum[e];
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    int count = input_size - kernel_size + 1;

    convolve<<<(count + OUTPUTS - 1) / OUTPUTS, THREADS>>>(input, kernel, output, input_size,
                                                           kernel_size);
}
