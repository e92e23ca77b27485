#include "tls/server_transport.hpp"

#include "net/listen_socket.hpp"
#include "openssl_memory.hpp"
#include "support/tls_client.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace h2park::tls {
namespace {

using net::IoResult;
using net::IoStatus;

/// Text in which no two places look alike, so that a lost or repeated piece shows.
std::string numbered_text(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ' ';
  text.resize(bytes);
  return text;
}

class TlsTransport : public testing::TestWithParam<int> {
 protected:
  TlsTransport() { EXPECT_TRUE(link.handshake()) << link.server.error_text(); }
  std::shared_ptr<ServerContext> context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  Link link{*context, {.version = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Tls, TlsTransport, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(TlsTransport, ReadsWhatThePeerSentThenWaits) {
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kWantRead);
  link.client.write("hello");
  link.carry();
  EXPECT_EQ(link.server_read(), "hello");
  EXPECT_EQ(link.status, IoStatus::kWantRead);
}

TEST_P(TlsTransport, ReadsARecordThatArrivesByteByByte) {
  link.client.write("hello");
  const std::string record = link.client.take_output();
  for (std::size_t i = 0; i + 1 < record.size(); ++i) {
    link.to_server(record.substr(i, 1));
    EXPECT_EQ(link.server_read(), "");
    EXPECT_EQ(link.status, IoStatus::kWantRead);
    // Part of a record is nothing to wait for inside: the rest makes the descriptor readable.
    EXPECT_FALSE(link.server.has_pending());
  }
  link.to_server(record.substr(record.size() - 1));
  EXPECT_EQ(link.server_read(), "hello");
}

TEST_P(TlsTransport, TellsThatDecryptedBytesWaitInside) {
  link.client.write("hello");
  link.client.write("again");
  link.carry();
  EXPECT_EQ(link.server.has_pending(), false);
  std::array<char, 3> room{};
  std::string text;
  bool pending = true;
  while (pending) {
    const IoResult result = link.server.read(std::as_writable_bytes(std::span(room)));
    ASSERT_EQ(result.status, IoStatus::kOk);
    text.append(room.data(), result.bytes);
    // Until all is taken: the socket is empty, so nobody else would tell.
    pending = link.server.has_pending();
    EXPECT_EQ(pending, text != "helloagain");
  }
  EXPECT_EQ(text, "helloagain");
}

TEST_P(TlsTransport, CarriesALargeBodyThroughATinySocketBuffer) {
  const int small = 4096;
  ASSERT_EQ(::setsockopt(link.server.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  const std::string body = numbered_text(300'000);
  std::string received;
  std::size_t sent = 0;
  int blocked = 0;
  int progress = 0;
  while (sent < body.size()) {
    const std::string moved = body.substr(sent);  // the same bytes at another address each time
    const IoResult result = link.server_write(moved);
    ASSERT_TRUE(result.status == IoStatus::kOk || result.status == IoStatus::kWantWrite)
        << link.server.error_text();
    EXPECT_EQ(result.status == IoStatus::kOk, result.bytes > 0);
    sent += result.bytes;
    ++(result.status == IoStatus::kOk ? progress : blocked);
    if (result.status == IoStatus::kOk) continue;
    link.to_client();
    received += link.client.read();
  }
  link.to_client();
  received += link.client.read();
  EXPECT_GT(blocked, 5);
  EXPECT_GT(progress, 5);  // what is sent need not be kept
  EXPECT_EQ(received, body);
}

TEST_P(TlsTransport, WritesAllThatTheSocketTakes) {
  const std::string body = numbered_text(100'000);  // seven records
  const IoResult result = link.server_write(body);
  EXPECT_EQ(result.status, IoStatus::kOk);
  EXPECT_EQ(result.bytes, body.size());
  link.to_client();
  EXPECT_EQ(link.client.read(), body);
}

TEST_P(TlsTransport, ReadsALargeBodyWhateverTheRoom) {
  const std::string body = numbered_text(50'000);
  for (const std::size_t room : {1U, 100U, 16384U, 65536U}) {
    link.client.write(body);
    link.carry();
    EXPECT_EQ(link.server_read(room), body);
  }
}

TEST_P(TlsTransport, ReportsThePeersGoodbyeAndStillWrites) {
  link.client.write("last");
  link.client.close_notify();
  link.carry();
  EXPECT_EQ(link.server_read(), "last");
  EXPECT_EQ(link.status, IoStatus::kEof);
  EXPECT_FALSE(link.server.truncated());
  EXPECT_EQ(link.server_write("answer").status, IoStatus::kOk);
  link.to_client();
  // A client that said goodbye reads no more through the library; its bytes did arrive.
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kEof);
}

TEST_P(TlsTransport, TellsAnEndWithoutGoodbyeAndStillAnswers) {
  link.client.write("last");
  link.carry();
  ASSERT_EQ(::shutdown(link.wire.get(), SHUT_WR), 0);
  EXPECT_EQ(link.server_read(), "last");
  EXPECT_EQ(link.status, IoStatus::kEof);
  EXPECT_TRUE(link.server.truncated());
  EXPECT_EQ(link.server_write("answer").status, IoStatus::kOk);
  link.to_client();
  EXPECT_EQ(link.client.read(), "answer");
}

TEST_P(TlsTransport, TellsAnEndInTheMiddleOfARecord) {
  link.client.write("never whole");
  const std::string record = link.client.take_output();
  link.to_server(record.substr(0, record.size() - 1));
  ASSERT_EQ(::shutdown(link.wire.get(), SHUT_WR), 0);
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kEof);
  EXPECT_TRUE(link.server.truncated());
}

TEST_P(TlsTransport, SaysGoodbyeThenEndsAndStillReads) {
  ASSERT_EQ(link.server_write("bye").status, IoStatus::kOk);
  link.server.shutdown_write();
  link.to_client();
  EXPECT_EQ(link.client.read(), "bye");
  EXPECT_TRUE(link.client.saw_close_notify());
  char byte = 0;
  EXPECT_EQ(::recv(link.wire.get(), &byte, 1, 0), 0);  // FIN
  link.client.write("one more");
  link.to_server(link.client.take_output());
  EXPECT_EQ(link.server_read(), "one more");
}

TEST_P(TlsTransport, SaysGoodbyeAfterThePeerDid) {
  link.client.close_notify();
  link.carry();
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kEof);
  link.server.shutdown_write();
  std::array<char, 256> room{};
  EXPECT_GT(::recv(link.wire.get(), room.data(), room.size(), 0), 0);  // the alert
  EXPECT_EQ(::recv(link.wire.get(), room.data(), room.size(), 0), 0);
}

TEST_P(TlsTransport, SaysWhyARecordWasRefused) {
  link.client.write("hello");
  std::string record = link.client.take_output();
  record.back() = static_cast<char>(record.back() ^ 1);
  link.to_server(record);
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "decryption failed or bad record mac");
  EXPECT_EQ(link.server_write("x").status, IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "decryption failed or bad record mac");
  EXPECT_EQ(link.server_read(), "");
  EXPECT_EQ(link.status, IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "decryption failed or bad record mac");
  link.server.shutdown_write();  // harmless: the FIN only
}

TEST_P(TlsTransport, SaysThatThePeerIsGone) {
  link.wire.reset();
  IoResult result;
  for (int i = 0; i < 2 && result.status == IoStatus::kOk; ++i) result = link.server_write("x");
  EXPECT_EQ(result.status, IoStatus::kError);
  EXPECT_EQ(link.server.error_text(), "Broken pipe");
}

TEST_P(TlsTransport, KeepsNoRecordBuffersWhileNothingMoves) {
  // The client keeps a buffer from when it took the ticket; with its next write that goes, too.
  link.client.write("x");
  link.carry();
  EXPECT_EQ(link.server_read(), "x");
  EXPECT_EQ(live_record_bytes(), 0);
  link.client.write(numbered_text(20'000));
  const std::string records = link.client.take_output();
  link.to_server(records.substr(0, 20'000));
  link.server_read();
  EXPECT_GT(live_record_bytes(), 16'384);  // part of a record has to lie somewhere
  link.to_server(records.substr(20'000));
  link.server_read();
  link.server_write(numbered_text(20'000));
  link.to_client();
  link.client.read();
  EXPECT_EQ(live_record_bytes(), 0);
}

TEST(TlsTransport, AnswersAKeyUpdate) {
  const auto context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  Link link(*context);
  ASSERT_TRUE(link.handshake());
  ASSERT_EQ(SSL_key_update(link.client.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
  link.client.write("with a new key");
  link.carry();
  EXPECT_EQ(link.server_read(), "with a new key");
  EXPECT_EQ(link.server_write("with mine").status, IoStatus::kOk);
  link.to_client();
  EXPECT_EQ(link.client.read(), "with mine");
}

TEST(TlsTransport, AnswersAKeyUpdateInTheMiddleOfABlockedRecord) {
  const auto context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  Link link(*context);
  ASSERT_TRUE(link.handshake());
  const int small = 4096;
  ::setsockopt(link.server.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  const std::string body = numbered_text(100'000);
  std::size_t sent = link.server_write(body).bytes;
  ASSERT_EQ(link.server_write(body.substr(sent)).status, IoStatus::kWantWrite);
  ASSERT_EQ(SSL_key_update(link.client.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
  link.client.write("with a new key");
  link.to_server(link.client.take_output());
  EXPECT_EQ(link.server_read(), "with a new key");
  std::string received;
  for (int round = 0; round < 1000 && sent < body.size(); ++round) {
    link.to_client();
    received += link.client.read();
    const IoResult result = link.server_write(body.substr(sent));
    ASSERT_NE(result.status, IoStatus::kError) << link.server.error_text();
    sent += result.bytes;
  }
  link.to_client();
  EXPECT_EQ(received + link.client.read(), body);
}

TEST_P(TlsTransport, EndsWithoutHarmWhileARecordIsBlocked) {
  const int small = 4096;
  ::setsockopt(link.server.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  const std::string body = numbered_text(100'000);
  const std::size_t sent = link.server_write(body).bytes;
  ASSERT_EQ(link.server_write(body.substr(sent)).status, IoStatus::kWantWrite);
  link.server.shutdown_write();
  link.client.write("still heard");
  link.to_server(link.client.take_output());
  EXPECT_EQ(link.server_read(), "still heard");
}

TEST(TlsTransport, TellsAReset) {
  auto listeners = net::listen_on({.host = "127.0.0.1", .port = 0}, 1);
  ASSERT_TRUE(listeners);
  net::UniqueFd client(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  ::getsockname(listeners->front().descriptor(), reinterpret_cast<sockaddr*>(&place), &size);
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&place), size), 0);
  const auto context = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  const auto transport = accept(*context, listeners->front().accept().socket);
  const linger abort{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  client.reset();
  EXPECT_EQ(transport->handshake(), IoStatus::kError);
  EXPECT_EQ(transport->error_text(), "Connection reset by peer");
}

}  // namespace
}  // namespace h2park::tls
