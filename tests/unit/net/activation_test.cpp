// Activation and notification change the process's environment and descriptors, so each test runs in a child.
#include "net/activation.hpp"

#include "net/service_manager.hpp"
#include "test_sockets.hpp"

#include <fcntl.h>
#include <sys/un.h>

#include <cstring>
#include <functional>

namespace h2park::net {
namespace {

/// A child that has `sockets` as its descriptors 3, 4, ... and the variables that systemd sets.
int activated(std::vector<UniqueFd> sockets, const char* names, const std::function<int()>& body,
              const char* count = nullptr, const char* pid = nullptr) {
  return in_child([&] {
    int next = 3;
    // Out of the way first: a later one may lie where an earlier one belongs.
    for (UniqueFd& socket : sockets) socket = UniqueFd(::fcntl(socket.release(), F_DUPFD, 100));
    for (UniqueFd& socket : sockets) ::dup2(socket.get(), next++);
    ::setenv("LISTEN_PID", pid != nullptr ? pid : std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", count != nullptr ? count : std::to_string(sockets.size()).c_str(), 1);
    if (names != nullptr) ::setenv("LISTEN_FDNAMES", names, 1);
    sockets.clear();
    const int answer = body();
    const bool cleared = ::getenv("LISTEN_PID") == nullptr && ::getenv("LISTEN_FDS") == nullptr &&
                         ::getenv("LISTEN_FDNAMES") == nullptr;
    return cleared ? answer : 99;
  });
}

/// As the manager opens them: blocking, not close-on-exec.
UniqueFd managers_socket(int type = SOCK_STREAM, bool listen = true) {
  UniqueFd socket(::socket(AF_INET, type, 0));
  const SocketAddress address = resolve({.host = "127.0.0.1", .port = 0}).value().front();
  if (::bind(socket.get(), address.get(), address.size) != 0) std::abort();
  if (listen && ::listen(socket.get(), 8) != 0) std::abort();
  return socket;
}

std::vector<UniqueFd> some_sockets(UniqueFd first, UniqueFd second = {}) {
  std::vector<UniqueFd> sockets;
  sockets.push_back(std::move(first));
  if (second) sockets.push_back(std::move(second));
  return sockets;
}

TEST(Activation, TakesOverTheManagersSockets) {
  EXPECT_EQ(activated(some_sockets(managers_socket(), managers_socket()), "web:tls",
                      [] {
                        auto taken = take_activated_sockets();
                        if (!taken || taken->size() != 2) return 1;
                        if ((*taken)[0].name != "web" || (*taken)[1].name != "tls") return 2;
                        for (int fd : {3, 4}) {
                          if ((::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0) return 3;
                          if ((::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0) return 4;
                        }
                        ListenSocket& listener = (*taken)[1].socket;
                        if (listener.descriptor() != 4 || !listener.text().starts_with("127.0.0.1:"))
                          return 5;
                        const UniqueFd client = connect_to(listener.text());
                        return listener.accept().status == AcceptStatus::kConnection ? 0 : 6;
                      }),
            0);
}

TEST(Activation, DoesWithoutNames) {
  EXPECT_EQ(activated(some_sockets(managers_socket()), nullptr,
                      [] {
                        const auto taken = take_activated_sockets();
                        return taken && taken->size() == 1 && taken->front().name.empty() ? 0 : 1;
                      }),
            0);
}

TEST(Activation, LeavesAUnixSocketsFileToTheManager) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.sock");
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  const SocketAddress address = resolve({.unix_path = path}).value().front();
  ASSERT_EQ(::bind(socket.get(), address.get(), address.size), 0);
  ASSERT_EQ(::listen(socket.get(), 8), 0);
  EXPECT_EQ(activated(some_sockets(std::move(socket)), "x",
                      [&] {
                        auto taken = take_activated_sockets();
                        if (!taken || taken->front().socket.text() != "unix:" + path) return 1;
                        if (!taken->front().socket.is_unix()) return 2;
                        taken->clear();
                        return std::filesystem::exists(path) ? 0 : 3;
                      }),
            0);
}

TEST(Activation, IgnoresWhatIsForAnotherProcess) {
  EXPECT_EQ(activated(
                some_sockets(managers_socket()), "x",
                [] {
                  const auto taken = take_activated_sockets();
                  return taken && taken->empty() && ::fcntl(3, F_GETFD) >= 0 ? 0 : 1;
                },
                "1", "1"),
            0);
}

TEST(Activation, IsNothingWithoutItsVariables) {
  EXPECT_EQ(in_child([] {
              ::unsetenv("LISTEN_PID");
              const auto taken = take_activated_sockets();
              return taken && taken->empty() ? 0 : 1;
            }),
            0);
}

TEST(Activation, RefusesWhatDoesNotListen) {
  for (const bool datagram : {false, true}) {
    EXPECT_EQ(activated(some_sockets(managers_socket(), datagram ? managers_socket(SOCK_DGRAM, false)
                                                                 : managers_socket(SOCK_STREAM, false)),
                        "x:y",
                        [] {
                          const auto taken = take_activated_sockets();
                          if (taken) return 1;
                          if (::fcntl(3, F_GETFD) >= 0 || ::fcntl(4, F_GETFD) >= 0) return 2;
                          return taken.error().message ==
                                         "socket activation: descriptor 4 is not a listening stream socket"
                                     ? 0
                                     : 3;
                        }),
              0);
  }
}

TEST(Activation, RefusesVariablesThatMakeNoSense) {
  for (const char* count : {"", "x", "-1", "2x", "99999999999999999999", "1000000"}) {
    EXPECT_EQ(activated(
                  some_sockets(managers_socket()), "x",
                  [] {
                    const auto taken = take_activated_sockets();
                    return !taken && taken.error().message.starts_with("socket activation: LISTEN_FDS") ? 0
                                                                                                        : 1;
                  },
                  count),
              0)
        << count;
  }
}

std::string notification(const std::string& name, ServiceState state) {
  UniqueFd manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (name[0] == '@' ? 0 : 1));
  if (::bind(manager.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return "bind";
  const int answer = in_child([&] {
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    const auto sent = notify_service_manager(state);
    return sent && *sent ? 0 : 1;
  });
  if (answer != 0) return "not sent";
  char room[256];
  const ssize_t n = ::recv(manager.get(), room, sizeof room, MSG_DONTWAIT);
  return n < 0 ? "nothing came" : std::string(room, static_cast<std::size_t>(n));
}

TEST(ServiceManager, IsToldTheStateThroughAPath) {
  const TemporaryDirectory directory;
  EXPECT_EQ(notification(directory.file("a"), ServiceState::kReady), "READY=1");
  EXPECT_EQ(notification(directory.file("b"), ServiceState::kStopping), "STOPPING=1");
  EXPECT_TRUE(notification(directory.file("c"), ServiceState::kReloading)
                  .starts_with("RELOADING=1\nMONOTONIC_USEC="));
}

TEST(ServiceManager, IsToldTheStateThroughAnAbstractName) {
  const std::string name = "@h2park-test-" + std::to_string(::getpid());
  EXPECT_EQ(notification(name, ServiceState::kReady), "READY=1");
}

TEST(ServiceManager, IsNotLookedForUnlessNamed) {
  EXPECT_EQ(in_child([] {
              ::unsetenv("NOTIFY_SOCKET");
              const auto sent = notify_service_manager(ServiceState::kReady);
              return sent && !*sent ? 0 : 1;
            }),
            0);
}

TEST(ServiceManager, IsNoReasonToStopWhenItIsGone) {
  const TemporaryDirectory directory;
  for (const std::string& name :
       {directory.file("nobody"), std::string("vsock:2:1"), "/" + std::string(200, 'x')}) {
    EXPECT_EQ(in_child([&] {
                ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
                const auto sent = notify_service_manager(ServiceState::kReady);
                return !sent && sent.error().message.find(name) != std::string::npos ? 0 : 1;
              }),
              0)
        << name;
  }
}

}  // namespace
}  // namespace h2park::net
