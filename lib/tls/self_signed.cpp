#include "tls/certificate.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <chrono>

namespace h2park::tls {
namespace {

constexpr std::chrono::seconds kValidFor = std::chrono::days(365);
// Clients' clocks differ a little from ours.
constexpr std::chrono::seconds kSlack = std::chrono::hours(1);

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, FreeWith<BN_free>>;

bool add_extension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_nconf_nid(nullptr, &context, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

/// Random: two certificates of one issuer name with one serial number make browsers refuse the second.
bool set_serial(X509* certificate) {
  constexpr int kBits = 127;  // RFC 5280 4.1.2.2: positive, at most 20 octets
  const NumberPtr number(BN_new());
  return number && BN_rand(number.get(), kBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_names(X509* certificate) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* common = reinterpret_cast<const unsigned char*>("localhost");
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1;
}

bool set_validity(X509* certificate) {
  return X509_gmtime_adj(X509_getm_notBefore(certificate), -kSlack.count()) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), (kValidFor - kSlack).count()) != nullptr;
}

bool fill(X509* certificate, EVP_PKEY* key) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         set_names(certificate) && set_validity(certificate) && X509_set_pubkey(certificate, key) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
}

}  // namespace

Result<> use_self_signed(SSL_CTX* context) {
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate(X509_new());
  const bool made = key && certificate && fill(certificate.get(), key.get()) &&
                    X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0 &&
                    SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
                    SSL_CTX_use_PrivateKey(context, key.get()) == 1;
  if (!made) return fail("cannot make a self-signed certificate: " + take_reason());
  return {};
}

}  // namespace h2park::tls
