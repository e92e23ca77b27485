#include "http1/response_framing.hpp"

#include "http1/field_tokens.hpp"

#include <algorithm>
#include <charconv>

namespace h2park::http1 {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Content-Length, over all its fields.
struct Length {
  bool present = false;
  bool valid = true;
  std::uint64_t value = 0;

  // Unlike in other lists an empty element makes it invalid: a lost number is no number.
  void see(std::string_view list) {
    for (;;) {
      const std::size_t comma = list.find(',');
      see_one(trim(list.substr(0, comma)));
      if (comma == std::string_view::npos) return;
      list.remove_prefix(comma + 1);
    }
  }
  void see_one(std::string_view text) {
    const auto number = parse_number<std::uint64_t>(text);
    valid = valid && number && (!present || *number == value);
    if (number) value = *number;
    present = true;
  }
};

// Transfer-Encoding, over all its fields.
struct Codings {
  bool present = false;
  unsigned chunked = 0;
  unsigned others = 0;
  bool chunked_is_last = false;

  void see(std::string_view list) {
    present = true;
    for_each_token(list, [&](std::string_view token) {
      chunked_is_last = equal_ignoring_case(token, "chunked");
      ++(chunked_is_last ? chunked : others);
    });
  }
  bool only_chunked() const { return chunked == 1 && others == 0; }
};

struct Seen {
  Length length;
  Codings codings;
  bool close = false;
  bool keep_alive = false;
  std::optional<unsigned> timeout;
  std::optional<unsigned> max;
};

void see_connection(std::string_view value, Seen& seen) {
  for_each_token(value, [&](std::string_view token) {
    if (equal_ignoring_case(token, "close")) seen.close = true;
    if (equal_ignoring_case(token, "keep-alive")) seen.keep_alive = true;
  });
}

// "timeout=5, max=100". Of several values the smallest is the safe one.
void see_keep_alive(std::string_view value, Seen& seen) {
  for_each_token(value, [&](std::string_view token) {
    const std::size_t mark = token.find('=');
    if (mark == std::string_view::npos) return;
    const auto number = parse_number<unsigned>(trim(token.substr(mark + 1)));
    if (!number) return;
    const std::string_view name = trim(token.substr(0, mark));
    if (equal_ignoring_case(name, "timeout"))
      seen.timeout = std::min(*number, seen.timeout.value_or(*number));
    if (equal_ignoring_case(name, "max")) seen.max = std::min(*number, seen.max.value_or(*number));
  });
}

// One pass over the fields, instead of one per rule.
Seen look_at(const http::Fields& fields) {
  Seen seen;
  for (const http::Field field : fields) {
    switch (field.name.size()) {
      case 10:
        if (field.name == "connection") see_connection(field.value, seen);
        if (field.name == "keep-alive") see_keep_alive(field.value, seen);
        break;
      case 14:
        if (field.name == "content-length") seen.length.see(field.value);
        break;
      case 17:
        if (field.name == "transfer-encoding") seen.codings.see(field.value);
        break;
      default:
        break;
    }
  }
  return seen;
}

// 6.3 rule 2, and 101, which only comes this far if it was asked for.
bool opens_tunnel(unsigned status, const RequestTraits& traits) {
  return status == 101 || (traits.connect && status / 100 == 2);
}

// 6.3, in the order of its rules.
void judge_body(unsigned status, const RequestTraits& traits, const Seen& seen, ResponseFraming& framing) {
  if (traits.head || status == 204 || status == 304 || opens_tunnel(status, traits)) return;
  if (seen.codings.present) {
    framing.body_end = seen.codings.chunked_is_last ? BodyEnd::kChunked : BodyEnd::kClose;
  } else if (!seen.length.present) {
    framing.body_end = BodyEnd::kClose;
  } else if (!seen.length.valid) {
    framing.fault = ResponseFault::kLength;
  } else if (seen.length.value > 0) {
    framing.body_end = BodyEnd::kLength;
    framing.length = seen.length.value;
  }
}

Persistence judge_persistence(const ResponseHead& head, const RequestTraits& traits, const Seen& seen,
                              BodyEnd body_end) {
  const bool old = head.version == http::Version::kHttp10;
  if (opens_tunnel(head.status, traits)) return Persistence::kTunnel;
  if (seen.close) return Persistence::kCloseField;
  if (seen.codings.present && (old || seen.length.present || !seen.codings.only_chunked())) {
    return Persistence::kTransferCoding;
  }
  if (old && !seen.keep_alive) return Persistence::kHttp10;
  if (body_end == BodyEnd::kClose) return Persistence::kUntilClose;
  return Persistence::kReusable;
}

}  // namespace

ResponseFraming judge_framing(const ResponseHead& head, const RequestTraits& traits) {
  const Seen seen = look_at(head.fields);
  ResponseFraming framing;
  judge_body(head.status, traits, seen, framing);
  framing.persistence = judge_persistence(head, traits, seen, framing.body_end);
  if (seen.timeout) framing.keep_alive_timeout = std::chrono::seconds(*seen.timeout);
  framing.keep_alive_max = seen.max;
  return framing;
}

bool announces_close(const ResponseHead& head) { return head.fields.has_token("connection", "close"); }

}  // namespace h2park::http1
