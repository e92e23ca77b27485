"""TLS to the server, and certificates for it."""

import hashlib
import os
import ssl
import subprocess

from harness.h1 import Http1Client
from harness.h2 import Http2Client
from harness.stats import connect
from harness.wait import TIMEOUT


def make_certificate(directory, name="server"):
    """Paths of a new certificate for localhost and of its key."""
    certificate, key = (os.path.join(directory, f"{name}.{kind}") for kind in ("crt", "key"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


def client_context(alpn=("h2",), version=None, ciphers=None):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if alpn:
        context.set_alpn_protocols(list(alpn))
    if version is not None:
        context.minimum_version = context.maximum_version = version
    if ciphers:
        context.set_ciphers(ciphers)
    return context


def tls_connect(address, alpn=("h2",), timeout=TIMEOUT, **more):
    return client_context(alpn, **more).wrap_socket(connect(address, timeout), server_hostname="localhost")


def tls_h2(address, **more):
    sock = tls_connect(address, ("h2",), **more)
    assert sock.selected_alpn_protocol() == "h2"
    return Http2Client(None, sock)


def tls_h1(address, alpn=("http/1.1",), **more):
    return Http1Client(None, tls_connect(address, alpn, **more))


def fingerprint(address):
    """SHA-256 of the certificate the server shows, as it prints it."""
    with tls_connect(address) as sock:
        digest = hashlib.sha256(sock.getpeercert(binary_form=True)).hexdigest().upper()
    return ":".join(digest[i:i + 2] for i in range(0, 64, 2))
