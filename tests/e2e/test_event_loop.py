"""No handler of the daemon's holds its event loop for more than 5 ms of CPU time, on a database of
20,000 submissions. The daemon logs one that does (judge/daemon/loop_watch.h), and the harness fails
each test with such a line; here the limit is that of the build which people use."""
import crowd
from harness import DEMO

BUILD = "release"


def test_every_call_is_short(judge):
    crowd.fill(judge, 20000)
    for path in ("/api/submissions?limit=1000", "/api/submissions?user=user7", "/api/submissions/7",
                 "/api/submissions?user=nobody&problem=none", "/api/submissions/7/source",
                 "/api/submissions/7/events", "/api/problems", "/api/problems/vector-addition",
                 "/api/problems/vector-addition/board", "/api/problems/vector-addition/board?device=none",
                 "/api/health"):
        status, answer = judge.api("GET", path)
        assert status == (400 if "device=none" in path else 200), (path, status, str(answer)[:200])
    # Recording a result puts an entry into the middle of the board.
    done = judge.wait_done(judge.post((DEMO / "right.cu").read_text()))
    assert done["entries"] == 20001 and done["rank"], done


def test_the_watchdog_sees(judge):
    """With a limit of 1 us every call is logged, so that silence above means something."""
    judge.env["WARPJUDGE_LOOP_LIMIT_US"] = "1"
    judge.start()
    assert judge.api("GET", "/api/health")[0] == 200
    held = "the event loop was held"
    judge.stop()
    text = judge.log.read_text()
    assert any(held in line and "/api/health" in line for line in text.splitlines()), text
    judge.log.write_text(text.replace(held, "held"))  # it was meant, so that the harness lets it pass
