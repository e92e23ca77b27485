#include "tls/client_context.hpp"

#include "client_peer.hpp"
#include "tls/client_sessions.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>

namespace h2park::tls {
namespace {

class ClientContextErrors : public testing::Test {
 protected:
  std::string error_of(const ClientOptions& options) {
    const auto made = ClientContext::make(options);
    return made ? "none" : made.error().message;
  }
  CertificateFiles files;
};

TEST_F(ClientContextErrors, NameTheCaFileAtFault) {
  EXPECT_EQ(error_of({.ca_file = files.file("no")}),
            "cannot read CA certificates '" + files.file("no") + "': No such file or directory");
  EXPECT_EQ(error_of({.ca_file = files.file("")}),
            "cannot read CA certificates '" + files.file("") + "': Is a directory");
  std::ofstream(files.file("text")) << "hello\n";
  EXPECT_EQ(error_of({.ca_file = files.file("text")}),
            "cannot read CA certificates '" + files.file("text") + "': no certificate or crl found");
  // A mistake without verification too.
  EXPECT_NE(error_of({.verify = false, .ca_file = files.file("no")}), "none");
}

TEST_F(ClientContextErrors, NameTheCaDirectoryAtFault) {
  EXPECT_EQ(error_of({.ca_directory = files.file("no")}),
            "cannot read CA certificates in '" + files.file("no") + "': No such file or directory");
  std::ofstream(files.file("text")) << "hello\n";
  EXPECT_EQ(error_of({.ca_directory = files.file("text")}),
            "cannot read CA certificates in '" + files.file("text") + "': Not a directory");
}

TEST_F(ClientContextErrors, NameTheCertificateOrKeyAtFault) {
  const Identity one;
  const Identity two;
  one.write(files.file("one.pem"));
  two.write(files.file("two.pem"));
  EXPECT_EQ(error_of({.certificate = files.file("one.pem")}), "none");
  EXPECT_EQ(error_of({.certificate = files.file("one.pem"), .key = files.file("one.pem")}), "none");
  EXPECT_EQ(error_of({.certificate = files.file("no")}),
            "cannot read certificate '" + files.file("no") + "': No such file or directory");
  EXPECT_TRUE(error_of({.certificate = files.file("one.pem"), .key = files.file("two.pem")})
                  .starts_with("key '" + files.file("two.pem") + "' does not match certificate '" +
                               files.file("one.pem")));
}

SessionPtr session_of(int version, long age = 0) {
  SessionPtr session(SSL_SESSION_new());
  SSL_SESSION_set_protocol_version(session.get(), version);
  const std::array<unsigned char, 4> id{1, 2, 3, 4};
  SSL_SESSION_set1_id(session.get(), id.data(), id.size());
  SSL_SESSION_set_timeout(session.get(), 100);
  SSL_SESSION_set_time(session.get(), std::time(nullptr) - age);
  return session;
}

TEST(ClientSessions, GivesTheNewestOfAServerAndEachOfTls13Once) {
  ClientSessions sessions;
  const SSL_SESSION* first = nullptr;
  const SSL_SESSION* second = nullptr;
  for (const SSL_SESSION** which : {&first, &second}) {
    SessionPtr session = session_of(TLS1_3_VERSION);
    *which = session.get();
    sessions.put("a:443", std::move(session));
  }
  EXPECT_EQ(sessions.take("b:443"), nullptr);
  EXPECT_EQ(sessions.take("a:443").get(), second);
  EXPECT_EQ(sessions.take("a:443").get(), first);
  EXPECT_EQ(sessions.take("a:443"), nullptr);
}

TEST(ClientSessions, GivesOneOfTls12Again) {
  ClientSessions sessions;
  sessions.put("a:443", session_of(TLS1_2_VERSION));
  EXPECT_NE(sessions.take("a:443"), nullptr);
  EXPECT_NE(sessions.take("a:443"), nullptr);
}

TEST(ClientSessions, ForgetsWhatNoLongerHolds) {
  ClientSessions sessions;
  sessions.put("a:443", session_of(TLS1_3_VERSION, 101));
  sessions.put("b:443", session_of(TLS1_2_VERSION, 101));
  EXPECT_EQ(sessions.take("a:443"), nullptr);
  EXPECT_EQ(sessions.take("b:443"), nullptr);
  EXPECT_EQ(sessions.size(), 0U);
}

TEST(ClientSessions, KeepsAFewPerServerAndNotManyInAll) {
  ClientSessions sessions;
  sessions.put("first:443", session_of(TLS1_3_VERSION));
  for (std::size_t i = 0; i < 2 * ClientSessions::kPerServer; ++i) {
    sessions.put("a:443", session_of(TLS1_3_VERSION));
  }
  EXPECT_EQ(sessions.size(), ClientSessions::kPerServer + 1);
  for (std::size_t i = 0; i < 2 * ClientSessions::kInAll; ++i) {
    sessions.put(std::to_string(i), session_of(TLS1_3_VERSION));
  }
  EXPECT_EQ(sessions.size(), ClientSessions::kInAll);
  EXPECT_EQ(sessions.take("first:443"), nullptr);
}

}  // namespace
}  // namespace h2park::tls
