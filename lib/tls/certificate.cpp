#include "tls/certificate.hpp"

#include "net/unique_fd.hpp"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace h2park::tls {
namespace {

std::string quoted(const std::string& path) { return "'" + path + "'"; }

/// The system's reason, if the file can't be read at all: OpenSSL's own words for it are less plain.
Result<> check_readable(const std::string& what, const std::string& path) {
  const net::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_failure(what, errno);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return system_failure(what, errno);
  if (S_ISDIR(found.st_mode)) return system_failure(what, EISDIR);
  return {};
}

/// The library's reason, with a hint where that reads "no start line" or "unsupported".
std::string pem_reason(std::string_view expected) {
  const unsigned long cause = take_cause();
  const bool no_pem = (ERR_GET_LIB(cause) == ERR_LIB_PEM && ERR_GET_REASON(cause) == PEM_R_NO_START_LINE) ||
                      ERR_GET_REASON(cause) == ERR_R_UNSUPPORTED;
  return std::string(reason_text(cause)) +
         (no_pem ? " (there is no PEM " + std::string(expected) + " in it)" : "");
}

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
