// Where access log lines go: a file, a pipe or standard output, written without ever waiting longer than
// asked.
#pragma once

#include "base/error.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace h2park::handlers {

/// Thread: the log's writer only, after open().
class AccessLogSink {
 public:
  enum class Outcome : std::uint8_t {
    kWritten,
    kGivenUp,  ///< give_up() said so while the sink was blocked
    kFailed,   ///< the system refused: error() has errno
  };
  struct Written {
    std::size_t bytes = 0;
    Outcome outcome = Outcome::kWritten;
  };

  /// `path` "" is standard output. A file is created (0640) and appended to.
  /// Errors: one line naming the file and the system's reason. A FIFO nobody reads is refused, not waited
  /// for.
  static Result<AccessLogSink> open(const std::string& path);

  AccessLogSink(AccessLogSink&& other) noexcept;
  AccessLogSink& operator=(AccessLogSink&& other) noexcept;
  ~AccessLogSink();

  /// Writes all of `text`. While the sink takes nothing it asks give_up() several times a second.
  Written write_all(std::string_view text, const std::function<bool()>& give_up);
  /// Opens the path again (log rotation). Errors: as open(); the old file stays in use. No effect on standard
  /// output.
  Result<> reopen();
  /// errno of the last kFailed.
  int error() const { return error_; }

 private:
  AccessLogSink(std::string path, int descriptor, bool is_socket, bool may_block);
  ssize_t write_some(std::string_view text);

  std::string path_;
  int descriptor_;
  bool is_socket_;
  bool may_block_;  // a blocking descriptor that is not ours to change: poll first, then write little
  int error_ = 0;
};

}  // namespace h2park::handlers
