"""Bulk grading of generated lines on workers, with kills of grade, daemon and workers, and a run without."""
import json
import random
import re
import signal
import sqlite3
import subprocess
import time

from harness import BACKSTOP_S, DEMO, ROOT, await_that, own_port
from test_profile import TILE
from test_rights import join, narrow
from test_workers import Cluster

# Problems whose judgements on emu take a tenth to a quarter of a second on one core.
PROBLEMS = """count-2d-array-element count-3d-array-element count-array-element gaussian-error-gated-linear-unit gelu hard-tanh
l1-norm l2-norm leaky-relu matrix-addition matrix-copy rainbow-table relu rgb-to-grayscale sigmoid-activation
sigmoid-linear-unit swish swish-gated-linear-unit tanh-activation value-clipping warp-scan""".split()
RIGHT = (DEMO / "right.cu").read_text()
RACY = TILE.replace("__syncthreads();", "b += tile[0][(threadIdx.x / 32 + 1) % 8] == 3e38f;")
# What another run may say otherwise: who judged when, in which order.
OTHERWISE = ("run", "submission", "finished_ms")
# Where the judge draws the inputs, words about values and times may differ, too.
SAME_FOR_ALL_INPUTS = ("line", "id", "problem", "tags", "problem_tags", "difficulty", "verdict", "stage", "device", "board",
                       "meaning", "key", "cached", "error")
LANES = 2  # workers
LEASE_S = 15  # far above a heartbeat's pause, so that no worker on a busy machine is given up
KINDS = ("grade", "worker", "daemon", "sleep", "worker", "daemon and grade")


def sources():
    """(problem, name, source): solutions that are right and wrong, and what crashes, races or does not compile."""
    for problem in PROBLEMS:
        for path in sorted((ROOT / "solutions" / problem).glob("*.cu")):
            yield problem, path.name, path.read_text()
    for name in ("out-of-bounds", "does-not-compile", "wrong-last"):
        yield "vector-addition", name, (DEMO / f"{name}.cu").read_text()
    for name in ("abort", "exit-zero", "nonsense"):
        yield "vector-addition", name, (ROOT / f"tests/attacks/verdict-{name}.cu").read_text()
    yield "vector-addition", "racy", RACY


def no_line(draw, n):
    """A line that cannot be judged."""
    row = {"id": f"bad-{n}", "problem": "vector-addition", "source": RIGHT}
    return draw.choice(["{\"id\": ", "[1]", json.dumps(row | {"problem": "no-such-problem"}), json.dumps(row | {"seed": -1}),
                        json.dumps(row | {"id": "0"}), json.dumps({"id": f"bad-{n}", "source": RIGHT})])


def lines(count, repeated=0.45, seed=19):
    """So many lines. Of those that do not repeat an earlier one most have a seed of their own; of the others the judge
    draws the inputs. Some are no lines."""
    draw = random.Random(seed)
    pool, rows, out = list(sources()), [], []
    for n in range(count):
        if n > 0 and draw.random() < 0.03:
            out.append(no_line(draw, n))
            continue
        if n >= len(pool) and draw.random() < repeated:
            row = dict(draw.choice(rows))
        else:
            # Each source comes before any comes again.
            problem, name, source = pool[n] if n < len(pool) else draw.choice(pool)
            row = {"problem": problem, "source": source, "tags": [name]}
            if draw.random() < 0.88:
                row["seed"] = draw.randrange(1 << 40)
        rows.append(row)
        out.append(json.dumps(row | {"id": str(n)}))
    return out


class LineCount:
    """How many whole lines a file has that only grows behind its last whole line."""

    def __init__(self, path):
        self.path, self.lines, self.bytes = path, 0, 0

    def now(self):
        if self.path.exists():
            with open(self.path, "rb") as file:
                file.seek(self.bytes)
                text = file.read()
            self.lines += text.count(b"\n")
            self.bytes += text.rfind(b"\n") + 1
        return self.lines


class Run:
    """One run of all lines, on a judge that has a device of its own and two workers."""

    def __init__(self, judge, text, name):
        self.judge = judge
        self.cluster = Cluster(judge, only=False, lease=str(LEASE_S), port=own_port())
        self.text, self.out = judge.write("in.jsonl", text), judge.home / f"{name}.jsonl"
        self.token = narrow(self.cluster.tcp, join(judge, "staff", "staff"), "read,submit,bulk")
        self.process, self.asleep, self.kills, self.said = None, [], 0, judge.home / "grade.log"
        self.begun = time.monotonic()

    def __enter__(self):
        self.cluster.__enter__()
        for _ in range(LANES):
            self.cluster.worker("--device", "emu")
        self.cluster.await_workers(LANES)
        return self

    def __exit__(self, *what):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for worker, _ in self.asleep:
            worker.kill(signal.SIGCONT)
        self.cluster.__exit__(*what)

    def grade(self):
        env = {**self.judge.env, "WARPJUDGE_URL": self.cluster.url, "WARPJUDGE_TOKEN": self.token}
        with open(self.said, "ab") as log:
            self.process = subprocess.Popen(
                [self.judge.bin, "grade", self.text.name, "-o", self.out, *(["--resume"] if self.out.exists() else [])],
                env=env, cwd=self.judge.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    # --- kills ---

    def kill(self, kind):
        self.kills += 1
        if "daemon" in kind:
            self.judge.kill()
        if "grade" in kind:
            self.process.kill()
            self.process.wait()
            with open(self.out, "ab") as file:  # as after a kill in the middle of a line
                file.write(b'{"line": 3, "id": "wro')
        if "daemon" in kind:
            self.judge.start(*self.cluster.args)
        if "grade" in kind:
            self.grade()
        if kind in ("worker", "sleep"):
            victim = next(w for w in self.cluster.workers if w.process.poll() is None and w not in dict(self.asleep))
            if kind == "worker":
                victim.kill()
            else:
                victim.kill(signal.SIGSTOP)
                self.asleep.append((victim, time.monotonic()))
            self.cluster.worker("--device", "emu")

    def all_at_first_attempt(self):
        """Else a kill waits: after three lost workers the judge rightly gives a submission up."""
        return all(w.get("attempt", 1) == 1 for w in self.cluster.seen())

    def wake(self):
        """What was asleep for longer than its lease wakes up, finds that it was given up, and ends."""
        for worker, since in list(self.asleep):
            if time.monotonic() - since > LEASE_S + 3:
                self.asleep.remove((worker, since))
                worker.kill(signal.SIGCONT)
                worker.kill(signal.SIGTERM)

    def kill_when_all_are_at_their_first_attempt(self, kind):
        """After three lost workers the judge rightly gives a submission up. So no kill meets one that was lost already; the
        lines wait meanwhile."""
        self.process.send_signal(signal.SIGSTOP)
        await_that(lambda: all(w.get("attempt", 1) == 1 for w in self.cluster.seen()), "no attempt is a second one")
        self.kill(kind)
        self.process.send_signal(signal.SIGCONT)

    def until_done(self, kills, count, told=None):
        """kills: how many, each once that part of the lines is in the output that is its own."""
        done = LineCount(self.out)
        self.grade()
        deadline = time.monotonic() + max(BACKSTOP_S, 3 * count)
        while self.process.poll() is None:
            while self.kills < kills and done.now() >= (self.kills + 1) * count // (kills + 2):
                kind = KINDS[self.kills % len(KINDS)]
                self.kill_when_all_are_at_their_first_attempt(kind)
                if told:
                    told(f"{done.lines} lines after {time.monotonic() - self.begun:.0f} s: {kind}")
            self.wake()
            assert time.monotonic() < deadline, f"{done.now()} lines: {self.said.read_text()[-2000:]}"
            time.sleep(0.1)
        assert self.process.returncode == 0, self.said.read_text()[-2000:]
        assert self.kills == kills, (self.kills, kills)

    # --- what it came to ---

    def rows(self):
        """The lines of the output by the line of the input. Each is there once."""
        found = [json.loads(text) for text in self.out.read_text().splitlines()]
        rows = {row["line"]: row for row in found}
        assert len(rows) == len(found), "a line is there twice"
        return rows

    def check_judged_once(self):
        """The daemon has recorded what the output says, and nothing else; each verdict was given once."""
        judged = [row for row in self.rows().values() if row.get("verdict") and not row["cached"]]
        with sqlite3.connect(f"file:{self.judge.home / 'leaderboard.db'}?mode=ro", uri=True) as db:
            known = dict(db.execute("SELECT id, verdict FROM submissions"))
        db.close()
        assert len({row["submission"] for row in judged}) == len(judged), "two lines share a judgement"
        assert known.keys() == {row["submission"] for row in judged}, (len(known), len(judged))
        log = self.judge.log.read_text(errors="replace")
        said = re.findall(r"submission (\d+): (?:accepted|wrong_answer|compile_error|\w+_(?:error|limit)|disqualified) \(", log)
        twice = {ident for ident in said if said.count(ident) > 1} if len(said) != len(set(said)) else set()
        assert not twice, f"recorded twice: {sorted(twice)[:9]}"


def without_chance(row, seeded):
    if not seeded:
        return {key: row[key] for key in SAME_FOR_ALL_INPUTS if key in row}
    return {key: value for key, value in row.items() if key not in OTHERWISE}


def differences(text, one, other):
    """Sentences about lines that the two runs do not say the same of."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        seeded = '"seed"' in line
        a, b = one.get(number), other.get(number)
        if a is None or b is None:
            found.append(f"line {number} is not there: {a} {b}")
        elif without_chance(a, seeded) != without_chance(b, seeded):
            unlike = {key: (a.get(key), b.get(key)) for key in {*a, *b} - set(OTHERWISE) if a.get(key) != b.get(key)}
            found.append(f"line {number}: {unlike}")
    return found


def compare_runs(new_judge, rows, kills, told=print):
    """new_judge(): a context with a judge of its own. Returns the rows of the run with kills."""
    text, count = "\n".join(rows) + "\n", len(rows)
    found = []
    for name, number in (("whole", 0), ("killed", kills)):
        with new_judge() as judge, Run(judge, text, name) as run:
            run.until_done(number, count, told)
            found.append(run.rows())
            run.check_judged_once()
            told(f"{name}: {count} lines in {time.monotonic() - run.begun:.0f} s, {number} kills")
    unlike = differences(text, *found)
    assert not unlike, "\n".join([f"{len(unlike)} lines differ", *unlike[:20]])
    assert len(found[0]) == count, len(found[0])
    return found[1]
