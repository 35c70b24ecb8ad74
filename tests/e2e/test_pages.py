"""The pages, as a browser without JavaScript uses them: each is whole, safe, and for whom it is for."""
import gzip
import html
import html.parser
import http.client
import json
import re
import shutil
import sqlite3

from harness import BACKSTOP_S, DEMO, ROOT
from test_rights import invite

BUILD = "asan"

PASSWORD = "correct horse battery"
ROUTE = re.compile(r'\{EVHTTP_REQ_(\w+), "([^"]*)", NEED_(\w+), \w+,\s+(?:NULL|"[\w ]+")\}')
VOID = {"meta", "link", "input", "br", "hr", "img", "rect", "line", "circle"}  # of SVG those that we close at once
ALLOWED = {"a", "abbr", "article", "b", "bdi", "body", "button", "caption", "circle", "code", "dd", "desc", "details", "div", "dl", "dt", "em",
           "figcaption", "figure", "footer", "form", "g", "h1", "h2", "h3", "head", "header", "html", "input", "label",
           "li", "line", "link", "main", "meta", "nav", "noscript", "ol", "option", "p", "pre", "progress", "rect", "script", "section",
           "select", "small", "span", "strong", "summary", "svg", "table", "tbody", "td", "text", "textarea", "th", "thead", "time",
           "title", "tr", "ul"}
HOSTILE = "</textarea></code></title><script>alert(1)</script><img src=x onerror=alert(2)>\"' onload=\"alert(3)"


class Page(html.parser.HTMLParser):
    """A page whose elements are balanced, with what a test asks of it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.labelled, self.fields, self.text = [], [], set(), [], ""
        self.forms, self.links, self.refresh, self.scripts, self.marks = [], [], False, [], []
        self.marked = None
        self.feed(text)
        self.close()
        assert not self.open, self.open
        assert len(set(self.ids)) == len(self.ids), self.ids
        for name, ident, in_label in self.fields:
            assert in_label or ident in self.labelled, f"{name} has no label"

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        assert tag in ALLOWED, f"<{tag}>"
        assert not [a for a in known if a.startswith("on") or a == "style"], attrs
        assert len(known) == len(attrs), attrs
        for name in ("href", "src", "action"):
            value = known.get(name) or "/"
            assert value.startswith(("/", "#")) and not value.startswith("//"), attrs
        self.ids += [known["id"]] if "id" in known else []
        self.labelled |= {known["for"]} if tag == "label" and "for" in known else set()
        self.links += [known["href"]] if tag == "a" else []
        self.marked = known.get("class")
        self.refresh |= known.get("http-equiv") == "refresh"
        if tag == "script":  # a file of ours, and nothing else
            assert set(known) == {"type", "nonce", "src"} and known["src"].startswith("/assets/page-"), attrs
            self.scripts.append(known["nonce"])
        if tag == "form":
            self.forms.append((known.get("method", "get"), known["action"], {}))
        if tag in ("input", "select", "textarea") and known.get("type") != "hidden":
            self.fields.append((known.get("name"), known.get("id"), "label" in self.open))
        if tag == "input" and self.forms:
            self.forms[-1][2][known["name"]] = known.get("value", "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID, tag
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        assert "script" not in self.open, data
        self.text += data
        self.marks.append((self.marked, data))

    def form_token(self):
        """The token that all forms of the page have."""
        tokens = {fields["form"] for method, _, fields in self.forms if method == "post"}
        assert len(tokens) == 1, tokens
        return tokens.pop()

    def form(self, action):
        """The hidden and other fields of the form that is sent there."""
        found = [fields for method, where, fields in self.forms if (method, where) == ("post", action)]
        assert len(found) == 1, (action, self.forms)
        return found[0]


class Browser:
    """What a browser keeps and sends: cookies, the Origin of its page, and where it is sent on to."""

    def __init__(self, port, origin=None):
        self.port, self.cookies, self.nonces = port, {}, set()
        self.origin = origin or f"http://localhost:{port}"

    def ask(self, method, path, body=None, headers=()):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BACKSTOP_S)
        sent = {"Host": f"localhost:{self.port}", "Accept": "text/html", "Accept-Encoding": "gzip"}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        if method == "POST":
            sent |= {"Origin": self.origin, "Sec-Fetch-Site": "same-origin",
                     "Content-Type": "application/x-www-form-urlencoded"}
        c.request(method, path, body, {k: v for k, v in (sent | dict(headers)).items() if v is not None})
        answer = c.getresponse()
        text = answer.read()
        c.close()
        self.wire = len(text)
        for line in answer.headers.get_all("Set-Cookie") or ():
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
            if not value:
                del self.cookies[name]
        if answer.headers["Content-Encoding"] == "gzip":
            text = gzip.decompress(text)
        return answer.status, answer.headers, text.decode()

    def get(self, path, wanted=200):
        """The page, which is safe whatever is in it."""
        status, headers, text = self.ask("GET", path)
        assert status == wanted, (path, status, text)
        page = Page(text)
        nonce = check_headers(headers)
        assert page.scripts == [nonce] and nonce not in self.nonces, (page.scripts, nonce)
        self.nonces.add(nonce)
        return page

    def post(self, path, fields, wanted=303, **how):
        """Where it sends the browser, or the page."""
        status, headers, text = self.ask("POST", path, encoded(fields), **how)
        assert status == wanted, (path, status, text)
        check_headers(headers)
        return headers["Location"] if status == 303 else Page(text)

    def upload(self, path, fields, wanted=303, filename=None):
        body = b"".join(
            b'--edge\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
            % (k.encode(), b'; filename="%s"' % filename.encode() if k == "file" else b"", v.encode())
            for k, v in fields.items()) + b"--edge--\r\n"
        status, headers, text = self.ask("POST", path, body, {"Content-Type": "multipart/form-data; boundary=edge"})
        assert status == wanted, (path, status, text)
        return headers["Location"] if status == 303 else Page(text)


def encoded(fields):
    return "&".join(f"{k}={''.join(f'%{b:02X}' for b in v.encode())}" for k, v in fields.items()).encode()


def check_headers(headers):
    """A page may do what its policy says. Returns the nonce that its script must show."""
    policy = dict(p.strip().split(" ", 1) for p in headers["Content-Security-Policy"].split(";"))
    nonce = policy.pop("script-src").removeprefix("'nonce-").removesuffix("'")
    assert re.fullmatch(r"[0-9a-f]{32}", nonce), nonce
    assert policy == {"default-src": "'none'", "style-src": f"'self' 'nonce-{nonce}'", "img-src": "'self'",
                      "connect-src": "'self'", "form-action": "'self'", "frame-ancestors": "'none'",
                      "base-uri": "'none'"}, policy
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store", headers
    return nonce


def page_routes():
    return {(method, pattern): need for method, pattern, need in
            ROUTE.findall((ROOT / "judge/daemon/web/page_routes.c").read_text())}


# What a guest and a member are answered who ask for a page of this need.
STATUS = {"NOTHING": (200, 200), "SOURCE": (403, 200), "GROUP": (401, 200), "LOGIN": (401, 200), "STAFF": (401, 403), "PREVIEW": (401, 403),
          "ADMIN": (401, 403)}


def hostile_problems(judge):
    """The problems, of which one says what no page may obey."""
    folder = judge.home / "problems"
    for slug in ("vector-addition", "reverse-array"):
        shutil.copytree(ROOT / "problems" / slug, folder / slug)
    statement = folder / "vector-addition/statement.md"
    statement.write_text(statement.read_text() + "\n<script>alert(4)</script>\n\n[here](javascript:alert(5)) "
                         "![seen](http://elsewhere.example/x.png)\n\n    <b>as it stands</b>\n    a $$b$$ c\n\nTeX is $$x_1*y_2 < \\alert{<b>7}$$ "
                         "here, and alone:\n\n$$\n\\sum_{i=1}^N A_i\n$$\n\nThen $$ one.\n")
    judge.env["WARPJUDGE_PROBLEMS"] = str(folder)


def test_the_way_of_a_newcomer(judge):
    """From an invitation to a ranked kernel by forms alone, with hostile text on the way."""
    hostile_problems(judge)
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    guest, ada = Browser(port), Browser(port)
    assert "Sign in" in guest.get("/problems/vector-addition").text

    joining = ada.get("/join").form("/join") | {"name": "ada", "password": "short", "invitation": invite(judge)}
    assert "at least 10" in ada.post("/join", joining, 403).text
    assert ada.post("/join", joining | {"password": PASSWORD}) == "/problems"
    assert "Sign out" in ada.get("/").text
    assert re.search("Next:\\s+Vector Addition", ada.get("/").text)
    assert ada.wire < 60 << 10

    page = ada.get("/problems/vector-addition")
    assert "<script>" not in page.text and "<b>as it stands</b>" in page.text and "seen" in page.text
    assert ("tex", "x_1*y_2 < \\alert{<b>7}") in page.marks and ("language-tex", "\\sum_{i=1}^N A_i\n") in page.marks
    assert "a $$b$$ c" in page.text
    token = page.form("/problems/vector-addition")["form"]
    solve = {"form": token, "source": (DEMO / "right.cu").read_text(), "file": "", "device": "emu", "mode": "submit"}
    refused = ada.upload("/problems/vector-addition", solve | {"form": "0" * 32, "source": HOSTILE}, 400, "")
    assert "Nothing was done yet" in refused.text and HOSTILE in refused.text  # what was typed is kept
    assert "the source is empty" in ada.upload("/problems/vector-addition", solve | {"source": ""}, 400, "").text
    good = ada.upload("/problems/vector-addition", solve, filename="")
    broken = ada.upload("/problems/vector-addition",
                        solve | {"file": f"#error {HOSTILE}\n", "mode": "run"}, filename='<script>".cu')

    judge.wait_done(good.split("/")[-1])
    seen = guest.get(good).text
    assert "not for you" in seen and "C[i] = A[i]" not in seen
    page = ada.get(good)
    assert not page.refresh and "accepted" in page.text and "1st" in page.text and "14 of 14 passed" in page.text
    assert "bound by bytes from memory" in page.text and "Occupancy" in page.text
    assert "100\u00a0%" in page.text and "C[i] = A[i] + B[i];" in page.text  # the share beside the line
    assert "#L11" in page.links and "of the bytes that the kernel moves" in page.text  # and why
    judge.wait_done(broken.split("/")[-1])
    page = ada.get(broken)
    assert "compile error" in page.text and page.text.count("<script>alert(1)</script>") >= 2
    assert "1 error" in page.text and "#L1" in page.links and ("at error", "error") in page.marks
    assert HOSTILE in ada.get(f"/problems/vector-addition?from={broken.split('/')[-1]}").text
    compare(judge, ada, guest, *(int(path.split("/")[-1]) for path in (good, broken)))
    board = ada.get("/problems/vector-addition/board?around=ada")
    assert "ada" in board.text and "you" in board.text
    for path in ("/standings", "/feed", "/users/ada", "/submissions?user=ada"):
        assert "ada" in ada.get(path).text

    drawings(judge, ada, good)
    assert f"{good}/assembly" in ada.get(good).links
    page = ada.get(f"{good}/assembly")
    assert "C[i] = A[i] + B[i];" in page.text and "st.global.f32" in page.text and "Registers of a thread12" in page.text
    guest.get(f"{good}/assembly", 403)
    assert HOSTILE in ada.get(f"{broken}/assembly").text

    out = ada.get("/").form("/sign-out")
    assert "from a page of this judge" in ada.post("/sign-out", out, 403, headers={"Sec-Fetch-Site": "cross-site"}).text
    assert ada.post("/sign-out", out) == "/problems" and not ada.cookies
    wrong = ada.get("/sign-in").form("/sign-in") | {"name": "ada", "password": PASSWORD + "?"}
    assert "is wrong" in ada.post("/sign-in", wrong, 403).text
    assert ada.post("/sign-in", wrong | {"password": PASSWORD}) == "/problems" and ada.cookies


def drawings(judge, ada, good):
    """The roofline, and the samples of a GPU, which differ. Those of emu are equal, and are not drawn."""
    page = ada.get(good)
    assert "Timed calls" not in page.text and "0.0833 operations for each byte. Memory allows 342" in page.text
    assert "reaches 151\u00a0GFLOP/s, 44.1\u00a0% of the limit" in page.text, page.text
    ident = int(good.split("/")[-1])
    samples = [6600 + i for i in range(41)] + [99_000]
    with sqlite3.connect(judge.home / "leaderboard.db") as db:
        db.execute("UPDATE submissions SET time_ns = 6621, q1_ns = 6610, q3_ns = 6631, low_ns = 6615, high_ns = 6627 "
                   "WHERE id = ?", (ident,))
        db.execute("DELETE FROM samples WHERE submission_id = ?", (ident,))
        db.executemany("INSERT INTO samples VALUES (?, ?, ?)", [(ident, i, ns) for i, ns in enumerate(samples)])
    db.close()
    page = ada.get(good)
    assert "42\u00a0timed calls took 6.60\u00a0\u00b5s to 99.0\u00a0\u00b5s" in page.text, page.text
    assert "One of the calls lies outside of the drawing" in page.text
    bars = re.findall(r"(\d+)\u00a0calls?, 6\.", page.text)
    assert len(bars) > 5 and sum(map(int, bars)) == 41, bars
    wrong = judge.post((DEMO / "wrong-last.cu").read_text(), user="ada")
    judge.wait_done(wrong)
    text = ada.get(f"/submissions/{wrong}").text
    assert "C[3]044.5-44.51 of 4" in text, text  # element, got, expected, difference, wrong
    assert "33, expected 33" in text and "wrong: \u2260\u00a00, expected 44.5, difference -44.5" in text, text
    assert "C: 1 of 4 elements is wrong, at [3]." in text and "The stronger" not in text, text
    grid(judge, ada, wrong)


def grid(judge, ada, ident):
    """The grid of a hidden test's matrix, and of findings that the arbiter does not write."""
    def page_with(**more):
        failure = {"output": "C", "index": [2, 992], "got": 0, "want": "NaN", "wrong": 2048, "of": 65536, "test": 3,
                   "sizes": "N=4"} | more
        with sqlite3.connect(judge.home / "leaderboard.db") as db:
            db.execute("UPDATE submissions SET findings = ? WHERE id = ?", (json.dumps({"failure": failure}), ident))
        db.close()
        ada.get(f"/submissions/{ident}")  # its elements are balanced
        return ada.ask("GET", f"/submissions/{ident}")[2]

    window = {"from": [1, 990], "wrong": [[False, False, False], [False, False, True], [True, True, True]]}
    heat = {"rows": 64, "columns": 1024, "wrong": 2048, "looked_at": 65536, "three_levels": True,
            "share": [[0] * 14 + [50, 100]] * 16, "box": {"rows": [0, 63], "columns": [992, 1023]}}
    text = page_with(window=window, map=heat)
    assert text.count("[992]</code></th>") == 1 and text.count(">wrong</span>") == 3 and text.count(">right</span>") == 5, text
    assert "values of a hidden test are not told" in text and "expected </span><span class=\"want\">NaN" in text, text
    assert text.count('<rect class="h2"') == text.count('<rect class="h4"') == 17 and '<rect class="h1"' not in text, text
    assert "C: 2,048 of 65,536 elements are wrong, all in columns 992 to 1023." in text, text
    for bad in ({"window": window | {"from": [3, 990]}}, {"window": window | {"got": [[HOSTILE] * 3] * 3}},
                {"map": heat | {"share": [[101] * 16] * 16}}, {"map": heat | {"share": [[1] * 33] * 33}}):
        assert 'id="around"' not in page_with(**bad), bad
    text = page_with(window=window | {"got": [["<b>"] * 3] * 3, "want": [["<b>"] * 3] * 3})
    assert text.count("&lt;b&gt;") == 18 and "<b><b>" not in text, text


def compare(judge, ada, guest, good, broken):
    """Two submissions side by side: which is faster, counters, and the difference of hostile sources."""
    slower = judge.post((DEMO / "slower.cu").read_text())
    judge.wait_done(slower)
    when = r"(just now|\d+ min ago)"  # a minute may pass meanwhile on a busy machine
    assert re.search(f"Compare with {broken}, compile error, {when}", ada.get(f"/submissions/{slower}").text)
    assert re.search(f"{slower}, 17\\.5\u00a0\u00b5s, {when}", ada.get(f"/submissions/{good}").text)
    ahead = judge.post((DEMO / "slower.cu").read_text(), user="ben")
    judge.wait_done(ahead)
    assert f"/compare?before={good}&after={ahead}" in ada.get("/problems/vector-addition/board").links
    page = ada.get(f"/compare?before={slower}&after={good}")
    assert "2.64\u00d7 faster than" in page.text and "global sectors" in page.text and "8000000" in page.text
    assert "2.64\u00d7 slower than" in ada.get(f"/compare?before={good}&after={slower}&by=global_sectors").text
    same = ada.get(f"/compare?before={good}&after={good}&by=nothing").text
    assert "not to be told apart" in same and "The sources are the same" in same
    assert "not for you to see" in guest.get(f"/compare?before={slower}&after={good}").text
    page = ada.get(f"/compare?before={good}&after={broken}")
    assert "only accepted submissions have times" in page.text and f"#error {HOSTILE}" in page.text
    other = judge.post("int x;", problem="reverse-array")
    assert "different problems" in ada.get(f"/compare?before={good}&after={other}", 400).text
    assert ada.get("/compare?before=1&after=x", 400).text and ada.get("/compare?before=999&after=1", 404).text
    judge.wait_done(other)


def script_with_imports(guest, name, seen):
    """The bytes over the wire of a script and of all that a browser loads with it."""
    if name in seen:
        return 0
    seen.add(name)
    status, headers, script = guest.ask("GET", f"/assets/{name}")
    assert status == 200 and headers["Content-Type"].startswith("text/javascript"), (name, headers)
    assert "immutable" in headers["Cache-Control"], headers
    wire = guest.wire
    assert guest.ask("GET", f"/assets/{name}", headers={"Accept-Encoding": None})[2] == script
    return wire + sum(script_with_imports(guest, other, seen)
                      for other in re.findall(r'(?:from|import)"\./([\w-]+\.js)"', script))


def check_scripts(guest, text):
    """A page's script is small, and the editor, which it loads later, weighs no more than 160 KB."""
    page = re.search(r'src="/assets/(page-[^"]+)"', text)[1]
    first = set()
    assert script_with_imports(guest, page, first) < 10_000
    script = guest.ask("GET", f"/assets/{page}")[2]
    editor = re.search(r'import\("\./(editor-[\w-]+\.js)"\)', script)[1]
    loaded = set(first)
    assert script_with_imports(guest, editor, loaded) < 160_000
    for keys in ("keys_vim", "keys_emacs"):  # the editor is there before them
        name = re.search(rf'import\("\./({keys}-[\w-]+\.js)"\)', guest.ask("GET", f"/assets/{editor}")[2])[1]
        assert 0 < script_with_imports(guest, name, set(loaded)) < 80_000


def test_each_page_as_everybody(judge):
    """Each route, by a guest, a member and from elsewhere; addresses that are wrong, too."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    guest, member = Browser(port), Browser(port)
    joining = member.get("/join").form("/join") | {
        "name": "member", "password": PASSWORD, "invitation": invite(judge)}
    member.post("/join", joining)
    ident = judge.post("int x;", user="member")
    judge.wait_done(ident)
    assert judge.api("POST", "/api/accounts/member", {"display_name": HOSTILE[:64]})[0] == 200

    assert judge.api("POST", "/api/groups", {"name": "a-class", "teacher": "member"})[0] == 201
    arg = {"problems": "vector-addition", "submissions": ident, "users": "member", "groups": "a-class", "staff": "member"}
    for (method, pattern), need in page_routes().items():
        path = "/" + pattern.replace("*", str(arg.get(pattern.split("/")[0], "nothing")))
        for i, who in enumerate((guest, member)):
            if method == "GET":
                page = who.get(path, 404 if pattern == "assets/*" else STATUS[need][i])
                assert page.text
                continue
            # Nobody gets anywhere without a token, and from another site not even with one.
            wanted = {"NOTHING": (403, 403), "JOIN": (403, 403), "SUBMIT": (401, 400)}.get(need) or STATUS[need]
            who.post(path, {}, 400 if wanted[i] == 200 else wanted[i])
            for headers in ({"Origin": "http://elsewhere.example"}, {"Origin": "null"},
                            {"Sec-Fetch-Site": "same-site"}, {"Origin": None}):
                status, _, text = who.ask("POST", path, b"", headers)
                assert status in (401, 403), (path, headers, status, text)
        status, headers, _ = guest.ask("DELETE", path)
        assert status == 405 and "Allow" in headers, path
        status, headers, _ = guest.ask("OPTIONS", path)
        assert status == 204 and method in headers["Allow"].split(", "), (path, headers)

    for path in ("/nothing", "/problems/nothing", "/submissions/999",
                 "/problems/vector-addition/board?around=nobody"):
        assert guest.get(path, 404).text
    for path in ("/problems?nothing=1", "/problems?q=a&q=b", "/problems?q=" + "a+" * 101, "/submissions?cursor=zzz",
                 "/submissions/x", "/problems/vector-addition/board?page=0"):
        assert guest.get(path, 400).text
    only = guest.get("/problems?q=softmax&level=medium&tag=softmax").text
    way = guest.get("/problems?order=course").text
    assert way.index("Vector Addition") < way.index("Matrix Transpose") < way.index("Radix Sort")
    assert "shared-memory" in way and "Next:" not in way
    guest.get("/problems?order=backwards", 400)
    assert "Softmax" in only and "Vector Addition" not in only
    assert "No problem is like that" in guest.get(f"/problems?q={''.join(f'%{b:02X}' for b in HOSTILE.encode())}").text
    for query in ("/problems?q=%0A%0D%1B", "/submissions?user=%0Aa&problem=%26x=y", "/users/%0A", "/join?invitation=%0A"):
        assert guest.ask("GET", query)[0] in (200, 400, 404), query
    status, _, text = guest.ask("GET", "/", headers={"Host": f"elsewhere.example:{port}"})
    assert status == 403 and "does not answer to the name" in html.unescape(text), text

    _, _, text = guest.ask("GET", "/")
    for name in re.findall(r'/assets/[^"]+', text):
        status, headers, _ = guest.ask("GET", name)
        assert status == 200 and "immutable" in headers["Cache-Control"], (name, headers)
    check_scripts(guest, text)
    assert guest.ask("HEAD", "/")[2] == ""
