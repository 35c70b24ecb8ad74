"""A daemon of its own with a GPU, for the scripts of this folder: started, asked over its Unix
socket, stopped. Works from a built tree, an installation and a dist alike. The GPU is cuda:0, or
what WARPJUDGE_TEST_DEVICE says."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

DEVICE = os.environ.get("WARPJUDGE_TEST_DEVICE", "cuda:0")
HERE = Path(__file__).resolve().parent


class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def find(name):
    """The folder NAME (solutions, problems, tests/attacks) of the checkout, or of the dist."""
    place = HERE.parents[1] / name
    return place if place.is_dir() else sys.exit(f"there is no {place}")


def header(path, name):
    found = re.search(rf"^// *{name}: *(.*)$", path.read_text(errors="replace"), re.M)
    return found.group(1) if found else None


def newer_gpu(path, arch):
    """What the file's header says that it needs, where a GPU of this architecture has less; else None.

    As in `problem check`, sm_90 is there from compute capability 9.0 on, and sm_90a is there on 9.0 only."""
    needed = header(path, "needs")
    if needed is None:
        return None
    wanted, has = re.fullmatch(r"sm_(\d+)(a?)", needed.strip()), re.search(r"_(\d+)", arch)
    if not wanted or not has:
        sys.exit(f"{path}: needs {needed}, and the GPU is {arch}: one of them is no architecture")
    least, own = int(wanted.group(1)), int(has.group(1))
    return None if own == least or own > least and not wanted.group(2) else needed.strip()


def is_arbiter(pid):
    """Is this process an arbiter that lives?"""
    try:
        return b"warpjudge-arbiter" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return False


class Judge:
    """with Judge(PREFIX) as judge: ...   log: where the daemon's log goes; options: of `serve`."""

    def __init__(self, prefix, log=None, problems=None, options=()):
        self.prefix = Path(prefix).resolve()
        self.home = Path(tempfile.mkdtemp(prefix="warpjudge-gpu."))
        self.options = options
        self.log = Path(log) if log else self.home / "daemon.log"
        self.env = {**os.environ, "WARPJUDGE_HOME": str(self.home), "NO_COLOR": "1"}
        self.env.pop("WARPJUDGE_URL", None)
        if problems:
            self.env["WARPJUDGE_PROBLEMS"] = str(problems)

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.daemon = subprocess.Popen([self.prefix / "bin/warpjudge", "serve", *self.options], env=self.env,
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.wait_for_gpu()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *ignored):
        for number in (signal.SIGTERM, signal.SIGINT):  # the second one waits for nothing
            self.daemon.send_signal(number)
        try:
            self.daemon.wait(20)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()
        if self.log.parent == self.home:
            self.said = self.log.read_text(errors="replace")
        shutil.rmtree(self.home, ignore_errors=True)

    def wait_for_gpu(self):
        for _ in range(600):
            try:
                devices = [d["name"] for d in self.get("/api/health")["devices"]]
                break
            except OSError:
                if self.daemon.poll() is not None:
                    break
                time.sleep(0.1)
        else:
            devices = []
        if self.daemon.poll() is not None or DEVICE not in devices:
            sys.exit(f"no {DEVICE} here; the daemon's log:\n"
                     f"{self.log.read_text(errors='replace')}")

    def ask(self, method, path, body=None, timeout=60):
        connection = Connection(self.home / "warpjudge.sock", timeout)
        try:
            connection.request(method, path, body=json.dumps(body) if body else None,
                               headers={"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def get(self, path):
        return self.ask("GET", path)[1]

    def text(self, path):
        connection = Connection(self.home / "warpjudge.sock", 60)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def arbiters(self):
        """How many arbiters of this daemon's live."""
        children = Path(f"/proc/{self.daemon.pid}/task/{self.daemon.pid}/children").read_text().split()
        return sum(is_arbiter(pid) for pid in children)

    def arch(self):
        """The architecture of DEVICE, as the API names it."""
        return next(d["arch"] for d in self.get("/api/health")["devices"] if d["name"] == DEVICE)

    def alike(self):
        """The names of the devices of DEVICE's kind, it first, then its partner where there is one."""
        devices = self.get("/api/health")["devices"]
        at = [d["name"] for d in devices].index(DEVICE)
        turned = devices[at:] + devices[:at]
        return [d["name"] for d in turned if d["board"] == devices[at]["board"]]

    def post(self, path, problem, user=None, device=DEVICE, mode="submit"):
        """The id of a new submission of the file."""
        status, answer = self.ask("POST", "/api/submissions", {
            "problem": problem, "device": device, "user": user or path.stem,
            "filename": path.name, "source": path.read_text(errors="replace"),
            "mode": mode})
        if status != 201:
            raise RuntimeError(f"{path}: {status} {answer}")
        return answer["id"]

    def events(self, ident, seconds=900):
        """(time.time(), event) of each event until the submission is done."""
        seen = []
        connection = Connection(self.home / "warpjudge.sock", seconds)
        try:
            connection.request("GET", f"/api/submissions/{ident}/events")
            for line in connection.getresponse():
                if line.strip():
                    seen.append((time.time(), json.loads(line)))
        finally:
            connection.close()
        return seen

    def done(self, ident):
        """The submission, once it is done."""
        while True:
            self.events(ident)
            answer = self.get(f"/api/submissions/{ident}")
            if answer["state"] == "done":
                return answer

    def judged(self, path, problem, **more):
        return self.done(self.post(path, problem, **more))

    def follow(self, ident, into):
        """Keeps the events of a submission in into[ident] while others are waited for."""
        thread = threading.Thread(target=lambda: into.__setitem__(ident, self.events(ident)))
        thread.start()
        return thread
