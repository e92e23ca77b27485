// That the proof by difference proves something: thaws that are broken on purpose are found.
#include "freezer/image_store.hpp"
#include "reckless.hpp"
#include "recording.hpp"
#include "server/tickets.hpp"
#include "support/replay_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <utility>

namespace h2park::test {
namespace {

using freezer::Extent;
using freezer::Image;
using freezer::SlotHeap;

/// A kind of broken thaw, done once in each play, when the connection rests at the last cut.
class Harm {
 public:
  virtual ~Harm() = default;
  /// At the connection's first rest.
  virtual void begin(server::Ticket&) {}
  /// False: there was nothing to be done wrong.
  virtual bool strike(server::Freezing& freezing, server::Ticket& ticket) = 0;
};

/// Brings back what was frozen first.
class StaleThaw final : public Harm {
 public:
  void begin(server::Ticket& ticket) override {
    early_ = Image(store_, ticket.image.dictionary(), ticket.image.packed());
  }
  bool strike(server::Freezing&, server::Ticket& ticket) override {
    if (std::ranges::equal(early_.packed(), ticket.image.packed())) return false;
    ticket.image = std::exchange(early_, {});
    return true;
  }

 private:
  freezer::ImageStore store_;
  Image early_;
};

/// Gets letters of texts wrong: of what the client's fields were called and what they said.
class GarblingThaw final : public Harm {
 public:
  bool strike(server::Freezing& freezing, server::Ticket& ticket) override {
    EXPECT_TRUE(freezing.thaw(ticket));
    SlotHeap& heap = *freezing.slot_of(ticket);
    heap.settle();
    bool done = false;
    for (std::size_t at = SlotHeap::first_granule(); at < freezer::kGranules;) {
      const Extent extent = heap.extent_at(at);
      char* const block = reinterpret_cast<char*>(&heap) + at * freezer::kGranuleBytes;
      if (extent.kind == Extent::Kind::kText) done |= garble({block, heap.capacity(block)});
      at += extent.granules;
    }
    freezing.freeze(ticket);
    return done;
  }

 private:
  // Words of five letters and more: there are structures before the texts, and pointers in these.
  static bool garble(std::span<char> block) {
    bool done = false;
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    for (auto at = block.begin(); at != block.end();) {
      const auto begin = std::find_if(at, block.end(), is_letter);
      at = std::find_if_not(begin, block.end(), is_letter);
      if (at - begin < 5) continue;
      *begin = *begin == 'x' ? 'y' : 'x';
      done = true;
    }
    return done;
  }
};

struct Found {
  int strikes = 0;
  int differences = 0;
};

/// A pair of which one thaws wrongly.
template <class Kind>
class Hunt {
 public:
  explicit Hunt(bool secure) {
    if (secure) pair_.secure();
    pair_.frozen.at_rest = [this](server::Ticket& ticket, std::size_t sent) {
      if (!std::exchange(began_, true)) harm_.begin(ticket);
      if (sent != last_cut_ || struck_) return;
      struck_ = harm_.strike(pair_.frozen.house.worker.freezing(), ticket);
    };
  }

  /// Requires: a cut.
  void look(const StreamReplay::Plan& plan) {
    began_ = struck_ = false;
    last_cut_ = plan.cuts.back();
    const bool differ = !pair_.difference(plan).empty();
    EXPECT_TRUE(struck_ || !differ) << "cut at " << last_cut_;
    if (struck_) ++found.strikes;
    if (differ) ++found.differences;
  }
  /// How much a client sends before it says anything itself.
  std::size_t handshake_bytes(const tls::TlsClientOptions& client) {
    last_cut_ = std::string::npos;
    pair_.difference({.bytes = {}, .cuts = {}, .tls = &client});
    return pair_.got.sent;
  }

  Found found;

 private:
  Kind harm_;
  std::size_t last_cut_ = 0;
  bool began_ = false;
  bool struck_ = false;
  ReplayPair pair_;
};

template <class Kind>
Found look_for(const Recording& recording) {
  Found found;
  recklessly([&] {
    Hunt<Kind> hunt(false);
    // All of a short one: the rests of HTTP/1 are few.
    const std::size_t stride = recording.bytes.size() < 1'000 ? 1 : recording.bytes.size() / 50;
    for (const std::size_t cut : offsets(recording.bytes.size(), stride))
      hunt.look({.bytes = recording.bytes, .cuts = {cut}});
    found = hunt.found;
  });
  return found;
}

class BrokenThaw : public testing::TestWithParam<Recording> {};
INSTANTIATE_TEST_SUITE_P(Recorded, BrokenThaw, testing::ValuesIn(recordings()), name_of);

TEST_P(BrokenThaw, IsFoundWhenItBringsBackAnEarlierState) {
  const Found found = look_for<StaleThaw>(GetParam());
  EXPECT_GT(found.strikes, 0);
  EXPECT_EQ(found.differences, found.strikes) << "each time";
}

// Only where a text is used again, or comes back, it matters.
TEST(BrokenThaws, AreFoundWhenTheyGetLettersWrong) {
  int clients = 0;
  for (const Recording& recording : recordings()) {
    const Found found = look_for<GarblingThaw>(recording);
    if (found.differences > 0) ++clients;
  }
  EXPECT_GE(clients, 5);
}

TEST_P(BrokenThaw, IsFoundThroughTls) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const tls::TlsClientOptions client{.version = version, .alpn = {GetParam().http2() ? "h2" : "http/1.1"}};
    recklessly([&] {
      Hunt<StaleThaw> hunt(true);
      const std::size_t handshake = hunt.handshake_bytes(client);
      const std::size_t bytes = GetParam().bytes.size();
      for (const std::size_t at : offsets(bytes, bytes / 20))
        hunt.look({.bytes = GetParam().bytes, .cuts = {handshake, handshake + at}, .tls = &client});
      EXPECT_EQ(hunt.found.differences, hunt.found.strikes) << "each time";
      if (GetParam().http2() || GetParam().has_upload()) {
        EXPECT_GT(hunt.found.strikes, 0);
      }
    });
  }
}

}  // namespace
}  // namespace h2park::test
