"""What problems/ says of its problems beside what is judged: tags, lessons, and the order of a course."""
import json

from harness import ROOT

SPECS = {path.parent.name: json.loads(path.read_text()) for path in sorted(ROOT.glob("problems/*/problem.json"))}
VOCABULARY = json.loads((ROOT / "problems/vocabulary.json").read_text())


def test_every_tag_has_a_meaning_and_a_problem(judge):
    used = {tag for spec in SPECS.values() for tag in spec["tags"]}
    assert used == set(VOCABULARY["tags"]), used ^ set(VOCABULARY["tags"])
    assert all(spec["tags"] for spec in SPECS.values()), [s for s, spec in SPECS.items() if not spec["tags"]]
    for tag, meaning in VOCABULARY["tags"].items():
        assert meaning[0].isupper() and meaning.endswith(".") and len(meaning.split()) <= 25, (tag, meaning)


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
