#include "cmd/stat_sampler.hpp"

#include "cmd/stat_pace.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>

namespace h2park::cmd {
namespace {

net::UniqueFd make_event() {
  net::UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) throw std::system_error(errno, std::generic_category(), "eventfd");
  return event;
}

}  // namespace

Sampler::Sampler(StatSource& source, Duration interval) : arrived_(make_event()), stop_(make_event()) {
  thread_ = std::jthread([this, &source, interval] { run(source, interval); });
}

Sampler::~Sampler() { ::eventfd_write(stop_.get(), 1); }

std::optional<Result<Sample>> Sampler::take() {
  const std::lock_guard lock(mutex_);
  if (samples_.empty()) {
    eventfd_t count = 0;
    ::eventfd_read(arrived_.get(), &count);
    return std::nullopt;
  }
  std::optional<Result<Sample>> sample(std::move(samples_.front()));
  samples_.pop_front();
  return sample;
}

void Sampler::run(StatSource& source, Duration interval) {
  Ticks ticks(Clock::now(), interval);
  do {
    Result<Sample> sample = read(source);
    const std::lock_guard lock(mutex_);
    samples_.push_back(std::move(sample));
    ::eventfd_write(arrived_.get(), 1);
  } while (wait_until(ticks.after(Clock::now())));
}

/// An exception must not end the process while the screen is up.
Result<Sample> Sampler::read(StatSource& source) const {
  try {
    return source.read({.stop_fd = stop_.get()});
  } catch (const std::exception& bug) {
    return fail(std::string("unexpected: ") + bug.what());
  }
}

/// False if it is to stop.
bool Sampler::wait_until(TimePoint time) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
    constexpr std::int64_t kMinute = 60'000;  // poll() takes an int
    pollfd entry{.fd = stop_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, kMinute))) > 0) return false;
    if (left <= 0) return true;
  }
}

}  // namespace h2park::cmd
