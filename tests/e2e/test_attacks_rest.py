"""The attacks that test_attacks.py leaves out, see attacks.py."""
from attacks import SPREAD, on_emu, tests_of

OWN_CACHE = "a compiler that an attack has won must not work for other tests"
SLOW = "more than a hundred submissions, each like one that the spread has"

globals().update(tests_of([p for p in on_emu() if p.stem not in SPREAD]))
