"""Rules other than "close" and "exact", as a submitter meets them."""
import json

SPEC = {
    "format": 1, "title": "Three Rules", "difficulty": "easy",
    "params": [
        {"name": "x", "type": "int32", "dir": "in", "shape": ["rows", 4],
         "values": {"distinct_rows": [1, 1000]}},
        {"name": "any", "type": "int32", "dir": "out", "shape": ["rows", 4],
         "compare": {"mode": "unordered"}},
        {"name": "third", "type": "float32", "dir": "out", "shape": ["rows", 4],
         "compare": {"mode": "ulp", "ulp": 1}},
        {"name": "most", "type": "int32", "dir": "out", "shape": ["rows", 4],
         "compare": {"mode": "exact", "may_differ": 0.25}},
        {"name": "rows", "type": "int32", "dir": "scalar", "min": 1},
    ],
    "tests": [{"rows": 1, "sample": True}, {"rows": 3}],
    "benchmark": {"cuda": {"rows": 100000}, "emu": {"rows": 1000}},
}

REFERENCE = """
void
solve(const int *x, int *any, float *third, int *most, int rows)
{
    for (int i = 0; i < 4 * rows; i++) {
        any[i] = most[i] = x[i];
        third[i] = (float)(x[i] / 3.0);
    }
}
"""

SOLUTION = """// warpjudge: three-rules
#include <cuda_runtime.h>
__global__ void go(const int *x, int *any, float *third, int *most)
{
    int row = blockIdx.x, i = 4 * row + threadIdx.x;
    any[i] = x[4 * row + 3 - threadIdx.x];
    third[i] = nextafterf(x[i] / 3.0f, 1e9f);
    most[i] = threadIdx.x == 0 ? -1 : x[i];
}
extern "C" void solve(const int *x, int *any, float *third, int *most, int rows)
{
    go<<<rows, 4>>>(x, any, third, most);
}
"""


def test_modes(judge):
    folder = judge.home / "problems/three-rules"
    folder.mkdir(parents=True)
    (folder / "problem.json").write_text(json.dumps(SPEC))
    (folder / "reference.c").write_text(REFERENCE)
    (folder / "statement.md").write_text("# Three Rules\n")
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "problems")
    judge.start()

    def submit(old="", new="", status=1):
        return judge.submit_json(judge.write("s.cu", SOLUTION.replace(old, new)), status=status)

    assert submit(status=0)["verdict"] == "accepted"
    got = submit("x[4 * row + 3 - threadIdx.x]", "x[4 * row]")
    assert got["verdict"] == "wrong_answer", got
    assert "any[0][0]: this row's values, in any order, are not the expected ones: " in got["message"]
    assert "is missing; 1 of 1 row is wrong" in got["message"], got
    # No element of such a row is wrong by itself.
    assert set(got["failure"]["window"]) == {"from", "got", "want"} and "map" not in got["failure"], got
    got = submit("x[i] / 3.0f", "nextafterf(x[i] / 3.0f, 1e9f)")
    assert got["verdict"] == "wrong_answer" and "third[0][0]" in got["message"], got
    got = submit("threadIdx.x == 0", "threadIdx.x < 2")
    assert got["verdict"] == "wrong_answer" and "most[0][0]" in got["message"], got
    assert got["failure"]["window"]["wrong"] == [[True, True, False, False]], got
    assert got["failure"]["map"]["wrong"] == got["failure"]["wrong"] == 2, got
