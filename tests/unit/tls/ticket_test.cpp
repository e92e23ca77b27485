#include "support/tls_client.hpp"
#include "tls/ticket_keys.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace h2park::tls {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Keys {
  ManualTime time;
  std::shared_ptr<TicketKeys> keys = std::make_shared<TicketKeys>([this] { return time.now(); });
};

TEST(TicketKeys, SealWithOneKeyForAPeriod) {
  Keys k;
  const auto first = k.keys->current();
  ASSERT_TRUE(first);
  k.time.advance(TicketKeys::kPeriod - seconds(1));
  EXPECT_EQ(k.keys->current()->name, first->name);
  k.time.advance(seconds(1));
  EXPECT_NE(k.keys->current()->name, first->name);
  EXPECT_NE(k.keys->current()->cipher, first->cipher);
  EXPECT_NE(k.keys->current()->mac, first->mac);
}

TEST(TicketKeys, OpenForOnePeriodMore) {
  Keys k;
  const auto first = k.keys->current();
  k.time.advance(TicketKeys::kPeriod);
  ASSERT_TRUE(k.keys->find(first->name));
  EXPECT_EQ(k.keys->find(first->name)->cipher, first->cipher);
  EXPECT_FALSE(k.keys->is_current(*first));
  k.time.advance(TicketKeys::kPeriod);
  EXPECT_FALSE(k.keys->find(first->name));
}

TEST(TicketKeys, AreForgottenAfterAQuietSpell) {
  Keys k;
  const auto first = k.keys->current();
  k.time.advance(2 * TicketKeys::kPeriod);
  EXPECT_FALSE(k.keys->find(first->name));
}

TEST(TicketKeys, DoNotKnowAForeignName) {
  Keys k;
  EXPECT_FALSE(k.keys->find(Keys().keys->current()->name));
}

class Resumption : public testing::TestWithParam<int> {
 protected:
  std::shared_ptr<ServerContext> context() { return ServerContext::self_signed(k_.keys).value(); }

  /// A connection that offers `session`; afterwards session_ is what the server gave it.
  bool resumes(ServerContext& context, SSL_SESSION* session, bool expect_success = true) {
    Link link(context, {.version = GetParam(), .server_name = "a.example", .resume = session});
    EXPECT_EQ(link.handshake(), expect_success);
    session_ = link.client.session();
    tickets_ = link.client.tickets();
    EXPECT_EQ(link.server.info().resumed, SSL_session_reused(link.client.ssl()) == 1);
    EXPECT_EQ(link.server.info().server_name, "a.example");
    return link.server.info().resumed;
  }

  static std::string ticket(const SSL_SESSION& session) {
    const unsigned char* bytes = nullptr;
    std::size_t size = 0;
    SSL_SESSION_get0_ticket(&session, &bytes, &size);
    return {reinterpret_cast<const char*>(bytes), size};
  }

  Keys k_;
  SessionPtr session_;
  std::size_t tickets_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Tls, Resumption, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(Resumption, WorksAcrossAReloadOfTheCertificate) {
  const auto before = context();
  EXPECT_FALSE(resumes(*before, nullptr));
  ASSERT_TRUE(session_);
  const SessionPtr session = std::move(session_);
  const auto after = context();
  ASSERT_NE(before->fingerprint(), after->fingerprint());
  EXPECT_TRUE(resumes(*after, session.get()));
}

TEST_P(Resumption, GivesOneTicketThatLivesAsLongAsItCanBeOpened) {
  resumes(*context(), nullptr);
  EXPECT_EQ(tickets_, 1U);
  ASSERT_TRUE(session_);
  EXPECT_EQ(SSL_SESSION_get_ticket_lifetime_hint(session_.get()), 3600U);
  EXPECT_EQ(SSL_SESSION_get_max_early_data(session_.get()), 0U);
}

TEST_P(Resumption, WorksWhileTheKeyIsThePreviousOneAndRenewsTheTicket) {
  const auto server = context();
  resumes(*server, nullptr);
  const SessionPtr session = std::move(session_);
  k_.time.advance(TicketKeys::kPeriod + minutes(30));
  EXPECT_TRUE(resumes(*server, session.get()));
  const SessionPtr renewed = std::move(session_);
  ASSERT_TRUE(renewed);
  EXPECT_NE(ticket(*renewed), ticket(*session));
  k_.time.advance(TicketKeys::kPeriod);
  EXPECT_FALSE(resumes(*server, session.get()));
  EXPECT_TRUE(resumes(*server, renewed.get()));
}

TEST_P(Resumption, FallsBackToAFullHandshakeWhenTheKeyIsGone) {
  const auto server = context();
  resumes(*server, nullptr);
  const SessionPtr session = std::move(session_);
  k_.time.advance(hours(3));
  EXPECT_FALSE(resumes(*server, session.get()));
}

TEST_P(Resumption, DoesNotOpenAnotherServersTickets) {
  const auto other = ServerContext::self_signed(std::make_shared<TicketKeys>()).value();
  resumes(*other, nullptr);
  const SessionPtr session = std::move(session_);
  EXPECT_FALSE(resumes(*context(), session.get()));
}

TEST_P(Resumption, BringsTheNextTicketInTls13) {
  const auto server = context();
  resumes(*server, nullptr);
  for (int i = 0; i < 3; ++i) {
    const SessionPtr session = std::move(session_);
    EXPECT_TRUE(resumes(*server, session.get()));
    ASSERT_TRUE(session_);
    // A TLS 1.2 ticket is used again while its key is current; one of TLS 1.3 is for a single use.
    EXPECT_EQ(ticket(*session_) != ticket(*session), GetParam() == TLS1_3_VERSION);
  }
}

TEST_P(Resumption, KeepsNoSessionInTheServer) {
  const auto server = context();
  for (const bool tickets : {true, false}) {
    Link link(*server, {.version = GetParam(), .tickets = tickets});
    EXPECT_TRUE(link.handshake());
    EXPECT_EQ(SSL_CTX_sess_number(server->native()), 0);
  }
}

TEST_P(Resumption, ServesAllThreadsFromOneSetOfKeys) {
  std::atomic<int> tick{0};
  // Each look at the clock is a quarter of a period later, so the keys rotate all the time.
  const auto keys =
      std::make_shared<TicketKeys>([&] { return TimePoint{} + ++tick * (TicketKeys::kPeriod / 4); });
  const auto server = ServerContext::self_signed(keys).value();
  std::vector<std::jthread> threads;
  std::atomic<int> done{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      SessionPtr session;
      for (int n = 0; n < 20; ++n) {
        Link link(*server, {.version = GetParam(), .resume = session.get()});
        done += link.handshake() ? 1 : 0;
        session = link.client.session();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(done, 80);
}

}  // namespace
}  // namespace h2park::tls
