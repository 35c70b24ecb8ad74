"""What one has sent before: `source` gets it back, `history` lists it, and `compare` shows two side by side."""
import json
import os

from harness import DEMO
from test_terminals import shown

RIGHT = (DEMO / "right.cu").read_text()
# It is not compiled: what it is made of comes back all the same.
ODD = "// warpjudge: vector-addition\r\n\tno \u00b5 \u001b[31m kernel\r\nno newline at its end"


def test_a_source_comes_back(judge):
    url = {"WARPJUDGE_URL": f"http://localhost:{judge.start('--listen', '127.0.0.1:0')['port']}"}
    right, odd = (judge.post(source, filename=name) for source, name in ((RIGHT, "right.cu"), (ODD, "odd.cu")))
    for ident, source, name in ((right, RIGHT, "right.cu"), (odd, ODD, "odd.cu")):
        path = judge.home / f"back-{ident}.cu"
        run = judge.cli("source", ident, "-o", path, status=0)
        assert f"{path} has the source of submission {ident} ({name})" in run.stdout, run
        assert path.read_bytes() == source.encode() and path.stat().st_mode & 0o777 == 0o666 & ~current_umask()
        again = judge.cli("source", ident, "--output", path, status=2)
        assert f"is there already, and is left as it is: name another file, as in `warpjudge source {ident} -o" in again.stderr
        assert json.loads(judge.cli("source", ident, "--json", status=0).stdout) == {"filename": name, "source": source}
    assert judge.cli("source", right, status=0).stdout == RIGHT == judge.cli("source", right, "-o", "-", status=0).stdout
    for args, status, says in ((("99",), 2, "there is no submission 99"), (("x",), 2, "is not a submission's number"),
                               ((), 2, "name the submission by its number"),
                               ((right, "--json", "-o", "f"), 2, "contradict"),
                               ((right, "-o", judge.home / "no/such"), 2, "cannot be written")):
        run = judge.cli("source", *args, status=status)
        assert says in run.stderr and run.stdout == "", (args, run)
    run = judge.cli("source", right, "-o", judge.home / "others.cu", status=2, env=url)
    assert f"submission {right} is another's" in run.stderr and not (judge.home / "others.cu").exists(), run


def test_two_are_compared_and_listed(judge):
    url = {"WARPJUDGE_URL": f"http://localhost:{judge.start('--listen', '127.0.0.1:0')['port']}"}
    slower = (DEMO / "slower.cu").read_text() + "/*\n++i;\n*/\n"
    for source, problem in ((RIGHT, "vector-addition"), (slower, "vector-addition"), ("// nothing is here", "reduction")):
        judge.wait_done(judge.post(source, problem))
    told = judge.cli("compare", 1, 2, status=0).stdout
    assert "2 is 2.64x slower than 1\n" in told and "--- 1/k.cu\n+++ 2/k.cu\n@@ " in told, told
    assert "+    for (int i = first; i < first + RUN && i < N; i++)\n         C[i] = A[i] + B[i];" in told, told
    coloured = shown(judge, 80, "compare", "1", "2")
    style = {line[-len(text):]: line[:-len(text)] for line in coloured.replace("\033[0m", "").splitlines()
             for text in ("+++ 2/k.cu", "+/*", "+++i;") if line.endswith(text)}
    assert style["+++i;"] == style["+/*"] != style["+++ 2/k.cu"], coloured
    for name in ("verdict", "time", "global sectors", "fp32 flops"):
        assert any(line.startswith(name) for line in told.splitlines()), (name, told)
    [line] = [line for line in told.splitlines() if line.endswith("C[i] = A[i] + B[i];") and line.split()[0] == "11"]
    assert line.split()[3] == "14", line  # the same line has another number
    assert "1 is 2.64x faster than 2" not in told and "1 is 2.64x faster than 2" in judge.cli("compare", 2, 1, status=0).stdout
    told = judge.cli("compare", 1, 1, status=0).stdout
    assert "the times of 1 and 1 cannot be told apart" in told and "their sources are the same" in told, told
    got = json.loads(judge.cli("compare", 1, 2, "--json", status=0).stdout)
    assert (got["before"]["id"], got["after"]["id"], got["outcome"]) == (1, 2, "slower"), got
    assert got["speedup"] < 0.5 and got["diff"].startswith("--- 1/k.cu\n+++ 2/k.cu\n"), got
    # A guest sees times, and no sources.
    told = judge.cli("compare", 1, 2, status=0, env=url).stdout
    assert "2 is 2.64x slower" in told and "submission 1 is another's" in told and "RUN" not in told, told
    assert json.loads(judge.cli("compare", 1, 2, "--json", status=0, env=url).stdout)["diff"] is None
    for args, says in (((1, 3), "submission 1 is for vector-addition and submission 3 for reduction"),
                       ((1, 9), "there is no submission 9"), ((1, "x"), "is not a submission's number"),
                       ((1,), "name two submissions")):
        assert says in judge.cli("compare", *args, status=2).stderr, args
    check_history(judge)


def check_history(judge):
    """Of ada's three: one that is right, a slower one, and one that is no program."""

    def ids(*args):
        return [s["id"] for s in json.loads(judge.cli("history", "--user", "ada", "--json", *args, status=0).stdout)["submissions"]]

    told = judge.cli("history", "--user", "ada", status=0).stdout.splitlines()
    assert told[0].split() == ["id", "when", "problem", "device", "verdict", "time", "change", "rank", "file"], told
    assert [line.split()[0] for line in told[1:]] == ["3", "2", "1"], told
    assert [line.split()[-4:-1] for line in told[2:]] == [["µs", "0.38x", "1/1"], ["first", "1/1", "best"]], told
    assert ids("--verdict", "accepted") == [2, 1] and ids("--verdict", "compile_error", "--device", "emu") == [3]
    assert ids("-p", "reduction", "--mode", "submit") == [3] and ids("-d", "cuda:0") == []
    assert ids("-n", "2", "--page", "2") == [1]
    assert "older ones: `--page 2`" in judge.cli("history", "--user", "ada", "-n", 2, status=0).stdout
    assert "older" not in judge.cli("history", "--user", "ada", "-n", 3, status=0).stdout
    told = judge.cli("history", "--user", "ada", "-n", 2, "--page", 3, status=0).stdout
    assert told == "there is no page 3: the last one is 2\n", told
    assert judge.cli("history", "--user", "ben", "-p", "relu", status=0).stdout == "no submissions by ben for relu yet\n"
    assert judge.cli("history", "--all", "--mode", "run", status=0).stdout == "no such submissions yet\n"
    for args, says in ((("-p", "vector-adition"), 'there is no problem "vector-adition": did you mean "vector-addition"?'),
                       (("--verdict", "acepted"), 'there is no verdict "acepted": did you mean "accepted"?'),
                       (("--mode", "x"), 'there is no mode "x"'), (("--page", "0"), "--page takes a whole number from 1")):
        run = judge.cli("history", *args, status=2)
        assert says in run.stderr and run.stdout == "", (args, run)


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
