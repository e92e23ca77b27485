// CookieJar: the cookies of a run: read from files, stored from responses, sent with requests (RFC 6265).
#pragma once

#include "base/error.hpp"
#include "client/cookie.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::client {

/// Thread: one.
class CookieJar {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// RFC 6265 6.1 asks for 50 and 3000 at least, and curl sends no more than 150 at once. Beyond either the
  /// oldest goes, so that a server that sets a new cookie with each response does not fill the memory.
  static constexpr std::size_t kMaxPerDomain = 150;
  static constexpr std::size_t kMaxInAll = 3000;
  /// Of a Cookie field, as curl has it: servers refuse heads much longer than this. What is over is left out.
  static constexpr std::size_t kMaxHeaderBytes = 8190;

  /// What -b was given is the name of a file, and not cookies: it has no '='.
  static bool names_a_file(std::string_view argument) { return !argument.contains('='); }

  /// A Netscape cookie file, or response heads of which the Set-Cookie lines count; "-" is standard input.
  /// Lines that are neither are ignored, as are cookies that have expired. Errors: the file can't be read
  /// (kReadFailed), "PATH: reason".
  Result<> load(const std::string& path, Time now);
  /// The same, of a file's content.
  void load_text(std::string_view text, Time now);

  /// The value of one Set-Cookie field of a response for `url`.
  void store(const Url& url, std::string_view set_cookie, Time now);

  /// The value of the Cookie field for a request: longer paths first, then older cookies (5.4); "" if there
  /// are none.
  std::string header_for(const Url& url, Time now) const;

  std::size_t size() const { return size_; }

 private:
  using Cookies = std::vector<Cookie>;

  void put(Cookie cookie, std::chrono::sys_seconds now, bool from_trustworthy);
  void make_room(Cookies& domain, std::chrono::sys_seconds now);
  void drop_oldest();

  std::map<std::string, Cookies, std::less<>> by_domain_;
  std::size_t size_ = 0;
  std::uint64_t last_order_ = 0;
};

}  // namespace h2park::client
