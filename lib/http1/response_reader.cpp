#include "http1/response_reader.hpp"

#include "http1/chunked_body.hpp"
#include "http1/field_block.hpp"
#include "http1/response_framing.hpp"
#include "http1/status_line.hpp"

#include <algorithm>
#include <cstring>

namespace h2park::http1 {

// 1. A head's bytes are taken as they come and kept as the head's text; each is looked at once. A line that
// is
//    complete is checked (the first) or added to the block of fields (the others).
// 2. The empty line ends the head: the fields are parsed, and their framing judged. 1xx heads start it again.
// 3. Content is handed over as the framing has it.
class ResponseReader::Parser {
 public:
  explicit Parser(const ResponseLimits& limits) : limits_(limits), chunked_(limits) {}

  void begin(const RequestTraits& traits);
  std::size_t take(std::string_view input, std::uint64_t body_room, ResponseSink& sink);
  void end_of_input(std::string_view unread);

  State state() const { return state_; }
  ResponseFault fault() const { return fault_; }
  const ResponseHead& head() const { return head_; }
  const ResponseFraming& framing() const { return framing_; }
  bool started() const { return started_; }
  std::optional<std::uint64_t> body_left() const;
  Persistence persistence() const;

 private:
  std::size_t take_head(std::string_view input, ResponseSink& sink);
  std::size_t take_body(std::string_view input, std::uint64_t room, ResponseSink& sink);
  std::size_t take_content(std::string_view input, std::uint64_t most, ResponseSink& sink);
  void clear_head();
  void end_line(ResponseSink& sink);
  void begin_head(std::string_view line);
  void add_field(std::string_view line);
  void end_head(ResponseSink& sink);
  void end_informational(ResponseSink& sink);
  void end_final(ResponseSink& sink);
  void input_ended();
  void fail(ResponseFault fault);

  const ResponseLimits limits_;
  RequestTraits traits_;
  State state_ = State::kHead;
  ResponseFault fault_ = ResponseFault::kNone;
  bool started_ = false;
  ResponseHead head_;
  FieldBlock block_;
  std::size_t line_start_ = 0;  // in head_.text; 0: the status line is not complete
  unsigned informational_ = 0;
  bool closing_ = false;  // said so in a 1xx
  ResponseFraming framing_;
  std::uint64_t left_ = 0;                  // kLength: content to come
  std::optional<std::size_t> ended_after_;  // input ended, but this much of it waits for room
  ChunkedBody chunked_;
};

void ResponseReader::Parser::begin(const RequestTraits& traits) {
  traits_ = traits;
  state_ = State::kHead;
  fault_ = ResponseFault::kNone;
  started_ = closing_ = false;
  informational_ = 0;
  framing_ = {};
  left_ = 0;
  ended_after_.reset();
  clear_head();
}

void ResponseReader::Parser::clear_head() {
  head_.reason.clear();
  head_.fields.clear();
  head_.text.clear();
  head_.status = 0;
  block_.clear();
  line_start_ = 0;
}

std::size_t ResponseReader::Parser::take(std::string_view input, std::uint64_t body_room,
                                         ResponseSink& sink) {
  if (input.empty()) return 0;
  std::size_t taken = 0;
  if (state_ == State::kHead) {
    taken = take_head(input, sink);
  } else if (state_ == State::kBody) {
    taken = take_body(input, body_room, sink);
  }
  started_ = started_ || taken > 0;
  if (ended_after_ && state_ == State::kBody && (*ended_after_ -= std::min(*ended_after_, taken)) == 0) {
    input_ended();
  }
  return taken;
}

// ---- heads

std::size_t ResponseReader::Parser::take_head(std::string_view input, ResponseSink& sink) {
  std::size_t taken = 0;
  while (state_ == State::kHead && taken < input.size()) {
    const std::string_view rest = input.substr(taken);
    const auto* lf = static_cast<const char*>(std::memchr(rest.data(), '\n', rest.size()));
    const std::size_t bytes = lf == nullptr ? rest.size() : static_cast<std::size_t>(lf - rest.data()) + 1;
    head_.text.append(rest.substr(0, bytes));
    taken += bytes;
    // In this order, so that the verdict is that of the first byte that is wrong.
    if (line_start_ == 0 && !may_become_status_line(head_.text)) {
      fail(ResponseFault::kStatusLine);
    } else if (head_.text.size() > limits_.head_bytes) {
      fail(ResponseFault::kHeadTooLarge);
    } else if (lf != nullptr) {
      end_line(sink);
    }
  }
  return taken;
}

// RFC 9112 2.2: a bare LF ends a line of the head as well.
void ResponseReader::Parser::end_line(ResponseSink& sink) {
  std::string_view line = std::string_view(head_.text).substr(line_start_);
  line.remove_suffix(line.ends_with("\r\n") ? 2 : 1);
  if (line_start_ == 0) {
    begin_head(line);
  } else if (line.empty()) {
    return end_head(sink);
  } else {
    add_field(line);
  }
  line_start_ = head_.text.size();
}

void ResponseReader::Parser::begin_head(std::string_view line) {
  const auto status_line = parse_status_line(line);
  if (!status_line) return fail(ResponseFault::kStatusLine);
  head_.version = status_line->version;
  head_.status = status_line->status;
  head_.reason = status_line->reason;
}

void ResponseReader::Parser::add_field(std::string_view line) {
  if (!block_.add_line(line)) return fail(ResponseFault::kField);
  if (block_.fields() > limits_.fields) fail(ResponseFault::kHeadTooLarge);
}

void ResponseReader::Parser::end_head(ResponseSink& sink) {
  if (!block_.parse(head_.fields)) return fail(ResponseFault::kField);
  const bool informational = head_.status / 100 == 1;
  if (!informational || (head_.status == 101 && traits_.upgrade)) return end_final(sink);
  if (head_.status == 101) return fail(ResponseFault::kSwitch);
  end_informational(sink);
}

void ResponseReader::Parser::end_informational(ResponseSink& sink) {
  if (++informational_ > limits_.informational) return fail(ResponseFault::kInformational);
  closing_ = closing_ || announces_close(head_);
  sink.on_informational(head_);
  clear_head();
}

void ResponseReader::Parser::end_final(ResponseSink& sink) {
  framing_ = judge_framing(head_, traits_);
  if (framing_.fault != ResponseFault::kNone) return fail(framing_.fault);
  if (closing_ && framing_.persistence != Persistence::kTunnel)
    framing_.persistence = Persistence::kCloseField;
  left_ = framing_.length;
  if (framing_.body_end == BodyEnd::kChunked) chunked_.begin();
  state_ = framing_.body_end == BodyEnd::kNone ? State::kComplete : State::kBody;
  sink.on_head(head_);
}

// ---- bodies

std::size_t ResponseReader::Parser::take_body(std::string_view input, std::uint64_t room,
                                              ResponseSink& sink) {
  std::size_t taken = 0;
  switch (framing_.body_end) {
    case BodyEnd::kNone:
      break;
    case BodyEnd::kLength:
      taken = take_content(input, std::min(room, left_), sink);
      left_ -= taken;
      if (left_ == 0) state_ = State::kComplete;
      break;
    case BodyEnd::kClose:
      taken = take_content(input, room, sink);
      break;
    case BodyEnd::kChunked:
      taken = chunked_.take(input, room, sink);
      if (chunked_.fault() != ResponseFault::kNone) fail(chunked_.fault());
      if (chunked_.is_done()) state_ = State::kComplete;
      break;
  }
  return taken;
}

std::size_t ResponseReader::Parser::take_content(std::string_view input, std::uint64_t most,
                                                 ResponseSink& sink) {
  const std::string_view content =
      input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, input.size())));
  if (!content.empty()) sink.on_body(content);
  return content.size();
}

std::optional<std::uint64_t> ResponseReader::Parser::body_left() const {
  if (state_ == State::kComplete) return 0;
  if (framing_.body_end == BodyEnd::kLength) return left_;
  return std::nullopt;
}

Persistence ResponseReader::Parser::persistence() const {
  return state_ == State::kFailed ? Persistence::kFault : framing_.persistence;
}

// ---- the end

void ResponseReader::Parser::end_of_input(std::string_view unread) {
  if (state_ == State::kHead) {
    fail(started_ || !unread.empty() ? ResponseFault::kCutShort : ResponseFault::kEmptyReply);
  } else if (state_ == State::kBody && !unread.empty()) {
    ended_after_ = unread.size();
  } else if (state_ == State::kBody) {
    input_ended();
  }
}

void ResponseReader::Parser::input_ended() {
  if (framing_.body_end != BodyEnd::kClose) return fail(ResponseFault::kCutShort);
  state_ = State::kComplete;
}

void ResponseReader::Parser::fail(ResponseFault fault) {
  state_ = State::kFailed;
  fault_ = fault;
}

// ---- ResponseReader

ResponseReader::ResponseReader(const ResponseLimits& limits) : parser_(std::make_unique<Parser>(limits)) {}
ResponseReader::~ResponseReader() = default;

void ResponseReader::begin(const RequestTraits& traits) { parser_->begin(traits); }
std::size_t ResponseReader::take(std::string_view input, std::uint64_t body_room, ResponseSink& sink) {
  return parser_->take(input, body_room, sink);
}
void ResponseReader::end_of_input(std::string_view unread) { parser_->end_of_input(unread); }

ResponseReader::State ResponseReader::state() const { return parser_->state(); }
ResponseFault ResponseReader::fault() const { return parser_->fault(); }
const ResponseHead& ResponseReader::head() const { return parser_->head(); }
BodyEnd ResponseReader::body_end() const { return parser_->framing().body_end; }
std::optional<std::uint64_t> ResponseReader::body_left() const { return parser_->body_left(); }
Persistence ResponseReader::persistence() const { return parser_->persistence(); }
std::optional<std::chrono::seconds> ResponseReader::keep_alive_timeout() const {
  return parser_->framing().keep_alive_timeout;
}
std::optional<unsigned> ResponseReader::keep_alive_max() const { return parser_->framing().keep_alive_max; }
bool ResponseReader::started() const { return parser_->started(); }

}  // namespace h2park::http1
