"""Which files the project has, for the gates beside this module."""
import subprocess
from pathlib import Path

BUILT = ("build/", "dist/")


def files(*roots):
    """The names of all files, or of those below the roots, from the working folder on.

    git names those that it has or would take. In an export without git they are all that are there,
    but for what make builds."""
    if Path(".git").exists():
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *roots],
                                check=True, capture_output=True, text=True).stdout.split("\0")
    else:
        found = [p for root in roots or ["."] for p in (Path(root), *Path(root).rglob("*"))]
        listed = [p.as_posix() for p in found if not p.as_posix().startswith(BUILT)]
    return sorted({name for name in listed if name and Path(name).is_file()})
