#include "client/redirect.hpp"

#include <algorithm>
#include <array>

#include <boost/beast/core/string.hpp>

namespace h2park::client {
namespace {

template <std::size_t kCount>
void drop_fields(Request& request, const std::array<std::string_view, kCount>& names) {
  std::erase_if(request.fields, [&](const auto& field) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      return boost::beast::iequals(boost::beast::string_view(field.first.data(), field.first.size()),
                                   boost::beast::string_view(name.data(), name.size()));
    });
  });
}

constexpr std::array<std::string_view, 7> kBodyFields{
    "content-type",      "content-length", "content-encoding", "content-language", "content-location",
    "transfer-encoding", "expect"};
// What was meant for the first server only.
constexpr std::array<std::string_view, 4> kPrivateFields{"authorization", "cookie", "proxy-authorization",
                                                         "host"};

bool becomes_get(const Request& request, unsigned status) {
  if (request.keep_method) return false;
  if (status == 303) return request.method != "HEAD" && request.method != "GET";
  return (status == 301 || status == 302) && request.method == "POST";
}

}  // namespace

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<Request> redirected(const Request& from, unsigned status, std::string_view location, bool trusted) {
  Result<Url> url = resolve_url(from.url, location);
  if (!url) return std::unexpected(std::move(url.error()));
  Request next = from;
  if (becomes_get(from, status)) {
    next.method = "GET";
    next.body = nullptr;
    drop_fields(next, kBodyFields);
  }
  const bool same_origin = url->origin == from.url.origin;
  if (!same_origin && !trusted) drop_fields(next, kPrivateFields);
  // Userinfo of the first URL goes on being used at its own origin.
  if (same_origin && !url->has_credentials && from.url.has_credentials) {
    url->has_credentials = true;
    url->user = from.url.user;
    url->password = from.url.password;
  }
  next.url = std::move(*url);
  return next;
}

}  // namespace h2park::client
