"""Terminal: a shell in a tmux of its own, to see what a person would see."""

import os
import shlex
import subprocess
import tempfile

from harness.wait import TIMEOUT, wait_until


class Terminal:
    """Use it with `with`. `env`: what is set beside the test's own environment; None removes a variable."""

    def __init__(self, columns=80, rows=24, **env):
        self._directory = tempfile.TemporaryDirectory(prefix="h2park-tmux-")
        self._socket = os.path.join(self._directory.name, "tmux")
        wanted = {"LC_ALL": "C.UTF-8", "NO_COLOR": None, "PS1": "$ ", "PROMPT_COMMAND": None, **env}
        words = [word for name, value in wanted.items() if value is None for word in ("-u", name)]
        words += [f"{name}={value}" for name, value in wanted.items() if value is not None]
        shell = shlex.join(["env", *words, "bash", "--norc", "--noprofile"])
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), shell)
        self.want("$", "the shell is ready")
        self._before = self._settings("before")
        self.press("C-l")

    def _tmux(self, *words):
        env = {name: value for name, value in os.environ.items() if name != "TMUX"}
        done = subprocess.run(["tmux", "-u", "-S", self._socket, *words], capture_output=True, text=True,
                              timeout=TIMEOUT, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _ask(self, what):
        return self._tmux("display-message", "-p", "#{" + what + "}").strip()

    def run(self, *command):
        """Types a command line; words are quoted."""
        self._tmux("send-keys", "-l", shlex.join(map(str, command)))
        self._tmux("send-keys", "Enter")

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def press(self, *keys):
        """Keys by tmux's names: "q", "C-c", "Enter"."""
        self._tmux("send-keys", *keys)

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self, escapes=False):
        return self._tmux("capture-pane", "-p", *(["-e"] if escapes else []))

    def lines(self):
        return self.screen().split("\n")

    def want(self, wanted, what=None):
        """Until the screen has a text, or a function of the screen is true; returns the screen."""
        predicate = wanted if callable(wanted) else lambda screen: wanted in screen
        latest = [""]

        def holds():
            latest[0] = self.screen()
            return predicate(latest[0])
        try:
            wait_until(holds, what or f"the screen has {wanted!r}", every=0.05)
        except AssertionError as failure:
            raise AssertionError(f"{failure}\n{latest[0]}") from None
        return latest[0]

    @property
    def program(self):
        """The pid of what runs in the shell."""
        shell = self._ask("pane_pid")

        def child():
            with open(f"/proc/{shell}/task/{shell}/children") as children:
                return children.read().split()
        return int(wait_until(child, "a program runs")[0])

    @property
    def in_full_screen(self):
        return self._ask("alternate_on") == "1"

    @property
    def cursor_visible(self):
        return self._ask("cursor_flag") == "1"

    def want_restored(self):
        """The program is gone, the shell's own screen and cursor are back, and it treats input and output as before."""
        wait_until(lambda: not self.in_full_screen, "the screen is the shell's again")
        wait_until(lambda: self.cursor_visible, "the cursor is visible")
        assert self._settings("after") == self._before

    def _settings(self, name):
        """How the terminal treats input and output while a program runs."""
        path = os.path.join(self._directory.name, name)
        self.type(f"stty -g > {path}.new; mv {path}.new {path}")
        self.press("Enter")
        wait_until(lambda: os.path.exists(path), "stty has answered")
        with open(path) as file:
            return file.read()

    def close(self):
        # The server ends with its only session.
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, timeout=TIMEOUT)
        self._directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
