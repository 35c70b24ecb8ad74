"""What bulk grading says does not depend on who is killed meanwhile. tests/bench/bulk.py is the long form."""
import bulk
from harness import Judge

SLOW = "two runs of 300 lines take two minutes; make bench-bulk has 10,000"


def test_kills_change_no_line(judge):
    """Judged by two workers and the daemon's own device, with each of the five kinds of kills at least once."""
    rows = bulk.compare_runs(lambda: Judge(judge.prefix), bulk.lines(300), 8)
    assert {"accepted", "wrong_answer", "compile_error", "runtime_error", "race"} <= {
        row.get("verdict") for row in rows.values()}, rows
