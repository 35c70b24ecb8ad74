"""Repeat submissions skip nvcc; a damaged entry is rebuilt, never trusted."""
from harness import DEMO

OWN_CACHE = "the cache is what is tested"

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
