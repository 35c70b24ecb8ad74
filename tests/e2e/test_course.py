"""What problems/ says of its problems beside what is judged: tags, lessons, and the order of a course."""
import json
import subprocess

from harness import DEMO, ROOT

SPECS = {path.parent.name: json.loads(path.read_text()) for path in sorted(ROOT.glob("problems/*/problem.json"))}
VOCABULARY = json.loads((ROOT / "problems/vocabulary.json").read_text())


def test_every_tag_has_a_meaning_and_a_problem(judge):
    used = {tag for spec in SPECS.values() for tag in spec["tags"]}
    assert used == set(VOCABULARY["tags"]), used ^ set(VOCABULARY["tags"])
    assert all(spec["tags"] for spec in SPECS.values()), [s for s, spec in SPECS.items() if not spec["tags"]]
    for tag, meaning in VOCABULARY["tags"].items():
        assert meaning[0].isupper() and meaning.endswith(".") and len(meaning.split()) <= 25, (tag, meaning)


def test_the_page_of_the_course_is_written_anew(judge):
    """A ladder whose header changes changes docs/course.md, too."""
    check = subprocess.run([ROOT / "tests/tools/course-page", "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr


def test_every_lesson_has_a_problem_and_every_problem_a_place(judge):
    """One problem is the beginning. All others come after one or two, and no chain of them is a circle."""
    used = {lesson for spec in SPECS.values() for lesson in spec["teaches"]}
    assert used == set(VOCABULARY["teaches"]), used ^ set(VOCABULARY["teaches"])
    for lesson, meaning in VOCABULARY["teaches"].items():
        assert meaning[0].isupper() and meaning.endswith(".") and len(meaning.split()) <= 25, (lesson, meaning)
    assert [slug for slug, spec in SPECS.items() if "after" not in spec] == ["vector-addition"]
    reached = {"vector-addition"}
    while more := {slug for slug, spec in SPECS.items() if slug not in reached and set(spec.get("after", [])) <= reached}:
        reached |= more
    assert reached == set(SPECS), set(SPECS) - reached
    assert all(1 <= len(spec["teaches"]) <= 2 and len(spec.get("after", [])) <= 2 for spec in SPECS.values())


def test_next_after_what_is_solved(judge):
    judge.start()
    judge.env["WARPJUDGE_USER"] = "ada"
    for path, first in (("next?user=ada", "vector-addition"), ("next?limit=1", "vector-addition")):
        status, got = judge.api("GET", f"/api/v1/{path}")
        assert status == 200 and (got["solved"], got["of"]) == (0, len(SPECS)), got
        assert [p["problem"] for p in got["next"]][0] == first, got
    told = judge.cli("next", status=0).stdout
    assert told.startswith("vector-addition  Vector Addition, easy\n"), told
    assert "it teaches threads; it needs nothing before it" in told and f"0 of {len(SPECS)} solved" in told, told
    assert "`warpjudge init vector-addition`" in told and VOCABULARY["teaches"]["threads"] in told, told
    # An accepted submission ends with the next problem; one with another verdict does not.
    right = DEMO / "right.cu"
    last = judge.cli("submit", right, status=0).stdout.splitlines()[-1]
    assert last.startswith("next: relu (easy), because it teaches branches; you have solved vector-addition"), last
    assert "next:" not in judge.cli("submit", DEMO / "wrong-last.cu", status=1).stdout
    told = judge.cli("next", "-n", "2", status=0).stdout
    assert told.startswith("relu ") and "\n\nor\n\nmatrix-addition " in told and "1 of" in told, told
    got = json.loads(judge.cli("next", "--json", status=0).stdout)["next"]
    assert [p["lesson"] for p in got] == list(VOCABULARY["teaches"])[1:4] and all("toward" not in p for p in got), got
    judge.wait_done(judge.post("// nothing is here", "relu"))
    got = judge.api("GET", "/api/v1/next?user=ada&limit=20")[1]["next"]
    assert got[0]["state"] == "tried" and got[0]["reason"].endswith("; you have tried it already"), got[0]
    assert [p["problem"] for p in got] == ["relu", "matrix-addition", "reverse-array", "interleave-arrays", "rainbow-table"], got
    assert json.loads(judge.cli("next", "--user", "ben", "--json", status=0).stdout)["solved"] == 0
    for query, code in (("limit=0", "invalid_parameter"), ("limit=21", "invalid_parameter"), ("user=a%20b", "invalid_address")):
        status, got = judge.api("GET", f"/api/v1/next?{query}")
        assert (status, got["code"]) == (400, code), got
    assert "--limit takes a whole number from 1 to 20" in judge.cli("next", "-n", "x", status=2).stderr
