"""What problems/ says of its problems beside what is judged: tags of one vocabulary."""
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
