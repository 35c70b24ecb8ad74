"""Who scatters times on purpose shares no rank with a faster entry, and draws no slower one along.

tests/attacks/clock-scatters-times.cu wastes time in some of its calls. Which ones follows from the inputs, so that each of
these tests has it judged for one user after another until an interval is as wide as it needs.
"""
from harness import ROOT

SOURCE = (ROOT / "tests/attacks/clock-scatters-times.cu").read_text()
NEVER, SELDOM, OFTEN, ALWAYS = "0xffffffffu", "0xb0000000u", "0x50000000u", "1u"


def judged(judge, user, wastes_from):
    assert f"#define WASTES_FROM {OFTEN}" in SOURCE
    return judge.wait_done(judge.post(SOURCE.replace(OFTEN, wastes_from), user=user))


def first_that(judge, wastes_from, is_so):
    """The first result for which is_so(result) holds, of users who submit the same source."""
    number = 0
    while True:
        number += 1
        got = judged(judge, f"scatterer{number}", wastes_from)
        assert got["verdict"] == "accepted", got
        if is_so(got):
            return got


def entries(judge):
    return {e["submission"]: e for e in judge.api("GET", "/api/problems/vector-addition/board")[1]["entries"]}


def test_nobody_reaches_a_faster_one_by_scattering(judge):
    judge.start()
    fast = judged(judge, "ada", NEVER)
    assert fast["low_ns"] == fast["time_ns"] == fast["high_ns"], fast
    wide = first_that(judge, OFTEN, lambda got: got["low_ns"] <= fast["high_ns"] and
                      got["time_ns"] > 1.2 * fast["time_ns"])
    board = entries(judge)
    assert board[fast["id"]]["rank"] == 1, board
    assert board[wide["id"]]["rank"] > 1, board
    assert judge.api("GET", f"/api/submissions/{wide['id']}")[1]["rank"] == board[wide["id"]]["rank"]
    assert [e["time_ns"] for e in board.values() if e["rank"] == 1 and e["time_ns"] > 1.08 * fast["time_ns"]] == []


def test_nobody_is_drawn_along_by_who_scatters(judge):
    judge.start()
    slow = judged(judge, "eve", ALWAYS)
    wide = first_that(judge, SELDOM, lambda got: got["low_ns"] == got["time_ns"] < slow["time_ns"] / 1.2 and
                      slow["time_ns"] <= got["high_ns"])
    board = entries(judge)
    assert board[wide["id"]]["rank"] == 1, board
    assert board[slow["id"]]["rank"] > 1, board
