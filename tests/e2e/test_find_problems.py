"""`problems`: which problems there are for somebody, and how far that person is with them."""
import csv
import io
import json
import shutil

from harness import BACKSTOP_S, DEMO, ROOT, UnixConnection
from test_terminals import shown, width

RIGHT = (DEMO / "right.cu").read_text()


def found(judge, *args):
    return json.loads(judge.cli("problems", *args, "--json", status=0).stdout)["problems"]


def slugs(judge, *args):
    return [p["slug"] for p in found(judge, *args)]


def solve(judge):
    """ada has solved vector-addition and tried reduction; ben has solved the first, too."""
    judge.start()
    for user, source, problem in (("ben", RIGHT, "vector-addition"), ("ada", RIGHT, "vector-addition"),
                                  ("ada", "// nothing is here", "reduction")):
        judge.wait_done(judge.post(source, problem, user))


def test_what_is_chosen(judge):
    solve(judge)
    judge.env["WARPJUDGE_USER"] = "ada"
    every = found(judge)
    assert [p["slug"] for p in every] == sorted(p["slug"] for p in every) and len(every) > 100
    assert slugs(judge, "--solved") == ["vector-addition"] and slugs(judge, "--tried") == ["reduction"]
    assert len(slugs(judge, "--unsolved")) == len(every) - 1
    assert slugs(judge, "--solved", "--tried") == ["reduction", "vector-addition"]
    assert slugs(judge, "--solved", "--user", "ben") == ["vector-addition"]
    assert slugs(judge, "--solved", "--user", "nobody-of-this-name") == []
    for level in ("easy", "medium", "hard"):
        assert slugs(judge, f"--{level}") == [p["slug"] for p in every if p["difficulty"] == level]
    assert len(slugs(judge, "--easy", "--medium", "--hard")) == len(every)
    assert slugs(judge, "--tag", "reduction", "--tag", "atomics") == [
        p["slug"] for p in every if {"reduction", "atomics"} <= set(p["tags"])]
    assert slugs(judge, "Vector", "ADDITION") == ["vector-addition"]  # words of the title, large or small
    assert slugs(judge, "--sort", "time")[0] == "vector-addition"
    assert slugs(judge, "--sort", "percentile", "--user", "ben")[0] == "vector-addition"
    levels = [p["difficulty"] for p in found(judge, "--sort", "difficulty")]
    assert levels == sorted(levels, key=["easy", "medium", "hard"].index)
    titles = [p["title"].lower() for p in found(judge, "--sort", "title")]
    assert titles == sorted(titles)
    way = [p["slug"] for p in found(judge, "--sort", "course")]
    assert sorted(way) == sorted(p["slug"] for p in every)
    assert way[0] == "vector-addition" and way.index("matrix-transpose") < way.index("matrix-multiplication")
    for p in every:  # a problem never stands before those that it comes after
        assert all(way.index(before) < way.index(p["slug"]) for before in p["after"]), p


def test_what_is_told(judge):
    solve(judge)
    [solved] = found(judge, "--solved", "--user", "ada")
    [entry] = [e for e in judge.api("GET", "/api/v1/problems/vector-addition/board")[1]["entries"] if e["user"] == "ada"]
    [place] = solved["places"]
    assert solved["state"] == "solved" and place["time_ns"] == entry["time_ns"], (solved, entry)
    assert (place["entries"], place["percentile"]) == (2, 50), place  # both wrote the same
    assert found(judge, "--solved", "--user", "ada", "--device", "emu")[0]["places"] == [place]
    assert found(judge, "--solved", "--user", "ada", "--device", "NVIDIA H200")[0]["places"] == []
    rows = list(csv.DictReader(io.StringIO(
        judge.cli("problems", "--user", "ada", "--csv", "--sort", "time", status=0).stdout)))
    assert len(rows) == len(found(judge)), rows[:2]
    assert rows[0]["slug"] == "vector-addition" and rows[0]["state"] == "solved" and rows[0]["tags"] == "elementwise"
    assert float(rows[0]["percentile"]) == 50 and rows[0]["board"] == "emu", rows[0]
    assert rows[1]["time_ns"] == "" and {row["state"] for row in rows} == {"solved", "tried", "unsolved"}
    # Without a user nobody's progress is told, and nobody's that cannot be a name.
    assert all("state" not in p for p in judge.api("GET", "/api/v1/problems")[1]["problems"])
    assert judge.api("GET", "/api/v1/problems?user=a%20b")[0] == 400
    page = judge.api("GET", "/api/v1/problems?user=ada&limit=3")[1]["problems"]
    assert len(page) == 3 and all(p["state"] == "unsolved" for p in page), page


def test_what_is_read(judge):
    solve(judge)
    judge.env["WARPJUDGE_USER"] = "ada"
    for more in ([], ["--long"], ["--tried", "--solved"]):
        for columns in (40, 80, 120):
            text = shown(judge, columns, "problems", *more, NO_COLOR="1")
            assert all(width(line) <= columns for line in text.splitlines()), text
    whole = judge.cli("problems", status=0, env={"LC_ALL": "C.UTF-8"}).stdout
    assert all(width(line) <= 80 for line in whole.splitlines()), whole
    line, = [line for line in whole.splitlines() if " vector-addition " in line]
    assert line.startswith("\u2713  vector-addition") and line.endswith("50 %"), line
    assert "\n~  reduction " in whole and "problems: 1 solved (\u2713), 1 tried (~)\n" in whole, whole
    plain = judge.cli("problems", "--solved", status=0, env={"LC_ALL": "C"}).stdout
    assert "\n+  vector-addition" in plain, plain
    assert "Vector Addition" in judge.cli("problems", "--long", status=0).stdout
    assert judge.cli("problems", "no-such-thing", status=0).stdout.startswith("none of the ")


def test_what_is_refused(judge):
    judge.start()
    for args, sentence in ((("--tag", "topk"), 'no problem has the tag "topk": did you mean "top-k"?'),
                           (("--tag", "x" * 20), "`warpjudge problems --long` shows the tags"),
                           (("--sort", "tme"), '--sort takes slug, course, title, difficulty, time or percentile, not "tme"'),
                           (("--json", "--csv"), "contradict"),
                           (("--medum",), "did you mean --medium?"), (("--user", "a b"), "user may have only")):
        run = judge.cli("problems", *args, status=2)
        assert sentence in run.stderr and run.stdout == "", (args, run)


def test_one_changes_while_all_are_listed(judge):
    """A list that was begun before the change is sent to its end, and is not kept for others."""
    spec = json.loads((ROOT / "problems/vector-addition/problem.json").read_text())
    folder = judge.home / "problems"
    for k in range(200):
        shutil.copytree(ROOT / "problems/vector-addition", folder / f"p{k:03}")
        # The list is longer than what a connection takes before somebody reads.
        (folder / f"p{k:03}/problem.json").write_text(json.dumps(spec | {"title": "long " * 1000}))
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder)
    judge.start()
    reader = UnixConnection(judge.home / "warpjudge.sock", BACKSTOP_S)
    reader.request("GET", "/api/problems")
    answer = reader.getresponse()
    answer.read(1)
    (folder / "p000/problem.json").write_text(json.dumps(spec | {"title": "Another"}))
    assert judge.api("GET", "/api/problems/p000")[1]["title"] == "Another"
    told = json.loads(b"{" + answer.read())["problems"]
    reader.close()
    assert len(told) == 200 and told[0]["title"] == "long " * 1000
    for _ in range(2):  # the second may be the kept one
        assert judge.api("GET", "/api/problems")[1]["problems"][0]["title"] == "Another"
