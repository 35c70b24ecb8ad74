"""`hint`: the idea of a step of a ladder, in two sentences that stand in the step's file."""
import json
import re
import shutil

from harness import ROOT, header

LADDERS = sorted({path.parent for path in (ROOT / "solutions").glob("*/1-*.cu")})
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
MOST_WORDS = 25
# A hint gives the idea and not the code.
CODE = re.compile(r"[`;{}()\[\]=<>*/&|#]|__|\w_\w|//|\b[a-z]+[A-Z]")


def idea_of(path):
    """The idea as the step's file has it: the line `// idea:` and the lines on which it goes on."""
    found = re.search(r"^// idea: (.*\n(?://   .*\n)*)", path.read_text(), re.M)
    assert found, f"{path}: no line `// idea: ...`"
    return " ".join(line.removeprefix("//   ") for line in found[1].splitlines())


def test_each_step_has_two_sentences(judge):
    del judge
    wrong = []
    for path in (path for folder in LADDERS for path in sorted(folder.glob("[1-9]-*.cu"))):
        idea = idea_of(path)
        sentences = SENTENCE_END.split(idea)
        if len(sentences) != 2 or not all(re.fullmatch(r"[A-Z].*[.]", s) for s in sentences):
            wrong.append(f"{path}: {len(sentences)} sentences, not two: {idea}")
        wrong += [f"{path}: a sentence of {len(s.split())} words: {s}"
                  for s in sentences if len(s.split()) > MOST_WORDS]
        if CODE.search(idea):
            wrong.append(f"{path}: it has code: {CODE.search(idea)[0]!r} in {idea}")
    assert not wrong, "\n".join(wrong)


def test_the_judge_tells_what_the_files_say(judge):
    judge.start()
    for folder in LADDERS:
        files = sorted(folder.glob("[1-9]-*.cu"))
        for number, path in enumerate(files, 1):
            status, got = judge.api("GET", f"/api/v1/problems/{folder.name}/hint?step={number}")
            assert status == 200, (path, got)
            assert got["idea"] == idea_of(path), (path, got)
            assert (got["problem"], got["step"], got["steps"]) == (folder.name, number, len(files)), got
            assert f"{number}-{got['name']}.cu" == path.name, got
            assert got.get("needs") == header(path, "needs"), got
            assert got["measured"]["text"] == header(path, "H200"), got
        status, got = judge.api("GET", f"/api/v1/problems/{folder.name}/hint")
        assert status == 200 and got["step"] == 2, got


def test_a_hint_to_read(judge):
    judge.start()
    folder = ROOT / "solutions/vector-addition"
    files = sorted(folder.glob("[1-9]-*.cu"))
    told = judge.cli("hint", "vector-addition", env={"COLUMNS": "60"}, status=0).stdout
    assert told.startswith(f"Vector Addition, step 2 of {len(files)}: shares\n"), told
    assert idea_of(files[1]) in " ".join(told.split()), told
    assert header(files[1], "H200") in told and "NVIDIA H200 at N=25000000" in told, told
    assert "`warpjudge hint vector-addition 3`" in told, told
    lines = told.split("\n\n")[1].splitlines()
    assert len(lines) > 2 and all(line.startswith("  ") and len(line) <= 60 for line in lines), told
    last = judge.cli("hint", "vector-addition", len(files), status=0).stdout
    assert "last step" in last and f"hint vector-addition {len(files) + 1}" not in last, last
    got = json.loads(judge.cli("hint", "vector-addition", 3, "--json", status=0).stdout)
    assert got["step"] == 3 and got["idea"] == idea_of(files[2]), got
    assert "needs sm_90a" in judge.cli("hint", "bf16-matmul", 4, status=0).stdout


def test_a_step_as_code_is_accepted(judge):
    """What --code prints is the file, to the byte."""
    judge.start()
    path = ROOT / "solutions/vector-addition/3-coalesced.cu"
    told = judge.cli("hint", "vector-addition", 3, "--code", status=0).stdout
    assert told == path.read_text(), told
    assert judge.submit_json(judge.write("told.cu", told), status=0)["verdict"] == "accepted"
    status, got = judge.api("GET", "/api/v1/problems/vector-addition/hint/source?step=3")
    assert (status, got) == (200, {"filename": path.name, "source": told}), got


def test_what_there_is_no_hint_for(judge):
    judge.start()
    steps = len(list((ROOT / "solutions/vector-addition").glob("[1-9]-*.cu")))
    for args, says in ((("relu",), "there are no hints for relu"),
                       (("nothing-like-it",), 'there is no problem "nothing-like-it"'),
                       (("vector-addition", "9"), f"there is no step 9: the ladder of vector-addition has {steps}"),
                       (("vector-addition", "0"), f'the step is "0": it must be a number from 1 to {steps}'),
                       (("vector-addition", "two"), f'the step is "two": it must be a number from 1 to {steps}'),
                       (("vector-addition", "2&x=1"), f'the step is "2&x=1": it must be a number from 1 to {steps}'),
                       (("vector-addition", "2", "3"), 'does not know what to do with "3"'),
                       ((), "name the problem")):
        for code in ((), ("--code",)):
            run = judge.cli("hint", *args, *code, status=2)
            assert says in run.stderr and not run.stdout, (args, run.stderr)
    for path, status, code, field in (
            ("problems/relu/hint", 404, "no_ladder", None),
            ("problems/vector-addition/hint?step=9", 404, "no_such_step", "step"),
            ("problems/vector-addition/hint/source?step=10", 400, "invalid_parameter", "step"),
            ("problems/vector-addition/hint?number=2", 400, "unknown_parameter", "number")):
        got, answer = judge.api("GET", f"/api/v1/{path}")
        assert (got, answer["code"], answer.get("parameter")) == (status, code, field), answer


def test_ladders_of_ones_own(judge):
    """Steps count up to the first number that is missing; other files are no steps."""
    shutil.copytree(ROOT / "problems/vector-addition", judge.home / "own/problems/vector-addition")
    folder = judge.home / "own/solutions/vector-addition"
    folder.mkdir(parents=True)
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "own/problems")
    judge.start()

    def ask(query=""):
        return judge.api("GET", "/api/v1/problems/vector-addition/hint" + query)

    for name in ("naive.cu", "2-second.cu", "1-.cu", "1-first.cpp"):
        (folder / name).write_text("// idea: It is none.\n")
    assert ask()[0] == 404
    (folder / "1-first.cu").write_text("// expect: accepted\n// idea: One.\n//   Two.\n// Three.\n")
    status, got = ask("?step=1")
    assert (status, got["idea"], got["steps"], "measured" in got) == (200, "One. Two.", 2, False), got
    assert ask()[1]["idea"] == "It is none."
    (folder / "3-third.cu").write_text("int x; // no header\n// idea: Too late.\n")
    assert ask("?step=3")[1]["idea"] == ""
    assert "states no idea" in judge.cli("hint", "vector-addition", 3, status=0).stdout
    (folder / "3-third.cu").write_bytes(b"// idea: \xff\n")
    status, got = ask("?step=3")
    assert status == 500 and "3-third.cu is no text in UTF-8" in got["detail"], got
    judge.cli("hint", "vector-addition", 3, status=4)
    shutil.rmtree(folder)
    assert ask()[1]["code"] == "no_ladder"
