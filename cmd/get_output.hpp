// Output: bytes to a descriptor, in blocks; and the file of one body.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/unique_fd.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace h2park::cmd {

/// Collects what is written and passes it on when there is a block of it, when it is a terminal at each
/// line's end, and when it has waited for kLongestWait: whoever reads a slow run from a pipe sees it go on.
/// Errors: the first one stays; what is written afterwards is thrown away.
class Output {
 public:
  static constexpr std::size_t kBlock = 64 * 1024;
  static constexpr Duration kLongestWait = std::chrono::milliseconds(200);

  /// Lifetime: `fd` stays open. Its end flushes nothing: call flush().
  explicit Output(int fd);

  void write(std::string_view bytes);
  /// Tells what time it is after a piece is complete: see above.
  void settle(TimePoint now);
  void flush();
  /// 0, or an errno.
  int error() const { return error_; }
  bool is_terminal() const { return terminal_; }

 private:
  void write_all(std::string_view bytes);

  const int fd_;
  const bool terminal_;
  std::string pending_;
  TimePoint last_flush_{};
  int error_ = 0;
};

/// A body's file: made when its first byte comes or its end (curl's way: a failed transfer leaves none).
class BodyFile {
 public:
  /// Later bodies go behind the first: requests are repeated.
  void start(std::string path, bool append);
  void write(std::string_view bytes);
  /// Takes back what was written since start(): the request is made again. Only files can.
  void rewind();
  /// The body is complete: a file of no bytes is one as well.
  void finish();
  /// "", or why it could not be written.
  const std::string& error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  bool open();
  void fail(int reason);

  std::string path_;
  bool append_ = false;
  net::UniqueFd fd_;
  std::int64_t begin_ = 0;  // the file's size at start()
  std::string error_;
};

}  // namespace h2park::cmd
