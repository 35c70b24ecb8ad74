"""Right solutions in the worst honest style (tests/worst) need at most a fifth of what they may use.

    // warpjudge: SLUG
    // How it computes, in a sentence.

A file's name begins with its problem's. Its style is what a beginner writes who counts no bytes: one
thread or one block where elements depend on each other, a thread for each result with double loops
elsewhere, no tiling, neighbours on the wrong axis. Used time on emu is a count (docs/timing.md). So the
problems are copied with a fifth of their limits.time_ms, and each solution must be accepted there.
"""
import json
import shutil

from harness import ROOT, header

TAKES_TURNS = "each is like the others to whatever but its own problem"
SLOW = "more than 150 solutions that are as slow as right ones get"
FOLDER = ROOT / "tests/worst"
SHARE = 5
TIME_MS = 10000  # where a spec says nothing
GROUPS = 12


def copy_problems(to, slugs):
    """The problems of these names, with a fifth of their time."""
    for slug in slugs:
        shutil.copytree(ROOT / "problems" / slug, to / slug)
        path = to / slug / "problem.json"
        spec = json.loads(path.read_text())
        limits = spec.setdefault("limits", {})
        limits["time_ms"] = limits.get("time_ms", TIME_MS) // SHARE
        path.write_text(json.dumps(spec))


def check_group(judge, files):
    slugs = {header(path, "warpjudge") for path in files}
    for path in files:
        assert path.name.split(".")[0] == header(path, "warpjudge"), path
    judge.env["WARPJUDGE_PROBLEMS"] = str(judge.home / "problems")
    copy_problems(judge.home / "problems", slugs)
    judge.start()
    ids = {path: judge.post(path.read_text(), header(path, "warpjudge")) for path in files}
    wrong = []
    for path, ident in ids.items():
        got = judge.wait_done(ident)
        if got["verdict"] != "accepted":
            wrong.append(f"{path.name}: {got['verdict']}: {got['message'][:300]}")
    assert not wrong, "\n".join(wrong)


def test_each_problem_has_one(judge):
    del judge
    names = {path.name.split(".")[0] for path in FILES}
    assert names == {path.parent.name for path in (ROOT / "problems").glob("*/problem.json")}


FILES = sorted(FOLDER.glob("*.cu"))
globals().update({f"test_group_{k + 1}": lambda judge, files=FILES[k::GROUPS]: check_group(judge, files)
                  for k in range(GROUPS)})
