"""The simulation of a cluster (tests/bench/cluster_model.py), and the workers without judgements by which it is checked."""
import asyncio
import sys

from harness import ROOT

sys.path.append(str(ROOT / "tests/bench"))
import cluster  # noqa: E402
import cluster_model as model  # noqa: E402

BUILD = "release"
FREE = {kind: {"base": 0.0, "waiting": 0.0} for kind in ("post", "lease", "heartbeat", "result", "get")} | {
    "look": {"worker": 0.0}, "commit": 0.0, "client": 0.0}


def near(seen, expected):
    return abs(seen / expected - 1) < 0.02


def test_what_the_model_must_say(judge):
    """Where a formula says it, too: one worker alone, workers and a loop that cost nothing, a loop that does nothing else."""
    del judge
    costs = FREE | {"result": {"base": 500.0, "waiting": 0.0}, "commit": 500.0}
    alone = model.simulate(1, 1.0, [], costs, waiting=2000, seconds=1000.0)
    assert near(alone["rate"], 1 / 2.0) and near(alone["gpus"], 1 / 2.0), alone  # a second of each two is the result's
    assert near(alone["loop"], 1 / 2.0) and near(alone["cpu"], 1 / 4.0), alone
    many = model.simulate(100, 1.0, [], FREE, waiting=20000, seconds=100.0)
    assert near(many["rate"], 100.0) and near(many["gpus"], 1.0) and many["loop"] == 0.0, many
    full = model.simulate(100, 0.1, [], FREE | {"lease": {"base": 10.0, "waiting": 0.0}}, waiting=20000, seconds=100.0)
    assert near(full["rate"], 100.0) and near(full["loop"], 1.0), full
    # What waits costs: 20000 of them 50 us each, in the step that follows a lease.
    waits = model.simulate(1, 1e-3, [], FREE | {"lease": {"base": 0.0, "waiting": 0.05}}, waiting=20000, seconds=200.0)
    assert near(waits["rate"], 1.0), waits


def test_the_model_has_no_chance(judge):
    del judge
    seen = [model.simulate(64, 1.0, [32, 200], seconds=20.0) for _ in range(2)]
    assert seen[0] == seen[1] and 0 < seen[0]["loop"] < 1, seen
    more = model.simulate(64, 1.0, [32, 200], model.MEASURED | {"commit": 20.0}, seconds=20.0)
    assert more["rate"] < seen[0]["rate"] and more["longest_ms"] > seen[0]["longest_ms"], (seen[0], more)


async def judge_all(prefix, workers, count):
    async with cluster.Bench(prefix, cluster.GPU) as bench:
        done = []
        for n in range(workers):
            await bench.worker(f"node-{n}")
        tasks = [asyncio.create_task(w.judge(model.durations(0.01, n), done)) for n, w in enumerate(bench.workers)]
        c = bench.connection()
        posted = [bench.post(c) for _ in range(count)]
        c.close()
        while len(done) < count:
            for task in tasks:
                assert not task.done(), task.exception()
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        assert sorted(done) == sorted(posted), "each is judged once"
        nodes = set()
        for ident in posted:
            seen = bench.judge.wait_done(ident)
            assert (seen["verdict"], seen["attempt"], seen["mode"]) == ("accepted", 1, "grade"), seen
            nodes.add(seen["node"])
        # What was measured of the GPU before and after each of them is kept with its node. The last may be any of them.
        gpu, = bench.judge.api("GET", "/api/calibrations")[1]["calibrations"]
        assert gpu["node"] in nodes and sum(day["measurements"] for day in gpu["days"]) == 2 * count, gpu


def test_fifty_workers(judge):
    """What the measurements stand on: leases, heartbeats and results of fifty workers are real, and nothing is lost or twice."""
    asyncio.run(judge_all(judge.prefix, 50, 300))
