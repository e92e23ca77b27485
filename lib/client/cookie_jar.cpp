#include "client/cookie_jar.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>

namespace h2park::client {
namespace {

std::chrono::sys_seconds seconds_of(CookieJar::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

// Without "Set-Cookie:", if the line begins with it in any case.
bool take_field_name(std::string_view& line) {
  constexpr std::string_view kName = "set-cookie:";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  if (!std::ranges::equal(line.substr(0, kName.size()), kName, same)) return false;
  line.remove_prefix(kName.size());
  return true;
}

}  // namespace

Result<> CookieJar::load(const std::string& path, Time now) {
  if (path.empty()) return {};
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& input = path == "-" ? std::cin : file;
  std::string text;
  std::array<char, 16 * 1024> piece;
  while (input.good()) {
    input.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (!input.eof()) {
    auto error = system_failure(path, errno);
    error.error().exit = Error::Exit::kReadFailed;
    return error;
  }
  load_text(text, now);
  return {};
}

void CookieJar::load_text(std::string_view text, Time now) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto cookie =
        take_field_name(line) ? parse_set_cookie(line, nullptr, seconds_of(now)) : parse_netscape_line(line);
    if (cookie) put(std::move(*cookie), seconds_of(now), true);
  }
}

void CookieJar::store(const Url& url, std::string_view set_cookie, Time now) {
  auto cookie = parse_set_cookie(set_cookie, &url, seconds_of(now));
  if (cookie) put(std::move(*cookie), seconds_of(now), is_trustworthy(url.origin));
}

void CookieJar::put(Cookie cookie, std::chrono::sys_seconds now, bool from_trustworthy) {
  const auto place = by_domain_.try_emplace(cookie.domain).first;
  Cookies& cookies = place->second;
  const auto old = std::ranges::find_if(
      cookies, [&](const Cookie& c) { return c.name == cookie.name && c.path == cookie.path; });
  if (old != cookies.end()) {
    // What was set through TLS is not for the network between to replace.
    if (old->secure && !from_trustworthy) return;
    cookie.order = old->order;
    size_ -= 1;
    cookies.erase(old);
  } else {
    cookie.order = ++last_order_;
  }
  if (!cookie.has_expired(now)) {
    make_room(cookies, now);
    cookies.push_back(std::move(cookie));
    size_ += 1;
  }
  if (cookies.empty()) by_domain_.erase(place);
  if (size_ > kMaxInAll) drop_oldest();
}

void CookieJar::make_room(Cookies& domain, std::chrono::sys_seconds now) {
  if (domain.size() < kMaxPerDomain) return;
  size_ -= std::erase_if(domain, [now](const Cookie& c) { return c.has_expired(now); });
  if (domain.size() < kMaxPerDomain) return;
  domain.erase(std::ranges::min_element(domain, {}, &Cookie::order));
  size_ -= 1;
}

void CookieJar::drop_oldest() {
  auto oldest = by_domain_.begin();
  const auto first_order = [](const Cookies& cookies) {
    return std::ranges::min_element(cookies, {}, &Cookie::order)->order;
  };
  for (auto it = by_domain_.begin(); it != by_domain_.end(); ++it) {
    if (first_order(it->second) < first_order(oldest->second)) oldest = it;
  }
  oldest->second.erase(std::ranges::min_element(oldest->second, {}, &Cookie::order));
  if (oldest->second.empty()) by_domain_.erase(oldest);
  size_ -= 1;
}

std::string CookieJar::header_for(const Url& url, Time now) const {
  std::vector<const Cookie*> chosen;
  // The host's own cookies, then those of each domain that it is in.
  for (std::string_view domain = url.origin.host; !domain.empty();) {
    if (const auto found = by_domain_.find(domain); found != by_domain_.end()) {
      for (const Cookie& cookie : found->second) {
        if (cookie.is_for(url) && !cookie.has_expired(seconds_of(now))) chosen.push_back(&cookie);
      }
    }
    domain.remove_prefix(std::min(domain.find('.'), domain.size() - 1) + 1);
  }
  std::ranges::sort(chosen, [](const Cookie* a, const Cookie* b) {
    return a->path.size() != b->path.size() ? a->path.size() > b->path.size() : a->order < b->order;
  });
  std::string text;
  for (const Cookie* cookie : chosen) {
    const std::string pair = (text.empty() ? "" : "; ") + cookie->name + "=" + cookie->value;
    if (text.size() + pair.size() > kMaxHeaderBytes) break;
    text += pair;
  }
  return text;
}

}  // namespace h2park::client
