#include "server/acceptor.hpp"

#include "base/clock.hpp"
#include "base/log.hpp"

#include <spdlog/fmt/fmt.h>

#include <system_error>

namespace h2park::server {
namespace {

// Connections taken in a row before the loop's other work has its turn.
constexpr int kAcceptsPerTurn = 64;

// Out of descriptors: look again after this time. Nothing tells when one becomes free in another process.
constexpr auto kPause = std::chrono::milliseconds(100);

// A server that lives at its limit says so once in a while, not once per connection.
constexpr auto kSayAgain = std::chrono::minutes(1);

}  // namespace

Acceptor::Acceptor(boost::asio::io_context& loop, net::ListenSocket socket, OnConnection on_connection)
    : socket_(std::move(socket)),
      watch_(loop, socket_.descriptor()),
      pause_(loop),
      on_connection_(std::move(on_connection)) {}

Acceptor::~Acceptor() {
  if (watch_.is_open()) watch_.release();  // socket_ owns the descriptor
}

void Acceptor::wait() {
  watch_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& error) {
                      if (error || stopped_) return;
                      accept_some();
                    });
}

void Acceptor::accept_some() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    net::Accepted accepted = socket_.accept();
    switch (accepted.status) {
      case net::AcceptStatus::kConnection:
        on_connection_(std::move(accepted.socket));
        break;
      case net::AcceptStatus::kAborted:
        break;
      case net::AcceptStatus::kNone:
        return wait();
      case net::AcceptStatus::kOutOfDescriptors:
        return pause(accepted.error);
      case net::AcceptStatus::kBroken:
        log::error(fmt::format("{}: cannot accept any more: {}", socket_.text(),
                               std::generic_category().message(accepted.error)));
        return;
    }
  }
  wait();
}

void Acceptor::pause(int error) {
  static log::Limited out_of_descriptors(kSayAgain);  // all listeners and threads run out together
  out_of_descriptors.write(log::Level::kWarn, Clock::now(),
                           fmt::format("{}: accepting pauses until descriptors are free: {}", socket_.text(),
                                       std::generic_category().message(error)));
  pause_.expires_after(kPause);
  pause_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled && !stopped_) accept_some();
  });
}

void Acceptor::stop() {
  if (std::exchange(stopped_, true)) return;
  for (;;) {
    net::Accepted accepted = socket_.accept();
    if (accepted.status == net::AcceptStatus::kConnection) {
      on_connection_(std::move(accepted.socket));
    } else if (accepted.status != net::AcceptStatus::kAborted) {
      break;
    }
  }
  pause_.cancel();
  watch_.release();  // ends the wait
  socket_.close();
}

}  // namespace h2park::server
