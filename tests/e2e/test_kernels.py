"""Kernels as strangers write them, right and wrong: each gets the verdict its header states.

    // expect: VERDICT          // says: SUBSTRING of the explanation
    // notices: none            where a false notice is what we fear
"""
from harness import ROOT, check_verdicts

BUILD = "release"  # verdicts come out the same, and most of the work is the emulator's
BUILD_ALL = "asan"


def check_folder(judge, folder):
    files = sorted(folder.glob("*.cu"))
    assert files, f"no kernels in {folder}"
    check_verdicts(judge, folder.name, files)


for _folder in sorted((ROOT / "tests/kernels").glob("*")):
    globals()[f"test_{_folder.name.replace('-', '_')}"] = (
        lambda judge, folder=_folder: check_folder(judge, folder))
