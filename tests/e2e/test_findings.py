"""What went wrong, as data: where, in which test, and what the compilers said. It is what the message
tells, and no more."""
import json
import re
import sqlite3

from harness import DEMO, await_that
from test_rights import Tcp, join

SOLVE = 'extern "C" void solve(const float *A, const float *B, float *C, int N)\n'
ADD = """__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    %s
}
""" + SOLVE + "{ add<<<(N + 255) / 256, 256>>>(A, B, C, N); }\n"


def judged(judge, source, problem="vector-addition", **more):
    return judge.wait_done(judge.post(source, problem, **more))


def test_a_wrong_answer(judge):
    judge.start()
    for mode in ("run", "submit"):
        done = judged(judge, ADD % "if (i < N - 1) C[i] = A[i] + B[i]; else if (i == N - 1) C[i] = 0.5f;", mode=mode)
        assert done["verdict"] == "wrong_answer", done
        failure = done["failure"]
        number, sizes = failure["test"], failure["sizes"]
        count = int(sizes.split("=")[1])
        assert done["message"].startswith(f"test {number} ({sizes}): C[{count - 1}] is 0.5 where "), done
        assert failure["output"] == "C" and failure["index"] == [count - 1], failure
        assert failure["got"] == 0.5 and f"where {failure['want']:g}"[:9] in done["message"], failure
        assert (failure["wrong"], failure["of"]) == (1, count), failure
        assert [t["number"] for t in done["tests"] if t["verdict"] != "accepted"] == [number]
        assert "diagnostics" not in done, done
    done = judged(judge, ADD % "if (i < N) C[i] = nanf(\"\");", mode="run")
    assert done["failure"]["got"] == "NaN" and done["failure"]["wrong"] == done["failure"]["of"], done
    assert "failure" not in judged(judge, (DEMO / "right.cu").read_text())


def test_an_index_of_two_dimensions(judge):
    judge.start()
    done = judged(judge, 'extern "C" void solve(const float *in, float *out, int rows, int cols) {}\n', "matrix-transpose",
                  mode="run")
    assert done["verdict"] == "wrong_answer" and len(done["failure"]["index"]) == 2, done
    place = done["failure"]["output"] + "".join(f"[{i}]" for i in done["failure"]["index"])
    assert place in done["message"], done


# A transpose that is wrong in another way at each of three sizes.
TRANSPOSE = """__global__ void transpose(const float *in, float *out, int rows, int cols)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= cols || y >= rows) return;
    float value = in[y * cols + x];
    if (rows == 1024 && y >= 992) value = 0;                        // the last tile's columns
    if (rows == 8 && cols == 8) value = in[x * rows + y];           // not transposed
    if (rows != 33 || x < cols - 1) out[x * rows + y] = value;      // a boundary that is one too small
}
extern "C" void solve(const float *in, float *out, int rows, int cols)
{
    transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(in, out, rows, cols);
}
"""


def around(judge, rows, cols):
    """What `run` tells of the transpose at this size, with 0, 1, 2, ... as input."""
    case = {"sizes": {"rows": rows, "cols": cols}, "values": {"input": "ramp"}}
    return judged(judge, TRANSPOSE, "matrix-transpose", mode="run", own_case=case)["failure"]


def test_the_grid_around_a_wrong_element(judge):
    judge.start()
    failure = around(judge, 1024, 64)
    window, heat = failure["window"], failure["map"]
    assert failure["index"] == [0, 992] and window["from"] == [0, 988], failure
    assert window["wrong"] == [[False] * 4 + [True] * 5] * 7, window
    assert window["want"][1] == [64 * (988 + k) + 1 for k in range(9)], window
    assert window["got"] == [want[:4] + [0] * 5 for want in window["want"]], window
    assert (heat["rows"], heat["columns"], heat["wrong"], heat["looked_at"]) == (64, 1024, 2047 + 1, 65536), heat
    assert heat["share"] == [[0] * 31 + [100]] * 32 and "three_levels" not in heat, heat
    assert heat["box"] == {"rows": [0, 63], "columns": [992, 1023]}, heat
    failure = around(judge, 8, 8)
    assert failure["window"]["wrong"] == [[row != k for k in range(8)] for row in range(7)], failure
    assert failure["map"]["wrong"] == 56 and failure["map"]["share"][7] == [100] * 7 + [0], failure
    failure = around(judge, 33, 65)
    assert failure["index"] == [64, 0] and failure["map"]["box"] == {"rows": [64, 64], "columns": [0, 32]}, failure
    assert failure["window"]["from"] == [58, 0] and failure["window"]["wrong"] == [[False] * 9] * 6 + [[True] * 9]


def test_a_hidden_test_tells_places_only(judge):
    """No value but that of the first wrong element, and no shares."""
    judge.start()
    done = judged(judge, TRANSPOSE, "matrix-transpose")
    failure = done["failure"]
    assert done["verdict"] == "wrong_answer" and failure["sizes"] == "rows=33, cols=65", done
    assert set(failure["window"]) == {"from", "wrong"} and failure["window"]["wrong"][6] == [True] * 9, failure
    assert failure["map"]["three_levels"] and failure["map"]["share"] == [[0] * 16] * 15 + [[50] * 16], failure


def test_a_timed_call_tells_nothing(judge):
    """Its inputs are secret, so that neither values nor places are told."""
    judge.start()
    source = ADD % "if (i < N) C[i] = A[i] + B[i] + (N == 1000000 && i == 17);"
    done = judged(judge, source)
    assert done["verdict"] == "wrong_answer" and "a timed call" in done["message"], done
    assert "failure" not in done and "diagnostics" not in done, done
    done = judged(judge, ADD % "if (i < N) C[i + (N == 1000000 ? 1 << 28 : 0)] = A[i] + B[i];")
    assert done["verdict"] == "runtime_error" and "diagnostics" not in done, done


def test_faults_and_notices(judge):
    judge.start()
    done = judged(judge, ADD % "C[i] = A[i] + B[i];", mode="run")
    assert done["verdict"] == "runtime_error", done
    fault, = done["diagnostics"]
    assert fault["kind"] == "illegal_address" and fault["severity"] == "error", fault
    assert (fault["file"], fault["line"]) == ("k.cu", 4) and fault["text"] in done["message"], fault
    assert "failure" not in done, done
    race = ADD % ("__shared__ float s[256]; s[threadIdx.x] = i < N ? A[i] + B[i] : 0; "
                  "if (i < N) C[i] = s[threadIdx.x] + 0 * s[255 - threadIdx.x];")
    done = judged(judge, race, mode="run")
    warnings = [d for d in done["diagnostics"] if d["severity"] == "warning"]
    assert [{**n, "severity": "warning"} for n in done["notices"]] == warnings, done
    assert any(d["kind"] in ("race", "uninitialized_read") and d["line"] == 4 for d in warnings), warnings
    stuck = ADD % "if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 96;\"); if (i < N) C[i] = 1;"
    kinds = {d["kind"] for d in judged(judge, stuck, mode="run")["diagnostics"]}
    assert "barrier" in kinds, kinds


def test_compilers(judge):
    judge.start()
    cases = (
        (ADD % "C[i] = b;", [("compiler", "error", "k.cu", 4, 12)], 'identifier "b" is undefined'),
        # A column counts characters, of which a tab is one.
        (ADD % '\tC[i] = "\u00e4"[0] + b;', [("compiler", "error", "k.cu", 4, 22)], 'identifier "b" is undefined'),
        (ADD % "C[i] = b; int x = ;", [("compiler", "error", "k.cu", 4, 12), ("compiler", "error", "k.cu", 4, 23)],
         "expected an expression"),
        ("#include <nope.h>\n", [("compiler", "error", "k.cu", 1, 10)], "nope.h: No such file"),
        (ADD % 'asm("foo.bar;");', [("assembler", "error", "k.cu", 4, None)] * 2, "known instruction"),
        ("int x;\n", [("compiler", "error", "k.cu", None, None)], "there is no function solve in this file"),
    )
    for source, wanted, text in cases:
        done = judged(judge, source)
        assert done["verdict"] == "compile_error", done
        found = [(d["kind"], d["severity"], d.get("file"), d.get("line"), d.get("column")) for d in done["diagnostics"]]
        assert found == wanted and any(text in d["text"] for d in done["diagnostics"]), (found, done)
        assert "failure" not in done and all(d["text"] in done["message"] for d in done["diagnostics"]), done


def test_no_commands_for_terminals(judge):
    """Names of files and texts that compilers quote have no control characters, as messages have none."""
    judge.start()
    quoted = '#line 5 "a\\x1b[2Jb.cu"\n' + ADD % "C[i] = b;", '#error "\x1b]0;title\x07 \x1b[2J"\n'
    for source, wanted in zip(quoted, ("a[2Jb.cu", '#error "]0;title [2J"')):
        done = judged(judge, source)
        first = done["diagnostics"][0]
        assert wanted in (first["file"], first["text"]), done
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", first["file"] + first["text"] + done["message"]), done


def test_who_is_told(judge):
    """Who may see the source; and nobody any more when the account is gone."""
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    ada, ben = join(judge, "ada"), join(judge, "ben")
    idents = [tcp.token("POST", "api/v1/submissions", ada, {"problem": "vector-addition", "source": source})[1]["id"]
              for source in (ADD % "if (i < N) C[i] = 0;", ADD % "C[i] = b;")]
    for ident in idents:
        judge.wait_done(ident)
        own = tcp.token("GET", f"api/v1/submissions/{ident}", ada)[1]
        assert "failure" in own or "diagnostics" in own, own
        for token in (ben, None):
            shown = tcp.token("GET", f"api/v1/submissions/{ident}", token)[1]
            assert "failure" not in shown and "diagnostics" not in shown, shown
        assert "failure" not in json.dumps(judge.api("GET", "/api/v1/submissions")[1])
    assert tcp.token("DELETE", "api/v1/account?name=ada", ada)[0] == 200

    def purged():
        db = sqlite3.connect(judge.home / "leaderboard.db")
        try:
            return db.execute("SELECT count(*) FROM submissions WHERE findings IS NOT NULL").fetchone() == (0,)
        finally:
            db.close()

    await_that(purged, "what quotes the sources is gone")
