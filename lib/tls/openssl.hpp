// OpenSSL's objects with owners, and its error queue as text. For lib/tls only: nothing above names OpenSSL.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

namespace h2park::tls {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

using SslPtr = std::unique_ptr<SSL, FreeWith<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, FreeWith<X509_free>>;

/// The reason of one error code: a constant of the library or of the C library, so nothing is allocated.
std::string_view reason_text(unsigned long code);
/// Empties the calling thread's error queue. Its entries go from the cause to where it was noticed; the first
/// that speaks of TLS says most ("decryption failed or bad record mac" after a cipher's "operation failed"),
/// else the first of all. 0 if the queue was empty.
unsigned long take_cause();
/// reason_text(take_cause()).
std::string take_reason();

}  // namespace h2park::tls
