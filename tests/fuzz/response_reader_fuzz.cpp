// Fuzz target: an HTTP/1 client's reader against any bytes a server may send.
//
// 1. The first three bytes of the input are the controls: what the requests were and whether the server
//    closes; where the rest is cut; how much room there is for content. Everything after them is the
//    server's.
// 2. The rest is read as one response after the other, in one piece, and the rules of reading are checked at
//    every call (Reading).
// 3. It is read again cut into pieces, with little room: all that was seen must be the same.
//
// links: http1
#include "fuzz/finding.hpp"
#include "http1/response_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::fuzz {
namespace {

using http1::BodyEnd;
using http1::Persistence;
using http1::RequestTraits;
using http1::ResponseFault;
using http1::ResponseHead;
using http1::ResponseReader;
using State = ResponseReader::State;

// Small enough that inputs of a few hundred bytes reach them.
constexpr http1::ResponseLimits kLimits{
    .head_bytes = 512, .fields = 12, .trailer_bytes = 96, .informational = 3};
constexpr std::size_t kMaxResponses = 8;
constexpr std::uint64_t kAllRoom = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kControls = 3;

struct Controls {
  RequestTraits traits;
  bool closed = false;
  std::uint8_t cuts = 0;
  std::uint64_t room = 1;

  explicit Controls(std::string_view bytes)
      : traits{.head = (bytes[0] & 1) != 0, .connect = (bytes[0] & 2) != 0, .upgrade = (bytes[0] & 4) != 0},
        closed((bytes[0] & 8) != 0),
        cuts(static_cast<std::uint8_t>(bytes[1])),
        room(static_cast<std::uint8_t>(bytes[2]) % 32 + 1) {}

  // Pieces of 1 to 16 bytes, from a small generator: most cuts lie where it matters.
  std::size_t next_piece(std::uint32_t& state) const {
    if (cuts == 0) return 1;
    state = state * 1664525 + 1013904223 + cuts;
    return (state >> 24) % 16 + 1;
  }
};

// Everything about one response that must not depend on how it was cut.
struct Response {
  std::string events;
  std::string body;
  State state = State::kHead;
  ResponseFault fault = ResponseFault::kNone;
  std::optional<BodyEnd> body_end;
  std::optional<Persistence> persistence;
  std::optional<std::uint64_t> left;
  std::size_t consumed = 0;  // 0 after a fault: how far it then read is nobody's business

  bool operator==(const Response&) const = default;
};

bool is_clean(std::string_view value) {
  return std::ranges::none_of(value, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

// Reads one response and checks every step.
class Reading final : public http1::ResponseSink {
 public:
  Reading(ResponseReader& reader, const RequestTraits& traits) : reader_(reader), traits_(traits) {
    reader_.begin(traits);
    require(reader_.state() == State::kHead && !reader_.started(), "begin() begins");
  }

  std::size_t take(std::string_view input, std::uint64_t room) {
    const State before = reader_.state();
    room_ = room;
    const std::size_t consumed = reader_.take(input, room, *this);
    require(consumed <= input.size(), "take() consumes no more than there is");
    const bool ended = before == State::kComplete || before == State::kFailed;
    require(!ended || (consumed == 0 && reader_.state() == before), "nothing happens after the end");
    const bool waits = before == State::kBody && room_ == 0;
    const bool stops = ended || waits || reader_.state() != before;
    require(consumed == input.size() || stops, "input is left at the stops only");
    consumed_ += consumed;
    require(reader_.started() == (consumed_ > 0), "started() once a byte was taken");
    check_framing();
    return consumed;
  }

  Response result() {
    response_.state = reader_.state();
    response_.fault = reader_.fault();
    require((response_.state == State::kFailed) == (response_.fault != ResponseFault::kNone),
            "a fault has a name");
    if (response_.state != State::kFailed) response_.consumed = consumed_;
    if (final_) response_.persistence = reader_.persistence();
    return response_;
  }

  void on_informational(const ResponseHead& head) override {
    require(!final_ && head.status / 100 == 1 && head.status != 101, "1xx come before the final head");
    require(++informational_ <= kLimits.informational, "1xx are bounded");
    note_head(head);
  }
  void on_head(const ResponseHead& head) override {
    require(!final_, "one final head");
    require(head.status >= 200 || (head.status == 101 && traits_.upgrade), "a final head is final");
    final_ = true;
    note_head(head);
  }
  void on_body(std::string_view bytes) override {
    require(final_ && !trailers_ && !bytes.empty(), "content comes between head and trailers");
    require(bytes.size() <= room_, "no more content than there is room");
    room_ -= bytes.size();
    response_.body += bytes;
  }
  void on_trailer(std::string_view name, std::string_view value) override {
    require(final_ && reader_.body_end() == BodyEnd::kChunked, "only chunked bodies have trailers");
    trailers_ = true;
    note_field(name, value);
  }

 private:
  void note_head(const ResponseHead& head) {
    require(head.text.size() <= kLimits.head_bytes && head.text.ends_with('\n'),
            "a head is whole and bounded");
    require(head.fields.size() <= kLimits.fields, "fields are bounded");
    require(head.status >= 100 && head.status <= 999 && is_clean(head.reason), "a status line is clean");
    response_.events += std::to_string(head.status) + head.reason + "\n" + head.text;
    for (const http::Field field : head.fields) note_field(field.name, field.value);
  }
  void note_field(std::string_view name, std::string_view value) {
    require(!name.empty() && is_clean(name) && name.find_first_of(" \t:") == name.npos, "a name is a token");
    require(std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }), "names are lowered");
    require(is_clean(value), "a value has no controls");
    const bool trimmed =
        value.empty() || (value.find_first_of(" \t") != 0 && value.find_last_of(" \t") + 1 != value.size());
    require(trimmed, "a value has no space around it");
    response_.events.append(name).append("=").append(value).append("\n");
  }

  void check_framing() {
    if (reader_.state() == State::kFailed) {
      require(reader_.persistence() == Persistence::kFault, "no connection outlives a fault");
      return;
    }
    require((reader_.state() != State::kHead) == final_, "a final head ends kHead");
    if (!final_) return;
    const BodyEnd end = reader_.body_end();
    const auto left = reader_.body_left();
    if (!response_.body_end) {
      response_.body_end = end;
      response_.left = left;
    }
    require(end == BodyEnd::kNone || !traits_.head, "no body answers HEAD");
    require(end == *response_.body_end, "framing does not change on the way");
    require(end != BodyEnd::kNone || (reader_.state() == State::kComplete && response_.body.empty()),
            "no body is none");
    require(end != BodyEnd::kClose || reader_.persistence() != Persistence::kReusable,
            "an endless body ends its connection");
    if (reader_.state() == State::kComplete) require(left == 0, "nothing is left when complete");
    if (end == BodyEnd::kLength) {
      require(left.has_value() && response_.body.size() + *left == *response_.left,
              "content and rest are the length");
      require((*left == 0) == (reader_.state() == State::kComplete),
              "a length is complete when nothing is left");
    }
  }

  ResponseReader& reader_;
  const RequestTraits traits_;
  Response response_;
  std::uint64_t room_ = 0;
  std::size_t consumed_ = 0;
  unsigned informational_ = 0;
  bool final_ = false;
  bool trailers_ = false;
};

// What a connection does: whatever is left is shown again with more.
Response read_whole(ResponseReader& reader, const Controls& controls, std::string_view input) {
  Reading reading(reader, controls.traits);
  while (const std::size_t consumed = reading.take(input, kAllRoom)) input.remove_prefix(consumed);
  if (controls.closed) reader.end_of_input(input);
  return reading.result();
}

Response read_in_pieces(ResponseReader& reader, const Controls& controls, std::string_view input) {
  Reading reading(reader, controls.traits);
  std::uint32_t random = controls.cuts;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool open = controls.closed;
  for (;;) {
    // The close may be seen while content still waits for room.
    if (open && end == input.size() && (reader.state() == State::kBody || begin == end)) {
      reader.end_of_input(input.substr(begin));
      open = false;
    }
    const std::size_t consumed = reading.take(input.substr(begin, end - begin), controls.room);
    begin += consumed;
    if (consumed > 0) continue;
    if (end == input.size()) return reading.result();
    end = std::min(input.size(), end + controls.next_piece(random));
  }
}

void check(std::string_view bytes) {
  const Controls controls(bytes);
  std::string_view input = bytes.substr(kControls);
  ResponseReader whole(kLimits);
  ResponseReader pieces(kLimits);
  for (std::size_t i = 0; i < kMaxResponses; ++i) {
    const Response response = read_whole(whole, controls, input);
    require(read_in_pieces(pieces, controls, input) == response, "cuts make no difference");
    if (response.state != State::kComplete || input.empty()) return;
    input.remove_prefix(response.consumed);
  }
}

}  // namespace
}  // namespace h2park::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < h2park::fuzz::kControls) return -1;  // keep it out of the corpus
  h2park::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
