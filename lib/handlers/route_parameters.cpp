#include "handlers/route_parameters.hpp"

#include "base/units.hpp"

#include <algorithm>

namespace h2park::handlers {
namespace {

// Nothing if the query does not have it: the default holds. "?n=" is a mistake, not a default.
std::optional<std::string> text_of(const http::Request& request, From from, std::string_view name) {
  if (from == From::kPath) return std::string(request.parameter(name));
  return request.query(name);
}

// One line, whatever the client wrote into the parameter that the reason quotes.
std::unexpected<Error> refuse(std::string_view name, std::string_view why) {
  constexpr std::size_t kReasonBytes = 200;
  std::string line = std::string(name) + ": ";
  for (const char c : why.substr(0, kReasonBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return fail(std::move(line));
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<std::uint64_t> size_parameter(const http::Request& request, From from, std::string_view name,
                                     std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
  const auto text = text_of(request, from, name);
  if (!text) return otherwise;
  const auto size = parse_size(*text);
  if (!size) return refuse(name, size.error().message);
  if (*size < least || *size > most) {
    return refuse(name, "not between " + format_size(least) + " and " + format_size(most));
  }
  return *size;
}

Result<std::uint64_t> count_parameter(const http::Request& request, From from, std::string_view name,
                                      std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
  const auto text = text_of(request, from, name);
  if (!text) return otherwise;
  const auto count = parse_count(*text, least, most);
  if (!count) return refuse(name, count.error().message);
  return *count;
}

Result<Duration> duration_parameter(const http::Request& request, From from, std::string_view name,
                                    Duration least, Duration most, Duration otherwise) {
  const auto text = text_of(request, from, name);
  if (!text) return otherwise;
  const auto duration = parse_duration(all_digits(*text) ? *text + "ms" : *text);
  if (!duration) return refuse(name, duration.error().message);
  if (*duration < least || *duration > most) {
    return refuse(name, "not between " + format_duration(least) + " and " + format_duration(most));
  }
  return *duration;
}

}  // namespace h2park::handlers
