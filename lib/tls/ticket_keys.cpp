#include "tls/ticket_keys.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <utility>

namespace h2park::tls {
namespace {

std::optional<TicketKeys::Key> make_key() {
  TicketKeys::Key key;
  const auto fill = [](auto& bytes) {
    return RAND_priv_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1;
  };
  const bool named = RAND_bytes(key.name.data(), static_cast<int>(key.name.size())) == 1;
  if (!named || !fill(key.cipher) || !fill(key.mac)) return std::nullopt;
  return key;
}

}  // namespace

TicketKeys::Key::~Key() { OPENSSL_cleanse(this, sizeof *this); }

TicketKeys::TicketKeys(std::function<TimePoint()> now) : now_(std::move(now)) {}

void TicketKeys::rotate() {
  const TimePoint now = now_();
  if (current_ && now - since_ < kPeriod) return;
  // After a quiet spell the current key may be so old that even the place of the previous one is not due to
  // it.
  if (current_ && now - since_ < 2 * kPeriod) {
    previous_ = current_;
  } else {
    previous_.reset();
  }
  current_ = make_key();
  since_ = now;
}

std::optional<TicketKeys::Key> TicketKeys::current() {
  const std::lock_guard lock(mutex_);
  rotate();
  return current_;
}

std::optional<TicketKeys::Key> TicketKeys::find(std::span<const unsigned char, kNameBytes> name) {
  const std::lock_guard lock(mutex_);
  rotate();
  for (const auto* key : {&current_, &previous_}) {
    if (*key && std::ranges::equal((*key)->name, name)) return *key;
  }
  return std::nullopt;
}

bool TicketKeys::is_current(const Key& key) {
  const std::lock_guard lock(mutex_);
  return current_ && current_->name == key.name;
}

}  // namespace h2park::tls
