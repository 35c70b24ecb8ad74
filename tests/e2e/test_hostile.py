"""Submissions that attack the judge itself: each must end in a verdict of its own."""
import os
import re
import subprocess

from harness import NVCC, ROOT

BUILD = "asan"

# struct runner_reply begins with an op and a status; RUNNER_DONE is the sixth op.
REPLY_BYTES = int(re.search(r"sizeof\(struct runner_reply\) == (\d+)",
                            (ROOT / "harness/runner/protocol.h").read_text())[1])

ADD = """// warpjudge: vector-addition
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void right(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
"""
SOLVE = 'extern "C" void solve(const float *A, const float *B, float *C, int N)\n'


def submit(judge, name, body, before=""):
    return judge.submit_json(judge.write(name, f"{ADD}{before}{SOLVE}{{\n{body}\n}}\n"))


def test_launches_after_a_forged_done_end_in_time(judge):
    """A queue full of endless launches must not keep the judge waiting for the device."""
    judge.start()
    got = submit(judge, "stall.cu", """
    static int *p;
    static char done[%d] = {6};
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    right(A, B, C, N);
    for (int i = 0; i < 100; i++)
        spin<<<1, 1>>>(p);
    if (write(3, done, sizeof done) > 0)
        sleep(1000);""" % REPLY_BYTES, "__global__ void spin(volatile int *p) { while (*p == 0); }\n")
    # What is waited for is the GPU, or, where the judge was there before the launches, the program.
    assert got["verdict"] == "time_limit", got
    assert "spin" in got["message"] or "could not begin" in got["message"], got


def test_no_other_processes(judge):
    judge.start()
    got = submit(judge, "fork.cu", """
    if (fork() >= 0 || vfork() >= 0 || system("true") == 0)
        abort();
    right(A, B, C, N);""")
    assert got["verdict"] == "accepted", got


def test_leaving_early_is_no_success(judge):
    judge.start()
    got = submit(judge, "exit.cu", "right(A, B, C, N); exit(0);")
    assert got["verdict"] == "runtime_error" and "status 0" in got["message"], got


def test_libraries_that_are_not_linked_cannot_be_opened(judge):
    """A problem that allows no linked library hides the toolkit's from dlopen(), too."""
    root = subprocess.run([ROOT / "mk/cuda-root", NVCC], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()
    judge.start()
    got = judge.submit_json(judge.write("opens.cu", """// warpjudge: vector-addition
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    DIR *d = opendir("LIBRARIES");
    int seen = 0;

    while (d != NULL && readdir(d) != NULL)
        seen++;
    /* Empty, or not there at all (a toolkit outside /usr). The system's own are where they were. */
    exit((d == NULL || seen == 2) && dlopen("libc.so.6", RTLD_NOW) != NULL ? 42 : 43);
}
""".replace("LIBRARIES", os.path.realpath(root + "/lib64"))), status=1)
    assert got["verdict"] == "runtime_error" and "42" in got["message"], got
