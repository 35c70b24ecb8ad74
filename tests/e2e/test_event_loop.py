"""No handler of the daemon's holds its event loop for more than 5 ms of CPU time, on a database of
20,000 submissions, in the build which people use. The daemon logs one that does
(judge/daemon/loop_watch.h).

CPU time, too, grows beside busy neighbours: caches and the cores themselves are shared. So what is
asked for again and again must be short once."""
import base64
import json
import os
import shutil
import sqlite3

import crowd
from harness import DEMO, ROOT, await_that
from test_compile_workers import BYTES_MAX, REFUSED, Compiler, relabelled, sealed
from test_pages import Browser
from test_pages_staff import member
from test_workers import ACCEPTED, COMPILED, JOB_FORMAT, Cluster, Fake

ALONE = "beside others a handler takes several times the CPU time"
LIMIT_US = 5000
HELD = "the event loop was held"
ATTEMPTS = 20


def short_once(judge, act, by=""):
    """Does act() until no handler took too long meanwhile, or none of these. What comes before or after such an act is
    held to the harness's limit only."""
    for _ in range(ATTEMPTS):
        judge.log.write_text("")
        act()
        text = judge.log.read_text()
        if not any(HELD in line and by in line for line in text.splitlines()):
            return
    raise AssertionError(f"{ATTEMPTS} times in a row:\n{text}")


def fill_calibrations(judge):
    """Eight GPUs of a year."""
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO calibrations WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2919)"
                   " SELECT 'GPU-' || (i % 8), unixepoch() / 86400 - i / 8, 'NVIDIA H200', 'cuda:0', 1, 1, 4000, 3900, 4100,"
                   " 4000, 3900, 4100, 60, 59, 61, '' FROM n")
    db.close()


def test_every_call_is_short(judge):
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    crowd.fill(judge, 20000)
    fill_calibrations(judge)
    for path in ("/api/submissions?limit=1000", "/api/submissions?user=user7", "/api/submissions/7",
                 "/api/submissions?user=nobody&problem=none", "/api/submissions/7/source",
                 "/api/submissions/7/events", "/api/problems", "/api/problems/vector-addition",
                 "/api/problems/vector-addition/board", "/api/problems/vector-addition/board?device=none",
                 "/api/v1/submissions?limit=1000&user=", "/api/v1/problems?limit=100", "/api/v1/openapi.json",
                 "/api/v1/problems?user=user7", "/api/v1/problems?user=nobody&limit=100",
                 "/api/v1/problems/vector-addition/board?limit=1000", "/api/v1/standings?limit=1000",
                 "/api/v1/standings?around=user7", "/api/v1/equal?limit=1000",
                 "/api/v1/calibrations?days=365", "/api/v1/accounts", "/api/v1/accounts?limit=100&q=user19", "/api/health"):
        def ask(path=path):
            for encoding in ("identity", "gzip"):
                status, answer = judge.api("GET", path, headers={"Accept-Encoding": encoding})
                assert status == (400 if "device=none" in path else 200), (path, status, str(answer)[:200])
        short_once(judge, ask)

    def record():
        """Puts an entry into the middle of the board."""
        done = judge.wait_done(judge.post((DEMO / "right.cu").read_text()))
        assert done["entries"] == 20001 and done["rank"], done
    short_once(judge, record)

    def preview():
        """Says what a rejudgement of that entry would change; its time is modelled, and so nothing does."""
        own = judge.api("GET", "/api/submissions?limit=1")[1]["submissions"][0]["id"]
        told = judge.cli("admin", "rejudge", own, "--preview", status=0).stdout
        assert "no rank would change" in told, told
    short_once(judge, preview, by="a rejudgement's ranks")


def test_the_feed_and_a_user_are_short(judge):
    """Where one user has sent all of it, on the days of fifty years, and where most moves are of an older board."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    crowd.fill(judge, 20000)
    judge.stop()
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.execute("INSERT INTO moves (submission_id, made_ms, problem, board, meaning, improved, sure, rank, entries,"
                   " passed) SELECT id, created_ms, problem, board, CASE id % 20 WHEN 0 THEN meaning ELSE 'older' END,"
                   " 1, 0, 1, 1, 8 FROM submissions")
        db.execute("INSERT INTO passed (move_id, number, submission_id, time_ns) WITH RECURSIVE n (i) AS"
                   " (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7) SELECT m.id, i, submission_id % 19000 + 1 + i, 1"
                   " FROM moves m, n")
        # The clock's own time, so that the calendar has as many as it counts, and as long a streak.
        db.execute("UPDATE submissions SET user_id = 8, created_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000"
                   " - id % 18000 * 86400000 + CASE WHEN id > 18000 THEN -1000 ELSE 0 END")
    db.close()
    judge.start()
    for path, rows in (("/api/v1/feed?limit=1000", 50), ("/api/v1/feed?problem=vector-addition", 20),
                       ("/api/v1/feed?problem=reduction", 0)):
        def ask(path=path, rows=rows):
            status, answer = judge.api("GET", path)
            assert status == 200 and len(answer["feed"]) == rows, (path, status, len(answer["feed"]))
        short_once(judge, ask)

    def ask_user():
        status, answer = judge.api("GET", "/api/v1/users/user7")
        assert status == 200 and answer["streak"] == {"days": 18000, "longest": 18000}, answer["streak"]
        assert min(answer["calendar"]["accepted"][:-1]) >= 1, answer["calendar"]  # today may have just begun
    short_once(judge, ask_user)


def test_the_page_of_calibrations_is_short(judge):
    """Of eight GPUs, each measured on every day of a year."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    staff = member(judge, port, "root", "staff")
    fill_calibrations(judge)

    def ask():
        page = staff.get("/staff/calibration").text
        assert page.count("day by day") == 3 * 8, page[:2000]
    short_once(judge, ask)


def test_the_page_of_grades_is_short(judge):
    """Of a class of 500, who have sent to 20 problems, of which 12 are assigned: ten thousand grades."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    crowd.many(judge, 20000, 1001)
    crowd.school(judge, 500, bulk=1, moves=1, groups=10)
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    staff = member(judge, port, "root", "admin")

    def ask():
        status, _, text = staff.ask("GET", "/groups/class/grades")
        assert status == 200 and text.count("<tr>") == 2 + 500 + 500 * 8, (status, text[:2000])
    short_once(judge, ask)


def test_the_page_of_members_is_short(judge):
    """Of a class as large as a group may be."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    crowd.many(judge, 3000, 2001)
    crowd.school(judge, 2000, bulk=1, moves=1, groups=10)
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    staff = member(judge, port, "root", "admin")

    def ask_api():
        status, answer = judge.api("GET", "/api/v1/groups/class/members")
        assert status == 200 and len(answer["members"]) == 2000, (status, str(answer)[:2000])
    short_once(judge, ask_api)

    def ask():
        status, _, text = staff.ask("GET", "/groups/class/members")
        assert status == 200 and text.count("<tr>") == 1 + 2000, (status, text[:2000])
    short_once(judge, ask)


def test_the_watchdog_sees(judge):
    """With a limit of 1 us every call is logged, so that silence above means something."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = "1"
    judge.start()
    assert judge.api("GET", "/api/health")[0] == 200
    judge.stop()
    text = judge.log.read_text()
    assert any(HELD in line and "/api/health" in line for line in text.splitlines()), text


def test_a_long_listing_is_short(judge):
    """32768 short instructions, of which a page shows the beginning. Its parsing and its writing are steps."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    code = "".join(f"#define R{i + 1}(x) {f'R{i}(x) ' * 8}\n" for i in range(5)).replace("R0(x)", "x")
    ident = judge.post((DEMO / "right.cu").read_text() + code +
                       '__global__ void long_one() { asm volatile("{ .reg .b32 t;\\n" R5("ret;\\n") '
                       '"mov.b32 t, 1; }"); }\n')
    judge.wait_done(ident)

    def ask():
        page = Browser(port).get(f"/submissions/{ident}/assembly").text
        assert "The rest is not shown here." in page and page.count("ret;") > 10000, page[-2000:]
    short_once(judge, ask)


LOST = 200


def lose_many(cluster):
    """Whether so many workers were lost together: on a slow machine the first may be lost before the last has work."""
    fakes = [Fake(cluster, f"n{i}", device="cuda:0", board="NVIDIA H200", arch="sm_90a") for i in range(LOST)]
    idents = [cluster.judge.post("int x;", mode="run", device="NVIDIA H200") for _ in fakes]
    together = all(fake.ask("lease", worker=fake.worker, wait_s=15)[1].get("lease") for fake in fakes)
    working = [w for w in cluster.judge.api("GET", "/api/v1/workers?limit=1000")[1]["workers"] if "submission" in w]
    together = together and len(working) == LOST
    await_that(lambda: not cluster.seen(), "all are given up")
    for ident in idents:
        shown = cluster.judge.api("GET", f"/api/submissions/{ident}")[1]
        assert shown["attempt"] == 2 or not together, shown
        assert cluster.judge.api("POST", f"/api/submissions/{ident}/cancel", {})[0] == 200
    return together


def test_many_workers_are_lost(judge):
    """What they had is stored to be judged again in one transaction for each look at them."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    for lease in (3, 12, 48):
        with Cluster(judge, only=False, lease=str(lease)) as cluster:
            lost = []
            short_once(judge, lambda: lost.append(lose_many(cluster)))
        judge.stop()
        if lost[-1]:
            return
    raise AssertionError("no time was enough")


PART_CHARS = 256 << 10  # as cli/worker_judge.c sends them
MANY_VALUES = 1 << 18


def test_results_of_megabytes_are_short(judge):
    """One that a worker sends, in parts that are hardly anything but escapes, and a local one with its arrays. Both are
    parsed beside the loop. What is too long of the worker's is not kept."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    long = json.dumps({"diagnostics": [{"a": 1}] * MANY_VALUES})
    test = {"number": 1, "verdict": "accepted", "sizes": "N=1"}
    text = json.dumps({"compile": COMPILED, "result": ACCEPTED | {"tests": [test], "board": "NVIDIA H200",
                                                                  "findings": long}})
    parts = [text[i:i + PART_CHARS] for i in range(0, len(text), PART_CHARS)]
    assert len(parts) > 10
    with Cluster(judge, only=False) as cluster:
        fake = Fake(cluster, "one", device="cuda:0", board="NVIDIA H200", arch="sm_90a")

        def send():
            ident = judge.post("int x;", mode="run", device="NVIDIA H200")
            mine, _ = fake.lease()
            for number, part in enumerate(parts):
                status, answer = fake.ask("result", **mine, part=number + 1, parts=len(parts), text=part)
                assert status == 200, answer
            done = judge.wait_done(ident)
            assert done["verdict"] == "accepted" and "diagnostics" not in done, str(done)[:2000]

        def run():
            ident = judge.post((DEMO / "right.cu").read_text(), mode="run",
                               own_case={"sizes": {"N": 60000}, "arrays": True})
            assert judge.wait_done(ident)["verdict"] == "accepted"
            status, arrays = judge.api("GET", f"/api/v1/submissions/{ident}/arrays")
            assert status == 200 and len(json.dumps(arrays)) > 900000, str(arrays)[:2000]

        short_once(judge, send)
        short_once(judge, run)


def test_artefacts_of_megabytes_are_short(judge):
    """One that a worker has compiled, as long as it may be: it is checked and written beside the loop, and sent in pieces
    to the worker that judges."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    with Cluster(judge) as cluster:
        fit = {"linked": "a" * 64, "toolkit": "13"}
        fake, compiler = Fake(cluster, "one", **fit), Compiler(cluster, fit)
        program = base64.b64encode(bytes(BYTES_MAX)).decode()

        def send():
            judge.post("int x;")
            mine, lease = compiler.lease()
            artefact = {"format": JOB_FORMAT, "arch": lease["arch"], "files": [{"name": "submission", "base64": program}], **fit}
            sent = sealed(relabelled(artefact, lease))
            status, answer = compiler.send_long(mine, sent)
            assert status == 200, answer
            mine, lease = fake.lease()
            assert "artefact" in lease, (lease, judge.log.read_text())
            return mine, sent["artefact"]

        def end(mine):
            assert fake.send(mine, {"result": ACCEPTED | {"verdict": "runtime_error", "message": "stopped"}})[0] == 200

        short_once(judge, lambda: end(send()[0]), "a result that is read")
        mine, artefact = send()
        path = f"api/v1/worker/artefacts/{artefact['sha256']}"

        def fetch():
            status, answer = cluster.tcp.token("GET", path, fake.token)
            assert status == 200 and answer == json.loads(artefact["text"]), str(answer)[:2000]

        short_once(judge, fetch, path)
        end(mine)


def test_a_problem_of_megabytes_is_short(judge):
    """One that has changed, as long as it may be: it is packed for workers beside the loop."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = str(LIMIT_US)
    folder = judge.home / "large"
    shutil.copytree(ROOT / "problems/vector-addition", folder / "vector-addition")
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder)
    with Cluster(judge) as cluster:
        fake = Fake(cluster, "one")
        hashes = set()

        def take():
            (folder / "vector-addition/more").write_bytes(os.urandom((8 << 20) - 100000))
            ident = judge.post("int x;")
            mine, lease = fake.lease()
            assert mine["submission"] == ident and lease["problem_hash"] not in hashes, lease
            hashes.add(lease["problem_hash"])
            assert fake.send(mine, REFUSED)[0] == 200

        short_once(judge, take)
