"""What `run` and `submit` say about costs: the right line, and why."""
import json

from harness import ROOT

# N is 1000000 at the benchmark's size: neighbouring threads are 1000 elements apart.
STRIDED = """// warpjudge: vector-addition
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = (N + 999) / 1000;
    int j = i % rows * 1000 + i / rows;
    if (i < rows * 1000 && j < N)
        C[j] = A[j] + B[j]; // HERE
}
extern "C" void solve(const float *A, const float *B, float *C, int N) {
    add<<<(N + 999) / 1000 * 4, 256>>>(A, B, C, N);
}
"""

# Every warp adds to one address; and at the benchmark's size the kernel goes wrong.
ATOMIC = """// warpjudge: reduction
#include <cuda_runtime.h>
__global__ void add(const float *input, float *output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        atomicAdd(output, input[i]); // HERE
}
extern "C" void solve(const float *input, float *output, int N) {
    cudaMemset(output, 0, sizeof(float));
    add<<<(N + 255) / 256, 256>>>(input, output, N);
}
"""

# One block does all the work.
SERIAL = """// warpjudge: vector-addition
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N) {
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        C[i] = A[i] + B[i]; // HERE
}
extern "C" void solve(const float *A, const float *B, float *C, int N) {
    add<<<1, 256>>>(A, B, C, N);
}
"""

FAULTY = """// warpjudge: vector-addition
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[N > 1000 ? i + 8 : i] + B[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N) {
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
"""


def here(source):
    return next(i + 1 for i, line in enumerate(source.split("\n")) if "// HERE" in line)


def costliest(got):
    kernel = got["counters"]["kernels"][0]
    return kernel, kernel["lines"][0]


def test_strided_accesses_are_explained(judge):
    judge.start()
    path = judge.write("strided.cu", STRIDED)
    got = json.loads(judge.cli("run", "--json", path, status=0).stdout)
    kernel, line = costliest(got)
    assert kernel["name"].startswith("add"), kernel
    assert (line["file"], line["line"]) == ("strided.cu", here(STRIDED)), line
    assert line["text"] == "C[j] = A[j] + B[j]; // HERE", line
    # 32 threads, 32 sectors, where 4 would do; 3 requests for each of 1000000 / 32 warps
    assert line["global_requests"] == 3 * 31250, line
    assert line["global_sectors"] == 3 * 1000000, line
    assert "32 sectors of 32 bytes where 4.0 would do" in line["why"], line
    out = judge.cli("run", path, status=0).stdout
    assert f"strided.cu:{here(STRIDED)}  C[j] = A[j] + B[j];" in out, out
    assert "neighbouring threads" in out and "modelled on emu, not measured" in out, out


def test_atomics_on_one_address_are_explained(judge):
    judge.start()
    path = judge.write("atomic.cu", ATOMIC)
    got = judge.submit_json(path, status=0)
    kernel, line = costliest(got)
    calls = got["counters"]["calls"]
    assert kernel["bound"] == "CONTENTION", kernel
    assert line["line"] == here(ATOMIC), line
    assert line["atomic_requests"] == calls * 31250, line
    assert line["atomic_serial"] == calls * 1000000, line
    assert "32 of the lanes of a warp update one address" in line["why"], line
    out = judge.cli("submit", path, status=0).stdout
    assert f"atomic.cu:{here(ATOMIC)}  atomicAdd(output, input[i]);" in out, out
    assert "bound by atomics on the same addresses" in out and "take turns" in out, out


def test_both_commands_give_the_same_advice(judge):
    judge.start()
    path = judge.write("serial.cu", SERIAL)
    for verb in ("run", "submit"):
        out = judge.cli(verb, path, status=0).stdout
        assert " launches, " not in out, out  # the time is that of one call
        assert "its 1 block leaves most of the GPU idle" in out, out
        assert f"serial.cu:{here(SERIAL)}  C[i] = A[i] + B[i];" in out, out


def test_a_call_for_costs_that_fails_is_told_and_not_judged(judge):
    judge.start()
    path = judge.write("faulty.cu", FAULTY)
    got = json.loads(judge.cli("run", "--json", path, status=0).stdout)
    assert got["verdict"] == "accepted", got
    assert "faulty.cu:6" in got["counters"]["failed"], got["counters"]
    out = judge.cli("run", path, status=0).stdout
    assert "no costs: a call at N=1000000" in out, out


def test_costs_are_the_same_every_time(judge):
    judge.start()
    path = ROOT / "solutions/softmax/1-one-block.cu"
    first = judge.submit_json(path, status=0)["counters"]
    again = judge.submit_json(path, status=0)["counters"]
    assert first == again
