#!/usr/bin/env python3
"""Bulk grading of many lines on emu, with kills of grade, daemon and workers in the middle, against a run without.

usage: bulk.py PREFIX [LINES [KILLS [REPEATED]]]

10000 lines and 60 kills unless said. REPEATED is the share of lines that repeat an earlier one, 0.75 unless said. The others are
judged by seeds of their own, or by inputs that the judge draws. Two cores take about half an hour.

Prints each kill, and what the lines came to. Fails where a line of the two runs differs in what the kills must not
change, where one is there twice or not at all, and where the daemon has judged one twice."""
import collections
import contextlib
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
# The harness looks there for what the tests of a run share.
os.environ.setdefault("WARPJUDGE_TEST_SHARED", tempfile.mkdtemp(prefix="wj-bench-"))
import answers  # noqa: E402
import bulk  # noqa: E402
import harness  # noqa: E402


@contextlib.contextmanager
def new_judge(prefix):
    with harness.Judge(prefix) as judge:
        judge.env.pop("WARPJUDGE_LOOP_LIMIT_US", None)
        yield judge
        answers.seen.clear()


def main(prefix, count="10000", kills="60", repeated="0.75"):
    rows = bulk.compare_runs(lambda: new_judge(Path(prefix).resolve()), bulk.lines(int(count), float(repeated)), int(kills),
                             lambda text: print(f"  {text}", flush=True))
    words = collections.Counter(row.get("verdict", "error") for row in rows.values())
    cached = sum(row.get("cached", False) for row in rows.values())
    print(f"  {len(rows)} lines are the same in both runs, {cached} of them as judged before: "
          f"{', '.join(f'{word} {n}' for word, n in words.most_common())}")


if __name__ == "__main__":
    main(*sys.argv[1:])
