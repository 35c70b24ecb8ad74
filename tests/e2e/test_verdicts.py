"""The verdicts of the demo's kernels, what they say, and the board that follows."""
import json
import sqlite3

from harness import DEMO, ROOT, SEED, WAITS

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()


def test_demo_kernels(judge):
    judge.start()
    right = judge.submit_json(DEMO / "right.cu", "--user", "ada", status=0)
    assert right["verdict"] == "accepted" and right["modelled"] is True
    assert right["rank"] == 1 and right["entries"] == 1 and right["percentile"] == 100
    slower = judge.submit_json(DEMO / "slower.cu", "--user", "ben", status=0)
    assert slower["time_ns"] > right["time_ns"], (slower["time_ns"], right["time_ns"])
    assert slower["rank"] == 2 and slower["percentile"] == 0

    wrong = judge.submit_json(DEMO / "wrong-last.cu", status=1)
    assert wrong["verdict"] == "wrong_answer", wrong
    for part in ("C[", "expected", "N="):
        assert part in wrong["message"], wrong["message"]
    broken = judge.submit_json(DEMO / "does-not-compile.cu", status=1)
    assert broken["verdict"] == "compile_error"
    assert "does-not-compile.cu(" in broken["message"], broken["message"]
    outside = judge.submit_json(DEMO / "out-of-bounds.cu", status=1)
    assert outside["verdict"] == "runtime_error"
    for part in ("thread", "block", "out-of-bounds.cu:"):
        assert part in outside["message"], outside["message"]
    endless = judge.submit_json(DEMO / "endless.cu", status=1)
    assert endless["verdict"] == "time_limit" and "test 1" in endless["message"], endless
    board = json.loads(judge.cli("rank", "vector-addition", "--json", status=0).stdout)
    assert [e["user"] for e in board["entries"]] == ["ada", "ben"], board


def test_modelled_time_is_the_same_for_the_same_inputs(judge):
    path = judge.write("waits.cu", WAITS)

    def samples():
        return judge.submit_json(path, status=0)["samples_ns"]

    judge.start("--seed", SEED)
    first = samples()
    assert first == samples()
    judge.stop()
    judge.start()
    drawn, again = samples(), samples()
    assert first != drawn and drawn != again, (first, drawn, again)


def test_no_source_learns_answers_for_its_next_name(judge):
    """tests/attacks/answer-replayed-by-name.cu, as its author would send it: each name has the answers
    that messages have told so far. There are none, and a guess of one is wrong in the next judgement."""
    source = (ROOT / "tests/attacks/answer-replayed-by-name.cu").read_text()
    judge.start()
    for name in ("a.cu", "a=123456=123456=123456=123456.cu"):
        got = judge.wait_done(judge.post(source, "reduction", filename=name))
        assert got["verdict"] == "wrong_answer", got
        assert "a timed call (N=1000000): its outputs are wrong" in got["message"], got
        assert "`warpjudge run` makes one call of this size" in got["message"], got
        for told in ("where", "expected", "output[", "1 of 1"):
            assert told not in got["message"], got


def test_a_seed_that_is_none(judge):
    for seed in ("5eed", "5EED" * 16, SEED + "0"):
        run = judge.cli("serve", f"--seed={seed}", status=2)
        assert "--seed: it must be 64 hexadecimal digits" in run.stderr, run.stderr


def test_the_seed_is_kept_and_told_to_nobody(judge):
    judge.start()
    for n in range(2):
        judge.submit_json(DEMO / "right.cu", status=0)
    judge.submit_json(DEMO / "wrong-last.cu", status=1)
    judge.cli("run", DEMO / "right.cu", status=0)
    judge.submit_json(DEMO / "does-not-compile.cu", status=1)
    db = sqlite3.connect(judge.home / "leaderboard.db")
    seeds = [seed for seed, in db.execute("SELECT seed FROM submissions ORDER BY id")]
    db.close()
    assert seeds[4] is None and len(set(seeds[:4])) == 4, seeds
    assert all(len(seed) == 64 for seed in seeds[:4]), seeds
    for ident in range(1, 5):
        told = json.dumps([judge.api("GET", f"/api/submissions/{ident}"),
                           judge.cli("status", ident, "--json").stdout])
        assert "seed" not in told and seeds[ident - 1] not in told, told
    assert not (judge.home / "cache/timing-secret").exists()


def test_slower_second_entry_does_not_replace_the_first(judge):
    judge.start()
    best = judge.submit_json(DEMO / "right.cu", "--user", "ada", status=0)
    worse = judge.submit_json(DEMO / "slower.cu", "--user", "ada", status=0)
    assert best["best"] and not worse["best"]
    board = json.loads(judge.cli("rank", "vector-addition", "--json", status=0).stdout)
    assert len(board["entries"]) == 1 and board["entries"][0]["submission"] == best["id"]


def test_a_board_says_what_its_marks_mean(judge):
    """A review and a remark, which only a GPU's times get, put into the database."""
    judge.start()
    source = judge.write("right.cu", RIGHT)
    for user in ("ada", "ben"):
        judge.submit_json(source, "--user", user, status=0)
    plain = judge.cli("rank", "vector-addition", status=0).stdout
    assert not any(sign in plain for sign in "*~!"), plain
    assert judge.stop() == 0
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("UPDATE submissions SET review = 1 WHERE id = 1")
    db.execute("UPDATE submissions SET remark = 'the GPU was busy' WHERE id = 2")
    db.commit()
    db.close()
    judge.start()
    board = judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"]
    assert sorted((e["user"], e["review"], e.get("remark")) for e in board) == [
        ("ada", True, None), ("ben", False, "the GPU was busy")], board
    lines = judge.cli("rank", "vector-addition", status=0).stdout.splitlines()
    assert [" *" in line for line in lines if "  ada  " in line] == [True], lines
    assert [" ~" in line for line in lines if "  ben  " in line] == [True], lines
    assert sum(line.startswith("*  ") and "a person should look" in line for line in lines) == 1, lines
    assert sum(line.startswith("~  ") for line in lines) == 1, lines
    assert not any("!" in line for line in lines), lines
    assert "marked for a person" in judge.cli("status", "1", status=0).stdout
    assert "the GPU was busy" in judge.cli("status", "2", status=0).stdout


def test_unknown_ptx_instruction_is_named(judge):
    judge.start()
    got = judge.submit_json(judge.write("odd.cu", """// warpjudge: vector-addition
__global__ void odd() { asm volatile("wgmma.fence.sync.aligned;"); }
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    odd<<<1, 32>>>();
    cudaDeviceSynchronize();
}
"""), status=1)
    # nvcc may refuse it for this architecture, the emulator otherwise: either names it.
    assert "wgmma" in got["message"], got


def test_run_shows_samples_and_does_not_rank(judge):
    judge.start()
    out = judge.cli("run", DEMO / "right.cu", status=0).stdout
    assert "A" in out and "C" in out
    board = json.loads(judge.cli("rank", "vector-addition", "--json", status=0).stdout)
    assert board["entries"] == []


def test_elements_are_called_by_their_names(judge):
    """One past the end, one before the start, a vector, one never written, and two threads on one."""
    cases = {
        "C[i] = A[i + 1]": "reads A[4]; A has 4 elements (4 bytes at 0x",
        "C[i] = (B - 1)[i]": "reads B[-1]; B has 4 elements (4 bytes at 0x",
        "C[i] = ((const float4 *)(A + (i & 0)))[1].x": "A[4]; A has 4 elements (",
        "((float4 *)C)[i / 4 + 1] = float4{}": "writes C[4] to C[7]; C has 4 elements (16 bytes at 0x",
        "C[i] = 1; C[0] = i": "C[0] in global memory at 0x",
    }
    judge.start()
    for i, (statement, says) in enumerate(cases.items()):
        path = judge.write(f"names{i}.cu", RIGHT.replace("C[i] = A[i] + B[i]", statement))
        assert "C[i] = A[i] + B[i]" not in path.read_text()
        out = judge.cli("run", path, status=1).stdout
        assert says in out, (statement, out)


def test_submit_shows_a_sample_that_failed(judge):
    """What was printed in it, too; but nothing once a hidden test has run, and nothing of those that passed."""
    said = RIGHT.replace("#include <cuda_runtime.h>", "#include <cstdio>\n#include <cuda_runtime.h>") \
        .replace("<<<", "<<<printf(\"called with %d\\n\", N) * 0 + ", 1)
    wrong_first = said.replace("A[i] +", "A[i] -")
    wrong_later = said.replace("A[i] +", "(N == 2 ? 0 : A[i]) +")
    judge.start()
    for verb in ("run", "submit"):
        out = judge.cli(verb, judge.write("first.cu", wrong_first), status=1).stdout
        for part in ("called with 4", "  A = [1, 2, 3, 4]\n", "  expected C = [11, 22, 33, 44.5]\n"):
            assert part in out, (part, out)
    for name, source, status in (("later.cu", wrong_later, 1), ("right.cu", said, 0)):
        path = judge.write(name, source)
        assert "called with" not in judge.cli("submit", path, status=status).stdout
        for test in judge.submit_json(path, status=status)["tests"]:
            assert "detail" not in test, test


def test_a_sample_after_hidden_tests_tells_nothing(judge):
    """Test 6 of softmax is a sample. What is printed in it may be of the hidden tests before it."""
    source = (ROOT / "solutions/softmax/1-one-block.cu").read_text()
    at = source.index("{", source.index("solve(")) + 1
    spoilt = "#include <cstdio>\n" + source[:at] + """
    float third = 0;
    static int called;
    if (N >= 3)
        cudaMemcpy(&third, input + 2, sizeof third, cudaMemcpyDeviceToHost);
    printf("the third is %g in call %d\\n", third, ++called);
    if (third == -2)
        return;
""" + source[at:]
    judge.start()
    path = judge.write("spoilt.cu", spoilt)
    for verb, is_told in (("run", True), ("submit", False)):
        out = judge.cli(verb, path, status=1).stdout
        assert "test 6 (N=4)" in out, out
        assert ("the third is -2" in out) == is_told, out
        assert ("around output[" in out) == is_told, out


def test_hidden_tests_show_no_inputs(judge):
    judge.start()
    got = judge.submit_json(DEMO / "right.cu", status=0)
    for test in got["tests"]:
        assert not test.get("detail"), test


def test_a_launch_of_no_blocks_is_a_notice_where_nothing_is_missing(judge):
    judge.start()
    got = judge.submit_json(ROOT / "solutions/reverse-array/no-blocks.cu", status=0)
    assert [n["kind"] for n in got["notices"]] == ["refused_launch"], got["notices"]
    for part in ("(N=1)", "a grid of (0,1,1) blocks", "The outputs are right"):
        assert part in got["notices"][0]["text"], got["notices"]
    assert "a grid of (0,1,1) blocks" in judge.cli("status", str(got["id"]), status=0).stdout
    few = RIGHT.replace("(N + 255) / 256", "N / 256")
    assert few != RIGHT
    wrong = judge.submit_json(judge.write("few.cu", few), status=1)
    assert wrong["verdict"] == "runtime_error", wrong
    assert "a grid of (0,1,1) blocks" in wrong["message"] and "notices" not in wrong, wrong


def test_wrong_beyond_the_source_is_a_remark(judge):
    """Of prefix-sum's tests one is beyond LeetGPU's largest case. A failure there is told, stored and
    marked; the same failure below is a wrong answer."""
    judge.start()
    path = ROOT / "solutions/prefix-sum/two-levels.cu"
    got = judge.submit_json(path, "--user", "ada", status=0)
    for part in ("right up to N=200003; wrong beyond", "test 15 (N=300007): output[", "up to 100000000"):
        assert part in got["remark"], got["remark"]
    assert all(t["verdict"] == "accepted" for t in got["tests"]) and len(got["tests"]) == 14, got["tests"]
    assert got["rank"] == 1 and "right up to N=200003" in judge.cli("status", str(got["id"]), status=0).stdout
    assert "~  there is more" in judge.cli("rank", "prefix-sum", status=0).stdout
    source = path.read_text()
    overrun = source.replace("cudaMalloc(&sums, blocks", "cudaMalloc(&sums, THREADS")
    assert overrun != source
    got = judge.submit_json(judge.write("overrun.cu", overrun), status=0)
    assert "past the end of a buffer of 2048 bytes" in got["remark"], got
    whole = judge.submit_json(ROOT / "solutions/prefix-sum/3-tiles.cu", status=0)
    assert "remark" not in whole and len(whole["tests"]) == 15, whole
    few = judge.submit_json(judge.write("few.cu", source.replace("THREADS 512", "THREADS 256")), status=1)
    assert few["verdict"] == "wrong_answer" and "test 14 (N=200003)" in few["message"], few
