// ScriptedOrigin: an HTTP/1.1 server that says what a test has it say, and the dialer that leads to it.
//
// Lives on the test's ManualReactor, so that a client and its server advance together on one fake clock.
#pragma once

#include "client/dialer.hpp"
#include "net/unique_fd.hpp"
#include "support/manual_reactor.hpp"

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace h2park::test {

class ScriptedOrigin;

/// The server's end of one connection.
class OriginConnection final : private net::ReadyListener {
 public:
  OriginConnection(ScriptedOrigin& origin, net::UniqueFd socket, int number);
  ~OriginConnection();

  /// Sends after what was sent before, as fast as the client takes it.
  void send(std::string bytes);
  void send_after(Duration delay, std::string bytes);
  /// Closes when everything sent has left.
  void close();
  void close_after(Duration delay);
  /// Closes now, so that the client's kernel reports a reset.
  void reset();
  /// Stops reading, so that uploads get stuck.
  void stop_reading() { reading_ = false; }

  int number() const { return number_; }                     ///< from 1
  int requests() const { return requests_; }                 ///< whole heads seen
  bool is_closed() const { return !socket_; }                ///< by either side
  const std::string& received() const { return received_; }  ///< everything, heads and bodies

 private:
  void on_readable() override;
  void on_writable() override;
  void flush();
  void later(Duration delay, std::function<void()> action);
  void shut();

  ScriptedOrigin& origin_;
  net::UniqueFd socket_;
  std::unique_ptr<net::Watch> watch_;
  const int number_;
  int requests_ = 0;
  std::string received_;
  std::size_t scanned_ = 0;
  std::string output_;
  bool closing_ = false;
  bool reading_ = true;
  std::list<net::Timer> timers_;
};

class ScriptedOrigin final : public client::Dialer {
 public:
  /// Called for each request head; `head` reaches to its empty line.
  using Script = std::function<void(OriginConnection& connection, const std::string& head)>;

  ScriptedOrigin(ManualReactor& reactor, Script first) : script(std::move(first)), reactor_(reactor) {}

  std::shared_ptr<void> dial(const client::Origin& origin, OnDialled on_dialled) override;

  Script script;
  std::function<void(OriginConnection&)> on_open = [](OriginConnection&) {};
  Duration dial_time{};                  ///< how long it takes to connect
  bool hang = false;                     ///< dials do not end
  std::deque<client::Failure> failures;  ///< what the next dials fail with
  bool tcp = false;  ///< loopback instead of a socket pair, where a reset can be told from a close

  /// Dials that were begun; connections that were made.
  int dials() const { return dials_; }
  int opened() const { return static_cast<int>(connections_.size()); }
  int open_now() const;
  int requests() const;
  /// From 1.
  OriginConnection& connection(int number) { return *connections_.at(static_cast<std::size_t>(number - 1)); }
  ManualReactor& reactor() { return reactor_; }

 private:
  struct Dial;
  void connect(Dial& dial);

  ManualReactor& reactor_;
  int dials_ = 0;
  std::vector<std::unique_ptr<OriginConnection>> connections_;
};

}  // namespace h2park::test
