// Which proxy a request goes through: http_proxy, https_proxy, all_proxy and no_proxy, read as curl does.
#pragma once

#include "base/error.hpp"
#include "client/no_proxy.hpp"
#include "client/url.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::client {

/// An HTTP proxy: http URLs are asked of it in absolute form (RFC 9112 3.2.2), https through CONNECT (3.2.3).
struct Proxy {
  Origin origin;
  std::string authorization;  ///< value of Proxy-Authorization, or ""
};

class ProxySettings {
 public:
  /// No proxy at all.
  ProxySettings() = default;

  /// `variable(name)` is getenv. http_proxy only in lower case (HTTP_PROXY is what a CGI client could set);
  /// https_proxy, all_proxy and no_proxy in both, lower case first; an empty one is none. A proxy without a
  /// port has 1080, as curl has it. Errors (usage): a value that is no http URL, naming the variable but not
  /// the value, which may have a password in it.
  static Result<ProxySettings> from_environment(
      const std::function<std::optional<std::string>(std::string_view name)>& variable);

  /// The proxy for `origin`, or null.
  const Proxy* find(const Origin& origin) const;

 private:
  std::optional<Proxy> http_;
  std::optional<Proxy> https_;
  NoProxy no_proxy_;
};

}  // namespace h2park::client
