#include "raw_client.hpp"

#include "net/socket_address.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace h2park::readout::testing {
namespace {

constexpr int kPatience = 20'000;  // milliseconds: reached by a test that fails

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at != std::string_view::npos) {
    std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  }
  return length;
}

}  // namespace

RawClient RawClient::unconnected(const net::Endpoint& endpoint) {
  RawClient client;
  const auto address = net::resolve(endpoint).value().front();
  client.socket_ = net::UniqueFd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return client;
}

RawClient::RawClient(const net::Endpoint& endpoint) {
  *this = unconnected(endpoint);
  connect(endpoint);
}

void RawClient::connect(const net::Endpoint& endpoint) {
  const auto address = net::resolve(endpoint).value().front();
  EXPECT_EQ(::connect(socket_.get(), address.get(), address.size), 0) << endpoint.text();
  const int on = 1;  // a request in two pieces must not wait for the first one's acknowledgement
  if (!endpoint.is_unix()) ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;  // the test sees it when it reads
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void RawClient::finish() { ::shutdown(socket_.get(), SHUT_WR); }

bool RawClient::wait_readable(int milliseconds) const {
  pollfd entry{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, milliseconds) == 1;
}

bool RawClient::fill() {
  if (!wait_readable(kPatience)) {
    ADD_FAILURE() << "the server keeps silent";
    return false;
  }
  std::array<char, 4096> bytes;
  const ssize_t n = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  error_ = n < 0 ? errno : 0;
  if (n > 0) input_.append(bytes.data(), static_cast<std::size_t>(n));
  return n > 0;
}

std::string RawClient::receive(bool head_only) {
  std::size_t end = std::string::npos;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::exchange(input_, {});
  }
  end += 4;
  if (!head_only) end += content_length(std::string_view(input_).substr(0, end));
  while (input_.size() < end) {
    if (!fill()) return std::exchange(input_, {});
  }
  std::string message = input_.substr(0, end);
  input_.erase(0, end);
  return message;
}

std::string RawClient::receive_to(std::string_view end) {
  std::size_t at = std::string::npos;
  while ((at = input_.find(end)) == std::string::npos) {
    if (!fill()) return std::exchange(input_, {});
  }
  std::string part = input_.substr(0, at + end.size());
  input_.erase(0, part.size());
  return part;
}

std::string RawClient::receive_to_end() {
  while (fill()) {
  }
  EXPECT_EQ(error_, 0) << "reset";
  return std::exchange(input_, {});
}

bool RawClient::is_closed() { return input_.empty() && !fill(); }

bool RawClient::hears_something() { return !input_.empty() || wait_readable(100); }

}  // namespace h2park::readout::testing
