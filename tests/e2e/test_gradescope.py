"""`submit --gradescope`: results.json as Gradescope's documentation of autograders describes it."""
import json

import jsonschema
from harness import DEMO

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}


def closed(properties, required=()):
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


# gradescope-autograders.readthedocs.io, "Autograder Specifications", output format. Where the whole has a score,
# no test needs one.
SCHEMA = closed({
    "score": NUMBER, "execution_time": {"type": "integer", "minimum": 0}, "output": TEXT, "output_format": FORMAT,
    "test_output_format": FORMAT, "test_name_format": FORMAT, "visibility": VISIBILITY,
    "stdout_visibility": VISIBILITY, "extra_data": {"type": "object"},
    "tests": {"type": "array", "items": closed({
        "score": NUMBER, "max_score": NUMBER, "status": {"enum": ["passed", "failed"]}, "name": TEXT,
        "name_format": FORMAT, "number": TEXT, "output": TEXT, "output_format": FORMAT,
        "tags": {"type": "array", "items": TEXT}, "visibility": VISIBILITY, "extra_data": {"type": "object"}})},
    "leaderboard": {"type": "array", "items": closed(
        {"name": TEXT, "value": {"type": ["number", "string"]}, "order": {"enum": ["asc", "desc"]}},
        ["name", "value"])}}, ["score"])


def results(judge, file, *args):
    path = judge.home / "results.json"
    path.unlink(missing_ok=True)
    run = judge.cli("submit", file, "--gradescope", path, *args, status=0)
    assert run.stdout == "", run.stdout
    told = json.loads(path.read_text())
    jsonschema.validate(told, SCHEMA)
    return told


def test_the_results_are_as_documented(judge):
    right = results(judge, DEMO / "right.cu")
    assert right["score"] == 100 and right["visibility"] == "visible", right
    assert "accepted  vector-addition on emu" in right["output"] and "\033" not in right["output"], right
    assert len(right["tests"]) == 14 and {t["status"] for t in right["tests"]} == {"passed"}, right
    assert right["tests"][0]["name"] == "test 1: N=4" and right["leaderboard"][0]["order"] == "asc", right

    wrong = results(judge, DEMO / "wrong-last.cu", "--points", "8", "--visibility", "after_due_date")
    assert wrong["score"] == 0 and "leaderboard" not in wrong, wrong
    assert wrong["tests"][-1]["status"] == "failed" and "wrong answer" in wrong["tests"][-1]["output"], wrong
    assert {t["visibility"] for t in wrong["tests"]} == {wrong["visibility"]} == {"after_due_date"}, wrong

    missing = results(judge, judge.home / "nothing.cu", "-p", "vector-addition")
    assert missing["score"] == 0 and "nothing.cu cannot be opened" in missing["output"], missing


def test_what_is_no_result_writes_none(judge):
    path = judge.home / "results.json"
    for args, says in ((["--gradescope", path, "-p", "no-such-problem"], "no-such-problem"),
                       (["--gradescope", path, "--visibility", "later"], "after_published"),
                       (["--gradescope", path, "--points", "none"], "--points"),
                       (["--points", "3"], "--gradescope")):
        source = judge.write("k.cu", 'extern "C" void solve(int N) {}\n')
        told = judge.cli("submit", source, *args, status=2)
        assert says in told.stderr and not path.exists(), told
