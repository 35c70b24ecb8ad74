"""What one has sent before: `source` gets it back."""
import json
import os

from harness import DEMO

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


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
