"""`run` with a case of one's own: its sizes and values, what is wrong with them, and its arrays."""
import json
import signal
import struct
import subprocess

from harness import DEMO, await_that

WRONG = DEMO / "wrong-last.cu"


def save(path, values, descr="<f4", letter="f"):
    """As numpy.save() writes a vector."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                     struct.pack(f"<{len(values)}{letter}", *values))


def load(path, letter="f"):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    assert start % 64 == 0, data[:start]
    return list(struct.unpack(f"<{(len(data) - start) // 4}{letter}", data[start:]))


def test_a_case_of_ones_own(judge):
    judge.start()
    dump = judge.home / "dump"
    save(judge.home / "b.npy", [0.5, 1, 2, 4, 8])
    got = judge.cli("run", WRONG, "--size", "N=5", "--values", "A=ramp", "--values",
                    f"B={judge.home}/b.npy", "--dump", dump, status=1)
    assert "your case (N=5): C[4] is 0 where 12 is expected" in got.stdout, got.stdout
    assert "1 of 5 elements of C are wrong:\n    C[4] is 0, expected 12\n" in got.stdout, got.stdout
    assert "your case  N=5  wrong answer" in got.stdout, got.stdout
    assert f"wrote {dump}/expected-C.npy" in got.stderr, got.stderr
    assert load(dump / "input-A.npy") == [0, 1, 2, 3, 4] and load(dump / "input-B.npy") == [0.5, 1, 2, 4, 8]
    assert load(dump / "output-C.npy") == [0.5, 2, 4, 7, 0]
    assert load(dump / "expected-C.npy") == [0.5, 2, 4, 7, 12]
    # What is drawn follows from the seed, which is 0 unless it is said.
    drawn = []
    for seed in ((), ("--seed", 0)):
        judge.cli("run", WRONG, "--size", "N=3", *seed, "--dump", dump, status=1)
        drawn.append(load(dump / "input-A.npy"))
    assert drawn[0] == drawn[1], drawn
    # It is no entry, and of others' arrays and of such without nothing is told.
    answer = json.loads(judge.cli("run", WRONG, "--size", "N=1", "--json", status=1).stdout)
    assert answer["own_case"] and answer["tests"][0]["sizes"] == "N=1" and answer["time_ns"] is None, answer
    status, problem = judge.api("GET", f"/api/v1/submissions/{answer['id']}/arrays")
    assert (status, problem["code"]) == (404, "no_arrays"), problem
    for args, words in ((("--size", "N=1", "--size", "N=2"), "names N twice"),
                        (("--values", f"A={judge.home}/b.npy"), "have the shape 5, and A is 4 here"),
                        (("--values", f"A={WRONG}"), f"{WRONG}: it is no .npy file")):
        refused = judge.cli("run", WRONG, *args, status=2)
        assert words in refused.stderr, refused.stderr
    for case, pointer in (({"sizes": {"N": 0}}, "/own_case/sizes/N"), ({"seed": "x"}, "/own_case/seed")):
        status, problem = judge.api("POST", "/api/v1/submissions", {
            "problem": "vector-addition", "source": "int x;", "mode": "run", "own_case": case})
        assert (status, problem["code"], problem["pointer"]) == (400, "invalid_member", pointer), problem
    assert "as it was recorded" in judge.cli("rerun", answer["id"], status=0).stdout


def test_a_hidden_test_says_which_run_has_its_size(judge):
    """And a file may come on standard input, or name its problem by its own name."""
    judge.start()
    late = judge.home / "vector-addition.cu"
    late.write_text(WRONG.read_text().split("\n", 1)[1].replace("i < N - 1", "i < N && i < 30"))
    failed = judge.cli("submit", late, status=1).stdout
    assert f"`warpjudge run {late} --size N=31` tries this size" in failed, failed
    with open(late, encoding="utf-8") as source:
        got = judge.cli("run", "-p", "vector-addition", "-", "--size", "N=31", status=1, stdin=source).stdout
    assert "your case (N=31): C[30] is 0 where" in got, got
    host = judge.home / "host.cu"
    host.write_text("// warpjudge: vector-addition\n"
                    'extern "C" void solve(const float *A, const float *B, float *C, int N) { C[0] = A[0]; }\n')
    got = judge.cli("run", host, status=1).stdout
    assert "SIGSEGV" in got and "host code uses device memory, at or near 0x8100" in got, got


def test_watch_runs_each_save(judge):
    judge.start()
    path, out, err = (judge.home / name for name in ("v.cu", "out", "err"))
    path.write_text(WRONG.read_text())
    with open(out, "wb") as to, open(err, "wb") as errors:
        watch = subprocess.Popen([judge.bin, "watch", "--submit", path], env=judge.env, stdout=to, stderr=errors,
                                 stdin=subprocess.DEVNULL)

    def shows(file, words):
        await_that(lambda: words in file.read_text(), words, file.read_text)

    shows(out, "submission 1,")
    path.write_text("")  # an editor has begun to write
    (judge.home / "new").write_text((DEMO / "right.cu").read_text())
    (judge.home / "new").rename(path)
    shows(out, "since the last save\n  accepted, after wrong answer\n  test 1 (N=4) passes now\n")
    shows(out, "submission 3,")
    assert "it is right, and is submitted" in out.read_text() and "14 of 14 passed" in out.read_text()
    path.write_text((DEMO / "right.cu").read_text().replace("i < N)", "i < N && i < 900000)"))  # N is 1000000 in the costs
    shows(out, "since the last save\n  the call with the benchmark's sizes fails now\n")
    path.unlink()
    shows(err, "v.cu is away: waiting for it")
    judge.stop()
    judge.start()
    path.write_text("\0")
    shows(err, "a NUL byte")
    path.write_text(WRONG.read_text())
    shows(out, "wrong answer, after accepted\n  test 1 (N=4) fails now\n")
    watch.send_signal(signal.SIGINT)
    assert watch.wait() == 0 and "no longer watching" in err.read_text(), err.read_text()
    assert "there is no file" in judge.cli("watch", judge.home / "none.cu", status=2).stderr
