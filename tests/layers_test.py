"""Compares every #include in lib/ and cmd/ with the layers, and keeps nghttp2 and OpenSSL inside their folders."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A file includes its own folder and lower levels only; siblings never include each other.
LEVELS = {
    "base": 0,
    "stats": 1,
    "net": 2, "http": 2, "freezer": 2,
    "tls": 3,
    "http1": 4, "http2": 4, "handlers": 4,
    "server": 5, "client": 5, "bench": 5, "readout": 5,
    "cmd": 6,
}  # fmt: skip

# Who may name a library in its code (comments may name anything).
LIBRARIES = {
    "nghttp2": ({"http2"}, re.compile(r"nghttp2", re.I)),
    "OpenSSL": ({"tls"}, re.compile(r"<openssl/|\b(?:SSL|EVP|X509|BIO|ERR|CRYPTO|RAND|OPENSSL|PEM)_[A-Za-z]\w*|\bSSL\s*\*")),
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
COMMENT_OR_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)


def without_comments(text):
    return COMMENT_OR_STRING.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)


def violations(folder, text):
    """What in `text`, a file of lib/`folder` (or of cmd), breaks the layers."""
    code = without_comments(text)
    found = []
    for path in INCLUDE.findall(code):
        target = path.split("/")[0]
        if "/" not in path or target not in LEVELS:
            found.append(f'"{path}" is not written "folder/file.hpp"')
        elif target != folder and LEVELS[target] >= LEVELS[folder]:
            found.append(f'{folder} may not include "{path}"')
    for library, (owners, pattern) in LIBRARIES.items():
        if folder not in owners and (name := pattern.search(code)):
            found.append(f"{folder} names {library}: {name[0]}")
    return found


def sources():
    """(layer, path) of every source file."""
    for path in sorted([*ROOT.glob("lib/**/*.[ch]pp"), *ROOT.glob("cmd/**/*.[ch]pp")]):
        parts = path.relative_to(ROOT).parts
        yield ("cmd" if parts[0] == "cmd" else parts[1]), path


class TheTree(unittest.TestCase):
    def test_keeps_the_layers(self):
        wrong = [
            f"{path.relative_to(ROOT)}: {what}"
            for folder, path in sources()
            for what in violations(folder, path.read_text())
        ]
        self.assertEqual(wrong, [])

    def test_has_no_folder_without_a_level(self):
        self.assertEqual({folder for folder, _ in sources()} - LEVELS.keys(), set())

    def test_includes_only_files_that_exist(self):
        missing = [
            f"{path.relative_to(ROOT)}: {included}"
            for _, path in sources()
            for included in INCLUDE.findall(without_comments(path.read_text()))
            if not (ROOT / "lib" / included).is_file() and not (ROOT / included).is_file()
        ]
        self.assertEqual(missing, [])

    def test_is_found_at_all(self):
        self.assertGreater(sum(1 for _ in sources()), 20)


class TheCheck(unittest.TestCase):
    def test_accepts_lower_layers_and_the_own_folder(self):
        self.assertEqual(violations("server", '#include "http2/session.hpp"\n#include "server/gate.hpp"\n'), [])
        self.assertEqual(violations("cmd", '#include "server/options.hpp"\n#include "readout/reader.hpp"\n'), [])

    def test_catches_an_upward_include(self):
        self.assertEqual(
            violations("http2", '#include <vector>\n  # include "server/gate.hpp"\n'),
            ['http2 may not include "server/gate.hpp"'],
        )

    def test_catches_a_sibling(self):
        for folder, sibling in (("http1", "http2"), ("server", "readout"), ("net", "http")):
            self.assertEqual(len(violations(folder, f'#include "{sibling}/x.hpp"\n')), 1)

    def test_catches_an_include_without_its_folder(self):
        self.assertEqual(len(violations("server", '#include "gate.hpp"\n')), 1)
        self.assertEqual(len(violations("server", '#include "../http/fields.hpp"\n')), 1)

    def test_catches_nghttp2_outside_http2(self):
        self.assertEqual(len(violations("server", "#include <nghttp2/nghttp2.h>\n")), 1)
        self.assertEqual(len(violations("cmd", "auto* info = nghttp2_version(0);\n")), 1)
        self.assertEqual(violations("http2", "auto* info = nghttp2_version(0);\n"), [])

    def test_catches_openssl_outside_tls(self):
        for code in ("#include <openssl/ssl.h>\n", "SSL_read(a, b, 1);\n", "void f(SSL* ssl);\n", "ERR_clear_error();"):
            self.assertEqual(len(violations("server", code)), 1, code)
            self.assertEqual(violations("tls", code), [], code)

    def test_lets_comments_name_anything(self):
        text = '// nghttp2 keeps it; see SSL_read\n/* #include "server/gate.hpp" */\nint x;  // "bench/y.hpp"\n'
        self.assertEqual(violations("http", text), [])

    def test_is_not_blinded_by_a_slash_in_a_string(self):
        self.assertEqual(len(violations("server", 'auto url = "https://x"; SSL_read(a, b, 1);\n')), 1)


if __name__ == "__main__":
    unittest.main()
