// DialRig: a NetworkDialer between a scripted resolver and listeners on loopback, on a clock of the test's.
#pragma once

#include "client/network_dialer.hpp"
#include "net/listen_socket.hpp"
#include "support/manual_reactor.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace h2park::client {

/// Answers when it is told to.
class ScriptedResolver final : public net::Resolver {
 public:
  struct Question {
    std::string host;
    std::uint16_t port = 0;
    net::Family family = net::Family::kAny;
    bool operator==(const Question&) const = default;
  };

  std::shared_ptr<void> resolve(const std::string& host, std::uint16_t port, net::Family family,
                                OnResolved on_resolved) override {
    asked.push_back({host, port, family});
    auto waiting = std::make_shared<OnResolved>(std::move(on_resolved));
    waiting_ = waiting;
    return waiting;
  }
  /// Requires: the last question is not given up.
  void answer(const std::string& address) {
    net::Endpoint endpoint{.host = address, .port = asked.back().port, .unix_path = ""};
    (*waiting_.lock())(net::resolve(endpoint));
  }
  void fail() { (*waiting_.lock())(h2park::fail("Name or service not known")); }
  bool is_waiting() const { return !waiting_.expired(); }

  std::vector<Question> asked;

 private:
  std::weak_ptr<OnResolved> waiting_;
};

/// A listener on a free port of loopback, or on a unix socket.
class LoopbackServer {
 public:
  explicit LoopbackServer(const std::string& endpoint = "127.0.0.1:0")
      : listener_(std::move(net::listen_on(*net::parse_endpoint(endpoint), 1)->front())) {}

  std::uint16_t port() const { return net::local_address(listener_.descriptor())->port(); }
  std::string port_text() const { return std::to_string(port()); }
  const std::string& text() const { return listener_.text(); }
  /// The next connection, non-blocking; empty if nobody waits.
  net::UniqueFd accept() { return std::move(listener_.accept().socket); }
  int descriptor() const { return listener_.descriptor(); }

 private:
  net::ListenSocket listener_;
};

/// What has come, without waiting.
inline std::string take_input(int fd) {
  std::string text(65536, '\0');
  const auto n = ::recv(fd, text.data(), text.size(), 0);
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}
inline bool is_at_end(int fd) {
  char byte = 0;
  return ::recv(fd, &byte, 1, MSG_PEEK) == 0;
}
inline void put_output(int fd, std::string_view text) {
  ASSERT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

class DialRig : public ::testing::Test {
 protected:
  NetworkDialer& dialer() {
    if (!dialer_) dialer_.emplace(reactor, resolver, proxies, options);
    return *dialer_;
  }
  void dial(const std::string& url) {
    result.reset();
    handle = dialer().dial(parse_url(url)->origin, [this](std::expected<Dialled, Failure> dialled) {
      EXPECT_FALSE(result) << "told twice";
      result.emplace(std::move(dialled));
    });
  }
  void use_proxy(const std::string& value) {
    proxies = *ProxySettings::from_environment([&](std::string_view name) -> std::optional<std::string> {
      return name == "all_proxy" ? std::optional(value) : std::nullopt;
    });
  }
  void give_up() {
    handle.reset();
    reactor.turn();
    EXPECT_FALSE(result) << "told after it was given up";
    EXPECT_EQ(reactor.watches(), 0U);
  }
  bool is_dialled() const { return result && result->has_value(); }
  /// "kind: message", or "" if it did not fail.
  std::string failure() const {
    if (!result || *result) return "";
    return std::string(to_string(result->error().kind)) + ": " + result->error().message;
  }
  /// Milliseconds after the dial's begin: "resolved/connected/secured".
  std::string times() const {
    const DialTimes& t = result->value().times;
    const auto since = [&](TimePoint at) {
      return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(at - t.begin).count());
    };
    return since(t.resolved) + "/" + since(t.connected) + "/" + since(t.secured);
  }

  test::ManualReactor reactor;
  ScriptedResolver resolver;
  ProxySettings proxies;
  NetworkOptions options;
  std::optional<NetworkDialer> dialer_;
  std::shared_ptr<void> handle;
  std::optional<std::expected<Dialled, Failure>> result;
};

}  // namespace h2park::client
