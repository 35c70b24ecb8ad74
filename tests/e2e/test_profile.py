"""`profile`: all lines, bounds and limits of a kernel; public inputs, and no place on a board."""
import json
import re

from test_costs import FAULTY, STRIDED, here

# Of 20 lines, each with an effect; the tile's columns are one bank.
TILE = """// warpjudge: vector-addition
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N) {
    __shared__ float tile[32][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = i < N ? A[i] : 0;
    float b = i < N ? B[i] : 0;
    tile[threadIdx.x % 32][threadIdx.x / 32] = a; // HERE
    __syncthreads();
    a = tile[threadIdx.x % 32][threadIdx.x / 32];
    if (a > 1e30f)
        b += 1;
    if (a < -1e30f)
        b -= 1;
    if (b > 1e30f)
        b *= 2;
    if (i < N)
        C[i] = a + b;
}
extern "C" void solve(const float *A, const float *B, float *C, int N) {
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
"""


def profile_json(judge, path, status=0):
    return json.loads(judge.cli("profile", "--json", path, status=status).stdout)


def test_a_profile_tells_all_lines(judge):
    judge.start()
    path = judge.write("tile.cu", TILE)
    got = profile_json(judge, path)
    assert (got["mode"], got["verdict"], got["rank"]) == ("profile", "accepted", None), got
    kernel = got["counters"]["kernels"][0]
    lines = {line["line"]: line for line in kernel["lines"]}
    assert len(lines) == len(kernel["lines"]) > 8, kernel["lines"]
    assert kernel["lines_left"] == 0, kernel
    for name in ("warp_instructions", "global_sectors", "shared_wavefronts"):
        assert sum(line[name] for line in lines.values()) == kernel[name], name
    # Eight warps of a block store 32 words to one bank.
    assert lines[here(TILE)]["shared_wavefronts"] == 32 * lines[here(TILE)]["shared_ideal"], lines
    told = json.loads(judge.cli("run", "--json", path, status=0).stdout)["counters"]["kernels"][0]
    assert len(told["lines"]) == 8 and told["lines_left"] == len(lines) - 8, told


def test_occupancy_has_its_limits(judge):
    judge.start()
    kernel = profile_json(judge, judge.write("tile.cu", TILE))["counters"]["kernels"][0]
    occupancy = kernel["occupancy"]
    assert kernel["shared_bytes"] == 4096, kernel
    # 2048 threads an SM, 32 blocks; 228 KiB of shared memory, of which each block has one more KiB.
    assert occupancy["limits"]["threads"] == 2048 // 256, occupancy
    assert occupancy["limits"]["blocks"] == 32, occupancy
    assert occupancy["limits"]["shared_memory"] == 228 // 5, occupancy
    assert occupancy["blocks"] == min(occupancy["limits"].values()), occupancy
    assert (occupancy["warps"], occupancy["warps_of_sm"]) == (8 * occupancy["blocks"], 64), occupancy


def test_inputs_are_the_same_each_time_and_nothing_is_ranked(judge):
    judge.start()
    path = judge.write("strided.cu", STRIDED)
    first, second = (profile_json(judge, path) for _ in range(2))
    assert first["counters"] == second["counters"], (first, second)
    board = json.loads(judge.cli("rank", "--json", "vector-addition", status=0).stdout)
    assert board["entries"] == [], board
    assert judge.wait_done(first["id"])["mode"] == "profile"


def test_the_report_is_for_people(judge):
    judge.start()
    out = judge.cli("profile", judge.write("tile.cu", TILE), status=0).stdout
    for part in ("kernel add", "speed of light", "occupancy: 64 of 64 warps an SM",
                 "<- the limit", "memory\n", "1.00 would do", "32.0 of 32 lanes",
                 "source lines", f"tile.cu:{here(TILE)}", "modelled on emu, not measured"):
        assert part in out, (part, out)
    assert max(len(line) for line in out.split("\n")) <= 120, out
    assert not re.search(r" +$", out, re.MULTILINE), out
    ident = re.search(r"submission (\d+)", out).group(1)
    assert "speed of light" in judge.cli("status", ident, status=0).stdout


def test_a_wrong_kernel_has_no_profile(judge):
    judge.start()
    wrong = judge.write("wrong.cu", TILE.replace("a + b", "a - b"))
    got = profile_json(judge, wrong, status=1)
    assert got["verdict"] == "wrong_answer" and "counters" not in got, got
    assert "expected C" in judge.cli("profile", wrong, status=1).stdout
    faulty = judge.write("faulty.cu", FAULTY)
    out = judge.cli("profile", faulty, status=0).stdout
    assert "no costs: a call at N=1000000" in out and "faulty.cu:6" in out, out


def test_a_mode_that_is_none_is_refused(judge):
    judge.start()
    status, answer = judge.api("POST", "/api/submissions", {
        "problem": "vector-addition", "source": TILE, "mode": "profiles"})
    assert status == 400 and '"profile" or "sanitize"' in answer["error"], answer


def test_on_emu_sanitizers_are_a_profile_and_nothing_can_be_downloaded(judge):
    judge.start()
    # Each warp reads what the next one writes, without a barrier between them.
    racy = judge.write("racy.cu", TILE.replace(
        "__syncthreads();", "b += tile[0][(threadIdx.x / 32 + 1) % 8] == 3e38f;"))
    got = json.loads(judge.cli("profile", "--sanitize", "--json", racy, status=0).stdout)
    assert (got["mode"], got["rank"]) == ("sanitize", None), got
    assert "race" in [n["kind"] for n in got["notices"]], got["notices"]
    assert got["counters"]["kernels"][0]["name"] == "add", got["counters"]
    assert "(sanitizers)" in judge.cli("history", "--mode", "sanitize", status=0).stdout
    out = judge.cli("profile", "-o", judge.home / "x.ncu-rep", racy, status=2)
    assert "or a `profile` on a GPU" in out.stderr and not (judge.home / "x.ncu-rep").exists(), out
    out = judge.cli("profile", "-o", "x", "--sanitize", racy, status=2)
    assert "makes no report" in out.stderr, out
