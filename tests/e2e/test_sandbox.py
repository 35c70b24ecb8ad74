"""The judge as root and as an ordinary user, with control groups and without, and without a
sandbox."""
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from harness import BACKSTOP_S, DEMO, ROOT, TRIES, await_that, groups_of, slow_once

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()
NOBODY = 65534
NEEDS = "tests/tools/newidmap tests/tools/refused-calls"
DISK_BYTES = 4 << 20  # a disk that is large enough for a job
LARGE = "__attribute__((used)) static char large[8 << 20] = {1};\n"  # but not for this in a program
ATTACKS = ("process-fork-bomb", "process-signals", "process-survivor", "process-kernel-settings",
           "process-thread-bomb", "process-writes")


def attack(judge, name):
    return judge.wait_done(judge.post((ROOT / f"tests/attacks/{name}.cu").read_text()))


def install_for_nobody(judge):
    """An installation that nobody may see, as whom root tries it; everybody else runs all tests so."""
    if os.getuid() != 0:
        return None
    tree = judge.home / "tree"
    subprocess.run([ROOT / "tests/tools/install", judge.prefix, tree], check=True, stdout=subprocess.DEVNULL)
    judge.bin = tree / "bin/warpjudge"
    judge.home.chmod(0o755)
    return NOBODY


def sandboxed(daemon):
    """The processes of the daemon's sandboxes now, as /proc/PID/status tells of them: (the path
    of their user namespace, name, uids, gids, groups)."""
    found, parents = set(), {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
            parents[int(folder.name)] = int(status["PPid"])
            pid = int(folder.name)
            namespace = os.readlink(folder / "ns/user")
        except (OSError, ValueError):
            continue  # it has ended
        while pid > 1 and pid != daemon:
            try:
                pid = parents.get(pid) or int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                break
        if pid == daemon and namespace != os.readlink("/proc/self/ns/user"):
            found.add((namespace, status["Name"].strip(), *(tuple(map(int, status[key].split()))
                                                            for key in ("Uid", "Gid", "Groups"))))
    return found


def watched(judge, source, look, enough):
    """All that looks see while submissions are judged, once that is enough: a busy machine may look seldom."""
    seen = set()
    for _ in range(TRIES):
        ident = judge.post(source())
        while judge.api("GET", f"/api/submissions/{ident}")[1]["state"] != "done":
            seen |= look()
            time.sleep(0.01)
        assert judge.api("GET", f"/api/submissions/{ident}")[1]["verdict"] == "accepted"
        if enough(seen):
            return seen
    raise AssertionError(f"not enough was seen: {seen}")


def check_ids(judge, gid_offset=0):
    """What runs in sandboxes during judgements has ids of the range, and each sandbox its own."""
    health = judge.api("GET", "/api/health")[1]
    first, last = map(int, re.fullmatch(r"users (\d+) to (\d+)", health["ids"]).groups())
    assert "no_ids" not in health and first > 0, health
    assert f"submissions run as {health['ids']}" in judge.cli("status", status=0).stdout

    def look():
        now = {p for p in sandboxed(health["pid"]) if any(p[2])}
        # Before its namespace is filled a process has the judge's own ids, and runs nothing yet.
        now = {p for p in now if p[1] in ("runner", "warpjudge-gpu", "nvcc", "cicc", "ptxas", "cudafe++", "gcc", "ld")}
        runners = [p for p in now if p[1] in ("runner", "warpjudge-gpu")]
        assert len({p[2] for p in runners}) == len({p[0] for p in runners}), runners
        return now

    def enough(seen):
        names = {p[1] for p in seen}
        return {"runner", "warpjudge-gpu"} < names and len({p[2] for p in seen}) > 2

    # What is posted no cache has.
    seen = watched(judge, lambda: slow_once(RIGHT, 3) + f"// {os.urandom(8).hex()}\n", look, enough)
    for _, name, uids, gids, groups in seen:
        assert len(set(uids)) == 1 and first <= uids[0] <= last and groups == (), (name, uids, groups)
        assert set(gids) == {uids[0] + gid_offset}, (name, uids, gids)
    judge.let_leave()
    await_that(lambda: not [p for p in everything_below(judge.home) if first <= owner(p) <= last],
               "no file of a submission is left")


def everything_below(folder):
    """Its files and folders. The daemon removes job folders beside its other work: os.walk
    passes over one that has gone, where Path.rglob fails."""
    return [Path(top) / name for top, folders, files in os.walk(folder) for name in folders + files]


def owner(path):
    """Whose it is; nobody's where it has gone meanwhile."""
    try:
        return path.lstat().st_uid
    except FileNotFoundError:
        return -1


def test_each_sandbox_has_a_user_of_its_own(judge):
    """Seen from outside, where the test is root."""
    if os.getuid() != 0:
        judge.env["WARPJUDGE_IDS"] = "none"
        judge.start()
        health = judge.api("GET", "/api/health")[1]
        assert health["ids"] == f"its own user (uid {os.getuid()})", health
        return
    judge.start()
    check_ids(judge)
    for name in ("process-signals", "process-survivor", "process-descriptors-sent"):
        assert attack(judge, name)["verdict"] in ("accepted", "runtime_error"), name


def test_subordinate_ids(judge):
    """An ordinary user gets them by newuidmap, for which a program of the tests stands."""
    user = install_for_nobody(judge)
    if user is None:
        return  # only root can make a program that does what newuidmap does
    judge.env["WARPJUDGE_IDS"] = "1800000000:1810000000:100"
    folder = judge.home / "idmap"
    folder.mkdir()
    for name in ("newuidmap", "newgidmap"):
        shutil.copy(judge.prefix / "tests/tools/newidmap", folder / name)
        (folder / name).chmod(0o4755)
    judge.env["PATH"] = f"{folder}:{judge.env['PATH']}"
    judge.start(user=user)
    health = judge.api("GET", "/api/health")[1]
    assert health["ids"] == "users 1800000000 to 1800000099", health
    assert Path(f"/proc/{health['pid']}").stat().st_uid == user
    check_ids(judge, gid_offset=10000000)
    for name in ("process-survivor", "process-thread-bomb"):
        assert attack(judge, name)["verdict"] == "accepted", name
    assert judge.stop() == 0


def test_ids_that_cannot_be_had(judge):
    """What the operator says is followed, or refused at the start."""
    for said, words in (("1:2", "UID:GID:COUNT"), ("1900000000:1900000000:3", "not enough"),
                        (f"{NOBODY - 100}:1900000000:200", "account nobody"), ("0:1:100", "not for sandboxes"),
                        ("4294967200:1900000000:200", "has no ids")):
        run = subprocess.run([judge.bin, "serve"], env={**judge.env, "WARPJUDGE_IDS": said}, timeout=BACKSTOP_S,
                             capture_output=True, text=True)
        assert run.returncode == 2 and words in run.stderr and "WARPJUDGE_IDS" in run.stderr, (said, run)
    judge.env["WARPJUDGE_IDS"] = "none"
    judge.start()
    health = judge.api("GET", "/api/health")[1]
    assert health["no_ids"] == "WARPJUDGE_IDS is none", health
    assert health["ids"] == f"its own user (uid {os.getuid()})", health
    # What root alone may do in /proc is covered then.
    for name in ("process-writable", "process-commands", "process-kernel-settings"):
        assert attack(judge, name)["verdict"] == "accepted", name


def test_a_folder_of_jobs_that_cannot_be_read(judge):
    """The daemon says so once, and answers. Nobody runs it, and the folder is root's."""
    user = install_for_nobody(judge)
    if user is None:
        return  # only root can make a folder that another user may not read
    (judge.home / "jobs").mkdir(mode=0o711)
    judge.start(user=user)
    assert judge.log.read_text().count(f"{judge.home}/jobs cannot be read") == 1, judge.log.read_text()
    assert judge.stop() == 0


def test_ordinary_user(judge):
    """Root tries it as nobody, who may not even see a checkout of root's."""
    judge.start(user=install_for_nobody(judge))
    health = judge.api("GET", "/api/health")[1]
    assert health["ids"].startswith("users ") or health["no_ids"], health
    assert health["limits"] == "resource limits" or os.getuid() != 0, health
    assert "no_groups" in health or health["limits"] != "resource limits", health
    assert Path(f"/proc/{health['pid']}").stat().st_uid != 0
    assert judge.wait_done(judge.post(RIGHT))["verdict"] == "accepted"
    for name in ATTACKS:
        done = attack(judge, name)
        assert done["verdict"] in ("accepted", "runtime_error"), done
        assert "it worked" not in done["message"], done
    # 512 threads are the limit, so that it cannot have found 2000.
    assert done["verdict"] == "accepted", done
    assert judge.stop() == 0


def nothing_begins_beside_survivors(judge, pid):
    """A group of an arbiter that is gone, which cannot be removed: as with a process that a
    driver holds."""
    child = groups_of(pid)[-1] / "999999999-0/child"
    child.mkdir(parents=True)
    ident = judge.post(RIGHT + "// beside")
    await_that(lambda: "earlier judgement" in judge.api("GET", "/api/health")[1].get("trouble", ""),
               "it waits for the earlier judgement's processes")
    assert judge.api("GET", f"/api/submissions/{ident}")[1]["state"] != "done"
    child.rmdir()
    assert judge.wait_done(ident)["verdict"] == "accepted"
    assert not child.parent.exists()


def test_control_groups(judge):
    judge.start()
    health = judge.api("GET", "/api/health")[1]
    pid = health["pid"]
    if health["limits"] == "resource limits":
        print(f"      no groups here: {health['no_groups']}")
        assert not groups_of(pid)
        return
    assert groups_of(pid), health
    text = judge.cli("status", status=0).stdout
    assert f"held by {health['limits']}" in text, text
    # Root, too, is held to 512 threads.
    assert attack(judge, "process-thread-bomb")["verdict"] == "accepted"

    def look():
        now = set()
        for folder in groups_of(pid):
            for file in ("memory.max", "memory.limit_in_bytes", "pids.max"):
                try:
                    now.add(f"{file} {(folder / file).read_text().strip()}")
                except OSError:
                    continue
        return now

    # A group while it runs, with limits; none afterwards.
    watched(judge, lambda: slow_once(RIGHT, 3), look, lambda seen: "pids.max 514" in seen and
            {"memory.max 8589934592", "memory.limit_in_bytes 8589934592"} & seen)
    judge.let_leave()
    assert all(f.name == f"warpjudge-{pid}" for f in groups_of(pid)), groups_of(pid)
    nothing_begins_beside_survivors(judge, pid)
    # What a killed daemon leaves the next one removes.
    ident = judge.post(RIGHT)
    judge.kill()
    assert groups_of(pid)
    judge.start()
    await_that(lambda: not groups_of(pid), "no group is left of a daemon that is gone")
    judge.wait_done(ident)
    judge.let_leave()
    pid = judge.api("GET", "/api/health")[1]["pid"]
    assert judge.stop() == 0
    assert not groups_of(pid), "groups of a daemon that has ended"


def without_user_namespaces(*command):
    """As on a machine that has them switched off."""
    return ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", *command]


def test_no_user_namespaces(judge):
    run = subprocess.run(without_user_namespaces(judge.bin, "serve"), env=judge.env, timeout=BACKSTOP_S,
                         capture_output=True, text=True)
    assert run.returncode == 2 and run.stdout == "", run
    assert "bubblewrap cannot make a sandbox here" in run.stderr, run.stderr
    assert "--insecure-no-sandbox" in run.stderr, run.stderr
    # Nor does the one that the command line starts for itself.
    run = subprocess.run(without_user_namespaces(judge.bin, "submit", DEMO / "right.cu"),
                         env=judge.env, timeout=BACKSTOP_S, capture_output=True, text=True)
    assert run.returncode == 3 and "sandbox" in run.stderr, run


def test_results_without_a_sandbox_are_marked(judge):
    judge.start_command(without_user_namespaces(judge.bin, "serve", "--insecure-no-sandbox"))
    text = judge.cli("submit", DEMO / "right.cu", status=0).stdout
    assert "judged without a sandbox" in text, text
    wrong = judge.wait_done(judge.post((DEMO / "wrong-last.cu").read_text()))
    assert wrong["verdict"] == "wrong_answer" and wrong["insecure"] is True, wrong
    health = judge.api("GET", "/api/health")[1]
    assert health["insecure"] is True, health
    assert "without a sandbox" in judge.cli("status", status=0).stdout
    os.kill(health["pid"], signal.SIGTERM)  # bwrap ends with it
    assert judge.daemon.wait(BACKSTOP_S) == 0
    judge.stop()
    judge.start()
    # For good; what is judged from now on is not.
    old = judge.api("GET", "/api/submissions/1")[1]
    assert old["verdict"] == "accepted" and old["insecure"] is True, old
    new = judge.wait_done(judge.post(RIGHT, user="grace"))
    assert new["verdict"] == "accepted" and new["insecure"] is False, new
    board = judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"]
    assert sorted(e["insecure"] for e in board) == [False, True], board
    text = judge.cli("rank", "vector-addition", status=0).stdout
    assert sum(" !" in line for line in text.splitlines()) == 1, text
    assert sum(line.startswith("!  judged without") for line in text.splitlines()) == 1, text
    assert judge.cli("history", "--user", "ada", status=0).stdout.count("(no sandbox)") == 1
    assert "judged without a sandbox" in judge.cli("status", "1", status=0).stdout
    assert "sandbox" not in judge.cli("status", str(new["id"]), status=0).stdout


def test_refused_calls(judge):
    """The tool for a new driver: what a program would have been refused, which still runs."""
    tool = judge.prefix / "tests/tools/refused-calls"

    def run(*command):
        done = subprocess.run([tool, *command], capture_output=True, text=True, timeout=BACKSTOP_S)
        return done.returncode, done.stdout, done.stderr

    assert run("/bin/sh", "-c", "echo $((6 * 7)); exit 3") == (3, "42\n", "refused-calls: none\n")
    code, _, err = run("unshare", "--user", "/bin/true")
    assert code == 0 and "refused-calls: unshare" in err, (code, err)
    code, _, err = run("/bin/sh", "-c", "/bin/true; kill -9 $$")
    assert code == 137 and ("fork" in err or "clone" in err), (code, err)
    assert run("/no/such/program")[0] == 125


def test_limits_that_no_judgement_can_have(judge):
    """Said at the start, not by each submission."""
    for option, words in (("--nofile=640", "open files"), ("--fsize=1000000", "a file's size"),
                          ("--cpu=100", "CPU time")):
        run = subprocess.run(["prlimit", option, judge.bin, "serve"], env=judge.env, timeout=BACKSTOP_S,
                             capture_output=True, text=True)
        assert run.returncode == 2 and run.stdout == "" and words in run.stderr, (option, run)


def test_a_full_disk_while_compiling(judge):
    """It is the judge's failure, on which the source has no influence."""
    jobs = judge.home / "jobs"
    jobs.mkdir()
    judge.start_command(["bwrap", "--dev-bind", "/", "/", "--size", str(DISK_BYTES), "--tmpfs", jobs,
                         judge.bin, "serve", "--insecure-no-sandbox"])
    full = judge.wait_done(judge.post(RIGHT + LARGE))
    assert full["verdict"] == "judge_error" and "full disk" in full["message"], full
    wrong = judge.wait_done(judge.post("this is no CUDA"))
    assert wrong["verdict"] == "compile_error", wrong
    os.kill(judge.api("GET", "/api/health")[1]["pid"], signal.SIGTERM)
    assert judge.daemon.wait(BACKSTOP_S) == 0
