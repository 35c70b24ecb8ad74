"""Bulk grading: a line out for each line in, whatever is wrong with it, and whoever is killed meanwhile."""
import ctypes
import ctypes.util
import json
import os
import resource
import signal
import subprocess
import sys

from harness import DEMO, LONG_CALL_S, ROOT, await_that, slow_once
from sse import Reader
from test_profile import TILE
from test_rights import Tcp, join, narrow

RIGHT = (DEMO / "right.cu").read_text()
RACY = TILE.replace("__syncthreads();", "b += tile[0][(threadIdx.x / 32 + 1) % 8] == 3e38f;")
# What another run may say otherwise: who judged when, in which order.
OTHERWISE = ("run", "submission", "finished_ms", "seed")


def line(ident, source, **more):
    return json.dumps({"id": ident, "problem": "vector-addition", "source": source, **more})


def many():
    """Lines of all kinds."""
    other = {name: (DEMO / f"{name}.cu").read_text() for name in ("out-of-bounds", "wrong-last", "does-not-compile")}
    return [
        line("right", RIGHT, tags=["<b>&amp;", "small"]),
        line("race", RACY),
        line("wrong", other["wrong-last"], seed=7),
        line("outside", other["out-of-bounds"]),
        line("not compiled", other["does-not-compile"]),
        line("right", RIGHT),
        line("right again", RIGHT),
        line("</script><script>alert(1)</script>", RIGHT),
        line("also wrong", other["wrong-last"], seed=7),
        line("another seed", other["wrong-last"], seed="8"),
        line("no such problem", RIGHT).replace("vector-addition", "no-such-problem"),
        "{\"id\": ",
        "",
        "[1]",
        line("member", RIGHT, sauce="x"),
        line("seed", RIGHT, seed=-1),
        line("tags", RIGHT, tags="small"),
        json.dumps({"id": "no source", "problem": "vector-addition"}),
        json.dumps({"problem": "vector-addition", "source": RIGHT}),
        line("nul", RIGHT + "\\u0000").replace("\\\\", "\\"),
        line("large", "/" * (1 << 20) + "x"),
    ]


def results(path):
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    return {row["line"]: {k: v for k, v in row.items() if k not in OTHERWISE} for row in rows}, rows


def test_each_line_has_its_line(judge):
    path, out = judge.write("in.jsonl", b"\n".join(
        [text.encode() for text in many()] + [b'{"id": "\xff"}', b"x" * (9 << 20)]) + b"\n"), judge.home / "out.jsonl"
    run = judge.cli("grade", path, "-o", out, status=0)
    got, rows = results(out)
    assert len(rows) == len(got) == 22 and "accepted 3" in run.stdout and "error 13" in run.stdout, run.stdout
    assert len({row["run"] for row in rows}) == 1, rows[0]
    words = {n: row.get("verdict") for n, row in got.items() if row.get("verdict")}
    assert words == {1: "accepted", 2: "race", 3: "wrong_answer", 4: "runtime_error", 5: "compile_error",
                     7: "accepted", 8: "accepted", 9: "wrong_answer", 10: "wrong_answer"}, words
    assert [got[n]["stage"] for n in (1, 2, 5)] == ["emu", "emu", "compile"], got
    # What was judged is judged once, and says so.
    assert [n for n in words if got[n]["cached"]] == [7, 8, 9], got
    assert got[7]["key"] == got[1]["key"] != got[2]["key"] and got[9]["key"] == got[3]["key"] != got[10]["key"], got
    seeds = {row["line"]: row.get("seed") for row in rows}
    assert (seeds[3], seeds[10]) == ("7".zfill(64), "8".zfill(64)) and seeds[5] is None, seeds
    first = got[1]
    assert first["low_ns"] <= first["time_ns"] <= first["high_ns"] and first["counters"]["calls"] > 0, first
    assert first["tags"] == ["<b>&amp;", "small"] and first["difficulty"] == "easy" and "tags" not in got[7], first
    assert "two threads" in got[2]["message"] or "race" in got[2]["message"], got[2]
    where = f"{path}:"
    for number, part in {6: 'the id "right" is that of line 1', 11: 'no problem "no-such-problem"', 12: "not valid JSON",
                         14: "no JSON object", 15: '"sauce" is not a field', 16: '"seed" is not a whole number',
                         17: '"tags" is not a list', 18: '"source" is missing', 19: '"id" is missing',
                         20: "holds a NUL byte", 21: "1048577 bytes, over the limit of 1048576",
                         22: "not UTF-8 at its byte 9", 23: "9437184 bytes, over the limit"}.items():
        assert got[number]["error"].startswith(f"{where}{number}: ") and part in got[number]["error"], got[number]
    assert got[15]["id"] == "member" and "id" not in got[12], got
    # Nothing of it ranks, is in the feed, or counts for a person.
    assert judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"] == []
    assert judge.api("GET", "/api/feed")[1]["feed"] == []
    sub = judge.api("GET", f"/api/submissions/{rows[-1].get('submission', 1)}")[1]
    assert (sub["mode"], sub["rank"], sub["best"]) == ("grade", None, False), sub
    shown = judge.cli("status", str(rows[-1].get("submission", 1))).stdout
    assert "only the samples" not in shown, shown
    # The file that is there is not lost.
    again = judge.cli("grade", path, "-o", out, status=2)
    assert "is there already" in again.stderr and "--resume" in again.stderr, again
    before = out.read_bytes()
    assert "22 were there already" in judge.cli("grade", path, "-o", out, "--resume", status=0).stdout
    assert out.read_bytes() == before
    kills_change_nothing(judge, path, got)


def kills_change_nothing(judge, path, whole):
    killed = judge.home / "killed.jsonl"
    command = [judge.bin, "grade", path, "-o", killed, "-j", "2"]
    while True:
        run = subprocess.Popen(command, env=judge.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        await_that(lambda: killed.exists() and killed.read_bytes().count(b"\n") >= 2, "some lines")
        run.send_signal(signal.SIGSTOP)
        if run.poll() is None and killed.read_bytes().count(b"\n") < len(whole):
            break
        run.kill()  # it came to its end while this machine stood still
        run.wait()
        killed.unlink()
    other = judge.cli("grade", path, "-o", killed, "--resume", status=2)
    assert "another `warpjudge grade`" in other.stderr, other
    run.kill()
    run.wait()
    # As after a kill in the middle of a line.
    with open(killed, "ab") as file:
        file.write(b'{"line": 3, "id": "wro')
    before = killed.read_bytes().count(b"\n")
    run = subprocess.Popen([*command, "--resume"], env=judge.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # Until it has written a line itself. Where its first question meets no judge, it rightly gives up.
    await_that(lambda: killed.read_bytes().count(b"\n") > before, "one more line")
    pid = judge.api("GET", "/api/health")[1]["pid"]
    os.kill(pid, signal.SIGKILL)
    judge.killed.append(pid)
    assert run.wait() == 0, run.stderr.read()
    run.stderr.close()
    assert results(killed)[0] == whole


def test_a_line_that_was_mended(judge):
    """--resume judges what was an error before, and tells what still is one only once."""
    out = judge.home / "out.jsonl"
    bad, more = "{half a line", line("c", RIGHT, problem="no-such")
    judge.cli("grade", judge.write("in.jsonl", f"{line('a', RIGHT)}\n{bad}\n{more}\n{bad}\n"), "-o", out, "--stage",
              "compile", status=0)
    path = judge.write("in.jsonl", f"{line('a', RIGHT)}\n{line('b', RIGHT)}\n{more}\n{bad}\n")
    for _ in range(2):
        judge.cli("grade", path, "-o", out, "--stage", "compile", "--resume", status=0)
        rows = [json.loads(text) for text in out.read_text().splitlines()]
        assert sorted((row["line"], row.get("verdict")) for row in rows if "verdict" in row) == [
            (1, "accepted"), (2, "accepted")], rows
        assert sorted(row["line"] for row in rows if "error" in row) == [2, 3, 4], rows
    # It would pass over what is there, and judge nothing on emu.
    before, run = out.read_bytes(), judge.cli("grade", path, "-o", out, "--resume", status=2)
    assert "was judged with --stage compile, and this run has --stage emu" in run.stderr, run
    assert out.read_bytes() == before


def test_a_failure_of_the_judge_is_judged_again(judge):
    """--resume judges anew what says nothing of the line, each time as another submission."""
    lines = line("a", RIGHT), line("b", RIGHT + "// b")
    out, path = judge.home / "out.jsonl", judge.write("in.jsonl", "".join(f"{text}\n" for text in lines))
    judge.cli("grade", path, "-o", out, "--stage", "compile", status=0)
    for failure in "judge_error", "cancelled":
        rows = [json.loads(text) for text in out.read_text().splitlines()]
        failed = next(row for row in reversed(rows) if row["id"] == "a")
        failed["verdict"] = failure
        out.write_text("".join(json.dumps(row) + "\n" for row in rows))
        judge.cli("grade", path, "-o", out, "--stage", "compile", "--resume", status=0)
        again = json.loads(out.read_text().splitlines()[-1])
        assert (again["id"], again["verdict"]) == ("a", "accepted"), again
        assert again["submission"] != failed["submission"], again
    assert [json.loads(text)["id"] for text in out.read_text().splitlines()].count("a") == 3
    before = out.read_bytes()
    judge.cli("grade", path, "-o", out, "--stage", "compile", "--resume", status=0)
    assert out.read_bytes() == before


def test_a_full_disk_leaves_whole_lines(judge):
    path, out = judge.write("in.jsonl", "\n".join(many()) + "\n"), judge.home / "out.jsonl"

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    judge.start()
    run = subprocess.run([judge.bin, "grade", path, "-o", out, "--stage", "compile"], env=judge.env, preexec_fn=limited,
                         capture_output=True, text=True)
    assert run.returncode == 4 and "cannot be written" in run.stderr and "--resume goes on" in run.stderr, run
    rows = results(out)[1]
    assert 0 < len(rows) < 20 and out.read_bytes().endswith(b"\n"), rows
    run = judge.cli("grade", path, "-o", out, "--resume", "--stage", "compile", status=0)
    got = results(out)[0]
    assert (got[3]["verdict"], got[3]["stage"], got[5]["verdict"]) == ("accepted", "compile", "compile_error"), got
    for args, sentence in ((["--stage", "gpu"], "--stage gpu needs a GPU"), (["--stage", "x"], "compile, emu or gpu"),
                           (["-d", "cuda:7"], "no device")):
        assert sentence in judge.cli("grade", path, "-o", judge.home / "no", *args, status=2).stderr, args
    assert "say where the results go" in judge.cli("grade", path, status=2).stderr
    judge.write("other.jsonl", '{"a": 1}\n')
    assert "other.jsonl:1: this is no line that" in judge.cli(
        "grade", path, "-o", judge.home / "other.jsonl", "--resume", status=2).stderr


def test_who_may_grade(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "1")["port"])
    ada, staff = join(judge, "ada"), join(judge, "staff", "staff")
    body = {"problem": "vector-addition", "source": RIGHT, "mode": "grade_compile"}
    assert tcp.token("POST", "api/submissions", ada, body)[0] == 403
    assert tcp.token("POST", "api/submissions", None, body)[0] == 401
    status, answer = tcp.token("POST", "api/submissions", narrow(tcp, staff, "read,submit,admin"), body)
    assert status == 403 and "scope bulk" in json.dumps(answer), answer
    # Quotas do not count for it, and it needs no more than its own scope.
    for _ in range(2):
        status, answer = tcp.token("POST", "api/submissions", narrow(tcp, staff, "read,submit,bulk"), body)
        assert status == 201, answer
    status, answer = tcp.token("POST", "api/submissions", narrow(tcp, ada, "read,submit,bulk,admin"), body)
    assert status == 403 and "only the staff" in json.dumps(answer), answer
    assert judge.wait_done(2)["message"] == "It compiles, and nothing was run."
    shown = judge.cli("status", "2", status=0).stdout
    assert "It compiles, and nothing was run." in shown and "samples" not in shown, shown
    for wrong in ({"seed": "7"}, {"seed": "7" * 64, "mode": "submit"}):
        status, answer = tcp.token("POST", "api/v1/submissions", staff, {**body, **wrong})
        assert (status, answer["pointer"]) == (400, "/seed"), answer
    # A line that the judge's owner may not send ends the run.
    path = judge.write("in.jsonl", line("a", RIGHT) + "\n")
    run = judge.cli("grade", path, "-o", judge.home / "out.jsonl", status=2,
                    env={"WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_TOKEN": ada})
    assert "only the staff and admins" in run.stderr and (judge.home / "out.jsonl").read_text() == "", run
    run = judge.cli("grade", path, "-o", judge.home / "out2.jsonl", "--stage", "compile", status=0,
                    env={"WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_TOKEN": staff})
    assert "accepted 1" in run.stdout, run


def test_a_folder_of_problems_has_a_judge_of_its_own(judge):
    judge.allow_long_calls()
    folder = judge.env.pop("WARPJUDGE_PROBLEMS")
    spec = os.path.join(folder, "vector-addition/problem.json")
    with open(spec) as file:
        text = json.load(file)
    with open(spec, "w") as file:
        json.dump(text | {"limits": {"time_ms": 20}}, file)
    path, out = judge.write("in.jsonl", line("endless", (DEMO / "endless.cu").read_text()) + "\n"), judge.home / "out"
    judge.cli("grade", path, "-o", out, "--problems", folder, status=0)
    got = results(out)[0]
    assert got[1]["verdict"] == "time_limit", got
    run = judge.cli("grade", path, "-o", out, "--problems", folder, status=2, env={"WARPJUDGE_URL": "http://localhost:1"})
    assert "starts a judge on this machine" in run.stderr, run
    assert "cannot be used" in judge.cli("grade", path, "-o", out, "--problems", "/no/such", status=2).stderr
    # A link would show, or compile, a file that only its owner may read.
    statement = os.path.join(folder, "vector-addition/statement.md")
    os.unlink(statement)
    for make in (lambda: os.symlink("/etc/hostname", statement), lambda: os.mkfifo(statement)):
        make()
        run = judge.cli("grade", path, "-o", judge.home / "no", "--problems", folder, status=2)
        assert "vector-addition/statement.md is no plain file" in run.stderr, run
        os.unlink(statement)


def test_signed_results(judge):
    key, out = judge.home / "mine.key", judge.home / "out.jsonl"
    judge.cli("key", "new", key, status=0)
    assert key.stat().st_mode & 0o777 == 0o600 and "is there already" in judge.cli("key", "new", key, status=2).stderr
    judge.cli("key", "new", judge.home / "other", status=0)
    path = judge.write("in.jsonl", "\n".join([line("a", RIGHT), line("b \n1", RIGHT), "{}",
                                              line("c", (DEMO / "does-not-compile.cu").read_text(), seed=9)]) + "\n")
    judge.cli("grade", path, "-o", out, "--sign", key, status=0)
    rows = {row["line"]: row for row in results(out)[1]}
    bundles = [rows[n]["bundle"] for n in (1, 2, 4)]
    assert len({b["nonce"] for b in bundles}) == 3 and bundles[1]["id"] == "b \n1" and "bundle" not in rows[3], bundles
    first = bundles[0]
    assert (first["verdict"], first["stage"], first["problem"]) == ("accepted", "emu", "vector-addition"), first
    assert float(first["time_ns"]) == rows[1]["time_ns"] and len(first["samples"].split()) > 2, first
    assert len(first["seed"]) == 64 and first["toolkit"] and first["card"] and first["meaning"], first
    pub = f"{key}.pub"
    assert "3 good, 0 bad\n" in judge.cli("verify", out, "--key", pub, status=0).stdout
    run = judge.cli("verify", out, "--key", judge.home / "other.pub", status=1)
    assert "signed by another key" in run.stdout and "0 good, 3 bad" in run.stdout, run
    # A flipped byte of any member, of the signature or the key, one that is gone, and one more.
    alone = judge.home / "alone.json"
    changed = [{**first, name: value[:-1] + ("0" if value[-1:] != "0" else "1")} for name, value in first.items()]
    changed += [{n: v for n, v in first.items() if n != name} for name in first if name != "signature"]
    alone.write_text("".join(json.dumps(bundle) + "\n" for bundle in changed))
    run = judge.cli("verify", alone, status=1)
    assert f"0 good, {len(changed)} bad" in run.stdout and "something in it was changed" in run.stdout, run
    assert '"seed" is missing' in run.stdout and len(changed) == 41, run
    alone.write_text(json.dumps({**first, "more": ""}) + "\n")
    assert "a member that is not signed" in judge.cli("verify", alone, status=1).stdout
    alone.write_text(2 * (json.dumps(first) + "\n"))
    assert "it is a copy" in judge.cli("verify", alone, status=1).stdout
    # A line that says something else than its bundle, which nobody has changed.
    others = {"id": "z", "problem": "softmax", "verdict": "wrong_answer", "stage": "gpu", "board": "NVIDIA H200",
              "seed": "00", "sizes": "N=1", "key": "00", "meaning": "00", "time_ns": 1.5, "low_ns": 1.5, "high_ns": None}
    for name, value in others.items():
        alone.write_text(json.dumps({**rows[1], name: value}) + "\n")
        run = judge.cli("verify", alone, status=1)
        assert f'its "{name}" is not that of its bundle' in run.stdout and "0 good, 1 bad" in run.stdout, run
    alone.write_text(json.dumps(rows[1]) + "\n" + json.dumps({**rows[2], "bundle": None}).replace(', "bundle": null', "") + "\n")
    assert "1 good, 0 bad, 1 without a bundle" in judge.cli("verify", alone, status=0).stdout
    assert "is no public key, as" in judge.cli("verify", out, "--key", key, status=2).stderr
    # Its own bytes, as docs/grading.md defines them.
    text = "warpjudge bundle 1\n" + "".join(f"{n} {len(first[n].encode())}\n{first[n]}\n" for n in FIELDS)
    assert ed25519_verify(bytes.fromhex(first["public_key"]), text.encode(), bytes.fromhex(first["signature"]))
    # What does not compile is judged again by its own verdict.
    run = judge.cli("verify", out, "--again", DEMO / "does-not-compile.cu", status=0)
    assert "judged again: compile_error, and it was compile_error" in run.stdout and "1 judged again" in run.stdout, run
    # Nothing takes a bundle for a result.
    assert judge.api("POST", "/api/submissions", {"problem": "vector-addition", "source": RIGHT, "bundle": first})[0] == 400
    key.chmod(0o644)
    assert "others may read" in judge.cli("grade", path, "-o", judge.home / "no", "--sign", key, status=2).stderr


def test_a_bundle_that_was_changed_is_not_signed_again(judge):
    """What --resume finds in the file is no result of ours unless our key has signed it."""
    key, out = judge.home / "mine.key", judge.home / "out.jsonl"
    judge.cli("key", "new", key, status=0)
    path = judge.write("in.jsonl", line("a", RIGHT) + "\n")
    judge.cli("grade", path, "-o", out, "--sign", key, "--stage", "compile", status=0)
    path = judge.write("in.jsonl", line("a", RIGHT) + "\n" + line("b", RIGHT) + "\n")
    row = json.loads(out.read_text())
    bundle = {**row["bundle"], "verdict": "wrong_answer"}
    for changed in ({**row, "verdict": "wrong_answer"}, {**row, "verdict": "wrong_answer", "bundle": bundle}):
        out.write_text(json.dumps(changed) + "\n")
        judge.cli("grade", path, "-o", out, "--sign", key, "--stage", "compile", "--resume", status=0)
        last = json.loads(out.read_text().splitlines()[1])
        assert (last["id"], last["verdict"], last["bundle"]["verdict"]) == ("b", "accepted", "accepted"), last


FIELDS = ("id nonce signed_ms problem source meaning seed toolkit driver card board stage verdict sizes time_ns low_ns"
          " high_ns samples key public_key").split()


def ed25519_verify(public, message, signature):
    """By libsodium itself, which the command line calls, but on bytes that are made here."""
    sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
    assert sodium.sodium_init() >= 0
    return sodium.crypto_sign_verify_detached(signature, message, ctypes.c_ulonglong(len(message)), public) == 0


def test_the_client_of_a_training_loop(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    env = {**judge.env, "WARPJUDGE_URL": f"http://localhost:{tcp.port}", "WARPJUDGE_TOKEN": join(judge, "staff", "staff")}
    run = subprocess.run([sys.executable, ROOT / "docs/examples/reward.py", "vector-addition", "10000",
                          DEMO / "right.cu", DEMO / "does-not-compile.cu"], env=env, capture_output=True, text=True)
    rows = [json.loads(text) for text in run.stdout.splitlines()]
    assert run.returncode == 0 and [row["verdict"] for row in rows] == ["accepted", "compile_error"], run
    assert rows[0]["reward"] > 0 and rows[1]["reward"] == 0 and "error" in rows[1]["message"], rows
    run = subprocess.run([sys.executable, ROOT / "docs/examples/reward.py", "no-such", "1", DEMO / "right.cu"],
                         env=env, capture_output=True, text=True)
    assert run.returncode == 1 and 'there is no problem "no-such"' in run.stderr, run


def test_what_others_see_of_it(judge):
    """Nothing: not in a list, of which no place is lost, nor by its number, nor in a stream, nor as a problem that was tried."""
    judge.allow_long_calls()
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    tcp, grader, member = Tcp(port), join(judge, "grader", "staff"), join(judge, "ada")
    bulk = narrow(tcp, grader, "read,submit,bulk")

    def post(token, mode, source=RIGHT):
        status, answer = tcp.token("POST", "api/v1/submissions", token, {
            "problem": "vector-addition", "filename": "k.cu", "source": source, "mode": mode})
        assert status == 201, answer
        return answer["id"]

    own, tried = post(member, "run"), post(grader, "run")
    graded = [post(bulk, "grade", f"int {name} = y;") for name in "abc"]
    for ident in (own, tried, *graded):
        judge.wait_done(ident)
    path = "api/v1/submissions?problem=vector-addition"
    for asked in ("api/v1/submissions?limit=2", f"{path}&limit=2"):
        for token in (member, None):
            rows = tcp.token("GET", asked, token)[1]["submissions"]
            assert [row["id"] for row in rows] == [tried, own], (asked, rows)
    for asked in ("api/v1/submissions?user=grader", f"{path}&user=grader"):
        assert [row["id"] for row in tcp.token("GET", asked, member)[1]["submissions"]] == [tried]
        for token in (bulk, grader, narrow(tcp, grader, "read")):
            assert [row["id"] for row in tcp.token("GET", asked, token)[1]["submissions"]] == [*reversed(graded), tried]
    for ident in graded:
        for part in ("", "/source", "/events"):
            status, answer = tcp.token("GET", f"api/v1/submissions/{ident}{part}", member)
            assert (status, answer["code"]) == (404, "no_such_submission"), answer
        assert tcp.token("GET", f"api/v1/submissions/{ident}", bulk)[1]["mode"] == "grade"
    # A stream shows what happens, and what waits at its beginning.
    with Reader(port, "/api/v1/events", headers=[f"Authorization: Bearer {member}"]) as stream:
        stream.until("live")
        for ident in (another := post(bulk, "grade", "int f = y;")), post(member, "run", "int g = y;"):
            judge.wait_done(ident)
        seen = {data["submission"] for _, data, _ in stream.until("done")}
        assert seen == {ident} and another not in seen, (seen, ident)
    slow = judge.post(slow_once(RIGHT, LONG_CALL_S), user="root", mode="run")
    await_that(lambda: judge.api("GET", f"/api/submissions/{slow}")[1]["state"] == "running", "one is judged")
    waiting = post(bulk, "grade", RIGHT + "// d")
    begun = {token: tcp.raw(f"GET /api/v1/events HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
                            .encode())[1] for token in (member, bulk)}
    assert f'"submission":{waiting},' in begun[bulk].decode() and f'"submission":{waiting},' not in begun[member].decode(), begun
    assert judge.api("POST", f"/api/submissions/{slow}/cancel", {})[0] == 200
    judge.wait_done(waiting)
    # Grading is no try of a problem.
    other = narrow(tcp, join(judge, "other", "staff"), "read,submit,bulk")
    judge.wait_done(post(other, "grade", "int e = y;"))
    listed = tcp.token("GET", "api/v1/problems?user=other", member)[1]["problems"]
    assert next(p for p in listed if p["slug"] == "vector-addition")["state"] == "unsolved", listed[0]
