"""Browser: Debian's Chromium without a window, driven by playwright-core."""

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.wait import TIMEOUT

HERE = Path(__file__).resolve().parent.parent / "browser"
# One copy for all builds and tests of a tree.
MODULES = HERE.parents[2] / "build" / "npm"


def modules():
    """The folder with playwright-core, which npm puts there the first time. Skips the test where it can't."""
    for program in ("node", "npm", "chromium"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    MODULES.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package-lock.json").read_text()
    stamp = MODULES / "installed.json"
    with open(MODULES / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, MODULES)
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=MODULES,
                                  capture_output=True, text=True, timeout=240)
            if done.returncode != 0:
                message = f"npm could not install playwright-core: {done.stderr.strip()[-400:]}"
                # Where tests must not be passed over, a registry out of reach is a failure.
                if os.environ.get("CI"):
                    pytest.fail(message)
                pytest.skip(message)
            stamp.write_text(wanted)
    return MODULES


class Browser:
    def __init__(self):
        self._process = subprocess.Popen(
            ["node", HERE / "driver.mjs", modules(), shutil.which("chromium")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _do(self, name, **given):
        self._process.stdin.write(json.dumps({"name": name, **given}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the browser's driver ended"
        answer = json.loads(line)
        assert "error" not in answer, f"{name}: {answer['error']}"
        return answer["value"]

    def open(self, url, width=1280, height=800, dark=False, still=False, scale=1, phone=False):
        """The status of the answer."""
        return self._do("open", url=url, options={
            "viewport": {"width": width, "height": height}, "colorScheme": "dark" if dark else "light",
            "reducedMotion": "reduce" if still else "no-preference", "deviceScaleFactor": scale, "hasTouch": phone})

    def evaluate(self, code):
        return self._do("evaluate", code=code)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def want(self, code, timeout=TIMEOUT):
        """Waits until the expression is true in the page; its value."""
        return self._do("wait", code=code, timeout=timeout * 1000)

    def want_text(self, selector, text, timeout=TIMEOUT):
        try:
            self.want(f"document.querySelector({json.dumps(selector)}).textContent === {json.dumps(text)}", timeout)
        except AssertionError:
            raise AssertionError(f"{selector} says {self.text(selector)!r}, not {text!r}") from None

    def screenshot(self, path, full=False):
        self._do("screenshot", path=str(path), full=full)

    def hover(self, selector, x, y):
        self._do("hover", selector=selector, position={"x": x, "y": y})

    def click(self, selector):
        self._do("click", selector=selector)

    @property
    def complaints(self):
        """What its console has, but for advice about reading pixels, which is what tests do."""
        return [text for text in self._do("complaints") if "willReadFrequently" not in text]

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
