#include "cmd/get_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace h2park::cmd {
namespace {

/// 0, or an errno. Waits where the descriptor is non-blocking, as a shell's may be.
int write_fully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

Output::Output(int fd) : fd_(fd), terminal_(::isatty(fd) == 1) {}

void Output::write(std::string_view bytes) {
  if (error_ != 0) return;
  if (pending_.size() + bytes.size() >= kBlock) {
    flush();
    if (bytes.size() >= kBlock) return write_all(bytes);
  }
  pending_ += bytes;
}

void Output::settle(TimePoint now) {
  if (pending_.empty()) return;
  if (!terminal_ && now - last_flush_ < kLongestWait) return;
  last_flush_ = now;
  flush();
}

void Output::flush() {
  write_all(pending_);
  pending_.clear();
}

void Output::write_all(std::string_view bytes) {
  if (error_ == 0) error_ = write_fully(fd_, bytes);
}

void BodyFile::start(std::string path, bool append) {
  const bool same = fd_.get() >= 0 && append && path == path_;
  if (!same) fd_ = net::UniqueFd();
  path_ = std::move(path);
  append_ = append;
  error_.clear();
  if (same) begin_ = ::lseek(fd_.get(), 0, SEEK_CUR);
}

void BodyFile::write(std::string_view bytes) {
  if (!open()) return;
  if (const int reason = write_fully(fd_.get(), bytes); reason != 0) fail(reason);
}

void BodyFile::rewind() {
  struct stat facts {};
  if (fd_.get() < 0 || ::fstat(fd_.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  if (::ftruncate(fd_.get(), begin_) != 0 || ::lseek(fd_.get(), begin_, SEEK_SET) < 0) fail(errno);
}

void BodyFile::finish() {
  open();
  if (!append_) fd_ = net::UniqueFd();
}

bool BodyFile::open() {
  if (!error_.empty()) return false;
  if (fd_.get() >= 0) return true;
  fd_ = net::UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  begin_ = 0;
  if (fd_.get() < 0) fail(errno);
  return error_.empty();
}

void BodyFile::fail(int reason) {
  error_ = "Failed to write " + path_ + ": " + std::generic_category().message(reason);
}

}  // namespace h2park::cmd
