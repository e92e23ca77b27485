#include "support/certificate_files.hpp"

#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstdlib>

namespace h2park::tls {

CertificateFiles::CertificateFiles() {
  std::string pattern = std::filesystem::temp_directory_path() / "h2park-XXXXXX";
  directory_ = ::mkdtemp(pattern.data());
}

CertificateFiles::~CertificateFiles() { std::filesystem::remove_all(directory_); }

KeyPtr CertificateFiles::rsa_key() { return KeyPtr(EVP_RSA_gen(2048)); }

void CertificateFiles::write_pair(const std::string& name, const KeyPtr& key, const char* passphrase) const {
  const CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  if (X509_sign(certificate.get(), key.get(), EVP_sha256()) <= 0) std::abort();
  const BioPtr crt(BIO_new_file(file(name + ".crt").c_str(), "w"));
  PEM_write_bio_X509(crt.get(), certificate.get());
  const BioPtr pem(BIO_new_file(file(name + ".key").c_str(), "w"));
  const EVP_CIPHER* cipher = passphrase != nullptr ? EVP_aes_128_cbc() : nullptr;
  PEM_write_bio_PrivateKey(pem.get(), key.get(), cipher, nullptr, 0, nullptr, const_cast<char*>(passphrase));
}

}  // namespace h2park::tls
