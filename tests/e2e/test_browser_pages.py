"""Every page in a real browser: axe-core finds nothing, nothing is wider than its window, and with JavaScript off
it has all that it has with it (tests/web/unscripted.mjs)."""
import re
import time

from harness import DEMO, await_that
from test_browser import browse
from test_calibrations import insert
from test_cancel import ASLEEP, cancel
from test_findings import TRANSPOSE
from test_pages import page_routes
from test_pages_staff import member

SLOW = "a browser takes half a minute of CPU time, and its package is large"
TAKES_TURNS = "axe-core looks at each page twice"
NEEDS = "browser-packages"

RIGHT = (DEMO / "right.cu").read_text()
BROKEN = "int x\n" + RIGHT.replace("B[i]", "D[i]")
RACY = RIGHT.replace("C[i] = A[i] + B[i];", "{ __shared__ float s[256];\ns[threadIdx.x] = A[i];\n"
                     "C[i] = A[i] + B[i] + 0 * s[threadIdx.x ^ 64]; }")


def routes_of(*sections, method="GET"):
    """The pages below these first words of an address; without any, all others. / is /problems."""
    known = ("groups", "staff")
    return [pattern for how, pattern in page_routes() if how == method and pattern not in ("", "assets/*")
            and (pattern.split("/")[0] in sections if sections else pattern.split("/")[0] not in known)]


def look(port, pages, *sections):
    """pages: (who, address), where nobody is a guest. Their forms are sent to all pages of the sections."""
    browse(port, pages=[{"path": path, "cookie": "=".join(*who.cookies.items()) if who else ""} for who, path in pages],
           routes=[{"method": method, "pattern": pattern} for method, pattern in page_routes()],
           forms=routes_of(*sections, method="POST"))


def begin(judge):
    """A judge with an admin and a member, who has sent something right and something that does not compile."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--quota", "60")["port"]
    root, ada = member(judge, port, "root", "admin"), member(judge, port, "ada")
    right, broken = judge.post(RIGHT, user="ada"), judge.post(BROKEN, user="ada")
    for ident in (right, broken):
        judge.wait_done(ident)
    return port, root, ada, right, broken


def test_pages_for_learners(judge):
    judge.allow_long_calls()
    port, root, ada, right, broken = begin(judge)
    slower, racy = judge.post((DEMO / "slower.cu").read_text(), user="ada"), judge.post(RACY, user="ada")
    wrong = [judge.post(TRANSPOSE, "matrix-transpose", user="ada", **more)
             for more in ({}, {"mode": "run", "own_case": {"sizes": {"rows": 1024, "cols": 64}}})]
    for ident in (slower, *wrong):
        judge.wait_done(ident)
    assert any("other_line" in d for d in judge.wait_done(racy)["diagnostics"]), "it has a race of two lines"
    asleep = judge.post(ASLEEP, user="ada")
    await_that(lambda: judge.api("GET", f"/api/submissions/{asleep}")[1]["state"] == "running", "it runs")
    arg = {"problems": "vector-addition", "submissions": str(right), "users": "ada"}
    pages = [(ada, f"/submissions/{ident}") for ident in (asleep, broken, racy, *wrong)]
    pages += [(ada, f"/compare?before={slower}&after={right}"), (None, "/problems/vector-addition"),
              (ada, f"/problems/vector-addition?from={broken}")]
    for pattern in routes_of():
        pages.append((None if pattern in ("sign-in", "join") else root if pattern == "problems/*/preview" else ada,
                      "/" + pattern.replace("*", arg.get(pattern.split("/")[0], ""))))
    look(port, pages)
    cancel(judge, asleep)


def test_a_teacher_in_a_browser(judge):
    """Sets an assignment, grades it, judges again and throws somebody out, by what the pages show."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation", "--zone", "Europe/Berlin")["port"]
    root, ada = member(judge, port, "root", "admin"), member(judge, port, "ada")
    judge.wait_done(judge.post(RIGHT, user="ada"))
    assert judge.api("POST", "/api/groups", {"name": "physics", "teacher": "root"})[0] == 201
    code = judge.api("POST", "/api/groups/physics/codes", {})[1]["code"]
    ada.post("/groups", {"do": "join", "form": ada.get("/groups").form_token(), "code": code})
    browse(port, teacher="=".join(*root.cookies.items()))
    ada.get("/account", 401)


def test_pages_for_teachers(judge):
    port, root, ada, *_ = begin(judge)
    for path, body in (("", {"name": "a-class", "teacher": "root"}),
                       ("/a-class/members", {"csv": "user,full_name\nada,Ada Example\nzoe,Zoe New\n"}),
                       ("/a-class/assignments", {"name": "week-1", "problems": "vector-addition,softmax", "opens_ms": 1,
                                                 "closes_ms": 4 * 10**12, "zone": "UTC"})):
        status, answer = judge.api("POST", f"/api/groups{path}", body)
        assert status == 201, answer
    page = root.post("/groups/a-class", {"do": "code", "form": root.get("/groups/a-class").form_token(), "days": "2",
                                         "uses": "2"}, 200)
    code = re.search(r"wjg_[0-9a-f]{64}", page.text)[0]
    ada.post("/groups", {"do": "join", "form": ada.get("/groups").form_token(), "code": code})
    look(port, [(root, "/" + pattern.replace("*", "a-class")) for pattern in routes_of("groups")]
         + [(ada, "/groups/a-class")], "groups")


def test_pages_for_the_staff(judge):
    port, root, *_ = begin(judge)
    judge.wait_done(judge.post(RIGHT, user="ben"))
    status, answer = judge.api("POST", "/api/rejudgement", {"problem": "vector-addition", "mode": "preview"})
    assert status == 201, answer
    await_that(lambda: judge.api("GET", "/api/rejudgement")[1]["state"] != "judging", "the preview ends")
    today = int(time.time() // 86400)
    insert(judge, "GPU-11111111-2222-3333-4444-555555555555", range(today - 60, today + 1),
           lambda day: 4000.0 - 130 * (day > today - 5) + 7 * (day % 5))
    look(port, [(root, "/" + pattern.replace("*", "ada")) for pattern in routes_of("staff")], "staff")
