#include "http1/response_text.hpp"

#include "http/date.hpp"
#include "http1/field_rules.hpp"
#include "http1/request_line.hpp"

#include <array>
#include <charconv>

#include <boost/beast/http/status.hpp>

namespace h2park::http1 {
namespace {

constexpr std::string_view kCrlf = "\r\n";

// RFC 9112 4 lets the reason be empty, but not the space before it.
std::string_view reason_of(unsigned status) {
  const auto known = boost::beast::http::int_to_status(status);
  if (known == boost::beast::http::status::unknown) return {};
  const auto reason = boost::beast::http::obsolete_reason(known);
  return {reason.data(), reason.size()};
}

// "HTTP/1.1 404 Not Found\r\n" in `room`; the version is ours, whatever the client's (RFC 9110 6.2).
std::string_view status_line(unsigned status, std::array<char, 96>& room) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  char* at = std::copy(kVersion.begin(), kVersion.end(), room.data());
  at = std::to_chars(at, room.data() + room.size(), status).ptr;
  *at++ = ' ';
  const std::string_view reason = reason_of(status);
  at = std::copy(reason.begin(), reason.end(), at);
  at = std::copy(kCrlf.begin(), kCrlf.end(), at);
  return {room.data(), static_cast<std::size_t>(at - room.data())};
}

bool is_harmful(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }

std::size_t harmful_at(std::string_view value) {
  const auto* at = std::find_if(value.begin(), value.end(), is_harmful);
  return static_cast<std::size_t>(at - value.begin());
}

template <class Out>
void append_value(Out& out, std::string_view value) {
  for (std::size_t bad = harmful_at(value); bad < value.size(); bad = harmful_at(value)) {
    out.append(value.substr(0, bad));
    out.append(std::string_view(" "));
    value.remove_prefix(bad + 1);
  }
  out.append(value);
}

template <class Out>
void append_line(Out& out, std::string_view name, std::string_view value) {
  if (!is_token(name)) return;
  out.append(name);
  out.append(std::string_view(": "));
  append_value(out, value);
  out.append(kCrlf);
}

bool is_head_only(std::string_view name) {
  return http::is_connection_field(name) || name == "content-length" || name == "trailer" || name == "host" ||
         name == "content-encoding" || name == "content-type" || name == "content-range" ||
         name == "set-cookie" || name == "date";
}

}  // namespace

void append_status_line(OutputBuffer& out, unsigned status) {
  if (status == 200) return out.append("HTTP/1.1 200 OK\r\n");
  std::array<char, 96> room;
  out.append(status_line(status, room));
}

void append_date(OutputBuffer& out, std::chrono::system_clock::time_point wall) {
  out.append("date: ");
  out.append(http::date_text(wall));
  out.append(kCrlf);
}

void append_number_field(OutputBuffer& out, std::string_view name, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(name);
  out.append(": ");
  out.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
  out.append(kCrlf);
}

void append_field(OutputBuffer& out, std::string_view name, std::string_view value) {
  append_line(out, name, value);
}

void append_handler_fields(OutputBuffer& out, const http::Fields& fields) {
  for (const http::Field field : fields) {
    if (http::is_connection_field(field.name) || field.name == "content-length") continue;
    append_line(out, field.name, field.value);
  }
}

void append_trailers(OutputBuffer& out, const http::Fields& trailers) {
  for (const http::Field field : trailers) {
    if (!is_head_only(field.name)) append_line(out, field.name, field.value);
  }
}

void append_informational(std::pmr::string& out, unsigned status, const http::Fields& fields) {
  std::array<char, 96> room;
  out.append(status_line(status, room));
  for (const http::Field field : fields) {
    if (!http::is_connection_field(field.name) && field.name != "content-length")
      append_line(out, field.name, field.value);
  }
  out.append(kCrlf);
}

void append_refusal(OutputBuffer& out, unsigned status, std::chrono::system_clock::time_point wall) {
  std::array<char, 96> room;
  // The body is what a person sees: the status line without its version.
  const std::string_view body = status_line(status, room).substr(std::string_view("HTTP/1.1 ").size());
  append_status_line(out, status);
  append_date(out, wall);
  out.append("content-type: text/plain\r\n");
  append_number_field(out, "content-length", body.size());
  out.append("connection: close\r\n\r\n");
  out.append(body);
}

std::size_t write_chunk_head(char* where, std::size_t bytes) {
  char* end = std::to_chars(where, where + kChunkHeadBytes - kCrlf.size(), bytes, 16).ptr;
  end = std::copy(kCrlf.begin(), kCrlf.end(), end);
  return static_cast<std::size_t>(end - where);
}

}  // namespace h2park::http1
