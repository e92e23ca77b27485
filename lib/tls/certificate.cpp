#include "tls/certificate.hpp"

#include "tls/pem_file.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>

namespace h2park::tls {
namespace {

/// Instead of asking at the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Result<KeyPtr> read_key(const std::string& path) {
  const std::string what = "cannot read key " + quoted(path);
  if (auto readable = check_readable(what, path); !readable) return std::unexpected(readable.error());
  ERR_clear_error();
  const BioPtr file(BIO_new_file(path.c_str(), "r"));
  if (!file) return fail(what + ": " + take_reason());
  bool asked = false;
  KeyPtr key(PEM_read_bio_PrivateKey(file.get(), nullptr, &no_passphrase, &asked));
  if (key) return key;
  if (asked) {
    ERR_clear_error();
    return fail(what + ": it is encrypted with a passphrase");
  }
  return fail(what + ": " + pem_reason("private key"));
}

}  // namespace

Result<> use_files(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  const std::string what = "cannot read certificate " + quoted(certificate);
  if (auto readable = check_readable(what, certificate); !readable) return readable;
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return fail(what + ": " + pem_reason("certificate"));
  }
  const auto private_key = read_key(key);
  if (!private_key) return std::unexpected(private_key.error());
  const std::string mismatch = "key " + quoted(key) + " does not match certificate " + quoted(certificate);
  if (X509_check_private_key(SSL_CTX_get0_certificate(context), private_key->get()) != 1) {
    return fail(mismatch + ": " + take_reason());
  }
  if (SSL_CTX_use_PrivateKey(context, private_key->get()) != 1) {
    return fail("cannot use key " + quoted(key) + ": " + take_reason());
  }
  return {};
}

std::string fingerprint_of(const SSL_CTX* context) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const X509* certificate = SSL_CTX_get0_certificate(context);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int bytes = 0;
  if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), digest.data(), &bytes) != 1) return {};
  std::string text;
  for (unsigned int i = 0; i < bytes; ++i) {
    if (i > 0) text += ':';
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace h2park::tls
