// warpjudge: multi-agent-simulation
// expect: accepted
// Distances and sums in double.
#include <cuda_runtime.h>

__global__ void
step(const float4 *agents, float4 *next, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    double vx = 0, vy = 0;

    if (i >= N)
        return;
    float4 me = agents[i];

    for (int j = 0; j < N; j++) {
        float4 other = agents[j];
        double dx = (double)me.x - other.x, dy = (double)me.y - other.y;
        bool near = dx * dx + dy * dy < 25;

        if (j != i && near) {
            vx += other.z;
            vy += other.w;
            count++;
        }
    }
    vx = count > 0 ? me.z + 0.05f * (vx / count - me.z) : me.z;
    vy = count > 0 ? me.w + 0.05f * (vy / count - me.w) : me.w;
    next[i] = make_float4(me.x + vx, me.y + vy, vx, vy);
}

extern "C" void
solve(const float *agents, float *agents_next, int N)
{
    step<<<(N + 127) / 128, 128>>>((const float4 *)agents, (float4 *)agents_next, N);
}
