"""Who gets which GPU: the real daemon, with programs in the compiler's and the arbiter's place that
know as many GPUs as the test says, judge nothing, and note when they had which. What takes its
time takes seconds, or until the test lets it go on (a word, see let())."""
import json
import os
import random
import shutil
import sqlite3
import time

from harness import ROOT, await_that

ONE, TWO = "vector-addition", "tensor-parallel-matmul"

PAUSE = r"""#!/usr/bin/env python3
import json, os, re, sys, time

def pause(place):
    until = open(sys.argv[-1] + "/submission.cu").read().split()[place]
    if re.match(r"[0-9.]+(e-[0-9]+)?$", until):
        time.sleep(float(until))
    else:
        while not os.path.exists(f"{os.environ['WARPJUDGE_HOME']}/let-{until}"):
            time.sleep(0.02)

"""

# What it compiles it notes; of a submission that another machine has compiled it makes the reference only. Where the source says
# so, its submission is made before its reference.
COMPILER = PAUSE + r"""
flag, folder = sys.argv[1] if len(sys.argv) > 2 else "", sys.argv[-1]
if "reference-last" in open(folder + "/submission.cu").read().split():
    print('{"event":"submission"}', flush=True)
pause(2)
with open(os.environ["WARPJUDGE_HOME"] + "/compiled", "a") as f:
    f.write(f"{time.monotonic()} {flag}\n")
with open(os.environ["WARPJUDGE_HOME"] + "/compiler-cpus", "a") as f:
    f.write(f"{len(os.sched_getaffinity(0))}\n")
print('{"event":"reference"}', flush=True)
number = json.load(open(folder + "/job.json"))["format"]
if flag == "--judged":
    assert open(folder + "/submission").read() == "a program"
else:
    open(folder + "/submission", "w").write("a program")
with open(folder + "/compile.json", "w") as f:
    json.dump({"format": number, "ok": True, "verdict": "accepted", "message": "", "cached": True, "seconds": 0}, f)
print('{"event":"done"}', flush=True)
"""

# A submission's source says how long it wants to be judged, and its reference to be compiled.
ARBITER = PAUSE + r"""
home = os.environ["WARPJUDGE_HOME"]
if sys.argv[1] == "--devices":
    print(open(home + "/devices").read(), end="")
    sys.exit(0)

def note(what, **more):
    line = json.dumps({"what": what, "at": time.monotonic(), "id": job["id"], "pid": os.getpid(),
                       "gpus": gpus, "driver": os.environ.get("CUDA_CACHE_PATH"),
                       "cpus": len(os.sched_getaffinity(0)), **more})
    fd = os.open(home + "/notes", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, line.encode() + b"\n")
    os.close(fd)

def others(*whats):
    # Other arbiters that live, and have done one of these last on one of our GPUs.
    last = {}
    for line in open(home + "/notes") if os.path.exists(home + "/notes") else ():
        n = json.loads(line)
        last[n["pid"]] = n
    return [pid for pid, n in last.items() if n["what"] in whats and set(n["gpus"]) & set(gpus) and
            pid != os.getpid() and os.path.exists(f"/proc/{pid}")]

def judge(end):
    note("begin", beside=others("begin"), idle=others("end"))
    if sys.stdin.readline() == "reference" + end and sys.stdin.readline() == "go" + end:
        pause(1)
        with open(sys.argv[-1] + "/result.json", "w") as f:
            json.dump({"format": job["format"], "verdict": "wrong_answer", "message": "judged", "may_retry": False,
                       "board": "Gpu", "tests": []}, f)
    note("end")

def read_job():
    global job, gpus
    job = json.load(open(sys.argv[-1] + "/job.json"))
    gpus = [job["device"]] + ([job["partner"]] if "partner" in job else [])

if sys.argv[1] == "--stay":
    for line in sys.stdin:
        if line.startswith("job "):
            fence, _, sys.argv[-1] = line.rstrip("\n").split(" ", 3)[1:]
            read_job()
            judge(f" {fence}\n")
            for event in ("result", "idle"):
                print(json.dumps({"event": event, "job": fence}), flush=True)
else:
    read_job()
    judge("\n")
"""


def set_gpus(judge, *boards):
    devices = [{"name": f"cuda:{i}", "board": board, "title": board, "arch": "sm_90a", "driver": "1",
                "memory_bytes": 1 << 30} for i, board in enumerate(boards)]
    devices.append({**(devices[0] if devices else {}), "name": "emu", "board": "emu", "title": "emu",
                    "arch": "compute_80", "driver": "", "memory_bytes": 1 << 30})
    (judge.home / "devices").write_text("".join(json.dumps(d) + "\n" for d in devices))


def stand_in(judge, *boards):
    """The judge's programs become the stand-ins, and know these GPUs."""
    prefix = judge.home / "prefix"
    for folder in ("bin", "libexec"):
        (prefix / folder).mkdir(parents=True)
    shutil.copy2(judge.prefix / "bin/warpjudge", prefix / "bin")
    shutil.copy2(judge.prefix / "libexec/warpjudged", prefix / "libexec")
    for name, text in (("warpjudge-compile", COMPILER), ("warpjudge-arbiter", ARBITER)):
        (prefix / "libexec" / name).write_text(text)
        (prefix / "libexec" / name).chmod(0o755)
    for name in ("lib", "libexec/bwrap"):
        if (judge.prefix / name).exists():
            (prefix / name).symlink_to(judge.prefix / name)
    judge.bin = prefix / "bin/warpjudge"
    judge.env["WARPJUDGE_PROBLEMS"] = str(ROOT / "problems")
    set_gpus(judge, *boards)


def start(judge, *boards, options=()):
    stand_in(judge, *boards)
    judge.start("--stay", "1", *options)


def post(judge, problem, gpu, takes, reference=0):
    return judge.post(f"// {takes} {reference}\n", problem, device=f"cuda:{gpu}")


def let(judge, word):
    """Ends the pauses for this word."""
    (judge.home / f"let-{word}").touch()


def notes(judge):
    if not (judge.home / "notes").exists():
        return []
    return [json.loads(line) for line in (judge.home / "notes").read_text().splitlines()]


def times(judge):
    """{id: (begin, end)}, where each arbiter came to its end; GPUs are never shared."""
    begun, out = {}, {}
    for n in notes(judge):
        if n["what"] == "begin":
            busy = {c for gpus, _ in begun.values() for c in gpus}
            assert not busy & set(n["gpus"]), (n, begun)
            begun[n["pid"]] = (n["gpus"], n["at"])
        else:
            out[n["id"]] = (begun.pop(n["pid"])[1], n["at"])
    assert not begun, begun
    return out


def await_begin(judge, ident):
    await_that(lambda: any(n["id"] == ident for n in notes(judge)), f"{ident} begins",
               lambda: notes(judge))


def busy(judge):
    return [d["busy"] for d in judge.api("GET", "/api/health")[1]["devices"]]


def done(judge, idents):
    for ident in idents:
        got = judge.wait_done(ident)
        assert got["verdict"] == "wrong_answer" and got["attempt"] == 1, got


def test_no_gpu_is_shared(judge):
    seed = time.time_ns() % 100000
    print(f"      seed {seed}")
    rng = random.Random(seed)
    start(judge, "Gpu", "Other", "Gpu", "Gpu")
    idents = []
    for _ in range(40):
        # cuda:1 is the only one of its kind; the partner of 0 is 2, of 2 3, of 3 0.
        gpu = rng.randrange(4)
        idents.append(post(judge, TWO if gpu != 1 and rng.random() < 0.4 else ONE, gpu,
                           rng.uniform(0, 0.15)))
    done(judge, idents)
    assert sorted(times(judge)) == sorted(idents)
    partners = {tuple(n["gpus"]) for n in notes(judge) if len(n["gpus"]) > 1}
    assert partners <= {("cuda:0", "cuda:2"), ("cuda:2", "cuda:3"), ("cuda:3", "cuda:0")}, partners
    assert partners
    # Each line in its order.
    lines = {}
    for n in notes(judge):
        if n["what"] == "begin":
            lines.setdefault(n["gpus"][0], []).append(n["id"])
    assert all(ids == sorted(ids) for ids in lines.values()), lines


def test_the_driver_has_a_folder(judge):
    """What the GPU's driver compiles of the judge's kernels is kept where no user's home has to be writable. Elsewhere
    where the operator says so."""
    folder = judge.home / "cache/driver"
    start(judge, "A")
    judge.wait_done(post(judge, ONE, 0, 0))
    judge.stop()
    assert folder.stat().st_mode & 0o777 == 0o700
    judge.env["CUDA_CACHE_PATH"] = "/elsewhere"
    judge.start("--stay", "1")
    judge.wait_done(post(judge, ONE, 0, 0))
    assert {n["driver"] for n in notes(judge)} == {str(folder), "/elsewhere"}


def test_nobody_waits_for_ever(judge):
    """Whoever needs two GPUs goes before those on the other GPU that are younger."""
    start(judge, "Gpu", "Gpu")
    older = post(judge, ONE, 1, "older")
    both = post(judge, TWO, 0, "both")
    younger = [post(judge, ONE, gpu, 0.05) for gpu in (1, 0) * 5]
    await_begin(judge, older)
    assert busy(judge) == [False, True, False]
    let(judge, "older")
    await_begin(judge, both)
    assert busy(judge) == [True, True, False]
    let(judge, "both")
    done(judge, [older, both, *younger])
    at = times(judge)
    assert at[older][1] <= at[both][0], at
    assert all(at[both][1] <= at[y][0] for y in younger), at


def test_a_long_line_holds_up_nobody_else(judge):
    """The other GPU goes on until the judgement for two is the next one of its own line."""
    start(judge, "Gpu", "Gpu")
    ahead = [post(judge, ONE, 0, takes) for takes in (0.1, 0.1, "others")]
    both = post(judge, TWO, 0, 0)
    other = [post(judge, ONE, 1, 0.05) for _ in range(3)]
    done(judge, other)
    let(judge, "others")
    done(judge, [*ahead, both])
    at = times(judge)
    assert all(at[o][1] < at[ahead[2]][1] for o in other), at


def test_two_that_want_each_others(judge):
    start(judge, "Gpu", "Gpu")
    idents = [post(judge, TWO, i % 2, 0.1 if i < 2 else "rest") for i in range(8)]
    judge.wait_done(idents[1])
    judge.kill()
    (judge.home / "notes").unlink()  # of arbiters that were killed
    judge.start()
    let(judge, "rest")
    done(judge, idents)
    left = times(judge)
    assert sorted(left, key=left.get) == sorted(left), left


def test_no_gpu_waits_for_the_compilers_of_emu(judge):
    """Compilers of older submissions for emu would take all CPUs."""
    start(judge, "Gpu")
    many = (os.cpu_count() or 1) + 2

    def post_to_emu(word):
        return [judge.post(f"// 0 {word}\n", ONE, device="emu") for _ in range(many)]

    older, old = post_to_emu("older"), post_to_emu("old")
    young = post(judge, ONE, 0, 0)
    let(judge, "older")
    done(judge, [young])
    assert all("verdict" not in judge.api("GET", f"/api/submissions/{ident}")[1] for ident in old)
    let(judge, "old")
    done(judge, older + old)


def test_compilers_and_emu_leave_cpus_to_a_gpu(judge):
    """A GPU's arbiter may run on all CPUs, and nothing else on four of them, or on half. One CPU is everybody's."""
    start(judge, "Gpu")
    all_cpus = len(os.sched_getaffinity(0))
    spare = max(all_cpus - 4, all_cpus // 2, 1)
    done(judge, [post(judge, ONE, 0, 0), judge.post("// 0 0\n", ONE, device="emu")])
    assert {(n["gpus"][0], n["cpus"]) for n in notes(judge)} == {
        ("cuda:0", all_cpus), ("emu", spare - spare // 3 if spare < all_cpus else all_cpus)}
    assert (judge.home / "compiler-cpus").read_text().split() == [str(spare)] * 2


def test_who_waits_for_a_reference_keeps_no_compiler_away(judge):
    """As many submissions as there are CPUs wait for a reference that another one's compiler makes. They leave the CPUs to what
    comes after them. One CPU is that compiler's, so that there must be two."""
    start(judge)
    many = min(os.cpu_count() or 1, 40) + 1  # 64 of a device are compiled ahead
    waiting = [judge.post("// 0 held reference-last\n", ONE, device="emu") for _ in range(many)]
    other = judge.post("// 0 0\n", "reduction", device="emu")
    await_that((judge.home / "compiled").exists, "the other one is compiled")
    assert all(judge.api("GET", f"/api/submissions/{ident}")[1]["state"] == "compiling" for ident in waiting)
    let(judge, "held")
    done(judge, waiting + [other])


def test_too_few_gpus(judge):
    start(judge, "Gpu", "Other")
    status, answer = judge.api("POST", "/api/submissions", {
        "problem": TWO, "user": "ada", "filename": "k.cu", "source": "// 0\n", "mode": "submit",
        "device": "cuda:1"})
    assert status == 400 and answer["error"] == (
        "tensor-parallel-matmul is not judged on cuda:1: it needs 2 GPUs of one kind, and this machine "
        "has 1 of that kind"), answer
    for args, says in ((("show", TWO), "  " + answer["error"]),
                       (("rank", TWO, "-d", "cuda:1"), "nobody is on this board: " + answer["error"])):
        assert says in judge.cli(*args, status=0).stdout.splitlines(), args
    run = judge.cli("submit", judge.write("s.cu", f"// warpjudge: {TWO}\n"), "--device", "cuda:0", status=2)
    assert "it needs 2 GPUs of one kind, and this machine has 1 of that kind" in run.stderr, run.stderr
    # Both were there when it was submitted.
    judge.stop()
    set_gpus(judge, "Gpu", "Gpu")
    judge.start()
    assert judge.api("GET", f"/api/problems/{TWO}")[1]["refused"] == []
    assert "refused" not in judge.api("GET", f"/api/problems/{TWO}/board?device=cuda:0")[1]
    post(judge, ONE, 0, "killed")
    ident = post(judge, TWO, 0, 0)
    judge.kill()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    assert db.execute("SELECT count(*) FROM submissions WHERE NOT done").fetchone() == (2,)
    db.execute("DELETE FROM submissions WHERE id <> ?", (ident,))
    db.commit()
    db.close()
    set_gpus(judge, "Gpu")
    # A worker that has two could register again, for as long as a lease may be silent.
    judge.start("--lease", "1")
    got = judge.wait_done(ident)
    assert got["verdict"] == "judge_error" and "it needs 2 GPUs of one kind" in got["message"], got


def test_an_arbiter_begins_before_there_is_a_reference(judge):
    start(judge, "Gpu")
    ident = post(judge, ONE, 0, 0, reference="begun")
    await_begin(judge, ident)
    let(judge, "begun")
    done(judge, [ident])
    compiled = float((judge.home / "compiled").read_text().split()[0])
    begin, end = times(judge)[ident]
    assert begin < compiled < end, (begin, compiled, end)
