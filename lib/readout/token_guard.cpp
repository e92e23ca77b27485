#include "readout/token_guard.hpp"

#include "tls/equal_secrets.hpp"

#include <cstdint>
#include <optional>

#include <boost/beast/core/string.hpp>

namespace h2park::readout {
namespace {

// RFC 9110 11.4: scheme, blanks, credentials. "" if it is another scheme.
std::string_view credentials_of(std::string_view authorization, std::string_view scheme) {
  const std::size_t end = std::min(authorization.find(' '), authorization.size());
  if (!boost::beast::iequals(authorization.substr(0, end), scheme)) return "";
  const std::size_t start = std::min(authorization.find_first_not_of(' ', end), authorization.size());
  return authorization.substr(start);
}

std::optional<std::uint32_t> digit_of(char c) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t digit = kDigits.find(c);
  if (digit == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(digit);
}

// RFC 4648 4. Beast has it in a namespace of its details only.
std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  text = text.substr(0, text.size() - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto digit = digit_of(c);
    if (!digit) return std::nullopt;
    bits = bits << 6 | *digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

}  // namespace

bool TokenGuard::admits(std::string_view authorization) const {
  if (open()) return true;
  if (tls::equal_secrets(credentials_of(authorization, "bearer"), token_)) return true;
  const auto pair = from_base64(credentials_of(authorization, "basic"));
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  return colon != std::string::npos && tls::equal_secrets(std::string_view(*pair).substr(colon + 1), token_);
}

std::vector<std::string> TokenGuard::challenges(std::string_view authorization, bool takes_pages) {
  // RFC 6750 3: the error is for those who have shown something.
  const bool shown = !credentials_of(authorization, "bearer").empty();
  std::vector<std::string> values{shown ? R"(Bearer realm="h2park", error="invalid_token")"
                                        : R"(Bearer realm="h2park")"};
  if (takes_pages) values.emplace_back(R"(Basic realm="h2park: the token is the password", charset="UTF-8")");
  return values;
}

}  // namespace h2park::readout
