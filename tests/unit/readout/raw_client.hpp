// A client that sends and receives bytes as they are, blocking, and never waits longer than a test may.
#pragma once

#include "net/endpoint.hpp"
#include "net/unique_fd.hpp"

#include <string>
#include <string_view>

namespace h2park::readout::testing {

class RawClient {
 public:
  /// Fails the test if nobody accepts.
  explicit RawClient(const net::Endpoint& endpoint);
  /// A descriptor now, the connection at connect().
  static RawClient unconnected(const net::Endpoint& endpoint);
  void connect(const net::Endpoint& endpoint);

  void send(std::string_view bytes);
  /// No more from us.
  void finish();
  void hang_up() { socket_.reset(); }
  /// One HTTP/1 message with its Content-Length, or what there is before the end. `head_only`: an answer to
  /// HEAD.
  std::string receive(bool head_only = false);
  std::string exchange(std::string_view bytes) {
    send(bytes);
    return receive();
  }
  /// Up to and with `end`, or what there is before the end of the connection.
  std::string receive_to(std::string_view end);
  /// Everything up to the orderly end. Fails the test on a reset.
  std::string receive_to_end();
  /// True once the peer has closed, orderly or not; false if bytes come.
  bool is_closed();
  /// True if bytes or an end come within a tenth of a second.
  bool hears_something();

 private:
  RawClient() = default;
  bool wait_readable(int milliseconds) const;
  /// Appends to input_; false at the end or on an error.
  bool fill();

  net::UniqueFd socket_;
  std::string input_;
  int error_ = 0;
};

}  // namespace h2park::readout::testing
