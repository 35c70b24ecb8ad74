"""Programs with one planted bug each, and correct ones: the emulated GPU finds the bug at its
line, and nothing else. The first line of tests/planted/*.cu says what there is to find:

    // bug: KIND LINE [LINE of a race's or divergent barrier's other side]   // bug: none

All are compiled in one go, each in a namespace of its own, and run with diagnostics on.
"""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import ROOT

FOLDER = ROOT / "tests/planted"

# What the sentence of each kind says.
SAYS = {
    "race": r"data race: ",
    "bounds": r"past the end|before a buffer|outside|null pointer|no buffer holds|freed|"
              r"are inside a buffer|did not return|past the end of the variable",
    "misaligned": r"which is not a multiple of",
    "unwritten": r"never written",
    "divergent": r"divergent barrier: ",
    "deadlock": r"the block can't go on|its own lane \d+ is missing",
    "assertion": r"assertion ",
    "trap": r"executes trap",
}


def bundle(prefix, folder):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    files = sorted(FOLDER.glob("*.cu"))
    headers = sorted({line for f in files for line in f.read_text().splitlines()
                      if line.startswith("#include <")})
    text = ['#include "planted.h"', "#include <cstring>", *headers]
    for f in files:
        text += [f"namespace {f.stem.replace('-', '_')} {{", "#define main run",
                 f'#include "{f}"', "#undef main", "}"]
    text.append("int main(int, char **argv) {")
    for f in files:
        text.append(f'if (!strcmp(argv[1], "{f.stem}")) return '
                    f"{f.stem.replace('-', '_')}::run();")
    text.append("return 99; }\n")
    source, program = folder / "planted.cu", folder / "planted"
    source.write_text("\n".join(text))
    subprocess.run([nvcc, "-w", "-O3", "-std=c++17", "-lineinfo", "--cudart", "none",
                    "-gencode", "arch=compute_80,code=compute_80", f"-I{FOLDER}", "-c",
                    source, "-o", folder / "planted.o"], check=True, timeout=300)
    subprocess.run(["g++", folder / "planted.o", prefix / "lib/libcudart_emu.a", "-lzstd",
                    "-lpthread", "-ldl", "-lrt", "-o", program], check=True, timeout=300)
    return program, files


def complaint(prefix, program, path):
    """What is wrong with what was found in one program; None: nothing."""
    bug = re.match(r"// bug: (.*)", path.read_text()).group(1).split()
    run = subprocess.run([prefix / "tests/tools/emu-run", prefix / "libexec/warpjudge-gpu",
                          program, path.stem], env={**os.environ, "EMU_CHECKS": "1"},
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         timeout=120)
    found = re.search(r"^fault: (.*)$", run.stderr, re.M)
    said = f"{path.stem}: {' '.join(bug)}: {run.returncode}: {run.stdout}{run.stderr}"

    if bug[0] == "none":
        return None if run.returncode == 0 and not found else said
    if bug[0] == "configuration":
        return None if run.stdout.strip() == bug[1] else said
    if not found or not re.search(SAYS[bug[0]], found.group(1)):
        return said
    name = re.escape(path.name)
    lines = re.findall(name + r":(\d+)\)|at line (\d+)", found.group(1))
    own = re.search(name + r":(\d+)\)$", found.group(1))
    lines = {a or b for a, b in lines}
    if not own or own.group(1) != bug[1] or not set(bug[1:]) <= lines:
        return said
    return None


def test_planted(judge):
    folder = Path(tempfile.mkdtemp(prefix="wj-planted-"))
    try:
        program, files = bundle(judge.prefix.resolve(), folder)
        assert len(files) >= 85
        said = [complaint(judge.prefix.resolve(), program, path) for path in files]
        wrong = [text for text in said if text]
        assert not wrong, "\n".join(wrong)
    finally:
        shutil.rmtree(folder)
