// GetRun::Worker: makes one request at a time.
#pragma once

#include "cmd/get_run.hpp"

#include <coroutine>

namespace h2park::cmd {

/// Thread: the reactor's. Lifetime: within the run's.
class GetRun::Worker {
 public:
  explicit Worker(GetRun& run);

  /// Calls the run's worker_ended() when there is nothing left to do, in this call or later.
  void start();
  /// Gives up what it does. Not from inside its own fetch.
  void cancel();
  /// What escaped from the client, or null.
  std::exception_ptr exception() const { return exception_; }

 private:
  class Sleep;
  class Answer;

  Task<> work();
  void begin(const Pacer::Slot& slot);
  void ended();
  void close_transfer(bool complete);
  void settled(const std::shared_ptr<Pending>& pending, const client::Record& record);
  void give_up();
  void report_given_up();
  void resume();

  GetRun& run_;
  Transfer transfer_;
  net::Timer timer_;   // of a Sleep, or for the next turn
  net::Timer broken_;  // the body cannot be written: gives up its fetch in the next turn
  std::coroutine_handle<> waiting_;
  std::shared_ptr<Pending> pending_;  // of the fetch
  Task<> fetch_;
  bool given_up_ = false;  // this fetch
  bool cancelled_ = false;
  std::exception_ptr exception_;
  Task<> task_;
};

}  // namespace h2park::cmd
