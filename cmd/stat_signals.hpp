// EndSignals: signals as a descriptor, so that the terminal is given back before they take effect.
#pragma once

#include "net/unique_fd.hpp"

#include <signal.h>

#include <optional>

namespace h2park::cmd {

/// From its construction on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGWINCH wait in it, for this thread and
/// those that it starts. Lifetime: one at a time.
class EndSignals {
 public:
  EndSignals();
  /// The signals take effect again as before.
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// Readable when a signal has come.
  int descriptor() const { return fd_.get(); }
  /// The next one that is to end the process; nullopt if there was none, or only a change of the window's
  /// size.
  std::optional<int> take();

 private:
  net::UniqueFd fd_;
  sigset_t before_{};
};

/// Ends the process by this signal, as if nobody had caught or blocked it.
void die_of(int signal);

}  // namespace h2park::cmd
