"""Every header compiles alone: headers_test.py COMPILE_COMMANDS_JSON.

A header that its own .cpp file includes first is proven by the build. The others are compiled here, two at a time,
without generating code.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s+(\S+)', re.M)


def first_include(text):
    found = FIRST_INCLUDE.search(text)
    return found[1] if found else None


def include_name(header):
    """How files of the project write it."""
    parts = header.relative_to(ROOT).parts
    return "/".join(parts[1:] if parts[0] in ("lib", "tests") else parts)


def proven_by_the_build(header):
    source = header.with_suffix(".cpp")
    return source.is_file() and first_include(source.read_text()) == f'"{include_name(header)}"'


def compiler_and_flags(commands_file):
    """The command that compiles main.cpp, which sees every library, without its input and output."""
    for entry in json.loads(pathlib.Path(commands_file).read_text()):
        if entry["file"].endswith("cmd/main.cpp"):
            words = shlex.split(entry["command"])
            launcher = [at for at, word in enumerate(words) if os.path.basename(word) == "ccache"]
            words = words[launcher[0] + 1 :] if launcher else words
            end = words.index("-o")
            return [word for word in words[:end] if word != "-c"]
    raise SystemExit("no command for cmd/main.cpp in " + commands_file)


def compile_alone(flags, header_name):
    """Compiler's complaints about a file that includes only that header, twice (so that it needs a guard)."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as probe:
        probe.write(f'#include "{header_name}"\n#include "{header_name}"\n')
        probe.flush()
        done = subprocess.run([*flags, "-fsyntax-only", probe.name], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


class Headers(unittest.TestCase):
    flags = []

    def test_compile_alone(self):
        headers = sorted(
            header
            for folder in ("lib", "cmd", "tests/support")
            for header in (ROOT / folder).glob("**/*.hpp")
            if not proven_by_the_build(header)
        )
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = list(pool.map(lambda header: compile_alone(self.flags, include_name(header)), headers))
        for header, complaint in zip(headers, complaints):
            with self.subTest(header=include_name(header)):
                self.assertEqual(complaint, "")

    def test_with_a_source_file_are_its_first_include(self):
        wrong = [
            str(header.relative_to(ROOT))
            for folder in ("lib", "cmd", "tests/support")
            for header in sorted((ROOT / folder).glob("**/*.hpp"))
            if header.with_suffix(".cpp").is_file() and not proven_by_the_build(header)
        ]
        self.assertEqual(wrong, [])

    def test_that_lean_on_their_includer_are_caught(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "leans.hpp").write_text("#pragma once\nstd::string lean();\n")
            pathlib.Path(folder, "stands.hpp").write_text("#pragma once\n#include <string>\nstd::string stand();\n")
            flags = [*self.flags, "-I", folder]
            self.assertIn("string", compile_alone(flags, "leans.hpp"))
            self.assertEqual(compile_alone(flags, "stands.hpp"), "")


if __name__ == "__main__":
    Headers.flags = compiler_and_flags(sys.argv.pop(1)) + ["-I", str(ROOT), "-I", str(ROOT / "tests")]
    unittest.main()
