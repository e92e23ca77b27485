#include "cmd/stat_watch.hpp"

#include "cmd/stat_sampler.hpp"
#include "cmd/stat_screen.hpp"
#include "cmd/stat_watch_state.hpp"

#include <poll.h>

#include <array>

namespace h2park::cmd {
namespace {

constexpr char kControlL = 'L' - '@';

class WatchLoop {
 public:
  WatchLoop(Terminal& terminal, StatSource& source, const StatSettings& settings)
      : terminal_(terminal),
        source_(source),
        settings_(settings),
        state_(source.name(), *settings.watch),
        sampler_(source, *settings.watch) {}

  /// The signal that ended it, or nullopt.
  Result<std::optional<int>> run(EndSignals& signals) {
    while (!done_) {
      wait(signals.descriptor());
      if (const auto signal = signals.take()) return signal;
      if (auto taken = take_samples(); !taken) return std::unexpected(taken.error());
      take_keys();
      if (state_.shown().reading() != nullptr) {
        terminal_.draw(draw_screen(state_, Clock::now(), terminal_.size(), terminal_.symbols()));
      }
    }
    return std::nullopt;
  }

 private:
  void wait(int signals) {
    std::array<pollfd, 3> entries{{{.fd = signals, .events = POLLIN, .revents = 0},
                                   {.fd = sampler_.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = terminal_.keyboard(), .events = POLLIN, .revents = 0}}};
    ::poll(entries.data(), entries.size(), -1);
    // The other end of the terminal is closed: nobody looks any more.
    if ((entries[2].revents & (POLLHUP | POLLERR)) != 0) done_ = true;
  }

  Result<> take_samples() {
    while (auto sample = sampler_.take()) {
      const bool first = ++ticks_ == 1;
      if (!*sample && (first || !source_.may_come_back())) return std::unexpected(sample->error());
      state_.add(std::move(*sample), Clock::now());
      if (settings_.count && ticks_ >= *settings_.count) done_ = true;
    }
    return {};
  }

  void take_keys() {
    if (terminal_.keyboard() < 0) return;
    while (const char key = terminal_.key()) {
      if (key == 'q' || key == 'Q') done_ = true;
      if (key == 'p' || key == 'P' || key == ' ') state_.toggle_pause();
      if (key == 'r' || key == 'R') state_.reset();
      if (key == kControlL) terminal_.repaint();
    }
  }

  Terminal& terminal_;
  StatSource& source_;
  const StatSettings& settings_;
  WatchState state_;
  Sampler sampler_;
  std::uint64_t ticks_ = 0;
  bool done_ = false;
};

}  // namespace

Result<> watch_on(std::unique_ptr<Terminal> terminal, EndSignals& signals, StatSource& source,
                  const StatSettings& settings) {
  const auto ended = WatchLoop(*terminal, source, settings).run(signals);
  terminal.reset();
  if (!ended) return std::unexpected(ended.error());
  if (*ended) die_of(**ended);
  return {};
}

}  // namespace h2park::cmd
