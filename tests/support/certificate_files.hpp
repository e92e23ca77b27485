// Certificates and keys as PEM files in a directory of their own, which goes with the object.
#pragma once

#include "tls/openssl.hpp"

#include <filesystem>
#include <string>

namespace h2park::tls {

class CertificateFiles {
 public:
  CertificateFiles();
  ~CertificateFiles();
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;

  std::string file(const std::string& name) const { return directory_ / name; }
  /// A certificate for `key` in NAME.crt, and the key in NAME.key (behind a passphrase if there is one).
  void write_pair(const std::string& name, const KeyPtr& key, const char* passphrase = nullptr) const;

  static KeyPtr ec_key() { return KeyPtr(EVP_EC_gen("P-256")); }
  static KeyPtr rsa_key();

 private:
  std::filesystem::path directory_;
};

}  // namespace h2park::tls
