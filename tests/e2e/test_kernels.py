"""Kernels as strangers write them, right and wrong: each gets the verdict its header states.

    // expect: VERDICT          // says: SUBSTRING of the explanation
    // notices: none            where a false notice is what we fear
    // notices: KIND LINE       where the verdict says nothing

mistake-*.cu are what beginners write. Their messages say what is wrong, where, and what to do.
"""
import re

from harness import ROOT, check_verdicts

BUILD_ALL = "asan"


def check_folder(judge, folder):
    files = sorted(folder.glob("*.cu"))
    assert files, f"no kernels in {folder}"
    check_verdicts(judge, folder.name, files)


for _folder in sorted((ROOT / "tests/kernels").glob("*")):
    globals()[f"test_{_folder.name.replace('-', '_')}"] = (
        lambda judge, folder=_folder: check_folder(judge, folder))


def told(judge, path, mode):
    """The words of a judgement. Addresses of the host differ from one process to the next."""
    got = judge.wait_done(judge.post(path.read_text(), "vector-addition", mode=mode,
                                     filename=path.name))
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", got["message"]), got.get("notices", [])


def test_run_says_what_submit_says(judge):
    files = sorted((ROOT / "tests/kernels/vector-addition").glob("mistake-*.cu"))
    judge.start()
    for path in files:
        submit = told(judge, path, "submit")
        if submit[0].startswith("test 1 ("):  # run makes the sample tests only
            assert told(judge, path, "run") == submit, path.name
