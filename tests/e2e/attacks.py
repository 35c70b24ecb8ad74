"""Submissions that cheat, break out or exhaust (tests/attacks, docs/security.md): each must get the
verdict that its header states, and what is accepted must have gained nothing.

    // attack: class            // expect: VERDICT|VERDICT...      // says: part of the message
    // conceals: words, with | between them, that the message may not have
    // device: emu or cuda, where it applies to one only
    `accepted honest-time`: as slow as honest.cu at least, or as the solution that the header
    names (`honest: PROBLEM/NAME`), which does the same work
    `accepted remark`: see tests/gpu/attacks

test_attacks.py takes a spread of them and test_attacks_rest.py the others, a test for each class:
those of one are posted at once, so that compiling one and judging another overlap. With
WARPJUDGE_ATTACKS="NAME NAME..." in the environment test_attacks.py takes these, in one test. A
retry of the daemon's would hide who broke it: a judge_error is never among the verdicts expected.
"""
import os
import time
from pathlib import Path

from harness import ROOT, header

FOLDER = ROOT / "tests/attacks"
CLASSES = ("answer", "clock", "compiler", "process", "verdict")
FASTER = 0.99  # times on emu are exact: what is accepted may not be faster than honest.cu
SPREAD = """answer-cached-by-size answer-changes-inputs answer-environment answer-nan
    answer-right-in-warm-up answer-where-poisoned clock-host-work-mapped clock-own-synchronize
    answer-replayed-by-name answer-tells-by-fault answer-tells-by-status
    clock-patched-got clock-thread-after-return compiler-include-passwd compiler-interpreter
    compiler-own-main-asm compiler-init-array process-files process-fork-bomb process-kernel-settings
    process-memory-files process-namespaces process-network process-own-file process-signals
    process-sockets process-survivor process-system-calls verdict-emulated-gpu
    verdict-forged-done verdict-own-send""".split()


def on_emu():
    """All that need no GPU."""
    return [p for p in sorted(FOLDER.glob("*-*.cu")) if header(p, "device") in (None, "emu")]


def named(names):
    files = [p for p in on_emu() if p.stem in names]
    assert len(files) == len(names), f"not all of these are attacks that run on emu: {names}"
    return files


def tests_of(files):
    """{name: test}: one for each class that these belong to."""
    groups = {c: [p for p in files if p.stem.startswith(c + "-")] for c in CLASSES}
    assert sum(map(len, groups.values())) == len(files), "an attack is of no class"
    return {f"test_{c}": lambda judge, group=group: run_attacks(judge, group)
            for c, group in groups.items() if group}


def fault(path, got, honest_ns):
    """What is wrong with a judgement, or None."""
    expected = [e.strip() for e in header(path, "expect").split("|")]
    says = header(path, "says")
    if got["verdict"] not in [e.split()[0] for e in expected]:
        return f"{got['verdict']}, not {' or '.join(expected)}: {got['message']}"
    if says and says not in got["message"]:
        return f"does not say {says}: {got['message']}"
    told = [w for w in (header(path, "conceals") or "").split("|") if w and w in got["message"]]
    if told:
        return f"tells {told}: {got['message']}"
    if got["verdict"] == "accepted" and got["time_ns"] < FASTER * honest_ns:
        return f"gained: {got['time_ns']} ns, honest {honest_ns} ns"
    return None


def runners_of(judge):
    """Ids of live processes in a sandbox with this judge's runner: it is bound into it. The judge
    has a runner of its own (own_build), so that nobody else's are found."""
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


def run_attacks(judge, files):
    """Judges them all, honest.cu before and after them."""
    judge.own_build()
    judge.start()
    honest = judged(judge, FOLDER / "honest.cu")
    assert honest["verdict"] == "accepted", honest
    least = {name: judged(judge, ROOT / "solutions" / f"{name}.cu")["time_ns"]
             for name in {header(p, "honest") for p in files} if name}
    slow = None
    while not runners_of(judge):  # so that finding none later means something
        if slow is None or judge.api("GET", f"/api/submissions/{slow}")[1]["state"] == "done":
            slow = judge.post((FOLDER / "clock-slow-warm-up.cu").read_text(), user="slow")
        time.sleep(0.02)
    ids = {path: judge.post(path.read_text(), header(path, "warpjudge"), path.stem)
           for path in files}
    wrong = []
    for path, ident in ids.items():
        got = judge.wait_done(ident)
        print(f"{path.stem}: {got['verdict']}: {got['message'][:110]!r}")
        why = fault(path, got, least.get(header(path, "honest"), honest["time_ns"]))
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
