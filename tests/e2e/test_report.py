"""What graded lines come to, against golden outputs. GOLDEN_UPDATE=1 writes them anew."""
import csv
import html.parser
import json
import os

from harness import ROOT

GOLDEN = ROOT / "tests/golden/grading"
LINES = GOLDEN / "out.jsonl"


def compare(name, text):
    path = GOLDEN / name
    if os.environ.get("GOLDEN_UPDATE"):
        path.write_text(text)
    assert text == path.read_text(), f"{path} is another: {text}"


def test_golden_outputs(judge):
    compare("out.txt", judge.cli("report", LINES, status=0).stdout)
    compare("out.csv", judge.cli("report", LINES, "--csv", status=0).stdout)
    compare("out.json", judge.cli("report", LINES, "--json", status=0).stdout)
    assert judge.cli("report", LINES, "--html", judge.home / "out.html", status=0).stdout == ""
    compare("out.html", (judge.home / "out.html").read_text())
    assert judge.daemon is None and not (judge.home / "leaderboard.db").exists()


def test_figures_follow_from_the_lines(judge):
    got = json.loads(judge.cli("report", LINES, "--json", status=0).stdout)
    assert (got["lines"], got["errors"], got["failures"], got["disagreements"]) == (20, 1, 1, 1), got
    rows = {(row["group"], row["name"]): row for row in got["rows"]}
    add, soft = rows["problem", "vector-addition"], rows["problem", "softmax"]
    # 5 of 8 and 7 of 11 pass: pass@2 is the share of pairs with one that does.
    assert (add["pass@1"], add["pass@2"]) == (0.625, round(1 - 3 / 28, 6)), add
    assert (soft["pass@1"], soft["pass@2"], soft["pass@100"]) == (0.636364, round(1 - 6 / 55, 6), None), soft
    # What only compiles has not passed. A problem counts for pass@2 if it has two lines.
    every = rows["all", ""]
    assert every["pass@1"] == round((5 / 8 + 7 / 11 + 0) / 3, 6) and every["passed"] == 12, every
    assert every["pass@2"] == round((2 - 3 / 28 - 6 / 55) / 2, 6), every
    # 50, 60, 70, 80 and 85 us against 60: one is faster, and surely. 60 is no more than once as fast.
    assert (add["fast_1"], add["surely_faster"], add["fast_0.5"]) == (0.125, 0.125, 0.625), add
    # With five times no interval has 95%; with seven it is the least and the greatest.
    assert (add["time_ns"], add["low_ns"], add["timed"]) == (70000, None, 5), add
    assert (soft["time_ns"], soft["low_ns"], soft["high_ns"]) == (1.3e6, 1e6, 1.6e6), soft
    assert every["time_ns"] is None and every["ratio"] > 0, every
    assert rows["tag", '<script>alert("1")</script>']["lines"] == 3 and rows["difficulty", "medium"]["lines"] == 11, rows
    none = json.loads(judge.cli("report", LINES, "--json", "--baseline", "PyTorch", status=0).stdout)
    assert none["rows"][0]["fast_1"] is None, none


class Page(html.parser.HTMLParser):
    """Every element and attribute of a page."""
    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.text = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def test_hostile_names_are_text(judge):
    judge.cli("report", LINES, "--html", judge.home / "out.html", status=0)
    page = Page((judge.home / "out.html").read_text())
    assert not page.elements & {"script", "img", "link", "iframe", "object", "a", "form", "image", "use"}, page.elements
    assert {"svg", "polyline", "rect", "table"} <= page.elements, page.elements
    assert not [a for a in page.attributes if a[0].startswith("on") or a[0] in ("src", "href", "style")], page.attributes
    assert '<script>alert("1")</script>' in page.text and "\x1b" not in "".join(page.text), page.text
    assert "default-src 'none'" in dict(page.attributes)["content"] or any("default-src 'none'" in (v or "") for _, v in page.attributes)
    shown = judge.cli("report", LINES, status=0).stdout
    assert "\x1b" not in shown and "\u202e" not in shown, shown
    cells = [row[1] for row in csv.reader(judge.cli("report", LINES, "--csv", status=0).stdout.splitlines())]
    assert "'=cmd|' /C calc'!A0" in cells, cells


def test_files_that_are_none(judge):
    assert "cannot be read" in judge.cli("report", "/no/such", status=2).stderr
    bad = judge.write("bad.jsonl", '{"verdict": "accepted"}\n[]\n')
    assert "bad.jsonl:2: the line is no JSON object" in judge.cli("report", bad, status=2).stderr
    empty = judge.write("empty.jsonl", "")
    assert "0 lines were judged" in judge.cli("report", empty, status=0).stdout
    judge.cli("report", empty, "--html", judge.home / "e.html", status=0)
    assert "cannot be" in judge.cli("report", LINES, "--html", "/no/such/page.html", status=4).stderr
