"""Submissions that cheat, break out or exhaust (tests/attacks, docs/security.md): each must get the
verdict that its header states, and what is accepted must have gained nothing.

    // attack: class            // expect: VERDICT|VERDICT...      // says: part of the message
    // device: emu or cuda, where it applies to one only
    `accepted honest-time`: as slow as honest.cu at least
    `accepted remark`, and honest: PROBLEM/NAME, a solution: see tests/gpu/attacks

A spread of them by default, all with WARPJUDGE_ATTACKS=all (make test-attacks), these with
WARPJUDGE_ATTACKS="NAME NAME...". They are posted at once, so that compiling one and judging
another overlap. A retry of the daemon's would hide who broke it: a judge_error is never among
the verdicts expected.
"""
import fnmatch
import os
import re
import time
from pathlib import Path

from harness import ROOT, header

FOLDER = ROOT / "tests/attacks"
FASTER = 0.99  # times on emu are exact: what is accepted may not be faster than honest.cu
SPREAD = """answer-cached-by-size answer-changes-inputs answer-environment answer-nan
    answer-right-in-warm-up answer-where-poisoned clock-host-work-mapped clock-own-synchronize
    clock-patched-got clock-thread-after-return compiler-include-passwd compiler-interpreter
    compiler-own-main-asm compiler-init-array process-files process-fork-bomb process-kernel-settings
    process-memory-files process-namespaces process-network process-own-file process-signals
    process-sockets process-survivor process-system-calls verdict-emulated-gpu
    verdict-forged-done verdict-own-send""".split()


ASKED = os.environ.get("WARPJUDGE_ATTACKS", "").split()


def chosen():
    files = [p for p in sorted(FOLDER.glob("*.cu")) if header(p, "device") in (None, "emu")]
    if ASKED == ["all"]:
        return files
    names = ASKED or SPREAD
    files = [p for p in files if p.stem in names]
    assert len(files) == len(names), "not all of these are attacks that run on emu: " + " ".join(names)
    return files


def fault(path, got, honest_ns):
    """What is wrong with a judgement, or None."""
    expected = [e.strip() for e in header(path, "expect").split("|")]
    says = header(path, "says")
    if got["verdict"] not in [e.split()[0] for e in expected]:
        return f"{got['verdict']}, not {' or '.join(expected)}: {got['message']}"
    if says and says not in got["message"]:
        return f"does not say {says}: {got['message']}"
    if got["verdict"] == "accepted" and got["time_ns"] < FASTER * honest_ns:
        return f"gained: {got['time_ns']} ns, honest {honest_ns} ns"
    return None


def runners_of(judge):
    """Ids of live processes in a sandbox with this judge's runner: it is bound into it."""
    program = str((judge.prefix / "libexec/warpjudge-runner").resolve())
    found = []
    for entry in Path("/proc").iterdir():
        try:
            mounts = (entry / "mountinfo").read_text() if entry.name.isdigit() else ""
        except OSError:
            continue
        # The fourth field is the bound file's path in its own file system, of which ours may be a part
        # only, or the other way round.
        bound = [line.split()[3] for line in mounts.splitlines()]
        if any(b.endswith("/warpjudge-runner") and (program.endswith(b) or b.endswith(program)) for b in bound):
            found.append(int(entry.name))
    return found


def judged(judge, path):
    ident = judge.post(path.read_text(), header(path, "warpjudge"), path.stem)
    return judge.wait_done(ident)


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


def test_attacks(judge):
    judge.start()
    honest = judged(judge, FOLDER / "honest.cu")
    assert honest["verdict"] == "accepted", honest
    slow = judge.post((FOLDER / "clock-slow-warm-up.cu").read_text(), user="slow")
    while not runners_of(judge):  # so that finding none later means something
        assert judge.api("GET", f"/api/submissions/{slow}")[1]["state"] != "done"
        time.sleep(0.02)
    ids = {path: judge.post(path.read_text(), header(path, "warpjudge"), path.stem)
           for path in chosen()}
    wrong = []
    for path, ident in ids.items():
        start = time.time()
        got = judge.wait_done(ident, 600)
        if ASKED:
            print(f"    {path.stem}: {got['verdict']} ({time.time() - start:.1f} s) "
                  f"{got['message'][:110]!r}", flush=True)
        why = fault(path, got, honest["time_ns"])
        if why:
            wrong.append(f"{path.stem}: {why}")
    again = judged(judge, FOLDER / "honest.cu")
    assert not wrong, "\n".join(wrong)
    assert again["verdict"] == "accepted" and again["time_ns"] == honest["time_ns"], again
    assert judge.stop() == 0
    assert not runners_of(judge), "a submission's process is left"
    assert "left" not in os.listdir("/dev/shm"), "shared memory is left"
    left = list((judge.home / "jobs").rglob("*"))
    assert not left, f"files of judgements are left: {left[:5]}"
