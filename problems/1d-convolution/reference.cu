/*
 * Each sum in double, rounded once.
 *
 * A block makes TILE outputs, from PART weights at a time. What it needs of the signal and the
 * weights becomes doubles in shared memory. Each thread makes OWN neighbours, for which it
 * keeps what it reads of the signal in registers.
 */
#define THREADS 128
#define OWN 8
#define TILE (THREADS * OWN)
#define PART 256
#define NEED (TILE + PART + OWN) /* the last OWN are read, but not used */

/* A gap after each OWN numbers: threads that are neighbours read from other banks. */
__device__ static int
place(int i)
{
    return i + i / OWN;
}

__global__ static void __launch_bounds__(THREADS)
convolve(const float *__restrict__ input, const float *__restrict__ kernel,
         float *__restrict__ output, int count, int input_size, int kernel_size)
{
    __shared__ double signal[NEED + NEED / OWN];
    __shared__ double weight[PART];
    const int first = (int)blockIdx.x * TILE, t = (int)threadIdx.x;
    double sum[OWN] = {};

    for (int part = 0; part < kernel_size; part += PART) {
        const int weights = min(PART, kernel_size - part);

        for (int i = t; i < NEED; i += THREADS) {
            const int from = first + part + i;

            signal[place(i)] = from < input_size ? (double)input[from] : 0;
        }
        for (int j = t; j < weights; j += THREADS)
            weight[j] = (double)kernel[part + j];
        __syncthreads();
        double window[2 * OWN];

#pragma unroll
        for (int r = 0; r < OWN; r++)
            window[OWN + r] = signal[place(t * OWN) + r];
        for (int j0 = 0; j0 < weights; j0 += OWN) {
            const double *next = &signal[place(t * OWN + j0 + OWN)];

#pragma unroll
            for (int r = 0; r < OWN; r++) {
                window[r] = window[OWN + r];
                window[OWN + r] = next[r];
            }
#pragma unroll
            for (int j = 0; j < OWN; j++) {
                if (j0 + j >= weights)
                    break;
                const double w = weight[j0 + j];

#pragma unroll
                for (int r = 0; r < OWN; r++)
                    sum[r] += window[j + r] * w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < OWN; i++)
        signal[place(t * OWN) + i] = sum[i];
    __syncthreads();
    for (int i = t; i < TILE && first + i < count; i += THREADS)
        output[first + i] = (float)signal[place(i)];
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_size,
      int kernel_size)
{
    int count = input_size - kernel_size + 1;

    convolve<<<(count + TILE - 1) / TILE, THREADS>>>(input, kernel, output, count, input_size,
                                                     kernel_size);
}
