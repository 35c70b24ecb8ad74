#!/usr/bin/env python3
"""What of a cluster saturates first: a simulation of queue, leases and daemon, up to a thousand GPUs.

usage: cluster_model.py [SECONDS]     of a judgement on a GPU, with its compiler; 1 unless said

The daemon is one event loop. It takes the requests that have come, one after another, and then makes one step of the queue
for all of them. A request costs CPU time, and the step some more for each submission that waits. What is stored waits for the
disk, and the loop waits with it. Workers ask for work, say that they judge, and send a result. Submissions come from runs of
`warpjudge grade`, which ask one thing after another and rest between, as judge/cli/grade_run.c does. A judgement takes between
half and one and a half of the time that is said, by numbers that are the same in each run.

MEASURED is what `tests/bench/cluster.py PREFIX constants` has printed (docs/measurements/cluster.md says on what)."""
import collections
import heapq
import random
import sys

# Milliseconds of the event loop. base: of a request without any that wait; waiting: for each that waits, in its step.
MEASURED = {
    "post": {"base": 0.582, "waiting": 0.0},
    "lease": {"base": 0.441, "waiting": 0.00019},
    "heartbeat": {"base": 0.288, "waiting": 0.00009},
    "result": {"base": 1.002, "waiting": 0.00038},
    "get": {"base": 0.125, "waiting": 0.0},
    "look": {"worker": 0.006},  # once a second, for each worker that is registered
    "commit": 0.382,            # of a submission, and of a result
    "client": 0.217,            # of `warpjudge grade`, for each thing that it asks, beside the daemon's time
}
HEARTBEAT_S = 15.0   # --lease 60
IN_FLIGHT = 32       # of `warpjudge grade`, without -j
IN_FLIGHT_MAX = 200
# judge/cli/grade_run.c
SWEEP_S, SWEEP_SHARE, REST_MAX_S, WAITING_MAX = 0.1, 8, 2.0, 4
STORED = ("post", "result")
BUSY = 0.9  # of a GPU's time: then more GPUs would do more
RUNS_MAX = 16
GPUS = (8, 16, 32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1000)
JUDGEMENTS_S = (0.5, 1.0, 2.0, 4.0, 8.0)


class Daemon:
    """The event loop, and the clock of all."""

    def __init__(self, costs, workers):
        self.costs, self.workers = costs, workers
        self.now, self.events, self.serial = 0.0, [], 0
        self.inbox, self.running = [], False
        self.queue, self.waiting = collections.deque(), collections.deque()
        self.busy_s, self.disk_s, self.longest_s, self.finished, self.judging = 0.0, 0.0, 0.0, 0, 0.0

    def at(self, when, what, *args):
        self.serial += 1
        heapq.heappush(self.events, (when, self.serial, what, args))

    def step(self, process, value=None):
        """Goes on with a client or a worker, until it asks or sleeps again."""
        try:
            kind, *args = process.send(value)
        except StopIteration:
            return
        if kind == "sleep":
            self.at(self.now + args[0], self.step, process)
        else:
            self.inbox.append((kind, args[0] if args else None, process, self.now))
            if not self.running:
                self.running = True
                self.at(self.now, self.iterate)

    def iterate(self):
        """One turn of the loop: all that has come, then a step of the queue."""
        batch, self.inbox = self.inbox, []
        if not batch:
            self.running = False
            return
        begin = end = self.now
        slope = 0.0
        for kind, about, process, since in batch:
            cost = self.costs[kind]
            end += cost["base"] / 1e3
            slope = max(slope, cost["waiting"])
            if kind in STORED:
                end += self.costs["commit"] / 1e3
                self.disk_s += self.costs["commit"] / 1e3
            self.longest_s = max(self.longest_s, end - since)
            self.take(kind, about, process, end)
        end += slope / 1e3 * len(self.queue)
        while self.queue and self.waiting:
            self.at(end, self.step, self.waiting.popleft(), self.queue.popleft())
        self.busy_s += end - begin
        self.at(end, self.iterate)

    def take(self, kind, about, process, end):
        if kind == "lease":
            self.waiting.append(process)  # it is answered when there is work
            return
        if kind == "post":
            about["state"] = "waits"
            self.queue.append(about)
        elif kind == "result":
            about["state"] = "done"
            self.finished += 1
        self.at(end, self.step, process, about["state"] if about else None)

    def look(self):
        cost = self.costs["look"]["worker"] / 1e3 * self.workers
        self.busy_s += cost
        self.at(self.now + 1 + cost, self.look)

    def run(self, seconds):
        while self.events and self.events[0][0] <= seconds:
            self.now, _, what, args = heapq.heappop(self.events)
            what(*args)
        self.now = seconds


def durations(judgement_s, seed):
    """Judgements take different times. Equal ones would keep step with who asks about them."""
    draw = random.Random(seed)
    while True:
        yield judgement_s * draw.uniform(0.5, 1.5)


def worker(daemon, judgements_s):
    while True:
        submission = yield ("lease",)
        submission["state"] = "judged"
        yield ("heartbeat", submission)
        begin, left = daemon.now, next(judgements_s)
        while left > HEARTBEAT_S:
            yield ("sleep", HEARTBEAT_S)
            yield ("heartbeat", submission)
            left -= HEARTBEAT_S
        yield ("sleep", left)
        daemon.judging += daemon.now - begin
        yield ("result", submission)


def grade(daemon, most):
    """A run of `warpjudge grade -j MOST` whose input does not end."""
    flying = []
    own_s = daemon.costs["client"] / 1e3
    while True:
        begin = daemon.now
        while len(flying) < most:
            submission = {"state": "unsent"}
            yield ("sleep", own_s)
            yield ("post", submission)
            flying.append(submission)
        waiting, left = 0, []
        for submission in flying:
            state = None
            if waiting < WAITING_MAX:
                yield ("sleep", own_s)
                state = yield ("get", submission)
                waiting += state == "waits"
            if state != "done":
                left.append(submission)
        flying = left
        yield ("sleep", min(max((daemon.now - begin) * SWEEP_SHARE, SWEEP_S), REST_MAX_S))


def simulate(workers, judgement_s, runs, costs=None, waiting=0, seconds=60.0, warm_s=10.0):
    """runs: the in-flight limits of the runs of grade; waiting: so many submissions wait at the beginning. What a second of
    the time behind warm_s has of each."""
    daemon = Daemon(costs or MEASURED, workers)
    for n in range(workers):
        daemon.at(n * 1e-3, daemon.step, worker(daemon, durations(judgement_s, n)))
    for n, most in enumerate(runs):
        daemon.at(1.0 + n * 1e-2, daemon.step, grade(daemon, most))
    daemon.queue.extend({"state": "waits"} for _ in range(waiting))
    daemon.at(1.0, daemon.look)
    daemon.run(warm_s)
    busy, disk, finished, judging, daemon.longest_s = daemon.busy_s, daemon.disk_s, daemon.finished, daemon.judging, 0.0
    daemon.run(warm_s + seconds)
    return {"rate": (daemon.finished - finished) / seconds, "loop": (daemon.busy_s - busy) / seconds,
            "cpu": (daemon.busy_s - busy - daemon.disk_s + disk) / seconds,
            "gpus": (daemon.judging - judging) / seconds / workers, "longest_ms": daemon.longest_s * 1e3,
            "queued": len(daemon.queue)}


def loop_ms_of_one(costs):
    """What the loop needs for one submission from beginning to end, with none that wait."""
    return sum(costs[kind]["base"] for kind in ("post", "lease", "heartbeat", "result", "get")) + 2 * costs["commit"]


def bound(seen):
    """What keeps it from more."""
    if seen["gpus"] > BUSY:
        return "GPUs"
    return "the event loop" if seen["loop"] > 0.85 else "the runs of grade"


def most_gpus(judgement_s, costs):
    """How many GPUs are kept busy by many runs of grade, and what the loop does then. Some numbers are tried."""
    best = (0, 0.0)
    for workers in GPUS:
        seen = simulate(workers, judgement_s, [IN_FLIGHT_MAX] * RUNS_MAX, costs, seconds=20.0, warm_s=30.0)
        if seen["gpus"] <= BUSY:
            break
        best = (workers, seen["loop"])
    return best


def print_limits():
    print(f"the most GPUs that {RUNS_MAX} runs of grade -j {IN_FLIGHT_MAX} keep {BUSY:.0%} busy, and how busy the loop is then")
    print("commit   " + "".join(f"{judgement_s:>10g} s" for judgement_s in JUDGEMENTS_S) + " of a judgement")
    for commit_ms in (MEASURED["commit"], 2.0, 5.0):
        cells = [most_gpus(judgement_s, MEASURED | {"commit": commit_ms}) for judgement_s in JUDGEMENTS_S]
        print(f"{commit_ms:5.2f} ms " + "".join(f"{gpus:6}, {loop:4.0%}" for gpus, loop in cells), flush=True)


def main(seconds="1"):
    judgement_s = float(seconds)
    print(f"a judgement takes {judgement_s:g} s; one takes {loop_ms_of_one(MEASURED):.2f} ms of the event loop")
    print("GPUs  runs of grade  judgements/s  GPUs busy  loop busy  longest wait  bound by")
    for runs, name in (([IN_FLIGHT], "1, -j 32"), ([IN_FLIGHT_MAX], "1, -j 200"), ([IN_FLIGHT_MAX] * 4, "4, -j 200"),
                       ([IN_FLIGHT_MAX] * RUNS_MAX, f"{RUNS_MAX}, -j 200")):
        for workers in (8, 32, 64, 128, 256, 512, 1000):
            seen = simulate(workers, judgement_s, runs, seconds=30.0)
            print(f"{workers:4}  {name:>13}  {seen['rate']:12.1f}  {seen['gpus']:9.0%}  {seen['loop']:9.0%}  "
                  f"{seen['longest_ms']:9.0f} ms  {bound(seen)}", flush=True)
    print_limits()


if __name__ == "__main__":
    main(*sys.argv[1:])
