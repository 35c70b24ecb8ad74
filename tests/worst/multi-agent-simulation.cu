// warpjudge: multi-agent-simulation
// A thread for each agent looks at all others.
__global__ void
each(const float *agents, float *agents_next, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float vx = 0, vy = 0;
    int count = 0;

    if (i >= N)
        return;
    const float *me = agents + 4 * i;
    for (int j = 0; j < N; j++) {
        float x = me[0] - agents[4 * j], y = me[1] - agents[4 * j + 1];

        if (j != i && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 25) {
            vx += agents[4 * j + 2];
            vy += agents[4 * j + 3];
            count++;
        }
    }
    vx = me[2] + 0.05f * ((count > 0 ? vx / count : me[2]) - me[2]);
    vy = me[3] + 0.05f * ((count > 0 ? vy / count : me[3]) - me[3]);
    agents_next[4 * i] = me[0] + vx;
    agents_next[4 * i + 1] = me[1] + vy;
    agents_next[4 * i + 2] = vx;
    agents_next[4 * i + 3] = vy;
}

extern "C" void
solve(const float *agents, float *agents_next, int N)
{
    each<<<(N + 255) / 256, 256>>>(agents, agents_next, N);
}
