"""The attacks that test_attacks.py leaves out, see attacks.py."""
from attacks import SPREAD, on_emu, tests_of

OWN_CACHE = "a compiler that an attack has won must not work for other tests"
TAKES_TURNS = "they take ten minutes of CPU time, and a change mostly concerns a class of them"
SLOW = "more than a hundred submissions, each like one that the spread has"

globals().update({f"{name}_{part + 1}": test for part in range(3)
                  for name, test in tests_of([p for p in on_emu() if p.stem not in SPREAD][part::3]).items()})
