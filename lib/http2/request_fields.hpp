// RequestFields: turns the fields of one field block into a request's head, or into trailers.
//
// 1. nghttp2 has checked characters, pseudo-fields and connection-specific fields (RFC 9113 8.2, 8.3).
// 2. Each field is charged name + value + 32 (6.5.2). Past a limit nothing more is kept, but nghttp2 goes on
//    decoding, so that the HPACK tables stay in step (4.3).
// 3. Cookie crumbs are joined (8.2.3): one field towards the field limit. Host becomes the authority.
// 4. finish() makes the checks that need the whole block.
//
// One object per session serves all streams: the frames of a field block are contiguous.
#pragma once

#include "http/fields.hpp"
#include "http/request_head.hpp"
#include "http/session.hpp"

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

namespace h2park::http2 {

/// Thread: the connection's.
class RequestFields {
 public:
  enum class Verdict : std::uint8_t {
    kGood,
    kTooLarge,   ///< 431 (RFC 9113 10.5.1); for trailers: reset the stream
    kMalformed,  ///< stream error PROTOCOL_ERROR (RFC 9113 8.1.1)
  };

  RequestFields(std::pmr::memory_resource* memory, const http::SessionOptions& options)
      : memory_(memory), options_(options), host_(memory), cookie_(memory) {}

  /// Lifetime: `head` lives until finish() or the next begin.
  void begin_request(http::RequestHead& head);
  void begin_trailers(http::Fields& trailers);
  void add(std::string_view name, std::string_view value);
  Verdict finish_request(bool end_of_stream);
  Verdict finish_trailers();
  /// Bytes charged to the block that is being collected, for the memory figures.
  std::size_t charged_bytes() const { return charged_; }

 private:
  void begin();
  void add_pseudo(std::string_view name, std::string_view value);
  void add_regular(std::string_view name, std::string_view value);
  bool over_limit(std::string_view name, std::string_view value);
  void forget();
  void end();

  std::pmr::memory_resource* memory_;
  const http::SessionOptions& options_;

  http::RequestHead* head_ = nullptr;
  http::Fields* fields_ = nullptr;
  std::pmr::string host_;
  std::pmr::string cookie_;
  std::size_t charged_ = 0;
  std::size_t count_ = 0;
  bool over_ = false;
};

}  // namespace h2park::http2
