"""What Prometheus' own check says of the metrics."""
import subprocess

from harness import BACKSTOP_S, DEMO, ROOT

SLOW = "it fetches a large package, of which it uses one program"
NEEDS = "promtool"


def test_promtool_finds_nothing_wrong(judge):
    judge.start()
    calibration = judge.home / "calibration"
    calibration.mkdir()
    rates = {"copy_bytes_per_ns": 1, "read_bytes_per_ns": 1, "fp32_per_ns": 1}
    (calibration / "GPU-1a.json").write_text(str({"entries": [rates] * 7}).replace("'", '"'))
    judge.wait_done(judge.post((DEMO / "right.cu").read_text()))
    status, text = judge.api("GET", "/metrics")
    assert status == 200 and 'warpjudge_calibration_measurements{gpu="GPU-1a"} 7' in text, text
    run = subprocess.run([ROOT / "build/tools/promtool", "check", "metrics"], input=text, capture_output=True, text=True,
                         timeout=BACKSTOP_S)
    assert run.returncode == 0 and not run.stdout + run.stderr, run
    # It does find what is wrong.
    run = subprocess.run([ROOT / "build/tools/promtool", "check", "metrics"], capture_output=True, text=True,
                         input=text.replace("warpjudge_verdicts_total", "warpjudge_verdicts"), timeout=BACKSTOP_S)
    assert run.returncode != 0, run
