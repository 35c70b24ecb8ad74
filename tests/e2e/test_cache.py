"""Repeat submissions skip nvcc; a damaged entry is rebuilt, never trusted."""
import fcntl
import json
import struct

from harness import DEMO, await_that

OWN_CACHE = "the cache is what is tested"
SPOKEN = """#!/bin/sh
"$0-real" "$@" | tee "$WARPJUDGE_HOME/said"
"""


def test_second_submission_is_cached(judge):
    judge.start()
    first = judge.submit_json(DEMO / "right.cu", status=0)
    second = judge.submit_json(DEMO / "right.cu", status=0)
    assert not first["compile_cached"] and second["compile_cached"]


def test_damaged_cache_is_rebuilt(judge):
    judge.start()
    judge.submit_json(DEMO / "right.cu", status=0)
    damaged = 0
    for path in (judge.home / "cache").rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_size > 1000:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0xff
            path.chmod(0o755)
            path.write_bytes(data)
            damaged += 1
    assert damaged >= 2, "expected the reference and the submission in the cache"
    again = judge.submit_json(DEMO / "right.cu", status=0)
    assert again["verdict"] == "accepted" and not again["compile_cached"]


def test_the_compiler_says_that_it_waits(judge):
    """Another process makes the reference. The submission is compiled meanwhile, and the compiler says so."""
    def said():
        path = judge.home / "said"
        return [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []

    judge.play("warpjudge-compile", SPOKEN)
    (judge.home / "cache").mkdir()
    with open(judge.home / "cache/claims", "w") as claims:
        # All bytes at once (harness/compile/cache.c).
        fcntl.fcntl(claims, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        judge.start()
        ident = judge.post((DEMO / "right.cu").read_text())
        await_that(said, "the submission is compiled")
        assert said() == ["submission"]
    assert judge.wait_done(ident)["verdict"] == "accepted"
    assert said()[:2] == ["submission", "reference"] and said()[-1] == "done", said()
