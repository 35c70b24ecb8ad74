// warpjudge: relu
// bits/stdc++.h, using namespace std, and names that CUDA has, too.
#include <bits/stdc++.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
using namespace std;

typedef long long ll;
typedef vector<int> vi;
const int MAXN = 256;

__global__ void relu_kernel(const float *input, float *output, int N)
{
    ll i = (ll)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = max(0.0f, input[i]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    vi sizes = {N, MAXN};
    int blocks = (int)ceil((double)sizes[0] / min(sizes[1], MAXN));
    string name = "relu";

    relu_kernel<<<blocks, MAXN>>>(input, output, N);
    cudaDeviceSynchronize();
}
