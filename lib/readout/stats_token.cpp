#include "readout/stats_token.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace h2park::readout {
namespace {

bool may_stand_in_a_token(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view("-._~+/").find(c) != std::string_view::npos;
}

// Longer than any token, and than what a request's head may have for it.
constexpr std::size_t kMostLine = std::size_t{4} * 1024;

Result<std::string> first_line(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  std::string line(kMostLine, '\0');
  file.getline(line.data(), static_cast<std::streamsize>(line.size()));
  if (file.gcount() == 0) {
    if (errno != 0) return system_failure(path, errno);
    return fail(path + ": the file is empty");
  }
  if (file.fail()) return fail(path + ": its first line is too long for a token");
  line.resize(static_cast<std::size_t>(file.gcount()) - (file.eof() ? 0 : 1));  // without the newline
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

Result<std::string> parse_stats_token(std::string_view text) {
  std::string token(text);
  if (text.starts_with('@')) {
    auto line = first_line(std::string(text.substr(1)));
    if (!line) return line;
    token = std::move(*line);
  }
  const std::string_view plain = std::string_view(token).substr(0, token.find_last_not_of('=') + 1);
  if (plain.empty()) return usage_error("the token is empty");
  if (!std::ranges::all_of(plain, may_stand_in_a_token)) {
    return usage_error("a token has letters, digits and -._~+/ only, with '=' at its end");
  }
  return token;
}

}  // namespace h2park::readout
