"""`warpjudge problem check`: the guide's example is sound, and each way of being unsound that
we know of is refused with its own sentence. The planted faults alter one thing of the example
in docs/problem-format.md, so that the guide itself is tested, too."""
import copy
import json
import os
import pty
import re
import signal
import subprocess

from harness import BACKSTOP_S, ROOT, await_that

GUIDE = (ROOT / "docs/problem-format.md").read_text()
SPEC = json.loads(re.search(r"```json\n(.*?)```", GUIDE, re.S).group(1))
REFERENCE = re.search(r"```c\n(.*?)```", GUIDE, re.S).group(1)
EXAMPLE = re.search(r"^(    ## Example\n.*?)\n(?=\S)", GUIDE, re.S | re.M).group(1)
STATEMENT = "# Row Scaling\n\n" + re.sub(r"^    ", "", EXAMPLE, flags=re.M) + "\n"
KERNEL = """#include <cuda_runtime.h>
__global__ void scale(const float *input, const float *factor, float *output, int rows, int cols)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;

    if (i < (long)rows * cols)
        output[i] = input[i] * factor[FACTOR];
}
extern "C" void solve(const float *input, const float *factor, float *output, int rows, int cols)
{
    int blocks = (int)(((long)rows * cols + 255) / 256);

    scale<<<blocks, 256>>>(input, factor, output, rows, cols);
    cudaDeviceSynchronize();
}
"""
RIGHT = KERNEL.replace("FACTOR", "i / cols")
WRONG = KERNEL.replace("FACTOR", "i % rows")


def write(judge, spec=SPEC, statement=STATEMENT, reference=REFERENCE, slug="row-scaling",
          **files):
    """The folder problems/SLUG, and solutions/SLUG with `files` (name="text")."""
    folder = judge.home / "problems" / slug
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "problem.json").write_text(json.dumps(spec))
    (folder / "statement.md").write_text(statement)
    if reference is not None:
        (folder / "reference.c").write_text(reference)
    solutions = judge.home / "solutions" / slug
    solutions.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        place = folder if name == "reference_cu" else solutions
        (place / f"{name.replace('reference_cu', 'reference')}.cu").write_text(text)
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "problems")


def errors(judge, slug="row-scaling", status=2):
    run = judge.cli("problem", "check", slug, "--json", status=status)
    problem, = json.loads(run.stdout)["problems"]
    assert problem["problem"] == slug and "judge_failure" not in problem, problem
    return [(e["where"], e["sentence"]) for e in problem["errors"]]


def refused(judge, where, *parts, **folder):
    """The one thing wrong with the folder is at `where`, and says every part."""
    write(judge, **folder)
    found = errors(judge)
    assert any(w == where and all(p in s for p in parts) for w, s in found), (
        where, parts, found)
    return found


def spec_with(**changes):
    spec = copy.deepcopy(SPEC)
    spec.update(changes)
    return spec


def with_values(**values):
    """Every test and benchmark draws these inputs so."""
    spec = copy.deepcopy(SPEC)
    for param in spec["params"]:
        if param["name"] in values:
            param["values"] = values[param["name"]]
    for test in spec["tests"]:
        test.pop("values", None)
    return spec


def test_the_guides_example_is_sound(judge):
    write(judge, reference_cu=RIGHT,
          right="// warpjudge: row-scaling\n// expect: accepted\n" + RIGHT,
          wrong="// expect: wrong_answer\n" + WRONG)
    run = judge.cli("problem", "check", "row-scaling", status=0)
    assert "row-scaling: no errors" in run.stdout and "2 solutions" in run.stdout, run.stdout
    assert run.stderr == "", run.stderr
    said = json.loads(judge.cli("problem", "check", "--all", "--json", status=0).stdout)
    assert [p["problem"] for p in said["problems"]] == ["row-scaling"], said
    assert said["problems"][0]["ok"] and said["problems"][0]["solutions"] == 2, said


def test_tags_are_of_one_vocabulary(judge):
    """Where a vocabulary lies beside the folders. The judge itself takes the problem all the same."""
    write(judge, SPEC | {"tags": ["elementwise", "matrices"]}, right="// expect: accepted\n" + RIGHT)
    vocabulary = judge.home / "problems/vocabulary.json"
    vocabulary.write_text(json.dumps({"tags": {"elementwise": "One by one.", "matrix": "Rows and columns."}}))
    assert (found := errors(judge)) == [("problem.json: $.tags[1]",
                                        'there is no tag "matrices": did you mean "matrix"?')], found
    vocabulary.write_text('{"tags": {"elementwise": 1}')
    [(where, _)] = errors(judge)
    assert where.endswith("../vocabulary.json"), where
    judge.start()
    assert judge.api("GET", "/api/v1/problems")[1]["problems"][0]["tags"] == ["elementwise", "matrices"]


def test_wrong_answers_that_pass(judge):
    passes = "passes every test"
    refused(judge, "problem.json: $.tests", "output of all zeros", passes, "$.accepts.zeros",
            spec=spec_with(compare={"mode": "close", "atol": 50, "rtol": 0}))
    found = refused(judge, "problem.json: $.tests", "rounded to fp16",
                    f"{passes} and the benchmark's check", "$.accepts.fp16",
                    spec=spec_with(compare={"mode": "close", "atol": 0, "rtol": 0.01}))
    assert len(found) == 1, found
    same = {"uniform": [2.999, 3.001]}
    refused(judge, "problem.json: $.tests", "its mean in every element", passes,
            spec=with_values(input=same, factor=same) |
            {"compare": {"mode": "close", "atol": 0, "rtol": 0.01}})
    refused(judge, "problem.json: $.tests", "output as a copy of input", passes,
            spec=with_values(factor={"constant": 1}))
    refused(judge, "problem.json: $.tests", "NaN in the middle", passes,
            reference=REFERENCE.replace("input[i * cols + j] * factor[i]", "0.0f / 0.0f"))
    refused(judge, "problem.json: $.tests", "no test can tell a computation in fewer bits",
            spec=with_values(input={"integers": [-10, 10]}, factor={"integers": [1, 2]}))
    found = refused(judge, "problem.json: $.benchmark.emu", "output of all zeros",
                    "$.accepts.benchmark_zeros",
                    spec=spec_with(compare={"mode": "close", "atol": 1e-6, "rtol": 1e-6,
                                            "benchmark": {"atol": 50, "rtol": 0}}))
    assert all(where == "problem.json: $.benchmark.emu" for where, _ in found), found


def test_what_hangs_on_rounding(judge):
    """An answer that turns on the last bit is refused, unless the spec says why it may."""
    product = "input[i * cols + j] * factor[i]"
    circle = REFERENCE.replace(product, f"""{product} *
                (input[i * cols + j] * input[i * cols + j] + factor[i] * factor[i] < 25 ? 1 : -1)""")
    assert circle != REFERENCE
    spec = copy.deepcopy(SPEC)
    for call in [*spec["tests"], *spec["benchmark"].values()]:
        if not call.get("sample"):
            call["values"] = {"input": {"formula": "sqrt(25 - factor[i0] * factor[i0])"}}
    refused(judge, "problem.json: $.tests", "with fused multiply-adds", "is expected",
            "keep the inputs away", reference=circle, spec=spec)
    # What is left of a sum that cancels is exact in double, and lost in float.
    cancels = REFERENCE.replace(f"output[i * cols + j] = {product};", f"""{{
                volatile double sum = (double){product} + 1e9;

                output[i * cols + j] = (float)(sum - 1e9);
            }}""")
    spec = spec_with(compare={"mode": "close", "atol": 1e-5, "rtol": 1e-5})
    found = refused(judge, "problem.json: $.tests", "with float for double", "$.accepts.float",
                    reference=cancels, spec=spec)
    assert len(found) == 1, found
    write(judge, reference=cancels, spec=spec | {"accepts": {"float": "a test of the check"}})
    judge.cli("problem", "check", "row-scaling", status=0)


def test_solutions_without_fused_multiply_adds(judge):
    """A solution that is right only as nvcc contracts by default is a fault of the problem's."""
    right = "output[i] = input[i] * factor[i / cols];"
    kernel = RIGHT.replace(right, f"""{{
        float x = input[i] + 3, y = factor[i / cols];

        {right}
        if (x * y + 1 != __fmaf_rn(x, y, 1)) /* the product was rounded */
            output[i] += 1;
    }}""")
    assert kernel != RIGHT
    refused(judge, "solutions/row-scaling/right.cu:1", "must be accepted without fused multiply-adds",
            "--fmad=false", "wrong_answer", right="// expect: accepted\n" + kernel)


def test_exemptions(judge):
    wide = {"mode": "close", "atol": 0, "rtol": 0.01}
    write(judge, spec=spec_with(compare=wide, accepts={"fp16": "a test of the check"}))
    judge.cli("problem", "check", "row-scaling", status=0)
    refused(judge, "problem.json: $.accepts.benchmark_fp16",
            "is not needed: $.accepts.fp16 is for the benchmark, too",
            spec=spec_with(compare=wide, accepts={"fp16": "a test", "benchmark_fp16": "the same"}))
    wide = {"mode": "close", "atol": 1e-6, "rtol": 1e-6,
            "benchmark": {"atol": 0, "rtol": 0.01}}
    write(judge, spec=spec_with(compare=wide, accepts={"benchmark_fp16": "the same"}))
    judge.cli("problem", "check", "row-scaling", status=0)
    refused(judge, "problem.json: $.accepts.zeros", "is not needed",
            spec=spec_with(accepts={"zeros": "no reason at all"}))
    refused(judge, "problem.json: $.accepts.copy", "is not needed for output",
            spec=spec_with(accepts={"copy": {"output": "no reason at all"}}))
    spec = spec_with(accepts={"benchmark_copy": {"output": "a test of the check"}})
    spec["benchmark"]["emu"]["values"] = {"factor": {"constant": 1}}
    write(judge, spec=spec)
    judge.cli("problem", "check", "row-scaling", status=0)
    del spec["accepts"]
    refused(judge, "problem.json: $.benchmark.emu", "output as a copy of input", spec=spec)


def test_examples(judge):
    def refused_line(old, new, *parts):
        assert old in STATEMENT
        text = STATEMENT.replace(old, new)
        line = next(i for i, (a, b) in enumerate(
            zip(STATEMENT.splitlines(), text.splitlines()), 1) if a != b)
        refused(judge, f"statement.md:{line}", *parts, statement=text)

    refused_line("output = [[2, 4, 6]", "output = [[2, 4, 6.5]",
                 "output[0][2] is 6.5 here, but the reference's is 6")
    refused_line("input  = [[1, 2, 3]", "input  = [[1, 9, 3]",
                 "input[0][1] is 9 here, but the test's is 2")
    refused_line("factor = [2, 0.5]", "factor = [2, 0.5, 1]",
                 "factor has 3 numbers here, but 2 in the test")
    refused_line("factor = [2, 0.5]", "factor = 2 0.5", "factor", '"0.5"', "[1, 2, 3]")
    refused_line("rows = 2", "rows = 4", "rows is 4 here, but 2 in the test")
    refused(judge, "statement.md:5", "factor is missing",
            statement=STATEMENT.replace("factor = [2, 0.5]", "faktor = [2, 0.5]"))
    refused(judge, "statement.md", "has no worked example", statement="# Row Scaling\n")


def test_references(judge):
    last = REFERENCE.replace("i < rows", "i < rows - (rows > 3)")
    refused(judge, "reference.c", "test 5", "output comes out differently", "does solve() write all of them",
            reference=last)
    counts = REFERENCE.replace("{\n", "{\n    static int calls;\n    calls++;\n", 1).replace(
        "factor[i];", "factor[i] + calls;")
    refused(judge, "reference.c", "output comes out differently", "keep something from call to call",
            reference=counts)
    refused(judge, "reference.c", "was ended by SIGABRT: it called abort", "(rows=2, cols=3)",
            reference="#include <stdlib.h>\n" + REFERENCE.replace("{\n", "{\n    abort();\n", 1))
    first = 2 + REFERENCE[:REFERENCE.index("{\n")].count("\n")
    line = 1 + REFERENCE[:REFERENCE.index("factor[i]")].count("\n")
    refused(judge, f"reference.c:{line}", "was ended by SIGSEGV: it read or wrote outside its buffers",
            f"line {line} reads", "AddressSanitizer",
            reference=REFERENCE.replace("factor[i]", "factor[i * 1000000000]"))
    # A few bytes too far, where nothing crashes.
    refused(judge, f"reference.c:{line}", "writes behind the last element of output (rows=2, cols=3)",
            f"line {line} reads 4 bytes out of bounds of input (AddressSanitizer: heap-buffer-overflow)",
            reference=REFERENCE.replace("j < cols", "j < cols + (i == rows - 1)"))
    refused(judge, f"reference.c:{first}", "writes behind the last element of factor",
            "writes 4 bytes out of bounds of factor",
            reference=REFERENCE.replace("{\n", "{\n    ((float *)factor)[rows] = 1;\n", 1))
    refused(judge, "reference.c", "changes factor, which is an input",
            reference=REFERENCE.replace("{\n", "{\n    ((float *)factor)[0] = 1;\n", 1))
    found = refused(judge, f"reference.c:{line}", "output comes out differently", "solve() reads factor beyond its end",
                    f"line {line} reads 4 bytes out of bounds of factor",
                    reference=REFERENCE.replace("factor[i];", "factor[i + 1];"))
    assert len(found) == 1, found  # what follows from it is not told
    refused(judge, "reference.c", "does not compile", "reference.c:",
            reference=REFERENCE.replace("factor[i]", "faktor[i]"))
    refused(judge, "reference.cu", "must be accepted, but is wrong_answer", "rows=",
            reference_cu=WRONG)


CHECKER = """#include <math.h>
void check(struct check *check, const float *input, const float *factor, const float *want_output,
           const float *output, int rows, int cols)
{
    for (long i = 0; i < (long)rows * cols; i++)
        if (!(fabs((double)output[i] - want_output[i]) <= 1e-6 + 1e-6 * fabs(want_output[i])))
            check_fail(check, "output", i, "%g is not %g", output[i], want_output[i]);
}
"""
INPUTS = """void inputs(struct draws *draws, const char *variant, float *input, float *factor, int rows,
            int cols)
{
    for (long i = 0; i < (long)rows * cols; i++)
        input[i] = (float)draw_uniform(draws, -10, 10);
}
"""


def test_the_authors_other_programs(judge):
    spec = spec_with(compare={"mode": "checker"})
    spec["params"][0]["values"] = "inputs.c"
    folder = judge.home / "problems" / "row-scaling"

    def programs(inputs=INPUTS, checker=CHECKER, status=2):
        write(judge, spec=spec)
        (folder / "inputs.c").write_text(inputs)
        (folder / "checker.c").write_text(checker)
        return errors(judge, status=status)

    def told(found, where, *parts):
        assert len(found) == 1 and found[0][0] == where, found
        assert all(part in found[0][1] for part in parts), found

    assert programs(status=0) == []
    broken = "{\n    __builtin_trap();"
    told(programs(inputs=INPUTS.replace("{", broken, 1)), "inputs.c", "SIGILL")
    told(programs(checker=CHECKER.replace("{", broken, 1)), "checker.c", "SIGILL")
    told(programs(inputs=INPUTS.replace("draws, -10", "drawn, -10")), "inputs.c",
         "does not compile", "drawn")
    told(programs(checker=CHECKER.replace("want_output[i]);", "wanted);")), "checker.c",
         "does not compile", "wanted")
    told(programs(inputs=INPUTS.replace("{", "{ factor[0] = 7;", 1)), "inputs.c", "factor")
    told(programs(checker=CHECKER.replace('"output"', '"outptu"').replace("!(", "(")),
         "checker.c", 'names "outptu", which is no output')
    told(programs(checker=CHECKER.replace("!(", "(")), "checker.c", "test 1 (rows=2, cols=3)",
         "the reference's own output is not taken for right", "2 is not 2")
    found = programs(checker=CHECKER.replace("(long)rows * cols", "(long)rows * cols - 1"))
    assert any("wrong last element passes every test" in s for _, s in found), found
    found = programs(checker=CHECKER.replace("if (!(", "if ((").replace("<= 1e-6", "> 1e-6"))
    assert any("NaN in the middle passes every test" in s for _, s in found), found


def test_sizes_and_work(judge):
    def without(rows):
        return [t for t in SPEC["tests"] if t["rows"] != rows and t["cols"] != rows]

    refused(judge, "problem.json: $.tests", "no size is 1 in any test",
            spec=spec_with(tests=without(1)))
    even = [t for t in SPEC["tests"] if t["rows"] % 2 == 0 or t["rows"] == 1]
    # The spec comes first: neither the reference nor the solution has run yet.
    found = refused(judge, "problem.json: $.tests", "rows is never an odd number above 1",
                    spec=spec_with(tests=even), reference=REFERENCE.replace("{\n", "{\n    *output = 1;\n    if (rows) return;\n", 1),
                    right="// expect: accepted\n" + WRONG)
    assert len(found) == 1, found
    run = judge.cli("problem", "check", "row-scaling", status=2)
    assert "nothing was run: mend problem.json first" in run.stdout, run.stdout
    (judge.home / "solutions/row-scaling/right.cu").unlink()
    write(judge, spec=spec_with(tests=even, accepts={"sizes": "a test of the check"}))
    judge.cli("problem", "check", "row-scaling", status=0)
    small = {"cuda": {"rows": 1, "cols": 5}, "emu": SPEC["benchmark"]["emu"]}
    refused(judge, "problem.json: $.benchmark.cuda", "1 ms", "$.accepts.short_benchmark",
            spec=spec_with(benchmark=small))
    small = {"cuda": SPEC["benchmark"]["cuda"], "emu": {"rows": 2, "cols": 5}}
    refused(judge, "problem.json: $.benchmark.emu", "too little", "at least 0.066 MB or 0.1 MFLOP",
            "$.accepts.emu_benchmark",
            spec=spec_with(benchmark=small))
    large = {"cuda": {"rows": 90000, "cols": 20000}, "emu": SPEC["benchmark"]["emu"]}
    refused(judge, "problem.json: $.benchmark.cuda", "33.5 GiB", "$.limits.memory_mib",
            spec=spec_with(benchmark=large))
    write(judge, spec=spec_with(benchmark=large, limits={"memory_mib": 40000}))
    judge.cli("problem", "check", "row-scaling", status=0)
    spec = copy.deepcopy(SPEC)
    del spec["work"]
    refused(judge, "problem.json: $", '"work"', spec=spec)


def test_solutions(judge):
    name = "solutions/row-scaling/k.cu"
    refused(judge, f"{name}:1", "must be accepted, but is wrong_answer", "test ",
            k="// expect: accepted\n" + WRONG)
    refused(judge, f"{name}:2", "must be wrong_answer, but is accepted",
            k="\n// expect: wrong_answer\n" + RIGHT)
    refused(judge, name, "does not say which verdict", k=RIGHT)
    refused(judge, f"{name}:1", '"right" is no verdict', "accepted, wrong_answer, ", k="// expect: right\n" + RIGHT)
    refused(judge, name, "says that it is for softmax",
            k="// warpjudge: softmax\n// expect: accepted\n" + RIGHT)
    write(judge, k="// expect: accepted\n// expect-emu: wrong_answer\n" + WRONG)
    judge.cli("problem", "check", "row-scaling", status=0)
    write(judge, k="// expect: any\n" + WRONG)
    judge.cli("problem", "check", "row-scaling", status=0)
    # Neither the wrong solution nor the step is judged.
    write(judge, k="// expect: wrong_answer\n" + RIGHT, **{"1-step": "// expect: accepted\n" + WRONG})
    judge.cli("problem", "check", "row-scaling", "--fast", status=0)
    run = judge.cli("problem", "check", "row-scaling", "--fast", "--sample", status=2)
    assert "say --fast or --sample, not both" in run.stderr, run.stderr


def test_what_needs_a_newer_gpu_is_only_compiled(judge):
    """Its answer is wrong, which is not found where nothing runs."""
    newer = WRONG.replace("    if (i <", """#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "compiled for an older GPU"
#endif
    if (i <""")
    write(judge, k="// needs: sm_90a\n// expect: accepted\n" + newer)
    judge.cli("problem", "check", "row-scaling", status=0)
    name = "solutions/row-scaling/k.cu"
    refused(judge, f"{name}:2", "compiled for an older GPU",
            k="// needs: sm_80\n// expect: accepted\n" + newer)
    refused(judge, f"{name}:2", "must be accepted, but is compile_error",
            k="// needs: sm_90a\n// expect: accepted\n" + newer.replace("rows", "rws", 1))
    refused(judge, f"{name}:1", '"hopper" is no architecture', k="// needs: hopper\n// expect: accepted\n" + newer)


def test_a_failure_of_the_judge_is_not_the_authors(judge):
    write(judge, k="// expect: accepted\n" + RIGHT)
    broken = {"WARPJUDGE_NVCC": "/nonexistent/nvcc"}
    run = judge.cli("problem", "check", "row-scaling", status=4, env=broken)
    assert "the judge failed, not the problem" in run.stdout and "nvcc" in run.stdout, run.stdout
    run = judge.cli("problem", "check", "row-scaling", "--json", status=4, env=broken)
    problem, = json.loads(run.stdout)["problems"]
    assert problem["errors"] == [] and "nvcc" in problem["judge_failure"], problem


def test_many_problems_are_told_in_order(judge):
    for slug in ("alpha", "beta", "gamma"):
        write(judge, slug=slug)
    write(judge, slug="beta", statement="# Nothing\n")
    run = judge.cli("problem", "check", "--all", "-j", "2", status=2)
    heads = [line for line in run.stdout.splitlines() if not line.startswith(" ")]
    assert [h.split(":")[0] for h in heads[:3]] == ["alpha", "beta", "gamma"], run.stdout
    assert heads[3] == "without an accepted solution: alpha, beta, gamma", run.stdout
    assert heads[4] == "without a wrong solution: alpha, beta, gamma", run.stdout
    assert "3 problems in" in heads[5] and "1 error in 1 of 3 problems" in run.stderr, run
    judge.cli("problem", "check", "alpha", "gamma", status=0)
    run = judge.cli("problem", "check", status=2)
    assert "name the problems to check" in run.stderr, run.stderr


def test_an_interrupted_check_leaves_nothing(judge):
    scratch = judge.home / "tmp"
    scratch.mkdir()
    for k in range(8):
        write(judge, slug=f"slow-{k}", reference_cu=RIGHT + f"// {k}\n")
    run = subprocess.Popen([judge.bin, "problem", "check", "--all"], text=True,
                           env={**judge.env, "TMPDIR": str(scratch)},
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    await_that(lambda: list(scratch.glob("warpjudge-check-*/*")), "it has begun")
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=BACKSTOP_S)
    assert run.returncode == 128 + signal.SIGINT, (run.returncode, out, err)
    assert not list(scratch.iterdir()), list(scratch.iterdir())


# --- problem new ---------------------------------------------------------------------------

NEW = [
    ("halves", "void solve(const float* A, float* B, int N)",
     "for (long i = 0; i < N; i++) B[i] = A[i] / 2;"),
    ("row-means", "extern \"C\" void solve(const float A[M][N], float B[M], int M, int N);",
     "for (long i = 0; i < M; i++) { double s = 0;"
     " for (long k = 0; k < N; k++) s += A[i * N + k]; B[i] = s / N; }"),
    ("products", "void solve(const double A[M][K], const double B[K][N], double C[M][N],"
     " int M, int N, int K)",
     "for (long i = 0; i < M; i++) for (long j = 0; j < N; j++) { double s = 0;"
     " for (long k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j]; C[i * N + j] = s; }"),
    ("reversal", "void solve(int* data, int N)",
     "for (long i = 0; i < N / 2; i++) { int t = data[i]; data[i] = data[N - 1 - i];"
     " data[N - 1 - i] = t; }"),
    ("bytes", "void solve(const uint8_t image[H][W][3], uint8_t grey[H][W], int W, int H)",
     "for (long i = 0; i < (long)W * H; i++)"
     " grey[i] = (image[3 * i] + image[3 * i + 1] + 2 * image[3 * i + 2]) / 4;"),
]


def fill_reference(folder, body):
    path = folder / "reference.c"
    path.write_text(path.read_text().replace("{\n}", "{\n" + body + "\n}"))


def test_a_new_problem_is_sound_with_its_reference(judge):
    problems = judge.home / "problems"
    problems.mkdir()
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    for slug, signature, body in NEW:
        run = judge.cli("problem", "new", slug, "--signature", signature, status=0)
        assert f"warpjudge problem check {slug}" in run.stdout, run.stdout
        assert "?" in (problems / slug / "statement.md").read_text()
        assert errors(judge, slug), "a reference that does nothing is not refused"
        assert "?" in (problems / slug / "statement.md").read_text()
        fill_reference(problems / slug, body)
        run = judge.cli("problem", "check", slug, status=2)
        assert "the question mark is filled in" in run.stdout, run.stdout
        assert "1 error" in run.stdout and "statement.md:3: still reads as" in run.stdout, run.stdout
        text = (problems / slug / "statement.md").read_text()
        assert "?" not in text, text
        text = text.replace("Say here what `solve` computes", "What `solve` computes is in its name")
        (problems / slug / "statement.md").write_text(text)
        judge.cli("problem", "check", slug, status=0)
        assert (problems / slug / "statement.md").read_text() == text


def test_new_problems_that_cannot_be(judge):
    problems = judge.home / "problems"
    problems.mkdir()
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    good = "void solve(const float* A, float* B, int N)"
    judge.cli("problem", "new", "first", "--signature", good, status=0)
    for arguments, said in [
            (("first", "--signature", good), "is there already, and is left as it is"),
            (("Bad_Name", "--signature", good), "cannot be a problem's name"),
            (("../evil", "--signature", good), "cannot be a problem's name"),
            (("second",), "say --signature, or answer on a terminal"),
            (("second", "--signature", "void solve(float)"), "no type or no name"),
            (("second", "--signature", good.replace("solve", "halve")), "must be called solve"),
            (("second", "--signature", "void solve(const float* A, float* B, int M, int N)"),
             "the size of A is not clear"),
            (("second", "--signature", "void solve(const float A[M], float B[M], int N)"),
             'unknown name "M"'),
            (("second", "--signature", good, "--difficulty", "tough"), 'not "tough"'),
            (("second", good), f"a signature follows --signature: `warpjudge problem new second --signature '{good}'`"),
            ((), "name one new problem")]:
        run = judge.cli("problem", "new", *arguments, status=2)
        assert said in run.stderr, (arguments, run.stderr)
    assert [p.name for p in problems.iterdir()] == ["first"]
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "nowhere")
    run = judge.cli("problem", "new", "second", "--signature", good, status=2)
    assert f"{judge.home}/nowhere is not there: make it" in run.stderr, run.stderr


def test_a_new_problem_asks_on_a_terminal(judge):
    problems = judge.home / "problems"
    problems.mkdir()
    ours, theirs = pty.openpty()
    run = subprocess.Popen([judge.bin, "problem", "new", "matrix-halves"], stdin=theirs,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env={**judge.env, "WARPJUDGE_PROBLEMS": str(problems)})
    os.close(theirs)
    os.write(ours, b"void solve(const float* A, float* B, int M, int N)\n"
                   b"M, N\n[M][N]\n\nhard\n")
    out, err = run.communicate(timeout=BACKSTOP_S)
    os.close(ours)
    assert run.returncode == 0, (out, err)
    for question in ("signature", "size of A", "size of B", "title [Matrix Halves]", "difficulty"):
        assert question in err, err
    spec = json.loads((problems / "matrix-halves/problem.json").read_text())
    assert spec["title"] == "Matrix Halves" and spec["difficulty"] == "hard", spec
    assert [p.get("shape") for p in spec["params"]] == [["M", "N"], ["M", "N"], None, None]


def test_docs_list_what_rounding_decides(judge):
    """docs/rounding.md has one row for each problem, in order."""
    del judge
    listed = re.findall(r"^\| ([a-z0-9][a-z0-9-]*) \|", (ROOT / "docs/rounding.md").read_text(), re.M)
    slugs = sorted(path.parent.name for path in (ROOT / "problems").glob("*/problem.json"))
    assert [slug for slug in listed if slug != "problem"] == slugs, set(listed) ^ set(slugs)


def test_docs_list_the_poison(judge):
    """docs/outputs.md names each output that holds random bits before a call, and no other."""
    del judge
    text = " ".join((ROOT / "docs/outputs.md").read_text().split())
    listed = {(slug, name) for slug, names in re.findall(r"([a-z0-9-]+) \(([A-Za-z0-9_, ]+)\)", text)
              for name in names.split(", ")}
    poison = {(path.parent.name, p["name"]) for path in (ROOT / "problems").glob("*/problem.json")
              for p in json.loads(path.read_text())["params"]
              if p["dir"] == "out" and p.get("start") != "zeros"}
    assert listed == poison, listed ^ poison
