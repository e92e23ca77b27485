// What a ResponseReader makes of some bytes, as one value that can be compared.
#pragma once

#include "http1/response_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::test {

using http1::BodyEnd;
using http1::Persistence;
using http1::RequestTraits;
using http1::ResponseFault;
using http1::ResponseLimits;
using http1::ResponseReader;
using State = http1::ResponseReader::State;

inline constexpr std::uint64_t kAllRoom = std::numeric_limits<std::uint64_t>::max();

/// Notes events as text, one a line; pieces of content that follow each other are one.
class ResponseRecorder final : public http1::ResponseSink {
 public:
  void on_informational(const http1::ResponseHead& head) override { note_head("informational ", head); }
  void on_head(const http1::ResponseHead& head) override { note_head("head ", head); }
  void on_body(std::string_view bytes) override;
  void on_trailer(std::string_view name, std::string_view value) override;

  std::string events;
  std::string body;
  std::string head_text;
  std::size_t body_events = 0;

 private:
  void note_head(std::string_view kind, const http1::ResponseHead& head);
};

struct Reading {
  std::string events;
  std::string body;
  State state = State::kHead;
  ResponseFault fault = ResponseFault::kNone;
  Persistence persistence = Persistence::kReusable;
  BodyEnd body_end = BodyEnd::kNone;
  std::string rest;  ///< what was not consumed; not compared after a fault

  bool operator==(const Reading&) const = default;
};
void PrintTo(const Reading& reading, std::ostream* out);

struct Delivery {
  std::vector<std::size_t> cuts;  ///< ascending offsets at which the input is cut
  std::uint64_t room = kAllRoom;  ///< for every call
  bool closed = false;            ///< the peer closes after the input
};

/// Reads one response from `input`, as a connection would: what take() leaves is shown again with more.
Reading read_response(ResponseReader& reader, const RequestTraits& traits, std::string_view input,
                      const Delivery& delivery);
/// The same with a fresh reader.
Reading read_response(const RequestTraits& traits, std::string_view input, const Delivery& delivery = {},
                      const ResponseLimits& limits = {});

/// Expects the same reading however `input` is cut: whole, once at every byte, at all bytes, and with little
/// room for content. Returns it.
Reading read_in_every_way(const RequestTraits& traits, std::string_view input, bool closed = false,
                          const ResponseLimits& limits = {});

}  // namespace h2park::test
