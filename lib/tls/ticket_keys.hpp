// TicketKeys: the keys that session tickets are sealed with, so that the server keeps no session itself (RFC
// 5077).
//
// 1. Tickets are sealed with the current key: AES-256-CBC, then HMAC-SHA-256, as RFC 5077 4 recommends.
// 2. A key seals for one rotation period. The one before it still opens tickets for the next period, then it
//    is erased: a stolen memory image opens at most two periods of recorded TLS 1.2 traffic.
// 3. A ticket's lifetime is one period, so a ticket within its lifetime can always be opened.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

namespace h2park::tls {

/// Thread: any; shared by all serving threads. Lifetime: outlives a reload of the certificate, so that
/// tickets of the old context open in the new one.
class TicketKeys {
 public:
  static constexpr std::size_t kNameBytes = 16;
  static constexpr std::size_t kSecretBytes = 32;
  /// An hour: what browsers need is minutes, and RFC 8446 4.6.1 allows seven days at most.
  static constexpr std::chrono::seconds kPeriod = std::chrono::hours(1);

  /// A copy of one key; erased when destroyed.
  struct Key {
    std::array<unsigned char, kNameBytes> name{};
    std::array<unsigned char, kSecretBytes> cipher{};
    std::array<unsigned char, kSecretBytes> mac{};

    Key() = default;
    Key(const Key&) = default;
    Key& operator=(const Key&) = default;
    ~Key();
  };

  /// `now` may be called from any thread.
  explicit TicketKeys(std::function<TimePoint()> now = &Clock::now);

  /// The key to seal a new ticket with. Nothing if the system has no randomness: then no ticket is given.
  std::optional<Key> current();
  /// The key named in a ticket; nothing if it is unknown or too old (then a full handshake follows).
  std::optional<Key> find(std::span<const unsigned char, kNameBytes> name);
  /// Whether a ticket sealed with `key` should be replaced: it is not the current one any more.
  bool is_current(const Key& key);

 private:
  void rotate();

  const std::function<TimePoint()> now_;
  std::mutex mutex_;
  // guarded by mutex_
  std::optional<Key> current_;
  std::optional<Key> previous_;
  TimePoint since_{};  // when current_ was made
};

}  // namespace h2park::tls
