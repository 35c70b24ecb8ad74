"""Workers: programs that take work from the judge over its API, and judge it elsewhere."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from harness import BACKSTOP_S, DEMO, SHARED, await_that, processes_with, slow_once
from test_rights import Tcp, join, narrow

BUILD = "release"
RIGHT = (DEMO / "right.cu").read_text()
WRONG = RIGHT.replace("A[i] + B[i]", "A[i] - B[i]")
assert WRONG != RIGHT


class Worker:
    """A worker on a node of its own: another home, another cache of problems."""

    def __init__(self, cluster, token=None, *args):
        self.home = Path(tempfile.mkdtemp(prefix="wjw-"))
        self.home.joinpath("cache").symlink_to(SHARED / "cache")
        self.token = self.home / "token"
        self.token.write_text(token or cluster.token)
        self.token.chmod(0o600)
        self.log = self.home / "log"
        env = {**cluster.judge.env, "WARPJUDGE_HOME": str(self.home)}
        env.pop("WARPJUDGE_PROBLEMS", None)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [cluster.judge.bin, "worker", "--server", cluster.url, "--token-file", self.token, *args],
                env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait(BACKSTOP_S)

    def end(self):
        """The exit status, once it has left by itself."""
        return self.process.wait(BACKSTOP_S)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(BACKSTOP_S)
        await_that(lambda: not processes_with(self.home), "the worker's programs end with it")
        shutil.rmtree(self.home, ignore_errors=True)


class Cluster:
    """A judge on TCP that leaves everything to workers, unless args say otherwise."""

    def __init__(self, judge, *args, only=True):
        self.judge, self.workers = judge, []
        self.args = ("--listen", "127.0.0.1:0", "--registration", "invitation", "--lease", "2",
                     *(["--workers-only"] if only else []), *args)
        self.tcp = Tcp(judge.start(*self.args)["port"])
        self.url = f"http://127.0.0.1:{self.tcp.port}"
        self.admin = join(judge, "boss", "admin")
        self.token = narrow(self.tcp, self.admin, "worker")

    def worker(self, *args, token=None):
        self.workers.append(Worker(self, token, *args))
        return self.workers[-1]

    def seen(self):
        return self.judge.api("GET", "/api/workers")[1]["workers"]

    def await_workers(self, count):
        await_that(lambda: len(self.seen()) == count, f"{count} workers", lambda: self.text())

    def await_judging(self, ident):
        return await_that(lambda: next((w for w in self.seen() if w.get("submission") == ident), None),
                          f"submission {ident} is judged by a worker", lambda: self.text())

    def text(self):
        return "\n".join(w.log.read_text(errors="replace") for w in self.workers)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if value:
            value.args = (*value.args, f"the workers' logs:\n{self.text()[-3000:]}")
        for w in self.workers:
            w.close()


def test_a_worker_judges(judge):
    """A daemon without devices of its own has three submissions judged; the worker leaves when idle."""
    with Cluster(judge) as cluster:
        first = judge.post(RIGHT)
        assert judge.api("GET", f"/api/submissions/{first}")[1]["state"] == "queued"
        worker = cluster.worker("--device", "emu", "--idle-s", "1")
        for source, verdict in ((RIGHT, "accepted"), (WRONG, "wrong_answer"), ("int x = y;", "compile_error")):
            done = judge.wait_done(first if source is RIGHT else judge.post(source))
            assert done["verdict"] == verdict and done["attempt"] == 1, done
        assert worker.end() == 0, cluster.text()
        await_that(lambda: not cluster.seen(), "the worker has left")
        assert not list((worker.home / "worker/jobs").iterdir())
        assert len(list((worker.home / "worker/problems").iterdir())) == 1
