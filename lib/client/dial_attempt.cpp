#include "client/dial_attempt.hpp"

#include "client/url_host.hpp"
#include "net/plain_transport.hpp"

#include <sys/socket.h>

#include <utility>

namespace h2park::client {
namespace {

// "connect to 127.0.0.1:80: Connection refused": the reason stands last.
std::string reason_in(const std::string& message) {
  const auto colon = message.rfind(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

bool is_ruled_out(const net::SocketAddress& address, net::Family family) {
  return (family == net::Family::kIpv4 && address.family() == AF_INET6) ||
         (family == net::Family::kIpv6 && address.family() == AF_INET);
}

// Of a CONNECT request (RFC 9112 3.2.3): with the port, whatever it is.
std::string with_port(const HostOverrides::Target& target) {
  return net::Endpoint{.host = target.host, .port = target.port, .unix_path = ""}.text();
}

}  // namespace

DialAttempt::DialAttempt(NetworkDialer& dialer, const Origin& origin, Dialer::OnDialled on_dialled)
    : dialer_(dialer),
      origin_(origin),
      proxy_(dialer.options_.unix_path.empty() ? dialer.proxies_.find(origin) : nullptr),
      target_(dialer.options_.overrides.target({origin.host, origin.port})),
      next_hop_(proxy_ == nullptr ? target_
                                  : HostOverrides::Target{proxy_->origin.host, proxy_->origin.port}),
      on_dialled_(std::move(on_dialled)) {}

DialAttempt::~DialAttempt() = default;

void DialAttempt::start() {
  const NetworkOptions& options = dialer_.options_;
  result_.times.begin = result_.times.resolved = now();
  if (!options.unix_path.empty()) {
    auto address = net::resolve({.host = "", .port = 0, .unix_path = options.unix_path});
    if (!address) return connected(std::unexpected(address.error()));
    return connect(std::move(*address));
  }
  if (const auto* known = options.overrides.addresses(next_hop_, now() - dialer_.start_)) {
    note("Addresses of " + next_hop_.host + " were given");
    return connect(*known);
  }
  if (is_address_literal(next_hop_.host)) {
    return resolved(net::resolve({.host = next_hop_.host, .port = next_hop_.port, .unix_path = ""}));
  }
  lookup_ = dialer_.resolver_.resolve(next_hop_.host, next_hop_.port, options.family,
                                      [this](Result<Addresses> found) {
                                        result_.times.resolved = now();
                                        resolved(std::move(found));
                                      });
}

void DialAttempt::resolved(Result<Addresses> addresses) {
  if (!addresses) {
    const std::string why = next_hop_.host + " (" + addresses.error().message + ")";
    if (proxy_ != nullptr) return fail({FailureKind::kResolveProxy, "Could not resolve proxy: " + why});
    return fail({FailureKind::kResolve, "Could not resolve host: " + why});
  }
  connect(std::move(*addresses));
}

void DialAttempt::connect(Addresses addresses) {
  // Where the resolver was not asked, all may be of the family that was ruled out.
  const net::Family family = dialer_.options_.family;
  std::erase_if(addresses, [&](const net::SocketAddress& address) { return is_ruled_out(address, family); });
  if (addresses.empty()) {
    return connected(h2park::fail(family == net::Family::kIpv4 ? "no IPv4 address" : "no IPv6 address"));
  }
  std::string list;
  for (const net::SocketAddress& address : addresses) list += (list.empty() ? "" : ", ") + address.text();
  note("Trying " + list);
  connector_ = std::make_unique<net::Connector>(
      dialer_.reactor_, std::move(addresses),
      [this](Result<net::UniqueFd> socket) { connected(std::move(socket)); });
  connector_->start();
}

std::string DialAttempt::peer_name() const {
  if (!dialer_.options_.unix_path.empty()) return dialer_.options_.unix_path;
  return (proxy_ == nullptr ? "" : "proxy ") + next_hop_.host + " port " + std::to_string(next_hop_.port);
}

void DialAttempt::connected(Result<net::UniqueFd> socket) {
  result_.times.connected = result_.times.secured = now();
  if (!socket) {
    return fail({FailureKind::kConnect,
                 "Failed to connect to " + peer_name() + ": " + reason_in(socket.error().message)});
  }
  socket_ = std::move(*socket);
  result_.remote = net::peer_address(socket_.get());
  if (const auto local = net::local_address(socket_.get())) result_.local = local->text();
  note("Connected to " + peer_name() + " (" + result_.remote + ") from " + result_.local);
  if (!origin_.secure) return finish(std::make_unique<net::PlainTransport>(std::move(socket_)));
  if (proxy_ != nullptr) return tunnel();
  begin_tls();
}

void DialAttempt::tunnel() {
  const TunnelRequest request{.to = with_port(target_),
                              .proxy = with_port(next_hop_),
                              .authorization = proxy_->authorization,
                              .user_agent = dialer_.options_.user_agent};
  tunnel_ = std::make_unique<Tunnel>(dialer_.reactor_, socket_.get(), request,
                                     [this](std::expected<void, Failure> opened) {
                                       if (!opened) return fail(std::move(opened.error()));
                                       result_.proxy_status = tunnel_->status();
                                       note("The proxy connects to " + with_port(target_));
                                       begin_tls();
                                     });
  tunnel_->start();
}

void DialAttempt::begin_tls() {
  if (auto prepared = dialer_.prepare_tls(); !prepared) {
    return fail({FailureKind::kTls, std::move(prepared.error().message)});
  }
  // Names are checked against the URL's host, whatever was connected to instead.
  transport_ = tls::connect(*dialer_.tls_, std::move(socket_), origin_.host, origin_.port);
  watch_ = dialer_.reactor_.watch(transport_->descriptor(), *this);
  shake_hands();
}

void DialAttempt::shake_hands() {
  const net::IoStatus status = transport_->handshake();
  if (status == net::IoStatus::kWantRead) return watch_->want_read();
  if (status == net::IoStatus::kWantWrite) return watch_->want_write();
  watch_.reset();
  result_.times.secured = now();
  result_.verify_result = transport_->verify_result();
  if (status != net::IoStatus::kOk) return handshake_failed(status);
  note_tls();
  finish(std::move(transport_));
}

void DialAttempt::handshake_failed(net::IoStatus status) {
  const bool untrusted = transport_->handshake_fault() == tls::HandshakeFault::kUntrusted;
  std::string why(transport_->error_text());
  if (status == net::IoStatus::kEof) why = "the server closed the connection";
  fail({untrusted ? FailureKind::kUntrusted : FailureKind::kTls,
        "TLS handshake with " + origin_.host + " failed: " + why});
}

void DialAttempt::note_tls() {
  if (!dialer_.options_.notes) return;
  note("TLS: " + std::string(transport_->protocol()) + ", " + std::string(transport_->cipher()) +
       (transport_->alpn().empty() ? "" : ", ALPN " + std::string(transport_->alpn())) +
       (transport_->resumed() ? ", resumed" : ""));
  result_.notes += transport_->describe_certificate();
  if (!result_.notes.ends_with('\n')) result_.notes += '\n';
}

void DialAttempt::note(std::string line) {
  if (dialer_.options_.notes) result_.notes += line + "\n";
}

// The last thing done, both: the callback may end the attempt.
void DialAttempt::fail(Failure failure) {
  if (failure.proxy_status == 0) failure.proxy_status = result_.proxy_status;
  Dialer::OnDialled call = std::move(on_dialled_);
  call(std::unexpected(std::move(failure)));
}

void DialAttempt::finish(std::unique_ptr<net::Transport> transport) {
  result_.transport = std::move(transport);
  Dialer::OnDialled call = std::move(on_dialled_);
  call(std::move(result_));
}

}  // namespace h2park::client
