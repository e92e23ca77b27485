// What a connection leaves in its slot: nothing, whatever its client did, if the warm-ups came first.
#include "routed_fixture.hpp"

#include <functional>
#include <optional>
#include <ostream>

namespace h2park::tls {
namespace {

struct Play {
  const char* name;
  std::function<void(ServerContext&, const TlsClientOptions&, freezer::SlotHeap&)> run;
};
std::ostream& operator<<(std::ostream& out, const Play& play) { return out << play.name; }

void talk(Link& link) {
  link.client.write("ping");
  link.carry();
  EXPECT_EQ(link.server_read(), "ping");
  link.server_write("pong");
  link.carry();
  EXPECT_EQ(link.client.read(), "pong");
}

void converse(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  options.alpn = {"h2"};
  options.server_name = "www.example.org";
  Link link(context, options, &slot);
  ASSERT_TRUE(link.handshake()) << link.server.error_text() << link.client.reason();
  EXPECT_GT(slot.live_blocks(), 20U) << "OpenSSL's objects are in the slot";
  talk(link);
}

void without_tickets(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  options.tickets = false;
  converse(context, options, slot);
}

void in_each_suite(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  const bool tls13 = options.version == TLS1_3_VERSION;
  for (const char* suites : {"AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"}) {
    if (tls13) options.suites = std::string("TLS_") + suites;
    converse(context, options, slot);
  }
  for (const char* ciphers : {"AES128+AESGCM", "AES256+AESGCM", "CHACHA20"}) {
    if (!tls13) options.ciphers = std::string("ECDHE+") + ciphers;
    converse(context, options, slot);
  }
}

void in_each_group(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  for (const char* groups :
       {"X25519", "P-256", "X448", "P-521", "P-384", "ffdhe2048:X25519", "P-384:P-256"}) {
    options.groups = groups;
    Link link(context, options, &slot);
    // In TLS 1.2 a certificate with a key on P-256 is of no use to a client without that group.
    if (link.handshake()) talk(link);
  }
}

void resumed(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  options.server_name = "www.example.org";
  SessionPtr session;
  {
    Link link(context, options, &slot);
    ASSERT_TRUE(link.handshake());
    session = link.client.session();
  }
  options.resume = session.get();
  Link link(context, options, &slot);
  ASSERT_TRUE(link.handshake());
  EXPECT_TRUE(link.server.info().resumed);
  talk(link);
}

void with_a_spoilt_ticket(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  const auto other = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  SessionPtr session;
  {
    Link link(*other, options);
    ASSERT_TRUE(link.handshake());
    session = link.client.session();
  }
  options.resume = session.get();
  Link link(context, options, &slot);
  ASSERT_TRUE(link.handshake());
  EXPECT_FALSE(link.server.info().resumed);
  talk(link);
}

void with_new_keys(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  Link link(context, options, &slot);
  ASSERT_TRUE(link.handshake());
  if (options.version == TLS1_3_VERSION) SSL_key_update(link.client.ssl(), SSL_KEY_UPDATE_REQUESTED);
  for (int i = 0; i < 3; ++i) talk(link);
}

void with_a_goodbye(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  Link link(context, options, &slot);
  ASSERT_TRUE(link.handshake());
  link.client.close_notify();
  link.carry();
  link.server_read();
  EXPECT_EQ(link.status, net::IoStatus::kEof);
  link.server.shutdown_write();
}

void refused(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  options.alpn = {"none"};
  Link link(context, options, &slot);
  EXPECT_FALSE(link.handshake());
}

void with_a_bad_record(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  Link link(context, options, &slot);
  ASSERT_TRUE(link.handshake());
  link.client.write("ping");
  std::string record = link.client.take_output();
  record.back() = static_cast<char>(record.back() ^ 1);
  link.to_server(record);
  link.server_read();
  EXPECT_EQ(link.status, net::IoStatus::kError);
}

void speaking_something_else(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  Link link(context, options, &slot);
  link.to_server("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(link.server.handshake(), net::IoStatus::kError);
}

void broken_off(ServerContext& context, TlsClientOptions options, freezer::SlotHeap& slot) {
  for (std::size_t bytes = 0; bytes < 600; bytes += 100) {
    Link link(context, options, &slot);
    link.client.handshake();
    link.to_server(link.client.take_output(bytes));
    link.server.handshake();
    link.wire.reset();
    link.server.handshake();
  }
}

class LeftBlocks : public WithRoutedSlots, public testing::WithParamInterface<std::tuple<int, Play>> {};

const auto kPlays = testing::Values(
    Play{"Conversation", converse}, Play{"NoTickets", without_tickets}, Play{"EachSuite", in_each_suite},
    Play{"EachGroup", in_each_group}, Play{"Resumption", resumed}, Play{"SpoiltTicket", with_a_spoilt_ticket},
    Play{"NewKeys", with_new_keys}, Play{"Goodbye", with_a_goodbye}, Play{"Refusal", refused},
    Play{"BadRecord", with_a_bad_record}, Play{"PlainText", speaking_something_else},
    Play{"BrokenOff", broken_off});
INSTANTIATE_TEST_SUITE_P(Tls, LeftBlocks,
                         testing::Combine(testing::Values(TLS1_2_VERSION, TLS1_3_VERSION), kPlays),
                         [](const auto& of) {
                           return version_name(std::get<0>(of.param)) + std::get<1>(of.param).name;
                         });

TEST_P(LeftBlocks, AreNoneOnAFreshThreadThatWasWarmedUp) {
  const auto& [version, play] = GetParam();
  on_a_fresh_thread([&, version = version, &play = play] {
    ServerContext& server = context();
    freezer::SlotHeap& slot = take();
    play.run(server, {.version = version}, slot);
    EXPECT_EQ(slot.live_blocks(), 0U);
    play.run(rsa_context(), {.version = version}, slot);
    EXPECT_EQ(slots.give_back(slot), 0U);
  });
  EXPECT_EQ(slots.quarantined(), 0U);
}

class Quarantine : public WithRoutedSlots, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Tls, Quarantine, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return version_name(of.param); });

/// A ClientHello is on its way: the client needs no random numbers any more that the thread would have to
/// make.
void begin(Link& link) {
  ASSERT_TRUE(link.client.handshake());
  link.carry();
}

TEST_P(Quarantine, AThreadsFirstHandshakeWithoutAWarmUpLeavesItsRandomGeneratorInTheSlot) {
  ServerContext& server = context();
  freezer::SlotHeap& slot = take();
  freezer::SlotHeap& second = take();
  std::optional<Link> link(std::in_place, server, TlsClientOptions{.version = GetParam()}, &slot);
  std::optional<Link> next(std::in_place, server, TlsClientOptions{.version = GetParam()}, &second);
  begin(*link);
  begin(*next);
  on_a_fresh_thread([&] {
    EXPECT_TRUE(link->handshake());
    link.reset();
    const std::size_t left = slot.live_blocks();
    EXPECT_GT(left, 0U);
    EXPECT_EQ(slots.give_back(slot), left);
    EXPECT_EQ(slots.quarantined(), 1U);
    // The thread's generator works on in there: the slot was neither discarded nor given to another
    // connection.
    EXPECT_TRUE(next->handshake());
    next.reset();
    EXPECT_EQ(slots.give_back(second), 0U);
    EXPECT_EQ(slot.live_blocks(), left);
  });
  // The thread's end has freed what was its own, where it lay.
  EXPECT_EQ(slot.live_blocks(), 0U);
  for (std::size_t i = 0; i + 1 < slots.count(); ++i) EXPECT_NE(slots.take(), &slot);
  EXPECT_EQ(slots.take(), nullptr) << "never used again";
}

TEST_P(Quarantine, AContextsFirstHandshakeLeavesWhatItsKeyKeeps) {
  rsa_context();  // the thread is warm, the process too
  const auto unrehearsed = fresh_rsa_context();
  freezer::SlotHeap& slot = take();
  converse(*unrehearsed, {.version = GetParam()}, slot);
  EXPECT_GT(slots.give_back(slot), 0U);
  const auto rehearsed = fresh_rsa_context();
  EXPECT_EQ(rehearse(*rehearsed), 0);
  freezer::SlotHeap& next = take();
  converse(*rehearsed, {.version = GetParam()}, next);
  EXPECT_EQ(slots.give_back(next), 0U);
}

TEST_P(Quarantine, AKeyKeepsSomethingForEachThreadThatUsesIt) {
  ServerContext& server = rsa_context();
  const auto context = fresh_rsa_context();
  EXPECT_EQ(rehearse(*context), 0);
  on_a_fresh_thread([&] {
    EXPECT_TRUE(warm_up_thread(server));
    freezer::SlotHeap& slot = take();
    converse(*context, {.version = GetParam()}, slot);
    EXPECT_GT(slots.give_back(slot), 0U) << "so replaced contexts need a warm-up on each thread";
  });
  on_a_fresh_thread([&] {
    EXPECT_TRUE(warm_up_thread(*context));
    freezer::SlotHeap& slot = take();
    converse(*context, {.version = GetParam()}, slot);
    EXPECT_EQ(slots.give_back(slot), 0U);
  });
}

}  // namespace
}  // namespace h2park::tls
