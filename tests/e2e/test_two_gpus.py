"""Problems for two GPUs, on an emulated GPU that answers as two devices."""
from pathlib import Path

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions/tensor-parallel-matmul"


def submit(judge, name, *changes, **more):
    text = (SOLUTIONS / name).read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return judge.submit_json(judge.write("s.cu", text), **more)


def test_memory_of_the_other(judge):
    judge.start()
    got = submit(judge, "in-place.cu", ("cudaDeviceEnablePeerAccess(1, 0);", ""), status=1)
    assert got["verdict"] == "runtime_error", got
    assert "in a buffer of device 1; this is device 0" in got["message"], got
    assert "cudaDeviceEnablePeerAccess" in got["message"], got
    # Access is from one to the other, not back: the sum on GPU 1 needs its own.
    got = submit(judge, "in-place.cu", ("cudaSetDevice(0);\n    cudaDevice", "cudaSetDevice(1);\n    cudaDevice"),
                 ("(1, 0);", "(0, 0); cudaSetDevice(0);"), status=1)
    assert "in a buffer of device 1; this is device 0" in got["message"], got
    got = submit(judge, "wrong-one-way.cu", status=1)
    assert got["verdict"] == "wrong_answer" and "Y1" in got["message"], got
    # One element past the end is seen on the second device, too.
    got = submit(judge, "naive.cu", ("if (i < count)", "if (i <= count)"), status=1)
    assert got["verdict"] == "runtime_error" and "past the end" in got["message"], got


def test_overlap(judge):
    """Two devices take the time of one where the host lets them."""
    judge.start()
    both = submit(judge, "naive.cu", status=0)
    launch = "product<<<grid, block>>>(X[gpu], W[gpu], Y[gpu], M, N, K);"
    each = submit(judge, "naive.cu", (launch, launch + " cudaDeviceSynchronize();"), status=0)
    event = submit(judge, "naive.cu", ("*theirs[2];", "*theirs[2]; cudaEvent_t done; cudaEventCreate(&done);"),
                   (launch, "if (gpu == 1) cudaStreamWaitEvent(0, done, 0); " + launch +
                    " if (gpu == 0) cudaEventRecord(done, 0);"), status=0)
    again = submit(judge, "naive.cu", status=0)
    for got in (both, each, event, again):
        assert got["verdict"] == "accepted", got
    assert both["time_ns"] == again["time_ns"], (both, again)
    assert each["time_ns"] > 1.15 * both["time_ns"], (each, both)
    assert event["time_ns"] == each["time_ns"], (event, each)


CHECKS = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
            abort(); \
        } \
    } while (0)

__device__ int mark;
__global__ void set_mark(int to) { mark = to; }

static void *
elsewhere(void *)
{
    int current = -1;

    CHECK(cudaGetDevice(&current) == cudaSuccess && current == 0);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    return nullptr;
}

static void
look(const float *X0, const float *X1)
{
    int count = 0, current = -1, can = -1, marks[2];
    cudaPointerAttributes a;
    cudaDeviceProp p[2];
    cudaStream_t stream;
    cudaEvent_t zero, one;
    pthread_t thread;
    char id[2][16];
    float ms;

    CHECK(cudaGetDeviceCount(&count) == cudaSuccess && count == 2);
    CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice && cudaSetDevice(-1) == cudaErrorInvalidDevice);
    CHECK(cudaGetDevice(&current) == cudaSuccess && current == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGetDeviceProperties(&p[i], i) == cudaSuccess);
        CHECK(cudaDeviceGetPCIBusId(id[i], 16, i) == cudaSuccess);
        CHECK(cudaDeviceGetByPCIBusId(&current, id[i]) == cudaSuccess && current == i);
    }
    CHECK(memcmp(&p[0].uuid, &p[1].uuid, sizeof p[0].uuid) != 0);
    CHECK(p[0].multiProcessorCount == p[1].multiProcessorCount && p[0].pciBusID != p[1].pciBusID);
    CHECK(cudaPointerGetAttributes(&a, X0) == cudaSuccess && a.device == 0);
    CHECK(cudaPointerGetAttributes(&a, X1) == cudaSuccess && a.device == 1);
    CHECK(a.type == cudaMemoryTypeDevice);
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && can == 1);
    CHECK(cudaDeviceCanAccessPeer(&can, 1, 1) == cudaSuccess && can == 0);
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 2) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1) == cudaSuccess && can == 1);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    CHECK(cudaDeviceDisablePeerAccess(1) == cudaSuccess);

    // The current device is a thread's own.
    CHECK(pthread_create(&thread, nullptr, elsewhere, nullptr) == 0);
    CHECK(pthread_join(thread, nullptr) == 0);
    CHECK(cudaGetDevice(&current) == cudaSuccess && current == 0);

    // Variables are a device's own; streams and events belong to the one they were made on.
    CHECK(cudaEventCreate(&zero) == cudaSuccess);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i) == cudaSuccess);
        set_mark<<<1, 1>>>(10 + i);
    }
    CHECK(cudaStreamCreate(&stream) == cudaSuccess && cudaEventCreate(&one) == cudaSuccess);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i) == cudaSuccess);
        CHECK(cudaMemcpyFromSymbol(&marks[i], mark, sizeof(int)) == cudaSuccess);
    }
    CHECK(marks[0] == 10 && marks[1] == 11);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaStreamGetDevice(stream, &current) == cudaSuccess && current == 1);
    set_mark<<<1, 1, 0, stream>>>(3);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(zero, stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(one, stream) == cudaSuccess && cudaEventRecord(zero, 0) == cudaSuccess);
    CHECK(cudaEventSynchronize(one) == cudaSuccess && cudaEventSynchronize(zero) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&ms, zero, one) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(&ms, one, one) == cudaSuccess);

    // Copies go between the devices, access or not, and name devices that there are.
    float *mine, *theirs, got = 0;
    CHECK(cudaMalloc(&mine, 4) == cudaSuccess && cudaMemset(mine, 0, 4) == cudaSuccess);
    CHECK(cudaMallocAsync(&theirs, 4, stream) == cudaSuccess);
    CHECK(cudaPointerGetAttributes(&a, theirs) == cudaSuccess && a.device == 1);
    CHECK(cudaMemcpy(theirs, X0, 4, cudaMemcpyDefault) == cudaSuccess);
    CHECK(cudaMemcpyPeerAsync(mine, 0, theirs, 1, 4, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaMemcpy(&got, mine, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaMemcpyPeer(mine, 2, theirs, 1, 4) == cudaErrorInvalidDevice);
    float first;
    CHECK(cudaMemcpy(&first, X0, 4, cudaMemcpyDeviceToHost) == cudaSuccess && first == got);
    CHECK(cudaFree(mine) == cudaSuccess && cudaFree(theirs) == cudaSuccess);
    CHECK(cudaEventDestroy(zero) == cudaSuccess && cudaEventDestroy(one) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    cudaGetLastError();
}
"""


def test_what_a_program_sees(judge):
    judge.start()
    got = submit(judge, "naive.cu", ("#define TILE 16\n", "#define TILE 16\n" + CHECKS),
                 ("float *Y[2] =", "look(X0, X1);\n    float *Y[2] ="), status=0)
    assert got["verdict"] == "accepted", got
    # Problems for one GPU have one.
    one = SOLUTIONS.parent / "vector-addition/3-coalesced.cu"
    count = 'int n = 0; cudaGetDeviceCount(&n); if (n != 1 || cudaSetDevice(1) != cudaErrorInvalidDevice || cudaGetLastError() != cudaErrorInvalidDevice) return;'
    text = one.read_text()
    at = text.index("{", text.index("solve("))
    got = judge.submit_json(judge.write("one.cu", text[:at + 1] + count + text[at + 1:]), status=0)
    assert got["verdict"] == "accepted", got
