#include "handlers/access_log_sink.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace h2park::handlers {
namespace {

constexpr int kFileFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr mode_t kFileMode = 0640;  // addresses of clients are nobody else's business
// How often a blocked sink is asked whether to go on. Short against the second that the log's end may take.
constexpr int kPollMilliseconds = 100;

int open_file(const std::string& path) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), kFileFlags, kFileMode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

AccessLogSink::AccessLogSink(std::string path, int descriptor, bool is_socket, bool may_block)
    : path_(std::move(path)), descriptor_(descriptor), is_socket_(is_socket), may_block_(may_block) {}

AccessLogSink::AccessLogSink(AccessLogSink&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_socket_(other.is_socket_),
      may_block_(other.may_block_),
      error_(other.error_) {}

AccessLogSink& AccessLogSink::operator=(AccessLogSink&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(is_socket_, other.is_socket_);
  std::swap(may_block_, other.may_block_);
  std::swap(error_, other.error_);
  return *this;
}

AccessLogSink::~AccessLogSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<AccessLogSink> AccessLogSink::open(const std::string& path) {
  if (!path.empty()) {
    const int descriptor = open_file(path);
    if (descriptor < 0) return system_failure("cannot open the access log " + path, errno);
    return AccessLogSink(path, descriptor, false, false);
  }
  struct stat facts {};
  if (::fstat(STDOUT_FILENO, &facts) != 0) return system_failure("cannot log to standard output", errno);
  // Standard output's open file is shared with other processes: O_NONBLOCK on it would break them. A pipe or
  // a terminal can be opened a second time; for the rest a copy is used.
  int descriptor = -1;
  const bool may_block = S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode);
  if (may_block) {
    descriptor = ::open("/proc/self/fd/1", O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  }
  const bool own = descriptor >= 0;
  if (!own) descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0) return system_failure("cannot log to standard output", errno);
  return AccessLogSink("", descriptor, S_ISSOCK(facts.st_mode), may_block && !own);
}

Result<> AccessLogSink::reopen() {
  if (path_.empty()) return {};
  const int descriptor = open_file(path_);
  if (descriptor < 0) return system_failure("cannot reopen the access log " + path_, errno);
  ::close(std::exchange(descriptor_, descriptor));
  return {};
}

ssize_t AccessLogSink::write_some(std::string_view text) {
  if (is_socket_) return ::send(descriptor_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (may_block_) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) == 0) {
      errno = EAGAIN;
      return -1;
    }
    // A pipe that polls writable takes PIPE_BUF bytes without waiting.
    text = text.substr(0, PIPE_BUF);
  }
  return ::write(descriptor_, text.data(), text.size());
}

AccessLogSink::Written AccessLogSink::write_all(std::string_view text, const std::function<bool()>& give_up) {
  Written result;
  while (result.bytes < text.size()) {
    const ssize_t bytes = write_some(text.substr(result.bytes));
    if (bytes >= 0) {
      result.bytes += static_cast<std::size_t>(bytes);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      error_ = errno;
      result.outcome = Outcome::kFailed;
      return result;
    }
    if (give_up()) {
      result.outcome = Outcome::kGivenUp;
      return result;
    }
    pollfd blocked{descriptor_, POLLOUT, 0};
    ::poll(&blocked, 1, kPollMilliseconds);
  }
  return result;
}

}  // namespace h2park::handlers
