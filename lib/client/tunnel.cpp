#include "client/tunnel.hpp"

#include "http1/request_text.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace h2park::client {
namespace {

// An answer to CONNECT is seldom longer than this; a longer one takes more rounds.
constexpr std::size_t kPeeked = 4096;

std::string connect_text(const TunnelRequest& request) {
  http1::RequestLineAndFields head{.method = "CONNECT", .target = request.to, .host = request.to};
  if (!request.authorization.empty()) head.fields.emplace_back("Proxy-Authorization", request.authorization);
  if (!request.user_agent.empty()) head.fields.emplace_back("User-Agent", request.user_agent);
  // Authorization is base64, the host was checked as a URL's; of the user agent it is the options' reader
  // that keeps control characters out, so what is refused here is sent without it.
  auto text = http1::request_text(head);
  if (!text) {
    head.fields.pop_back();
    text = http1::request_text(head);
  }
  return text.value_or("");
}

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

Tunnel::Tunnel(net::Reactor& reactor, int fd, const TunnelRequest& request, OnEnd on_end)
    : fd_(fd),
      proxy_(request.proxy),
      to_(request.to),
      authorized_(!request.authorization.empty()),
      on_end_(std::move(on_end)),
      unsent_(connect_text(request)),
      watch_(reactor.watch(fd, *this)) {}

void Tunnel::start() {
  reader_.begin({.connect = true});
  watch_->want_write();
}

void Tunnel::write() {
  while (!unsent_.empty()) {
    const auto sent = ::send(fd_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return watch_->want_write();
    if (sent < 0) return refused("closed the connection: " + reason(errno));
    unsent_.erase(0, static_cast<std::size_t>(sent));
  }
  watch_->want_read();
}

void Tunnel::read() {
  std::array<char, kPeeked> buffer;
  while (reader_.state() == http1::ResponseReader::State::kHead) {
    const auto seen = ::recv(fd_, buffer.data(), buffer.size(), MSG_PEEK);
    if (seen < 0 && errno == EINTR) continue;
    if (seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return watch_->want_read();
    if (seen < 0) return refused("closed the connection: " + reason(errno));
    if (seen == 0) return refused("closed the connection instead of an answer to CONNECT");
    const std::size_t taken = reader_.take({buffer.data(), static_cast<std::size_t>(seen)}, 0, *this);
    // They are there, so this neither waits nor comes back with less.
    static_cast<void>(::recv(fd_, buffer.data(), taken, 0));
  }
  judge();
}

void Tunnel::judge() {
  if (reader_.state() == http1::ResponseReader::State::kFailed) {
    return refused("answered CONNECT with something else than HTTP: " +
                   std::string(http1::to_string(reader_.fault())));
  }
  if (status_ / 100 == 2) return end({});
  if (status_ == 407) {
    return refused(authorized_ ? "does not accept the user and password: 407"
                               : "wants a user and a password: 407");
  }
  refused("refuses to connect to " + to_ + ": " + std::to_string(status_));
}

void Tunnel::refused(std::string why) {
  end(std::unexpected(
      Failure{FailureKind::kProxyRefused, "Proxy " + proxy_ + " " + std::move(why), status_}));
}

void Tunnel::end(std::expected<void, Failure> result) {
  watch_.reset();
  // Moved out, and the last thing done here: it may end the tunnel.
  OnEnd call = std::move(on_end_);
  call(std::move(result));
}

}  // namespace h2park::client
