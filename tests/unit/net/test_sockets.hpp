// Sockets, files and child processes for the tests of lib/net.
#pragma once

#include "net/socket_address.hpp"
#include "net/unique_fd.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace h2park::net {

/// Both ends of a non-blocking stream socket pair.
inline std::pair<UniqueFd, UniqueFd> socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// A blocking client connected to `address` ("127.0.0.1:80", "unix:/x"), or an empty descriptor with errno
/// set.
inline UniqueFd connect_to(const std::string& text) {
  const auto endpoint = parse_endpoint(text);
  if (!endpoint) std::abort();
  const auto addresses = resolve(*endpoint);
  if (!addresses) std::abort();
  const SocketAddress& address = addresses->front();
  UniqueFd client(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(client.get(), address.get(), address.size) == 0) return client;
  return {};
}

/// Waits for a condition of the kernel's, not for time: `events` on `fd`.
inline bool wait_for(int fd, short events) {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  return ::poll(&one, 1, 10'000) == 1;
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "h2park-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Runs `body` in a child process, for what changes a whole process; its answer, or a signal's number + 128.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace h2park::net
