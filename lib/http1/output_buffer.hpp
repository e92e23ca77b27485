// Gathers what one produce() writes, so that a head and a small body leave in one piece.
#pragma once

#include "http/session.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace h2park::http1 {

/// On the stack of produce(), never kept. When the socket fills up, at most this much of a body has been
/// taken from its exchange and waits in the connection: 8 KiB, so that a stalled response owns this, 16 KiB
/// of queue and no more.
class OutputBuffer {
 public:
  static constexpr std::size_t kBytes = 8 * 1024 + 256;

  explicit OutputBuffer(http::OutputSink& sink) : sink_(sink) {}
  OutputBuffer(const OutputBuffer&) = delete;
  OutputBuffer& operator=(const OutputBuffer&) = delete;

  void append(std::string_view text) {
    while (!text.empty()) {
      if (used_ == data_.size()) flush();
      const std::size_t bytes = std::min(text.size(), data_.size() - used_);
      std::memcpy(data_.data() + used_, text.data(), bytes);
      used_ += bytes;
      text.remove_prefix(bytes);
    }
  }
  /// Contiguous room of `at_least` bytes or more. Requires: at_least <= kBytes.
  std::span<char> room(std::size_t at_least) {
    if (data_.size() - used_ < at_least) flush();
    return std::span(data_).subspan(used_);
  }
  /// The first `bytes` of the last room() were filled.
  void commit(std::size_t bytes) { used_ += bytes; }
  void flush() {
    if (used_ > 0) sink_.write(std::as_bytes(std::span(data_).first(used_)));
    used_ = 0;
  }

 private:
  http::OutputSink& sink_;
  std::size_t used_ = 0;
  std::array<char, kBytes> data_;  // left uninitialised on purpose
};

}  // namespace h2park::http1
