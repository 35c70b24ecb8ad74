#!/usr/bin/env python3
"""What workers cost the daemon, and what it does under many of them, with workers that judge nothing.

usage: cluster.py PREFIX constants            what cluster_model.py calculates with
       cluster.py PREFIX seen [WORKERS...]    50, 100 and 200 workers, beside what the model predicts
       cluster.py PREFIX against OTHER [WAITING...]   a judgement with this build and with another one, in turns

Each worker is a connection of its own that leases, says that it judges, waits, and sends the same result of a GPU. So all is
real but the judgement: requests, queue, leases, the checks of a result, and what is stored."""
import asyncio
import contextlib
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
# The harness looks there for what the tests of a run share.
os.environ.setdefault("WARPJUDGE_TEST_SHARED", tempfile.mkdtemp(prefix="wj-bench-"))
import answers  # noqa: E402
import cluster_model as model  # noqa: E402
import harness  # noqa: E402
from test_rights import join, narrow  # noqa: E402
from test_workers import ACCEPTED, COMPILED, JOB_FORMAT, RIGHT, Cluster  # noqa: E402

GPU = {"device": "cuda:0", "board": "NVIDIA H200", "arch": "sm_90a"}
# Grading asks emu first what a GPU is asked for. So that one judgement is one here, emu is the last stage of a graded line.
EMU = {"device": "emu", "board": "emu", "arch": "compute_80"}
SOURCE = RIGHT + "//" + "." * 4000 + "\n"  # as long as kernels of such files often are
PEOPLE = 40  # of at most 256 submissions each
WAITING = 4000
JUDGEMENT_S = 1.0
WARM_S, SECONDS = 4.0, 12.0


def result(board):
    """An accepted submission's, with all that the daemon stores of it."""
    draw = random.Random(19)
    timing = {name: 1000.0 for name in ("median_ns", "q1_ns", "q3_ns", "low_ns", "high_ns", "null_ns", "work_bytes",
                                        "work_flops", "limit_ns")}
    rates = {"copy_gbs": 4100, "read_gbs": 4300, "fp32_tflops": 55, "seconds": 1}
    conditions = {"gpu": "GPU-1", "compared_with": 6, "copied": "after", "seconds": {}, "before": rates, "after": rates,
                  "null_samples_ns": [draw.uniform(3000, 4000) for _ in range(30)]}
    timing |= {"samples_ns": [draw.uniform(900, 1100) for _ in range(30)], "modelled": board == "emu", "sizes": "N=1000000",
               "review": False, "warmup": 3}
    if board != "emu":
        timing["conditions"] = json.dumps(conditions)
    tests = [{"number": n, "verdict": "accepted", "sizes": f"N={n}"} for n in range(1, 15)]
    return json.dumps({"compile": COMPILED, "result": ACCEPTED | {"board": board, "tests": tests, "timing": timing}})


class Caller:
    """One connection, on which one request follows another."""

    def __init__(self, port, token):
        self.port, self.head = port, (f"Host: localhost:{port}\r\nAuthorization: Bearer {token}\r\n"
                                      "Content-Type: application/json\r\n")

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def ask(self, method, path, body=None):
        text = b"" if body is None else json.dumps(body).encode()
        self.writer.write(f"{method} /api/v1/{path} HTTP/1.1\r\n{self.head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        answer = json.loads(await self.reader.readexactly(length))
        assert head.split()[1] in (b"200", b"201"), answer
        return answer

    def close(self):
        self.writer.close()


class Worker(Caller):
    async def register(self, node, kind):
        await self.open()
        self.ident = (await self.post("register", format=JOB_FORMAT, node=node, **kind))["worker"]
        self.result = result(kind["board"])
        return self

    def post(self, verb, **body):
        return self.ask("POST", f"worker/{verb}", body)

    async def lease(self):
        """What it has to say of its lease, or None where there was no work."""
        lease = (await self.post("lease", worker=self.ident, wait_s=15))["lease"]
        return lease and {"worker": self.ident, **{key: lease[key] for key in ("submission", "attempt", "fence")}}

    async def judge(self, judgements_s, done):
        while True:
            mine = await self.lease()
            if mine is None:
                continue
            await self.post("heartbeat", **mine, event="judging")
            await asyncio.sleep(next(judgements_s))
            await self.post("result", **mine, part=1, parts=1, text=self.result)
            done.append(mine["submission"])


class Bench:
    """A judge that leaves all to workers, and who asks it."""

    def __init__(self, prefix, kind):
        self.kind = kind
        self.judge = harness.Judge(prefix)
        self.judge.env.pop("WARPJUDGE_LOOP_LIMIT_US", None)
        self.judge.own_session = True
        self.cluster = Cluster(self.judge, lease="60")
        self.port = self.cluster.tcp.port
        self.posted, self.workers = 0, []

    async def __aenter__(self):
        return self

    async def __aexit__(self, *what):
        for caller in self.workers:
            caller.close()
        self.judge.stop()
        answers.seen.clear()
        self.judge.__exit__(*what)

    def cpu_ms(self):
        """CPU time of the event loop's thread."""
        return int(Path(f"/proc/{self.judge.daemon.pid}/schedstat").read_text().split()[0]) / 1e6

    async def settled_ms(self):
        """The same once the loop has nothing more to do."""
        before = -1.0
        while (now := self.cpu_ms()) != before:
            before = now
            await asyncio.sleep(0.004)
        return now

    async def worker(self, node):
        self.workers.append(await Worker(self.port, self.cluster.token).register(node, self.kind))
        return self.workers[-1]

    def connection(self):
        return harness.UnixConnection(self.judge.home / "warpjudge.sock", harness.BACKSTOP_S)

    def post(self, c):
        """By the machine's own user, who may submit for anybody."""
        c.request("POST", "/api/v1/submissions", headers={"Content-Type": "application/json"}, body=json.dumps({
            "problem": "vector-addition", "device": self.kind["board"], "user": f"person{self.posted % PEOPLE}", "filename": "k.cu",
            "mode": "grade", "source": f"{SOURCE}// {self.posted}\n"}))
        answer = c.getresponse()
        body = json.loads(answer.read())
        assert answer.status == 201, body
        self.posted += 1
        return body["id"]


def line_through(points):
    """(base, slope) of the straight line that is nearest to these in squares."""
    slope, base = statistics.linear_regression(*zip(*points))
    return base, slope


def said(name, base, slope=None):
    more = "" if slope is None else f" and {1000 * slope:.2f} us for each that waits"
    print(f"  {name:10} {base:.3f} ms{more}", flush=True)


# --- the constants ------------------------------------------------------------------------


async def measure_posts(bench, count, part=100):
    c, points = bench.connection(), []
    for begin in range(0, count, part):
        before = await bench.settled_ms()
        for _ in range(part):
            bench.post(c)
        points.append((begin + part / 2, (await bench.settled_ms() - before) / part))
    c.close()
    said("post", *line_through(points))


async def measure_get(bench, ident, count=300):
    c, before = bench.connection(), await bench.settled_ms()
    begin = time.perf_counter()
    for _ in range(count):
        c.request("GET", f"/api/v1/submissions/{ident}")
        c.getresponse().read()
    took = (time.perf_counter() - begin) * 1e3 / count
    cpu = (await bench.settled_ms() - before) / count
    c.close()
    said("get", cpu)
    print(f"  {'':10} {took:.3f} ms of wall time from the request to its answer")


async def measure_judgements(bench, count, samples=60):
    """Lease, heartbeat and result of one after another, while ever fewer wait."""
    worker = await bench.worker("measured")
    points = {"lease": [], "heartbeat": [], "result": []}
    for n in range(count):
        marks = [await bench.settled_ms()] if n % (count // samples) == 0 else []
        mine = await worker.lease()
        if marks:
            marks.append(await bench.settled_ms())
        await worker.post("heartbeat", **mine, event="judging")
        if marks:
            marks.append(await bench.settled_ms())
        await worker.post("result", **mine, part=1, parts=1, text=worker.result)
        if marks:
            marks.append(await bench.settled_ms())
            for kind, before, after in zip(points, marks, marks[1:]):
                points[kind].append((count - n, after - before))
    for kind, list_of in points.items():
        said(kind, *line_through(list_of))


async def measure_idle(bench, count, seconds=20):
    """Workers that wait for work, each in a call that ends after 15 s, and is followed by the next."""
    workers = [await bench.worker(f"idle-{n}") for n in range(count)]

    async def wait(worker):
        while True:
            assert await worker.lease() is None

    tasks = [asyncio.create_task(wait(worker)) for worker in workers]
    await asyncio.sleep(2)
    before = bench.cpu_ms()
    await asyncio.sleep(seconds)
    used = (bench.cpu_ms() - before) / seconds
    for task in tasks:
        task.cancel()
    said("look", used / count)
    print(f"  {'':10} of a second for each worker that waits: {count} of them take {used / 10:.2f}% of a CPU")


async def measure_commits(bench):
    db_took = []
    db = sqlite3.connect(bench.judge.home / "empty.db", isolation_level=None)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n INTEGER)")
    for n in range(500):
        begin = time.perf_counter()
        db.execute("INSERT INTO t VALUES (?)", (n,))
        db_took.append((time.perf_counter() - begin) * 1e3)
    db.close()
    said("commit", statistics.mean(db_took))
    print(f"  {'':10} is the mean of an empty one on the same disk; the median is {statistics.median(db_took):.3f} ms")


async def measure_constants(prefix, count):
    async with Bench(prefix, GPU) as bench:
        await bench.worker("first")  # from now on the judge has the board
        await measure_commits(bench)
        await measure_posts(bench, count)
        await measure_get(bench, 1)
        await measure_judgements(bench, count)
        await measure_idle(bench, 1000)


async def judgement_ms(prefix, waiting, count=300):
    """CPU time of the loop for one judgement, from lease to result, while so many wait."""
    async with Bench(prefix, GPU) as bench:
        worker = await bench.worker("measured")
        with contextlib.closing(bench.connection()) as c:
            for _ in range(waiting + count // 2):
                bench.post(c)
        before = await bench.settled_ms()
        for _ in range(count):
            mine = await worker.lease()
            await worker.post("heartbeat", **mine, event="judging")
            await worker.post("result", **mine, part=1, parts=1, text=worker.result)
        return (await bench.settled_ms() - before) / count


async def measure_against(prefix, other, waiting, pairs=3):
    print("waiting  this build, ms    the other, ms     ratios")
    for number in waiting:
        took = [(await judgement_ms(prefix, number), await judgement_ms(other, number)) for _ in range(pairs)]
        here, there = (" ".join(f"{ms:.2f}" for ms in side) for side in zip(*took))
        print(f"{number:7}  {here:16}  {there:16}  {' '.join(f'{a / b:.2f}' for a, b in took)}", flush=True)


# --- the check ----------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def graded(bench, most, token):
    """A run of `warpjudge grade -j MOST` whose input does not end while it is looked at."""
    path, out = bench.judge.home / "in.jsonl", bench.judge.home / "out.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), "problem": "vector-addition", "source": f"{SOURCE}// {n}\n"}) + "\n"
                            for n in range(20000)))
    env = {**bench.judge.env, "WARPJUDGE_URL": bench.cluster.url, "WARPJUDGE_TOKEN": token}
    with open(bench.judge.home / "grade.log", "wb") as log:
        process = subprocess.Popen([bench.judge.bin, "grade", path, "-o", out, "-j", str(most), "--device", EMU["board"]],
                                   env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield
        assert process.poll() is None, (bench.judge.home / "grade.log").read_text()
    finally:
        process.kill()
        process.wait()


async def see(prefix, workers, judgement_s, most, seconds):
    """What a second had: judgements, and the loop's CPU time. most: of `warpjudge grade`; 0: WAITING are there."""
    async with Bench(prefix, EMU if most > 0 else GPU) as bench:
        token = narrow(bench.cluster.tcp, join(bench.judge, "staff", "staff"), "read,submit,bulk")
        done = []
        for n in range(workers):
            await bench.worker(f"node-{n}")
        if most == 0:
            with contextlib.closing(bench.connection()) as c:
                for _ in range(WAITING):
                    bench.post(c)
        tasks = [asyncio.create_task(w.judge(model.durations(judgement_s, n), done)) for n, w in enumerate(bench.workers)]
        async with contextlib.AsyncExitStack() as stack:
            if most > 0:
                await stack.enter_async_context(graded(bench, most, token))
            await asyncio.sleep(WARM_S)
            count, cpu, begin = len(done), bench.cpu_ms(), time.perf_counter()
            await asyncio.sleep(seconds)
            took = time.perf_counter() - begin
            seen = (len(done) - count) / took, (bench.cpu_ms() - cpu) / took / 1e3
        for task in tasks:
            failed = task.done() and task.exception()
            assert not failed, failed
            task.cancel()
        assert len(done) == len(set(done)), "a submission was judged twice"
        return seen


async def measure_seen(prefix, counts):
    print("workers  submissions come from     judgements/s: predicted, seen  loop's CPU: predicted, seen")
    for workers in counts:
        for name, most, runs in ((f"{WAITING} that wait", 0, []), ("grade -j 32", 32, [32]), ("grade -j 200", 200, [200])):
            expected = model.simulate(workers, JUDGEMENT_S, runs, waiting=WAITING if most == 0 else 0,
                                      seconds=SECONDS, warm_s=WARM_S)
            rate, cpu = await see(prefix, workers, JUDGEMENT_S, most, SECONDS)
            print(f"{workers:7}  {name:24}  {expected['rate']:22.1f}, {rate:5.1f}  {expected['cpu']:21.1%}, {cpu:5.1%}", flush=True)


def main(prefix, what, *counts):
    prefix = Path(prefix).resolve()
    if what == "constants":
        print("milliseconds of the event loop's CPU time")
        asyncio.run(measure_constants(prefix, int(counts[0]) if counts else 4000))
    elif what == "against":
        asyncio.run(measure_against(prefix, Path(counts[0]).resolve(), [int(count) for count in counts[1:]] or [200, 1000, 4000]))
    else:
        asyncio.run(measure_seen(prefix, [int(count) for count in counts] or [50, 100, 200]))


if __name__ == "__main__":
    main(*sys.argv[1:])
