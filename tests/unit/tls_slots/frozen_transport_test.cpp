// A connection that is packed and restored while nobody looks: neither side can tell.
#include "routed_fixture.hpp"
#include "tls/cipher_filter.hpp"

#include <functional>
#include <ostream>
#include <random>
#include <vector>

namespace h2park::tls {
namespace {

using freezer::Packer;
using freezer::SlotHeap;

struct Case {
  const char* name;
  int version;
  const char* suites;

  friend std::ostream& operator<<(std::ostream& out, const Case& that) { return out << that.name; }
};
constexpr Case kCases[]{
    {"Tls13Aes128", TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},
    {"Tls13Aes256", TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
    {"Tls13ChaCha", TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256"},
    {"Tls12Aes128", TLS1_2_VERSION, "ECDHE+AESGCM+AES128"},
    {"Tls12Aes256", TLS1_2_VERSION, "ECDHE+AESGCM+AES256"},
    {"Tls12ChaCha", TLS1_2_VERSION, "ECDHE+CHACHA20"},
};

/// Derives the round keys wrongly, a bit in each.
class BrokenFilter final : public freezer::BlockFilter {
 public:
  bool knows(std::size_t bytes) const override { return filter_.knows(bytes); }
  bool strip(std::span<std::byte> copy, const std::byte* address) override {
    return filter_.strip(copy, address);
  }
  void derive(std::span<std::byte> block) override {
    const std::vector<std::byte> before(block.begin(), block.end());
    filter_.derive(block);
    for (std::size_t at = 0; at + 8 <= block.size(); at += 8) {
      const bool address = block[at + 7] == std::byte{};  // or nothing at all
      if (!address && block[at] != before[at]) block[at] ^= std::byte{1};
    }
  }

 private:
  CipherFilter filter_;
};

class FrozenTransport : public WithRoutedSlots, public testing::WithParamInterface<Case> {
 protected:
  FrozenTransport() : slot_(take()) {}
  ~FrozenTransport() override {
    if (link) end();
  }

  TlsClientOptions options() const {
    TlsClientOptions all{.version = GetParam().version, .alpn = {"h2"}, .server_name = "www.example.org"};
    (all.version == TLS1_3_VERSION ? all.suites : all.ciphers) = GetParam().suites;
    return all;
  }
  void open(const TlsClientOptions& with) { link.emplace(context(), with, &slot_); }
  void open() { open(options()); }
  void end() {
    link.reset();
    EXPECT_EQ(slots.give_back(slot_), 0U);
  }

  /// A dictionary of one connection with ourselves.
  Packer make_packer(std::unique_ptr<freezer::BlockFilter> filter = std::make_unique<CipherFilter>()) {
    SlotHeap& heap = take();
    freezer::Dictionary::Ref dictionary;
    {
      Link sample(context(), options(), &heap);
      EXPECT_TRUE(sample.handshake());
      const std::array samples{&heap};
      CipherFilter own;
      dictionary = freezer::Dictionary::build(samples, freezer::Dictionary::kOwnParameters, &own).value();
    }
    EXPECT_EQ(slots.give_back(heap), 0U);
    return Packer::make(dictionary, std::move(filter)).value();
  }
  void freeze() {
    image_ = packer.pack(slot_);
    ASSERT_TRUE(image_);
    ++freezes;
    largest = std::max(largest, image_.stored_bytes());
  }
  void thaw() { ASSERT_TRUE(packer.unpack(image_, &slot_)); }
  void freeze_and_thaw() {
    freeze();
    thaw();
  }

  /// What both sides make of a conversation: pieces of all sizes, sliced anywhere.
  std::string converse(const std::function<void()>& before_call) {
    open();
    std::mt19937 random(1);
    std::string transcript;
    link->before_call = before_call;
    EXPECT_TRUE(link->handshake(1 + random() % 300));
    for (const std::size_t bytes : {1U, 2U, 100U, 16383U, 16384U, 16385U, 40000U}) {
      std::string text(bytes, '\0');
      for (char& c : text) c = static_cast<char>(random());
      link->client.write(text);
      for (std::string out; !(out = link->client.take_output(1 + random() % 9000)).empty();) {
        link->to_server(out);
        transcript += link->server_read(1 + random() % 20000);
      }
      transcript += '|';
      for (std::string_view rest = text; !rest.empty();) {
        const net::IoResult result = link->server_write(rest);
        EXPECT_TRUE(result.bytes > 0 || result.status == net::IoStatus::kWantWrite);
        rest.remove_prefix(result.bytes);
        link->carry();
        transcript += link->client.read();
      }
      transcript += '|';
    }
    link->before_call = [] {};
    return transcript;
  }

  SlotHeap& slot_;
  freezer::Image image_;
  std::optional<Link> link;
  int freezes = 0;
  std::size_t largest = 0;
  // Made last: its sample takes another slot. Images end before it.
  Packer packer = make_packer();
};
INSTANTIATE_TEST_SUITE_P(Tls, FrozenTransport, testing::ValuesIn(kCases),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(FrozenTransport, SaysAndHearsTheSameWhenItIsFrozenBeforeEveryCall) {
  const std::string plain = converse([] {});
  link.reset();
  EXPECT_EQ(slot_.live_blocks(), 0U);
  EXPECT_GT(plain.size(), 150'000U);
  EXPECT_TRUE(converse([this] { freeze_and_thaw(); }) == plain);
  EXPECT_GT(freezes, 40);
}

TEST_P(FrozenTransport, BreaksWhenAThawDoes) {
  if (std::string_view(GetParam().name).ends_with("ChaCha"))
    GTEST_SKIP() << "has no context that is stripped";
  open();
  ASSERT_TRUE(link->handshake());
  Packer broken = make_packer(std::make_unique<BrokenFilter>());
  freezer::Image image = broken.pack(slot_);
  ASSERT_TRUE(broken.unpack(image, &slot_));
  link->client.write("ping");
  link->carry();
  EXPECT_NE(link->server_read(), "ping");
  EXPECT_EQ(link->status, net::IoStatus::kError);
}

TEST_P(FrozenTransport, TakesNewKeysThatCameWhileItWasFrozen) {
  if (GetParam().version != TLS1_3_VERSION) GTEST_SKIP() << "TLS 1.3 only";
  open();
  ASSERT_TRUE(link->handshake());
  for (int round = 0; round < 3; ++round) {
    freeze();
    SSL_key_update(link->client.ssl(), SSL_KEY_UPDATE_REQUESTED);
    link->client.write("under new keys");
    link->carry();
    thaw();
    EXPECT_EQ(link->server_read(), "under new keys");
    freeze_and_thaw();
    link->server_write("under ours");
    link->carry();
    EXPECT_EQ(link->client.read(), "under ours");
  }
}

TEST_P(FrozenTransport, SeesAGoodbyeThatCameWhileItWasFrozen) {
  open();
  ASSERT_TRUE(link->handshake());
  freeze();
  link->client.close_notify();
  link->carry();
  thaw();
  link->server_read();
  EXPECT_EQ(link->status, net::IoStatus::kEof);
  EXPECT_FALSE(link->server.truncated());
  freeze_and_thaw();
  link->server.shutdown_write();
  link->carry();
  link->client.read();
  EXPECT_TRUE(link->client.saw_close_notify());
}

TEST_P(FrozenTransport, SeesThatThePeerIsGone) {
  open();
  ASSERT_TRUE(link->handshake());
  freeze();
  link->wire.reset();
  thaw();
  link->server_read();
  EXPECT_EQ(link->status, net::IoStatus::kEof);
  EXPECT_TRUE(link->server.truncated());
}

TEST_P(FrozenTransport, MayBeFrozenInTheMiddleOfARecord) {
  open();
  ASSERT_TRUE(link->handshake());
  link->client.write("ping");
  const std::string record = link->client.take_output();
  for (std::size_t cut = 1; cut < record.size(); ++cut) {
    link->to_server(record.substr(cut - 1, 1));
    EXPECT_EQ(link->server_read(), "");
    freeze_and_thaw();
  }
  link->to_server(record.substr(record.size() - 1));
  EXPECT_EQ(link->server_read(), "ping");
}

TEST_P(FrozenTransport, IsResumedAndFrozenToo) {
  open();
  link->before_call = [this] { freeze_and_thaw(); };
  ASSERT_TRUE(link->handshake());
  const SessionPtr session = link->client.session();
  ASSERT_TRUE(session);
  link.reset();
  TlsClientOptions again = options();
  again.resume = session.get();
  open(again);
  link->before_call = [this] { freeze_and_thaw(); };
  ASSERT_TRUE(link->handshake());
  EXPECT_TRUE(link->server.info().resumed);
  EXPECT_EQ(link->server.info().server_name, "www.example.org");
  link->client.write("ping");
  link->carry();
  EXPECT_EQ(link->server_read(), "ping");
}

TEST_P(FrozenTransport, TakesAtMostTwoKibibytes) {
  open();
  ASSERT_TRUE(link->handshake());
  link->client.write("ping");
  link->carry();
  EXPECT_EQ(link->server_read(), "ping");
  freeze_and_thaw();
  EXPECT_LE(largest, 2048U);
}

}  // namespace
}  // namespace h2park::tls
