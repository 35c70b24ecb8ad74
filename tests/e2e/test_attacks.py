"""A spread of tests/attacks, see attacks.py, and the table of docs/security.md that names them all."""
import fnmatch
import os
import re

from attacks import FOLDER, SPREAD, named, run_attacks, tests_of
from harness import ROOT

BUILD = "asan"

OWN_CACHE = "a compiler that an attack has won must not work for other tests"
ASKED = os.environ.get("WARPJUDGE_ATTACKS", "").split()

if ASKED:
    def test_asked(judge):
        run_attacks(judge, named(ASKED))
else:
    globals().update(tests_of(named(SPREAD)))


def in_the_table(stem, words):
    """By its name, by a pattern, or by the end of it behind another's ("process-x-one, -two")."""
    parts = stem.split("-")
    return any(fnmatch.fnmatchcase(stem, w) for w in words if w[0] not in "-*") or any(
        "-" + "-".join(parts[k:]) in words for k in range(1, len(parts)))


def test_the_table_is_whole(judge):
    """docs/security.md names each attack, and no test that is not there; README.md counts them."""
    del judge
    rows = [line for line in (ROOT / "docs/security.md").read_text().splitlines() if line.startswith("|")]
    last = " ".join(row.rsplit("|", 2)[1] for row in rows)
    words = set(re.findall(r"[a-z0-9*-]+", last))
    stems = {p.stem for p in FOLDER.glob("*.cu")}
    missing = [s for s in sorted(stems - {"honest"}) if not in_the_table(s, words)]
    assert not missing, f"in no row: {missing}"
    gone = [w for w in words if re.match(r"(answer|clock|compiler|process|verdict)-", w)
            and not fnmatch.filter(stems, w)]
    assert not gone, f"no such attack: {gone}"
    tests = "\n".join(f"{p.name}\n{p.read_text()}" for folder in ("unit", "e2e")
                      for p in sorted((ROOT / "tests" / folder).glob("test_*")))
    gone = [name for name in set(re.findall(r"\btest_\w+", last)) if not re.search(rf"\b{name}\b", tests)]
    assert not gone, f"no such test: {gone}"
    assert f"of {len(stems) - 1} submissions that cheat" in (ROOT / "README.md").read_text(), len(stems) - 1
