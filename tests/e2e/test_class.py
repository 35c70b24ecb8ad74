"""docs/class.md, followed by the letter: thirty students, and the first verdicts of some of them."""
import csv
import io
import json
import re
import subprocess
import time

from harness import BACKSTOP_S, DEMO, ROOT
from test_rights import Tcp

DAY_S = 86_400
STUDENTS = ["ann", "bob"] + [f"student-{i}" for i in range(3, 31)]
SUBMITTERS = STUDENTS[:5]  # the others only join: a judgement is a second of CPU time
RIGHT = (DEMO / "right.cu").read_text()


def blocks():
    """(who, commands) of each block of the document: the sentence above a block says who runs it."""
    text = (ROOT / "docs/class.md").read_text()
    found = re.findall(r"^(On the server|The teacher|A student)[^\n]*(?:\n[^\n ][^\n]*)*\n\n((?:    .*\n)+)", text, re.M)
    return [(who, [line[4:] for line in lines.splitlines()]) for who, lines in found]


class Followed:
    def __init__(self, judge):
        self.judge = judge
        (judge.home / "bin").mkdir()
        (judge.home / "bin/warpjudge").symlink_to(judge.bin)
        self.links = {}

    def dated(self, command):
        """The document's dates, moved so that today lies between the opening and the closing of week-1."""
        def moved(match):
            days = {"2026-11-02": -20, "2026-12-01": 10, "2026-12-08": 17, "2026-12-10": 19}[match[0]]
            return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * DAY_S))
        return re.sub(r"2026-1[12]-\d\d", moved, command)

    def run(self, who, command):
        """What a person types in a folder of their own, where the server's user has the judge's socket."""
        name = (re.search(r"--user (\S+)", command) or [None, None])[1]
        if name:
            command = command.replace("LINK", self.links[name])
        folder = self.judge.home / who.replace(" ", "-").lower()
        folder.mkdir(exist_ok=True)
        env = {**self.judge.env, "PATH": f"{self.judge.home / 'bin'}:{self.judge.env['PATH']}"}
        if who != "On the server":
            env |= {"XDG_CONFIG_HOME": str(folder)}
            del env["WARPJUDGE_HOME"]
        run = subprocess.run(["sh", "-ec", self.dated(command)], cwd=folder, env=env, text=True, timeout=BACKSTOP_S,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert run.returncode == 0, f"{command}: {run.returncode}: {run.stdout[-1000:]}{run.stderr[-1000:]}"
        return run.stdout

    def link(self, text):
        """An invitation, with this judge's address put in."""
        return f"http://localhost:{self.port}/#{re.search(r'wji_[0-9a-f]+', text)[0]}"

    def others(self):
        """All but ann do by the API what she does by the command line; one source, so that it compiles once."""
        idents = []
        for user in STUDENTS[1:]:
            status, answer = self.tcp.ask("POST", "api/v1/accounts", {"name": user, "invitation": self.links[user].split("#")[1]})
            assert status == 201, answer
            if user not in SUBMITTERS:
                continue
            status, answer = self.tcp.token("POST", "api/v1/submissions", answer["token"],
                                            {"problem": "vector-addition", "filename": "k.cu", "source": RIGHT})
            assert status == 201 and answer["assignments"][0]["late"] is False, answer
            idents.append(answer["id"])
        for ident in idents:
            assert self.judge.wait_done(ident)["verdict"] == "accepted"
        return idents


def test_a_class_follows_the_document(judge):
    f = Followed(judge)
    todo = blocks()
    assert [who for who, _ in todo].count("On the server") == 3 and len(todo) == 10, todo
    roster = todo[2][1]
    assert roster[0] == "user,full_name,student_id", roster
    for who, commands in todo:
        for command in commands:
            if command.startswith("warpjudge serve"):
                f.port = judge.start(*command.replace("0.0.0.0:8080", "127.0.0.1:0").split()[2:], "--emu", "2")["port"]
                f.tcp = Tcp(f.port)
                continue
            if commands is roster:
                folder = judge.home / "the-teacher"
                folder.mkdir(exist_ok=True)
                rows = [f"{s},=SUM(1),{7000 + i}" for i, s in enumerate(STUDENTS[2:])]
                (folder / "roster.csv").write_text("\n".join(roster + rows) + "\n")
                break
            out = f.run(who, command)
            if "invite tea" in command:
                f.links["tea"] = f.link(out)
            elif "group import" in command:
                with open(judge.home / "the-teacher/links.csv", newline="", encoding="utf-8") as file:
                    f.links |= {r["user"]: r["link"] for r in csv.DictReader(file)}
                assert set(f.links) == set(STUDENTS) | {"tea"}
            elif "warpjudge init" in command:
                (judge.home / "a-student/vector-addition.cu").write_text(RIGHT)
            elif "warpjudge submit" in command:
                assert out.startswith("accepted"), out
                idents = f.others()
            elif "rank" in command:
                assert "among cuda-2026" in out and all(s in out for s in SUBMITTERS), out
    with open(judge.home / "the-teacher/grades.csv", newline="", encoding="utf-8") as file:
        grades = list(csv.DictReader(file))
    week = [g for g in grades if g["assignment"] == "week-1"]
    assert sorted(g["user"] for g in week) == sorted(STUDENTS)
    assert all((g["verdict"], g["late"]) == (("accepted", "false") if g["user"] in SUBMITTERS else ("", "")) for g in week)
    assert {g["full_name"] for g in week if "student" in g["user"]} == {"'=SUM(1)"}
    assert {g["attempts"] for g in grades if g["assignment"] == "exam"} == {"0"}
    assert (judge.home / "on-the-server/judge-week-1.db").stat().st_size > 0
    keep_order(f, idents)


def keep_order(f, idents):
    """What the admin does at the socket: nothing is to do in the queue, one is removed, one is banned."""
    judge, server = f.judge, "On the server"
    assert json.loads(f.run(server, "warpjudge admin queue --json")) == {"total": 0, "queue": []}
    assert f.run(server, f"warpjudge admin delete-submission {idents[0]}") == f"submission {idents[0]} is deleted\n"
    assert judge.api("GET", f"/api/submissions/{idents[0]}")[0] == 404
    board = judge.api("GET", "/api/problems/vector-addition/board")[1]
    assert "bob" not in {e["user"] for e in board["entries"]} and board["total"] == len(SUBMITTERS) - 1
    token = json.loads((judge.home / "a-student/warpjudge/logins.json").read_text())
    token = next(v for v in re.findall(r"wjt_[0-9a-f]+", json.dumps(token)))
    f.run(server, "warpjudge admin ban ann")
    status, answer = f.tcp.token("GET", "api/v1/account", token)
    assert status == 403 and "ann is closed" in answer["detail"], answer
    assert "ann" in {e["user"] for e in judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"]}
    f.run(server, "warpjudge admin unban ann")
    assert f.tcp.token("GET", "api/v1/account", token)[0] == 200
    users = f.run(server, "warpjudge admin users")
    assert "last seen" in users and re.search(r"ann +member +active", users), users
    rows = csv.DictReader(io.StringIO(f.run(server, "warpjudge admin export --csv")))
    assert len(list(rows)) == len(SUBMITTERS) - 1
