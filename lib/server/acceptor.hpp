// Acceptor: takes connections from one listening socket, on a worker thread's loop.
#pragma once

#include "net/listen_socket.hpp"

#include <functional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace h2park::server {

/// Thread: the loop's.
class Acceptor {
 public:
  using OnConnection = std::function<void(net::UniqueFd)>;

  Acceptor(boost::asio::io_context& loop, net::ListenSocket socket, OnConnection on_connection);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  ~Acceptor();

  void start() { wait(); }
  /// Takes what is queued, then closes the listener: nobody who was let in by the kernel is turned away.
  void stop();

 private:
  void wait();
  void accept_some();
  void pause(int error);

  net::ListenSocket socket_;
  boost::asio::posix::stream_descriptor watch_;
  boost::asio::steady_timer pause_;
  OnConnection on_connection_;
  bool stopped_ = false;
};

}  // namespace h2park::server
