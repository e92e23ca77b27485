// UniqueFd: a descriptor with one owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace h2park::net {

/// Closes its descriptor when destroyed. Move only.
class UniqueFd {
 public:
  UniqueFd() noexcept = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives the descriptor away; the caller closes it.
  int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes the descriptor at once. close() is not repeated on EINTR: Linux has closed it by then.
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace h2park::net
