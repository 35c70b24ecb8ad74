"""inputs.c and checker.c of a problem's folder: what they promise an author."""
import json

SPEC = {
    "format": 1, "title": "Any Peak", "difficulty": "easy",
    "params": [
        {"name": "x", "type": "float32", "dir": "in", "shape": ["N"],
         "values": {"inputs.c": {"uniform": [0, 1]}}},
        {"name": "offset", "type": "int32", "dir": "in", "shape": [1],
         "values": {"integers": [1, 9]}},
        {"name": "state", "type": "int32", "dir": "inout", "shape": ["N"],
         "values": "inputs.c", "compare": {"mode": "exact"}},
        {"name": "peak", "type": "int32", "dir": "out", "shape": [1]},
        {"name": "N", "type": "int32", "dir": "scalar", "min": 1},
    ],
    "compare": {"mode": "checker"},
    "tests": [
        {"N": 4, "sample": True, "values": {"x": {"list": [1, 3, 2, 3]},
                                                "state": {"constant": 5}}},
        {"N": 1}, {"N": 33, "inputs": "many peaks"}, {"N": 1000},
        {"N": 3, "inputs": "keep x", "values": {"x": {"cycle": [1, 0]}}},
    ],
    "benchmark": {"cuda": {"N": 1000000}, "emu": {"N": 10000, "inputs": "many peaks"}},
}

# Two peaks at least, where there is room: the first and last are far apart.
INPUTS = r"""
void
inputs(struct draws *draws, const char *variant, float *x, int *offset, int *state, int N)
{
    int peaks = strcmp(variant, "many peaks") == 0 ? 8
                : strcmp(variant, "keep x") == 0   ? 0
                                                   : 2;

    for (int k = 0; k < peaks; k++)
        x[draw_integer(draws, 0, N - 1)] = 2;
    for (int i = 0; i < N; i++)
        state[i] = offset[0] + (int)draw_uniform(draws, 0, 100);
}
""".replace("void", "#include <string.h>\nvoid", 1)

REFERENCE = """
void
solve(const float *x, const int *offset, int *state, int *peak, int N)
{
    *peak = 0;
    for (int i = 0; i < N; i++) {
        if (x[i] > x[*peak])
            *peak = i;
        state[i] += offset[0];
    }
}
"""

CHECKER = """
void
check(struct check *check, const float *x, const int *offset, const int *before_state,
      const int *want_state, const int *state, const int *want_peak, const int *peak, int N)
{
    for (int i = 0; i < N; i++)
        if (want_state[i] != before_state[i] + offset[0])
            abort();
    if (*peak < 0 || *peak >= N)
        check_fail(check, "peak", 0, "%d is no index of x", *peak);
    else if (x[*peak] != x[*want_peak])
        check_fail(check, "peak", 0, "x[%d] is %g, but x[%d] is %g", *peak, x[*peak],
                   *want_peak, x[*want_peak]);
}
"""

SOLUTION = """// warpjudge: any-peak
#include <cuda_runtime.h>
__global__ void go(const float *x, const int *offset, int *state, int *peak, int N)
{
    int best = 0;
    for (int i = 0; i < N; i++) {
        if (x[i] %s x[best])
            best = i;
        state[i] += offset[0];
    }
    *peak = %s;
}
extern "C" void solve(const float *x, const int *offset, int *state, int *peak, int N)
{
    go<<<1, 1>>>(x, offset, state, peak, N);
}
"""


def problem(judge, spec=SPEC, inputs=INPUTS, checker=CHECKER):
    """A judge with this one problem."""
    folder = judge.home / "problems/any-peak"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("problem.json", json.dumps(spec)), ("reference.c", REFERENCE),
                       ("statement.md", "# Any Peak\n"), ("inputs.c", inputs),
                       ("checker.c", checker)):
        (folder / name).unlink(missing_ok=True)
        if text is not None:
            (folder / name).write_text(text)
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "problems")


def submit(judge, compare, answer, **more):
    return judge.submit_json(judge.write("peak.cu", SOLUTION % (compare, answer)), **more)


def test_every_right_answer(judge):
    problem(judge)
    judge.start()
    for compare in (">", ">="):  # the first peak, as the reference, or the last
        got = submit(judge, compare, "best", status=0)
        assert got["verdict"] == "accepted", got
    run = judge.cli("run", judge.write("peak.cu", SOLUTION % (">", "best")), status=0)
    assert "x = [1, 3, 2, 3]" in run.stdout, run.stdout


def test_wrong_answers(judge):
    problem(judge)
    judge.start()
    got = submit(judge, "<", "best", status=1)
    assert got["verdict"] == "wrong_answer", got
    assert "test 1 (N=4): peak[0]: x[0] is 1, but x[1] is 3" in got["message"], got
    got = submit(judge, ">", "N + best", status=1)
    assert got["verdict"] == "wrong_answer" and "is no index of x" in got["message"], got
    state = SOLUTION.replace("state[i] += offset[0]", "state[i] = offset[0]")
    got = judge.submit_json(judge.write("s.cu", state % (">", "best")), status=1)
    assert got["verdict"] == "wrong_answer" and "state[0]" in got["message"], got


def test_checker_that_crashes(judge):
    """A submission's garbage makes it crash: that is wrong, and no failure of the judge's."""
    careless = CHECKER.replace("*peak < 0 || *peak >= N", "0")
    problem(judge, checker=careless)
    judge.start()
    got = submit(judge, ">", "best + 1000000000", status=1)
    assert got["verdict"] == "wrong_answer", got
    assert "the problem's checker cannot judge it: checker.c of any-peak was ended by SIGSEGV" \
        in got["message"], got
    endless = CHECKER.replace("*peak < 0 || *peak >= N", "*peak == 77 && exit(3), 0")
    problem(judge, checker=endless.replace("exit(3), 0", "(exit(3), 0)"))
    got = submit(judge, ">", "77", status=1)
    assert "exit status 3" in got["message"], got
    # Nothing is called before the spec is sound.
    problem(judge, checker=careless,
            spec=SPEC | {"tests": [*SPEC["tests"], {"N": 2}],
                         "work": {"bytes": "12*N", "flops": "N", "unit": "fp32"},
                         "accepts": {"short_benchmark": "nobody times this one"}})
    check = judge.cli("problem", "check", "any-peak")
    assert "checker.c: with peak with a wrong first element: the problem's checker cannot" \
        in check.stdout + check.stderr, check


def test_many_parameters(judge):
    """As many as a spec may have, each three times in the checker."""
    names = [f"p{i}" for i in range(31)]
    spec = {
        "format": 1, "title": "Many", "difficulty": "easy",
        "params": [{"name": n, "type": "int32", "dir": "inout", "shape": ["N"],
                    "values": {"inputs.c": {"integers": [0, 9]}}} for n in names]
        + [{"name": "N", "type": "int32", "dir": "scalar"}],
        "compare": {"mode": "checker"}, "tests": [{"N": 3, "sample": True}],
        "benchmark": {"cuda": {"N": 100}, "emu": {"N": 100}},
    }
    arguments = ", ".join(f"int *{n}" for n in names) + ", int N"
    checked = ", ".join(f"const int *before_{n}, const int *want_{n}, const int *{n}" for n in names)
    folder = judge.home / "problems/many"
    folder.mkdir(parents=True)
    (folder / "problem.json").write_text(json.dumps(spec))
    (folder / "statement.md").write_text("# Many\n")
    (folder / "inputs.c").write_text(
        f"void inputs(struct draws *draws, const char *variant, {arguments})\n"
        "{ p30[N - 1] = 77; }\n")
    (folder / "reference.c").write_text(f"void solve({arguments})\n{{ p30[0] = p30[N - 1] + 1; }}\n")
    (folder / "checker.c").write_text(
        f"void check(struct check *check, {checked}, int N)\n"
        "{ if (before_p30[N - 1] != 77 || p30[0] != 78) "
        'check_fail(check, "p30", 0, "%d", p30[0]); }\n')
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "problems")
    judge.start()
    source = (f"// warpjudge: many\n__global__ void go(int *p, int N) {{ p[0] = p[N - 1] + 1; }}\n"
              f'extern "C" void solve({arguments}) {{ go<<<1, 1>>>(p30, N); }}\n')
    got = judge.submit_json(judge.write("many.cu", source), status=0)
    assert got["verdict"] == "accepted", got
    got = judge.submit_json(judge.write("many.cu", source.replace("+ 1", "+ 2")), status=1)
    assert "p30[0]: 79" in got["message"], got


def failure(judge, **files):
    """The judge's log after a submission that only it can have failed."""
    problem(judge, **files)
    judge.start()
    got = submit(judge, ">", "best")
    assert got["verdict"] == "judge_error", got
    judge.stop()
    return judge.log.read_text()


def test_author_mistakes(judge):
    said = failure(judge, inputs=INPUTS.replace("int *state", "float *state"))
    assert "the reference of any-peak does not compile: inputs.c:" in said, said
    assert "(`warpjudge problem check any-peak` says more)" in said, said
    assert "inputs.c of any-peak was ended by SIGABRT" in failure(
        judge, inputs=INPUTS.replace("int peaks", "abort(); int peaks"))
    assert 'inputs.c of any-peak changes offset' in failure(
        judge, inputs=INPUTS.replace("int peaks", "offset[0]++; int peaks"))
    assert "inputs.c of any-peak changes x" in failure(
        judge, inputs=INPUTS.replace('"keep x"', '"leave x"'))
    assert "names \"x\", which is no output" in failure(
        judge, checker=CHECKER.replace("for (", 'check_fail(check, "x", 0, "?"); for (', 1))
    assert "names peak[1], which has 1 elements" in failure(
        judge, checker=CHECKER.replace("for (", 'check_fail(check, "peak", 1, "?"); for (', 1))


def test_files_that_do_not_fit(judge):
    def says(sentence, **files):
        problem(judge, **files)
        run = judge.cli("problem", "check", "any-peak")
        assert run.returncode != 0 and sentence in run.stdout + run.stderr, run

    says("checker.c: is not there, but outputs are compared with the mode \"checker\"",
         checker=None)
    says("inputs.c: is not there, but inputs have the values \"inputs.c\"", inputs=None)
    exact = {**SPEC, "compare": {"mode": "exact"}}
    says("checker.c: is there, but no output is compared with the mode \"checker\"", spec=exact)
    variant = json.loads(json.dumps(SPEC))
    variant["tests"][1].update(inputs="few", values={"x": {"constant": 1},
                                                     "state": {"constant": 0}})
    says("$.tests[1].inputs: no input of this test has the values \"inputs.c\"", spec=variant)
