#include "client/network_dialer.hpp"

#include "client/dial_attempt.hpp"

#include <utility>

namespace h2park::client {

NetworkDialer::NetworkDialer(net::Reactor& reactor, net::Resolver& resolver, const ProxySettings& proxies,
                             NetworkOptions options)
    : reactor_(reactor),
      resolver_(resolver),
      proxies_(proxies),
      options_(std::move(options)),
      start_(reactor.time().now()) {}

NetworkDialer::~NetworkDialer() = default;

Result<> NetworkDialer::prepare_tls() {
  if (tls_) return {};
  auto context = tls::ClientContext::make(options_.tls);
  if (!context) return std::unexpected(std::move(context.error()));
  tls_ = std::move(*context);
  return {};
}

std::shared_ptr<void> NetworkDialer::dial(const Origin& origin, OnDialled on_dialled) {
  auto attempt = std::make_shared<DialAttempt>(*this, origin, std::move(on_dialled));
  attempt->start();
  return attempt;
}

}  // namespace h2park::client
