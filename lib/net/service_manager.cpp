#include "net/service_manager.hpp"

#include "net/unique_fd.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace h2park::net {
namespace {

std::string message_for(ServiceState state) {
  if (state == ServiceState::kReady) return "READY=1";
  if (state == ServiceState::kStopping) return "STOPPING=1";
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto micros = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  return "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(micros);
}

}  // namespace

Result<bool> notify_service_manager(ServiceState state) {
  const char* variable = std::getenv("NOTIFY_SOCKET");
  if (variable == nullptr || *variable == '\0') return false;
  const std::string path = variable;
  const std::string what = "cannot notify the service manager at '" + path + "'";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path[0] != '/' && path[0] != '@') return fail(what + ": only unix sockets are supported");
  if (path.size() >= sizeof address.sun_path) return system_failure(what, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';
  // An abstract name is exactly its bytes; a path ends with the zero byte that is there already.
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + (path[0] == '/' ? 1 : 0));
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return system_failure(what, errno);
  const std::string message = message_for(state);
  if (::sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&address), size) < 0) {
    return system_failure(what, errno);
  }
  return true;
}

}  // namespace h2park::net
