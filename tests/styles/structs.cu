// warpjudge: multi-agent-simulation
// Structs by value, operators, references, and member functions for the device.
struct Vec2 {
    float x, y;
    __host__ __device__ Vec2 operator+(const Vec2 &o) const { return {x + o.x, y + o.y}; }
    __host__ __device__ Vec2 operator-(const Vec2 &o) const { return {x - o.x, y - o.y}; }
    __host__ __device__ friend Vec2 operator*(float s, const Vec2 &v) { return {s * v.x, s * v.y}; }
    __device__ float squared() const { return __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)); }
};
struct Agent {
    Vec2 position, velocity;
};
struct Params {
    const Agent *now;
    Agent *next;
    int count;
    float radius;
};

__global__ void move(Params p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, neighbours = 0;
    Vec2 sum{0, 0};

    if (i >= p.count)
        return;
    Agent me = p.now[i];
    for (int j = 0; j < p.count; ++j)
        if (j != i && (p.now[j].position - me.position).squared() < p.radius * p.radius) {
            sum = sum + p.now[j].velocity;
            ++neighbours;
        }
    if (neighbours > 0)
        me.velocity = me.velocity + 0.05f * ((1.0f / neighbours) * sum - me.velocity);
    me.position = me.position + me.velocity;
    p.next[i] = me;
}

extern "C" void
solve(const float *agents, float *agents_next, int N)
{
    Params p = {(const Agent *)agents, (Agent *)agents_next, N, 5.0f};

    move<<<(N + 127) / 128, 128>>>(p);
}
