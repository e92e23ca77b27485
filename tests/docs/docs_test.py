"""man/ and completions/ are fresh and work: docs_test.py GENERATOR (the h2park_docs executable)."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GENERATOR = None
BASH = ROOT / "completions" / "h2park.bash"
FISH = ROOT / "completions" / "h2park.fish"
ZSH = ROOT / "completions" / "_h2park"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for part in ("man", "completions")
        for path in (folder / part).iterdir()
    }


class Generated(unittest.TestCase):
    def test_are_fresh(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([GENERATOR, folder], check=True)
            made, kept = tree(pathlib.Path(folder)), tree(ROOT)
        self.assertEqual(sorted(made), sorted(kept))
        for name in made:
            self.assertEqual(kept[name], made[name], f"{name} is stale: run tools/docs")


class ManPages(unittest.TestCase):
    def pages(self):
        found = sorted((ROOT / "man").glob("*.1"))
        self.assertTrue(found)
        return found

    def test_render_without_warnings(self):
        for page in self.pages():
            done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    def test_show_options_as_one_types_them(self):
        shown = run("man", "-E", "ascii", "-l", str(ROOT / "man" / "h2park-serve.1"), env={"MANWIDTH": "80", "PATH": "/usr/bin:/bin"})
        text = re.sub(".\b", "", shown.stdout)
        for option in ("--park=on|off", "-l, --listen HOST:PORT", "--access-log off|text|json"):
            self.assertIn("\n       " + option + "\n", text)

    def test_name_pages_that_exist(self):
        names = {page.stem for page in self.pages()}
        for page in self.pages():
            for named in re.findall(r"\\fB(h2park[\\\-a-z]*)\\fR\(1\)", page.read_text()):
                self.assertIn(named.replace("\\", ""), names)


class BashCompletion(unittest.TestCase):
    def complete(self, *words, folder=None):
        """What bash offers for the last word."""
        script = (
            f'source "{BASH}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _h2park; '
            '((${#COMPREPLY[@]})) && printf "%s\\n" "${COMPREPLY[@]}"; exit 0'
        )
        done = run("bash", "-u", "-c", script, "bash", "h2park", *words, cwd=folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_is_valid(self):
        self.assertEqual(run("bash", "-n", str(BASH)).stderr, "")

    def test_is_registered(self):
        done = run("bash", "-c", f'source "{BASH}"; complete -p h2park')
        self.assertIn("-F _h2park h2park", done.stdout)

    def test_offers_commands(self):
        self.assertEqual(self.complete("s"), ["serve", "stat"])
        self.assertEqual(self.complete("se"), ["serve"])
        self.assertEqual(self.complete("--v"), ["--version"])

    def test_offers_a_commands_options(self):
        self.assertEqual(self.complete("serve", "--park"), ["--park", "--park-after"])
        self.assertEqual(self.complete("stat", "--f"), ["--format", "--fields"])
        self.assertEqual(self.complete("serve", "--listen", "1", "--tls"), ["--tls-listen"])

    def test_offers_choices_in_both_spellings(self):
        self.assertEqual(self.complete("serve", "--park", ""), ["on", "off"])
        self.assertEqual(self.complete("serve", "--park", "="), ["on", "off"])
        self.assertEqual(self.complete("serve", "--park", "=", "of"), ["off"])
        self.assertEqual(self.complete("serve", "--access-log", "j"), ["json"])
        self.assertEqual(self.complete("stat", "-f", ""), ["text", "json", "prom"])

    def test_offers_options_behind_one_that_may_lack_its_value(self):
        self.assertEqual(self.complete("stat", "--watch", "--co"), ["--count"])

    def test_offers_files_and_directories(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "public site").mkdir()
            (pathlib.Path(folder) / "private.pem").touch()
            self.assertEqual(sorted(self.complete("serve", "--cert", "p", folder=folder)), ["private.pem", "public site"])
            self.assertEqual(self.complete("serve", "--root", "p", folder=folder), ["public site"])

    def test_offers_nothing_for_a_number_or_an_address(self):
        self.assertEqual(self.complete("serve", "--threads", ""), [])
        self.assertEqual(self.complete("serve", "-l", ""), [])


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class ZshCompletion(unittest.TestCase):
    def test_is_valid(self):
        self.assertEqual(run("zsh", "-n", str(ZSH)).stderr, "")

    def test_gives_arguments_what_it_understands(self):
        calls = re.sub(r"^#.*\n", "", ZSH.read_text(), flags=re.M).rsplit("_h2park ", 1)[0]
        script = (
            calls + "\n_describe() { print commands $commands }\n"
            '_arguments() { state=arguments line=(serve); print -rl -- "$@" }\n_h2park\n'
        )
        done = run("zsh", "-f", "-c", script)
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, r"\n\*--listen=\[Accept HTTP/2 .*\]:HOST\\:PORT: \n")
        self.assertIn("\n--park=[Park idle connections]:on|off:(on off)\n", done.stdout)
        self.assertRegex(done.stdout, r"\n--root=\[.*\]:DIR:_files -/\n")


@unittest.skipUnless(shutil.which("fish"), "no fish")
class FishCompletion(unittest.TestCase):
    def complete(self, line):
        with tempfile.TemporaryDirectory() as home:
            done = run("fish", "-N", "-c", f'source "{FISH}"; complete -C "{line}"', env={"HOME": home, "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.stderr, "")
        return [offer.split("\t")[0] for offer in done.stdout.splitlines()]

    def test_offers_commands_and_options(self):
        self.assertEqual(self.complete("h2park s"), ["serve", "stat"])
        self.assertEqual(self.complete("h2park serve --park"), ["--park", "--park-after"])
        self.assertEqual(self.complete("h2park serve --access-log "), ["json", "off", "text"])
        self.assertEqual(self.complete("h2park stat -f "), ["json", "prom", "text"])
        self.assertEqual(self.complete("h2park stat --watch --co"), ["--count"])


if __name__ == "__main__":
    GENERATOR = sys.argv.pop(1)
    unittest.main()
