"""Right solutions as strangers write them (tests/styles): none is refused on emu.

    // warpjudge: SLUG
    // What is peculiar to it, in a sentence.
"""
from harness import ROOT, header

TAKES_TURNS = "a change that refuses one style mostly refuses several"
SLOW = "five dozen sources that nvcc takes seconds for"
FILES = sorted((ROOT / "tests/styles").glob("*.cu"))
GROUPS = 6


def check_group(judge, files):
    judge.start()
    ids = {path: judge.post(path.read_text(), header(path, "warpjudge")) for path in files}
    done = {path: judge.wait_done(ident) for path, ident in ids.items()}
    wrong = [f"{path.name}: {got['verdict']}: {got['message'][:500]}" for path, got in done.items()
             if got["verdict"] != "accepted" or got.get("notices")]
    assert not wrong, "\n".join(wrong)


globals().update({f"test_group_{k + 1}": lambda judge, files=FILES[k::GROUPS]: check_group(judge, files)
                  for k in range(GROUPS)})
