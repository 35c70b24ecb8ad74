"""`run` with a case of one's own: its sizes and values, what is wrong with them, and its arrays."""
import json
import struct

from harness import DEMO

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
