// Preface: tells HTTP/2 by prior knowledge from HTTP/1 on a plain connection (RFC 9113 3.4), however the
// bytes are split.
#pragma once

#include "http2/session_factory.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace h2park::server {

using http2::kClientPreface;

/// The bytes seen so far are a prefix of the preface, so their number says what they were: nothing is kept.
class Preface {
 public:
  enum class Verdict : std::uint8_t { kMore, kHttp1, kHttp2 };

  /// Looks at the next bytes. After kHttp1 or kHttp2 the session gets seen() and then all of `bytes`.
  Verdict look(std::span<const std::byte> bytes) {
    std::size_t matched = matched_;
    for (const std::byte byte : bytes) {
      if (static_cast<char>(byte) != kClientPreface[matched]) return Verdict::kHttp1;
      if (++matched == kClientPreface.size()) return Verdict::kHttp2;
    }
    matched_ = static_cast<std::uint8_t>(matched);
    return Verdict::kMore;
  }
  /// What came before the bytes of the call that decided.
  std::span<const std::byte> seen() const {
    return std::as_bytes(std::span(kClientPreface.substr(0, matched_)));
  }

 private:
  std::uint8_t matched_ = 0;
};

}  // namespace h2park::server
