"""Solutions of a spread of problems, through the daemon: each gets the verdict that its header
states. `make check-problems` judges those of all problems."""
from harness import ROOT, check_verdicts, header



def check_solutions(judge, slug):
    files = sorted((ROOT / "solutions" / slug).glob("*.cu"))
    assert len(files) >= 4, f"{slug} has too few solutions"
    verdicts = {header(path, "expect") for path in files}
    assert "accepted" in verdicts and len(verdicts) > 1
    check_verdicts(judge, slug, files)


for _slug in ("vector-addition", "reduction", "softmax", "histogramming",
              "matrix-multiplication", "int8-quantized-matmul"):
    globals()[f"test_{_slug.replace('-', '_')}"] = (
        lambda judge, slug=_slug: check_solutions(judge, slug))
