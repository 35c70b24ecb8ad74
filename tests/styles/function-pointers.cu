// warpjudge: sigmoid-activation
// Device function pointers, virtual functions, recursion and new in a kernel.
typedef float (*activation)(float);

__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
__device__ float identity(float x) { return x; }
__device__ activation table[] = {identity, sigmoid};

struct Step {
    __device__ virtual float apply(float x) const = 0;
    __device__ virtual ~Step() {}
};
struct Apply : Step {
    activation f;
    __device__ Apply(activation g) : f(g) {}
    __device__ float apply(float x) const override { return f(x); }
};

__device__ int depth(int n) { return n <= 1 ? 1 : 1 + depth(n / 2); }

__global__ void activate(const float *X, float *Y, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        Apply step(table[depth(2) - 1]);
        const Step &base = step;

        Y[i] = base.apply(X[i]);
    }
}

extern "C" void
solve(const float *X, float *Y, int N)
{
    activate<<<(N + 255) / 256, 256>>>(X, Y, N);
}
