#include "handlers/request_id.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <random>

namespace h2park::handlers {
namespace {

constexpr std::string_view kFieldName = "x-request-id";
constexpr std::size_t kMaxBytes = 128;  // a UUID with a prefix fits many times; a log line stays a line

std::uint64_t random_prefix() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

// No locks and no shared cache line: each thread has its own prefix and counts.
void make_id(std::pmr::string& id) {
  thread_local const std::uint64_t prefix = random_prefix();
  thread_local std::uint64_t count = 0;
  constexpr std::string_view kDigits = "0123456789abcdef";
  char text[16 + 1 + 20];
  for (unsigned i = 0; i < 16; ++i) text[i] = kDigits[(prefix >> (60 - 4 * i)) & 15];
  text[16] = '-';
  const auto end = std::to_chars(text + 17, std::end(text), ++count).ptr;
  id.assign(text, static_cast<std::size_t>(end - text));
}

bool is_sane(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+/=:@").contains(c);
}

}  // namespace

bool is_sane_request_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxBytes && std::ranges::all_of(id, is_sane);
}

std::string_view request_id_of(http::Exchange& exchange) {
  if (exchange.request_id.empty()) make_id(exchange.request_id);
  return exchange.request_id;
}

std::string_view announce_request_id(http::Responder& response) {
  const std::string_view id = request_id_of(response.exchange());
  if (!response.started()) response.fields().set(kFieldName, id);
  return id;
}

http::Middleware request_id_middleware(bool always) {
  return [always](http::Request& request, http::Responder& response, const http::Handler& next) {
    const auto theirs = request.fields().find(kFieldName);
    if (theirs && is_sane_request_id(*theirs)) request.exchange().request_id = *theirs;
    if (always || !request.exchange().request_id.empty()) announce_request_id(response);
    return next(request, response);
  };
}

}  // namespace h2park::handlers
