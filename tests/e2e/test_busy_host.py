"""A verdict does not depend on what else the host has to do.

Thirty submissions, of every verdict, are judged alone and then beside two busy loops for each CPU.
Each loop has a session of its own, so that Linux gives the judge, with all that it starts, a third
of each CPU. The verdicts must be the same, and so must the modelled times of the same inputs.
"""
import contextlib
import json
import os
import shutil
import subprocess
import sys

from harness import ROOT, SEED

SLOW = "a judge with a third of each CPU takes minutes"
ALONE = "its busy loops would slow every other test"
OWN_CACHE = "what was compiled alone is compiled once more beside the loops"

LOOPS_PER_CPU = 2
CALL_MS = 2500  # of a call, instead of 10 s: what never ends is judged a fourth as long
PATIENCE_S = 3000  # far beyond what it takes; no verdict depends on it

# It ends by itself when the test is gone, however that came about.
LOOP = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for i in range(100000):
        pass
"""

ADD = """
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
"""


def submission(before="", after="", top=""):
    """vector-addition, with statements before the launch and behind it."""
    return f"""
#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>
{ADD}{top}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{{
    {before}
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    {after}
}}
"""


def kernel(body):
    return "__global__ void k(float *p, int n)\n{\n    " + body + "\n}\n"


THREADS = """
    std::vector<std::thread> team;
    std::atomic<long> sum{0};
    for (int t = 0; t < 8; t++)
        team.emplace_back([&sum] {
            for (long i = 0; i < 300000; i++)
                sum += i & 1;
        });
    for (auto &t : team)
        t.join();
"""

CALLBACK = """
    cudaStream_t s;
    cudaStreamCreate(&s);
    static std::atomic<int> called;
    called = 0;
    cudaLaunchHostFunc(s, [](void *) { usleep(20000); called = 1; }, nullptr);
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    if (!called)
        abort();
"""

MANAGED = """
    float *m;
    cudaMallocManaged(&m, 1 << 20);
    for (int i = 0; i < 1 << 18; i++)
        m[i] = 1;
    k<<<64, 256>>>(m, 1 << 14);
    cudaDeviceSynchronize();
    if (m[5] != 2)
        abort();
    cudaFree(m);
"""

# Name: (source or path, problem, verdict).
CASES = {
    "warp-votes": ("tests/kernels/histogramming/warp-votes.cu", "histogramming", "accepted"),
    "mma-pipeline": ("tests/kernels/matrix-multiplication/mma-pipeline.cu", "matrix-multiplication",
                     "accepted"),
    "one-block-softmax": ("solutions/softmax/1-one-block.cu", "softmax", "accepted"),
    "atomic-reduction": ("solutions/reduction/1-atomics.cu", "reduction", "accepted"),
    "tiled-matmul": ("solutions/matrix-multiplication/3-tiled.cu", "matrix-multiplication",
                     "accepted"),
    "host-threads": (submission(THREADS), "limited", "accepted"),
    "short-sleeps": (submission("usleep(150000);"), "limited", "accepted"),
    "many-short-sleeps": (submission("for (int i = 0; i < 100; i++) usleep(500);"), "limited",
                          "accepted"),
    "prints-much": (submission('for (int i = 0; i < 2000; i++) puts("0123456789012345678901234");'),
                    "limited", "accepted"),
    "host-callback": (submission(CALLBACK), "limited", "accepted"),
    "managed-memory": (submission(MANAGED, top=kernel(
        "for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 1 << 14) p[i] += 1;")), "limited",
        "accepted"),
    "many-launches": (submission("for (int i = 0; i < 300; i++) k<<<1, 32>>>(C, 0);",
                                 top=kernel("if (n) p[0] = 1;")), "limited", "accepted"),
    "wrong-last": ("tests/demo/wrong-last.cu", "limited", "wrong_answer"),
    "adds-nothing": (submission(after="cudaMemset(C, 0, N * sizeof(float));"), "limited",
                     "wrong_answer"),
    "does-not-compile": ("tests/demo/does-not-compile.cu", "limited", "compile_error"),
    "other-signature": ("extern \"C\" void solve(int) {}\n", "limited", "compile_error"),
    "deep-template": ("template <int n> struct A { enum { v = A<n - 1>::v }; };\n"
                      "int x = A<-1>::v;\n", "limited", "compile_error"),
    "out-of-bounds": ("tests/demo/out-of-bounds.cu", "limited", "runtime_error"),
    "aborts": (submission("abort();"), "limited", "runtime_error"),
    "failed-assertion": (submission("k<<<1, 32>>>(C, N); cudaDeviceSynchronize();",
                                    top=kernel("assert(n < 0);")), "limited", "runtime_error"),
    "endless-kernel": ("tests/demo/endless.cu", "limited", "time_limit"),
    "endless-host-loop": (submission("for (volatile long i = 0;; i++);"), "limited", "time_limit"),
    "endless-sleep": (submission("for (;;) sleep(1);"), "limited", "time_limit"),
    "endless-launches": (submission("for (;;) k<<<64, 256>>>(C, 200);", top=kernel(
        "for (volatile int i = 0; i < n; i++);")), "limited", "time_limit"),
    "endless-constructor": (submission(top="struct S { S() { for (;;) pause(); } } s;"), "limited",
                            "time_limit"),
    "sleeps-in-each-call": (submission("sleep(2);"), "limited", "time_limit"),
    "takes-all-memory": (submission("void *p; for (;;) if (cudaMalloc(&p, 1 << 30)) break;"),
                         "limited", "memory_limit"),
    "prints-without-end": (submission('for (;;) puts("0123456789012345678901234567890123456789");'),
                           "limited", "output_limit"),
    "closes-the-channel": ("tests/attacks/verdict-closed-channel.cu", "limited", "disqualified"),
    "talks-nonsense": ("tests/attacks/verdict-nonsense.cu", "limited", "disqualified"),
}


def add_problem(judge):
    """vector-addition with a smaller budget, so that what never ends is judged sooner."""
    problems = judge.home / "problems"
    shutil.copytree(ROOT / "problems", problems)
    folder = shutil.copytree(problems / "vector-addition", problems / "limited")
    spec = json.loads((folder / "problem.json").read_text())
    spec["limits"] = {**spec.get("limits", {}), "time_ms": CALL_MS}
    (folder / "problem.json").write_text(json.dumps(spec))
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)


@contextlib.contextmanager
def busy_loops(count):
    loops = [subprocess.Popen([sys.executable, "-c", LOOP, str(os.getpid())], start_new_session=True)
             for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()


def judge_all(judge):
    ids = {}
    for name, (source, problem, _) in CASES.items():
        path = ROOT / source if len(source) < 200 else None
        text = path.read_text() if path and path.is_file() else source
        ids[name] = judge.post(text, problem, user=name)
    return {name: judge.wait_done(ident, PATIENCE_S) for name, ident in ids.items()}


def forget_programs(cache):
    for entry in cache.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def differences(alone, busy):
    for name, (_, _, want) in CASES.items():
        for got in (alone[name], busy[name]):
            if got["verdict"] != want:
                yield f"{name}: {got['verdict']}, not {want}: {got['message']}"
        if alone[name]["time_ns"] != busy[name]["time_ns"]:
            yield f"{name}: {busy[name]['time_ns']} ns, alone {alone[name]['time_ns']} ns"


def test_thirty_submissions_alone_and_beside_busy_loops(judge):
    assert len(CASES) == 30
    add_problem(judge)
    judge.start("--seed", SEED)
    alone = judge_all(judge)
    forget_programs(judge.home / "cache")
    with busy_loops(LOOPS_PER_CPU * os.cpu_count()):
        busy = judge_all(judge)
    wrong = list(differences(alone, busy))
    assert not wrong, "\n".join(wrong)
