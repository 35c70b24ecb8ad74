"""Pilots of a Slurm cluster: Debian's slurm-wlm with two nodes on this machine (slurm_bed.py), and nothing that
stands in for its commands. Where a test asks only which jobs there are, the pilots' program is a script that
waits."""
import json
import re
import signal
import stat
import subprocess
import time
from contextlib import contextmanager
from types import SimpleNamespace

import slurm_bed
from harness import BACKSTOP_S, DEMO, ROOT, SHARED, await_that, own_port, slow_once
from test_devices import ONE, TWO, await_begin, done, let, notes, set_gpus, stand_in
from test_rights import Tcp, join

# Where there is Slurm already, `make test` has these four minutes of it.
SLOW = "it installs Slurm, which no newcomer's machine should get unasked" if slurm_bed.missing() else None
NEEDS = "server-packages"
RIGHT = (DEMO / "right.cu").read_text()
ENDED = ("COMPLETED", "CANCELLED", "FAILED", "NODE_FAIL", "PREEMPTED", "TIMEOUT", "COMPLETING")
HEAD = """listen = 127.0.0.1:{port}
registration = invitation
{own}
lease = 5
[slurm]
server = http://127.0.0.1:{port}
shared = {home}/shared
user = boss
poll = 2
node-home = {home}/node
"""
# What a pilot is told, a line for each.
WAITS = '#!/bin/sh\necho "$SLURM_JOB_ID $SLURMD_NODENAME $*" >>{told}\nexec sleep 1000\n'


def group(name="emu", **keys):
    """A section of the judge's configuration: one GPU for each pilot, unless a key says otherwise; None leaves it out."""
    keys = {"board": "emu", "partition": "low", "gres": "gpu:1"} | keys
    return f"[slurm {name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items() if value is not None)


def settled(condition, what, shown):
    """As await_that(), for what asks Slurm: each question is a process."""
    return await_that(lambda: condition() or time.sleep(0.3), what, shown)


class Cluster:
    """A judge with a bed below its folder; it leaves everything to pilots, unless `own` says otherwise."""

    def __init__(self, judge, bed, groups, program, own):
        self.judge, self.bed = judge, bed
        self.told = judge.home / "told"
        self.port = bed.judge_port
        self.config = judge.home / "warpjudge.conf"
        head = HEAD.format(port=self.port, home=judge.home, own=own)
        if program:
            # In a folder of its own, so that a node can lack it.
            (judge.home / "program").mkdir()
            script = judge.home / "program/pilot"
            script.write_text(program.format(told=self.told))
            script.chmod(0o755)
            head += f"program = {script}\n"
        self.config.write_text(head + groups)
        (judge.home / "node").mkdir(mode=0o700)
        (judge.home / "node/cache").symlink_to(SHARED / "cache")
        judge.env |= {**bed.env, "WARPJUDGE_HOME": str(judge.home)}
        self.start()
        self.boss = join(judge, "boss", "admin")

    def start(self):
        self.judge.start("--config", str(self.config))

    def slurm(self):
        return self.judge.api("GET", "/api/health")[1]["slurm"]

    def group(self, name):
        return next(g for g in self.slurm()["groups"] if g["name"] == name)

    def events(self):
        return [e["text"] for e in self.slurm()["events"]]

    def shown(self):
        return f"{json.dumps(self.slurm(), indent=1)}\n{self.bed.jobs()}"

    def await_event(self, *words):
        settled(lambda: any(all(w in e for w in words) for e in self.events()), f"an event with {words}", self.shown)

    def pilots(self, group, *states):
        """Ids of jobs by which group they are of, and how they are."""
        return sorted(ident for ident, (state, name, _, _) in self.bed.jobs().items()
                      if name.startswith("warpjudge-") and name.endswith(f"-{group}")
                      and (state in states if states else state not in ENDED))

    def await_pilots(self, group, count, *states):
        found = []

        def counted():
            found[:] = self.pilots(group, *states)
            return len(found) == count

        settled(counted, f"{count} pilots of {group} are {states}", self.shown)
        return found

    def tokens(self):
        return sorted((self.judge.home / "shared").glob("warpjudge-*/token-*"))


@contextmanager
def cluster(judge, groups, program=None, own="workers-only = yes", **bed_options):
    why = slurm_bed.missing()
    if why:
        print(f"no test of Slurm: {why}")
        yield None
        return
    with slurm_bed.Bed(judge.home / "bed", **bed_options) as bed:
        made = Cluster(judge, bed, groups, program, own)
        yield made
        if judge.daemon:
            judge.stop()


def test_pilots_come_and_go(judge):
    """As many as are needed and allowed; one daemon's pilots are the next one's; the last one ends them."""
    # It stands in for Apptainer: it says what it is told, and runs what it is to run.
    box = judge.write("container", f'#!/bin/sh\nprintf "%s\\n" "$1" "$2" "$3" "$4" >{judge.home}/boxed\nshift 3; exec "$@"\n')
    box.chmod(0o755)
    with cluster(judge, group(pilots=4, time=10, options="--nice=5 --mem=100",
                              container=f'{box} exec --nv "judge image.sif"'), WAITS) as c:
        if c is None:
            return
        assert not c.pilots("emu")  # nothing waits
        first = judge.post(RIGHT)
        c.await_pilots("emu", 1, "RUNNING")
        for _ in range(19):
            judge.post(RIGHT)
        c.await_pilots("emu", 3, "RUNNING")  # there are three GPUs
        mine = c.await_pilots("emu", 4)
        assert [c.bed.jobs()[i][0] for i in mine].count("PENDING") == 1
        settled(lambda: (c.group("emu")["running"], c.group("emu")["pending"], c.group("emu").get("reason")) ==
                   (3, 1, "Resources"), "status knows", c.shown)
        text = judge.cli("status", status=0).stdout
        assert "pilots that judge: 3 of at most 4; that wait for a node: 1 (Resources)" in " ".join(text.split()), text
        told = settled(lambda: c.told.read_text().splitlines() if c.told.exists() and
                          len(c.told.read_text().splitlines()) == 3 else None, "three have begun", c.shown)
        assert (judge.home / "boxed").read_text().splitlines() == ["exec", "--nv", "judge image.sif",
                                                                   str(judge.home / "program/pilot")]
        token, = c.tokens()
        for line in told:
            words = line.split()
            assert words[2:6] == ["worker", "--server", f"http://127.0.0.1:{c.port}", "--token-file"], line
            assert words[6] == str(token) and words[7:11] == ["--device", "emu", "--idle-s", "60"], line
            assert words[11] == "--until" and 300 < int(words[12]) - time.time() <= 600, line
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        secret = token.read_text().strip()
        tcp = Tcp(c.port)
        assert tcp.token("POST", "api/worker/lease", secret, {})[0] == 409  # it may ask, once it has registered
        assert tcp.token("GET", "api/accounts", secret)[0] == 403
        # A daemon that was killed finds them again, and doubles none.
        judge.kill()
        c.start()
        settled(lambda: (c.group("emu")["running"], c.group("emu")["pending"]) == (3, 1), "they are found", c.shown)
        more = judge.post(RIGHT)
        settled(lambda: c.group("emu")["waiting"] == 21, "it is counted", c.shown)
        assert c.pilots("emu") == mine and len(c.bed.jobs()) == 4, c.shown()
        # Whoever is not needed any more is cancelled, if it only waits.
        for ident in range(first, more + 1):
            assert judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200
        c.await_pilots("emu", 0, "PENDING")
        assert len(c.pilots("emu", "RUNNING")) == 3
        judge.stop()
        settled(lambda: not c.pilots("emu"), "the pilots are cancelled", lambda: str(c.bed.jobs()))
        assert not c.tokens()
        c.start()
        assert tcp.token("POST", "api/worker/lease", secret, {})[0] == 401


def test_what_fails_is_told(judge):
    """A group that sbatch refuses, a node that lacks what pilots need, one that is lost, a job that is preempted
    and one that is too late: a sentence each, and other pilots go on."""
    groups = (group(pilots=3), group("late", partition="high", gres=None, options="--mem=10", pilots=1),
              group("none", partition="no-such", gres=None, pilots=2))
    with cluster(judge, "".join(groups), WAITS) as c:
        if c is None:
            return
        c.bed.kill("n2")
        c.bed.begin("n2", hides=judge.home / "program")
        for _ in range(12):
            judge.post(RIGHT)
        # A busy machine's first sbatch may have taken too long, which is another trouble.
        settled(lambda: "nvalid partition name" in c.group("none").get("trouble", ""), "sbatch refuses", c.shown)
        c.await_event("did not begin: n2 does not have the pilots' program")
        c.await_pilots("emu", 2, "RUNNING")
        # n2 is left out now, though its GPU is free: the third pilot waits.
        third, = c.await_pilots("emu", 1, "PENDING")
        assert "ExcNodeList=n2" in c.bed.ask("scontrol", "--oneliner", "show", "job", third)
        c.await_pilots("late", 1, "RUNNING")
        # A job of more weight takes n1's GPUs.
        c.bed.ask("sbatch", "--parsable", "--partition=high", "--gres=gpu:2", "--nodelist=n1", "--output=/dev/null",
                  "--wrap=sleep 1")
        c.await_event("was preempted (n1)")
        c.await_pilots("emu", 2, "RUNNING")
        # The node is gone, with all that ran there.
        c.bed.lose("n1")
        c.await_event("lost its node (n1)")
        c.bed.begin("n1")
        c.await_pilots("emu", 2, "RUNNING")
        assert judge.api("GET", "/api/health")[1]["queued"] == 12

        def is_late():
            """Each pilot of that group has a minute in all, which is the least that Slurm knows."""
            for ident in c.pilots("late", "RUNNING"):
                c.bed.run("scontrol", "update", f"JobId={ident}", "TimeLimit=1")  # it may have ended since
            return any("reached its time limit" in e for e in c.events())

        settled(is_late, "a pilot is too late", c.shown)


def test_pilots_with_two_gpus(judge):
    """Where the board has a group for one GPU and one for two, each gets pilots for what needs it."""
    both = {"board": "Test GPU", "arch": "sm_90", "pilots": 2}
    with cluster(judge, group("one", **both) + group("two", **both, gres="gpu:2", gpus=2), WAITS) as c:
        if c is None:
            return
        judge.post("// nobody judges it\n", "tensor-parallel-matmul", device="Test GPU")
        two, = c.await_pilots("two", 1, "RUNNING")
        assert not c.pilots("one") and (c.group("one")["waiting"], c.group("two")["waiting"]) == (0, 1), c.shown()
        judge.post(RIGHT, device="Test GPU")
        one, = c.await_pilots("one", 1, "RUNNING")
        assert c.pilots("two") == [two] and (c.group("one")["waiting"], c.group("two")["waiting"]) == (1, 1), c.shown()
        for job, gpus in ((one, 1), (two, 2)):
            assert f"TresPerNode=gres:gpu:{gpus} " in c.bed.ask("scontrol", "--oneliner", "show", "job", job)
        told = settled(lambda: c.told.exists() and len(lines := c.told.read_text().splitlines()) == 2 and
                       dict(line.split(" ", 1) for line in lines), "both have begun", c.shown)
        assert " --device cuda:0 --device cuda:1 --idle-s " in told[str(two)], told
        assert " --device cuda:0 --idle-s " in told[str(one)], told


def test_one_gpu_of_its_own(judge):
    """The judge's own machine has one GPU, and the pilots of its board have two. A problem for two is a pilot's, and is not
    in the way of others on the judge's own GPU. The stand-ins of test_devices.py judge here and there."""
    board = "Gpu"
    stand_in(judge, board)
    with cluster(judge, group("two", board=board, arch="sm_90a", gres="gpu:2", gpus=2, pilots=1), own="stay = 1") as c:
        if c is None:
            return
        node = SimpleNamespace(home=judge.home / "node")
        set_gpus(node, board, board)

        def post(problem, takes):
            return judge.post(f"// {takes} 0\n", problem, device="cuda:0")

        # What the own GPU judges at once asks for no pilot.
        done(judge, [post(ONE, 0)])
        assert c.group("two")["waiting"] == 0 and not c.bed.jobs(), c.shown()
        both = post(TWO, "both")
        settled(lambda: any(n["id"] == both for n in notes(node)), "a pilot judges it", c.shown)
        job, = c.pilots("two", "RUNNING")
        assert "TresPerNode=gres:gpu:2 " in c.bed.ask("scontrol", "--oneliner", "show", "job", job)
        # Both GPUs of the pilot are busy. The next one for two waits for them, and others have the own GPU.
        later = post(TWO, 0)
        alone = [post(ONE, 0) for _ in range(3)]
        done(judge, alone)
        held = post(ONE, "held")
        await_begin(judge, held)
        let(node, "both")
        done(judge, [both, later])
        # While the own GPU is busy, what needs one is the pilot's, too, but for one that may be compiled here already.
        others = [post(ONE, 0) for _ in range(4)]
        await_that(lambda: len({n["id"] for n in notes(node) if n["what"] == "end"} & set(others)) >= 3, "the pilot judges three",
                   lambda: str(notes(node)) + c.shown())
        let(judge, "held")
        done(judge, [held, *others])
        had = {n["id"]: n["gpus"] for n in notes(node)}
        own = {n["id"] for n in notes(judge)}
        assert {held, *alone} <= own and not {both, later} & own and set(had) == {both, later, *others} - own, (had, own)
        for ident, gpus in had.items():
            assert sorted(gpus) == ["cuda:0", "cuda:1"] if ident in (both, later) else len(gpus) == 1, had
        assert not any(n.get("beside") for n in notes(node) + notes(judge)), (notes(node), notes(judge))


def test_slurm_that_does_not_answer(judge):
    """Without munge no command works. The judge says so, goes on with all else, and takes up where it was."""
    with cluster(judge, group(pilots=2), WAITS) as c:
        if c is None:
            return
        for _ in range(8):
            judge.post(RIGHT)
        mine = c.await_pilots("emu", 2, "RUNNING")
        settled(lambda: c.group("emu")["running"] == 2, "they are seen", c.shown)
        c.bed.kill("munged")
        # A command that has begun before that may fail in another way.
        settled(lambda: "squeue ran for too long" in c.slurm().get("trouble", ""), "Slurm does not answer", c.shown)
        assert "Slurm does not answer" in judge.cli("status", status=0).stdout
        judge.post(RIGHT)  # it is taken all the same
        assert c.group("emu")["running"] == 2
        c.bed.begin("munged")
        settled(lambda: "trouble" not in c.slurm(), "it answers again", c.shown)
        assert c.pilots("emu") == mine, c.shown()
        # Pilots that fail by themselves are not started again and again.
        (judge.home / "program/pilot").write_text("#!/bin/sh\necho no luck >&2\nexit 5\n")
        for ident in mine:
            c.bed.ask("scancel", ident)
        c.await_event("with status 5: its log is in")
        folder = next((judge.home / "shared").iterdir())
        # It is told for as long as no other pilot is there.
        settled(lambda: c.group("emu").get("trouble", "").endswith(f"with status 5: its log is in {folder}"), "it is told", c.shown)
        failed = next(m[1] for e in c.events() if (m := re.match(r"pilot (\d+) ended on \S+ with status 5: ", e)))
        assert (folder / f"pilot-{failed}.log").read_text() == "no luck\n"  # another's may not have begun to print


# --- with workers that judge ----------------------------------------------------------------------

class Work:
    """Submissions that take so many seconds each, and what has come of them."""

    def __init__(self, cluster, count, seconds):
        self.cluster = cluster
        self.ids = [cluster.judge.post(slow_once(RIGHT, seconds), mode="run") for _ in range(count)]
        self.done = {}  # as each was when it was first seen done

    def look(self):
        for ident in self.ids:
            if ident not in self.done:
                status, answer = self.cluster.judge.api("GET", f"/api/submissions/{ident}")
                assert status == 200, answer
                if answer["state"] == "done":
                    self.done[ident] = answer
        return len(self.done)

    def await_done(self, count):
        settled(lambda: self.look() >= count, f"{count} are done",
                lambda: f"{len(self.done)}\n{self.cluster.shown()}\n{self.cluster.bed.told()}")

    def await_judging(self, count):
        """So many are with workers at this moment."""
        settled(lambda: sum("submission" in w for w in self.cluster.judge.api("GET", "/api/workers")[1]["workers"])
                >= min(count, len(self.ids) - self.look()), f"{count} are judged", self.cluster.shown)

    def check(self):
        """None is lost, and none has got a second result after its first."""
        self.await_done(len(self.ids))
        for ident, answer in self.done.items():
            assert answer["verdict"] == "accepted" and answer["attempt"] <= 3, answer
            assert self.cluster.judge.api("GET", f"/api/submissions/{ident}")[1] == answer


def test_pilots_with_compilers(judge):
    """A pilot compiles what it judges by compilers of its own. Its token is for both, and the job is over with its device."""
    with cluster(judge, group(pilots=1, compilers=2, options="--cpus-per-task=1")) as c:
        if c is None:
            return
        assert not c.tokens()
        ident = judge.post(RIGHT)
        done = judge.wait_done(ident)
        assert (done["verdict"], done["attempt"]) == ("accepted", 1), (done, c.shown())
        # It may have begun before the compilers had registered.
        settled(lambda: sorted(w["role"] for w in judge.api("GET", "/api/workers")[1]["workers"]) ==
                ["compile", "compile", "judge"], "a pilot is three workers", c.shown)
        ident = judge.post(RIGHT)
        assert judge.wait_done(ident)["verdict"] == "accepted"
        assert re.findall(rf"submission {ident}: attempt 1 (?:begins|is judged) on \S+ \((\w+)\)", judge.log.read_text()) == [
            "compiler", "emu"]
        job, = c.pilots("emu", "RUNNING")
        status, answer = Tcp(c.port).token("GET", "api/v1/account/tokens", c.boss)
        pilots, = (t for t in answer["tokens"] if t["label"].startswith("pilots of "))
        assert status == 200 and pilots["roles"] == ["judge", "compile"], answer
        c.bed.ask("scancel", job)
        settled(lambda: not judge.api("GET", "/api/workers")[1]["workers"], "all have left", c.shown)


def node_is_lost(c):
    c.bed.lose("n2")
    settled(lambda: c.bed.states().get("n2", "").startswith("down"), "n2 is lost", c.shown)
    c.bed.begin("n2")


def job_is_preempted(c):
    c.bed.ask("sbatch", "--parsable", "--partition=high", "--gres=gpu:2", "--nodelist=n1", "--output=/dev/null",
              "--wrap=sleep 1")
    settled(lambda: any(state == "PREEMPTED" for state, *_ in c.bed.jobs().values()), "one is preempted", c.shown)


def job_is_late(c):
    """As one whose node was slow to start: its end comes before the worker expects it."""
    def limited():
        """The first that has not ended meanwhile."""
        return next((ident for ident in c.pilots("emu", "RUNNING")
                     if c.bed.run("scontrol", "update", f"JobId={ident}", "TimeLimit=1").returncode == 0), None)

    job = settled(limited, "one runs", c.shown)
    settled(lambda: c.bed.jobs()[job][0] in ENDED, "it is out of time", c.shown)


def daemon_is_killed(c):
    c.judge.kill()
    c.start()


def munge_is_stopped(c):
    c.bed.kill("munged")
    time.sleep(2)  # longer than `poll`
    c.bed.begin("munged")


def nothing_is_lost(judge, count, each, happens, again=False):
    """Whatever happens to nodes, jobs, the daemon and munge: each of `count` submissions has its verdict, once. All
    that happens does so once, or again and again until few are left."""
    with cluster(judge, group(pilots=3, time=10, options="--mem=100")) as c:
        if c is None:
            return
        work = Work(c, count, each)
        happened = 0
        while happened < len(happens) or again and work.look() < len(work.ids) - 10:
            work.await_judging(3 if happened == 0 else 2)  # of three GPUs: what happens first, happens to one of them
            happens[happened % len(happens)](c)
            happened += 1
        work.check()
        assert any(answer["attempt"] > 1 for answer in work.done.values()), work.done
        assert c.judge.api("GET", "/api/health")[1]["queued"] == 0
        judge.stop()
        settled(lambda: not c.pilots("emu"), "the pilots are cancelled", lambda: str(c.bed.jobs()))
        assert not c.tokens()


def test_nothing_is_lost(judge):
    nothing_is_lost(judge, 9, 3, [node_is_lost, daemon_is_killed, job_is_preempted, munge_is_stopped])


# --- docs/cluster.md ------------------------------------------------------------------------------

DOCUMENT = ROOT / "docs/cluster.md"


def blocks(text):
    """The commands of each block of the document that is to be typed, without the two lines for containers."""
    found = re.findall(r"^\n((?:    .*\n|\n(?=    ))+)", text, re.M)
    return ["".join(line[4:] for line in block.splitlines(True) if line.strip()) for block in found
            if not block.startswith("    container = ")]


def test_the_document_leads_to_a_judging_cluster(judge):
    """Every command of docs/cluster.md, with this machine's folders and port in the place of those there."""
    why = slurm_bed.missing()
    if why:
        print(f"no test of Slurm: {why}")
        return
    shared, home = judge.home / "shared", judge.home / "state"
    port = own_port()
    text = DOCUMENT.read_text()
    for old, new in (("/shared", shared), ("/var/lib/warpjudge", home), ("127.0.0.1:8080", f"127.0.0.1:{port}"),
                     ("user = ada", f"user = ada\n    node-home = {judge.home}/node"),
                     ("make install PREFIX=", f"{ROOT}/tests/tools/install {judge.prefix} ")):
        assert old in text
        text = text.replace(old, str(new))
    typed = blocks(text)
    assert [re.split(r"[ \n]", block)[0] for block in typed] == [
        str(ROOT / "tests/tools/install"), "sinfo", "cat", str(shared / "warpjudge/bin/warpjudge"), "export", "warpjudge"], typed
    for folder in (shared, home, judge.home / "node", judge.home / "me"):
        folder.mkdir(mode=0o700)
    (judge.home / "node/cache").symlink_to(SHARED / "cache")
    (judge.home / "me/vector-addition.cu").write_text(RIGHT)
    with slurm_bed.Bed(judge.home / "bed") as bed:
        env = {**bed.env, "NO_COLOR": "1", "XDG_CONFIG_HOME": str(judge.home / "me"),
               "TMPDIR": str(judge.home)}
        env.pop("WARPJUDGE_URL", None)

        def type_in(commands, cwd=judge.home / "me"):
            run = subprocess.run(["sh", "-ec", commands], cwd=cwd, env=env, text=True, timeout=BACKSTOP_S,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert run.returncode == 0, f"{commands}: {run.returncode}: {run.stdout[-3000:]}"
            return run.stdout

        type_in(typed[0], ROOT)
        said = type_in(typed[1])
        assert re.search(r"^ok .*sandbox", said, re.M) and "low" in said, said
        type_in(typed[2])
        with open(judge.home / "serve.log", "w+") as log:
            daemon = subprocess.Popen(["sh", "-ec", f"exec {typed[3]}"], env=env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=log, preexec_fn=slurm_bed.ends_with_us)
            try:
                assert daemon.stdout.readline(), (judge.home / "serve.log").read_text()
                said = type_in(typed[4])
                path = typed[4].splitlines()[0]
                assert "wjt_" in type_in(f"{path}\n{typed[5]}"), typed
                tokens = type_in(f"{path}\nwarpjudge token list")
            finally:
                daemon.send_signal(signal.SIGTERM)
                daemon.wait(BACKSTOP_S)
                daemon.stdout.close()
        assert "accepted" in said and "Slurm, small (emu): pilots that judge: " in " ".join(said.split()), said
        assert re.search(r"warpjudg +root +R ", said), said
        assert re.search(r" pilots of \w+ +worker \(judge\) ", tokens), tokens
        assert re.search(r" shed +worker \(compile\) ", tokens), tokens
        assert daemon.returncode == 0, (judge.home / "serve.log").read_text()
        settled(lambda: all(state in ENDED for state, *_ in bed.jobs().values()), "no pilot is left",
                lambda: str(bed.jobs()))


def test_the_document_has_every_key(judge):
    del judge
    keys = re.findall(r'X\(\w+, "([a-z-]+)", ([01])\)', (ROOT / "judge/daemon/slurm/settings.h").read_text())
    tables = re.split(r"^\| key of `\[slurm", DOCUMENT.read_text(), flags=re.M)[1:]
    assert len(keys) >= 15 and len(tables) == 2
    for of_group, table in enumerate(tables):
        rows = re.findall(r"^\| `([a-z-]+)` \|", table.split("\n\n")[0], re.M)
        assert sorted(rows) == sorted(key for key, group in keys if int(group) == of_group), rows
