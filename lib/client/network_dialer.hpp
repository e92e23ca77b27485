// NetworkDialer: the dialer that connects for real: name, TCP or unix socket, proxy, TLS.
#pragma once

#include "base/error.hpp"
#include "client/dialer.hpp"
#include "client/host_overrides.hpp"
#include "client/proxy.hpp"
#include "net/reactor.hpp"
#include "net/resolver.hpp"
#include "tls/client_context.hpp"

#include <memory>
#include <string>

namespace h2park::client {

struct NetworkOptions {
  /// Of names; addresses in a URL or by --resolve are used as they are.
  net::Family family = net::Family::kAny;
  /// Connects here whatever the origin, past any proxy; TLS is the origin's all the same. "": TCP.
  std::string unix_path;
  /// --resolve is for proxies too; --connect-to for origins that are connected to directly or by CONNECT.
  HostOverrides overrides;
  tls::ClientOptions tls;
  std::string user_agent;  ///< of CONNECT requests; "": none
  bool notes = false;      ///< fill Dialled::notes
};

/// Phases: the name of a literal address, a unix socket or a --resolve entry takes no time; a proxy's CONNECT
/// counts to `secured`, between TCP and TLS, as with curl.
///
/// Failures: kResolve, kResolveProxy, kConnect, kProxyRefused, kTls, kUntrusted; each message names the host.
/// Thread: the reactor's. Lifetime: reactor, resolver and proxies outlive it, and it the handles.
class NetworkDialer final : public Dialer {
 public:
  NetworkDialer(net::Reactor& reactor, net::Resolver& resolver, const ProxySettings& proxies,
                NetworkOptions options);
  ~NetworkDialer() override;
  NetworkDialer(const NetworkDialer&) = delete;
  NetworkDialer& operator=(const NetworkDialer&) = delete;

  /// Reads certificates and keys, which otherwise happens at the first https connection, in its TLS phase, as
  /// kTls where it fails. Errors: ClientContext::make()'s.
  Result<> prepare_tls();

  std::shared_ptr<void> dial(const Origin& origin, OnDialled on_dialled) override;

 private:
  friend class DialAttempt;

  net::Reactor& reactor_;
  net::Resolver& resolver_;
  const ProxySettings& proxies_;
  const NetworkOptions options_;
  const TimePoint start_;
  std::shared_ptr<tls::ClientContext> tls_;  // null: not made yet
};

}  // namespace h2park::client
