"""The programs of tests/unit/test_snippets_*.c are legal PTX: ptxas takes each of them."""
import os
import subprocess
from pathlib import Path

from harness import ROOT
from test_emu import toolkit

PROGRAMS = sorted(path.stem for path in (ROOT / "tests/unit").glob("test_snippets_*.c"))
NEEDS = " ".join(f"tests/unit/{name}" for name in PROGRAMS)


def test_ptxas_takes_each_of_them(judge):
    folder = Path(judge.home) / "snippets"
    folder.mkdir()
    for name in PROGRAMS:
        subprocess.run([judge.prefix / "tests/unit" / name], check=True, cwd=ROOT,
                       capture_output=True, env=os.environ | {"SNIPPETS_TO": str(folder)})
    modules = sorted(folder.glob("*.ptx"))
    assert len(modules) >= 80
    ptxas = toolkit() / "bin/ptxas"
    for module in modules:
        done = subprocess.run([ptxas, "-arch=sm_90a", "-o", "/dev/null", module],
                              capture_output=True, text=True)
        assert done.returncode == 0, f"{module.name}: {done.stderr}"
