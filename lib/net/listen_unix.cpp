// 1. Lock the directory, so that two servers starting at once don't both take the same file for stale.
// 2. Try to connect to what is there: an answer means in use, a refusal means stale, and it is removed.
// 3. Bind, set the permissions, and only then listen: until then nobody's connect succeeds.
#include "net/listen_unix.hpp"

#include "net/socket_address.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace h2park::net {
namespace {

constexpr int kBacklog = 65535;  // as for TCP: net.core.somaxconn decides

std::unexpected<Error> reason(int error_number) {
  return fail(std::generic_category().message(error_number));
}

/// Held until closed. Only servers of this kind lock, and for microseconds, so the lock is not waited for
/// beyond some tries: a directory that somebody else keeps locked, or that can't be opened, is used without
/// it.
UniqueFd lock_directory(const std::string& path) {
  constexpr int kTries = 100;
  constexpr useconds_t kPause = 1000;
  const std::string parent = std::filesystem::path(path).parent_path();
  UniqueFd directory(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return directory;
  for (int i = 0; i < kTries && ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0; ++i) ::usleep(kPause);
  return directory;
}

UniqueFd open_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

/// Leaves the name free, or says why it can't be had.
Result<> clear_the_name(const std::string& path, const SocketAddress& address) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return errno == ENOENT ? Result<>{} : reason(errno);
  if (!S_ISSOCK(there.st_mode)) return fail("a file that is not a socket has this name");
  const UniqueFd probe = open_socket();
  if (!probe) return reason(errno);
  // EAGAIN: its queue is full, so somebody has it. EPROTOTYPE: another kind of socket, in use.
  const int error = ::connect(probe.get(), address.get(), address.size) == 0 ? 0 : errno;
  if (error == 0 || error == EAGAIN || error == EPROTOTYPE) return fail("in use by a running server");
  if (error == ENOENT) return {};
  if (error != ECONNREFUSED) return reason(error);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return fail("the stale socket file cannot be removed: " + std::generic_category().message(errno));
  }
  return {};
}

}  // namespace

Result<std::vector<ListenSocket>> listen_unix(const Endpoint& endpoint, const ListenOptions& options) {
  const std::string& path = endpoint.unix_path;
  const auto addresses = resolve(endpoint);
  if (!addresses) return std::unexpected(addresses.error());
  const SocketAddress& address = addresses->front();
  const UniqueFd lock = lock_directory(path);
  if (auto cleared = clear_the_name(path, address); !cleared) return std::unexpected(cleared.error());

  UniqueFd socket = open_socket();
  if (!socket || ::bind(socket.get(), address.get(), address.size) != 0) return reason(errno);
  struct stat made {};
  if (::lstat(path.c_str(), &made) != 0) return reason(errno);
  std::vector<ListenSocket> sockets;
  sockets.emplace_back(std::move(socket), endpoint.text(), 0U, SocketFile{path, made.st_dev, made.st_ino});
  if (options.unix_mode && ::chmod(path.c_str(), *options.unix_mode) != 0) return reason(errno);
  if (::listen(sockets.front().descriptor(), kBacklog) != 0) return reason(errno);
  return sockets;
}

}  // namespace h2park::net
