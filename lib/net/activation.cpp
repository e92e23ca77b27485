#include "net/activation.hpp"

#include "net/socket_address.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace h2park::net {
namespace {

constexpr int kFirstDescriptor = 3;  // SD_LISTEN_FDS_START
// More than any unit has; it keeps a nonsense value from closing descriptors that are not the manager's.
constexpr int kMaxDescriptors = 1024;

std::optional<std::string> take_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string copy = value;
  ::unsetenv(name);
  return copy;
}

std::optional<long> parse_number(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto colon = text.find(':');
    names.emplace_back(text.substr(0, colon));
    text = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  }
  return names;
}

bool is_listening_stream(int fd) {
  int type = 0;
  int listening = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return false;
  size = sizeof listening;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

Result<ListenSocket> adopt(UniqueFd socket) {
  const int fd = socket.get();
  const std::string which = "socket activation: descriptor " + std::to_string(fd);
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return system_failure(which, errno);
  if (!is_listening_stream(fd)) return fail(which + " is not a listening stream socket");
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return system_failure(which, errno);
  }
  const auto address = local_address(fd);
  if (!address) return fail(which + ": " + address.error().message);
  return ListenSocket(std::move(socket), address->text(), 0);
}

}  // namespace

Result<std::vector<ActivatedSocket>> take_activated_sockets() {
  const auto pid = take_variable("LISTEN_PID");
  const auto count_text = take_variable("LISTEN_FDS");
  const auto names = split_names(take_variable("LISTEN_FDNAMES").value_or(""));
  std::vector<ActivatedSocket> taken;
  if (!pid || !count_text) return taken;
  const auto owner = parse_number(*pid);
  if (!owner) return fail("socket activation: LISTEN_PID is '" + *pid + "', not a number");
  if (*owner != ::getpid()) return taken;
  const auto count = parse_number(*count_text);
  if (!count || *count < 0 || *count > kMaxDescriptors) {
    return fail("socket activation: LISTEN_FDS is '" + *count_text + "', not a count of descriptors");
  }
  std::vector<UniqueFd> descriptors;
  for (int i = 0; i < *count; ++i) descriptors.emplace_back(kFirstDescriptor + i);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    auto socket = adopt(std::move(descriptors[i]));
    if (!socket) return std::unexpected(socket.error());
    taken.push_back({std::move(*socket), i < names.size() ? names[i] : std::string{}});
  }
  return taken;
}

}  // namespace h2park::net
