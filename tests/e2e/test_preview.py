"""A problem's preview for its author: errors and statement as they are on the disk, for whom it is for."""
import json
import threading

from test_pages import Browser, hostile_problems
from test_rights import Tcp, join

BUILD = "asan"


def waits(tcp, path):
    """Asks for the next change in a thread, whose list has the answer when it has ended."""
    got = []
    thread = threading.Thread(target=lambda: got.append(tcp.ask("GET", path)))
    thread.start()
    return thread, got


def test_a_preview(judge):
    hostile_problems(judge)
    port = judge.start("--listen", "127.0.0.1:0", "--open")["port"]
    folder = judge.home / "problems/vector-addition"
    tcp, guest = Tcp(port), Browser(port)
    address = judge.cli("problem", "preview", "vector-addition", status=0,
                        env={"DISPLAY": "", "WAYLAND_DISPLAY": ""}).stdout.strip()
    page = address.removeprefix(f"http://localhost:{port}")
    assert page.startswith("/problems/vector-addition/preview?key="), address
    key = page.split("=")[1]
    assert "no problem" in judge.cli("problem", "preview", "nothing", status=2).stderr
    assert "not the name" in judge.cli("problem", "preview", "../x", status=2).stderr

    # Who has no key is nobody here, and a key is good for one problem.
    guest.get(page.split("?")[0], 401)
    guest.get(page[:-1] + ("0" if page[-1] != "0" else "1"), 401)
    guest.get(f"/problems/reverse-array/preview?key={key}", 401)
    assert tcp.ask("GET", f"api/v1/problems/vector-addition/preview/events?key={key[1:]}")[0] == 401

    seen = guest.get(page)
    assert "no errors" in seen.text and "<script>" not in seen.text and "seen" in seen.text
    assert ("tex", "x_1*y_2 < \\alert{<b>7}") in seen.marks, seen.marks

    def preview():
        status, answer = tcp.ask("GET", f"api/v1/problems/vector-addition/preview?key={key}")
        assert status == 200, answer
        return answer

    version = preview()["version"]
    assert preview()["version"] == version
    thread, got = waits(tcp, f"api/v1/problems/vector-addition/preview/events?key={key}&seen={version}")
    spec = json.loads((folder / "problem.json").read_text())
    spec["params"][0]["shape"] = ["<script>alert(1)</script>"]
    (folder / "problem.json").write_text(json.dumps(spec))
    thread.join()
    assert got[0] == (200, "retry: 100\n\nevent: changed\ndata: {}\n\n"), got
    broken = preview()
    assert broken["version"] != version and broken["findings"][0]["where"] == "problem.json: $.params[0].shape[0]"
    assert "Vector" in broken["statement"] and broken["title"] == "vector-addition", broken
    seen = guest.get(page).text
    assert "1\u00a0error" in seen and "alert(1)" in seen and "as it stands" in seen, seen

    (folder / "problem.json").write_text("{")
    (folder / "statement.md").unlink()
    places = [f["where"] for f in preview()["findings"]]
    assert "statement.md" in places and any(p.startswith("problem.json") for p in places), places
    assert guest.get(page).text

    # Who waits when the daemon ends is answered, and an old key is good for nothing afterwards.
    thread, got = waits(tcp, f"api/v1/problems/vector-addition/preview/events?key={key}&seen={preview()['version']}")
    judge.stop()
    thread.join()
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--open")["port"])
    assert tcp.ask("GET", f"api/v1/problems/vector-addition/preview?key={key}")[0] == 401


def test_the_staff_preview_and_members_do_not(judge):
    tcp = Tcp(judge.start("--listen", "127.0.0.1:0", "--registration", "invitation")["port"])
    for role, status in (("staff", 200), ("member", 403)):
        token = join(judge, f"a-{role}", role)
        for path in ("preview", "preview/events"):
            assert tcp.token("GET", f"api/problems/vector-addition/{path}", token)[0] == status, (role, path)
