"""`asm`: what a kernel is compiled to, by source line."""
import json
from pathlib import Path

from harness import DEMO, await_that

RIGHT = DEMO / "right.cu"
LINE = 11  # of right.cu, where C[i] is stored
WITHOUT = "has no nvdisasm"


def test_asm(judge):
    assert "C[i] = A[i] + B[i]" in RIGHT.read_text().splitlines()[LINE - 1]

    out = judge.cli("asm", RIGHT, status=0).stdout
    assert out.startswith("add  ") and " registers, no spills, 0 bytes of shared memory (ptxas, sm_90)" in out, out
    assert "occupancy: 50 % with blocks of 32 (blocks), 100 % with blocks of 64 to 1024" in out, out
    assert f"  right.cu:{LINE}  C[i] = A[i] + B[i];\n        " in out and "st.global.f32" in out, out

    one = judge.cli("asm", "--json", "--line", str(LINE), RIGHT, status=0).stdout
    (add,) = json.loads(one)["functions"]
    assert {piece["line"] for piece in add["code"]} == {LINE} and add["registers"] > 0, add
    assert any(text.startswith("add.f32") for piece in add["code"] for text in piece["text"]), add

    err = judge.cli("asm", "--line", "1", RIGHT, status=2).stderr
    assert "no instruction stems from right.cu:1; the nearest line is " in err, err
    assert "choose one" in judge.cli("asm", "--ptx", "--sass", RIGHT, status=2).stderr

    # A submission's, by its number.
    broken = judge.write("broken.cu", "// warpjudge: vector-addition\nint x = y;\n")
    ident = judge.submit_json(broken, status=1)["id"]
    for what in (broken, str(ident)):
        out = judge.cli("asm", what, status=1).stdout
        assert out.startswith("compile error\n") and 'broken.cu(2): error: identifier "y"' in out, out
    status, answer = judge.api("GET", f"/api/submissions/{ident}/assembly")
    assert status == 200 and not answer["compiles"] and answer["diagnostics"][0]["line"] == 2, answer
    assert "leave --problem and --device out" in judge.cli("asm", "-d", "emu", str(ident), status=2).stderr
    status, answer = judge.api("GET", f"/api/submissions/{ident}/assembly?form=text")
    assert status == 400 and '"ptx" or "sass"' in answer["error"], answer
    status, answer = judge.api("POST", "/api/assembly", {"problem": "nosuch", "source": "int x;"})
    assert status == 404, answer

    # Only a whole toolkit has the disassembler.
    whole = Path("/usr/local/cuda/bin/nvdisasm").exists()
    done = judge.cli("asm", "--sass", RIGHT, status=0 if whole else 2)
    assert "STG" in done.stdout if whole else WITHOUT in done.stderr, done

    # A thread of the daemon removes them, after the answer.
    await_that(lambda: not list((judge.home / "jobs").iterdir()), "no listing's folder is left")
