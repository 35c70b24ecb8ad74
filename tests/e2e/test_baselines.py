"""What others took for a problem's benchmark is a line on its boards, and no entry."""
import json
import shutil

import crowd
from harness import ROOT

SLUG = "vector-addition"
BOARD = f"/api/v1/problems/{SLUG}/board"


def line(name, time_ns, **more):
    return {"name": name, "board": "emu", "sizes": "N=1000000", "time_ns": time_ns, "versions": "1.2", "date": "2026-11-22",
            "source": "docs/x.md", **more}


def write(folder, lines):
    (folder / "baselines.json").write_text(json.dumps({"format": 1, "baselines": lines}))


def test_lines_on_a_board(judge):
    problems = judge.home / "problems"
    folder = problems / SLUG
    shutil.copytree(ROOT / "problems" / SLUG, folder)
    judge.env["WARPJUDGE_PROBLEMS"] = str(problems)
    crowd.fill(judge, 8)
    _, before, headers = judge.ask("GET", BOARD)
    assert "baselines" not in before
    times = [e["time_ns"] for e in before["entries"]]
    write(folder, [line("slow", times[-1] * 2), line("fast", times[0] / 2, about="its best call"), line("middle", (times[2] + times[3]) / 2),
                   line("elsewhere", 1, board="NVIDIA H200", sizes="N=25000000")])
    # The board is the same, with the lines: neither its meaning nor a place has changed.
    status, now, _ = judge.ask("GET", BOARD, headers={"If-None-Match": headers["ETag"]})
    lines = now.pop("baselines")
    assert status == 200 and now == before
    assert [b["name"] for b in lines] == ["fast", "middle", "slow"] and lines[0]["about"] == "its best call", lines
    assert "elsewhere" not in json.dumps(lines)
    assert judge.api("GET", BOARD + "?device=emu&limit=1")[1]["baselines"] == lines

    def drawn(*args):
        """The first two words of each row: a rank and a user, or dashes and a baseline."""
        text = judge.cli("rank", SLUG, *args, status=0).stdout
        rows = text[text.index("\n\n") + 2:].split("\n\n")[0].splitlines()[1:]
        return [row.split()[1].rstrip(",") for row in rows], text

    users = [e["user"] for e in before["entries"]]
    rows, text = drawn()
    assert times[2] < times[3] and rows == ["fast", *users[:3], "middle", *users[3:], "slow"], text
    assert "fast took" in text and "measured elsewhere: its best call, 1.2, 2026-11-22 (docs/x.md)" in text, text
    assert drawn("-n", "2")[0] == ["fast", *users[:2]]
    assert drawn("-n", "4", "--page", "2")[0][-1] == "slow" and "fast" not in drawn("-n", "4", "--page", "2")[0]
    # What is wrong is told to the author, and draws nothing.
    write(folder, [line("x", 1, sizes="N=7")])
    assert "baselines" not in judge.api("GET", BOARD)[1]
    told = judge.cli("problem", "check", SLUG, status=2)
    assert 'baselines.json: $.baselines[0]: sizes are "N=7", but the benchmark has "N=1000000"' in told.stdout + told.stderr, told
    # An empty board has the lines, too.
    write(folder, [line("x", 3e3)])
    judge.stop()
    (judge.home / "leaderboard.db").unlink()
    judge.start()
    text = judge.cli("rank", SLUG, status=0).stdout
    assert "nobody is on this board yet" in text and "x took 3.00 " in text, text
