#include "http1/field_rules.hpp"

#include "http1/field_tokens.hpp"
#include "http1/request_target.hpp"

#include <charconv>

namespace h2park::http1 {
namespace {

constexpr unsigned kBadRequest = 400;
constexpr unsigned kExpectationFailed = 417;
constexpr unsigned kNotImplemented = 501;

// One pass over the fields, instead of one per rule.
struct Seen {
  unsigned hosts = 0;
  unsigned lengths = 0;
  unsigned codings = 0;
  std::string_view host, length, coding;
  bool close = false, keep_alive = false, expects_continue = false, expects_other = false;
};

void see_connection(std::string_view value, Seen& seen) {
  for_each_token(value, [&](std::string_view token) {
    if (equal_ignoring_case(token, "close")) seen.close = true;
    if (equal_ignoring_case(token, "keep-alive")) seen.keep_alive = true;
  });
}

void see_expect(std::string_view value, Seen& seen) {
  for_each_token(value, [&](std::string_view token) {
    (equal_ignoring_case(token, "100-continue") ? seen.expects_continue : seen.expects_other) = true;
  });
}

Seen look_at(const http::Fields& fields) {
  Seen seen;
  for (const http::Field field : fields) {
    switch (field.name.size()) {
      case 4:
        if (field.name == "host") ++seen.hosts, seen.host = field.value;
        break;
      case 6:
        if (field.name == "expect") see_expect(field.value, seen);
        break;
      case 10:
        if (field.name == "connection") see_connection(field.value, seen);
        break;
      case 14:
        if (field.name == "content-length") ++seen.lengths, seen.length = field.value;
        break;
      case 17:
        if (field.name == "transfer-encoding") ++seen.codings, seen.coding = field.value;
        break;
      default:
        break;
    }
  }
  return seen;
}

// RFC 9112 6.1 and 6.3: chunked is the only coding we decode, and it must be the last and come once.
unsigned check_codings(const http::RequestHead& head, const Seen& seen) {
  if (seen.codings == 0) return 0;
  if (head.version == http::Version::kHttp10 || seen.lengths > 0) return kBadRequest;
  if (seen.codings == 1 && equal_ignoring_case(seen.coding, "chunked")) return 0;
  std::string_view last;
  unsigned chunked = 0;
  unsigned others = 0;
  for (const http::Field field : head.fields) {
    if (field.name != "transfer-encoding") continue;
    for_each_token(field.value, [&](std::string_view token) {
      last = token;
      ++(equal_ignoring_case(token, "chunked") ? chunked : others);
    });
  }
  // Framed properly, but in a coding that we lack: 501. Anything else: 400.
  const bool framed = chunked == 1 && equal_ignoring_case(last, "chunked");
  return framed && others > 0 ? kNotImplemented : kBadRequest;
}

unsigned check_length(http::RequestHead& head, const Seen& seen) {
  if (seen.codings > 0) return 0;
  head.content_length = 0;
  if (seen.lengths == 0) return 0;
  std::uint64_t length = 0;
  const char* end = seen.length.data() + seen.length.size();
  const auto [stop, error] = std::from_chars(seen.length.data(), end, length);
  if (seen.lengths > 1 || seen.length.empty() || error != std::errc() || stop != end) return kBadRequest;
  head.content_length = length;
  return 0;
}

unsigned check_host(http::RequestHead& head, const Seen& seen) {
  if (seen.hosts > 1 || (seen.hosts == 0 && head.version == http::Version::kHttp11)) return kBadRequest;
  if (!is_valid_authority(seen.host)) return kBadRequest;
  if (head.authority.empty()) head.authority = seen.host;
  if (seen.hosts > 0) head.fields.remove("host");
  return 0;
}

}  // namespace

FieldFacts apply_field_rules(http::RequestHead& head) {
  const Seen seen = look_at(head.fields);
  FieldFacts facts;
  facts.keep_alive = !seen.close && (head.version == http::Version::kHttp11 || seen.keep_alive);
  facts.status = check_codings(head, seen);
  if (facts.status == 0) facts.status = check_length(head, seen);
  // RFC 9110 10.1.1: an HTTP/1.0 client's expectation is ignored, and one about no body is void.
  const bool heeds_expect = head.version == http::Version::kHttp11;
  if (facts.status == 0) facts.status = check_host(head, seen);  // invalidates the views in `seen`
  if (facts.status == 0 && heeds_expect && seen.expects_other) facts.status = kExpectationFailed;
  facts.expects_continue = heeds_expect && seen.expects_continue && head.content_length != 0;
  return facts;
}

}  // namespace h2park::http1
