"""The ladders of solutions/: steps 1-NAME.cu, 2-NAME.cu, ..., each tuned further than the one before.

On emu each step must be faster than the one before it, by modelled time and on the same inputs, as
it is on a GPU. Steps
whose header says `needs: sm_90a`, the last of a ladder, run on such a GPU only: emu has no wgmma and
no tensor maps, and `problem check` compiles them. A step whose header says `not-modelled: ...` gains
by what the model does not know, such as banks of registers: the next step is compared with the one
before it. It must say so only where the model sees no gain. A new ladder needs no line here: a folder with a
step 1 is one, and gets a test of its own.
"""
from harness import ROOT, SEED, header

TAKES_TURNS = "some forty ladders, of which one change breaks many or none"
SLOW = "every step of every ladder at the benchmark's size; check-problems judges them, too"


def steps_of(folder):
    """The ladder's files in their order."""
    files = sorted(folder.glob("[1-9]-*.cu"))
    assert [f.name[0] for f in files] == [str(k + 1) for k in range(len(files))], (
        f"the steps of {folder} are not numbered from 1 on: {[f.name for f in files]}")
    assert 3 <= len(files) <= 9, f"{folder}: {len(files)} steps"
    return files


def check_ladder(judge, folder):
    judge.start("--seed", SEED)
    slower = []
    last = newer = None
    for path in steps_of(folder):
        assert header(path, "expect") == "accepted", path
        assert header(path, "H200"), f"{path}: no line `// H200: ...` for the measured time"
        if header(path, "needs"):
            assert last, f"{path}: a portable step comes first"
            newer = path
            continue
        assert not newer, f"{path}: comes after {newer.name}, which emu can't run"
        got = judge.submit_json(path, "--device", "emu", status=0)
        assert got["modelled"], got
        faster = not last or got["time_ns"] < last[1]
        if header(path, "not-modelled"):
            assert not faster, f"{path}: the model sees that it is faster: {got['time_ns']:.0f} ns"
            continue
        if not faster:
            slower.append(f"{path.name} takes {got['time_ns']:.0f} ns, {last[0].name} {last[1]:.0f}")
        last = path, got["time_ns"]
    assert not slower, f"{folder.name}: " + "; ".join(slower)


for _folder in sorted({f.parent for f in (ROOT / "solutions").glob("*/1-*.cu")}):
    globals()[f"test_{_folder.name.replace('-', '_')}"] = (
        lambda judge, folder=_folder: check_ladder(judge, folder))
