#include "server/acceptor.hpp"

#include "base/log.hpp"

#include <spdlog/fmt/fmt.h>

#include <system_error>

namespace h2park::server {
namespace {

// Connections taken in a row before the thread's other work has its turn.
constexpr int kAcceptsPerTurn = 64;

// Out of descriptors: look again after this time. Nothing tells when one becomes free in another process.
constexpr auto kPause = std::chrono::milliseconds(100);

// A server that lives at its limit says so once in a while, not once per connection.
constexpr auto kSayAgain = std::chrono::minutes(1);

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

Acceptor::Acceptor(Lot& lot, std::uint32_t number, net::ListenSocket socket, OnConnection on_connection)
    : lot_(lot), number_(number), socket_(std::move(socket)), on_connection_(std::move(on_connection)) {}

void Acceptor::start(TimePoint now) {
  const int error = lot_.watch(socket_.descriptor(), number_);
  if (error == 0) return;
  log::error(fmt::format("{}: cannot accept for now: {}", socket_.text(), reason(error)));
  resumes_at_ = now + kPause;
}

// What is left is announced again.
void Acceptor::accept_some(TimePoint now) {
  if (stopped_) return;
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    net::Accepted accepted = socket_.accept();
    switch (accepted.status) {
      case net::AcceptStatus::kConnection:
        on_connection_(std::move(accepted.socket));
        break;
      case net::AcceptStatus::kAborted:
        break;
      case net::AcceptStatus::kNone:
        return;
      case net::AcceptStatus::kOutOfDescriptors:
        return pause(now, accepted.error);
      case net::AcceptStatus::kBroken:
        log::error(fmt::format("{}: cannot accept any more: {}", socket_.text(), reason(accepted.error)));
        lot_.unwatch(socket_.descriptor());
        return;
    }
  }
}

void Acceptor::pause(TimePoint now, int error) {
  static log::Limited out_of_descriptors(kSayAgain);  // all listeners and threads run out together
  out_of_descriptors.write(
      log::Level::kWarn, now,
      fmt::format("{}: accepting pauses until descriptors are free: {}", socket_.text(), reason(error)));
  lot_.unwatch(socket_.descriptor());
  resumes_at_ = now + kPause;
}

void Acceptor::resume_if_due(TimePoint now) {
  if (stopped_ || now < resumes_at_) return;
  resumes_at_ = kNever;
  start(now);
}

void Acceptor::stop() {
  if (std::exchange(stopped_, true)) return;
  resumes_at_ = kNever;
  for (;;) {
    net::Accepted accepted = socket_.accept();
    if (accepted.status == net::AcceptStatus::kConnection) {
      on_connection_(std::move(accepted.socket));
    } else if (accepted.status != net::AcceptStatus::kAborted) {
      break;
    }
  }
  socket_.close();  // the lot forgets it
}

}  // namespace h2park::server
