"""Programs with one planted bug each, and correct ones: the emulated GPU finds the bug at its
line, and nothing else. The first line of tests/planted/*.cu says what there is to find:

    // bug: KIND LINE [LINE of a race's or divergent barrier's other side, of an undefined value's use]   // bug: none

All are compiled in one go, each in a namespace of its own, and run with diagnostics on.
"""
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import BACKSTOP_S, NVCC, ROOT

FOLDER = ROOT / "tests/planted"

# What the sentence of each kind says.
SAYS = {
    "race": r"data race: ",
    "bounds": r"past the end|before a buffer|before \w+ \(byte|outside|null pointer|no buffer holds|freed|"
              r"are inside a buffer|did not return|past the end of the variable",
    "misaligned": r"which is not a multiple of",
    "unwritten": r"never written",
    "divergent": r"divergent barrier: ",
    "deadlock": r"the block can't go on|its own lane \d+ is missing",
    "shuffle": r"lane \d+ reads from lane \d+ by __shfl\w*_sync, but lane \d+ ",
    "assertion": r"assertion ",
    "trap": r"executes trap",
}


def bundle(folder):
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
    subprocess.run([NVCC, "-w", "-O3", "-std=c++17", "-lineinfo", "--cudart", "shared",
                    "-gencode", "arch=compute_80,code=compute_80", f"-I{FOLDER}",
                    source, "-o", program], check=True, timeout=BACKSTOP_S)
    return program, files


def is_bug(finding, bug, name):
    """Is this the planted one, at its line, with the line of the other side?"""
    text = finding["text"]
    lines = re.findall(re.escape(name) + r":(\d+)\)|at line (\d+)", text)
    lines = {a or b for a, b in lines}

    return (re.search(SAYS[bug[0]], text) and finding.get("file") == name
            and str(finding.get("line")) == bug[1] and set(bug[1:]) <= lines)


def complaint(prefix, program, path):
    """What is wrong with what was found in one program; None: nothing."""
    bug = re.match(r"// bug: (.*)", path.read_text()).group(1).split()
    run = subprocess.run([prefix / "bin/warpjudge", "emu", "--checks", "--json", program,
                          path.stem], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, timeout=BACKSTOP_S)
    said = f"{path.stem}: {' '.join(bug)}: {run.returncode}: {run.stdout}{run.stderr[:3000]}"
    # What the program says itself may stand before it.
    findings = json.loads(run.stderr.splitlines()[-1])["findings"]

    if bug[0] == "none":
        return None if run.returncode == 0 and not findings else said
    if bug[0] == "configuration":
        return None if run.stdout.strip() == bug[1] and not findings else said
    if run.returncode == 0 or not any(is_bug(f, bug, path.name) for f in findings):
        return said
    # A race may be told from both sides, and be seen as a read of what is not there yet.
    if any(f.get("file") != path.name or str(f.get("line")) not in bug[1:] for f in findings):
        return said
    return None


def test_planted(judge):
    folder = Path(tempfile.mkdtemp(prefix="wj-planted-"))
    try:
        program, files = bundle(folder)
        assert len(files) >= 129
        said = [complaint(judge.prefix.resolve(), program, path) for path in files]
        wrong = [text for text in said if text]
        assert not wrong, "\n".join(wrong)
    finally:
        shutil.rmtree(folder)
