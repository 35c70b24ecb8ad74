"""What bad input gets: a sentence, the right exit status, and nothing lost."""
import json
import os
import sqlite3
import subprocess
from pathlib import Path

from harness import BACKSTOP_S, DEMO, ROOT

BUILD = "asan"

RIGHT = (DEMO / "right.cu").read_text()


def refuse(judge, *args, status=2, says=()):
    run = judge.cli(*args, status=status)
    assert run.stderr.strip(), f"no sentence for {args}"
    assert len(run.stderr.strip().splitlines()) <= 4, run.stderr
    for part in says:
        assert part in run.stderr, f"{part!r} is not in {run.stderr!r}"
    return run


def test_files(judge):
    judge.start()
    p = ("-p", "vector-addition")
    refuse(judge, "submit", *p, "nowhere.cu", says=["nowhere.cu"])
    refuse(judge, "submit", *p, judge.write("empty.cu", ""), says=["empty"])
    refuse(judge, "submit", *p, judge.home, says=["folder"])
    refuse(judge, "submit", *p, "/dev/zero", says=["/dev/zero"])
    noise = judge.home / "noise.cu"
    with open(noise, "wb") as f:
        f.truncate(300 << 20)
    refuse(judge, "submit", *p, noise, says=["limit"])
    refuse(judge, "submit", *p, judge.write("big.cu", "// x\n" * 300000), says=["limit"])
    refuse(judge, "submit", *p, judge.write("latin.cu", b"// caf\xe9\n"), says=["UTF-8"])
    refuse(judge, "submit", *p, judge.write("nul.cu", b"int x;\0"), says=["NUL"])
    refuse(judge, "submit", says=["name the file"])
    assert judge.api("GET", "/api/submissions")[1]["submissions"] == []


def test_problems_and_devices(judge):
    judge.start()
    right = judge.write("right.cu", RIGHT)
    refuse(judge, "submit", "-p", "vector-additon", right, says=["vector-addition"])
    refuse(judge, "submit", judge.write("none.cu", "int x;\n"), says=["-p"])
    two = judge.write("two.cu", "// warpjudge: reduction\n// warpjudge: softmax\n")
    refuse(judge, "submit", two, says=["reduction", "softmax"])
    refuse(judge, "submit", "-p", "softmax", right, says=["softmax", "vector-addition"])
    refuse(judge, "submit", "--device", "cuda:77", right, says=["cuda:77", "emu"])
    refuse(judge, "rank", "nothing-of-the-kind", says=["nothing-of-the-kind"])
    refuse(judge, "frobnicate", says=["frobnicate"])
    refuse(judge, "submit", "--frobnicate", right, says=["--frobnicate"])
    refuse(judge, "status", "999", says=["999"])
    assert judge.api("GET", "/api/submissions")[1]["submissions"] == []


def compile_error(judge, name, source, *parts):
    got = judge.submit_json(judge.write(name, "// warpjudge: vector-addition\n" + source),
                            status=1)
    assert got["verdict"] == "compile_error", got
    for part in parts:
        assert part in got["message"], f"{part!r} is not in {got['message']!r}"


def test_sources(judge):
    judge.start()
    compile_error(judge, "none.cu", "int x;\n", "solve")
    compile_error(judge, "other.cu", 'extern "C" void solve(float *A, int N) {}\n',
                  "const float* A, const float* B, float* C, int N", "(float *, int)")


def test_json_errors_are_json(judge):
    judge.start()
    run = judge.cli("submit", "--json", "nowhere.cu", status=2)
    assert run.stdout == "" or json.loads(run.stdout)


def test_port_in_use(judge):
    ready = judge.start("--listen", "127.0.0.1:0")
    other = dict(judge.env, WARPJUDGE_HOME=str(judge.home / "other"))
    os.mkdir(judge.home / "other")
    run = subprocess.run([judge.bin, "serve", "--listen", f"127.0.0.1:{ready['port']}"],
                         env=other, capture_output=True, text=True, timeout=BACKSTOP_S)
    assert run.returncode == 2 and "in use" in run.stderr, run


def test_two_daemons_on_one_database(judge):
    judge.start()
    run = subprocess.run([judge.bin, "serve"], env=judge.env, capture_output=True, text=True,
                         timeout=BACKSTOP_S)
    assert run.returncode == 2 and run.stderr.strip(), run


def test_newer_database(judge):
    judge.start()
    assert judge.stop() == 0
    db = sqlite3.connect(judge.home / "leaderboard.db")
    db.execute("PRAGMA user_version = 9999")
    db.execute("CREATE TABLE future (x)")
    db.commit()
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    before = (judge.home / "leaderboard.db").read_bytes()
    run = judge.cli("serve", status=2)
    assert "newer" in run.stderr, run.stderr
    assert (judge.home / "leaderboard.db").read_bytes() == before
    run = judge.cli("rank", "vector-addition", status=3)
    assert "newer" in run.stderr, run.stderr


def test_corrupt_database(judge):
    (judge.home / "leaderboard.db").write_bytes(os.urandom(64 << 10))
    run = judge.cli("serve", status=2)
    assert "leaderboard.db" in run.stderr, run.stderr


FILL_AND_SERVE = """
cd "$WARPJUDGE_HOME" || exit 9
dd if=/dev/zero of=filler bs=4096 2>/dev/null
exec "$0" serve
"""


def test_full_disk(judge):
    """A home on a file system of 768 KiB that is full already."""
    small = judge.home / "small"
    small.mkdir()
    run = subprocess.run(["bwrap", "--dev-bind", "/", "/", "--size", "786432", "--tmpfs", small,
                          "sh", "-c", FILL_AND_SERVE, judge.bin],
                         env={**judge.env, "WARPJUDGE_HOME": str(small)}, timeout=BACKSTOP_S,
                         capture_output=True, text=True)
    assert run.returncode == 2 and "No space left" in run.stderr, run


def test_read_only_home(judge):
    home = judge.home / "fixed"
    home.mkdir()
    run = subprocess.run(["bwrap", "--dev-bind", "/", "/", "--ro-bind", home, home,
                          judge.bin, "serve"],
                         env={**judge.env, "WARPJUDGE_HOME": str(home)}, timeout=BACKSTOP_S,
                         capture_output=True, text=True)
    assert run.returncode == 2 and str(home) in run.stderr, run


def test_the_daemon_is_started_when_none_answers(judge):
    run = judge.cli("problems", status=0)
    assert "vector-addition" in run.stdout


def test_unreachable_url(judge):
    run = judge.cli("problems", env={"WARPJUDGE_URL": "http://127.0.0.1:1"}, status=3)
    assert "127.0.0.1:1" in run.stderr, run.stderr


def test_problem_check(judge):
    judge.cli("problem", "check", "vector-addition", status=0)
    broken = judge.home / "problems" / "broken"
    broken.mkdir(parents=True)
    spec = json.loads((ROOT / "problems/vector-addition/problem.json").read_text())
    spec["params"][2]["shape"] = ["M"]
    spec["colour"] = "green"
    (broken / "problem.json").write_text(json.dumps(spec))
    run = judge.cli("problem", "check", "broken", status=2,
                    env={"WARPJUDGE_PROBLEMS": str(broken.parent)})
    said = run.stdout + run.stderr
    for part in ("$.params[2].shape[0]", '"M"', "colour", "reference"):
        assert part in said, said


def test_a_new_problem_is_one_folder(judge):
    """Copies a problem under another name: it is judged without touching any code."""
    problems = judge.home / "problems"
    problems.mkdir()
    for file in (ROOT / "problems/vector-addition").iterdir():
        target = problems / "my-addition" / file.name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(file.read_bytes())
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    judge.start()
    source = judge.write("mine.cu", RIGHT.replace("vector-addition", "my-addition"))
    assert judge.submit_json(source, status=0)["verdict"] == "accepted"


def test_http_refuses_nonsense(judge):
    judge.start()
    for raw in (b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"{}" * 10, b'{"problem": 7}'):
        status, answer = judge.api("POST", "/api/submissions", raw=raw)
        assert status == 400 and answer["error"], (raw, status, answer)
    for path in ("/api/submissions/0", "/api/submissions/-1", "/api/submissions/x",
                 "/api/submissions/99999999999999999999", "/api/problems/..%2f..%2fetc",
                 "/api/problems/%00", "/nothing"):
        status, answer = judge.api("GET", path)
        assert status in (400, 404) and answer["error"], (path, status, answer)
    status, answer = judge.api("POST", "/api/submissions", raw=b"x" * (8 << 20))
    assert status in (400, 413), (status, answer)
    assert judge.api("GET", "/api/health")[0] == 200
