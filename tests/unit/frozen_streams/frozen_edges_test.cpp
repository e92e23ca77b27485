// The edges of freezing, through a whole worker: what does not fit, what changes meanwhile, what is damaged.
#include "base/log.hpp"
#include "reckless.hpp"
#include "recording.hpp"
#include "support/h2_wire.hpp"
#include "support/replay_pair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace h2park::test {
namespace {

using namespace std::chrono_literals;
using freezer::Dictionary;
using freezer::SlotHeap;

/// What is logged while it lives.
class Logged {
 public:
  Logged() { log::set_up(log::Level::kInfo, file_); }
  ~Logged() {
    log::set_up(log::Level::kInfo);
    std::fclose(file_);
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;

  std::string text() {
    std::fflush(file_);
    std::rewind(file_);
    std::string all(10'000, '\0');
    all.resize(std::fread(all.data(), 1, all.size(), file_));
    return all;
  }

 private:
  std::FILE* file_ = std::tmpfile();
};

std::string bytes_of(std::string_view name) {
  const auto all = recordings();
  return std::ranges::find(all, name, &Recording::name)->bytes;
}

SlotHeap& slot_of(StreamReplay& replay, const server::Ticket& ticket) {
  return *replay.house.worker.freezing().slot_of(ticket);
}

TEST(FrozenEdges, AConnectionWhoseStreamsDoNotFitIntoItsSlotIsFrozenAllTheSame) {
  std::string bytes = preface() + settings_frame({}) + settings_ack();
  std::vector<std::size_t> cuts;
  for (std::uint32_t stream = 1; stream < 200; stream += 2) {
    bytes +=
        frame(kHeaders, kEndStream | kEndHeaders, stream, block(request("GET", "/events?interval=70ms")));
    cuts.push_back(bytes.size());
  }
  // And fits again.
  for (std::uint32_t stream = 1; stream < 199; stream += 2) {
    bytes += rst_stream(stream, kCancel);
    cuts.push_back(bytes.size());
  }
  bytes += ping("ping-pin");

  ReplayPair pair;
  std::size_t most = 0;
  std::size_t last = 0;
  pair.frozen.at_rest = [&](server::Ticket& ticket, std::size_t) {
    server::Freezing& freezing = pair.frozen.house.worker.freezing();
    EXPECT_TRUE(freezing.thaw(ticket));
    last = slot_of(pair.frozen, ticket).overflow().bytes;
    most = std::max(most, last);
    freezing.freeze(ticket);
  };
  EXPECT_EQ(pair.difference({.bytes = bytes, .cuts = cuts}), "");
  EXPECT_GT(most, 10'000U);
  EXPECT_LT(last, most / 10);
  EXPECT_GE(pair.got.rests(), 2 * cuts.size());
  EXPECT_EQ(pair.slots_kept(), 0U);
}

TEST(FrozenEdges, ANewDictionaryWhileTheConnectionIsFrozenChangesNothing) {
  const std::size_t before = Dictionary::count();
  {
    ReplayPair pair;
    const std::size_t lived = Dictionary::count();
    int replaced = 0;
    pair.frozen.at_rest = [&](server::Ticket& ticket, std::size_t) {
      // From whatever there is now: frozen against the old one, thawed when there is another.
      server::Freezing& freezing = pair.frozen.house.worker.freezing();
      EXPECT_TRUE(freezing.thaw(ticket));
      const std::array samples{&slot_of(pair.frozen, ticket)};
      auto dictionary = freezing.build_dictionary(server::Freezing::Kind::kPlain, samples);
      ASSERT_TRUE(dictionary);
      freezing.freeze(ticket);
      const auto* old = ticket.image.dictionary();
      ASSERT_TRUE(freezing.use(server::Freezing::Kind::kPlain, std::move(*dictionary)));
      EXPECT_EQ(ticket.image.dictionary(), old) << "the image keeps its own";
      ++replaced;
    };
    const std::string bytes = bytes_of("chromium");
    std::mt19937 random(3);
    for (int round = 0; round < 10; ++round)
      EXPECT_EQ(pair.difference({.bytes = bytes, .cuts = random_offsets(bytes.size(), random)}), "");
    EXPECT_GT(replaced, 100);
    EXPECT_LE(Dictionary::count(), lived + 1) << "each goes with its last image";
  }
  EXPECT_EQ(Dictionary::count(), before);
}

TEST(FrozenEdges, ADamagedImageEndsItsConnectionWithALineInTheLogAndNothingElse) {
  const std::string bytes = bytes_of("node_events");
  recklessly([&] {
    ReplayPair pair;
    const std::size_t cut = 120;
    ASSERT_EQ(pair.difference({.bytes = bytes, .cuts = {cut}}), "");
    pair.frozen.at_rest = [&](server::Ticket& ticket, std::size_t sent) {
      if (sent == cut) ticket.image.block()[ticket.image.block().size() / 2] ^= std::byte{4};
    };
    Logged logged;
    EXPECT_NE(pair.difference({.bytes = bytes, .cuts = {cut}}), "");
    EXPECT_TRUE(pair.got.closed_first);
    EXPECT_EQ(pair.got.closed_for, static_cast<std::size_t>(http::CloseReason::kError));
    EXPECT_THAT(logged.text(),
                testing::EndsWith(" error a frozen connection is lost: the frozen image is damaged\n"));
    EXPECT_EQ(pair.slots_kept(), 0U) << "the slot serves again";
    pair.frozen.at_rest = [](server::Ticket&, std::size_t) {};
    EXPECT_EQ(pair.difference({.bytes = bytes, .cuts = {cut}}), "") << "the process lives";
  });
}

TEST(FrozenEdges, ABlockThatIsLeftPutsTheSlotInQuarantineWithALineInTheLog) {
  const std::string bytes = bytes_of("curl_h2_reuse");
  ReplayPair pair;
  SlotHeap* slot = nullptr;
  void* left = nullptr;
  pair.frozen.at_rest = [&](server::Ticket& ticket, std::size_t) {
    SlotHeap& now = slot_of(pair.frozen, ticket);
    if (left != nullptr) {
      EXPECT_TRUE(slot == &now || pair.frozen.house.slots->quarantined() == 1)
          << "another slot, once it is kept";
      return;
    }
    server::Freezing& freezing = pair.frozen.house.worker.freezing();
    EXPECT_TRUE(freezing.thaw(ticket));
    slot = &now;
    left = now.obtain(64);
    freezing.freeze(ticket);
  };
  Logged logged;
  EXPECT_EQ(pair.difference({.bytes = bytes, .cuts = {60}}), "");
  EXPECT_EQ(pair.frozen.house.slots->quarantined(), 1U);
  EXPECT_THAT(logged.text(),
              testing::EndsWith(" error a closed connection left 1 blocks: its slot is not used again\n"));
  EXPECT_EQ(slot->live_blocks(), 1U) << "not discarded";
  EXPECT_EQ(pair.difference({.bytes = bytes, .cuts = {60}}), "");
  slot->release(left);
}

class FrozenTlsEdges : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Tls, FrozenTlsEdges, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& of) { return of.param == TLS1_3_VERSION ? "Tls13" : "Tls12"; });

TEST_P(FrozenTlsEdges, AClientWithoutTicketsIsFrozenToo) {
  ReplayPair pair;
  pair.secure();
  const std::string bytes = bytes_of("curl_h2_reuse");
  const tls::TlsClientOptions client{.version = GetParam(), .alpn = {"h2"}, .tickets = false};
  EXPECT_EQ(pair.difference({.bytes = bytes, .cuts = offsets(2'000), .step = 1ms, .tls = &client}), "");
  EXPECT_GT(pair.freezes(), bytes.size());
  EXPECT_EQ(pair.slots_kept(), 0U);
}

TEST_P(FrozenTlsEdges, AResumedConnectionIsFrozenToo) {
  WorkerHouse house(WorkerHouse::freezing_options());
  tls::TlsClientOptions client{.version = GetParam(), .alpn = {"h2"}};
  house.secure(client);
  tls::SessionPtr session;
  {
    auto first = house.greeted();
    session = first->tls()->session();
    ASSERT_TRUE(session);
    first->close_notify();
    house.settle();
  }
  client.resume = session.get();
  house.secure(client);
  auto second = house.greeted();
  ASSERT_EQ(house.frozen(), 1U);
  for (int i = 0; i < 3; ++i) {
    const auto stream = second->get("/info");
    house.settle(*second);
    EXPECT_THAT(second->response(stream).body, testing::HasSubstr("\"resumed\": true"));
    EXPECT_EQ(house.frozen(), 1U);
  }
  second->close();
  house.settle();
  EXPECT_EQ(house.slots->taken() + house.slots->quarantined(), 0U);
}

}  // namespace
}  // namespace h2park::test
