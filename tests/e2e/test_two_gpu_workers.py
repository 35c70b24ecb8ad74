"""Problems for two GPUs on workers: the real daemon and the real worker, with the stand-ins of test_devices.py in the
compiler's and the arbiter's place. The worker's machine has as many GPUs as the test says."""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace

from harness import ROOT, await_that, own_port
from test_compile_workers import leases
from test_devices import ONE, TWO, await_begin, let, notes, set_gpus, stand_in, times
from test_workers import Cluster

BOARD = "Gpu"


def cluster(judge, **more):
    stand_in(judge)
    return Cluster(judge, "--stay", "1", **more)


def node(cluster, *boards, compilers=0):
    """A worker on a machine with these GPUs, and with so many compilers."""
    home = Path(mkdtemp(prefix="wjw-"))
    set_gpus(SimpleNamespace(home=home), *boards)
    before = len(cluster.seen())
    worker = cluster.worker(*(["--compilers", str(compilers)] if compilers else []), home=home)
    cluster.await_workers(before + len(boards) + compilers)
    return worker


def post(judge, problem, takes):
    return judge.post(f"// {takes} 0\n", problem, device=BOARD)


def done(judge, idents):
    for ident in idents:
        got = judge.wait_done(ident)
        assert (got["verdict"], got["attempt"]) == ("wrong_answer", 1), got


def test_two_and_one(judge):
    """Problems for two have both GPUs of a worker, others one; no GPU is shared, and a worker with one never gets
    a problem for two."""
    seed = time.time_ns() % 100000
    print(f"      seed {seed}")
    rng = random.Random(seed)
    with cluster(judge) as c:
        single = node(c, BOARD)
        status, answer = judge.api("POST", "/api/submissions", {
            "problem": TWO, "user": "ada", "filename": "k.cu", "source": "// 0\n", "mode": "submit", "device": BOARD})
        assert status == 400 and answer["error"] == (
            f"{TWO} is not judged on {BOARD}: it needs 2 GPUs of one kind, and no worker for it has had so many"), answer
        # On emu, where an arbiter has as many as it needs, it is taken.
        emulated = judge.post("// 0 0\n", TWO, device="emu")
        assert judge.api("POST", f"/api/submissions/{emulated}/cancel", {})[0] == 200
        pair = node(c, BOARD, "Other", BOARD)
        wanted = {post(judge, problem, rng.uniform(0, 0.15)): problem for problem in
                  [TWO if rng.random() < 0.3 else ONE for _ in range(30)] + [TWO, ONE]}
        done(judge, wanted)
        had = {n["id"]: n["gpus"] for worker in (single, pair) for n in notes(worker)}
        assert sorted([*times(single), *times(pair)]) == sorted(wanted)
        for ident, problem in wanted.items():
            assert problem == ONE and len(had[ident]) == 1 or sorted(had[ident]) == ["cuda:0", "cuda:2"], (ident, had)
        assert not {n["id"] for n in notes(single)} & {ident for ident, problem in wanted.items() if problem == TWO}
        # What comes while no worker with two is there waits for one.
        pair.leave()
        c.await_workers(1)
        both = post(judge, TWO, 0)
        done(judge, [post(judge, ONE, 0)])
        assert judge.api("GET", f"/api/submissions/{both}")[1]["state"] == "queued"
        node(c, BOARD, BOARD)
        done(judge, [both])


def test_nobody_waits_for_ever(judge):
    """The GPU that is free is kept for the problem for two, and nothing younger begins there."""
    with cluster(judge) as c:
        pair = node(c, BOARD, BOARD)
        older = post(judge, ONE, "older")
        await_begin(pair, older)
        both = post(judge, TWO, "both")
        younger = [post(judge, ONE, 0.05) for _ in range(10)]
        # Whatever the free one asks for meanwhile, it gets nothing.
        time.sleep(1)
        assert [n["id"] for n in notes(pair)] == [older], notes(pair)
        let(pair, "older")
        await_begin(pair, both)
        shown = await_that(lambda: (found := c.seen()) and all(w.get("submission") == both for w in found) and found,
                           "both are told to judge it", lambda: c.seen())
        assert sorted(w["device"] for w in shown) == ["cuda:0", "cuda:1"]
        let(pair, "both")
        done(judge, [older, both, *younger])
        at = times(pair)
        assert at[older][1] <= at[both][0], at
        assert all(at[both][1] <= at[y][0] for y in younger), at


def test_what_was_given_up(judge):
    """The worker hears of it after a while. Until its processes have ended, nothing begins on either GPU."""
    with cluster(judge, lease="20") as c:  # it is heard each five seconds
        pair = node(c, BOARD, BOARD)
        both = post(judge, TWO, "never")
        await_begin(pair, both)
        assert judge.api("POST", f"/api/submissions/{both}/cancel", {})[0] == 200
        ones = [post(judge, ONE, 0) for _ in range(4)]
        done(judge, ones)
        begun = [n for n in notes(pair) if n["what"] == "begin"]
        assert sorted(n["id"] for n in begun) == [both, *ones], begun
        assert not any(n["beside"] for n in begun), begun
        assert {gpu for n in begun for gpu in n["gpus"]} == {"cuda:0", "cuda:1"}


def test_beside_one_of_the_judges_own(judge):
    """The judge's own machine has one GPU of the board. A problem for two is refused until a worker with two has been
    there. It waits for such a worker, over a restart as well, and is in nobody's way on the judge's own GPU."""
    stand_in(judge, BOARD)
    with Cluster(judge, "--stay", "1", only=False, port=own_port()) as c:
        wanted = {"problem": TWO, "user": "ada", "filename": "k.cu", "source": "// 0 0\n", "mode": "submit", "device": "cuda:0"}
        single = node(c, BOARD)
        status, answer = judge.api("POST", "/api/submissions", wanted)
        assert status == 400 and answer["error"] == (
            f"{TWO} is not judged on cuda:0: it needs 2 GPUs of one kind, and this machine has 1 of that kind"), answer
        single.leave()
        pair = node(c, BOARD, BOARD)
        both = judge.post("// 0 0\n", TWO, device="cuda:0")
        done(judge, [both])
        assert {tuple(sorted(n["gpus"])) for n in notes(pair) if n["id"] == both} == {("cuda:0", "cuda:1")}
        pair.leave()
        assert not c.seen()
        waits = [judge.post("// 0 0\n", TWO, device="cuda:0") for _ in range(3)]
        ones = [judge.post("// 0 0\n", ONE, device="cuda:0") for _ in range(3)]
        done(judge, ones)
        assert set(ones) == {n["id"] for n in notes(judge)}
        shown = [judge.api("GET", f"/api/submissions/{ident}")[1] for ident in waits]
        assert [s["state"] for s in shown] == ["queued"] * 3 and [s["position"] for s in shown] == [1, 2, 3], shown
        assert shown[0]["waiting_reason"] == f"a problem for two GPUs needs a worker with two of {BOARD}, and none is there"
        judge.kill()
        judge.start(*c.args)  # which awaits a worker with two for as long as a lease
        done(judge, [judge.post("// 0 0\n", ONE, device="cuda:0")])
        pair = node(c, BOARD, BOARD)
        done(judge, waits)
        assert set(waits) == {n["id"] for n in notes(pair)}
        # What is judged again in idle time goes to the pair, too, and the judge's own GPU judges the other one.
        again = [waits[0], waits[1], ones[0]]
        judge.cli("admin", "rejudge", *map(str, again), status=0)
        for ident, where in zip(again, (pair, pair, judge)):
            await_that(lambda w=where, i=ident: sum(n["id"] == i and n["what"] == "end" for n in notes(w)) == 2, "it is judged again",
                       lambda: notes(judge) + notes(pair))


def flags(worker):
    """What the worker's compiler was asked for, once for each submission."""
    path = worker.home / "compiled"
    return [line.split()[1:] for line in path.read_text().splitlines()] if path.exists() else []


def test_compiled_by_another(judge):
    """A worker that only compiles compiles a problem for two GPUs, and both GPUs of another one judge what came. One with a
    single GPU, which waits for work, judges what is for one alone."""
    with cluster(judge) as c:
        single, pair = node(c, BOARD), node(c, BOARD, BOARD)
        compiling = c.worker("--compile-only", "--jobs", "1", home=Path(mkdtemp(prefix="wjw-")))
        c.await_workers(4)
        wanted = {post(judge, problem, 0): problem for problem in (TWO, ONE, TWO, TWO, ONE)}
        done(judge, wanted)
        had = {n["id"]: n["gpus"] for worker in (single, pair) for n in notes(worker)}
        for ident, problem in wanted.items():
            (begins, compiler), (judged, device) = leases(judge, ident)
            assert (begins, compiler, judged) == ("attempt 1 begins", "compiler", "attempt 1 is judged"), ident
            assert device == had[ident][0] and (problem == ONE) == (len(had[ident]) == 1), (ident, had)
        assert not any(wanted[n["id"]] == TWO for n in notes(single)), notes(single)
        assert flags(compiling) == [["--submission"]] * len(wanted), flags(compiling)
        assert [*flags(single), *flags(pair)] == [["--judged"]] * len(wanted), (flags(single), flags(pair))
        # While the pair is busy, the next one is compiled already. It waits for both GPUs.
        busy = post(judge, TWO, "busy")
        await_begin(pair, busy)
        ahead = post(judge, TWO, 0)
        await_that(lambda: judge.api("GET", f"/api/submissions/{ahead}")[1]["state"] == "waiting", "it is compiled",
                   lambda: judge.api("GET", f"/api/submissions/{ahead}")[1])
        assert leases(judge, ahead) == [("attempt 1 begins", "compiler")]
        let(pair, "busy")
        done(judge, [busy, ahead])
        assert times(pair)[busy][1] <= times(pair)[ahead][0]
        # What is compiled when its pair goes waits for another pair, and is not compiled anew.
        busy = post(judge, TWO, "gone")
        await_begin(pair, busy)
        ahead = post(judge, TWO, 0)
        await_that(lambda: judge.api("GET", f"/api/submissions/{ahead}")[1]["state"] == "waiting", "it is compiled",
                   lambda: judge.api("GET", f"/api/submissions/{ahead}")[1])
        assert judge.api("POST", f"/api/submissions/{busy}/cancel", {})[0] == 200
        pair.leave()
        c.await_workers(2)
        done(judge, [post(judge, ONE, 0)])
        assert judge.api("GET", f"/api/submissions/{ahead}")[1]["state"] == "waiting"
        another = node(c, BOARD, BOARD)
        done(judge, [ahead])
        begun = next(n for n in notes(another) if n["id"] == ahead)
        assert sorted(begun["gpus"]) == ["cuda:0", "cuda:1"], begun
        assert leases(judge, ahead) == [("attempt 1 begins", "compiler"), ("attempt 1 is judged", begun["gpus"][0])]


def test_compiled_beside_a_pair(judge):
    """Two GPUs of a worker with compilers judge a problem for two together, and each of them what is for one alone. The
    compilers are no GPUs: what they have compiled is all that the GPUs judge."""
    with cluster(judge) as c:
        pair = node(c, BOARD, BOARD, compilers=2)
        roles = sorted((w["role"], w["device"]) for w in c.seen())
        assert roles == [("compile", "compiler")] * 2 + [("judge", "cuda:0"), ("judge", "cuda:1")], roles
        wanted = {post(judge, problem, 0): problem for problem in (TWO, ONE, TWO, ONE, ONE, TWO)}
        done(judge, wanted)
        had = {n["id"]: n["gpus"] for n in notes(pair)}
        for ident, problem in wanted.items():
            (begins, compiler), (judged, device) = leases(judge, ident)
            assert (begins, compiler, judged) == ("attempt 1 begins", "compiler", "attempt 1 is judged"), ident
            assert device == had[ident][0] and len(had[ident]) == (1 if problem == ONE else 2), (ident, had)
        assert sorted(flags(pair)) == [["--judged"]] * len(wanted) + [["--submission"]] * len(wanted), flags(pair)
        pair.kill(signal.SIGTERM)
        assert pair.end() == 0 and not c.seen(), c.text()


def test_a_daemon_that_is_started_again(judge):
    """Workers register again, and a problem for two is judged anew by both."""
    with cluster(judge, lease="20", port=own_port()) as c:
        pair = node(c, BOARD, BOARD)
        both = post(judge, TWO, "go")
        await_begin(pair, both)
        judge.kill()
        judge.start(*c.args)
        let(pair, "go")
        got = judge.wait_done(both)
        assert got["verdict"] == "wrong_answer", got
        assert all(sorted(n["gpus"]) == ["cuda:0", "cuda:1"] and not n.get("beside") for n in notes(pair)), notes(pair)


def test_the_script_for_real_gpus(judge):
    """tests/gpu/two-workers, with an arbiter that finds everything wrong."""
    stand_in(judge, BOARD, BOARD)
    prefix, out = judge.bin.parents[1], judge.home / "out"
    for name in ("warpjudge-compile", "warpjudge-arbiter"):
        path = prefix / "libexec" / name
        path.write_text(path.read_text()
                        .replace('until = open(sys.argv[-1] + "/submission.cu").read().split()[place]', "until = '0.5'")
                        .replace('open(home + "/devices")', f'open("{judge.home}/devices")'))
    script = [ROOT / "tests/gpu/two-workers", prefix, out]
    env = {**os.environ, "WARPJUDGE_PROBLEMS": str(ROOT / "problems")}
    run = subprocess.run(script, env=env, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * len(list((ROOT / "solutions" / TWO).glob("*.cu"))), run
    for row in rows:
        assert row["verdict"] == "wrong_answer" and len(row["devices"]) == (2 if row["problem"] == TWO else 1), row
    # What was wrong is the verdicts, and nothing else; a worker with one GPU was refused.
    said = [line for line in run.stdout.splitlines() if line.startswith("FAILED") and ": " in line]
    right = sum("wrong-" in row["name"] and row["problem"] == TWO for row in rows)
    assert len(said) == len(rows) - right and all(line.endswith(": expected accepted: judged") for line in said), run
    assert (run.returncode, run.stdout.splitlines()[-1]) == (1, f"{1 + right} passed, {len(said)} failed"), run
    # Where the second GPU is of another kind, no worker judges problems for two.
    set_gpus(judge, BOARD, "Other")
    run = subprocess.run(script, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "no worker for it has had so many" in run.stdout, run


def own_problems(judge):
    """The judge's problems become a copy of two of them."""
    folder = judge.home / "problems"
    for problem in (ONE, TWO):
        shutil.copytree(ROOT / "problems" / problem, folder / problem)
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder)


def change_gpus(judge, problem, gpus):
    """As an author does it, whose editor writes a new file."""
    path = judge.home / "problems" / problem / "problem.json"
    spec = json.loads(path.read_text())
    spec["gpus"] = gpus
    new = path.with_suffix(".new")
    new.write_text(json.dumps(spec))
    new.rename(path)


def test_a_problem_that_comes_to_need_another_number(judge):
    """What waits goes by what its problem needs now, though nobody asks for the problem meanwhile."""
    stand_in(judge, BOARD)
    own_problems(judge)
    with Cluster(judge, "--stay", "1", only=False) as c:
        pair = node(c, BOARD, BOARD)
        change_gpus(judge, ONE, 2)
        both = judge.post("// 0 0\n", ONE, device="cuda:0")
        done(judge, [both])
        assert {tuple(sorted(n["gpus"])) for n in notes(pair)} == {("cuda:0", "cuda:1")}
        pair.leave()
        assert not c.seen()
        waits = judge.post("// 0 0\n", ONE, device="cuda:0")
        assert "two GPUs" in judge.api("GET", f"/api/submissions/{waits}")[1]["waiting_reason"]
        # A spec that is broken meanwhile changes nothing.
        path = judge.home / "problems" / ONE / "problem.json"
        whole = path.read_text()
        path.write_text(whole[:-10])
        time.sleep(1.5)
        assert judge.api("GET", f"/api/submissions/{waits}")[1]["state"] == "queued"
        path.write_text(whole)
        change_gpus(judge, ONE, 1)
        done(judge, [waits])
        assert [n["gpus"] for n in notes(judge) if n["id"] == waits] == 2 * [["cuda:0"]], notes(judge)


SLURM = """listen = 127.0.0.1:{port}
registration = invitation
workers-only = yes
[slurm]
server = http://127.0.0.1:{port}
shared = {home}/shared
user = boss
"""


def test_what_waits_for_which_pilots(judge):
    """A problem for two GPUs waits for pilots with two, others for pilots with one, or with two where none has one. Slurm's
    commands fail: only what is counted is asked."""
    own_problems(judge)
    judge.start()
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO users (name, created_ms) VALUES ('ada', 1)")
        db.execute("INSERT INTO sources (sha256, text) VALUES ('x', 'int x;')")
        for problem, board in 5 * [(ONE, "A")] + 3 * [(TWO, "A")] + 2 * [(ONE, "B")] + [(TWO, "B"), (ONE, "C"), ("none-such", "A")]:
            db.execute("INSERT INTO submissions (user_id, problem, device, board, filename, source, sample_only, created_ms)"
                       " VALUES (1, ?, ?, ?, 'k.cu', 'x', 0, 1)", (problem, board, board))
    db.close()
    tools = judge.home / "tools"
    tools.mkdir()
    for name in ("sbatch", "squeue", "scancel", "scontrol", "sacct"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    judge.env["PATH"] = f"{tools}:{judge.env['PATH']}"
    config = judge.home / "warpjudge.conf"
    config.write_text(SLURM.format(port=own_port(), home=judge.home) + "".join(
        f"[slurm {name}]\nboard = {board}\narch = sm_90a\npartition = low\ngres = gpu:{gpus}\ngpus = {gpus}\n"
        for name, board, gpus in (("a-one", "A", 1), ("a-two", "A", 2), ("b-two", "B", 2))))
    judge.start("--config", str(config))

    def waiting():
        return [g["waiting"] for g in judge.api("GET", "/api/health")[1]["slurm"]["groups"]]

    await_that(lambda: any(waiting()), "they are counted", judge.log.read_text)
    assert waiting() == [6, 3, 3], waiting()
    # They go by what their problem needs now.
    for gpus, counts in ((2, [1, 8, 3]), (1, [6, 3, 3])):
        change_gpus(judge, ONE, gpus)
        await_that(lambda counts=counts: waiting() == counts, "they are counted anew", lambda: str(waiting()))
