"""Kernels as strangers write them, right and wrong: each gets the verdict its header states.

    // expect: VERDICT          // says: SUBSTRING of the explanation
    // notices: none            where a false notice is what we fear
"""
from harness import ROOT, header


def check_folder(judge, folder):
    judge.start()
    files = sorted(folder.glob("*.cu"))
    assert files, f"no kernels in {folder}"
    wrong = []
    for path in files:
        got = judge.submit_json(path, "-p", folder.name)
        says = header(path, "says")
        if got["verdict"] != header(path, "expect") or (says and says not in got["message"]):
            wrong.append(f"{path.name}: {got['verdict']}: {got['message']}")
        if header(path, "notices") == "none" and got.get("notices"):
            wrong.append(f"{path.name}: noticed {got['notices']}")
    assert not wrong, "\n".join(wrong)


for _folder in sorted((ROOT / "tests/kernels").glob("*")):
    globals()[f"test_{_folder.name.replace('-', '_')}"] = (
        lambda judge, folder=_folder: check_folder(judge, folder))
