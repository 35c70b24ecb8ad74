#!/usr/bin/env python3
"""What an arbiter that stays is worth on emu, where it keeps no device: the judge's rate with it
(`serve`) against the rate with an arbiter for each submission (`serve --stay 1`).

usage: staying.py PREFIX [ROUNDS [COUNT]]

In each round both judge COUNT short programs, one at a time, whose bytes are compiled already. Prints
submissions a minute of both, medians of the rounds, and the median of the rounds' ratios."""
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
sys.dont_write_bytecode = True
import harness  # noqa: E402

PROGRAMS = ("vector-addition/4-float4", "softmax/4-float4", "reduction/5-many-each", "relu/naive", "reverse-array/naive")


def a_minute(judge, count):
    begin = time.perf_counter()
    idents = []
    for i in range(count):
        name = PROGRAMS[i % len(PROGRAMS)]
        idents.append(judge.post((ROOT / f"solutions/{name}.cu").read_text(), name.split("/")[0]))
    for ident in idents:
        got = judge.wait_done(ident)
        if got["verdict"] != "accepted":
            sys.exit(f"submission {ident}: {got['verdict']}: {got['message']}")
    return 60 * count / (time.perf_counter() - begin)


def main(prefix, rounds="5", count="25"):
    rates = {"stay": [], "once": []}
    with harness.Judge(Path(prefix).resolve(), own_cache=True) as stay, harness.Judge(Path(prefix).resolve(), own_cache=True) as once:
        stay.start()
        once.start("--stay", "1")
        for judge in (stay, once):
            a_minute(judge, len(PROGRAMS))  # compiles them
        for i in range(int(rounds)):
            for label, judge in (("stay", stay), ("once", once)) if i % 2 == 0 else (("once", once), ("stay", stay)):
                rates[label].append(a_minute(judge, int(count)))
    ratios = [s / o for s, o in zip(rates["stay"], rates["once"])]
    print(f"{len(PROGRAMS)} short programs in turn on emu, {rounds} rounds of {count}, one at a time")
    for label, about in (("stay", "by an arbiter that stays"), ("once", "by an arbiter for each")):
        print(f"  {about:30} median {statistics.median(rates[label]):6.1f} a minute   "
              f"({min(rates[label]):.1f} to {max(rates[label]):.1f})")
    print(f"  {'stay / once':30} median {statistics.median(ratios):6.3f}            ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
