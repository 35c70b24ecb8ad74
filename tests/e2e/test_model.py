"""The modelled time as an attacker sees it: work that does nothing shortens no time.

Each kernel is judged as it is and with something idle beside it: warps and blocks that end at once,
barriers that order nothing, memory that nobody uses, copies whose result nobody reads. No such time
may be more than 1% below the time of the kernel alone. docs/model.md has the table of the bounds and
of the attacks on them.
"""
import re

TAKES_TURNS = "each takes a minute of CPU time"
SLOW = "four problems, each beside fourteen kinds of idle work, at the benchmark's size"
HEAD = """// warpjudge: {problem}
#include <cuda_runtime.h>
__device__ float nobody[1 << 16];
__global__ void empty() {{}}
{defines}
"""

# What a kernel begins with, what it does before it reads *p, how it is launched, and what solve()
# does beside it.
PLAIN = {"START": ";", "EACH(p)": ";", "LAUNCH(k, g, b, ...)": "k<<<g, b>>>(__VA_ARGS__)",
         "BESIDE(p)": ";"}
# 80 additions that need each other take longer than L2's latency, 280 longer than DRAM's.
CHAIN = '{{ float d = 1; asm volatile("{}" : "+f"(d)); }}'
VARIANTS = {
    "blocks behind": {"START": "if (blockIdx.z != 0) return;",
                      "LAUNCH(k, g, b, ...)": "k<<<dim3(g, 1, 3), b>>>(__VA_ARGS__)"},
    "blocks before": {"START": "if (blockIdx.z != 2) return;",
                      "LAUNCH(k, g, b, ...)": "k<<<dim3(g, 1, 3), b>>>(__VA_ARGS__)"},
    "warps": {"START": "if (threadIdx.z != 0) return;",
              "LAUNCH(k, g, b, ...)": "k<<<g, dim3(b, 1, 1024 / (b))>>>(__VA_ARGS__)"},
    "warps that load from L1": {
        "START": "if (threadIdx.z != 0) { float v = 0; for (int i = 0; i < 256; i++) "
                 "v += __ldg(&nobody[i % 8]); if (v != 0) nobody[0] = v; return; }",
        "LAUNCH(k, g, b, ...)": "k<<<g, dim3(b, 1, 2)>>>(__VA_ARGS__)"},
    "barriers": {"START": "__syncthreads(); __syncthreads(); __syncthreads();"},
    "a chain beside the loads": {"EACH(p)": CHAIN.format("add.f32 %0, %0, %0;" * 80)},
    "warps with a chain": {
        "START": 'if (threadIdx.z != 0) { for (int i = 0; i < 200; i++) '
                 + CHAIN.format("add.f32 %0, %0, %0;" * 4) + " return; }",
        "LAUNCH(k, g, b, ...)": "k<<<g, dim3(b, 1, 2)>>>(__VA_ARGS__)"},
    "loads from L1 beside a chain": {
        "EACH(p)": 'asm volatile("{.reg .f32 f; .reg .b64 a; .reg .b32 x; ld.global.nc.b32 x, [%0]; '
                   'and.b32 x, x, 4; cvt.u64.u32 a, x; add.u64 a, a, %0; ld.global.nc.f32 f, [a];}" '
                   ':: "l"(nobody));'},
    "copies that nobody awaits": {
        "EACH(p)": '{ __shared__ float z[1]; asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" '
                   ':: "r"((unsigned)__cvta_generic_to_shared(z)), "l"(p)); }'},
    "arrivals": {
        "START": '__shared__ unsigned long long z; if (threadIdx.x == 0) asm volatile('
                 '"mbarrier.init.shared.b64 [%0], 1000000;" '
                 ':: "r"((unsigned)__cvta_generic_to_shared(&z))); __syncthreads();',
        "EACH(p)": 'asm volatile("{.reg .b64 x; mbarrier.arrive.shared.b64 x, [%0];}" '
                   ':: "r"((unsigned)__cvta_generic_to_shared(&z)) : "memory");'},
    "shared memory": {"LAUNCH(k, g, b, ...)": "k<<<g, b, 20000>>>(__VA_ARGS__)"},
    "a stream": {"LAUNCH(k, g, b, ...)": "static cudaStream_t s; if (!s) cudaStreamCreate(&s); "
                                         "cudaDeviceSynchronize(); k<<<g, b, 0, s>>>(__VA_ARGS__); "
                                         "cudaStreamSynchronize(s)"},
    "copies": {"BESIDE(p)": "{ static float h[64], *d; if (!d) cudaMalloc(&d, 256); "
                            "cudaMemcpy(d, p, 4, cudaMemcpyDefault); cudaMemcpy(h, d, 4, "
                            "cudaMemcpyDefault); cudaMemcpy(h, d, 0, cudaMemcpyDefault); }"},
    "empty launches": {"BESIDE(p)": "empty<<<1, 1>>>(); empty<<<500, 1024>>>();"},
}

KERNELS = {
    # bound by the bytes from memory
    "vector-addition": """
__global__ void add(const float *a, const float *b, float *c, int n) {
    START
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        EACH(a + i)
        c[i] = a[i] + b[i];
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N) {
    LAUNCH(add, (N + 255) / 256, 256, A, B, C, N);
    BESIDE(A)
}
""",
    # bound by latency, with barriers
    "reduction": """
__global__ void sum(const float *input, float *output, int n) {
    __shared__ float s[256];
    START
    float v = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 64 * 256) {
        EACH(input + i)
        v += input[i];
    }
    s[threadIdx.x] = v;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(output, s[0]);
}
extern "C" void solve(const float *input, float *output, int N) {
    cudaMemset(output, 0, 4);
    LAUNCH(sum, 64, 256, input, output, N);
    BESIDE(input)
}
""",
    # bound by shared memory and instructions
    "matrix-multiplication": """
__global__ void product(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float a[16][16], b[16][17];
    START
    int x = threadIdx.x % 16, y = threadIdx.x / 16, tiles = (K + 15) / 16;
    int row = blockIdx.x / tiles * 16 + y, column = blockIdx.x % tiles * 16 + x;
    float v = 0;
    for (int t = 0; t < N; t += 16) {
        EACH(A + (t + x < N ? min(row, M - 1) * N + t + x : 0))
        a[y][x] = row < M && t + x < N ? A[row * N + t + x] : 0;
        b[y][x] = t + y < N && column < K ? B[(t + y) * K + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            v += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (row < M && column < K)
        C[row * K + column] = v;
}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K) {
    LAUNCH(product, ((M + 15) / 16) * ((K + 15) / 16), 256, A, B, C, M, N, K);
    BESIDE(A)
}
""",
    # one thread after another load
    "prefix-sum": """
__global__ void scan(const float *input, float *output, int n) {
    START
    float v = 0;
    for (int i = 0; threadIdx.x == 0 && i < n; i++) {
        EACH(input + i)
        output[i] = v += input[i];
    }
}
extern "C" void solve(const float *input, float *output, int N) {
    LAUNCH(scan, 1, 32, input, output, N);
    BESIDE(input)
}
""",
}


def source_of(problem, variant):
    defines = "\n".join(f"#define {name} {text}" for name, text in {**PLAIN, **variant}.items())
    return HEAD.format(problem=problem, defines=defines) + KERNELS[problem]


def times_of(judge, sources):
    """{name: modelled time}, of {name: (problem, source)}"""
    judge.start()
    ids = {name: judge.post(source, problem, user=re.sub(r"[^a-z0-9]", "-", name.lower()))
           for name, (problem, source) in sources.items()}
    times = {}
    for name, ident in ids.items():
        got = judge.wait_done(ident)
        assert got["verdict"] == "accepted", (name, got["message"])
        times[name] = got["time_ns"]
    return times


def check_idle_work(judge, problem):
    sources = {name: (problem, source_of(problem, variant))
               for name, variant in {"alone": {}, **VARIANTS}.items()}
    times = times_of(judge, sources)
    print(times)
    shorter = {name: ns for name, ns in times.items() if ns < 0.99 * times["alone"]}
    assert not shorter, (times["alone"], shorter)


GUARDED = """// warpjudge: vector-addition
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {{
    float x[4], y[4];
    int i = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {{
        int j = i + k * 256;
        x[k] = {a};
        y[k] = {b};
    }}
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + k * 256 < n)
            c[i + k * 256] = x[k] + y[k];
}}
extern "C" void solve(const float *A, const float *B, float *C, int N) {{
    add<<<(N + 1023) / 1024, 256>>>(A, B, C, N);
}}
"""


def test_a_guarded_load_waits_no_longer_than_a_clamped_one(judge):
    """Both take the same on an H100, 103 us for 25 million elements; a clamp is an instruction more."""
    times = times_of(judge, {
        "guarded": ("vector-addition", GUARDED.format(a="j < n ? a[j] : 0", b="j < n ? b[j] : 0")),
        "clamped": ("vector-addition", GUARDED.format(a="a[min(j, n - 1)]", b="b[min(j, n - 1)]")),
    })
    assert 0.95 < times["guarded"] / times["clamped"] < 1.02, times


def test_a_copy_of_a_value_in_each_sector_is_a_copy_of_the_sectors(judge):
    kernel = KERNELS["vector-addition"]
    tail = kernel.index('extern "C"')
    head = source_of("vector-addition", {}).replace(kernel[tail:], "")

    def source(copy):
        return head + f"""extern "C" void solve(const float *A, const float *B, float *C, int N) {{
    static char *d;
    if (!d) cudaMalloc(&d, 8 << 20);
    {copy};
    LAUNCH(add, (N + 255) / 256, 256, A, B, C, N);
}}
"""
    times = times_of(judge, {
        "whole": ("vector-addition", source("cudaMemcpyAsync(d, A, N / 8 * 32, cudaMemcpyDefault)")),
        "strided": ("vector-addition",
                    source("cudaMemcpy2DAsync(d, 32, A, 32, 4, N / 8, cudaMemcpyDefault)")),
    })
    assert abs(times["strided"] / times["whole"] - 1) < 0.001, times


def test_what_a_program_brings_along_is_copied(judge):
    """Values of the host's that stand in the text of a program have come from the host."""
    kernel = KERNELS["vector-addition"]
    head = source_of("vector-addition", {}).replace(kernel[kernel.index('extern "C"'):], "")

    def source(beside):
        return head + f"""
static const char text[] = ".version 8.0\\n.target sm_80\\n.address_size 64\\n.global .b32 value = 7;\\n";
extern "C" void solve(const float *A, const float *B, float *C, int N) {{
    static void *d;
    cudaLibrary_t library;
    if (!d) cudaMalloc(&d, sizeof text);
    {beside}
    LAUNCH(add, (N + 255) / 256, 256, A, B, C, N);
}}
"""
    times = times_of(judge, {
        "copied": ("vector-addition", source("cudaMemcpy(d, text, sizeof text, cudaMemcpyDefault);")),
        "loaded": ("vector-addition", source(
            "if (cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0) == cudaSuccess) "
            "cudaLibraryUnload(library);")),
    })
    assert abs(times["loaded"] / times["copied"] - 1) < 0.001, times


FETCHES = """// warpjudge: count-array-element
#include <cuda_runtime.h>
#include <cstring>
#define WIDTH 1024
__global__ void count(cudaTextureObject_t texture, const int *input, int *output, int n, int K) {{
    int i = blockIdx.x * 1024 + threadIdx.x, squares = n / WIDTH / 2 * (WIDTH / 2), sum = 0;
    if (i < squares) {{
        int x = 2 * (i % (WIDTH / 2)), y = 2 * (i / (WIDTH / 2));
        {fetch}
        sum = (v.x == K) + (v.y == K) + (v.z == K) + (v.w == K);
    }}
    if (4 * squares + i < n)
        sum += input[4 * squares + i] == K;
    sum = __reduce_add_sync(0xFFFFFFFFu, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(output, sum);
}}
extern "C" void solve(const int *input, int *output, int N, int K) {{
    cudaResourceDesc memory;
    cudaTextureDesc description;
    cudaTextureObject_t texture = 0;
    memset(&memory, 0, sizeof memory);
    memset(&description, 0, sizeof description);
    memory.resType = cudaResourceTypePitch2D;
    memory.res.pitch2D.devPtr = (void *)input;
    memory.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    memory.res.pitch2D.width = WIDTH;
    memory.res.pitch2D.height = N / WIDTH;
    memory.res.pitch2D.pitchInBytes = WIDTH * sizeof(int);
    if (N >= WIDTH)
        cudaCreateTextureObject(&texture, &memory, &description, nullptr);
    count<<<(N / 4 + 2 * WIDTH + 1023) / 1024, 1024>>>(texture, input, output, N, K);
    if (N >= WIDTH)
        cudaDestroyTextureObject(texture);
}}
"""
GATHER = "int4 v = tex2Dgather<int4>(texture, x + 1.0f, y + 1.0f, 0);"
LOADS = ("int2 a = *(const int2 *)(input + y * WIDTH + x), b = *(const int2 *)(input + (y + 1) * WIDTH + x); "
         "int4 v = make_int4(a.x, a.y, b.x, b.y);")


def test_a_fetch_of_four_texels_reads_four(judge):
    """They lie in two rows, so that a warp's requests have twice the sectors of one row."""
    judge.start()
    counters = {}
    for name, fetch in {"gather": GATHER, "loads": LOADS}.items():
        ident = judge.post(FETCHES.format(fetch=fetch), "count-array-element", user=name)
        got = judge.wait_done(ident)
        assert got["verdict"] == "accepted", (name, got["message"])
        counters[name] = got["counters"]
    for key in ("l1_missed_sectors", "global_load_bytes"):
        assert counters["gather"][key] == counters["loads"][key], (key, counters)


for _problem in KERNELS:
    globals()[f"test_idle_work_beside_{_problem.replace('-', '_')}"] = (
        lambda judge, problem=_problem: check_idle_work(judge, problem))


# A serial sum, whose parts are added up in turns. WAIT(n) waits until n parts are done, DONE(n) says so.
TURNS = """// warpjudge: prefix-sum
#include <cuda_runtime.h>
__device__ int turn;
__device__ float sum;
__device__ int plain(const int *p) {{ asm volatile("" ::: "memory"); return *p; }}
__device__ int acquired(const int *p) {{
    int v;
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}}
__global__ void scan(const float *input, float *output, int n) {{
    int part = {part}, parts = {parts}, chunk = (n + parts - 1) / parts;
    if (threadIdx.x % 32 != 0)
        return;
    while ({read} != part)
        ;
    float s = part == 0 ? 0 : *(volatile float *)&sum;
    for (int i = part * chunk; i < min(n, (part + 1) * chunk); i++) {{
        s += input[i];
        output[i] = s;
    }}
    *(volatile float *)&sum = s;
    __threadfence();
    turn = part == parts - 1 ? 0 : part + 1;
}}
extern "C" void solve(const float *input, float *output, int N) {{
    scan<<<{launch}>>>(input, output, N);
}}
"""
READS = {"volatile": "*(volatile int *)&turn", "atomic": "atomicAdd(&turn, 0)", "plain": "plain(&turn)",
         "acquire": "acquired(&turn)"}


def test_parts_of_a_chain_take_no_less_than_the_chain(judge):
    """Blocks, or warps of a block, that do a serial sum in turns gain nothing over one that does it all."""
    blocks, warps = "(int)blockIdx.x", "(int)(threadIdx.x / 32)"
    sources = {"alone": TURNS.format(part="0", parts=1, read=READS["volatile"], launch="1, 32")}
    sources["two blocks"] = TURNS.format(part=blocks, parts=2, read=READS["volatile"], launch="2, 32")
    for name, read in READS.items():
        sources[f"blocks {name}"] = TURNS.format(part=blocks, parts=12, read=read, launch="12, 32")
        sources[f"warps {name}"] = TURNS.format(part=warps, parts=6, read=read, launch="1, 192")
    times = times_of(judge, {name: ("prefix-sum", source) for name, source in sources.items()})
    print(times)
    shorter = {name: ns for name, ns in times.items() if ns < 0.99 * times["alone"]}
    assert not shorter, (times["alone"], shorter)
