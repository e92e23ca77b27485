// The head of a request, in one shape for both protocols.
#pragma once

#include "http/fields.hpp"

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::http {

enum class Version : std::uint8_t { kHttp10, kHttp11, kHttp2 };
/// "HTTP/1.0", "HTTP/1.1", "HTTP/2"
std::string_view to_string(Version version);

struct RequestHead {
  explicit RequestHead(std::pmr::memory_resource* memory)
      : method(memory), scheme(memory), authority(memory), target(memory), fields(memory) {}

  /// The target up to '?', and what follows it ("" if nothing). Percent-encoding untouched.
  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const {
    const auto mark = target.find('?');
    return mark == std::pmr::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
  }

  Version version = Version::kHttp11;
  std::pmr::string method;     ///< as sent; methods are case-sensitive (RFC 9110 9.1)
  std::pmr::string scheme;     ///< "http" or "https"
  std::pmr::string authority;  ///< :authority, or Host
  std::pmr::string target;     ///< origin form ("/a?b") or "*"; absolute form is already taken apart
  Fields fields;               ///< without pseudo-fields; cookie crumbs joined (RFC 9113 8.2.3); Host removed
  /// From Content-Length; nothing if the length is unknown. 0 if the request has no body.
  std::optional<std::uint64_t> content_length;
};

}  // namespace h2park::http
