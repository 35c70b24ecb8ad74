"""`serve --emu N` judges N submissions on emu at a time, and changes nothing of what comes out."""
import os
import signal

from harness import DEMO, ROOT, SEED, await_that, header
from test_devices import ONE, await_begin, let, notes, start

RIGHT = (DEMO / "right.cu").read_text()


def post(judge, takes):
    return judge.post(f"// {takes} 0\n", ONE, device="emu")


def state(judge, ident):
    return judge.api("GET", f"/api/submissions/{ident}")[1]["state"]


def await_state(judge, idents, wanted):
    await_that(lambda: all(state(judge, i) == wanted for i in idents), f"{idents} are {wanted}",
               lambda: [state(judge, i) for i in idents])


def spans(judge):
    """[(id, begin, end)] of all arbiters that came to their end, in the order of their beginnings."""
    begun, out = {}, []
    for n in notes(judge):
        if n["what"] == "begin":
            begun[n["pid"]] = n["at"]
        else:
            out.append((n["id"], begun.pop(n["pid"]), n["at"]))
    return sorted(out, key=lambda span: span[1])


def most_at_once(judge):
    return max(sum(b <= begin < e for _, b, e in spans(judge)) for _, begin, _ in spans(judge))


def test_so_many_at_a_time(judge):
    start(judge, options=("--emu", "3"))
    held = [post(judge, f"held{i}") for i in range(3)]
    await_state(judge, held, "running")
    for ident in held:
        await_begin(judge, ident)
    waits = [post(judge, 0.2) for _ in range(6)]
    assert all(state(judge, i) != "running" for i in waits)
    told = judge.api("GET", f"/api/submissions/{waits[0]}")[1]
    assert told["state"] == "compiling" or told["position"] >= 1, told
    let(judge, "held1")
    for ident in [held[1], *waits]:  # through the one place that is free
        assert judge.wait_done(ident)["attempt"] == 1
    assert state(judge, held[0]) == state(judge, held[2]) == "running"
    let(judge, "held0")
    let(judge, "held2")
    for ident in held:
        judge.wait_done(ident)
    assert most_at_once(judge) == 3, spans(judge)


def test_a_second_attempt_is_alone(judge):
    """What failed may have failed for want of memory, or by what ran beside it."""
    start(judge, options=("--emu", "3"))
    held, fails = post(judge, "held"), post(judge, "fails")
    await_state(judge, [held, fails], "running")
    await_begin(judge, held)
    await_begin(judge, fails)
    os.kill(next(n["pid"] for n in notes(judge) if n["id"] == fails), signal.SIGKILL)
    await_that(lambda: judge.api("GET", f"/api/submissions/{fails}")[1]["attempt"] == 2, "a second attempt")
    younger = [post(judge, 0) for _ in range(3)]
    let(judge, "fails")
    let(judge, "held")
    for ident in (held, fails, *younger):
        judge.wait_done(ident)
    alone = next(span for span in spans(judge) if span[0] == fails)
    assert all(end <= alone[1] or begin >= alone[2] for ident, begin, end in spans(judge)
               if ident != fails), (alone, spans(judge))


def test_the_default_serves_more_than_one(judge):
    """One for each two CPUs, where there is memory for them."""
    start(judge)
    judge.stop()
    os.truncate(judge.log, 0)
    judge.start_command([judge.bin, "serve"])
    idents = [post(judge, f"word{i}") for i in range(3)]
    width = max(1, min(len(os.sched_getaffinity(0)) // 2,
                       os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") >> 31))
    await_state(judge, idents[:width], "running")
    for i in range(3):
        let(judge, f"word{i}")
    for ident in idents:
        judge.wait_done(ident)
    for value in ("0", "65", "x", ""):
        run = judge.cli("serve", f"--emu={value}", status=2)
        assert "--emu" in run.stderr, run.stderr


def judged(judge, width, cases):
    judge.start("--emu", str(width), "--seed", SEED)
    idents = [judge.post(text, problem, user=f"user{i}") for i, (problem, text) in enumerate(cases)]
    out = []
    for ident in idents:
        judge.wait_done(ident)
    for ident in idents:  # ranks are what they are once all are done, but a change is of when it was
        done = judge.wait_done(ident)
        for name in ("id", "user", "created_ms", "finished_ms", "compile_seconds", "compile_cached", "change"):
            done.pop(name, None)
        out.append(done)
    judge.let_leave()
    judge.stop()
    (judge.home / "leaderboard.db").unlink()
    return out


def test_times_and_verdicts_are_the_same(judge):
    cases = [("vector-addition", (DEMO / name).read_text()) for name in
             ("right.cu", "wrong.cu", "out-of-bounds.cu", "slow.cu") if (DEMO / name).exists()]
    for slug in ("reduction", "softmax", "matrix-transpose", "histogramming"):
        folder = ROOT / "solutions" / slug
        cases += [(slug, path.read_text()) for path in sorted(folder.glob("*.cu"))[:2]]
    assert len(cases) >= 8
    one, four = (judged(judge, width, cases) for width in (1, 4))
    assert any(done["verdict"] == "accepted" and done["time_ns"] > 0 for done in one)
    for (problem, _), a, b in zip(cases, one, four):
        differ = {k: (a.get(k), b.get(k)) for k in a.keys() | b.keys() if a.get(k) != b.get(k)}
        assert not differ, (problem, differ)


def judge_beside_attacks(judge):
    """Right submissions beside those that exhaust, kill and survive: each gets its own verdict, the
    right ones at the first attempt, and these all take the same modelled time."""
    judge.start("--emu", "4", "--seed", SEED)
    attacks = [ROOT / f"tests/attacks/process-{name}.cu" for name in
               ("fork-bomb", "memory-bomb", "thread-bomb", "survivor", "signals", "kills-itself")]
    attacks.append(ROOT / "tests/attacks/verdict-emulated-gpu-closed.cu")
    posted = []
    for path in attacks:
        posted.append((path, judge.post(path.read_text(), header(path, "warpjudge"), user="eve")))
        posted.append((None, judge.post(f"// beside {path.name}\n{RIGHT}", user="ada")))
    times = set()
    for path, ident in posted:
        done = judge.wait_done(ident)
        wanted = {"accepted"} if path is None else {e.split()[0] for e in header(path, "expect").split("|")}
        assert done["verdict"] in wanted, (path, done)
        if path is None:
            assert done["attempt"] == 1, done
            times.add(done["time_ns"])
    assert len(times) == 1, times


def test_attacks_do_not_reach_their_neighbours(judge):
    judge_beside_attacks(judge)


def test_attacks_as_our_own_user_do_not_either(judge):
    judge.env["WARPJUDGE_IDS"] = "none"
    judge_beside_attacks(judge)
