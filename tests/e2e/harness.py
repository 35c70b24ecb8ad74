"""A judge of its own for each end-to-end test: folder, daemon, command line."""
import fcntl
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import answers

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "tests/demo"
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"  # as the Makefile finds it
LEAVING_S = 120  # what is there after that stays
# How long a handler of the daemon's may hold its event loop, in CPU time. Beside busy neighbours the
# same work takes several times as much CPU time: 20 ms for the end of a child became more than 100 on
# one CPU of a busy machine. So this finds only what is far too long: the limit that is promised is in
# test_event_loop.py.
LOOP_LIMIT_US = 1000000
LONG_CALL_S = 600  # the most that a spec may say
SEED = "5eed" * 16  # for `serve --seed`: every judgement has the same inputs
BACKSTOP_S = 1200  # for what hangs; see await_that
TRIES = 20  # of what must happen, or be seen, while something is judged: a machine may stand still until that is over
# What the tests of one run have in common; tests/run.py makes it and removes it.
SHARED = Path(os.environ.get("WARPJUDGE_TEST_SHARED", "/nonexistent"))
PORTS = 10000
port_locks = []


# warpjudge: vector-addition. The right sums; how long it takes follows from the inputs' values.
WAITS = """
// warpjudge: vector-addition
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < N ? A[i] + B[i] : 0;
    for (unsigned k = __float_as_uint(sum) >> 7 & 15; k > 0; k--)
        __nanosleep(k);
    if (i < N)
        C[i] = sum;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
"""


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


def await_that(condition, what, shown=lambda: ""):
    """What condition() returns, once that is something. The backstop is far away: how long a thing
    may take is no matter of these tests, and a machine may be very busy."""
    deadline = time.monotonic() + BACKSTOP_S
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"not after {BACKSTOP_S} s: {what}: {shown()}"
        time.sleep(0.02)


def processes_with(home):
    """Ids of live processes whose environment names this home."""
    found = []
    needle = f"WARPJUDGE_HOME={home}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if needle in (entry / "environ").read_bytes().split(b"\0"):
                if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(entry.name))
        except OSError:
            continue
    return found


def own_port():
    """A port that is free, and no other test's of this run until this process ends. It lies below those that the kernel
    gives to whoever asks for any."""
    ephemeral = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    first = (ephemeral if ephemeral > 12000 else 30000) - PORTS
    return next(first + n for n in ((os.getpid() + k) % PORTS for k in range(PORTS)) if take_port(first + n))


def take_port(port):
    """Is it free, and does this process have it now? Its lock falls when the process ends."""
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            return False
    if not SHARED.exists():  # a script of a single process
        return True
    lock = open(SHARED / f"port-{port}", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return False
    port_locks.append(lock)
    return True


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except OSError:
        return ""


def send_signal(pid, number):
    """To a process that was there, and may have ended since."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def held_us(line):
    """For how long a handler held the event loop, as this line of the log says; 0 where it says nothing of that."""
    found = re.search(r"the event loop was held for (\d+) us", line)
    return int(found[1]) if found else 0


def groups_of(pid):
    """Folders of control groups that the daemon of this pid made, the deepest first."""
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, names, path = line.split(":", 2)
        for tree in ([f"/sys/fs/cgroup/{n}" for n in names.split(",")] if names
                     else ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]):
            top = Path(tree + path) / f"warpjudge-{pid}"
            if top.is_dir():
                found += [d for d in top.iterdir() if d.is_dir()] + [top]
    return found


def remove_groups(pid):
    """As the next daemon would: a sandbox that was only being set up may still be in one."""
    for folder in groups_of(pid):
        for process in (folder / "cgroup.procs").read_text().split():
            send_signal(int(process), signal.SIGKILL)  # its parent is gone, and so it was ending
    for folder in groups_of(pid):
        await_that(lambda folder=folder: removed(folder), f"{folder} is empty")


def removed(folder):
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def once(name, make):
    """The file `name` that make(path) makes, for all tests of a run; one makes it, the others wait."""
    path = SHARED / name
    with open(SHARED / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            made = SHARED / f"{name}.new"
            make(made)
            made.rename(path)
    return path


class Judge:
    def __init__(self, prefix, own_cache=False):
        """own_cache: a cache of compiled programs that is empty, as a test of compiling needs.
        Others share one for the run: most compile the same few kernels, and nvcc takes a second."""
        self.prefix = prefix
        self.home = Path(tempfile.mkdtemp(prefix="wj-"))
        if not own_cache:
            (SHARED / "cache").mkdir(exist_ok=True)
            (self.home / "cache").symlink_to(SHARED / "cache")
        self.bin = prefix / "bin/warpjudge"
        self.env = {**os.environ, "WARPJUDGE_HOME": str(self.home), "NO_COLOR": "1"}
        self.env.pop("WARPJUDGE_URL", None)
        self.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LOOP_LIMIT_US)
        (self.home / "warpjudge.conf").touch()  # so that no test reads the machine's own
        self.daemon = None
        self.own_session = False  # of the daemon, as a service has one
        self.killed = []
        self.log = self.home / "daemon-test.log"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.let_leave()
            if self.daemon:
                self.stop()
            for pid in processes_with(self.home):
                if "warpjudged" in command_of(pid):
                    for number in (signal.SIGTERM, signal.SIGINT):
                        send_signal(pid, number)
            deadline = time.monotonic() + LEAVING_S
            while processes_with(self.home) and time.monotonic() < deadline:
                time.sleep(0.05)
            left = processes_with(self.home)
            names = [command_of(pid) for pid in left]
            for pid in left:
                send_signal(pid, signal.SIGKILL)
            text = "".join(p.read_text(errors="replace")
                           for p in (self.log, self.home / "warpjudge.log") if p.exists())
            if kind is None:
                assert not left, f"processes left running: {names}"
                held = [line for line in text.splitlines() if held_us(line) >= LOOP_LIMIT_US]
                assert not held, held
                answers.check()
                assert "Sanitizer" not in text and "runtime error:" not in text, text[-4000:]
            elif text:
                value.args = (*value.args, f"daemon's log:\n{text[-3000:]}")
        finally:
            shutil.rmtree(self.home, ignore_errors=True)
            for pid in self.killed:  # the next daemon would remove them as well
                remove_groups(pid)

    def own_build(self):
        """A copy of the build, for who plays one of its programs, or looks for its own."""
        copy = self.home / "prefix"
        for name in ("bin", "libexec", "lib"):
            shutil.copytree(self.prefix / name, copy / name, symlinks=True)
        self.prefix = copy
        self.bin = copy / "bin/warpjudge"
        self.env["WARPJUDGE_PROBLEMS"] = str(ROOT / "problems")

    def play(self, name, text):
        """Has a script in the place of a program of libexec/, in a copy of the build. The program itself is "$0-real" there."""
        self.own_build()
        program = self.prefix / "libexec" / name
        program.rename(program.with_name(f"{name}-real"))
        program.write_text(text)
        program.chmod(0o755)

    def allow_long_calls(self):
        """Before start(): a call of vector-addition's may take ten minutes of used time instead of ten
        seconds. So a submission that sleeps has its device for longer than any test takes."""
        folder = self.home / "long-calls"
        folder.mkdir()
        for problem in (ROOT / "problems").iterdir():
            if problem.name != "vector-addition":
                (folder / problem.name).symlink_to(problem)
        shutil.copytree(ROOT / "problems/vector-addition", folder / "vector-addition")
        path = folder / "vector-addition/problem.json"
        spec = json.loads(path.read_text())
        path.write_text(json.dumps(spec | {"limits": {"time_ms": LONG_CALL_S * 1000}}))
        self.env["WARPJUDGE_PROBLEMS"] = str(folder)

    # --- the daemon -----------------------------------------------------------------------

    def start(self, *args, wait=True, user=None):
        """user: a uid other than one's own, for root only. Most tests know which submission is
        judged before which, so that emu judges one at a time where args do not say otherwise."""
        if "--emu" not in args:
            args = (*args, "--emu", "1")
        if user is not None:
            (self.home / "cache").unlink()  # it is not that user's
            os.chown(self.home, user, user)
        return self.start_command([self.bin, "serve", *args], wait, user)

    def start_command(self, command, wait=True, user=None):
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(
                command, env=self.env, stdout=subprocess.PIPE, stderr=log,
                stdin=subprocess.DEVNULL, user=user, group=user,
                extra_groups=[] if user is not None else None, start_new_session=self.own_session)
        if not wait:
            return None
        line = self.daemon.stdout.readline()
        assert line, f"the daemon did not start: {self.log.read_text()[-2000:]}"
        return json.loads(line)

    def let_leave(self):
        """Until the arbiter of what is done has ended: that is when it tells of a leak."""
        def left():
            if self.daemon.poll() is not None:
                return True
            try:
                health = self.api("GET", "/api/health")[1]
            except (OSError, http.client.HTTPException):
                return True
            return health["queued"] > 0 or not any(d["busy"] for d in health["devices"])

        if self.daemon:
            deadline = time.monotonic() + LEAVING_S
            while not left() and time.monotonic() < deadline:
                time.sleep(0.01)

    def stop(self):
        """At once: what is judged is judged again by the next daemon."""
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.send_signal(signal.SIGINT)
        code = self.daemon.wait(BACKSTOP_S)
        self.daemon.stdout.close()
        self.daemon = None
        return code

    def kill(self):
        self.daemon.kill()
        self.daemon.wait(BACKSTOP_S)
        self.killed.append(self.daemon.pid)
        self.daemon.stdout.close()
        self.daemon = None

    def api(self, method, path, body=None, raw=None, timeout=BACKSTOP_S, headers=None):
        """(status, decoded body)"""
        return self.ask(method, path, body, raw, timeout, headers)[:2]

    def ask(self, method, path, body=None, raw=None, timeout=BACKSTOP_S, headers=None):
        """(status, decoded body, headers)"""
        c = UnixConnection(self.home / "warpjudge.sock", timeout)
        data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
        try:
            c.request(method, path, body=data, headers={"Content-Type": "application/json"} | (headers or {}))
            r = c.getresponse()
            text = r.read()
        finally:
            c.close()
        if r.headers["Content-Encoding"] == "gzip" and text:
            text = gzip.decompress(text)
        answers.note(method, path, r.status, r.headers["Content-Type"], text)
        try:
            return r.status, json.loads(text), r.headers
        except ValueError:
            return r.status, text.decode(errors="replace"), r.headers

    def post(self, source, problem="vector-addition", user="ada", **more):
        status, answer = self.api("POST", "/api/submissions", {
            "problem": problem, "user": user, "filename": "k.cu", "source": source,
            "mode": "submit", **more})
        assert status == 201, (status, answer)
        return answer["id"]

    def wait_done(self, ident, timeout=BACKSTOP_S):
        deadline = time.monotonic() + timeout
        while True:
            try:
                status, answer = self.api("GET", f"/api/submissions/{ident}")
            except (OSError, http.client.HTTPException):
                status, answer = 200, {"state": "nobody answers"}
            assert status == 200, answer
            if answer["state"] == "done":
                return answer
            assert time.monotonic() < deadline, f"submission {ident} is not done after {timeout} s: {answer}"
            time.sleep(0.05)

    # --- the command line -----------------------------------------------------------------

    def cli(self, *args, status=None, env=None, cwd=None, stdin=None):
        """Runs warpjudge; returns the finished process with text output."""
        run = subprocess.run([self.bin, *map(str, args)], env={**self.env, **(env or {})},
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=BACKSTOP_S,
                             stdin=stdin or subprocess.DEVNULL, text=True, errors="replace",
                             cwd=cwd)
        if status is not None:
            assert run.returncode == status, (
                f"warpjudge {' '.join(map(str, args))}: status {run.returncode}, not {status}\n"
                f"stdout: {run.stdout[-3000:]}\nstderr: {run.stderr[-3000:]}")
        return run

    def submit_json(self, path, *args, status=None):
        run = self.cli("submit", "--json", path, *args, status=status)
        return json.loads(run.stdout)

    def write(self, name, text):
        path = self.home / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


class Held:
    """A point in time of the daemon's, at which it stays until the test lets it go on (base/inject.h)."""

    def __init__(self, judge, name):
        folder = judge.home / "inject"
        folder.mkdir(exist_ok=True)
        judge.env["WARPJUDGE_INJECT"] = str(folder)
        self.path = folder / name
        os.mkfifo(self.path)
        self.fd = None

    def wait(self, meanwhile=lambda: None):
        """Until a thread is there. No other one will be. Until then `meanwhile` is called again and again."""
        def opened():
            try:
                return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK) + 1
            except OSError:  # nobody reads
                meanwhile()
                return 0

        self.fd = await_that(opened, f"a thread is at {self.path.name}") - 1
        self.path.unlink()

    def let(self):
        try:
            os.write(self.fd, b"\n")
        except BrokenPipeError:  # it was killed
            pass
        os.close(self.fd)
        self.fd = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        """Holds nothing any more, also where the test has failed: the daemon waits for its threads."""
        if self.path.exists():
            both = os.open(self.path, os.O_RDWR)
            self.path.unlink()  # whoever is there already opens it meanwhile, and nobody comes after
            os.close(both)
        if self.fd is not None:
            self.let()


def header(path, key):
    """The value of a `// key: value` line among a source's first lines, or None."""
    head = Path(path).read_text(errors="replace").splitlines()[:20]
    for line in head:
        m = re.match(rf"\s*//\s*{re.escape(key)}:\s*(.*\S)", line)
        if m:
            return m.group(1)
    return None


def slow_once(source, seconds):
    """The same submission, whose first call sleeps. After ten seconds it is ended, unless the judge was
    told to allow_long_calls()."""
    at = source.index("{", source.index("solve(")) + 1
    return ("#include <unistd.h>\n" + source[:at] +
            f" static int calls; if (calls++ == 0) sleep({seconds}); " + source[at:])


def check_verdicts(judge, problem, files):
    """Starts the judge; all of these get the verdicts, words and notices that their headers state.
    They are posted at once, so that nvcc compiles some while others are judged."""
    judge.start()
    idents = [judge.post(path.read_text(), problem, filename=path.name) for path in files]
    wrong = []
    for path, ident in zip(files, idents):
        got = judge.wait_done(ident)
        expected, says = header(path, "expect"), header(path, "says")
        assert expected, f"{path} states no expected verdict"
        if got["verdict"] != expected or (says and says not in got["message"]):
            wrong.append(f"{path.name}: {got['verdict']}: {got['message']}")
        noticed, expected = got.get("notices", []), header(path, "notices")
        if expected == "none" and noticed:
            wrong.append(f"{path.name}: noticed {noticed}")
        if expected not in (None, "none") and expected not in [
                f"{n['kind']} {n.get('line')}" for n in noticed]:
            wrong.append(f"{path.name}: noticed {noticed} instead of {expected}")
    assert not wrong, "\n".join(wrong)
