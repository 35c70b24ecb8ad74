"""Buffers in host memory."""
import json

SPEC = {
    "format": 1, "title": "Pinned Scale", "difficulty": "medium",
    "params": [
        {"name": "x", "type": "float32", "dir": "in", "shape": ["N"], "space": "host_pinned",
         "values": {"uniform": [-1, 1]}},
        {"name": "factor", "type": "float32", "dir": "in", "shape": [1],
         "values": {"uniform": [1, 2]}},
        {"name": "sum", "type": "float32", "dir": "inout", "shape": ["N"],
         "space": "host_pinned", "values": {"sorted": {"uniform": [0, 1]}}},
        {"name": "y", "type": "float32", "dir": "out", "shape": ["N"], "space": "host_pinned"},
        {"name": "N", "type": "int32", "dir": "scalar", "min": 1},
    ],
    "compare": {"mode": "close", "atol": 1e-6, "rtol": 1e-6},
    "tests": [{"N": 3, "sample": True}, {"N": 1}, {"N": 10001}],
    "benchmark": {"cuda": {"N": 1000000}, "emu": {"N": 100000}},
}

REFERENCE = """
void
solve(const float *x, const float *factor, float *sum, float *y, int N)
{
    for (int i = 0; i < N; i++) {
        y[i] = factor[0] * x[i];
        sum[i] += y[i];
    }
}
"""

SOLUTION = """// warpjudge: pinned-scale
#include <cuda_runtime.h>
__global__ void scale(const float *x, const float *factor, float *sum, float *y, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        y[i] = factor[0] * x[i];
        sum[i] += y[i];
    }
}
extern "C" void solve(const float *x, const float *factor, float *sum, float *y, int N)
{
    size_t bytes = N * sizeof(float);
    float *d;
    cudaMalloc(&d, 3 * bytes);
    cudaMemcpyAsync(d, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(d + N, sum, bytes, cudaMemcpyHostToDevice);
    scale<<<(N + 255) / 256, 256>>>(d, factor, d + N, d + 2 * N, N);
    cudaMemcpyAsync(sum, d + N, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(y, d + 2 * N, bytes, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    cudaFree(d);
}
"""


def problem(judge, spec=SPEC):
    folder = judge.home / "problems/pinned-scale"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "problem.json").write_text(json.dumps(spec))
    (folder / "reference.c").write_text(REFERENCE)
    (folder / "statement.md").write_text("# Pinned Scale\n")
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "problems")


def submit(judge, *change, **more):
    return judge.submit_json(judge.write("s.cu", SOLUTION.replace(*change) if change else SOLUTION),
                             **more)


def test_host_memory(judge):
    problem(judge)
    judge.start()
    got = submit(judge, status=0)
    assert got["verdict"] == "accepted", got
    got = submit(judge, "sum[i] += y[i];", "sum[i] += y[i]; y[i] = 0;", status=1)
    assert got["verdict"] == "wrong_answer" and "y[0]" in got["message"], got
    got = submit(judge, "cudaFree(d);", "((float *)x)[N - 1] = 3; cudaFree(d);", status=1)
    assert "changed its input x" in got["message"], got
    got = submit(judge, "cudaMemcpyAsync(y", "if (N == 1) cudaMemcpyAsync(y", status=1)
    assert got["verdict"] == "wrong_answer" and "before the call" in got["message"], got
    got = submit(judge, "scale<<<(N + 255) / 256, 256>>>(d,",
                 "scale<<<(N + 255) / 256, 256>>>(x,", status=1)
    assert got["verdict"] == "runtime_error", got  # on emu; a GPU can read it


THREADS = SOLUTION.replace("extern", """
#include <pthread.h>
static volatile float sink;
static void *look(void *at)
{
    for (;;)
        sink = *(volatile const float *)at;
    return nullptr;
}
extern""", 1).replace("    float *d;", """    float *d;
    pthread_t thread;
    static int started;
    if (N > 10001 && started++ < 4)  // the timed calls, whose buffers stay mapped
        pthread_create(&thread, nullptr, look, (void *)x);
""")


def test_threads_stand_still_too(judge):
    """Timed calls whose process has busy threads when it is stopped for the fill."""
    problem(judge)
    judge.start()
    got = judge.submit_json(judge.write("threads.cu", THREADS), status=0)
    assert got["verdict"] == "accepted", got
