/* One step in double, rounded once, a thread for each agent; who is whose neighbour is decided in
 * float, which is exact near 25. The agents are read through shared memory, in their order. */
#define THREADS 128

__global__ static void
step(const float4 *agents, float4 *next, int N)
{
    __shared__ float4 tile[THREADS];
    int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    float4 me = i < N ? agents[i] : make_float4(0, 0, 0, 0);
    double vx = 0, vy = 0, count = 0;

    for (int first = 0; first < N; first += THREADS) {
        if (first + (int)threadIdx.x < N)
            tile[threadIdx.x] = agents[first + (int)threadIdx.x];
        __syncthreads();
        for (int j = 0; j < THREADS && first + j < N; j++) {
            float dx = __fsub_rn(me.x, tile[j].x), dy = __fsub_rn(me.y, tile[j].y);

            if (first + j == i || !(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)) < 25.0f))
                continue;
            vx += tile[j].z;
            vy += tile[j].w;
            count++;
        }
        __syncthreads();
    }
    if (i >= N)
        return;
    vx = me.z + 0.05 * ((count > 0 ? vx / count : me.z) - me.z);
    vy = me.w + 0.05 * ((count > 0 ? vy / count : me.w) - me.w);
    next[i] = make_float4((float)(me.x + vx), (float)(me.y + vy), (float)vx, (float)vy);
}

extern "C" void
solve(const float *agents, float *agents_next, int N)
{
    step<<<(unsigned)(N + THREADS - 1) / THREADS, THREADS>>>((const float4 *)agents,
                                                            (float4 *)agents_next, N);
}
