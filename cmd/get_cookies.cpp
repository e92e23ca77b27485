#include "cmd/get_cookies.hpp"

#include "http1/request_text.hpp"

#include <chrono>

namespace h2park::cmd {

std::shared_ptr<client::CookieJar> read_cookies(OptionReader& reader, client::Request& request) {
  std::shared_ptr<client::CookieJar> jar;
  std::string literal;
  const auto now = std::chrono::system_clock::now();
  for (const std::string& argument : reader.all("cookie")) {
    if (!argument.empty() && !client::CookieJar::names_a_file(argument)) {
      literal += (literal.empty() ? "" : "; ") + argument;
      continue;
    }
    if (!jar) jar = std::make_shared<client::CookieJar>();
    if (argument.empty()) continue;  // no cookies yet, but the servers'
    if (const auto loaded = jar->load(argument, now); !loaded) {
      reader.wrong("cookie", loaded.error().message, Error::Exit::kReadFailed);
    }
  }
  if (literal.empty()) return jar;
  request.fields.emplace_back("Cookie", literal);
  if (!http1::request_text({.host = "host", .fields = {request.fields.back()}})) {
    reader.wrong("cookie", "has a character that no field has");
  }
  return jar;
}

}  // namespace h2park::cmd
