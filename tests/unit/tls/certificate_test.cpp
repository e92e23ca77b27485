#include "tls/certificate.hpp"

#include "support/certificate_files.hpp"
#include "support/tls_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <fstream>

namespace h2park::tls {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Certificate : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return files_.file(name); }
  void write_pair(const std::string& name, const KeyPtr& key, const char* passphrase = nullptr) {
    files_.write_pair(name, key, passphrase);
  }
  static KeyPtr ec_key() { return CertificateFiles::ec_key(); }
  static KeyPtr rsa_key() { return CertificateFiles::rsa_key(); }

  auto load(const std::string& certificate, const std::string& key) {
    return ServerContext::from_files(file(certificate), file(key), std::make_shared<TicketKeys>());
  }
  std::string refusal(const std::string& certificate, const std::string& key) {
    const auto context = load(certificate, key);
    if (context) return "it was loaded";
    EXPECT_EQ(context.error().exit, Error::Exit::kFailure);
    EXPECT_EQ(context.error().message.find('\n'), std::string::npos);
    return context.error().message;
  }

  CertificateFiles files_;
};

TEST_F(Certificate, FromFilesServes) {
  write_pair("ec", ec_key());
  write_pair("rsa", rsa_key());
  for (const std::string name : {"ec", "rsa"}) {
    const auto context = load(name + ".crt", name + ".key");
    ASSERT_TRUE(context) << context.error().message;
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      Link link(**context, {.version = version});
      EXPECT_TRUE(link.handshake()) << name;
    }
  }
}

TEST_F(Certificate, ServesItsWholeChain) {
  write_pair("a", ec_key());
  write_pair("b", ec_key());
  std::ofstream(file("a.crt"), std::ios::app) << std::ifstream(file("b.crt")).rdbuf();
  const auto context = load("a.crt", "a.key");
  ASSERT_TRUE(context);
  Link link(**context);
  ASSERT_TRUE(link.handshake());
  EXPECT_EQ(sk_X509_num(SSL_get_peer_cert_chain(link.client.ssl())), 2);
}

TEST_F(Certificate, NamesTheFileThatCannotBeRead) {
  write_pair("a", ec_key());
  EXPECT_EQ(refusal("no.crt", "a.key"),
            "cannot read certificate '" + file("no.crt") + "': No such file or directory");
  EXPECT_EQ(refusal("a.crt", "no.key"),
            "cannot read key '" + file("no.key") + "': No such file or directory");
  std::filesystem::create_directory(file("dir"));
  EXPECT_EQ(refusal("dir", "a.key"), "cannot read certificate '" + file("dir") + "': Is a directory");
  EXPECT_EQ(refusal("a.crt", "dir"), "cannot read key '" + file("dir") + "': Is a directory");
}

TEST_F(Certificate, NamesTheFileThatIsNone) {
  write_pair("a", ec_key());
  std::ofstream(file("text")) << "not a certificate\n";
  std::ofstream(file("empty"));
  for (const std::string name : {"text", "empty"}) {
    EXPECT_EQ(refusal(name, "a.key"), "cannot read certificate '" + file(name) +
                                          "': no start line (there is no PEM certificate in it)");
    EXPECT_THAT(refusal("a.crt", name), StartsWith("cannot read key '" + file(name) + "': "));
    EXPECT_THAT(refusal("a.crt", name), HasSubstr("there is no PEM private key in it"));
  }
  // Each in the other's place.
  EXPECT_THAT(refusal("a.key", "a.key"), StartsWith("cannot read certificate '" + file("a.key") + "': "));
  EXPECT_THAT(refusal("a.crt", "a.crt"), StartsWith("cannot read key '" + file("a.crt") + "': "));
}

TEST_F(Certificate, NamesAKeyThatDoesNotMatch) {
  write_pair("a", ec_key());
  write_pair("b", ec_key());
  write_pair("rsa", rsa_key());
  EXPECT_EQ(refusal("a.crt", "b.key"), "key '" + file("b.key") + "' does not match certificate '" +
                                           file("a.crt") + "': key values mismatch");
  EXPECT_EQ(refusal("a.crt", "rsa.key"), "key '" + file("rsa.key") + "' does not match certificate '" +
                                             file("a.crt") + "': different key types");
}

TEST_F(Certificate, DoesNotAskForAPassphrase) {
  write_pair("a", ec_key(), "secret");
  EXPECT_EQ(refusal("a.crt", "a.key"),
            "cannot read key '" + file("a.key") + "': it is encrypted with a passphrase");
}

TEST_F(Certificate, HasTheFingerprintThatTheOpensslCommandPrints) {
  write_pair("a", ec_key());
  const auto context = load("a.crt", "a.key");
  ASSERT_TRUE(context);
  const std::string command = "openssl x509 -noout -fingerprint -sha256 -in '" + file("a.crt") + "'";
  FILE* output = ::popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  char line[200] = "";
  ASSERT_NE(std::fgets(line, sizeof line, output), nullptr);
  EXPECT_EQ(::pclose(output), 0);
  EXPECT_THAT(std::string(line), testing::EndsWith("=" + (*context)->fingerprint() + "\n"));
  EXPECT_EQ((*context)->fingerprint().size(), 95U);
}

class SelfSigned : public testing::Test {
 protected:
  std::shared_ptr<ServerContext> context_ =
      ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  X509* certificate_ = SSL_CTX_get0_certificate(context_->native());
};

TEST_F(SelfSigned, IsForThisMachineOnly) {
  EXPECT_EQ(X509_check_host(certificate_, "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate_, "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate_, "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate_, "example.org", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(certificate_, "127.0.0.2", 0), 0);
}

TEST_F(SelfSigned, IsValidNowAndForAYear) {
  int days = 0;
  int seconds = 0;
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(certificate_)), 0);
  ASSERT_EQ(
      ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate_), X509_get0_notAfter(certificate_)),
      1);
  EXPECT_EQ(days, 365);
}

TEST_F(SelfSigned, IsTrustedByAClientThatWasGivenIt) {
  Link link(*context_, {.server_name = "localhost"});
  SSL_CTX* client = SSL_get_SSL_CTX(link.client.ssl());
  ASSERT_EQ(X509_STORE_add_cert(SSL_CTX_get_cert_store(client), certificate_), 1);
  SSL_set_verify(link.client.ssl(), SSL_VERIFY_PEER, nullptr);
  ASSERT_EQ(SSL_set1_host(link.client.ssl(), "localhost"), 1);
  EXPECT_TRUE(link.handshake()) << link.client.reason();
  EXPECT_EQ(SSL_get_verify_result(link.client.ssl()), X509_V_OK);
}

TEST_F(SelfSigned, IsAnotherOneEachTime) {
  const auto other = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  EXPECT_NE(other->fingerprint(), context_->fingerprint());
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(certificate_),
                             X509_get0_serialNumber(SSL_CTX_get0_certificate(other->native()))),
            0);
}

}  // namespace
}  // namespace h2park::tls
