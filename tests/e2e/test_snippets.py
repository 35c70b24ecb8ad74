"""The programs of tests/unit/test_snippets_*.c are legal PTX: ptxas takes each of them. Of the
instructions of tests/golden/ptx/refused.txt it takes those that the file says, and no others."""
import os
import re
import subprocess
from pathlib import Path

from harness import ROOT
from test_emu import toolkit

BUILD = "asan"  # which has the unit programs

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


HEAD = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k()
{
.reg .pred %p<8>; .reg .b8 %y<8>; .reg .b16 %h<8>; .reg .b32 %r<8>, %f<8>;
.reg .b64 %l<8>, %x<8>; .reg .u32 %ru<8>; .reg .f32 %fu<8>;
"""


def refused_lines(ptxas, instructions, path):
    """The numbers of the instructions that ptxas complains of, when it reads all of them."""
    path.write_text(HEAD + "\n".join(instructions) + "\nret;\n}\n")
    said = subprocess.run([ptxas, "-arch=sm_90a", "-o", "/dev/null", path],
                          capture_output=True, text=True).stderr
    lines = {int(n) for n in re.findall(r"line (\d+); *(?:error|fatal)", said)}
    assert lines or not said, said
    return {n - HEAD.count("\n") - 1 for n in lines}


def test_ptxas_refuses_these(judge):
    """ptxas reads them again without those that it refused, until it refuses no more."""
    said = (ROOT / "tests/golden/ptx/refused.txt").read_text().splitlines()
    said = [line for line in said if line[0] != "#"]
    left, ptxas = said, toolkit() / "bin/ptxas"
    while True:
        bad = refused_lines(ptxas, [line[2:] for line in left], Path(judge.home) / "all.ptx")
        if not bad:
            break
        left = [line for i, line in enumerate(left) if i not in bad]
    assert left == [line for line in said if line[0] == "+"]
