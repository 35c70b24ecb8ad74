"""The gates that are scripts of our own find what they are there for, and nothing else."""
import subprocess
import tempfile
from pathlib import Path

from harness import ROOT

LONG = "Word " + "word " * 30

GLOSSARY = """| word | what it means |
| --- | --- |
| GPU | The hardware. (Not: card.) |
| capacity | Whether there is memory. (Not as a name in judge: room.) |
"""

PLAIN = f"""/* A comment of one sentence, in which there is room for `{LONG}` and no more. */
static const char text[] = "the card"; // A string is no comment.
/*
 * The second comment has an example:
 *
 *     card {LONG}
 */
"""

TREE = {
    "docs/glossary.md": GLOSSARY,
    "docs/plain.md": "# So many headings\n\nIs a `card` meant? Who knows it?\n\n    the card\n",
    "docs/wrong.md": f"One sentence.\n{LONG}\nends here. Who waits is ended.\n\n| A cell | So many wait. |\n",
    "judge/plain.c": PLAIN,
    "judge/room.c": f"int a;\n\n/* It is here. {LONG}*/\nint room_of_cards; // The cards\n",
    "harness/room.c": "int room;\n",
}

WRONG = """docs/plain.md:1: begins as a fragment does: So many headings ...
docs/wrong.md:1: 33 words
docs/wrong.md:1: begins as a fragment does: Who waits is ended. ...
docs/wrong.md:5: begins as a fragment does: So many wait. ...
judge/room.c:3: 31 words
judge/room.c:4: "card" is retired, docs
judge/room.c:1: "room"
judge/room.c:4: "card" is retired as a part
judge/room.c:4: "room"
""".splitlines()


def sentences(folder, *paths):
    run = subprocess.run([ROOT / "tests/gates/sentences", *paths], cwd=folder,
                         capture_output=True, text=True)
    assert run.returncode in (0, 1), run
    return run.returncode, run.stdout.splitlines()


def test_sentences(judge):
    with tempfile.TemporaryDirectory() as name:
        for path, text in TREE.items():
            (Path(name) / path).parent.mkdir(exist_ok=True)
            (Path(name) / path).write_text(text)
        subprocess.run(["git", "init", "-q", name], check=True)
        status, found = sentences(name, "docs", "judge", "harness")
        assert status == 1 and len(found) == len(WRONG), found
        for line, begins in zip(found, WRONG):
            assert line.startswith(begins), (line, begins)
        assert sentences(name, "harness", "judge/plain.c") == (0, [])


INCLUDES = {
    "harness/base/low.h": "#include \"problem/spec.h\"\n",
    "harness/sandbox/box.c": "#include \"base/low.h\"\n",
    "judge/problem/spec.h": "#include <stdio.h>\n\n#include \"base/low.h\"\n",
    "judge/cli/main.c": "#include \"problem/spec.h\"\n#include \"web/page.h\"\n",
    "judge/web/page.h": "",
}

WRONG_INCLUDES = """judge/web: the table RULES in tests/gates/includes has no row
harness/base/low.h:1: harness/base may not include judge/problem
harness/base/low.h:1: a circle between folders: harness/base -> judge/problem -> harness/base
""".splitlines()


def test_includes(judge):
    with tempfile.TemporaryDirectory() as name:
        for path, text in INCLUDES.items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_text(text)
        subprocess.run(["git", "init", "-q", name], check=True)
        run = subprocess.run([ROOT / "tests/gates/includes"], cwd=name, capture_output=True, text=True)
        found = run.stdout.splitlines()
        assert run.returncode == 1 and len(found) == len(WRONG_INCLUDES), run
        for line, begins in zip(found, WRONG_INCLUDES):
            assert line.startswith(begins), (line, begins)


PATHS = {
    "docs/wrong.md": "See [this](gone.md), [that](wrong.md#part), tests/gone/x.c and `gone.c`.\n"
                     "Right are tests/*.c, `main.c` and problems/row-scaling.\n",
    "tests/main.c": "/* One.\n * The file gone.h is not there. */\nint gone; /* see main.c */\n",
    "judge/cli/emu.h": "/*\n * The map:\n *\n *    emu.c, emu_a*.c    two\n */\n"
                       "/* --- emu.c --- */\n\nint here(void);\nint there(int a,\n          int b);\n"
                       "typedef int kind(void);\n/* emu_b.c has it. */\nint named(void);\n\n#endif\n",
    "judge/cli/emu.c": "int\nhere(void)\n{\n}\n",
    "judge/cli/emu_a1.c": "int\nthere(int a, int b)\n{\n}\n",
    "judge/cli/emu_b.c": "int\nnamed(void)\n{\n}\n",
}

WRONG_PATHS = """docs/wrong.md:1: the link to gone.md leads nowhere
docs/wrong.md:1: there is no tests/gone/x.c
docs/wrong.md:1: there is no gone.c
judge/cli/emu.h:1: the map at its head lacks emu_b.c
judge/cli/emu.h:9: there is not defined in emu.c
tests/main.c:2: there is no gone.h
""".splitlines()


def test_paths(judge):
    """The same with git and in an export without it."""
    with tempfile.TemporaryDirectory() as name:
        for path, text in PATHS.items():
            (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / path).write_text(text)
        for command in (["true"], ["git", "init", "-q", name]):
            subprocess.run(command, check=True)
            run = subprocess.run([ROOT / "tests/gates/paths"], cwd=name, capture_output=True, text=True)
            assert run.returncode == 1 and run.stdout.splitlines() == WRONG_PATHS, run


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words],
                   check=True, capture_output=True)


def commits(folder, *words):
    run = subprocess.run([ROOT / "tests/gates/commits", *words], cwd=folder, capture_output=True, text=True)
    assert run.returncode in (0, 1) and run.stderr == "", run
    return run.stdout.splitlines()


def test_commits(judge):
    """An export without history has no commit to look at. A clone has those since the gate."""
    with tempfile.TemporaryDirectory() as name:
        gate = Path(name) / "tests/gates/commits"
        gate.parent.mkdir(parents=True)
        assert commits(name) == []
        git(name, "init", "-q")
        git(name, "commit", "--allow-empty", "-m", "x" * 73)
        gate.write_text("the gate")
        git(name, "add", ".")
        git(name, "commit", "-m", "y" * 73)
        git(name, "commit", "--allow-empty", "-m", "z" * 72)
        assert commits(name) == []
        git(name, "commit", "--allow-empty", "-m", "z" * 73)
        found = commits(name)
        assert len(found) == 1 and found[0].endswith("z (73 characters)"), found
        assert len(commits(name, "HEAD")) == 3
