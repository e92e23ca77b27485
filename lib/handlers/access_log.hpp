// AccessLog: a bounded queue of finished lines and one thread that writes them.
//
// 1. A serving thread formats its line, then holds the mutex for one append into the queue's text. A queue
//    that is full drops the line and counts it: serving never waits for a disk or a pipe.
// 2. The writer sleeps until there is a first line, gathers for a few milliseconds, swaps the text out and
//    writes it in one piece, without the mutex.
// 3. reopen() marks a place in the queue: what was logged before it goes to the old file, what follows to the
//    new.
// 4. At the end the writer writes what is queued; a sink that is blocked gets one second.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "handlers/options.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

namespace h2park::handlers {

class AccessLogSink;

/// Thread: every member from any thread, except construction and destruction.
/// Durability: lines are handed to the kernel, not fsynced.
class AccessLog {
 public:
  /// Trouble of the log itself (drops, a full disk, a failed reopen), one line each. Called by the writer.
  using Report = std::function<void(std::string_view line)>;
  static Report report_to_log();

  /// 4 MiB: some 25,000 lines, which a writer that stands still for an eighth of a second at 200,000 requests
  /// per second just fills; twice that much is all the memory the log can take.
  static constexpr std::size_t kQueueBytes = 4 * 1024 * 1024;
  /// What a blocked sink may cost the end of the process.
  static constexpr Duration kLastFlush = std::chrono::seconds(1);

  /// Requires: options.format is not kOff.
  /// Errors: the file cannot be opened; one line.
  static Result<std::unique_ptr<AccessLog>> open(const AccessLogOptions& options,
                                                 Report report = report_to_log());

  AccessLog(AccessLogFormat format, AccessLogSink sink, Report report, std::size_t queue_bytes = kQueueBytes);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  AccessLogFormat format() const { return format_; }
  /// `line`: one whole line with its line feed. False: dropped, and counted. Never waits for I/O.
  bool enqueue(std::string_view line);
  /// Opens the file again, for log rotation (SIGUSR1). Not from a signal handler itself.
  void reopen();
  /// Lines that were never written.
  std::uint64_t dropped() const;
  /// Waits until everything enqueued before has been dealt with. False: not within `limit`.
  bool drain(Duration limit) const;

 private:
  struct State;
  const AccessLogFormat format_;
  std::shared_ptr<State>
      state_;  // the writer's too: it may outlive this object in a write that never returns
  std::thread writer_;
};

}  // namespace h2park::handlers
