"""How fast GPUs were, day by day: told to the staff, from rows as the judgements on an H200 would have made them."""
import datetime
import sqlite3
import time

from test_pages_staff import member
from test_rights import join

BUILD = "asan"

DAY_S = 86400
PATH = "/api/v1/calibrations"
EVIL = "<b>GPU-evil</b>"


def day_name(number):
    return datetime.datetime.fromtimestamp(number * DAY_S, datetime.UTC).strftime("%Y-%m-%d")


def insert(judge, gpu, days, copy, device="cuda:0", node=""):
    """`days`: numbers of days; `copy`: their mean. The other figures are the same each day."""
    db = sqlite3.connect(judge.home / "leaderboard.db")
    with db:
        db.executemany("INSERT INTO calibrations VALUES (?, ?, 'NVIDIA H200', ?, ?, 4, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       [(gpu, day, device, day * DAY_S * 1000 + 7, 4 * copy(day), copy(day) - 20, copy(day) + 10,
                         4 * 4300.0, 4290.0, 4310.0, 4 * 60.5, 60.25, 60.75, node) for day in days])
    db.close()


def test_days_of_gpus(judge):
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    root, ada = member(judge, port, "root", "staff"), member(judge, port, "ada")
    # On emu there is none, which a sentence says.
    assert judge.api("GET", PATH) == (200, {"calibrations": []})
    assert "The times of emu are modelled" in root.get("/staff/calibration").text
    assert "emu are modelled" in judge.cli("admin", "calibration", status=0).stdout.replace("\n", " ")
    ada.get("/staff/calibration", 403)
    today = int(time.time() // DAY_S)
    insert(judge, "GPU-h200", range(today - 200, today - 1), lambda day: 4000.0)
    insert(judge, "GPU-h200", [today - 1], lambda day: 3800.0)  # 5% below
    insert(judge, EVIL, [today - 1], lambda day: 4000.0, device="cuda:1")
    insert(judge, "GPU-gone", [today - 300], lambda day: 4000.0)
    assert judge.api("GET", PATH + "?days=0")[0] == judge.api("GET", PATH + "?days=366")[0] == 400

    new, gpu = judge.api("GET", PATH)[1]["calibrations"]
    assert gpu["usual"] == {"copy_gbs": 4000, "read_gbs": 4300, "fp32_tflops": 60.5}, gpu["usual"]
    assert gpu["drift"] == {"copy_gbs": -0.05, "read_gbs": 0, "fp32_tflops": 0}, gpu["drift"]
    # Thirty days end today, or tomorrow where midnight comes between.
    assert len(gpu["days"]) in (28, 29) and gpu["days"][-1] == {
        "day": day_name(today - 1), "measurements": 4, "copy_gbs": {"mean": 3800, "low": 3780, "high": 3810},
        "read_gbs": {"mean": 4300, "low": 4290, "high": 4310}, "fp32_tflops": {"mean": 60.5, "low": 60.25, "high": 60.75}}
    assert new["gpu"] == EVIL and new["usual"] is new["drift"] is None and len(new["days"]) == 1
    assert [g["gpu"] for g in judge.api("GET", PATH + "?days=365")[1]["calibrations"]] == [EVIL, "GPU-gone", "GPU-h200"]

    page = root.get("/staff/calibration")
    assert "5\u00a0% below the usual" in page.text and "More than 2\u00a0%" in page.text, page.text
    assert "reading was as usual" in page.text and "measured on three days" in page.text and EVIL in page.text
    assert page.text.count("day by day") == 3 and page.text.count(day_name(today - 1)) >= 6, page.text
    assert "/staff/calibration" in root.get("/staff").links
    told = " ".join(judge.cli("admin", "calibration", status=0).stdout.split())
    assert f"cuda:0 (NVIDIA H200, GPU-h200) on {day_name(today - 1)}, copy 3800 GB/s (5.0% below the usual)" in told, told
    assert "GPU-evil" in told and "GPU-gone" not in told, told


def test_the_drift_of_each_node(judge):
    """`status` tells the staff of each GPU where it is, and how far it was from the usual on each of the last days."""
    port = judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"]
    today = int(time.time() // DAY_S)
    insert(judge, "GPU-1", range(today - 9, today - 1), lambda day: 4000.0 + 4 * (day - today + 4), node="n1")
    insert(judge, "GPU-1", [today - 1], lambda day: 3800.0, node="n1")
    insert(judge, "GPU-2", [today - 1], lambda day: 4000.0, device="cuda:1", node="n2")
    insert(judge, "GPU-3", range(today - 3, today), lambda day: 4000.0)
    shown = judge.cli("status", status=0).stdout.splitlines()
    head = next(i for i, line in enumerate(shown) if line.startswith("drift of"))
    rows = [line.split() for line in shown[head + 1:]]
    newest = day_name(today - 1)
    # The usual of n1 is 3992 GB/s, the median of nine days, of which the last seven are told.
    assert rows == [
        ["n1", "cuda:0", "NVIDIA", "H200", newest, "-4.8%", "0.0%", "0.0%", "-0.1%", "0.0%", "+0.1%", "+0.2%", "+0.3%",
         "+0.4%", "-4.8%"],
        ["n2", "cuda:1", "NVIDIA", "H200", newest, "new", "new", "new"],
        ["(here)", "cuda:0", "NVIDIA", "H200", newest, "0.0%", "0.0%", "0.0%", "0.0%", "0.0%", "0.0%"]], rows
    assert "cuda:0 of n1 (NVIDIA H200, GPU-1)" in " ".join(judge.cli("admin", "calibration", status=0).stdout.split())
    root = member(judge, port, "root", "staff")
    assert "cuda:1 of n2, NVIDIA H200" in root.get("/staff/calibration").text
    env = {"WARPJUDGE_URL": f"http://127.0.0.1:{port}", "WARPJUDGE_TOKEN": join(judge, "ben")}
    assert "drift of" not in judge.cli("status", env=env, status=0).stdout
